"""The largest of the periods of a time that is one of them is that of its ground."""

from __future__ import annotations

from datetime import date

import pytest

from knowflow.question.operators import Over, Split, walk
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords

DATA = DataWords(frozenset({"precipitation", "air_temperature"}))


@pytest.mark.parametrize(
    ("question", "statistic"),
    [
        ("lowest annual rainfall in 2021", "minimum"),
        ("What was the largest monthly precipitation in April 2021?", "maximum"),
    ],
)
def test_of_one_period_the_largest_is_that_of_the_ground(question: str, statistic: str) -> None:
    x = read(question, DATA).expression
    assert isinstance(x, Over)
    assert (x.axes, x.statistic) == ("space", statistic)
    assert isinstance(x.x, Over)
    assert (x.x.axes, x.x.statistic) == ("time", "sum")


def test_of_several_periods_it_is_that_of_one_of_them() -> None:
    x = read("highest monthly rainfall in 2021", DATA).expression
    assert isinstance(x, Over)
    assert x.axes == "time"
    assert any(isinstance(part, Split) and part.key == "month" for _, part in walk(x))


@pytest.mark.parametrize(
    ("question", "statistic"),
    [
        ("What was the largest daily rainfall on 16 May 2021?", "maximum"),
        ("lowest daily rain on 16 May 2021", "minimum"),
        ("What was the largest daily mean rainfall on 16 May 2021?", "mean"),
    ],
)
def test_of_one_day_the_largest_is_that_of_the_ground_unless_its_mean_is_named(question: str, statistic: str) -> None:
    x = read(question, DATA).expression
    assert isinstance(x, Over)
    assert isinstance(x.x, Over)
    assert (x.x.axes, x.x.statistic) == ("space", statistic)


@pytest.mark.parametrize(
    "question",
    [
        "On how many days was the mean sea surface temperature above 25 degrees Celsius?",
        "Which day had the highest mean sea surface temperature?",
    ],
)
def test_maps_of_months_are_no_days(question: str) -> None:
    months = tuple(date(2021, month, 1) for month in range(1, 13))
    kinds = frozenset({"sea_surface_temperature"})
    assert read(question, data=DataWords(kinds, dates=months)).expression is None
    scenes = tuple(date(2021, month, 3 + month) for month in range(1, 13))
    assert read(question, data=DataWords(kinds, dates=scenes)).expression is not None
