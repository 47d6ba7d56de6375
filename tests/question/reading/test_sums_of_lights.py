"""Lights are added up where a sum is said, and shared by the people of the same ground."""

from __future__ import annotations

import pytest

from knowflow.question.operators import Calculate, Expression, Over, Quantity, walk
from knowflow.question.reading.features import FeatureLayer
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords
from tests.question.reading.same_reading import assert_read_as

PLACES = ("Epe", "Ikeja", "Kosofe")
DATA = DataWords(
    frozenset({"night_lights", "population_count", "surface_temperature", "built_up_surface"}),
    objects=PLACES,
    keys=(("district", "objects"), ("districts", "objects")),
    features=(FeatureLayer(None, 3, ("district", "districts"), PLACES, (), ()),),
    years={"night_lights": (2014, 2020), "population_count": (2014, 2020)},
    maps={"night_lights": 2, "population_count": 2},
)


def _read(asked: str) -> Expression:
    found = read(asked, DATA)
    assert found.expression is not None, (asked, found.unread, found.apart, found.alike)
    return found.expression


def _statistics(x: Expression) -> set[str]:
    return {part.statistic for _, part in walk(x) if isinstance(part, Over) and part.axes == "space"}


@pytest.mark.parametrize(
    ("asked", "statistic"),
    [
        ("Sum of lights of each district in 2020", "sum"),
        ("total radiance of Ikeja in 2014", "sum"),
        ("sum of lights in Ikeja, 2014 and 2020", "sum"),
        ("Which district has the largest sum of lights in 2020?", "sum"),
        ("lights of each district in 2020", "mean"),
        ("How bright was Ikeja in 2020?", "mean"),
        ("lights in Epe and Ikeja in 2020", "mean"),
    ],
)
def test_lights_are_a_sum_only_where_one_is_said(asked: str, statistic: str) -> None:
    x = _read(asked)
    assert _statistics(x) == {statistic}
    assert not any(isinstance(part, Calculate) for _, part in walk(x))


@pytest.mark.parametrize(
    "asked", ["sum of the surface temperature in Ikeja in 2020", "total surface temperature of Epe"]
)
def test_what_no_sum_means_anything_of_has_none(asked: str) -> None:
    assert read(asked, DATA).expression is None


@pytest.mark.parametrize("head", ["per head", "per capita", "per person", "per inhabitant"])
@pytest.mark.parametrize("of", ["sum of lights", "total radiance", "total built-up surface"])
def test_per_head_is_by_the_people_of_the_same_ground(of: str, head: str) -> None:
    x = _read(f"{of} {head} in Ikeja in 2020")
    (ratio,) = (part for _, part in walk(x) if isinstance(part, Calculate))
    assert ratio.how == "ratio"
    people = [part for _, part in walk(ratio.b) if isinstance(part, Quantity)]  # type: ignore[arg-type]
    assert people == [Quantity("population_count")]


def test_a_mean_has_no_part_for_each_head() -> None:
    assert read("mean surface temperature per head in Ikeja in 2020", DATA).expression is None


@pytest.mark.parametrize(
    ("said", "other"),
    [
        (
            "By how many people did the population of Epe grow between 2014 and 2020?",
            "By how much did the population of Epe grow between 2014 and 2020?",
        ),
        (
            "In which district did the population grow fastest between 2014 and 2020?",
            "In which district did the population grow most between 2014 and 2020?",
        ),
        (
            "Which district brightened fastest between 2014 and 2020?",
            "Which district brightened the most between 2014 and 2020?",
        ),
    ],
)
def test_growth_in_other_words(said: str, other: str) -> None:
    assert_read_as(said, other, DATA)
