"""Which of several classes or polygons is meant, and when all of them are."""

from __future__ import annotations

import pytest

from knowflow.reason.language import understand


@pytest.mark.parametrize(
    ("query", "which"),
    [
        ("Which district is the hottest?", "maximum"),
        ("In which municipality was the mean NDVI lowest?", "minimum"),
        ("Which land cover class has the highest mean NDVI?", "maximum"),
        ("What is the greenest district?", "maximum"),
    ],
)
def test_which_place_is_most_asks_for_one_place(query: str, which: str) -> None:
    goal = understand(query)
    assert goal.value("operation") == "extreme_place"
    assert goal.value("statistic") == which


@pytest.mark.parametrize(
    "query",
    ["maximum temperature of each district", "Maximum NDVI by class", "What is the mean NDVI of each district?"],
)
def test_an_extreme_of_each_place_asks_for_all_of_them(query: str) -> None:
    assert understand(query).value("operation") != "extreme_place"


@pytest.mark.parametrize(
    ("query", "which"),
    [
        ("Which land-cover class covers the most area?", "maximum"),
        ("What is the most common land cover?", "maximum"),
        ("What is the largest class?", "maximum"),
        ("Which class covers the smallest area?", "minimum"),
        ("Which land use dominates?", "maximum"),
    ],
)
def test_the_largest_class_is_the_one_of_the_largest_area(query: str, which: str) -> None:
    goal = understand(query)
    assert (goal.value("operation"), goal.value("statistic")) == ("extreme_place", which)
    assert (goal.value("group_by"), goal.value("extreme_of"), goal.leftover) == ("class", "area", ())


@pytest.mark.parametrize(
    "query", ["Which land cover class has the largest NDVI?", "How large is each class?", "Which class lost most area?"]
)
def test_another_value_of_a_class_is_not_its_area(query: str) -> None:
    assert understand(query).value("extreme_of") is None
