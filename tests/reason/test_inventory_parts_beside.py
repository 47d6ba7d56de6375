"""Parts of a month that names tell beside a date."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowflow.reason.inventory.names import name_facts

months = st.dates(date(1981, 1, 1), date(2025, 12, 1)).map(lambda day: day.replace(day=1))
words = st.sampled_from(["dek{}", "dekad{}", "dekade_{}", "decada{}", "{}e_decade", "{}nd_dekad"])
places = st.sampled_from(["rain_{part}_{day}", "{part}_rain_{day}", "rain_{day}_{part}", "rain_{part}_{day}_clip"])


def _span(stem: str) -> tuple[str, str] | None:
    return name_facts(f"{stem}.tif").facts.value("span")


@given(months, st.integers(1, 3), words, places, st.sampled_from(["%Y%m%d", "%Y-%m-%d", "%d.%m.%Y", "%b%Y"]))
def test_beside_a_month_or_its_first_day_it_is_the_part_of_that(
    month: date, place: int, word: str, name: str, form: str
) -> None:
    first, last = _span(name.format(part=word.format(place), day=f"{month:{form}}")) or ("", "")
    assert first == f"{month:%Y-%m}-{10 * place - 9:02d}"
    assert last[:7] == first[:7]
    assert place == 3 or last.endswith(f"{10 * place}")


@given(months, st.integers(1, 3), words, st.integers(1, 28))
def test_beside_any_other_day_nobody_can_tell_which_is_meant(month: date, place: int, word: str, day: int) -> None:
    told = name_facts(f"rain_{word.format(place)}_{month:%Y%m}{day:02d}.tif")
    begins = day in (1, 10 * place - 9)
    assert ("datetime" in told.facts) == begins
    assert begins or {"datetime"} == {clue.fact for clue in told.clues}


@pytest.mark.parametrize(
    ("stem", "first"),
    [
        ("rain_dek2_230401", "2023-04-11"),  # the first of April 2023, for no part begins on the 23rd of April 2001
        ("rain_dek1_221101", "2022-11-01"),
        ("rain_dek3_210301", None),  # the third dekad begins on the 21st of March 2001
    ],
)
def test_of_the_ways_to_read_a_date_that_counts_which_begins_a_month_or_the_part(stem: str, first: str | None) -> None:
    assert (_span(stem) or (None,))[0] == first


@pytest.mark.parametrize(
    "stem",
    ["rain_dek12_20210301", "rain_pentad7_20210301", "rain_20210301_dek1_dek2", "rain_d2_20210301", "desk2_20210301"],
)
def test_what_is_no_part_of_a_month_says_nothing_of_a_day(stem: str) -> None:
    told = name_facts(f"{stem}.tif").facts
    assert (told.value("datetime"), told.value("span")) == ("2021-03-01", None)


def test_pentads_are_a_sixth_of_a_month() -> None:
    assert _span("rain_pentad6_2021-02-01") == ("2021-02-26", "2021-02-28")
