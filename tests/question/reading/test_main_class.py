"""The class of most of some ground, in the words that people have for it; main roads are no largest roads."""

from __future__ import annotations

from types import MappingProxyType

import pytest

from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords
from tests.question.reading.same_reading import assert_read_as

DATA = DataWords(
    frozenset({"land_cover_class"}),
    MappingProxyType({"land_cover_class": ("corn", "soybeans", "water")}),
    objects=("Nord", "Mitte"),
    keys=(("crop", "classes"), ("township", "objects"), ("townships", "objects")),
)


@pytest.mark.parametrize(
    ("said", "other"),
    [
        ("What was the main crop in Nord in 2022?", "Which crop had the largest area in Nord in 2022?"),
        ("What is the predominant crop?", "Which crop has the largest area?"),
        ("Main crop of each township in 2022", "Most common crop per township in 2022"),
        ("What was the prevailing crop in every township in 2022?", "Dominant crop of each township in 2022"),
    ],
)
def test_it_is_that_of_most_ground(said: str, other: str) -> None:
    assert_read_as(said, other, DATA)


@pytest.mark.parametrize(
    "said", ["Which is the main township?", "Mean NDVI of the main township", "Rarest crop per township"]
)
def test_of_what_is_no_class_it_says_nothing(said: str) -> None:
    assert read(said, DATA).candidates() == ()
