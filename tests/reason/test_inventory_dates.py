"""Dates as files and people write them."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowflow.reason.inventory.dates import PeriodError, days_of, iso_datetime, period_of, told_time, within


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2022-06-01", "2022-06-01"),
        ("2022_06_01", "2022-06-01"),
        ("20220601", "2022-06-01"),
        ("2022-06-01T100031", "2022-06-01T10:00:31"),
        ("20220601T1000", "2022-06-01T10:00:00"),
        ("2022-06-01T10:00:31.024Z", "2022-06-01T10:00:31"),
        ("2022-06-01T10:00:31+02:00", "2022-06-01T08:00:31"),
        ("2022-06-01T00:30:00+0100", "2022-05-31T23:30:00"),
        ("2022:06:01 10:00:31", "2022-06-01T10:00:31"),
        ("2022152", "2022-06-01"),
        ("2022-06", "2022-06-01"),
        ("2022", "2022-01-01"),
        ("2022-02-30", None),
        ("2022366", None),
        ("2020366", "2020-12-31"),
        ("2022-06-01T25:00:00", None),
        ("yesterday", None),
        ("", None),
    ],
)
def test_a_date_is_read(text: str, expected: str | None) -> None:
    assert iso_datetime(text) == expected


@given(st.datetimes(datetime.datetime(1900, 1, 1), datetime.datetime(2099, 12, 31)))
def test_what_is_iso_already_stays(moment: datetime.datetime) -> None:
    text = moment.replace(microsecond=0).isoformat()
    assert iso_datetime(text) == text


@pytest.mark.parametrize(
    ("given_", "expected"),
    [
        (None, (None, None)),
        ("2020-01-01/2020-12-31", ("2020-01-01", "2020-12-31")),
        ("2020/2021", ("2020", "2021")),
        ("2020-05", ("2020-05", "2020-05")),
        ("../2021-01-01", (None, "2021-01-01")),
        ("2021-01-01/", ("2021-01-01", None)),
        (("2020-01-01", None), ("2020-01-01", None)),
    ],
)
def test_a_period_is_read(given_: object, expected: object) -> None:
    assert period_of(given_) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["2021-01-01/2020-01-01", "a/b", "2020-01-01/2020-02-30", "1/2/3", "summer"])
def test_what_is_no_period_is_a_named_error(text: str) -> None:
    with pytest.raises(PeriodError) as error:
        period_of(text)
    assert error.value.expected


def test_both_ends_of_a_period_belong_to_it_and_an_end_counts_whole() -> None:
    assert within("2020-12-31T23:59:59", "2020-01-01", "2020-12-31")
    assert within("2020-12-31", "2020", "2020")
    assert within("2020-06-15", None, "2020-06")
    assert not within("2021-01-01", "2020", "2020")
    assert not within("2019-12-31T23:59:59", "2020-01-01", None)


@given(st.dates(datetime.date(1950, 1, 1), datetime.date(2039, 12, 31)))
def test_a_month_or_a_year_is_told_with_its_days_and_a_day_is_not(day: datetime.date) -> None:
    month = f"{day.year}-{day.month:02d}"
    following = datetime.date(day.year + day.month // 12, day.month % 12 + 1, 1)
    assert days_of(month) == (f"{month}-01", (following - datetime.timedelta(days=1)).isoformat())
    assert days_of(str(day.year)) == (f"{day.year}-01-01", f"{day.year}-12-31")
    assert days_of(day.isoformat()) is None
    for text in (month, str(day.year)):
        first, last = days_of(text) or ("", "")
        assert told_time(first, (first, last)) == text
        assert told_time(day.isoformat(), (first, last)) == text
    assert told_time(following.isoformat(), days_of(month)) == following.isoformat()
