"""Dates that names write into codes: believed where those of their kind in a tree are dates, and of its years."""

from __future__ import annotations

from functools import cache

import pytest

from knowflow.reason.inventory.code_dates import NO_CODES, codes_of
from knowflow.reason.inventory.folder_dates import folder_dates
from knowflow.reason.inventory.names import name_facts

RENAMED = (
    "tc2103",
    "tc2106",
    "rf2103d3",
    "rf2104d1",
    "vhi21w14",
    "smap210410am",
    "smap210512pm",
    "x_0524",
    "x_0612",
    "x_1107",
)


def _days(name: str, beside: tuple[str, ...], folder: str) -> tuple[str, str] | None:
    told = cache(lambda: folder_dates((name, *beside), folder.split("/")))
    facts = name_facts(f"{name}.tif", folders=folder, beside=told).facts
    moment = facts.value("datetime")
    return facts.value("span") or (None if moment is None else (str(moment), str(moment)))


@pytest.mark.parametrize(
    ("name", "days"),
    [
        ("tc2103", ("2021-03-01", "2021-03-31")),
        ("rf2103d3", ("2021-03-21", "2021-03-31")),
        ("vhi21w14", ("2021-04-05", "2021-04-11")),
        ("smap210410am", ("2021-04-10", "2021-04-10")),
        ("x_0524", ("2021-05-24", "2021-05-24")),
        ("24.5. mosaic", ("2021-05-24", "2021-05-24")),
    ],
)
def test_codes_are_dates_of_the_years_that_the_tree_tells(name: str, days: tuple[str, str]) -> None:
    assert _days(name, RENAMED, "field/2021") == days


@pytest.mark.parametrize(
    ("name", "beside"),
    [
        ("tc2103", ()),  # any number
        ("tc2103", ("tc2199",)),  # one of its kind is no month
        ("utm2103", ("utm2104", "utm2105")),
        ("x_0504", ("x_0605", "x_0706")),  # months before days, or behind them
        ("run1999", ("run2003", "run2005")),  # years
    ],
)
def test_what_may_be_any_number_is_no_date(name: str, beside: tuple[str, ...]) -> None:
    assert codes_of((name, *beside), {"2017"}).read(name, "2017") == (name, ())
    assert NO_CODES.read(name, "2017") == (name, ())


def test_several_codes_of_years_near_each_other_need_no_other_year() -> None:
    codes = codes_of(("tc2103", "tc2104", "tc2206"), ())
    assert codes.read("tc2104", None)[1][0].spans[0].first == "2021-04-01"
    assert codes_of(("tc2103", "tc0504", "tc1206"), ()).read("tc2103", None)[1] == ()
