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
