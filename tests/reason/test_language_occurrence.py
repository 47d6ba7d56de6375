"""Dates that are counted at every pixel, and ground that is told by how many dates something was so."""

from __future__ import annotations

import pytest

from knowflow.model.goal import Threshold
from knowflow.reason.language import understand


@pytest.mark.parametrize(
    "text",
    [
        "Number of days with LST above 300 K at each pixel",
        "How many days of snow did the valley have in March 2021?",
        "How often was each grid cell wetter than 20 mm of rain?",
        "Make a map of the number of scenes with NDVI above 0.6",
    ],
)
def test_dates_are_counted_at_every_pixel(text: str) -> None:
    goal = understand(text)
    assert goal.value("per_pixel") == "dates"
    assert goal.value("operation") == "count"


@pytest.mark.parametrize(
    "text",
    [
        "On how many days was the mean LST above 300 K?",
        "On how many dates was more than 30 % of the area covered by snow?",
        "How many pixels have an NDVI above 0.5?",
        "How many images are cloud-free?",
        "On how many days did more than 10 mm of rain fall?",
    ],
)
def test_dates_by_the_mean_or_by_the_share_and_pixels_are_not(text: str) -> None:
    assert "per_pixel" not in understand(text).slots


@pytest.mark.parametrize(
    ("text", "limit", "measure"),
    [
        ("Area of snow on fewer than a quarter of the scenes", Threshold(0.25, None, "below"), "share"),
        ("Where was LST above 300 K on at least 40 % of the days?", Threshold(0.4, None, "between", 1.0), "share"),
        ("What share of the land had rain above 5 mm on at most 3 days?", Threshold(3.5, None, "below"), "count"),
        ("How many km2 were under water in more than 4 of the 12 images?", Threshold(4, None, "above"), "count"),
    ],
)
def test_how_many_of_the_dates_is_a_limit_of_its_own(text: str, limit: Threshold, measure: str) -> None:
    goal = understand(text)
    assert goal.value("dates_part") == limit
    assert goal.value("dates_measure") == measure
    assert "share_threshold" not in goal.slots
    assert goal.value("threshold") is not None
    assert goal.leftover == ()
