"""A mean of amounts that several years have is of the totals of the years; of temperatures, of all their dates."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowflow.question.operators import During, Expression, Over, Quantity, Split
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords
from knowflow.question.times import MONTHS, Times
from tests.question.reading.same_reading import assert_read_as

_DATA = DataWords(
    quantities=frozenset(("precipitation", "air_temperature")),
    dates=tuple(date(year, month, 1) for year in range(2015, 2021) for month in range(1, 13)),
    seasons=((("short", "rains"), (10, 12)), (("wet", "season"), (11, 4))),
)
_AMOUNTS = {"rainfall": "precipitation", "precipitation": "precipitation", "rain": "precipitation"}


def _of_years(kind: str, first: int, last: int, months: tuple[int, int]) -> Expression:
    at = During(Quantity(kind), Times(month=months[0], until=months[1] if months[1] > months[0] else 0))
    of = During(at, Times(date(first, 1, 1), date(last, 12, 31)))
    return Over(Over(Split(Over(of, "space", "mean"), "year"), "time", "sum"), "time", "mean")


@given(
    word=st.sampled_from(sorted(_AMOUNTS)),
    first=st.integers(2015, 2018),
    more=st.integers(1, 2),
    month=st.integers(1, 10),
    until=st.integers(0, 2),
    asked=st.sampled_from(("Average {word} in {months} {first}-{last}", "What was the mean {months} {word}, {span}?")),
)
def test_amounts_of_part_of_each_year_are_totalled_first(
    word: str, first: int, more: int, month: int, until: int, asked: str
) -> None:
    last = first + more
    months = MONTHS[month - 1].capitalize() + (f"-{MONTHS[month + until - 1].capitalize()}" if until else "")
    said = asked.format(word=word, months=months, first=first, last=last, span=f"{first} to {last}")
    found = read(said, _DATA).expression
    expected = _of_years(_AMOUNTS[word], first, last, (month, month + until))
    assert str(found) == str(expected) or _swapped(found) == expected


def _swapped(x: Expression | None) -> Expression | None:
    """With the months told first."""
    if isinstance(x, During) and isinstance(x.x, During) and isinstance(x.when, Times) and x.when.month:
        return During(During(x.x.x, x.when), x.x.when)
    if isinstance(x, Over):
        return Over(_swapped(x.x), x.axes, x.statistic, x.p)  # type: ignore[arg-type]  # of what is no None
    return Split(_swapped(x.x), x.key) if isinstance(x, Split) else x  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Average rainfall of each year", "Total rainfall of each year"),
        ("mean rainfall of each year in the short rains", "total rainfall of each year in the short rains"),
        ("Mean seasonal rainfall OND 2016-2018", "Average OND rainfall 2016-2018"),
        ("Short rains of 2016-2018 on average (mm)", "Average OND rainfall 2016-2018 (mm)"),
        ("Rain in the 2016/17 wet season", "Rain from November 2016 to April 2017"),
        ("How much rain fell in 2016/17?", "How much rain fell from November 2016 to April 2017?"),
        ("How much rain fell in the season 2016/17?", "How much rain fell from November 2016 to April 2017?"),
        ("Was 2017/18 wetter than 2016/17?", "Was the wet season of 2017/18 wetter than that of 2016/17?"),
        ("Mean temperature in DJF 2016/17", "Mean temperature from December 2016 to February 2017"),
        ("Mean temperature in the 2016/17 DJF", "Mean temperature from December 2016 to February 2017"),
    ],
)
def test_said_otherwise_it_is_the_same(one: str, other: str) -> None:
    assert_read_as(one, other, _DATA)


@pytest.mark.parametrize(
    "question",
    ["Mean temperature in April 2015-2020", "Mean rainfall of the short rains of 2018", "Mean rainfall in 2018"],
)
def test_of_one_year_or_of_what_adds_up_to_nothing_it_is_of_the_dates(question: str) -> None:
    found = read(question, _DATA).expression
    assert isinstance(found, Over)
    assert (found.axes, found.statistic) == ("time", "mean")
    assert not isinstance(found.x, Split)
    assert not (isinstance(found.x, Over) and found.x.axes == "time")


@pytest.mark.parametrize("question", ["Rain in 2016/18", "Rain in 2016/17", "Rain in the season 2016/17"])
def test_two_years_are_no_season_where_notes_name_none_or_several(question: str) -> None:
    several = (*_DATA.seasons, (("cold", "season"), (12, 2)))
    for seasons in ((), several):
        untold = DataWords(_DATA.quantities, dates=_DATA.dates, seasons=seasons)
        assert read(question, untold).expression is None


def test_a_month_before_a_span_of_years_is_that_of_each_of_them() -> None:
    assert_read_as("Mean temperature in April 2015-2020", "Mean temperature in April in 2015-2020", _DATA)
    assert_read_as("Rain from April 2015 to May 2016", "Rain between April 2015 and May 2016", _DATA)
