"""Dates that may be read in several ways, settled by the other names of their folder."""

from __future__ import annotations

from datetime import date, timedelta

from hypothesis import assume, given
from hypothesis import strategies as st

from knowflow.reason.inventory import inventory_of_names

days = st.dates(date(1972, 7, 23), date(2035, 12, 31))
doubtful = days.filter(lambda day: day.day <= 12 and day.day != day.month)


def dates_of(*names: str) -> list[str | None]:
    return [item.fact("datetime") for item in inventory_of_names(names).artifacts]


@given(doubtful, days.filter(lambda day: day.day > 12), st.sampled_from(["%d-%m-%Y", "%m-%d-%Y"]))
def test_days_and_months_stand_in_the_order_that_other_names_show(day: date, other: date, form: str) -> None:
    assume(day != other)
    found = dates_of(f"ndvi_{day:{form}}.tif", f"ndvi_{other:{form}}.tif")
    assert sorted(map(str, found)) == sorted([day.isoformat(), other.isoformat()])


@given(doubtful, days.filter(lambda day: day.day > 12), days.filter(lambda day: day.day > 12))
def test_names_of_both_orders_tell_none(day: date, one: date, other: date) -> None:
    found = dates_of(f"ndvi_{day:%d-%m-%Y}.tif", f"ndvi_{one:%d-%m-%Y}.tif", f"ndvi_{other:%m-%d-%Y}.tif")
    assert found.count(None) == 1


@given(doubtful, st.sampled_from(["%d-%m-%Y", "%m-%d-%Y", "%j_%Y", "%Y_%j"]))
def test_a_date_that_another_name_of_the_folder_has_is_the_one_that_is_meant(day: date, form: str) -> None:
    assert dates_of(f"ndvi_{day:{form}}.tif", f"S2_{day:%Y%m%d}_B04.tif") == [day.isoformat()] * 2


@given(st.integers(1990, 2030), st.lists(st.integers(0, 44), min_size=2, max_size=4, unique=True))
def test_every_eighth_day_of_a_year_is_one_of_composites(year: int, steps: list[int]) -> None:
    firsts = [date(year, 1, 1) + timedelta(days=8 * step) for step in steps]
    found = dates_of(*(f"LST_{first:%Y_%j}.tif" for first in firsts))
    assert sorted(map(str, found)) == sorted(first.isoformat() for first in firsts)


def test_what_nothing_settles_stays_open() -> None:
    assert dates_of("ndvi_03-04-2018.tif", "lst_2018-07-01.tif").count(None) == 1
    assert dates_of("LST_2018_161.tif", "LST_2018_163.tif") == [None, None]
