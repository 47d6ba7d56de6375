"""Dates that a question means: what is written is read back, and days are in or out as the calendar has it."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowflow.question.times import MONTHS, SEASONS, Times, season_of, times

DAYS = st.dates(date(1990, 1, 1), date(2040, 12, 31))


def spans() -> st.SearchStrategy[Times]:
    ordered = st.tuples(DAYS, DAYS).map(sorted).map(lambda ends: Times(*ends))
    years = st.integers(1990, 2040)
    return st.one_of(
        ordered,
        st.builds(Times, first=DAYS),
        st.builds(Times, last=DAYS),
        st.builds(Times, month=st.integers(1, 12)),
        st.builds(Times, season=st.sampled_from(SEASONS), year=st.one_of(st.just(0), years)),
        years.map(lambda year: Times(date(year, 1, 1), date(year, 12, 31))),
    )


@given(spans())
def test_what_is_written_is_read_back(one: Times) -> None:
    assert times(str(one)) == one


@given(spans(), DAYS, st.booleans())
def test_a_day_is_in_or_out_as_the_calendar_has_it(one: Times, day: date, south: bool) -> None:
    if one.month:
        expected = day.month == one.month
    elif one.season:
        months = {"winter": (12, 1, 2), "spring": (3, 4, 5), "summer": (6, 7, 8), "autumn": (9, 10, 11)}
        opposite = {"winter": "summer", "summer": "winter", "spring": "autumn", "autumn": "spring"}
        expected = day.month in months[opposite[one.season] if south else one.season]
        if one.year:
            expected = expected and one.year == (day.year + 1 if day.month == 12 else day.year)
    else:
        expected = (one.first or date.min) <= day <= (one.last or date.max)
    assert one.holds(day, south) is expected


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2017", date(2017, 1, 1), date(2017, 12, 31)),
        ("2016-02", date(2016, 2, 1), date(2016, 2, 29)),
        ("2017-12", date(2017, 12, 1), date(2017, 12, 31)),
        ("2017-06-15", date(2017, 6, 15), date(2017, 6, 15)),
        ("2016/2017-03", date(2016, 1, 1), date(2017, 3, 31)),
        ("../2017-05-31", None, date(2017, 5, 31)),
        ("2017-06-01/..", date(2017, 6, 1), None),
    ],
)
def test_spans_have_both_ends(text: str, first: date | None, last: date | None) -> None:
    assert times(text) == Times(first, last)


@pytest.mark.parametrize("text", ["", "later", "2017-13", "2017-02-30", "2018/2017", "../..", "17", "summer x", "/"])
def test_what_is_no_date_is_none(text: str) -> None:
    assert times(text) is None


@pytest.mark.parametrize("place", range(12))
def test_every_month_has_a_name_and_a_season(place: int) -> None:
    assert times(MONTHS[place]) == Times(month=place + 1)
    assert (
        season_of(date(2017, place + 1, 1), south=False)
        == ("winter", "spring", "summer", "autumn")[(place + 1) % 12 // 3]
    )
