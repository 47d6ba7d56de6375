"""Times of composites and of seasons: by the first day, by months in brackets, by what is counted."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords
from tests.question.reading.same_reading import assert_read_as

DATES = tuple(date(year, month, 1) for year in (2018, 2019) for month in range(1, 13))
DATA = DataWords(frozenset({"ndvi", "surface_temperature"}), dates=DATES)
RAIN = DataWords(frozenset({"precipitation"}), dates=DATES)
ASKED = ("the mean NDVI", "the mean surface temperature", "the share of the area with NDVI above 0.3")
DAYS = ("14 September 2019", "1 March 2018", "2019-05-01")


@given(
    st.sampled_from(ASKED),
    st.sampled_from(DAYS),
    st.sampled_from(
        (
            "in the composite starting {}",
            "for the composite beginning on {}",
            "in the composite dated {}",
        )
    ),
)
def test_a_composite_is_that_of_its_first_day(asked: str, day: str, said: str) -> None:
    assert_read_as(f"What was {asked} {said.format(day)}?", f"What was {asked} on {day}?", DATA)


def test_the_composite_may_stand_behind() -> None:
    asked = "How many hectares were hotter than 40 °C"
    assert_read_as(f"{asked}, composite of 1 March 2018?", f"{asked} on 1 March 2018?", DATA)


def test_a_series_that_starts_is_no_day() -> None:
    said, day = (
        read(f"What was the mean NDVI {when}?", DATA).expression
        for when in ("in the series starting 1 March 2018", "on 1 March 2018")
    )
    assert said is None or said != day


@pytest.mark.parametrize(("number", "day"), [(32, "1 February"), (257, "14 September"), (365, "31 December")])
def test_a_day_may_be_told_by_its_number(number: int, day: str) -> None:
    assert_read_as(f"mean NDVI on day {number:03} of 2019", f"mean NDVI on {day} 2019", DATA)


@pytest.mark.parametrize(
    "said",
    [
        "in the long rains (March to May) of 2019",
        "in the wet season (March-May) 2019",
        "in the 2019 monsoon (March to May)",
        "in the March-May 2019 season",
        "during the March to May season of 2019",
    ],
)
def test_months_tell_a_season(said: str) -> None:
    assert_read_as(f"How much rain fell {said}?", "How much rain fell from March to May 2019?", RAIN)


@pytest.mark.parametrize("said", ["in the wet season", "in the long rains of 2019", "in the dry season of 2018"])
def test_a_season_without_its_months_is_asked_back(said: str) -> None:
    assert read(f"How much rain fell {said}?", RAIN).expression is None


@pytest.mark.parametrize(
    ("said", "other"),
    [
        ("total rain in 2018 and 2019 together", "total rain from 2018 to 2019"),
        ("total rain in April and May 2019 together", "total rain from April to May 2019"),
        (
            "In how many months of 2018 and 2019 was the rain below 20 mm?",
            "In how many months from 2018 to 2019 was the rain below 20 mm?",
        ),
        ("mean rain over the 12 images of 2019", "mean rain over all images in 2019"),
        ("total rain of 2018, considering the whole area", "total rain of 2018"),
    ],
)
def test_times_that_follow_each_other_may_be_one(said: str, other: str) -> None:
    assert_read_as(said, other, RAIN)


def test_times_apart_are_not_taken_together() -> None:
    assert read("total rain in April and June 2019 together", RAIN).expression is None


def test_as_many_as_there_are_not_is_asked_back() -> None:
    assert read("mean rain over the five images of 2019", RAIN).expression is None


def test_the_end_of_a_year_is_the_year_where_maps_are_of_years() -> None:
    yearly = DataWords(frozenset({"ndvi"}), dates=tuple(date(year, 1, 1) for year in (2010, 2015, 2020)))
    assert_read_as("mean NDVI at the end of 2015", "mean NDVI in 2015", yearly)
    assert_read_as("mean NDVI at the end of 2018", "mean NDVI in December 2018", DATA)
