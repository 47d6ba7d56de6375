"""Bands of one width as keys of questions: elevation bands of 100 m, slopes by 5 degrees."""

from __future__ import annotations

import pytest

from knowflow.question.operators import Classify, Expression, Quantity, walk
from knowflow.question.reading.reader import read
from knowflow.question.reading.readings import Reading
from knowflow.question.reading.vocabulary import DataWords

DATA = DataWords(quantities=frozenset({"land_cover_class", "ndvi", "elevation", "slope", "surface_temperature"}))


def bands(found: Reading) -> list[Classify]:
    assert found.expression is not None, (found.question, found.unread, found.apart, found.alike)
    return [part for _, part in walk(found.expression) if isinstance(part, Classify)]


@pytest.mark.parametrize(
    ("said", "kind", "width", "unit"),
    [
        ("in elevation bands of 100 m", "elevation", 100.0, "m"),
        ("per 50 m elevation band", "elevation", 50.0, "m"),
        ("for each 250 m of elevation", "elevation", 250.0, "m"),
        ("by elevation in steps of 20 m", "elevation", 20.0, "m"),
        ("in bands of 100 m of elevation", "elevation", 100.0, "m"),
        ("for every slope class of 5 degrees", "slope", 5.0, "degree"),
        ("in slope classes of 2.5 degrees", "slope", 2.5, "degree"),
        ("by surface temperature in intervals of 2 degrees Celsius", "surface_temperature", 2.0, "degC"),
    ],
)
@pytest.mark.parametrize("asked", ["What is the mean NDVI {}?", "Mean NDVI in 2021 {}", "Highest NDVI {}?"])
def test_a_key_is_bands_of_a_width(asked: str, said: str, kind: str, width: float, unit: str) -> None:
    (found,) = bands(read(asked.format(said), data=DATA))
    assert found == Classify(Quantity(kind), unit=unit, width=width)


@pytest.mark.parametrize(
    "question",
    [
        "Which 100 m elevation band has the highest mean NDVI?",
        "How many hectares are in each 100 m elevation band?",
        "Which elevation band of 100 m is the steepest?",
    ],
)
def test_bands_are_ranked_and_measured(question: str) -> None:
    assert {*bands(read(question, data=DATA))} == {Classify(Quantity("elevation"), unit="m", width=100.0)}


@pytest.mark.parametrize(
    "question",
    [
        "What is the mean NDVI in elevation bands of 100 ha?",  # no height
        "What is the mean NDVI in land cover classes of 5 m?",
        "What is the mean NDVI in elevation bands of -100 m?",
    ],
)
def test_a_width_is_one_of_the_quantity(question: str) -> None:
    found: Expression | None = read(question, data=DATA).expression
    assert found is None or not any(isinstance(part, Classify) for _, part in walk(found))
