from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from knowflow.ground.report import Problem
from knowflow.knowledge.documents import _keys_of, load_model
from knowflow.model.template import Template
from knowflow.model.tool import ToolSchema

TOOL = """\
tool: smooth
title: Smooth
kit: preprocessing
layers: [1, 2]
parameters:
  raster: {type: raster}
  output: {type: path, role: output}
effects:
  preserves: {output: {from: raster}}
run: python:tools:smooth
"""
TEMPLATE = """\
template: smoothed
title: Smoothed
layer: 2
inputs:
  series: {type: raster_series}
steps:
  smooth:
    tool: smooth
    for_each: {raster: $inputs.series}
outputs: {map: $smooth}
"""


def write(folder: Path, text: str, name: str = "document.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def problems(path: Path, model: type[ToolSchema] | type[Template]) -> list[tuple[str, int, str]]:
    loaded = load_model(path, model)
    assert all(problem.file == str(path) for problem in loaded.problems)
    return [(problem.code, problem.line, problem.where) for problem in loaded.problems]


def only(path: Path, model: type[ToolSchema] | type[Template]) -> Problem:
    (problem,) = load_model(path, model).problems
    return problem


def test_valid_documents_have_a_model_and_no_problems(tmp_path: Path) -> None:
    tool = load_model(write(tmp_path, TOOL), ToolSchema)
    assert tool.model is not None
    assert tool.model.effects.preserves["output"].from_ == "raster"
    assert tool.problems == ()
    template = load_model(write(tmp_path, TEMPLATE), Template)
    assert template.model is not None
    assert template.model.steps["smooth"].target == "smooth"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("title: Smooth\n", "", ("missing_key", 1, "title")),
        ("title: Smooth", "titel: Smooth", ("unknown_key", 2, "titel")),
        ("kit: preprocessing", "kit: prepocessing", ("bad_value", 3, "kit")),
        ("layers: [1, 2]", "layers: [1, 5]", ("bad_value", 4, "layers[1]")),
        ("layers: [1, 2]", "layers: []", ("bad_value", 4, "layers")),
        ("layers: [1, 2]", "layers: 1", ("bad_value", 4, "layers")),
        ("raster: {type: raster}", "raster: {type: rasta}", ("bad_value", 6, "parameters.raster.type")),
        ("raster: {type: raster}", "raster: {type: raster, minimum: x}", ("bad_value", 6, "parameters.raster.minimum")),
        ("{from: raster}", "{from_: raster}", ("unknown_key", 9, "effects.preserves.output.from_")),
        ("run: python:tools:smooth", "run: shell:rm", ("bad_value", 10, "run")),
        ("tool: smooth", "tool: Smooth It", ("bad_value", 1, "tool")),
    ],
)
def test_what_is_wrong_is_told_with_line_and_place(
    tmp_path: Path, old: str, new: str, expected: tuple[str, int, str]
) -> None:
    assert expected in problems(write(tmp_path, TOOL.replace(old, new)), ToolSchema)


def test_all_problems_are_told_at_once(tmp_path: Path) -> None:
    text = TOOL.replace("kit: preprocessing", "kit: nothing").replace("title: Smooth", "titel: Smooth")
    text += "cost: -1\nversion: two\n"
    found = problems(write(tmp_path, text), ToolSchema)
    assert {(code, line) for code, line, _ in found} == {
        ("unknown_key", 2),
        ("missing_key", 1),
        ("bad_value", 3),
        ("bad_value", 11),
        ("bad_value", 12),
    }


def test_a_misspelt_key_gets_a_suggestion_at_any_depth(tmp_path: Path) -> None:
    found = load_model(write(tmp_path, TOOL.replace("title", "titel")), ToolSchema).problems
    assert [p.hint for p in found if p.code == "unknown_key"] == ["did you mean title?"]
    deep = only(write(tmp_path, TEMPLATE.replace("for_each", "foreach")), Template)
    assert (deep.code, deep.line, deep.hint) == ("unknown_key", 9, "did you mean for_each?")


def test_a_value_that_fits_no_type_is_one_problem_with_the_choices_and_a_suggestion(tmp_path: Path) -> None:
    problem = only(write(tmp_path, TOOL.replace("{type: raster}", "{type: rastr}")), ToolSchema)
    assert (problem.code, problem.line, problem.where) == ("bad_value", 6, "parameters.raster.type")
    assert problem.hint == "did you mean raster?"
    assert "'vector'" in problem.expected
    assert "'number'" in problem.expected


def test_a_step_names_exactly_one_of_tool_task_template(tmp_path: Path) -> None:
    problem = only(write(tmp_path, TEMPLATE.replace("    tool: smooth\n", "")), Template)
    assert (problem.code, problem.line, problem.where) == ("bad_value", 7, "steps.smooth")
    assert problem.expected == "a step names exactly one of tool, task, template"


def test_tabs_are_told_as_tabs(tmp_path: Path) -> None:
    problem = only(write(tmp_path, TEMPLATE.replace("    tool: smooth", "\ttool: smooth")), Template)
    assert (problem.code, problem.line) == ("yaml_tab", 8)
    assert "spaces" in problem.hint


@pytest.mark.parametrize(
    ("text", "code", "found"),
    [
        ("", "not_a_mapping", "an empty file"),
        ("- a\n- b\n", "not_a_mapping", "a list"),
        ("just text", "not_a_mapping", "a str"),
        ("a: [1, 2", "yaml_syntax", ""),
    ],
)
def test_documents_that_are_no_mapping(tmp_path: Path, text: str, code: str, found: str) -> None:
    problem = only(write(tmp_path, text), ToolSchema)
    assert problem.code == code
    assert found in problem.found


def test_an_unreadable_file_is_a_problem_and_no_exception(tmp_path: Path) -> None:
    assert only(tmp_path / "nowhere.yaml", ToolSchema).code == "unreadable_file"


def test_a_key_given_twice_is_told_beside_what_pydantic_finds(tmp_path: Path) -> None:
    found = problems(write(tmp_path, TOOL + "kit: io\ncost: x\n"), ToolSchema)
    assert {(code, line) for code, line, _ in found} == {("duplicate_key", 11), ("bad_value", 12)}


def test_the_keys_of_a_format_are_looked_up_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[str] = []
    original = ToolSchema.model_json_schema

    def counted(**options: Any) -> dict[str, Any]:
        written.append("a schema")
        return original(**options)

    monkeypatch.setattr(ToolSchema, "model_json_schema", counted)
    _keys_of.cache_clear()
    path = tmp_path / "tool.yaml"
    path.write_text(TOOL + "".join(f"surprise_{number}: 1\n" for number in range(50)))
    assert len(load_model(path, ToolSchema).problems) == 50
    assert len(written) == 1
