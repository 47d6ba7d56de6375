"""Phrases that stand elsewhere than usual: times before images, names and limits in brackets, means and rates."""

from __future__ import annotations

from datetime import date

import pytest

from knowflow.question.operators import Beyond, Number, Quantity
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords
from tests.question.reading.same_reading import assert_read_as

DAYS = tuple(date(2021, month, 15) for month in (4, 6, 8))
DATA = DataWords(
    frozenset({"ndvi", "ndmi", "slope", "soil_moisture", "surface_temperature", "built_up_fraction", "sigma0_db"}),
    objects=("Altmarkt", "Neustadt"),
    keys=(("district", "objects"), ("districts", "objects")),
    dates=DAYS,
    meant=(("lush", Beyond(Quantity("ndvi"), "at_least", Number(0.6, "1"))),),
)


@pytest.mark.parametrize(
    ("said", "other"),
    [
        (
            "What percentage of the June NDVI image is above 0.4?",
            "On what share of the area is NDVI in June above 0.4?",
        ),
        ("What share of the June image has NDMI above 0.1?", "On what share of the area is NDMI in June above 0.1?"),
        ("Mean NDVI of the city centre (Altmarkt) in June 2021", "Mean NDVI of Altmarkt in June 2021"),
        ("Mean slope at Dresden (51.05 N, 13.7 E)", "Mean slope at 13.7 E, 51.05 N"),
        (
            "How many hectares were hotter than 30 °C on 15 June 2021 and steeper than 10 degrees?",
            "How many hectares were steeper than 10 degrees and hotter than 30 °C on 15 June 2021?",
        ),
        ("Give the NDVI in June averaged over each district", "Mean NDVI in June per district"),
        ("What was the mean soil moisture in mid June 2021?", "Mean soil moisture from 11 June 2021 to 20 June 2021"),
        ("Mean soil moisture at the start of June", "Mean soil moisture from 1 June 2021 to 10 June 2021"),
        ("Mean slope near 51.05 N, 13.7 E", "Mean slope at 13.7 E, 51.05 N"),
        ("Mean slope around the point 51°03'N 13.7°E", "Mean slope at 13.7 E, 51.05 N"),
        ("Mean slope at N51.05, E13.7", "Mean slope at 13.7 E, 51.05 N"),
        ("Mean slope at lat 51.05, lon 13.7", "Mean slope at 13.7 E, 51.05 N"),
        ("Mean slope at 1.5 S 13.7 E", "Mean slope at latitude -1.5, longitude 13.7"),
        ("Mean slope at the pixel nearest to 13.7 E, 51.05 N", "Mean slope at 13.7 E, 51.05 N"),
        (
            "How many hectares were lush (NDVI of 0.6 or more) in June?",
            "How many hectares had NDVI of at least 0.6 in June?",
        ),
        ("How many hectares were lush (0.5 or more) in June?", "How many hectares had NDVI of at least 0.5 in June?"),
        ("What area was unlush in June?", "What area was not lush in June?"),
        (
            "What area became lush between April and June 2021?",
            "What area became lush from April 2021 to June 2021?",
        ),
    ],
)
def test_phrases_stand_elsewhere(said: str, other: str) -> None:
    assert_read_as(said, other, DATA)


def test_a_rate_is_told_per_decade() -> None:
    said = read("How fast has NDVI been rising per decade?", DATA)
    assert str(said.unit).endswith("decade-1")


def test_what_a_name_in_brackets_says_is_needed() -> None:
    assert read("Mean NDVI of the city centre (Nirgendwo) in June 2021", DATA).expression is None
