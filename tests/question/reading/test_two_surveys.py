"""Surfaces that were surveyed twice: what thinned, at which rate, and how much ice went; features that are bodies."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from knowflow.question.operators import Quantity, Trend, walk
from knowflow.question.reading.features import FeatureLayer
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords
from tests.question.reading.same_reading import assert_read_as

DATA = DataWords(
    frozenset({"elevation"}),
    objects=("Upper", "Lower", "Side"),
    keys=(("glacier", "objects"), ("glaciers", "objects")),
    features=(FeatureLayer(None, 3, ("glacier", "glaciers"), ("Upper", "Lower", "Side"), (), ()),),
    dates=(date(2009, 1, 1), date(2021, 1, 1)),
    surveyed=("elevation",),
)


@pytest.mark.parametrize(
    ("said", "other"),
    [
        ("Thinning of Lower from 2009 to 2021", "How much did Lower thin from 2009 to 2021?"),
        ("Which glacier lost the most ice?", "Which glacier lost the most volume?"),
        ("How much ice volume did Lower lose between 2009 and 2021?", "What volume did Lower lose from 2009 to 2021?"),
        ("Mean elevation change of the glacier surfaces", "Mean elevation change of the glaciers"),
        ("Which glacier reaches the highest point in 2009?", "Which glacier has the highest point in 2009?"),
        ("Which glacier has the highest point in 2009?", "Which glacier had the highest maximum elevation in 2009?"),
        ("Mean elevation change off the glaciers", "Mean elevation change outside the glaciers"),
    ],
)
def test_they_are_asked_in_the_words_of_the_field(said: str, other: str) -> None:
    assert_read_as(said, other, DATA)


@pytest.mark.parametrize(
    "said",
    [
        "thinning rate of each glacier",
        "How fast did Lower thin?",
        "How many m per year did the surface of Lower change between 2009 and 2021?",
    ],
)
def test_a_rate_is_what_changed_by_the_years_between(said: str) -> None:
    (found,) = read(said, DATA).candidates()
    assert not any(isinstance(part, Trend) for _, part in walk(found))
    assert "12 years" in read(said, DATA).in_words(found)


def test_a_rate_of_three_surveys_is_a_line_through_them() -> None:
    three = replace(DATA, dates=(*DATA.dates, date(2023, 1, 1)))
    (found,) = read("How fast did Lower thin?", three).candidates()
    assert any(isinstance(part, Trend) for _, part in walk(found))


def test_one_of_several_bodies_is_not_the_whole_of_the_data() -> None:
    found = read("mean elevation of the glacier in 2009", DATA).candidates()
    assert all(any(part == Quantity("ice_mask") for _, part in walk(one)) for one in found)
