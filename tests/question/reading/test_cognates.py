"""Files called in a language near to that of the question."""

from __future__ import annotations

import pytest

from knowflow.question.operators import Polygons, walk
from knowflow.question.reading.features import FeatureLayer
from knowflow.question.reading.nouns import in_layer
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords


def data(called: str) -> DataWords:
    keys = ((called, in_layer("objects", "a file")),)
    layer = FeatureLayer("a file", 4, (called,), ("North", "South"), (), ())
    return DataWords(quantities=frozenset({"ndvi"}), keys=keys, features=(layer,))


def layers(question: str, held: DataWords) -> set[str | None] | None:
    found = read(question, data=held).expression
    return None if found is None else {part.layer for _, part in walk(found) if isinstance(part, Polygons)}


@pytest.mark.parametrize(
    ("said", "called"),
    [
        ("pastoral unit", "unites pastorales"),
        ("pastoral unit", "unidades pastorales"),
        ("administrative post", "postos administrativos"),
        ("irrigation perimeter", "perimetres irrigation"),
        ("protected zone", "zonas protegidas"),
        ("conservancy", "conservancies"),
        ("arrondissement", "arondissements"),
    ],
)
@pytest.mark.parametrize("asked", ["What is the mean NDVI of each {}?", "Which {} has the highest mean NDVI?"])
def test_a_name_is_known_by_how_its_words_begin(asked: str, said: str, called: str) -> None:
    assert layers(asked.format(said), data(called)) == {"a file"}


@pytest.mark.parametrize(
    ("said", "called"),
    [
        ("school", "estaciones"),
        ("pastoral unit", "unites"),  # one of two words is no name
        ("content", "continents"),
        ("bank", "barrios"),
    ],
)
def test_other_words_are_no_names(said: str, called: str) -> None:
    assert layers(f"Which {said} has the highest mean NDVI?", data(called)) in (None, set())
