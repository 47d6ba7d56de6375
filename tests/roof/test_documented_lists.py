"""Lists on the pages that repeat what the code or the packaged knowledge has: tags, names, marks, errors, metrics."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from documentation import ROOT, sections, tables

import knowflow.bench
from knowflow import KnowFlow
from knowflow.ground.errors import KnowFlowError
from knowflow.knowledge.lexicon_check import _FIELDS
from knowflow.model.facts import Origin
from knowflow.question.form import expression_of
from knowflow.question.operators import OPERATORS, Apply, Expression, Quantity, walk
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords
from knowflow.reason.inventory import header
from knowflow.reason.inventory.names import name_facts
from knowflow.reason.inventory.tags import _READERS
from knowflow.reason.procedures import procedures
from knowflow.testing.demo import write_demo
from knowflow.tools.quality_bands import LEGENDS


def rows(page: str, heading: str, first: str) -> list[list[str]]:
    """The rows of the table of a section whose first column has that heading."""
    found = [rows for head, rows in tables(sections(ROOT / "docs" / page)[heading]) if head[0] == first]
    assert len(found) == 1
    return found[0]


def spans(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


def quoted(text: str) -> list[str]:
    return re.findall(r'"([^"]+)"', text)


def test_every_tag_that_is_read_is_listed() -> None:
    (told,) = [
        row[2] for row in rows("data.md", "What is known of a file, and from where", "source") if row[0] == "tags"
    ]
    assert set(spans(told)) == {tag for tag, _ in _READERS.values()} | {"STANDARD_NAME"}


def test_names_that_are_shown_say_what_is_told_of_them() -> None:
    for names, quantity, moment, _ in rows("data.md", "Names", "name"):
        (name,) = spans(names)
        facts = name_facts(name).facts
        assert (facts.value("quantity") or "", facts.value("datetime") or "") == (quantity, moment), name


def test_the_endings_that_are_read_are_listed() -> None:
    told = sections(ROOT / "docs" / "data.md")["Formats"]
    endings = header.RASTER_SUFFIXES | header.VECTOR_SUFFIXES | header.TABLE_SUFFIXES
    assert {ending for ending in endings if f"`{ending}`" not in told} == set()


def test_origins_are_told_from_the_strongest_to_the_weakest() -> None:
    told = [row[0] for row in rows("concepts.md", "Facts and their origins", "origin")]
    assert told == [origin.label for origin in sorted(Origin, reverse=True)]


def test_the_marks_of_quality_bands_have_the_bits_and_classes_that_are_told() -> None:
    schemes = ("landsat_c2", "sentinel2_scl", "fmask", "hls_fmask", "modis_snow", "sentinel2_qa60", "viirs_snow")
    schemes += ("fractional_snow", "modis_reliability", "viirs_reliability")
    told: dict[str, dict[str, tuple[int, ...]]] = {scheme: {} for scheme in schemes}
    for mark, *cells in rows("preprocessing.md", "Clouds, and what else quality bands mark", "mark"):
        for scheme, cell in zip(schemes, cells, strict=True):
            if cell:
                told[scheme][mark] = numbers(cell)
    assert told == {scheme: dict(legend.marks) for scheme, legend in LEGENDS.items()}


def numbers(cell: str) -> tuple[int, ...]:
    """``"2, 4 to 7"`` -> 2, 4, 5, 6, 7."""
    parts = [[int(number) for number in re.findall(r"\d+", part)] for part in cell.split(",")]
    return tuple(number for part in parts for number in range(part[0], part[-1] + 1))


def test_the_keys_of_each_category_of_the_lexicon_are_those_that_are_read() -> None:
    told = {
        spans(category)[0]: {key.replace("class", "class_") for key in spans(keys)}
        for category, _, keys in rows("lexicon.md", "Categories", "category")
    }
    assert told == dict(_FIELDS)


@pytest.mark.parametrize(
    ("page", "heading"),
    [("conditions.md", "Mistakes"), ("templates.md", "Common problems"), ("lexicon.md", "Mistakes")],
)
def test_the_problems_that_are_told_of_exist(page: str, heading: str) -> None:
    code = "\n".join(path.read_text(encoding="utf-8") for path in Path(ROOT / "knowflow").rglob("*.py"))
    told = [name for row in rows(page, heading, "message") for name in spans(row[0])]
    assert told
    assert [name for name in told if f'"{name}"' not in code] == []


def test_the_rooms_of_a_question_exist() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rooms = re.findall(
        r"`([a-z]+/[\w/]+(?:\.py)?)`", text[text.index("**A question as data") : text.index("**Knowledge")]
    )
    assert len(rooms) > 12
    assert [room for room in rooms if not (ROOT / "knowflow" / room).exists()] == []


def test_procedures_are_asked_for_as_told() -> None:
    words = DataWords(asked=tuple(procedures(KnowFlow().catalogue.templates.values())))
    told = rows("questions.md", "Procedures", "question")
    assert len(told) > 4
    for question, written in told:
        asked, faults = expression_of(spans(written)[0])
        assert asked is not None, faults
        assert read(question, words).expression == asked, question


OPERATORS_TOLD = rows("questions.md", "Operators", "operator")
REFUSED_TOLD = [
    question for row in rows("questions.md", "When a question is refused", "asked back") for question in quoted(row[1])
]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    write_demo(folder / "data")
    return folder


def test_every_operator_has_a_question() -> None:
    written = {"number", "polygons", "point"}  # what is written inside of others
    assert {name for row in OPERATORS_TOLD for name in spans(row[0])} == set(OPERATORS) - written


@pytest.mark.parametrize("row", [row for row in OPERATORS_TOLD if row[2]], ids=lambda row: row[3])
def test_an_operator_answers_as_told(row: list[str], demo: Path) -> None:
    asked: Expression | str = row[3]
    if written := spans(row[3]):
        expression, faults = expression_of(written[0])
        assert expression is not None, faults
        asked = expression
    result = KnowFlow(home=demo / "home").run(asked, demo / "data" / row[2], out=demo / "out")
    assert (result.status, bool(result.understood)) == ("completed", True), result.error
    assert all(one in flat(result.answer) for one in values(row[4])), result.answer
    if (unit := row[4].rpartition(" ")[2]) in ("degree", "km2", "day", "year-1", "ha"):
        assert result.unit == unit


def values(cell: str) -> list[Any]:
    """The numbers and dates of a cell; years that stand for keys are texts."""
    found = re.findall(r"\d{4}-\d\d-\d\d|(?:19|20)\d\d\b|\d+(?:\.\d+)?", re.sub(r"km2|m3|year-1", "", cell))
    return [text if re.fullmatch(r"\d{4}(-\d\d){2}|(19|20)\d\d", text) else approx(float(text)) for text in found]


def approx(number: float) -> Any:
    return pytest.approx(number, rel=1e-3)


def flat(answer: Any) -> list[Any]:
    if isinstance(answer, Mapping):
        return list(answer.values())
    return [value for row in answer for value in row.values()] if isinstance(answer, tuple | list) else [answer]


@pytest.mark.parametrize("question", REFUSED_TOLD)
def test_what_is_asked_back_is_refused(question: str, demo: Path) -> None:
    with pytest.raises(KnowFlowError):
        KnowFlow(home=demo / "home").plan(question, demo / "data" / "trend")


def test_the_questions_of_preprocessing_are_answered_by_the_templates_that_are_told() -> None:
    words = DataWords(asked=tuple(procedures(KnowFlow().catalogue.templates.values())))
    for question, template in rows("preprocessing.md", "Questions", "asked"):
        found = read(question.strip('"'), words).expression
        assert [part.tool for _, part in walk(found or Quantity("none")) if isinstance(part, Apply)] == spans(template)


def test_the_metrics_that_are_listed_are_there() -> None:
    listed = [name for row in rows("planning_benchmark.md", "What is measured", "figure") for name in spans(row[1])]
    assert len(listed) >= 10
    assert set(listed) <= set(knowflow.bench.__all__)
