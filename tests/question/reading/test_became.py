"""What became of ground of classes: of which map and of which time they are."""

from __future__ import annotations

import pytest

from knowflow.question.normal import equal
from knowflow.question.operators import Quantity, walk
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords

DATA = DataWords(
    frozenset({"land_cover_class", "class_label"}),
    classes={
        "land_cover_class": ("Swamp", "Pond", "Rice"),
        "class_label": ("none", "Swamp"),
    },
    years={"land_cover_class": (2020,), "class_label": (2000, 2020)},
    maps={"land_cover_class": 1, "class_label": 2},
)


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        ("How many hectares of swamp were there in 2020?", {"land_cover_class"}),
        ("How many hectares of swamp were there in 2000?", {"class_label"}),
        ("How many hectares of swamp were lost from 2000 to 2020?", {"class_label"}),
        ("How many hectares of swamp became pond between 2000 and 2020?", {"class_label", "land_cover_class"}),
    ],
)
def test_a_class_is_of_the_map_that_has_the_time(question: str, kinds: set[str]) -> None:
    found = read(question, DATA).expression
    assert found is not None
    assert {part.kind for _, part in walk(found) if isinstance(part, Quantity)} == kinds


def test_what_becomes_something_else_is_of_the_time_before() -> None:
    found = read("How many hectares of rice became swamp between 2000 and 2020?", DATA).expression
    asked = read("How many hectares of rice in 2000 are swamp in 2020?", DATA).expression
    assert found is not None
    assert asked is not None
    assert equal(found, asked)  # of which there is no map
