from __future__ import annotations

from typing import Any

import pytest
from examples import catalogue, ndvi, raster

from knowflow.graph.arguments import (
    argument_problems,
    as_typed,
    authored_problems,
    place_problems,
    type_problem,
    value_problems,
)
from knowflow.model.artifact import Artifact, band_set, scalar, series
from knowflow.model.facts import Facts, Origin
from knowflow.model.tool import Parameter, ToolSchema
from knowflow.model.workflow import FromNode, Given, Node

TOOLS = catalogue()


def codes(value: Any, **parameter: Any) -> list[str]:
    return [problem.code for problem in value_problems(value, Parameter(**parameter), "n.p")]


@pytest.mark.parametrize(
    ("value", "parameter", "expected"),
    [
        (1, {"type": "number"}, []),
        (1.5, {"type": "number"}, []),
        (True, {"type": "number"}, ["wrong_type"]),
        ("1", {"type": "number"}, ["wrong_type"]),
        (1.5, {"type": "integer"}, ["wrong_type"]),
        (True, {"type": "boolean"}, []),
        (1, {"type": "boolean"}, ["wrong_type"]),
        (5, {"type": "string"}, ["wrong_type"]),
        ("K", {"type": "unit"}, []),
        ("what", {"type": "unit"}, ["unit"]),
        ("ndvi", {"type": "quantity"}, []),
        ("NDVI", {"type": "quantity"}, []),
        ("ndwhy", {"type": "quantity"}, ["bad_value"]),
        ("ndvi", {"type": "string", "choices_from": "spyndex"}, []),
        ("elevation", {"type": "string", "choices_from": "spyndex"}, ["bad_value"]),
        ("elevation", {"type": "string", "choices_from": "quantities"}, []),
        ("EPSG:32633", {"type": "crs"}, []),
        ("auto", {"type": "crs"}, []),
        ("nonsense", {"type": "crs"}, ["wrong_type"]),
        ("2022-07-01", {"type": "date"}, []),
        ("2022-07-01T10:00:00Z", {"type": "date"}, []),
        ("July", {"type": "date"}, ["wrong_type"]),
        ((1, 2.5), {"type": "numbers"}, []),
        ([1, "2"], {"type": "numbers"}, ["wrong_type"]),
        ((True,), {"type": "numbers"}, ["wrong_type"]),
        (("a",), {"type": "strings"}, []),
        ((1,), {"type": "strings"}, ["wrong_type"]),
        ((1, 2, 3, 4), {"type": "bbox"}, []),
        ((1, 2, 3), {"type": "bbox"}, ["wrong_type"]),
        ({1: 2}, {"type": "mapping"}, []),
        ((1,), {"type": "mapping"}, ["wrong_type"]),
        ("above", {"type": "string", "choices": ("above", "below")}, []),
        ("beside", {"type": "string", "choices": ("above", "below")}, ["bad_value"]),
        (("above", "beside", "x"), {"type": "strings", "choices": ("above",)}, ["bad_value", "bad_value"]),
        (0, {"type": "number", "minimum": 0}, []),
        (-1, {"type": "number", "minimum": 0}, ["out_of_range"]),
        (2, {"type": "number", "maximum": 1}, ["out_of_range"]),
        (float("nan"), {"type": "number", "minimum": 0, "maximum": 1}, ["wrong_type"]),
        (float("nan"), {"type": "number"}, ["wrong_type"]),
        (float("-inf"), {"type": "number"}, ["wrong_type"]),
        ((0.1, float("nan")), {"type": "numbers"}, ["wrong_type"]),
        ((5, 150), {"type": "numbers", "minimum": 0, "maximum": 100}, ["out_of_range"]),
        ((0.0, 0.0, float("nan"), 1.0), {"type": "bbox"}, ["wrong_type"]),
        ((1, 5, -5), {"type": "numbers", "minimum": 0, "maximum": 4}, ["out_of_range", "out_of_range"]),
        ("a.tif", {"type": "raster"}, ["wrong_type"]),
        (raster(), {"type": "raster"}, []),
        (series((raster(),)), {"type": "raster"}, ["wrong_type"]),
        (band_set({"red": raster()}), {"type": "raster", "keyed_by": "band"}, []),
        (raster(), {"type": "raster", "keyed_by": "band"}, ["wrong_type"]),
        (scalar(1.0), {"type": "number"}, []),
        (Artifact("list"), {"type": "number"}, ["wrong_type"]),
        (Artifact("list"), {"type": "numbers"}, []),
        (scalar(1.0), {"type": "numbers"}, ["wrong_type"]),
        (Artifact("text"), {"type": "string"}, []),
        (raster(), {"type": "number"}, ["wrong_type"]),
        ((1, 2), {"type": "list"}, []),
        (True, {"type": "scalar"}, []),
    ],
)
def test_values_are_checked_by_type_and_limits(value: Any, parameter: dict[str, Any], expected: list[str]) -> None:
    assert codes(value, **parameter) == expected


@pytest.mark.parametrize(
    ("unit", "expected"), [("K", []), ("degC", []), ("m", ["unit"]), ("what", ["unit"]), (None, [])]
)
def test_numbers_from_other_nodes_must_be_in_a_convertible_unit(unit: str | None, expected: list[str]) -> None:
    value = scalar(None, facts=Facts.of(Origin.DERIVED, unit=unit))
    assert codes(value, type="number", unit="K") == expected


def test_a_series_where_one_raster_is_taken_gets_the_hint_to_use_for_each() -> None:
    (problem,) = value_problems(series((raster(),)), Parameter(type="raster"), "n.p")
    assert "for_each" in problem.hint


def test_all_problems_of_a_node_are_found_at_once() -> None:
    node = Node("n", "smooth", {"windw": Given(3), "window": Given(0)})
    problems = argument_problems(node, TOOLS["smooth"], {"window": 0})
    assert [(p.code, p.where) for p in problems] == [
        ("unknown_argument", "n"),
        ("missing_argument", "n.raster"),
        ("out_of_range", "n.window"),
    ]
    assert problems[0].hint == "did you mean window?"


def test_what_can_be_said_without_inputs_is_names_and_literals() -> None:
    node = Node("n", "smooth", {"raster": FromNode("x"), "window": Given("wide"), "size": Given(1)})
    assert [p.code for p in authored_problems(node, TOOLS["smooth"])] == ["unknown_argument", "wrong_type"]
    assert authored_problems(Node("n", "smooth", {"raster": FromNode("x")}), TOOLS["smooth"]) == []
    empty = Node("n", "smooth", {"raster": Given(None)})
    assert [p.code for p in authored_problems(empty, TOOLS["smooth"])] == ["missing_argument"]


def test_a_node_that_is_in_order_has_no_problems() -> None:
    node = Node("n", "smooth", {"raster": FromNode("x")})
    assert argument_problems(node, TOOLS["smooth"], {"raster": ndvi(), "window": 3}) == []


@pytest.mark.parametrize(
    ("value", "items", "expected"),
    [
        ((1, 2.5, None), "number", []),
        ((1, "a.tif", "b.tif"), "number", ["not_numbers"]),
        ((True,), "number", ["not_numbers"]),
        ((1, 2), "integer", []),
        ((1.5,), "integer", ["wrong_type"]),
        (("a",), "text", []),
        (((1, 2, 3, 4),), "box", []),
        (((1, 2, 3),), "box", ["wrong_type"]),
        (((1, 2), (3, "x")), "point", ["wrong_type"]),
        (((0, 1),), "pair", []),
        (((0, 1.5),), "pair", ["wrong_type"]),
        (((0, 303.15, "above"),), "band_condition", []),
        ((("above", 303.15),), "band_condition", ["wrong_type"]),
    ],
)
def test_a_list_holds_what_its_parameter_says(value: Any, items: str, expected: list[str]) -> None:
    assert codes(value, type="list", items=items) == expected


@pytest.mark.parametrize(
    ("place", "found"), [(0, []), (2, []), (-3, []), (3, ["3"]), (-4, ["-4"]), ((0, (1, 7)), ["7"])]
)
def test_a_place_is_one_that_its_list_has(place: Any, found: list[str]) -> None:
    schema = ToolSchema(
        tool="pick",
        title="Pick",
        kit="statistics",
        layers=(2,),
        parameters={"x": Parameter(type="list"), "at": Parameter(type="list", index_of="x")},
        run="python:none:none",
    )
    assert [p.found for p in place_problems(schema, {"x": ("a", "b", "c"), "at": place}, "pick")] == found
    assert place_problems(schema, {"x": Artifact("list"), "at": place}, "pick") == [], "how many there are is not known"


@pytest.mark.parametrize(
    ("text", "wanted", "value"),
    [
        ("true", "boolean", True),
        (" False ", "boolean", False),
        ("yes", "boolean", "yes"),
        ("0", "boolean", "0"),
        ("12", "integer", 12),
        ("1.5", "integer", "1.5"),
        ("1.5e3", "number", 1500.0),
        ("1_000", "number", "1_000"),
        ("12 NTU", "number", "12 NTU"),
        ("9" * 6000, "integer", "9" * 6000),
        ("true", "string", "true"),
        (3, "number", 3),
    ],
)
def test_a_number_or_a_truth_in_words_is_what_it_says(text: object, wanted: str, value: object) -> None:
    found = as_typed(text, wanted)
    assert found == value
    assert type(found) is type(value)


def test_an_integer_beyond_all_floating_point_numbers_is_no_number() -> None:
    for wanted in ("number", "integer"):
        problem = type_problem(10**400, wanted)
        assert problem is not None
        assert problem.code == "wrong_type"
    limited = Parameter.model_validate({"type": "integer", "minimum": 0, "maximum": 10})
    assert [one.code for one in value_problems(10**400, limited, "n")] == ["wrong_type"]
    of_numbers = Parameter.model_validate({"type": "list", "items": "number"})
    assert [one.code for one in value_problems([1, 10**400], of_numbers, "x")] == ["not_numbers"]
