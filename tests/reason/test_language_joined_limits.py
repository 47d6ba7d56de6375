"""Limits on several quantities: where all hold, what part of which ground, and what is left open."""

from __future__ import annotations

import pytest

from knowflow.model.goal import QueryGoal
from knowflow.reason.language import unclear, understand


def grounds(goal: QueryGoal) -> list[tuple[str, float]]:
    return [(quantity, limit.value) for quantity, limit in goal.value("conditions") or ()]


@pytest.mark.parametrize(
    ("query", "quantity", "limit", "within"),
    [
        ("What share of the land above 400 m has NDVI above 0.7?", "ndvi", 0.7, [("elevation", 400)]),
        ("What percentage of the slopes steeper than 10 degrees is above 350 m?", "elevation", 350, [("slope", 10)]),
        ("Of the area with NDVI above 0.7, what share is steeper than 10 degrees?", "slope", 10, [("ndvi", 0.7)]),
        ("How much of the steep terrain has NDVI above 0.6?", "ndvi", 0.6, [("slope", 15)]),
        ("What share of the land above 400 m is steep?", "slope", 15, [("elevation", 400)]),
        (
            "What share of the ground with NDVI above 0.7 and slope below 10 degrees is higher than 300 m?",
            *("elevation", 300, [("ndvi", 0.7), ("slope", 10)]),
        ),
    ],
)
def test_a_share_of_limited_ground_is_none_of_the_whole(
    query: str, quantity: str, limit: float, within: list[tuple[str, float]]
) -> None:
    goal = understand(query)
    assert (goal.value("quantity"), goal.value("threshold").value) == (quantity, limit)
    assert (grounds(goal), goal.value("share_of")) == (within, "conditions")
    assert unclear(goal) == ()


@pytest.mark.parametrize(
    "query",
    [
        "What share of the area has NDVI above 0.7 and slope below 10 degrees?",
        "What share of the area is steeper than 10 degrees, above 300 m and has NDVI above 0.7?",
        "What share of the area is steep and above 350 m?",
        "How many hectares above 400 m have NDVI above 0.7?",
    ],
)
def test_limits_that_hold_at_once_are_of_the_whole(query: str) -> None:
    goal = understand(query)
    assert goal.value("conditions")
    assert goal.value("share_of") is None
    assert unclear(goal) == ()


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("What share of the area has NDVI above 0.7 or slope below 10 degrees?", "by 'or'"),
        ("Mean NDVI where slope is above 10 degrees or elevation above 400 m", "by 'or'"),
        ("Share of the area with NDVI above 0.7 where the slope is below 10 degrees", "share of the whole area"),
        ("Share of the steep slopes with NDVI above 0.5", "share of the whole area"),
    ],
)
def test_one_limit_or_the_other_and_a_share_of_either_ground_are_asked_back(query: str, why: str) -> None:
    assert [item.slot for item in unclear(understand(query)) if why in item.why] == ["conditions"]


@pytest.mark.parametrize(
    ("query", "within", "told"),
    [
        ("mean NDVI on steep slopes (over 20 degrees)", [("slope", 20)], False),
        ("mean NDVI on steep slopes", [("slope", 15)], True),
        ("average elevation of the flat land", [("slope", 3)], True),
        ("mean NDVI of the steep slopes above 350 m", [("elevation", 350), ("slope", 15)], True),
    ],
)
def test_terrain_that_a_quantity_is_wanted_of_is_a_limit_of_the_terrain(
    query: str, within: list[tuple[str, float]], told: bool
) -> None:
    goal = understand(query)
    assert (grounds(goal), goal.value("class")) == (within, None)
    assert bool(goal.slots["conditions"].note) == told


def test_a_word_that_another_quantity_explains_is_no_terrain() -> None:
    goal = understand("Count the pixels with LST above 322 K that are spectrally flat (emissivity contrast < 0.03)")
    assert "slope" not in dict(goal.value("conditions"))


@pytest.mark.parametrize(
    ("query", "quantity", "limits"),
    [
        ("Area steeper than 15 percent", "slope_percent", [15]),
        ("What share of the area has a slope between 10 and 20 %?", "slope_percent", [10]),
        ("Mean NDVI where the slope is above 20 %", "ndvi", [20]),
        ("What percentage of the area is steeper than 30 % and above 350 m?", "slope_percent", [30, 350]),
        ("What is the maximum slope in %?", "slope_percent", []),
        ("What percentage of the area is steeper than 10 degrees?", "slope", [10]),
    ],
)
def test_a_slope_in_percent_is_its_rise_over_run(query: str, quantity: str, limits: list[float]) -> None:
    goal = understand(query)
    own = goal.value("threshold")
    told = [*([own.value] if own is not None else []), *(value for _, value in grounds(goal))]
    assert (goal.value("quantity"), told, goal.value("share_threshold")) == (quantity, limits, None)
    assert unclear(goal) == ()


@pytest.mark.parametrize(
    ("query", "of"),
    [
        ("What share of the area is forest above 400 m?", "area"),
        ("Percentage of the whole scene that is cropland with NDVI above 0.5", "area"),
        ("What share of the forest lies above 400 m?", None),
        ("How many hectares of cropland have an NDVI above 0.5?", None),
    ],
)
def test_a_share_of_the_whole_is_told_from_one_of_a_class(query: str, of: str | None) -> None:
    assert understand(query).value("share_of") == of
