from __future__ import annotations

import pytest
from examples import OUTPUT, RASTER, catalogue, tool

from knowflow.model.tool import ToolSchema
from knowflow.model.verdict import Goal
from knowflow.reason.achievers import Achievers

PLACE = ("raster",)


def found(goal: Goal, *more: ToolSchema) -> list[tuple[str, dict[str, object]]]:
    return [(achiever.schema.tool, values) for achiever, values in Achievers(catalogue(*more))(goal)]


def maker(name: str, *sets: str, ensures: tuple[str, ...] = (), carried: bool = True, **keys: object) -> ToolSchema:
    preserves = {"output": {"from": "raster", "except": ["unit"]}} if carried else {}
    effects = {"sets": list(sets), "ensures": list(ensures), "preserves": preserves}
    return tool(name, {"raster": RASTER, "output": OUTPUT}, effects=effects, **keys)


def test_a_goal_with_a_second_artifact_needs_a_tool_that_takes_one() -> None:
    goal = Goal("same_grid", PLACE, like=("other",))
    ((achiever, values),) = Achievers(catalogue())(goal)
    assert (achiever.schema.tool, achiever.carrier, achiever.like, achiever.output) == (
        "align_to",
        "raster",
        "like",
        "output",
    )
    assert values == {}
    assert found(Goal("same_grid", PLACE)) == []


def test_predicates_without_operands_are_achieved_by_what_asserts_them() -> None:
    assert found(Goal("projected", PLACE)) == [("to_projected", {})]
    assert found(Goal("scaled", PLACE)) == [("apply_scale", {})]


def test_a_value_is_bound_to_the_parameter_that_sets_the_fact() -> None:
    assert found(Goal("unit", PLACE, value="K")) == [("convert_unit", {"unit": "K"})]
    assert found(Goal("crs", PLACE, value="EPSG:3035")) == [("to_projected", {"crs": "EPSG:3035"})]


@pytest.mark.parametrize(("value", "matches"), [("K", True), ("k", True), ("degC", False), (5, False)])
def test_a_tool_that_sets_one_value_only_achieves_that_value(value: object, matches: bool) -> None:
    kelvin = maker("to_kelvin", "unit(output) == 'K'")
    assert (("to_kelvin", {}) in found(Goal("unit", PLACE, value=value), kelvin)) is matches


def test_what_a_tool_ensures_counts_too() -> None:
    assert found(Goal("in_range", PLACE), maker("clip", ensures=("in_range(output)",))) == [("clip", {})]


def test_lossless_before_lossy_then_cheapest_then_by_name() -> None:
    tools = (
        maker("a_lossy", "unit(output) == 'K'", lossy="rounds", cost=0.1),
        maker("z_cheap", "unit(output) == 'K'", cost=0.5),
        maker("a_cheap", "unit(output) == 'K'", cost=0.5),
        maker("dear", "unit(output) == 'K'", cost=5),
    )
    names = [name for name, _ in found(Goal("unit", PLACE, value="K"), *tools)]
    assert names == ["a_cheap", "z_cheap", "convert_unit", "dear", "a_lossy"]


def test_only_a_changed_copy_of_an_input_can_stand_in_its_place() -> None:
    made_up = maker("made_up", "unit(output) == 'K'", carried=False)
    kept_apart = tool(
        "value_only",
        {"raster": RASTER},
        returns={"type": "scalar"},
        effects={"sets": ["unit(value) == 'K'"], "preserves": {"value": {"from": "raster"}}},
    )
    forbidden = maker("forbidden", "unit(output) == 'K'", insertable=False)
    of_another = maker("of_another", "unit(output) == unit(raster)")
    names = [name for name, _ in found(Goal("unit", PLACE, value="K"), made_up, kept_apart, forbidden, of_another)]
    assert names == ["convert_unit"]


def test_nobody_achieves_what_no_effect_names() -> None:
    assert found(Goal("distinct_dates", PLACE)) == []
