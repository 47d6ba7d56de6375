"""Features and rows that are meant all together, points that are no map, and columns of air that are called total."""

from __future__ import annotations

import pytest

from knowflow.question.form import expression_of
from knowflow.question.normal import equal
from knowflow.question.operators import Expression, Over, Show, walk
from knowflow.question.reading.features import FeatureLayer
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords

ROADS = DataWords(
    frozenset({"no2_concentration"}),
    objects=("Bend", "Island", "Kompas", "Linde"),
    keys=(("road", "objects of road"), ("schools", "objects of schools"), ("school", "objects of schools")),
    spots=(("school", "objects of schools"), ("schools", "objects of schools")),
    features=(
        FeatureLayer("road", 2, ("road", "roads"), ("Bend", "Island"), (), ()),
        FeatureLayer("schools", 2, ("school", "schools"), ("Kompas", "Linde"), (), (("pupils", "pupils", "1"),)),
    ),
)
PEARLS = DataWords(
    objects=("Taravai", "Aukena"),
    keys=(("farm", "objects of harvest.csv\nfarm"), ("harvests", "objects of harvest.csv")),
    features=(
        FeatureLayer(
            "harvest.csv",
            6,
            ("harvest", "harvests"),
            (),
            ("Taravai", "Aukena"),
            (("pearls", "pearls", "1"), ("water temperature", "water_temp_c", "degC")),
            sorts=(("farm", ("Taravai", "Aukena")),),
            days=("date", ("2018-02-01", "2018-02-06", "2018-03-01")),
        ),
    ),
)


def taken(question: str, data: DataWords) -> Expression:
    found = read(question, data)
    assert found.expression is not None, found
    return found.expression


@pytest.mark.parametrize(
    ("question", "statistics"),
    [
        ("Length of the whole road in km?", ["sum", "length"]),
        ("What is the length of the entire road?", ["sum", "length"]),
        ("What is the length of the road in km?", ["length"]),
    ],
)
def test_a_whole_of_several_features_is_told_together(question: str, statistics: list[str]) -> None:
    assert [part.statistic for _, part in walk(taken(question, ROADS)) if isinstance(part, Over)] == statistics


def test_a_point_is_no_map() -> None:
    assert not isinstance(taken("NO2 at Kompas school, 2023 map", ROADS), Show)
    assert isinstance(taken("Map NO2", ROADS), Show)


@pytest.mark.parametrize("question", ["Which farm harvested most pearls?", "Which farm has the most pearls in 2018?"])
def test_most_is_of_all_that_rows_count(question: str) -> None:
    assert [part.statistic for _, part in walk(taken(question, PEARLS)) if isinstance(part, Over)] == ["sum"]


def test_the_highest_is_that_of_one_row() -> None:
    of = taken("Which farm had the highest water temperature?", PEARLS)
    assert [part.statistic for _, part in walk(of) if isinstance(part, Over)] == ["maximum"]


@pytest.mark.parametrize(
    ("kind", "question", "statistic"),
    [
        ("o3_column", "Lowest total ozone", "minimum"),
        ("o3_column", "What was the mean total ozone?", "mean"),
        ("columnar_water_vapour", "highest total column water vapour", "maximum"),
        ("suspended_matter", "mean total suspended matter", "mean"),
    ],
)
def test_a_total_that_is_part_of_a_name_adds_nothing_up(kind: str, question: str, statistic: str) -> None:
    wanted, _ = expression_of(f"over(over({kind}, space, {statistic}), time, {statistic})")
    assert wanted is not None
    assert equal(taken(question, DataWords(frozenset({kind}))), wanted)
