"""Limits outside of what a quantity can be, and percentiles that do not exist, are asked back with what can be."""

from __future__ import annotations

import pytest

from knowflow.reason.language import understand
from knowflow.reason.language.explanation import unclear


def _asked_back(text: str) -> list[str]:
    return [f"{one.why}: {one.hint}" for one in unclear(understand(text)) if one.slot not in ("quantity", "operation")]


@pytest.mark.parametrize(
    ("text", "range_"),
    [
        ("Share of the area with NDVI above 5", "a limit from -1 to 1"),
        ("Share of the area with NDVI below 50", "a limit from -1 to 1"),
        ("Share of the area with NDVI above 150 %", "a number without a unit"),
        ("Share of the area with NDVI above 50 %", "a number without a unit: 0.5"),
        ("Share of the area with NDVI above 1e999", "a number with fewer digits"),
        ("Share of the area with slope above 100 degrees", "a limit from 0 degree to 90 degree"),
        ("Share of the area with slope below 0 degrees", "a limit from 0 degree to 90 degree"),
        ("Share of the area with aspect above 400 degrees", "a limit from 0 degree to 360 degree"),
        ("Share of the area that was warmer than 500 °C", "a limit from -103.15 degC to 126.85 degC"),
        ("On how many dates was at least 150 % of the area above NDVI 0.5?", "a part from 0 to 100 %"),
        ("Mean NDVI where the slope is above 100 degrees", "a limit from 0 degree to 90 degree"),
        ("Mean surface temperature where NDVI is above 5", "a limit from -1 to 1"),
        ("110th percentile of NDVI", "a percentile between 0 and 100"),
        ("-5th percentile of NDVI", "a percentile between 0 and 100"),
    ],
)
def test_a_number_that_cannot_be_is_asked_back_with_what_can(text: str, range_: str) -> None:
    assert [one for one in _asked_back(text) if range_ in one]


@pytest.mark.parametrize(
    "text",
    [
        "Share of the area with NDVI below 1",
        "Share of the area with NDVI above 0",
        "Share of the area with NDVI of at least 1",
        "Share of the area with slope of 0 degrees or less",
        "Share of the area with elevation above 0 m",
        "Share of the area with a temperature above 0 °C",
        "Share of the area with a vegetation fraction above 50 %",
        "On how many dates was 100 % of the area above NDVI 0.5?",
        "On how many dates was at least 50 % of the area above NDVI 0.5?",
        "Mean NDVI where the slope is above 20 degrees",
        "Where does the standard deviation of the surface temperature exceed 5 K?",
        "Share of the area with NDVI above -1.02",
        "95th percentile of NDVI",
        "5-95th percentile of NDVI",
    ],
)
def test_a_number_within_or_at_the_ends_of_the_range_is_taken(text: str) -> None:
    assert not _asked_back(text)


@pytest.mark.parametrize(("said", "statistic"), [("100th", "maximum"), ("0th", "minimum")])
def test_the_last_and_the_first_percentile_are_the_extremes(said: str, statistic: str) -> None:
    goal = understand(f"{said} percentile of NDVI in 2016")
    assert goal.value("statistic") == statistic
    assert "percentile" not in goal.slots
