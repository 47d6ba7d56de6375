"""What is asked of all the years of maps of classes: ground that is so in all of them, or each of them."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowflow.question.normal import equal
from knowflow.question.operators import Split, walk
from knowflow.question.reading.reader import read
from knowflow.question.reading.restricted import of_any_map
from knowflow.question.reading.vocabulary import DataWords

_CLASSES = ("Forest", "Pasture", "Open water")


def _data(*years: int) -> DataWords:
    return DataWords(
        quantities=frozenset(("land_cover_class", "ndvi")),
        objects=("North Park", "Mill"),
        dates=tuple(date(year, 1, 1) for year in years),
        years=MappingProxyType({"land_cover_class": years}),
        classes=MappingProxyType({"land_cover_class": _CLASSES}),
        maps=MappingProxyType({"land_cover_class": len(years), "ndvi": len(years)}),
    )


_TWO, _THREE = _data(2015, 2020), _data(2000, 2010, 2020)


@pytest.mark.parametrize(
    ("question", "plain", "data"),
    [
        ("How much ground was pasture in both years?", "How much ground was always pasture?", _TWO),
        ("How many ha were forest in both maps?", "How many ha were always forest?", _TWO),
        ("How many ha were forest in all three maps?", "How many ha were always forest?", _THREE),
        ("What share of Mill was pasture in both years?", "What share of Mill was always pasture?", _TWO),
        ("What area had an NDVI above 0.5 on both dates?", "What area had an NDVI above 0.5 at all times?", _TWO),
        ("Pasture area in both years", "Pasture area in each year", _TWO),
        ("Forest area in the three years", "Forest area in each year", _THREE),
        ("Share of forest in the three maps", "Share of forest in each year", _THREE),
    ],
)
def test_all_years_are_those_of_the_maps(question: str, plain: str, data: DataWords) -> None:
    found, meant = read(question, data).expression, read(plain, data).expression
    assert found is not None
    assert meant is not None
    assert equal(found, meant)


@given(
    said=st.sampled_from(("{}", "How much {} was there", "Area of {}", "Share of {}", "How many hectares were {}")),
    ground=st.sampled_from(("forest", "pasture", "open water")),
    years=st.sampled_from((("both years", _TWO), ("the two years", _TWO), ("the three maps", _THREE))),
    joined=st.sampled_from(("in", "over", "across")),
)
def test_no_map_stands_for_all_of_them(said: str, ground: str, years: tuple[str, DataWords], joined: str) -> None:
    text, data = years
    found = read(f"{said.format(ground)} {joined} {text}", data).expression
    assert found is None or not of_any_map(found) or any(isinstance(part, Split) for _, part in walk(found))


def test_a_statistic_of_numbers_over_both_years_is_of_all_of_them() -> None:
    found, meant = read("Mean NDVI over both years", _TWO).expression, read("Mean NDVI", _TWO).expression
    assert found is not None
    assert meant is not None
    assert equal(found, meant)


@pytest.mark.parametrize(
    "asked", ["How much {} in 2010?", "How many ha of {} were there in 2010?", "Share of {} in 2010"]
)
def test_a_class_of_two_words_is_no_ground_of_the_map_of_another_year(asked: str) -> None:
    data = replace(_THREE, classes=MappingProxyType({"land_cover_class": ("Forest", "Grassland/Pasture")}))
    found = read(asked.format("grass/pasture"), data).expression
    assert found is None or not of_any_map(found)
