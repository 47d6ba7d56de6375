"""The reference pages say what the code and the knowledge are."""

from __future__ import annotations

from pathlib import Path

import pytest

from knowflow.ground.errors import KnowFlowError, PlanningError
from knowflow.model.facts import FACT_TITLES
from knowflow.model.grammar import SPECIAL_FORMS
from knowflow.model.predicates import PREDICATES
from knowflow.roof.reference import COMMAND, pages
from knowflow.roof.reference.__main__ import main
from knowflow.roof.reference.markdown import span_text, table, value_text
from knowflow.roof.reference.vocabulary import PREDICATE_TITLES, SPECIAL_TITLES, named_errors, predicate_lines
from knowflow.tools.gdal.algorithms import algorithms
from knowflow.tools.gdal.command import not_a_tool

GROUPS = {path[0] for path in algorithms()}
COMMITTED = Path(__file__).resolve().parents[2] / "docs" / "reference"


@pytest.fixture(scope="module")
def written() -> dict[str, str]:
    return pages()


@pytest.mark.parametrize(
    "name",
    [
        "tools.md",
        "gdal.md",
        "templates.md",
        "quantities.md",
        "predicates.md",
        "errors.md",
        "products.md",
        "retrieval.md",
    ],
)
def test_the_committed_page_is_up_to_date(name: str, written: dict[str, str]) -> None:
    committed = (COMMITTED / name).read_text(encoding="utf-8")
    assert committed == written[name], f"docs/reference/{name} is older than what it describes: {COMMAND}"


def test_every_algorithm_of_gdal_has_a_tool_or_a_reason(written: dict[str, str]) -> None:
    rows = [line.split(" | ") for line in written["gdal.md"].splitlines() if line.startswith("| `")]
    listed = {row[0].removeprefix("| ").strip("`"): row[2] for row in rows if row[0].strip("| `").split()[0] in GROUPS}
    assert set(listed) == {" ".join(path) for path in algorithms()}
    without = {name for name, tools in listed.items() if "](" not in tools}
    assert without == {" ".join(path) for path in algorithms() if not_a_tool(path)}
    assert all(listed[name].startswith("none: ") and len(listed[name]) > 20 for name in without)


def test_no_page_is_left_over_from_before(written: dict[str, str]) -> None:
    assert {path.name for path in COMMITTED.iterdir()} == set(written)


def test_every_predicate_and_special_form_has_a_meaning() -> None:
    assert set(PREDICATE_TITLES) == set(PREDICATES)
    assert set(SPECIAL_TITLES) == set(SPECIAL_FORMS)
    said = "\n".join(predicate_lines())
    assert all(f"| `{fact}` |" in said for fact in FACT_TITLES)


def test_errors_are_found_wherever_they_are_defined() -> None:
    codes = {error.code for error in named_errors()}
    assert {PlanningError.code, "assumption", "run_in_use"} <= codes
    assert KnowFlowError not in named_errors()


def test_knowledge_of_a_user_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "templates").mkdir()
    monkeypatch.setenv("KNOWFLOW_CONFIG", str(tmp_path))
    assert main([str(tmp_path / "reference")]) == 2
    assert str(tmp_path / "templates") in capsys.readouterr().err
    assert not (tmp_path / "reference").exists()


def test_without_a_folder_it_says_how_it_is_used(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert COMMAND in capsys.readouterr().err


def test_a_bar_does_not_end_a_cell() -> None:
    assert table(("formula",), [("a | b",)])[-1] == "| a &#124; b |"


@pytest.mark.parametrize(
    ("low", "high", "text"), [(None, None, ""), (0, None, "0 .."), (None, 2.5, ".. 2.5"), (-1, 1, "-1 .. 1")]
)
def test_open_ends_of_a_range_are_blank(low: float | None, high: float | None, text: str) -> None:
    assert span_text(low, high) == text


@pytest.mark.parametrize(("value", "text"), [(True, "true"), ([1, 2], "1, 2"), (0.4, "0.4"), ("auto", "auto")])
def test_defaults_are_spelt_as_in_yaml(value: object, text: str) -> None:
    assert value_text(value) == text
