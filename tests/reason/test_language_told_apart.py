"""Extreme days of a series and kinds of ground that are told apart."""

from __future__ import annotations

import pytest

from knowflow.model.goal import Threshold
from knowflow.reason.language.extremes_apart import extremes_apart, extremes_beside
from knowflow.reason.language.grounds import grounds_apart


@pytest.mark.parametrize(
    ("text", "quantity", "apart"),
    [
        ("How many kelvin is the warmest night above the coolest?", "surface_temperature", True),
        ("How much did the scene with the highest day exceed the lowest?", "evi", True),
        ("How far is the EVI of the warmest day above the coolest?", "evi", False),
        ("How much more did the highest day of Lima get than the highest of Quito?", "precipitation", False),
        ("How much more did the highest day get than the largest?", "precipitation", False),
    ],
)
def test_the_highest_and_the_lowest_day_of_one_quantity_are_compared(text: str, quantity: str, apart: bool) -> None:
    assert extremes_apart(text, quantity) is apart


ABOVE, BELOW = Threshold(0.4, None, "above"), Threshold(0.4, None, "below")


@pytest.mark.parametrize(
    ("conditions", "apart"),
    [
        ([("ndvi", ABOVE), ("ndvi", BELOW)], True),
        ([("ndvi", BELOW), ("ndvi", ABOVE)], True),
        ([("ndvi", ABOVE), ("ndvi", Threshold(0.5, None, "below"))], False),
        ([("ndvi", ABOVE), ("ndvi", ABOVE)], False),
        ([("ndvi", ABOVE), ("ndbi", BELOW)], False),
        ([("ndvi", ABOVE)], False),
    ],
)
def test_two_limits_of_one_quantity_that_no_place_meets_tell_two_grounds(
    conditions: list[tuple[str, Threshold]], apart: bool
) -> None:
    assert grounds_apart(conditions) is apart


@pytest.mark.parametrize(
    ("text", "quantity", "words"),
    [
        ("Name the wettest day and the driest day.", "precipitation", ("wettest", "driest")),
        ("On which day was the mean lowest, and on which highest?", "ndvi", ("lowest", "highest")),
        ("The greenest and the least green date", "ndvi", ("greenest", "least green")),
        ("The wettest day and the driest day", "ndvi", ()),
        ("The warmest and the hottest day", "surface_temperature", ()),
        ("The latest and the highest value", "ndvi", ()),
    ],
)
def test_the_highest_and_the_lowest_beside_each_other(text: str, quantity: str, words: tuple[str, ...]) -> None:
    assert extremes_beside(text, quantity) == words
