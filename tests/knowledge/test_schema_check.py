from __future__ import annotations

import pytest

from knowflow.ground.yamldoc import parse
from knowflow.knowledge.schema_check import condition_problems, tool_problems
from knowflow.model.tool import ToolSchema

SCHEMA = """\
tool: warm
title: Warm
kit: analysis
layers: [2]
parameters:
  raster: {type: raster, quantity: [surface_temperature, "family:index"]}
  like: {type: raster, optional: true}
  limit: {type: number, unit: K, default: 300}
  output: {type: path, role: output}
returns: {type: scalar}
preconditions:
  - same_grid(raster, like)
  - unit(raster) in ['K', 'degC']
effects:
  sets:
    - quantity(output) == 'cloud_mask'
    - unit(value) == unit(raster)
    - same_grid(output, raster)
  preserves: {output: {from: raster, except: [grid, quantity, unit]}}
  ensures:
    - finite_fraction(output) >= 0.01
run: python:tools:warm
"""


def found(old: str = "", new: str = "") -> list[tuple[str, int, str]]:
    assert old in SCHEMA
    document = parse(SCHEMA.replace(old, new) if old else SCHEMA, "warm.yaml")
    problems = tool_problems(ToolSchema.model_validate(document.data), document)
    assert all(problem.file == "warm.yaml" for problem in problems)
    return [(problem.code, problem.line, problem.where) for problem in problems]


def test_a_sound_schema_has_no_problems() -> None:
    assert found() == []


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("same_grid(raster, like)", "same_grid(raster, lik)", ("unknown_name", 12, "preconditions[0]")),
        ("same_grid(raster, like)", "same_gird(raster, like)", ("unknown_predicate", 12, "preconditions[0]")),
        ("same_grid(raster, like)", "same_grid(raster,", ("condition_syntax", 12, "preconditions[0]")),
        ("same_grid(raster, like)", "projected(raster, like)", ("operands", 12, "preconditions[0]")),
        ("same_grid(raster, like)", "projected(raster) == True", ("not_a_term", 12, "preconditions[0]")),
        ("same_grid(raster, like)", "same_grid(raster, output)", ("unknown_name", 12, "preconditions[0]")),
        ("['K', 'degC']", "['K', 'degX']", ("unit", 13, "preconditions[1]")),
        ("unit(raster) in ['K', 'degC']", "quantity(raster) == 'lst'", ("unknown_quantity", 13, "preconditions[1]")),
        ("'cloud_mask'", "'cloud_maks'", ("unknown_quantity", 16, "effects.sets[0]")),
        ("'cloud_mask'", "cloud_mask", ("unknown_name", 16, "effects.sets[0]")),
        ("quantity(output) ==", "quantity(output) !=", ("not_an_effect", 16, "effects.sets[0]")),
        ("quantity(output) ==", "quantity(raster) ==", ("unknown_output", 16, "effects.sets[0]")),
        ("same_grid(output, raster)", "in_range(output)", ("not_an_effect", 18, "effects.sets[2]")),
        ("{output: {from", "{outptu: {from", ("unknown_output", 19, "effects.preserves.outptu")),
        ("{from: raster,", "{from: rastr,", ("unknown_parameter", 19, "effects.preserves.output.from")),
        ("[grid, quantity, unit]", "[grid, quanity]", ("unknown_fact", 19, "effects.preserves.output")),
        ("finite_fraction(output)", "finite_fraction(result)", ("unknown_name", 21, "effects.ensures[0]")),
        ("[surface_temperature,", "[lst,", ("unknown_quantity", 6, "parameters.raster.quantity")),
        ("family:index", "family:indices", ("unknown_quantity", 6, "parameters.raster.quantity")),
        ("unit: K", "unit: Kelvins_maybe", ("unit", 8, "parameters.limit.unit")),
        ("{type: path, role: output}", "{type: raster, role: output}", ("bad_value", 9, "parameters.output.type")),
        ("default: 300}", "default: 300, usual: [290, warm]}", ("wrong_type", 8, "parameters.limit.usual")),
        ("same_grid(output, raster)", "crs(output) == 'EPSG:4326'", None),
    ],
)
def test_every_problem_has_its_code_and_line(old: str, new: str, expected: tuple[str, int, str] | None) -> None:
    assert found(old, new) == ([] if expected is None else [expected])


def test_an_output_with_another_crs_cannot_keep_the_grid_of_its_input() -> None:
    document = parse(
        SCHEMA.replace("same_grid(output, raster)", "crs(output) == 'EPSG:4326'").replace("grid, ", ""), "f"
    )
    (problem,) = tool_problems(ToolSchema.model_validate(document.data), document)
    assert (problem.code, problem.line) == ("stale_grid", 18)


def test_a_tool_without_any_output_is_useless() -> None:
    text = "tool: t\ntitle: T\nkit: io\nlayers: [1]\nparameters: {a: {type: raster}}\nrun: python:a:b\n"
    document = parse(text, "t.yaml")
    assert [p.code for p in tool_problems(ToolSchema.model_validate(document.data), document)] == ["no_output"]


def test_a_misspelt_name_gets_a_suggestion() -> None:
    document = parse("when: [x]\n", "t.yaml")
    (problem,) = condition_problems(document, ("when", 0), "unit($rastr) == 'K'", ["$raster", "$other"])
    assert (problem.code, problem.line, problem.hint) == ("unknown_name", 1, "did you mean $raster?")


def test_several_problems_of_one_condition_are_told_together() -> None:
    document = parse("when: [x]\n", "t.yaml")
    problems = condition_problems(document, ("when", 0), "nonsense(a) and unit(b) == 'what'", ["a"])
    assert [problem.code for problem in problems] == ["unknown_predicate", "unit", "unknown_name"]
