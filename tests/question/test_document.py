"""``question.yaml``: problems have a file and a line, and the JSON Schema takes what is read and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from knowflow import KnowFlow
from knowflow.ground.errors import DocumentError
from knowflow.question.document import json_schema, load_question, question_of, question_problems
from knowflow.question.form import to_data
from tests.question.test_question_check import FITS, MISFITS, read

QUESTION = """\
algebra: 1
question:
  over:
    x:
      and:
        - beyond(over(during(ndvi, 2017), space, maximum), above, 0.8)
        - beyond:
            x: {over: {x: surface_temperature, axes: space, statistic: mean}}
            side: above
            limit: 300 K
        - not: beyond(over(ndvi, space, deviation), below, 0.1)
    axes: time
    statistic: count
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "question.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_question_is_read(tmp_path: Path) -> None:
    assert to_data(load_question(written(tmp_path, QUESTION)))["over"]["axes"] == "time"
    assert KnowFlow().check([tmp_path / "question.yaml"]) == []


@pytest.mark.parametrize(
    ("old", "new", "line", "code"),
    [
        ("algebra: 1", "algebra: 2", 1, "version"),
        ("300 K", "300 m", 10, "does_not_fit"),
        ("space, maximum", "space, maxmum", 6, "bad_value"),
        ("not: beyond(over(ndvi, space, deviation)", "not: beyond(over(ndvj, space, deviation)", 11, "does_not_fit"),
        ("axes: time", "axes: tine", 12, "bad_value"),
        ("            side: above\n", "", 7, "missing_field"),
        ("statistic: count", "statistik: count", 13, "unknown_field"),
        ("algebra: 1\n", "algebra: 1\nanswer: x\n", 2, "unknown_key"),
        ("  over:", "  ovre:", 2, "unknown_operator"),
    ],
)
def test_a_problem_has_its_line(tmp_path: Path, old: str, new: str, line: int, code: str) -> None:
    assert QUESTION.count(old) == 1
    path = written(tmp_path, QUESTION.replace(old, new))
    assert (line, code) in [(problem.line, problem.code) for problem in question_problems(path)]
    with pytest.raises(DocumentError):
        load_question(path)


def test_several_problems_are_told_at_once(tmp_path: Path) -> None:
    path = written(tmp_path, QUESTION.replace("300 K", "300 m").replace("algebra: 1", "algebra: one"))
    assert [problem.line for problem in question_problems(path)] == [1, 10]
    assert sorted(map(str, KnowFlow().check([path]))) == sorted(map(str, question_problems(path)))


@pytest.mark.parametrize("text", ["", "[]", "algebra: 1\n", "algebra: 1\nquestion:\n", "algebra: [\n"])
def test_what_is_no_question_is_no_crash(tmp_path: Path, text: str) -> None:
    assert question_problems(written(tmp_path, text))


@pytest.mark.parametrize("text", [*FITS, *MISFITS])
def test_the_json_schema_takes_every_expression(text: str) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json_schema()
    found = jsonschema.validators.validator_for(schema)(schema).iter_errors(
        {"algebra": 1, "question": to_data(read(text))}
    )
    assert [error.message for error in found] == []


@pytest.mark.parametrize("old", ["axes: time", "side: above"])
def test_the_json_schema_refuses_a_field_of_another_name(old: str) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.validate(yaml.safe_load(QUESTION), json_schema())
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(yaml.safe_load(QUESTION.replace(old, f"x{old}")), json_schema())


@pytest.mark.parametrize("text", [text for text, kind in FITS.items() if kind is not None])
def test_a_question_may_be_given_as_data(text: str) -> None:
    assert question_of(to_data(read(text))) == read(text)


@pytest.mark.parametrize("text", MISFITS)
def test_what_does_not_fit_is_told_of_data_too(text: str) -> None:
    with pytest.raises(DocumentError) as caught:
        question_of(to_data(read(text)))
    assert caught.value.problems
