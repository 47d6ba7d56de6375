"""Words about retrieved quantities: times of day, dry and wet, parts of months and of areas, pairs of percentiles."""

from __future__ import annotations

import pytest

from knowflow.model.goal import Period
from knowflow.reason.language.fractions import with_percent
from knowflow.reason.language.parts import parts_of
from knowflow.reason.language.retrieval_words import (
    dryness_extreme,
    extreme_group,
    operation_of_retrievals,
    statistic_of_a_scene,
    time_of_day,
    two_percentiles,
    unusual_coefficients,
)

JULY = Period("2021-07-01", "2021-07-31")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Using day and night brightness temperature, count the days when daytime LST exceeded 300 K.", "day"),
        ("Using day and night brightness temperature, give the mean nighttime LST.", "night"),
        ("Using nighttime brightness temperature, give the mean LST.", "night"),
        ("Using day and night brightness temperature, give the difference of LST between May and June.", None),
        ("Give the difference between daytime and nighttime LST.", "both"),
        ("Compare the average daytime and nighttime LST.", "both"),
        ("Give the diurnal temperature range.", "both"),
        ("Give the mean LST.", None),
    ],
)
def test_the_time_of_day_is_that_of_what_is_asked_not_of_the_data(text: str, expected: str | None) -> None:
    assert time_of_day(text) == expected


@pytest.mark.parametrize(
    ("text", "quantity", "expected"),
    [
        ("the driest year", "tvdi", "maximum"),
        ("the driest year", "precipitation", "minimum"),
        ("the wettest day", "precipitation", "maximum"),
        ("the wettest day", "tvdi", "minimum"),
        ("the warmest day", "surface_temperature", None),
    ],
)
def test_dry_and_wet_are_ends_of_a_quantity(text: str, quantity: str, expected: str | None) -> None:
    assert dryness_extreme(text, quantity) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the 90th and the 10th percentile", (10.0, 90.0)),
        ("the difference between the 75th percentile and 25th percentile", (25.0, 75.0)),
        ("the interquartile range", (25.0, 75.0)),
        ("the 90th percentile", None),
    ],
)
def test_two_percentiles_are_a_distance(text: str, expected: tuple[float, float] | None) -> None:
    assert two_percentiles(text) == expected


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [
        ("the first half (July 1-15) and the second half (July 16-31)", (1, 15), (16, 31)),
        ("early July (1–10) and late July (22–31)", (1, 10), (22, 31)),
        ("the first ten days and the final ten days", (1, 10), (21, 31)),
        ("the first week and the last week", (1, 7), (25, 31)),
        ("early July and late July", (1, 10), (21, 31)),
    ],
)
def test_parts_of_a_month_are_two_periods(text: str, first: tuple[int, int], second: tuple[int, int]) -> None:
    expected = tuple(Period(f"2021-07-{start:02}", f"2021-07-{end:02}") for start, end in (first, second))
    assert parts_of(text, JULY) == expected


def test_halves_of_a_year_are_six_months_each_and_months_end_when_they_end() -> None:
    halves = parts_of("the first half and the second half", Period("2021-01-01", "2021-12-31"))
    assert halves == (Period("2021-01-01", "2021-06-30"), Period("2021-07-01", "2021-12-31"))
    february = parts_of("the first half and the second half", Period("2021-02-01", "2021-02-28"))
    assert february is not None
    assert february[1].end == "2021-02-28"
    assert parts_of("the mean of July", JULY) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("at least half of the area", "at least 50% of the area"),
        ("over two thirds of all pixels", "over 66.67% of all pixels"),
        ("the first half of July", "the first half of July"),
    ],
)
def test_parts_of_an_area_are_percentages(text: str, expected: str) -> None:
    assert with_percent(text) == expected


def test_what_is_computed_of_each_scene_before_the_scenes_are_compared() -> None:
    assert statistic_of_a_scene("the date of the highest median", "extreme_date", frozenset({"median"})) == "median"
    assert statistic_of_a_scene("the lowest minimum LST", "extreme_date", frozenset({"minimum"})) == "minimum"
    assert statistic_of_a_scene("trend of the maximum", "trend", frozenset({"maximum"})) == "maximum"
    assert statistic_of_a_scene("trend of the mean", "trend", frozenset({"mean", "maximum"})) == "mean"


def test_what_several_words_ask_for_together() -> None:
    assert operation_of_retrievals("the average of the daily maxima", "ndvi", ()) == "mean_of_each"
    assert operation_of_retrievals("the standard deviation of the daily mean values", "ndvi", ()) == "spread_of_means"
    assert extreme_group("the difference between the warmest and the coldest month") == "month"
    assert operation_of_retrievals("the mean", "ndvi", ()) is None
    assert operation_of_retrievals("the day-to-day variability", "ndvi", ()) == "spread_of_means"
    assert operation_of_retrievals("the day-to-day variability", "ndvi", ("coefficient_of_variation",)) is None


def test_coefficients_that_are_taken_anyway_are_not_unusual() -> None:
    assert unusual_coefficients("alpha = 1.59 and beta = 0") == ()
    assert unusual_coefficients("alpha = 2.1") == (("alpha", 2.1),)
