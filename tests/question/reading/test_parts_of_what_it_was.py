"""What something is as a part of what it was: in percent of another time, and ranked in percent."""

from __future__ import annotations

from datetime import date

import pytest

from knowflow.question.operators import Calculate, walk
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords
from tests.question.reading.same_reading import assert_read_as

_DATA = DataWords(
    quantities=frozenset(("ndvi", "precipitation", "no2_column")),
    objects=("North Park", "Mill"),
    dates=tuple(date(year, month, 1) for year in (2020, 2021) for month in range(1, 13)),
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "NO2 in May 2021 as a share of May 2020, by district",
            "NO2 in May 2021 as a percentage of May 2020 per district",
        ),
        ("NO2 in May 2021 as % of that of May 2020", "NO2 in May 2021 as a percentage of May 2020"),
        (
            "Which district had the biggest percentage drop in NO2 from 2020 to 2021?",
            "Which district had the biggest relative drop in NO2 from 2020 to 2021?",
        ),
        (
            "Which district lost the most rain in percent from 2020 to 2021?",
            "Which district lost the most rain in relative terms from 2020 to 2021?",
        ),
        ("Mean NDVI in 2020, city by city", "Mean NDVI in 2020 for each district"),
        (
            "Which districts in May 2021 had less than 80 % of their May 2020 NDVI?",
            "Which districts had less than 80 % of their May 2020 NDVI in May 2021?",
        ),
    ],
)
def test_both_ask_the_same(one: str, other: str) -> None:
    assert_read_as(one, other, _DATA)


@pytest.mark.parametrize(
    "question",
    [
        "Which districts had less than 80 % of their May 2020 NO2 in May 2021?",
        "How many districts got more than 80 % of their June 2020 rain in June 2021?",
    ],
)
def test_a_part_of_what_it_was_is_a_ratio_of_two_times(question: str) -> None:
    found = read(question, _DATA)
    assert found.expression is not None, found
    assert [part.how for _, part in walk(found.expression) if isinstance(part, Calculate)] == ["ratio"]


@pytest.mark.parametrize(
    "question",
    [
        "Which districts had less than 80 mm of their May 2020 rain in May 2021?",
        "Which districts had less than 80 % of their May 2020 NO2 in May 2020?",
    ],
)
def test_what_is_no_part_of_another_time_is_not_read(question: str) -> None:
    found = read(question, _DATA).candidates()
    assert not any(isinstance(part, Calculate) for x in found for _, part in walk(x))
