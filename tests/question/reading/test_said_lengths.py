"""Times told by a day and how long they are, and the parts that months are cut into."""

from __future__ import annotations

from calendar import monthrange
from datetime import date, timedelta
from itertools import pairwise

import pytest

from knowflow.question.operators import During, Over, Quantity
from knowflow.question.reading.reader import read
from knowflow.question.reading.said_lengths import PARTS_OF_MONTH, part_of_month
from knowflow.question.reading.vocabulary import DataWords
from knowflow.question.times import Times

DATA = DataWords(quantities=frozenset({"ndvi"}), dates=tuple(date(2021, month, 6) for month in range(3, 10)))


def assert_reads(said: str, first: date, last: date) -> None:
    for question in (f"What was the mean NDVI {said}?", f"{said}, what was the mean NDVI?".capitalize()):
        found = read(question, DATA)
        of_each = Over(During(Quantity("ndvi"), Times(first, last)), "space", "mean")
        assert found.expression == Over(of_each, "time", "mean"), (question, found)


@pytest.mark.parametrize("way", ["from", "starting", "starting on", "beginning", "that starts on", "commencing on the"])
@pytest.mark.parametrize(
    ("length", "days"),
    [("12 days", 12), ("twelve days", 12), ("8-day period", 8), ("two weeks", 14), ("5-day composite", 5)],
)
@pytest.mark.parametrize("day", ["2021-05-25", "25 May 2021", "May 25, 2021", "25 May"])
def test_a_time_goes_on_for_so_many_days_from_the_one_that_is_told(way: str, length: str, days: int, day: str) -> None:
    first = date(2021, 5, 25)
    assert_reads(f"in the {length} {way} {day}", first, first + timedelta(days=days - 1))


@pytest.mark.parametrize("way", ["ending", "ending on", "that ends on"])
def test_a_time_goes_up_to_the_day_that_is_told(way: str) -> None:
    assert_reads(f"in the 10 days {way} 3 June 2021", date(2021, 5, 25), date(2021, 6, 3))


@pytest.mark.parametrize("month", range(1, 13))
@pytest.mark.parametrize(("name", "length"), [("dekad", 10), ("pentad", 5)])
def test_parts_of_months_are_told_by_their_number_or_their_first_day(month: int, name: str, length: int) -> None:
    start = date(2021, month, 1)
    ordinals = ("first", "second", "third", "4th", "5th", "sixth")
    for which in range(30 // length):
        first = start + timedelta(days=which * length)
        last = first + timedelta(days=length - 1)
        if which == 30 // length - 1:
            last = start.replace(day=monthrange(2021, month)[1])
            assert_reads(f"in the last {name} of {start:%B} 2021", first, last)
        assert_reads(f"in the {ordinals[which]} {name} of {start:%B} 2021", first, last)
        assert_reads(f"in the {name} starting {first}", first, last)


@pytest.mark.parametrize(
    "said",
    [
        "in the 0 days from 25 May 2021",
        "in the dekad starting 12 May 2021",
        "in the fourth dekad of May 2021",
        "in the 16 days around 25 May 2021",
        "in the 16 blue days from 25 May 2021",
        "in the 16 days from 25 May 2021 to 27 May 2021",
    ],
)
def test_a_length_that_no_days_have_is_not_read(said: str) -> None:
    assert not read(f"What was the mean NDVI {said}?", DATA).candidates()


def test_the_parts_of_a_month_are_all_of_its_days() -> None:
    for length in {*PARTS_OF_MONTH.values()}:
        parts = [part_of_month(which + 1, length, 2024, 2) for which in range(30 // length)]
        days = [(one.first, one.last) for one in parts if one is not None and one.first and one.last]
        assert days[0][0] == date(2024, 2, 1)
        assert days[-1][1] == date(2024, 2, 29)
        assert all(last + timedelta(days=1) == first for (_, last), (first, _) in pairwise(days))
