"""Quantities that no file holds over the ground are those that a file of features tells of each."""

from __future__ import annotations

import pytest

from knowflow.question.operators import Attribute, Extreme, Over, Polygons, Quantity, walk
from knowflow.question.reading.features import FeatureLayer
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords

HUTS = FeatureLayer(
    None, 3, ("hut", "huts"), ("Alm", "Berg", "Egg"), (), (("elevation", "elev_m", "m"), ("altitude", "elev_m", "m"))
)
OF_EACH = Attribute(Polygons(), "elev_m", "m")


def data(*held: str) -> DataWords:
    return DataWords(
        frozenset(held),
        objects=HUTS.names,
        keys=tuple((name, "objects") for name in HUTS.called),
        spots=tuple((name, "objects") for name in HUTS.called),
        features=(HUTS,),
    )


@pytest.mark.parametrize("question", ["Which of the huts lies highest?", "Which hut has the highest elevation?"])
def test_the_highest_is_that_of_which_it_is_told(question: str) -> None:
    assert read(question, data()).expression == Extreme(OF_EACH, "highest")


def test_it_is_told_of_one() -> None:
    found = read("What is the elevation of Berg?", data()).expression
    assert isinstance(found, Over)
    assert found.x == Attribute(Polygons(("Berg",)), "elev_m", "m")


def test_what_a_map_holds_is_of_the_map() -> None:
    found = read("Which of the huts lies highest?", data("elevation")).expression
    assert found is not None
    assert any(isinstance(part, Quantity) for _, part in walk(found))


def test_so_many_as_there_are_are_all() -> None:
    plain = read("What is the mean elevation of the huts?", data()).expression
    assert plain is not None
    assert read("What is the mean elevation of the three huts?", data()).expression == plain
    assert read("What is the mean elevation of the four huts?", data()).expression is None
    some = read("Which three huts have the highest elevation?", data()).expression
    assert some == Extreme(OF_EACH, "highest", 3)
