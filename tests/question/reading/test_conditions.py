"""Conditions with a verb or a form of their own, which hold at once."""

from __future__ import annotations

from datetime import date

import pytest

from knowflow.question.reading.features import FeatureLayer
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords
from tests.question.reading.same_reading import assert_read_as

DATA = DataWords(
    frozenset({"ndvi", "slope", "elevation", "land_cover_class", "precipitation", "air_temperature"}),
    classes={"land_cover_class": ("forest", "cropland", "park")},
    objects=("Neudorf", "Weinsberg"),
    keys=(("district", "objects"), ("districts", "objects")),
    dates=tuple(date(2020, month, 5) for month in range(1, 13)),
    features=(FeatureLayer(None, 2, ("district", "districts"), ("Neudorf", "Weinsberg"), (), ()),),
)


@pytest.mark.parametrize(
    ("text", "other"),
    [
        (
            "How many hectares of forest have a slope below 10 degrees and lie within 2 km of Weinsberg?",
            "How many hectares of forest lie within 2 km of Weinsberg and have a slope below 10 degrees?",
        ),
        (
            "What is the mean NDVI on ground steeper than 25 degrees and within 2 km of Weinsberg?",
            "What is the mean NDVI within 2 km of Weinsberg and where the slope is above 25 degrees?",
        ),
        (
            "In how many months was Neudorf warmer than 18 °C and was wetter than 100 mm?",
            "In how many months was Neudorf warmer than 18 °C and was Neudorf wetter than 100 mm?",
        ),
    ],
)
def test_conditions_hold_at_once_in_any_order(text: str, other: str) -> None:
    assert_read_as(text, other, DATA)


def test_two_places_are_not_one_ground() -> None:
    found = read("What is the mean NDVI in Neudorf and in Weinsberg?", DATA)
    assert found.expression is not None
    assert len(found.units) == 2


@pytest.mark.parametrize(
    "text", ["What area of forest lies over 200 m from a park?", "What is the mean NDVI over 200 m from a park?"]
)
def test_a_distance_is_no_height(text: str) -> None:
    reading = read(text, DATA)
    assert not any("elevation" in reading.in_words(one) for one in reading.candidates())
