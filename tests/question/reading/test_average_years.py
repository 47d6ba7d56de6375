"""What comes in a year on average, and what is held against several years: the same months of these."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowflow.question.form import expression_of
from knowflow.question.normal import equal
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords
from tests.question.reading.same_reading import assert_read_as

ADDS = ("precipitation", "snowfall", "downward_shortwave_energy")
DATA = DataWords(
    frozenset({*ADDS, "air_temperature", "soil_moisture", "sea_surface_temperature"}), objects=("Old Mill", "Hill Park")
)
NOUNS = {"precipitation": "rain", "snowfall": "snowfall", "downward_shortwave_energy": "solar energy"}
MONTHS = {"March to May": "'march-may'", "June": "june", "October to December": "'october-december'"}
DAYS = {"March to May": ("03-01", "05-31"), "June": ("06-01", "06-30"), "October to December": ("10-01", "12-31")}
IN_A_YEAR = (
    "How much {} does Hill Park get in a year on average?",
    "On average, how much {} does Hill Park get in a year?",
    "average {} per year in Hill Park",
    "average {} in Hill Park per annum",
    "How much {} does Hill Park get in an average year?",
)


@given(st.sampled_from(ADDS), st.sampled_from(IN_A_YEAR))
def test_so_much_in_a_year_on_average_is_the_mean_of_the_years(kind: str, said: str) -> None:
    wanted = (
        f"over(over(split(over(within({kind}, polygons(['Hill Park'])), space, mean), year), time, sum), time, mean)"
    )
    found = read(said.format(NOUNS[kind]), DATA).expression
    assert found is not None
    assert equal(found, expression_of(wanted)[0])  # type: ignore[arg-type]


def test_what_comes_in_a_named_year_is_of_that_year() -> None:
    assert_read_as("How much rain fell in the year 2019 in Hill Park?", "rain in 2019 in Hill Park", DATA)


@given(st.sampled_from([*MONTHS]), st.integers(2015, 2017), st.integers(1, 3), st.sampled_from(ADDS))
def test_months_are_held_against_the_same_months_of_several_years(part: str, first: int, more: int, kind: str) -> None:
    base = f"during(during({kind}, '{first}-01-01/{first + more}-12-31'), {MONTHS[part]})"
    begin, end = (f"2020-{day}" for day in DAYS[part])
    wanted = (
        f"calculate(difference, over(over(during({kind}, '{begin}/{end}'), space, mean), time, sum),"
        f" over(over(split(over({base}, space, mean), year), time, sum), time, mean))"
    )
    said = f"How much more {NOUNS[kind]} was there in {part} 2020 than on average in {first}-{first + more}?"
    found = read(said, DATA).expression
    assert found is not None
    assert equal(found, expression_of(wanted)[0])  # type: ignore[arg-type]


@given(st.sampled_from([*MONTHS]), st.integers(2015, 2018))
def test_warmer_than_on_average_is_warmer_than_these_months_were(part: str, first: int) -> None:
    found = read(f"How much warmer was {part} 2020 than on average in {first}-2019?", _of("air_temperature")).expression
    base = f"during(during(air_temperature, '{first}-01-01/2019-12-31'), {MONTHS[part]})"
    begin, end = (f"2020-{day}" for day in DAYS[part])
    wanted = (
        f"calculate(difference, over(over(during(air_temperature, '{begin}/{end}'), space, mean), time, mean),"
        f" over(over({base}, space, mean), time, mean))"
    )
    assert found is not None
    assert equal(found, expression_of(wanted)[0])  # type: ignore[arg-type]


@pytest.mark.parametrize(("kind", "noun"), [("air_temperature", "temperature"), ("soil_moisture", "soil moisture")])
def test_the_lowest_daily_mean_anywhere_is_of_any_pixel_and_day(kind: str, noun: str) -> None:
    assert_read_as(f"What is the lowest daily mean {noun} found anywhere?", f"lowest {noun} found anywhere", _of(kind))


def _of(kind: str) -> DataWords:
    return DataWords(frozenset({kind}), objects=("Old Mill", "Hill Park"))
