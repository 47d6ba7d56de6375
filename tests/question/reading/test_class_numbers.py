"""Classes said by their name and their number."""

from __future__ import annotations

from types import MappingProxyType

import pytest

from knowflow.question.operators import IsClass, walk
from knowflow.question.reading.reader import read
from knowflow.question.reading.readings import Reading
from knowflow.question.reading.vocabulary import DataWords

CLASSES = MappingProxyType({"land_cover_class": ("Grassland", "Permanent water")})
DATA = DataWords(
    quantities=frozenset({"land_cover_class", "ndvi"}), classes=CLASSES, maps=MappingProxyType({"land_cover_class": 2})
)


def classes(found: Reading) -> set[tuple[str, ...]]:
    assert found.expression is not None, (found.question, found.unread, found.apart, found.alike)
    return {part.names for _, part in walk(found.expression) if isinstance(part, IsClass)}


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("grassland (class 30)", "grassland (class 30)"),
        ("permanent water (80)", "permanent water (class 80)"),
        ("class 80 (permanent water)", "permanent water (class 80)"),
        ("code 21 (teff)", "teff (class 21)"),
        ("teff (class 21)", "teff (class 21)"),
        ("oil palm (code 35)", "oil palm (class 35)"),
    ],
)
@pytest.mark.parametrize(
    "question",
    [
        "What share of the area is {}?",
        "What is the area of {} in 2019, in hectares?",
        "How many pixels were {} in 2019?",
        "What was the mean NDVI in {} in 2019?",
    ],
)
def test_a_class_is_named_by_both(said: str, name: str, question: str) -> None:
    assert classes(read(question.format(said), DATA)) == {(name,)}


def test_a_name_that_no_map_is_known_to_have_is_told_as_said() -> None:
    assert read("What share of the area is teff (class 21)?", DATA).explained == ("teff (class 21)",)


@pytest.mark.parametrize(
    "question",
    [
        "What share of the area is teff?",
        "What share of the area is grassland (class 30 or so)?",
        "What share of the area is grassland (class thirty-odd)?",
        "What share of the area is grassland (blue class 30)?",
    ],
)
def test_nothing_in_the_brackets_is_left_out(question: str) -> None:
    assert not read(question, DATA).candidates()


def test_a_number_without_a_map_of_classes_is_none() -> None:
    data = DataWords(quantities=frozenset({"ndvi"}))
    assert not read("What was the mean NDVI of teff (class 21)?", data).candidates()


def test_a_year_in_brackets_is_no_class() -> None:
    assert classes(read("What is the area of grassland (2019)?", DATA)).isdisjoint({("grassland (class 2019)",)})


@pytest.mark.parametrize(
    ("names", "meant"),
    [
        (("Tree cover", "Permanent water bodies"), "Permanent water bodies"),
        (("Urban", "Inland water"), "Inland water"),
        (("No water", "Land"), None),
        (("Permanent water", "Seasonal water"), None),  # of two none is all of it
        (("Land", "Water and wetlands"), None),
    ],
)
def test_the_only_class_that_has_a_word_in_its_name_is_meant_by_it(names: tuple[str, ...], meant: str | None) -> None:
    kinds = frozenset({"land_cover_class"})
    data = DataWords(quantities=kinds, classes=MappingProxyType({"land_cover_class": names}))
    found = read("What share of the area is water?", data=data)
    assert classes(found) == (set() if meant is None else {(meant,)})
