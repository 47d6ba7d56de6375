"""Periods of so many days: a word for the dates of data that are of so many, and the day that one begins on."""

from __future__ import annotations

from datetime import date, timedelta
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowflow.question.reading.periods_of_days import length_of_periods
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import Chosen, DataWords
from tests.question.reading.same_reading import assert_read_as


def _data(length: int) -> DataWords:
    days = (date(2021, 1, 1) + timedelta(days=length * n) for n in range(20))
    return DataWords(
        quantities=frozenset(("surface_temperature", "ndvi")),
        dates=tuple(days),
        maps=MappingProxyType({"surface_temperature": 20, "ndvi": 20}),
        chosen=tuple(Chosen("daynight", value, ("surface_temperature",)) for value in ("day", "night")),
    )


@given(
    length=st.sampled_from((8, 16)),
    called=st.sampled_from(("period", "interval")),
    asked=st.sampled_from(
        (
            ("Which {n}-day {p} had the highest mean NDVI?", "Which date had the highest mean NDVI?"),
            ("Which {n} day {p} had the highest mean NDVI?", "Which date had the highest mean NDVI?"),
            ("Which {p} had the highest mean NDVI?", "Which date had the highest mean NDVI?"),
            ("In how many {n}-day {p}s was the mean NDVI above 0.5?", "On how many dates was mean NDVI above 0.5?"),
            ("In how many {p}s was the mean NDVI above 0.5?", "On how many dates was the mean NDVI above 0.5?"),
            ("Mean NDVI for each {n}-day {p}", "Mean NDVI for each date"),
        )
    ),
)
def test_a_period_is_a_date_of_data_of_such_periods(length: int, called: str, asked: tuple[str, str]) -> None:
    assert_read_as(asked[0].format(n=length, p=called), asked[1], _data(length))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Mean NDVI in the period starting 9 January 2021", "Mean NDVI on 9 January 2021"),
        ("Mean NDVI in the 8-day period of 9 January 2021", "Mean NDVI on 9 January 2021"),
        ("Which 8-day period was the hottest by day?", "Which date was the hottest by day?"),
        ("Mean NDVI over the whole period", "Mean NDVI"),
    ],
)
def test_the_period_that_is_meant(one: str, other: str) -> None:
    assert_read_as(one, other, _data(8))


@pytest.mark.parametrize("question", ["Which 16-day period had the highest mean NDVI?", "Mean NDVI per 10-day period"])
def test_periods_of_another_length_are_none_of_these(question: str) -> None:
    assert read(question, _data(8)).expression is None


def test_data_of_months_or_of_days_apart_have_no_such_periods() -> None:
    assert length_of_periods([date(2020, month, 1) for month in range(1, 13)]) == 0
    assert length_of_periods([date(2020, 5, 1), date(2020, 5, 20), date(2020, 6, 2)]) == 0
    assert length_of_periods([date(2020, 5, day) for day in range(1, 20)]) == 0
    assert length_of_periods([]) == 0
