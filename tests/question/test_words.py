"""Expressions in English: what they say, and that nothing else says it."""

from __future__ import annotations

import re

import pytest

from knowflow.question.words import in_words
from knowflow_bench.random_expressions import Growth
from knowflow_bench.random_scenes import random_scene
from knowflow_bench.roundtrip import roundtrip
from tests.question.test_question_check import FITS, read

SAID = {
    "over(beyond(over(during(ndvi, 2017), space, deviation), above, 0.1), time, count)": (
        "the number of dates on which the standard deviation of NDVI in 2017 over the area is above 0.1"
    ),
    "over(within(during(ndvi, 2017), is_class(land_cover_class, forest)), space, mean)": (
        "the mean of NDVI in 2017 where land cover class is “forest” over the area"
    ),
    "over(beyond(surface_temperature, above, '30 degC'), space, share)": (
        "the share of the area where surface temperature is above 30 degC"
    ),
    "extreme(over(split(elevation, polygons()), space, mean), highest)": (
        "the object with the highest value of the mean of elevation for each of the polygons over the area"
    ),
    "water_mask and not beyond(slope, above, '10 degree')": (
        "whether both there is water and it is not so that slope is above 10 degrees"
    ),
    "trend(over(over(split(ndvi, year), space, mean), time, maximum))": (
        "the trend of the maximum over the dates of the mean of NDVI for each year over the area"
    ),
}


@pytest.mark.parametrize("text", SAID)
def test_an_expression_says_what_it_is(text: str) -> None:
    assert in_words(read(text)) == SAID[text]


@pytest.mark.parametrize("text", [text for text, of in FITS.items() if of is not None])
def test_whatever_fits_has_words(text: str) -> None:
    assert in_words(read(text))


def test_there_are_no_brackets_and_no_names_of_the_house() -> None:
    for expression in Growth(random_scene(5), 5).expressions(100):
        assert re.search(r"[()\[\]{}_$]", in_words(expression)) is None


def test_what_does_not_fit_has_no_words() -> None:
    with pytest.raises(ValueError, match="dates or periods"):
        in_words(read("over(elevation, time, mean)"))


def test_no_two_expressions_read_alike() -> None:
    found = roundtrip(150, seed=11, reads=15)
    assert found["alike"] == []
    assert found["others"] == []
    assert found["written"] == found["injective"] == found["n"] == 150
    assert found["mutants"] > 300
