"""Dates settled by the days on which the composites of a product begin."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from knowflow.reason.inventory.names import name_facts

SCHEDULES = [
    ("MOD13Q1_ndvi", 1, 16),
    ("MYD13A2_evi", 9, 16),
    ("MOD11A2_LST_Day", 1, 8),
    ("VNP13A1_NDVI", 1, 8),
    ("MYD15A2H_Lai", 1, 8),
]


def _begins(day: date, first: int, every: int) -> bool:
    return (day.timetuple().tm_yday - first) % every == 0


def _turned(day: date) -> date | None:
    return day.replace(month=day.day, day=day.month) if day.day <= 12 else None


@given(
    st.integers(2001, 2024), st.integers(0, 21), st.sampled_from(SCHEDULES), st.sampled_from(["%d-%m-%Y", "%m-%d-%Y"])
)
def test_the_day_on_which_a_composite_begins_is_meant(
    year: int, number: int, schedule: tuple[str, int, int], form: str
) -> None:
    name, first, every = schedule
    day = date(year, 1, 1) + timedelta(days=first - 1 + number * every)
    other = _turned(day)
    told = name_facts(f"{name}_{day:{form}}.tif").facts.value("datetime")
    both = other is not None and other != day and _begins(other, first, every)
    assert told == (None if both else day.isoformat())


@given(st.integers(2001, 2024), st.integers(1, 12), st.integers(1, 12), st.sampled_from(SCHEDULES))
def test_where_no_composite_begins_nothing_is_settled(
    year: int, month: int, number: int, schedule: tuple[str, int, int]
) -> None:
    name, first, every = schedule
    day, other = date(year, month, number), date(year, number, month)
    assume(other != day and not _begins(day, first, every) and not _begins(other, first, every))
    assert "datetime" not in name_facts(f"{name}_{day:%d-%m-%Y}.tif").facts


@pytest.mark.parametrize("name", ["MOD11A1_LST_Day", "MOD09GA_sur_refl_b01", "ndvi"])
def test_other_products_are_of_any_day(name: str) -> None:
    assert "datetime" not in name_facts(f"{name}_09-01-2020.tif").facts


@pytest.mark.parametrize(("stem", "day"), [("MOD13Q1_ndvi_022220", None), ("MOD13Q1_ndvi_021820", "2020-02-18")])
def test_six_digits_may_have_the_month_first(stem: str, day: str | None) -> None:
    assert name_facts(f"{stem}.tif").facts.value("datetime") == day
