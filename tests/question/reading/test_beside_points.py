"""What points were measured to have, held against a map of the same, in many words; where only one side tells it, or
the maps are of several times and none is said, it is left open."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowflow.question.check import type_of
from knowflow.question.normal import equal
from knowflow.question.operators import Attribute, Quantity, walk
from knowflow.question.reading.features import FeatureLayer
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords
from tests.question.reading.same_reading import assert_read_as

LAYER = FeatureLayer(
    "borings",
    12,
    ("boring",),
    ("B1", "B2"),
    (),
    (("ph lab", "ph_lab", "1"), ("ph", "ph_lab", "1")),
    measured=(("soil_ph", "ph_lab", "1"), ("clay_content", "clay_pct", "%")),
)
KEYS = (("boring", "objects of borings"), ("borings", "objects of borings"))
DATA = DataWords(
    frozenset({"soil_ph", "clay_content", "elevation"}),
    objects=("B1", "B2"),
    keys=KEYS,
    spots=KEYS,
    features=(LAYER,),
    undated=frozenset({"soil_ph", "clay_content"}),
)
MEASURED = ("the lab pH", "the measured pH", "the pH from the lab", "the pH of the samples", "the observed pH")
MAPPED = ("the map pH", "the pH of the map", "the gridded pH", "the mapped pH", "the model pH")


@given(st.sampled_from(MEASURED), st.sampled_from(MAPPED), st.sampled_from(("RMSE", "bias", "correlation")))
def test_either_side_may_be_called_in_many_ways(measured: str, mapped: str, what: str) -> None:
    one = read(f"{what} between {mapped} and {measured}?", DATA).expression
    wanted = read(f"{what} between the map pH and the lab pH?", DATA).expression
    assert one is not None
    assert wanted is not None
    assert equal(one, wanted)
    assert type_of(one).keys == ()


@pytest.mark.parametrize(
    ("said", "other"),
    [
        (
            "How much higher is the lab pH than the map pH at the sample points, on average?",
            "mean difference between lab pH and map pH",
        ),
        ("By how much is the map lower than the lab pH on average?", "mean difference between lab pH and map pH"),
        ("By how much does the map overestimate the lab pH?", "bias of the map pH against the lab pH"),
        ("Bias of the lab pH against the map", "bias of the map pH against the lab pH"),
        ("At how many borings is the map pH above the lab?", "At how many borings does the model overestimate the pH?"),
        (
            "By how much is the lab clay content above the map?",
            "mean difference between lab clay content and map clay content",
        ),
        ("difference between the map pH and the lab pH at B1", "map pH minus lab pH at B1"),
    ],
)
def test_both_ask_the_same(said: str, other: str) -> None:
    assert_read_as(said, other, DATA)


@pytest.mark.parametrize(
    "said",
    [
        "By how much is the lab higher than the map?",  # pH or clay
        "RMSE of the map pH against the lab clay content",
        "RMSE between the lab pH and the measured pH",
        "By how much is the lab elevation above the map?",
    ],
)
def test_what_is_not_of_one_quantity_on_both_sides_is_left_open(said: str) -> None:
    assert read(said, DATA).candidates() == ()


def test_of_maps_of_several_times_one_has_to_be_said() -> None:
    data = replace(DATA, undated=frozenset(), maps={"soil_ph": 3})
    assert read("RMSE between the map pH and the lab pH", data).candidates() == ()
    found = read("RMSE between the map pH and the lab pH in May 2020", data).expression
    assert found is not None
    assert {type(part) for _, part in walk(found)} >= {Attribute, Quantity}


@pytest.mark.parametrize("said", ["RMSE of the map pH against the lab pH", "By how much is the lab pH above the map?"])
def test_where_no_points_were_measured_the_words_mean_nothing(said: str) -> None:
    assert read(said, replace(DATA, features=(replace(LAYER, measured=()),))).candidates() == ()
