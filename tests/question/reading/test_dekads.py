"""Dekads: the dates of data that are of them, and nothing that other data have."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords
from tests.question.reading.same_reading import assert_read_as

KINDS = {"precipitation": "rain", "ndvi": "NDVI", "soil_moisture": "soil moisture"}
ASKED = ("Which dekad of 2021 had the highest mean {}?", "On how many dekads of 2021 was the mean {} above 0.5 {}?")
THIRDS = [tuple(date(2021, month, day) for month in range(1, 8) for day in days) for days in ((1, 11, 21), (5, 15, 25))]


def data(kind: str, dates: tuple[date, ...]) -> DataWords:
    return DataWords(frozenset({kind}), dates=dates)


def asked(said: str, kind: str) -> str:
    return said.format(KINDS[kind], "mm" if kind == "precipitation" else "").replace(" ?", "?")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("said", ASKED)
@pytest.mark.parametrize("dates", THIRDS)
def test_dekads_are_the_dates_of_data_of_them(dates: tuple[date, ...], said: str, kind: str) -> None:
    plain = asked(said, kind).replace("dekad", "date")
    assert_read_as(asked(said, kind), plain, data(kind, dates))


@pytest.mark.parametrize("days", [1, 5, 8, 16, 30])
@pytest.mark.parametrize("said", ASKED)
def test_data_of_other_lengths_have_none(said: str, days: int) -> None:
    others = tuple(date(2021, 1, 3) + timedelta(days=days * n) for n in range(12))
    assert read(asked(said, "precipitation"), data("precipitation", others)).expression is None
