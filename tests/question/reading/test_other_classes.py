"""Ground that changed its class, in many words; of more maps than two it is not told which two are meant."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowflow.question.normal import equal
from knowflow.question.operators import Over, Quantity, walk
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords
from tests.question.reading.same_reading import assert_read_as

DATA = DataWords(
    frozenset({"land_cover_class", "ndvi"}),
    classes={"land_cover_class": ("corn", "soybeans", "water")},
    objects=("Nord", "Mitte"),
    keys=(*((name, "classes") for name in ("crop", "crops", "class", "land cover")), ("township", "objects")),
    years={"land_cover_class": (2010, 2020)},
    maps={"land_cover_class": 2, "ndvi": 2},
    dates=(date(2010, 1, 1), date(2020, 1, 1)),
)
CHANGED = ("changed its class", "changed the crop", "has another class", "has a different crop")
TIMES = ("from 2010 to 2020", "between 2010 and 2020", "in both years")
WANTED = "What share of the area changed its class between 2010 and 2020?"


@given(st.sampled_from(CHANGED), st.sampled_from(TIMES[:2]), st.sampled_from(("share", "percentage", "part")))
def test_every_way_of_saying_it_asks_the_same(changed: str, times: str, share: str) -> None:
    one, other = (read(asked, DATA).expression for asked in (f"What {share} of the area {changed} {times}?", WANTED))
    assert one is not None
    assert other is not None
    assert equal(one, other)


@pytest.mark.parametrize(
    ("said", "other"),
    [
        ("How many hectares have another crop in 2020 than in 2010?", "How many hectares changed class 2010-2020?"),
        (
            "On how many hectares did the land cover change between 2010 and 2020?",
            "How many hectares changed class from 2010 to 2020?",
        ),
        (
            "What share of the area kept its class in both years?",
            "What share of the area has the same class in 2010 and 2020?",
        ),
        ("How many different crops occur in 2020?", "How many distinct land cover classes are there in 2020?"),
    ],
)
def test_it_is_the_ground_that_changed_or_kept_its_class(said: str, other: str) -> None:
    assert_read_as(said, other, DATA)


@pytest.mark.parametrize("years", [(2010, 2015, 2020), (2010,), (2000, 2005)])
def test_of_other_maps_than_these_two_it_is_left_open(years: tuple[int, ...]) -> None:
    data = replace(DATA, years={"land_cover_class": years}, maps={"land_cover_class": len(years)}, dates=())
    assert read(WANTED, data).candidates() == ()


@pytest.mark.parametrize(
    "said",
    [
        "How did NDVI change between 2010 and 2020?",
        "What share of the area changed to corn between 2010 and 2020?",
        "Which class gained the most area between 2010 and 2020?",
    ],
)
def test_what_one_quantity_or_class_did_is_no_change_of_class(said: str) -> None:
    found = read(said, DATA).expression
    assert found is None or not any(isinstance(one, Over) and one.statistic == "variety" for _, one in walk(found))
    assert found is None or any(isinstance(one, Quantity) for _, one in walk(found))
