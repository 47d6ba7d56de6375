"""What no repair may do: every argument of every tool says what is asked, unless its schema calls it technical."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from examples import catalogue, dated_series, ndvi, tool

from knowflow.knowledge.catalogue import load_catalogue
from knowflow.model.edit import Edit, ReplaceNode, SetParameter
from knowflow.model.plan import Plan
from knowflow.model.tool import Parameter, ToolSchema
from knowflow.model.workflow import FromInput, FromNode, Given, Node, SeriesOf, Value, Workflow
from knowflow.reason.repair.laws import broken_laws

TOOLS = load_catalogue().tools
LATER = ndvi("later", datetime="2023-01-01", quantity="ndwi")
# any value is no literal of a type: the law is about where it stands, the check about what it is
OTHER: tuple[Any, ...] = ("another", "below", "percent", 0.123456, 7, True, ("x",), (1.0, 2.0))


def plan_of(schema: ToolSchema, **given: Value) -> Plan:
    """A node of the tool, in the middle of a plan: it is not the one that failed."""
    data: dict[str, Value] = {name: FromInput("a") for name, one in schema.inputs.items() if one.is_artifact}
    inputs = {"a": ndvi("a", datetime="2022-01-01"), "b": LATER}
    node = Node("n", schema.tool, {**data, **given}, schema.layers[0])
    return Plan("", "", Workflow((node,)), inputs, outputs={"answer": FromNode("n")})


def values_of(parameter: Parameter) -> Iterator[Any]:
    """Values that the parameter does not have by default."""
    candidates = (*parameter.choices, parameter.minimum, parameter.maximum, *OTHER)
    yield from (one for one in candidates if one is not None and one != parameter.default)


@pytest.mark.parametrize("name", TOOLS)
def test_no_argument_is_set_that_is_not_technical(name: str) -> None:
    schema = TOOLS[name]
    for parameter, declared in schema.inputs.items():
        if declared.technical:
            continue
        for value in values_of(declared):
            edits: list[tuple[Plan, Edit]] = [
                (plan_of(schema), SetParameter("n", parameter, Given(value))),
                (plan_of(schema, **{parameter: Given(value)}), SetParameter("n", parameter, None)),
                (plan_of(schema, **{parameter: Given("it")}), SetParameter("n", parameter, Given(value))),
            ]
            if declared.is_artifact:
                edits += [(plan_of(schema), SetParameter("n", parameter, FromInput("b")))]
                edits += [(plan_of(schema), SetParameter("n", parameter, None))]
            for plan, edit in edits:
                assert broken_laws(plan, [edit], TOOLS, {}), f"{parameter}: {edit.sentence()}"


@pytest.mark.parametrize("name", TOOLS)
def test_no_tool_in_the_place_of_itself_is_told_otherwise(name: str) -> None:
    schema = TOOLS[name]
    for parameter, declared in schema.inputs.items():
        if declared.technical:
            continue
        plan = plan_of(schema)
        node = plan.workflow.nodes[0]
        value = next(values_of(declared))
        told = replace(node, id="other", args={**node.args, parameter: Given(value)})
        assert broken_laws(plan, [ReplaceNode("n", told)], TOOLS, {}), parameter
        if parameter in node.args:
            less = {other: argument for other, argument in node.args.items() if other != parameter}
            assert broken_laws(plan, [ReplaceNode("n", replace(node, id="other", args=less))], TOOLS, {}), parameter
    same = replace(plan_of(schema).workflow.nodes[0], id="other")
    assert not broken_laws(plan_of(schema), [ReplaceNode("n", same)], TOOLS, {})


def test_what_is_technical_was_decided_one_by_one() -> None:
    """What a number means never is: no limit, side, unit, statistic, window, resampling, class or period."""
    technical = {
        f"{name}.{parameter}"
        for name, one in TOOLS.items()
        for parameter in one.inputs
        if one.inputs[parameter].technical
    }
    assert technical == {
        "aspect.gradient", "average_ratio_exceeding_threshold.verbose", "colour_picture.size",
        "count_images_exceeding_mean_multiplier.verbose",
        "count_images_exceeding_threshold_ratio.verbose", "count_spikes_from_values.verbose",
        "dark_object_subtraction.method", "despeckle.method", "ir_mad.most_iterations", "ir_mad.sample",
        "otsu_threshold.bins", "pca_change.sample", "pca_change.seed", "quick_look.size", "slope.gradient",
        "slope_percent.gradient", "topographic_correction.method", "train_classifier.maximum_pixels",
        "train_classifier.seed", "tvdi.bins", "tvdi.wet_edge", "unsupervised_classes.method",
        "unsupervised_classes.sample", "unsupervised_classes.seed",
    }  # fmt: skip


FILTER = tool(
    "filter",
    {
        "raster": {"type": "raster"},
        "mask": {"type": "raster", "optional": True},
        "method": {"type": "string", "technical": True, "default": "lee"},
        "window": {"type": "integer", "default": 5},
        "output": {"type": "path", "role": "output"},
    },
)
OTHER_DEFAULT = tool(
    "other_filter",
    {
        "raster": {"type": "raster"},
        "window": {"type": "integer", "default": 7},
        "output": {"type": "path", "role": "output"},
    },
)
SMALL = catalogue(FILTER, OTHER_DEFAULT)


def test_what_is_technical_may_be_set_unless_the_question_set_it() -> None:
    edit = SetParameter("n", "method", Given("frost"))
    assert not broken_laws(plan_of(FILTER), [edit], SMALL, {})
    given = plan_of(FILTER, method=Given("refined"))
    assert not broken_laws(given, [edit], SMALL, {})
    asked = replace(given, parameters={"filter_by": "refined"})
    assert "stays 'refined'" in broken_laws(asked, [edit], SMALL, {})[0]


def test_another_default_is_another_question() -> None:
    plan = plan_of(FILTER)
    node = Node("m", "other_filter", {"raster": FromInput("a")})
    plan = replace(plan, workflow=Workflow((replace(plan.workflow.nodes[0], args={"raster": FromInput("a")}),)))
    assert "window" in broken_laws(plan, [ReplaceNode("n", node)], SMALL, {})[0]
    same = replace(node, args={**node.args, "window": Given(5)})
    assert not broken_laws(plan, [ReplaceNode("n", same)], SMALL, {})


def test_a_mask_is_neither_taken_away_nor_passed_over() -> None:
    plan = plan_of(FILTER)
    assert broken_laws(plan, [SetParameter("n", "mask", None)], SMALL, {})
    plan = replace(plan, inputs={**plan.inputs, "m": ndvi("m")})
    masked = replace(plan.workflow.nodes[0], args={"raster": FromInput("a"), "mask": FromInput("m")})
    plan = replace(plan, workflow=Workflow((masked,)))
    bare = Node("m", "other_filter", {"raster": FromInput("a"), "window": Given(5)})
    assert "no longer read mask" in broken_laws(plan, [ReplaceNode("n", bare)], SMALL, {})[0]


def test_numbers_that_are_given_stay_and_a_series_keeps_to_its_own_items() -> None:
    mean = TOOLS["mean"]
    numbers = plan_of(mean, x=Given((1.0, 2.0)))
    assert broken_laws(numbers, [SetParameter("n", "x", Given((1.0, 9.0)))], TOOLS, {})
    nodes = (Node("p", "mean", {"x": Given((1.0,))}), Node("q", "mean", {"x": Given((2.0,))}))
    series = SeriesOf((FromNode("p"), FromNode("q")))
    plan = replace(numbers, workflow=Workflow((*nodes, Node("n", "mean", {"x": series}))))
    for other in (SeriesOf((FromNode("p"), Given(3.0))), FromInput("b"), SeriesOf(()), None):
        assert broken_laws(plan, [SetParameter("n", "x", other)], TOOLS, {}), other
    assert not broken_laws(plan, [SetParameter("n", "x", SeriesOf((FromNode("q"),)))], TOOLS, {})


def test_dates_of_a_series_stay() -> None:
    schema = TOOLS["temporal_composite"]
    plan = replace(plan_of(schema), inputs={"a": dated_series(3)})
    fewer = SeriesOf((FromInput("a", (0,)), FromInput("a", (2,))))
    assert "would lose" in broken_laws(plan, [SetParameter("n", "series", fewer)], TOOLS, {})[0]
