"""Verbs of change, how far two lie apart, extremes by what grades a quantity, and maps by their years."""

from __future__ import annotations

from datetime import date

import pytest

from knowflow.question.operators import Calculate, Expression, Extreme, Over, Quantity, Show, walk
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import Chosen, DataWords
from tests.question.reading.same_reading import assert_read_as

_DATES = tuple(date(year, month, 1) for year in (2015, 2020) for month in range(1, 13))
_DATA = DataWords(
    frozenset(
        {"elevation", "ndwi", "soil_ph", "sand_content", "night_lights", "population_count", "surface_temperature"}
    )
    | {"land_cover_class", "precipitation"},
    classes={"land_cover_class": ("Reed", "Open water", "Dune")},
    objects=("North", "South"),
    dates=_DATES,
    keys=(("polder", "objects"), ("polders", "objects")),
    years={"land_cover_class": (2015, 2020)},
    surveyed=("elevation",),
    chosen=tuple(Chosen("daynight", time, ("surface_temperature",), (time, f"{time}s")) for time in ("day", "night")),
    maps={"elevation": 2, "population_count": 2, "land_cover_class": 2, "ndwi": 24, "precipitation": 24},
)


@pytest.mark.parametrize(
    ("said", "other"),
    [
        # a surface that was surveyed again
        ("How much did North thin between 2015 and 2020?", "By how many metres did North sink from 2015 to 2020?"),
        ("Which polder sank the most between 2015 and 2020?", "Which polder thinned the most between 2015 and 2020?"),
        (
            "Which polder subsided the most on average between 2015 and 2020?",
            "Which polder lost the most height between 2015 and 2020?",
        ),
        ("How much did South thin per year from 2015 to 2020?", "How much did South sink from 2015 to 2020 per year?"),
        # lights
        (
            "Which polder darkened the most between 2015 and 2020?",
            "Which polder dimmed the most between 2015 and 2020?",
        ),
        (
            "How many km2 shone brighter than 4 nW/cm2/sr in 2020?",
            "How many km2 were brighter than 4 nW/cm2/sr in 2020?",
        ),
        # what is graded
        ("Which polder has the most acid soil?", "Which polder has the lowest mean soil pH?"),
        ("Which polder has the least acid soil?", "Which polder has the highest mean soil pH?"),
        ("Which polder has the sandiest soil?", "Which polder has the highest mean sand content?"),
        (
            "Which polder had the warmest nights in 2020?",
            "Which polder had the highest mean night surface temperature in 2020?",
        ),
        # between maps, and by name
        (
            "By how many hectares did the reed shrink from the 2015 map to the 2020 map?",
            "By how many hectares did the reed shrink from 2015 to 2020?",
        ),
        ("NDWI change 2015-2020 for each polder by name", "NDWI change 2015-2020 for each polder"),
        (
            "Where was the most reed lost between 2015 and 2020, by polder?",
            "In which polder was the most reed lost between 2015 and 2020?",
        ),
        # a ratio of two times
        (
            "What was the ratio of May to March 2020 rainfall?",
            "What was the ratio of rainfall in May 2020 to rainfall in March 2020?",
        ),
        # dates with the most ground
        ("On which date was the least open water seen?", "On which date was the least open water?"),
        ("In which year was the most under reed?", "In which year was there the most reed?"),
        # the range of the ground
        (
            "Which polder has the greatest range between its lowest and highest point?",
            "Which polder has the largest difference between its highest and lowest point?",
        ),
    ],
)
def test_what_is_said_in_other_words_is_read_alike(said: str, other: str) -> None:
    assert_read_as(said, other, _DATA)


def _read(question: str, data: DataWords = _DATA) -> Expression:
    found = read(question, data).expression
    assert found is not None, question
    return found


@pytest.mark.parametrize("asked", ["How big is the gap between", "How far apart are", "How far apart were"])
@pytest.mark.parametrize(("two", "of"), [("May and March 2020", "NDWI"), ("North and South", "mean NDWI")])
def test_how_far_two_lie_apart_is_the_size_of_the_difference_in_either_order(asked: str, two: str, of: str) -> None:
    found = _read(f"{asked} {two} in {of}?")
    assert isinstance(found, Calculate)
    assert found.how == "absolute"
    assert {part.how for _, part in walk(found) if isinstance(part, Calculate)} == {"absolute", "difference"}


@pytest.mark.parametrize(("most", "least", "unit"), [("wettest", "driest", "mm"), ("brightest", "darkest", None)])
def test_how_far_the_ends_of_a_year_lie_apart_is_the_range_of_its_months(
    most: str, least: str, unit: str | None
) -> None:
    found = read(f"How far apart were the {most} and the {least} month of 2020?", _DATA).expression
    assert isinstance(found, Over)
    assert (found.axes, found.statistic) == ("time", "range")
    if unit is not None:
        told = read(f"How many {unit} apart were the {most} and the {least} month of 2020?", _DATA)
        assert (told.expression, told.unit) == (found, unit)


def test_how_far_two_ends_of_unlike_quantities_lie_apart_is_not_read() -> None:
    assert read("How far apart were the wettest and the darkest month of 2020?", _DATA).expression is None


@pytest.mark.parametrize("verb", ["lost", "gained"])
def test_which_lost_some_are_those_that_have_less(verb: str) -> None:
    found = _read(f"Which polders {verb} NDWI between March and May 2020?")
    other = {"lost": "fall", "gained": "rise"}[verb]
    assert found == _read(f"In which polders did NDWI {other} between March and May 2020?")
    assert read(f"Which polders {verb} reed between 2015 and 2020?", _DATA).expression is None  # net, or any of it


def test_a_map_of_what_is_counted_is_of_each_pixel() -> None:
    found = _read("Map the change in population from 2015 to 2020")
    assert isinstance(found, Show)
    assert found == _read("Map the change in population per pixel from 2015 to 2020")
    assert not any(isinstance(part, Over) and part.axes == "space" for _, part in walk(found))
    fallen = _read("Map the decrease in population per pixel from 2015 to 2020")
    assert fallen != found


@pytest.mark.parametrize(("most", "side"), [("most densely", "highest"), ("least densely", "lowest")])
def test_the_most_densely_populated_is_told_by_its_people_for_its_area(most: str, side: str) -> None:
    found = _read(f"Which polder was the {most} populated in 2020?")
    assert isinstance(found, Extreme)
    assert found.side == side
    assert {part.statistic for _, part in walk(found) if isinstance(part, Over) and part.axes == "space"} >= {"area"}
    assert any(isinstance(part, Quantity) and part.kind == "population_count" for _, part in walk(found))


def test_a_verb_of_a_surface_says_nothing_where_it_was_surveyed_once() -> None:
    once = DataWords(frozenset({"elevation", "ndwi"}), objects=("North",), dates=_DATES, maps={"elevation": 1})
    assert read("How much did North thin between 2015 and 2020?", once).expression is None


def test_the_ones_are_those_of_which_is_spoken() -> None:
    told = "By how much was the mean NDWI of the reed in 2020 above that of the dune"
    assert_read_as(f"{told} ones?", f"{told}?", _DATA)


def test_what_is_ranked_in_percent_is_not_ranked_by_anything_else() -> None:
    data = DataWords(frozenset({"night_lights"}), objects=("North", "South"), keys=(("district", "objects"),))
    plain = read("Which district brightened the most from 2014 to 2020?", data=data)
    assert plain.expression is not None
    found = read("Which district brightened the most in percent from 2014 to 2020?", data=data).expression
    assert found is not None
    assert [part.how for _, part in walk(found) if isinstance(part, Calculate)] == ["percent_change"]
