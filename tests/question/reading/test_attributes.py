"""Numbers that files tell of features: their words, all of them together, per area, and which have so much."""

from __future__ import annotations

import pytest

from knowflow.question.normal import normal
from knowflow.question.operators import Attribute, Calculate, Extreme, Over, Polygons, Quantity, walk
from knowflow.question.reading.features import FeatureLayer
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords
from knowflow.question.words import in_words
from tests.question.reading.same_reading import assert_read_as

STANDS = FeatureLayer(
    "stands",
    20,
    ("stand", "stands"),
    ("N01", "N02"),
    ("spruce", "pine"),
    (
        ("age", "age_yr", "year"),
        ("standing volume", "vol", "m3 ha-1"),
        ("volume", "vol", "m3 ha-1"),
        ("growth", "zw_2021", "m3 ha-1"),
        ("growth in 2021", "zw_2021", "m3 ha-1"),
    ),
    sorts=(("species", ("spruce", "pine")),),
)
PARISHES = FeatureLayer(
    "parishes",
    4,
    ("parish", "parishes"),
    ("Nord", "Sur"),
    (),
    (
        ("inhabitants", "ew", "1"),
        ("people", "ew", "1"),
        ("residents", "ew", "1"),
        ("electricity demand", "gwh", "GWh"),
        ("electricity", "gwh", "GWh"),
    ),
)
SUBSTATIONS = FeatureLayer(
    "substations",
    7,
    ("substation", "substations"),
    ("Alba", "Brea"),
    (),
    (("voltage", "kv", "kV"), ("free capacity", "mw", "MW"), ("capacity", "mw", "MW"), ("free", "mw", "MW")),
)
DATA = DataWords(
    frozenset({"elevation"}),
    objects=("N01", "N02", "spruce", "pine", "Nord", "Sur", "Alba", "Brea"),
    keys=tuple(
        (name, f"objects of {layer.name}") for layer in (STANDS, PARISHES, SUBSTATIONS) for name in layer.called
    ),
    features=(STANDS, PARISHES, SUBSTATIONS),
)
PLACES = Polygons(layer="parishes")


@pytest.mark.parametrize(
    ("said", "other"),
    [
        ("How many stands are older than 80 years?", "How many stands have an age above 80 years?"),
        ("How many MW of capacity are free at the substations?", "What is the total free capacity of the substations?"),
        (
            "How many people live in Nord per square kilometre?",
            "How many inhabitants does Nord have per square kilometre?",
        ),
        ("How many residents live in all the parishes together?", "What is the total number of residents?"),
        ("How many stands have an age of 80 years or more?", "How many stands are at least 80 years old?"),
        (
            "How many stands of age 80 years or more are in the file?",
            "How many stands with an age of 80 years or more are there?",
        ),
        ("How many MW of substations are there?", "How many MW do the substations have?"),
        (
            "How many MW do the substations of 110 kV and above have?",
            "How many MW do the substations with 110 kV or more have?",
        ),
        ("What was the total growth of the spruce stands in 2021?", "What is the total growth of the spruce stands?"),
        ("How many stands of pine (not spruce) are there?", "How many stands of pine are there?"),
        ("How many spruce or pine stands are there?", "How many stands of spruce or pine are there?"),
    ],
)
def test_numbers_of_features_are_asked_in_many_words(said: str, other: str) -> None:
    readings = [read(text, DATA) for text in (said, other)]
    told = [
        in_words(normal(one.expression)) if one.expression is not None else str((one.unread, one.apart))
        for one in readings
    ]
    assert told[0] == told[1]


def test_what_is_told_per_area_is_added_up_by_area() -> None:
    found = read("What is the total standing volume, in m3, of the spruce stands?", DATA)
    assert found.expression is not None
    assert found.unit == "m3"
    (told,) = [part for _, part in walk(found.expression) if isinstance(part, Calculate)]
    assert told.how == "product"
    assert in_words(told).endswith("times the area of each of the features called “spruce” of “stands”")


def test_most_per_area() -> None:
    found = read("Which parish uses the most electricity per square kilometre?", DATA).expression
    assert found is not None
    assert isinstance(found, Extreme)
    ratio = found.x
    assert isinstance(ratio, Calculate)
    assert ratio == Calculate("ratio", Attribute(PLACES, "gwh", "GWh"), Over(PLACES, "space", "area"))


def test_a_number_before_features_is_theirs() -> None:
    found = read("How many MW of capacity do the 220 kV substations have together?", DATA)
    assert found.expression is not None
    assert "“kv” in kV of each of the features of “substations” is between 220 kV and 220 kV" in in_words(
        found.expression
    )


def test_a_number_of_one_year_is_of_no_other() -> None:
    assert read("What was the total growth of the spruce stands in 2019?", DATA).expression is None


def test_the_oldest_is_of_the_earliest_year() -> None:
    bridges = FeatureLayer(
        "bridges",
        3,
        ("bridge", "bridges"),
        ("Alba", "Brea", "Cima"),
        (),
        (("load", "load_t", "t"),),
        years=(("built", "built"),),
    )
    data = DataWords(keys=tuple((name, "objects of bridges") for name in bridges.called), features=(bridges,))
    built = Attribute(Polygons(layer="bridges"), "built")
    assert read("Which bridge is the oldest?", data).expression == Extreme(built, "lowest")
    assert read("Which is the newest bridge?", data).expression == Extreme(built, "highest")


def test_a_number_follows_the_name_of_what_it_limits() -> None:
    quakes = FeatureLayer(
        "quakes", 40, ("earthquakes",), (), (), (("magnitude", "mag", "1"), ("depth", "depth_km", "km"))
    )
    data = DataWords(keys=(("earthquakes", "objects of quakes"),), features=(quakes,))
    wanted = read("How many earthquakes with a magnitude over 2 are there?", data).expression
    assert wanted is not None
    for said in ("over magnitude 2", "stronger than magnitude 2"):
        found = read(f"How many earthquakes {said} are there?", data).expression
        assert found is not None
        assert normal(found) == normal(wanted), said


@pytest.mark.parametrize(
    ("said", "other"),
    [
        ("Which parish is the most populous?", "Which parish has the most inhabitants?"),
        (
            "What is the mean elevation of the least populous parish?",
            "mean elevation of the parish with the fewest people",
        ),
        ("How steep is the most populated parish?", "What is the mean slope of the parish with the most residents?"),
        (
            "How bright was the parish with the most electricity?",
            "night lights of the parish with the most electricity",
        ),
    ],
)
def test_the_most_populous_is_told_by_a_column_of_people(said: str, other: str) -> None:
    assert_read_as(said, other, DATA)


def test_the_most_populous_is_told_by_a_map_of_people_where_no_column_does() -> None:
    data = DataWords(frozenset({"population_count"}), keys=(("parish", "objects"),))
    found = read("Which parish is the most populous?", data).expression
    assert found is not None
    assert Quantity("population_count") in [part for _, part in walk(found)]
