"""Units that are said in words, of several parts."""

from __future__ import annotations

import pytest

from knowflow.question.operators import Beyond, Number, Over, Split, walk
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords


def unit_of(question: str, *kinds: str) -> str | None:
    found = read(question, DataWords(quantities=frozenset(kinds)))
    assert found.expression is not None, (question, found.unread, found.apart, found.alike)
    return found.unit


@pytest.mark.parametrize(
    ("kind", "said", "unit"),
    [
        ("night lights radiance", "nW per square centimetre and steradian", "nW cm-2 sr-1"),
        ("night lights radiance", "nanowatts per square centimeter per steradian", "nW cm-2 sr-1"),
        ("net primary production", "kg carbon per square metre and year", "kg m-2 year-1"),
        ("net primary production", "grams of carbon per square meter per day", "g day-1 m-2"),
        ("net primary production", "kilograms per hectare and year", "kg ha-1 year-1"),
        ("clay content", "grams per kilogram", "g kg-1"),
        ("bulk density", "kilograms per cubic decimetre", "kg dm-3"),
        ("evapotranspiration", "mm per day", "mm day-1"),
        ("transpiration", "mm per month", "mm month-1"),
        ("evapotranspiration", "kg per square metre and day", "kg day-1 m-2"),
    ],
)
def test_units_of_several_words_are_those_of_the_answer(kind: str, said: str, unit: str) -> None:
    kinds = {"night lights radiance": "night_lights"}.get(kind, kind.replace(" ", "_"))
    assert unit_of(f"What was the mean {kind} in 2019, in {said}?", kinds) == unit


@pytest.mark.parametrize(
    "said",
    ["kg carbon per square metre", "kg water per cubic metre and year", "nW per square blue centimetre and steradian"],
)
def test_units_of_other_stuff_and_of_other_measures_are_not_read(said: str) -> None:
    data = DataWords(quantities=frozenset({"leaf_area_index", "net_primary_production"}))
    assert not read(f"What was the mean net primary production in 2019, in {said}?", data).candidates()


def test_amounts_in_a_month_are_told_for_each() -> None:
    found = read("What was the mean rain in mm per month in 2019?", DataWords(quantities=frozenset({"precipitation"})))
    assert isinstance(found.expression, Over)
    assert isinstance(found.expression.x, Split)
    assert found.unit == "mm"


@pytest.mark.parametrize(
    "said",
    [", from 0 to 1?", ", as a share from 0 to 1?", " as a fraction between 0 and 1", ", as a number from zero to one"],
)
def test_an_answer_is_a_part_of_one(said: str) -> None:
    assert unit_of(f"What was the mean sea ice concentration in 2019{said}", "sea_ice_concentration") == "1"


def test_numbers_that_limit_what_is_asked_are_no_unit() -> None:
    found = read("What share of the area had an NDVI from 0 to 1 in 2019?", DataWords(quantities=frozenset({"ndvi"})))
    assert found.unit is None
    assert found.expression is not None
    assert any(isinstance(part, Beyond) and part.upper == Number(1.0) for _, part in walk(found.expression))
