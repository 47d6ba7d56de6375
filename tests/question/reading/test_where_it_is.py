"""How high places lie, points that lie where something holds, and shares that ground is itself."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from knowflow.question.reading.features import FeatureLayer
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords
from tests.question.reading.same_reading import assert_read_as

DATA = DataWords(
    frozenset({"elevation", "built_up_fraction", "surface_temperature", "air_temperature", "land_cover_class"}),
    classes={"land_cover_class": ("housing", "park")},
    objects=("Quito", "Ambato", "Mill", "Mill place"),
    keys=(("town", "objects of towns"), ("towns", "objects of towns"), ("district", "objects of districts")),
    spots=(("town", "objects of towns"), ("towns", "objects of towns")),
    features=(
        FeatureLayer("towns", 2, ("town", "towns"), ("Quito", "Ambato"), (), ()),
        FeatureLayer("districts", 2, ("district", "districts"), ("Mill", "Mill place"), (), ()),
    ),
    dates=(date(2022, 7, 2), date(2022, 7, 18)),
    maps={"elevation": 1, "built_up_fraction": 1, "surface_temperature": 2, "land_cover_class": 1},
)


@pytest.mark.parametrize(
    ("said", "other"),
    [
        ("How high is Quito?", "Mean elevation of Quito"),
        ("At what altitude does Mill place lie?", "Mean elevation of Mill place"),
        ("What percentage of each district is sealed?", "Mean built-up fraction per district, in %"),
        ("How much of Mill place is sealed?", "Mean built-up fraction of Mill place, in %"),
        ("Which district was coolest on 18 July 2022?", "Which district had the lowest mean LST on 18 July 2022?"),
        (
            "How many towns lie where the surface was hotter than 30 °C on 18 July 2022?",
            "How many towns lie in areas with a surface temperature above 30 °C on 18 July 2022?",
        ),
        (
            "What is the mean surface temperature of each land cover class on 2 July 2022?",
            "On 2 July 2022, what is the mean surface temperature of each land cover class?",
        ),
    ],
)
def test_places_and_shares(said: str, other: str) -> None:
    assert_read_as(said, other, DATA)


@pytest.mark.parametrize(
    ("said", "other"),
    [
        ("Which towns are in Mill place?", "Which towns touch Mill place?"),
        ("List the towns in Mill place", "Which towns touch Mill place?"),
        ("In which district is Quito?", "Which district touches Quito?"),
        ("Which district does Quito lie in?", "Which district touches Quito?"),
    ],
)
def test_where_points_lie(said: str, other: str) -> None:
    assert_read_as(said, other, DATA)


def test_where_what_has_an_extent_lies_is_not_told_by_what_it_touches() -> None:
    assert read("In which town is Mill place?", DATA).expression is None
    assert read("Which districts are in Quito?", DATA).expression is None


def test_what_is_high_itself_is_not_asked_of_the_ground() -> None:
    assert read("How high is Mill place?", DATA).expression is None  # a district, or a place of that name
    trees = replace(DATA, quantities=DATA.quantities | {"canopy_height"})
    assert read("How high is Quito?", trees).expression is None
    towers = replace(DATA.features[0], numbers=(("height", "height_m", "m"),))
    assert read("How high is Quito?", replace(DATA, features=(towers, DATA.features[1]))).expression is None


def test_a_class_of_land_is_the_mask_of_it_where_no_map_of_classes_is_at_hand() -> None:
    masked = replace(DATA, quantities=(DATA.quantities - {"land_cover_class"}) | {"forest_mask"}, classes={})
    found = read("What share of the area is forest?", masked).expression
    assert found is not None
    assert "forest_mask" in str(found)
    assert "land_cover_class" in str(read("What share of the area is forest?", DATA).expression)


@pytest.mark.parametrize(
    "said",
    ["Where was the highest surface temperature?", "Where is the highest elevation?", "Where is the mean elevation?"],
)
def test_where_something_is_is_no_number_of_it(said: str) -> None:
    assert not read(said, DATA).candidates()
