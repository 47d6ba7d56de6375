"""Times as CF counts them."""

from __future__ import annotations

from datetime import date, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowflow.ground.moments import moment

STEPS = {"seconds": "s", "minutes": "m", "hours": "h", "days": "D"}


@given(
    start=st.datetimes(datetime(1800, 1, 1), datetime(2100, 1, 1)).map(lambda time: time.replace(microsecond=0)),
    count=st.integers(-20_000, 40_000),
    unit=st.sampled_from(sorted(STEPS)),
    calendar=st.sampled_from(("", "standard", "gregorian", "proleptic_gregorian")),
)
def test_a_time_is_what_numpy_counts(start: datetime, count: int, unit: str, calendar: str) -> None:
    expected = str(np.datetime64(start, "s") + np.timedelta64(count, STEPS[unit]))
    found = moment(str(count), f"{unit} since {start:%Y-%m-%d %H:%M:%S}", calendar)
    assert found == expected.removesuffix("T00:00:00")


@given(start=st.dates(date(1900, 1, 1), date(2000, 1, 1)), days=st.integers(0, 36_500))
def test_years_without_leap_days_have_365_days(start: date, days: int) -> None:
    if (start.month, start.day) == (2, 29):
        return
    found = str(moment(str(days), f"days since {start}", "noleap"))
    year, month, day = (int(part) for part in found.split("-"))
    passed = 365 * (year - start.year) + (_of_common_year(month, day) - _of_common_year(start.month, start.day))
    assert passed == days


def _of_common_year(month: int, day: int) -> int:
    return date(2001, month, day).timetuple().tm_yday


@pytest.mark.parametrize(
    ("value", "units", "calendar", "expected"),
    [
        ("1036032", "hours since 1900-01-01 00:00:00.0", "gregorian", "2018-03-11"),
        ("0.5", "days since 1970-1-1", "", "1970-01-01T12:00:00"),
        ("0", "seconds since 2018-07-01T02:00:00+02:00", "", "2018-07-01"),
        ("1530403200", "seconds since 1970-01-01 00:00:00 UTC", "", "2018-07-01"),
        ("17713.041666666668", "days since 1970-01-01", "", "2018-07-01T01:00:00"),
        ("1", "days since 2000-01-01", "360_day", None),
        ("1", "months since 2000-01-01", "", None),
        ("1", "days since 0001-01-01", "gregorian", None),
        ("737241", "days since 0001-01-01", "proleptic_gregorian", str(date.fromordinal(737242))),
        ("nan", "days since 2000-01-01", "", None),
        ("1e300", "days since 2000-01-01", "", None),
        ("1", "metres", "", None),
    ],
)
def test_units_and_calendars(value: str, units: str, calendar: str, expected: str | None) -> None:
    assert moment(value, units, calendar) == expected
