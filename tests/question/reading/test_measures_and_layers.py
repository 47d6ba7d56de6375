"""Measures with their adjectives, superlatives, ground outside of polygons, and what layers are called: each in two
ways of saying it, or with the expression that is meant."""

from __future__ import annotations

from datetime import date

import pytest

from knowflow.question.form import expression_of
from knowflow.question.normal import equal
from knowflow.question.operators import Quantity, walk
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import Chosen, DataWords

DATA = DataWords(
    frozenset({"ndvi", "elevation", "ice_thickness", "snow_depth", "snow_water_equivalent", "peat_depth__m"})
    | {"surface_temperature", "land_cover_class", "canopy_height", "tree_cover_fraction", "mangrove_extent__1"},
    classes={"land_cover_class": ("Heath", "Birch woodland")},
    objects=("Upper", "Middle", "Lower"),
    dates=tuple(date(2020, month, 15) for month in (1, 4, 7)),
    keys=(("reserve", "objects"), ("reserves", "objects"), ("land cover class", "classes")),
    called=(("peat_depth__m", ("peat", "depth")), ("mangrove_extent__1", ("mangrove", "extent"))),
    maps={"ndvi": 3, "surface_temperature": 3},
)
MANGROVE = "beyond(during(quantity(mangrove_extent__1), 2020), above, 0)"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("How many km2 of ice are over 150 m thick?", "How many km2 of ice are thicker than 150 m?"),
        ("Which reserve has the thickest peat?", "Which reserve has the highest mean peat depth?"),
        ("Share of the heath that has peat thinner than 50 cm?", "Share of the heath with peat depth below 50 cm?"),
        ("How hot did the hottest spot get in 2020?", "What was the highest surface temperature in 2020?"),
        ("How hot did the ground get at the hottest spot in 2020?", "What was the highest LST in 2020?"),
        ("How much taller did the trees get from 2018 to 2020?", "How much did canopy height rise from 2018 to 2020?"),
        (
            "Which land cover class saw the strongest fall in mean NDVI between 15 January and 15 July?",
            "Which land cover class saw the largest fall in mean NDVI between 15 January 2020 and 15 July 2020?",
        ),
        ("How fast has NDVI been rising?", "How fast did NDVI rise?"),
        ("What share of the area lies below sea level?", "What share of the area lies below 0 m?"),
        ("Hectares of heath within the three reserves", "Hectares of heath within the reserves"),
        ("On what share of the area was there no heath?", "What share of the area is not heath?"),
        ("Which scene was the hottest on average? Give its date.", "Which scene was the hottest on average?"),
        ("Which reserve was the greenest (highest mean NDVI)?", "Which reserve was the greenest?"),
        ("For our annual report: what was the mean NDVI?", "What was the mean NDVI?"),
        ("My students ask how many hectares of heath there are.", "How many hectares of heath are there?"),
        ("How did NDVI develop? Give a table by date.", "Show the mean NDVI per date as a table"),
        ("NDVI change from January to July 2020, negative for a loss", "NDVI change from January to July 2020"),
    ],
)  # fmt: skip
def test_both_are_read_alike(one: str, other: str) -> None:
    a, b = read(one, DATA), read(other, DATA)
    assert a.expression is not None, a
    assert b.expression is not None, b
    assert equal(a.expression, b.expression)


@pytest.mark.parametrize(
    ("question", "expression", "unit"),
    [
        ("Hectares of mangroves in 2020", f"over(over({MANGROVE}, space, area), time, mean)", "ha"),
        ("How many hectares of heath are outside the reserves?",
         "over(within(is_class(land_cover_class, ['Heath']), not(polygons())), space, area)", "ha"),
        ("Snow depth above 2500 m on 15 January 2020",
         "over(over(within(during(snow_depth, '2020-01-15'), beyond(elevation, above, '2500 m')), space, mean), "
            "time, mean)",
         None),
    ],
)  # fmt: skip
def test_a_question_is_that_expression(question: str, expression: str, unit: str | None) -> None:
    found = read(question, DATA)
    assert found.expression is not None, found
    assert equal(found.expression, expression_of(expression)[0]), found.expression  # type: ignore[arg-type]
    assert found.unit == unit


def test_snow_depth_is_no_water_equivalent() -> None:
    found = read("What is the mean snow depth where the elevation is above 2000 m?", DATA)
    assert found.expression is not None
    kinds = {part.kind for _, part in walk(found.expression) if isinstance(part, Quantity)}
    assert kinds == {"snow_depth", "elevation"}


def test_a_statistic_that_a_layer_is_is_its_name_where_another_is_asked_of_it() -> None:
    data = DataWords(
        frozenset({"air_temperature"}), dates=(date(2021, 7, 20),), stated=(("air_temperature", "minimum"),)
    )
    mean = read("Mean minimum air temperature on 20 July 2021", data)
    assert mean.expression == read("Mean air temperature on 20 July 2021", data).expression


def test_a_layer_is_chosen_by_the_word_that_tells_it_apart() -> None:
    floods = tuple(
        Chosen("variant", f"rp{n}", ("bathymetry",), (f"rp{n}", f"{n} year", f"1 in {n} year")) for n in (30, 100)
    )
    data = DataWords(frozenset({"bathymetry"}), chosen=floods)
    wanted = expression_of("over(quantity(bathymetry, having={'variant': 'rp100'}), space, maximum)")[0]
    for said in ("in the 100-year event", "of the RP100 scenario", "in the 1-in-100-year event"):
        found = read(f"What is the greatest water depth {said}?", data)
        assert found.expression is not None, found
        assert equal(found.expression, wanted)  # type: ignore[arg-type]


def test_of_readings_alike_that_of_data_at_hand_is_taken() -> None:
    data = DataWords(frozenset({"air_temperature"}), dates=(date(2021, 7, 20),))
    found = read("What share of the area went below 0 degrees Celsius on 20 July 2021?", data)
    assert found.expression is not None
    assert {part.kind for _, part in walk(found.expression) if isinstance(part, Quantity)} == {"air_temperature"}
