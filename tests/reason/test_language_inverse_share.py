"""The limit that a part of the area is beyond is a percentile."""

from __future__ import annotations

import pytest

from knowflow.reason.language import understand
from knowflow.reason.language.inverse_share import inverse_share


@pytest.mark.parametrize(
    ("text", "percentile", "quantity"),
    [
        ("Half of the terrain is steeper than how many degrees?", 50.0, "slope"),
        ("Above what elevation does a quarter of the area lie?", 75.0, "elevation"),
        ("10 % of the scene is above which NDVI?", 90.0, "ndvi"),
        ("Three quarters of the land lies below what elevation?", 75.0, "elevation"),
        ("What height do two thirds of the pixels stay below?", 66.67, "elevation"),
        ("A tenth of the pixels have an NDVI below what value?", 10.0, "ndvi"),
    ],
)
def test_the_limit_of_a_part_of_the_area_is_a_percentile(text: str, percentile: float, quantity: str) -> None:
    goal = understand(text)
    assert (goal.value("operation"), goal.value("quantity")) == ("percentile", quantity)
    assert goal.value("percentile") == percentile


@pytest.mark.parametrize(
    "text",
    [
        "What share of the area is steeper than 10 degrees?",
        "Is half of the area above 0.3?",
        "Mean NDVI of half the scene",
    ],
)
def test_a_limit_that_is_told_is_not_asked_for(text: str) -> None:
    assert inverse_share(text) is None
