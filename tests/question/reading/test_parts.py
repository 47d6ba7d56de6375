"""What is told beside an index, by rank, at a time or place told before, and of amounts that an area gets."""

from __future__ import annotations

from datetime import date

import pytest

from knowflow.question.normal import equal
from knowflow.question.operators import Quantity, walk
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import Chosen, DataWords

DATA = DataWords(
    frozenset({"ndwi", "mndwi", "precipitation", "elevation", "air_temperature", "chlorophyll_a", "sigma0_db", "dnbr"}),
    keys=(("district", "objects"), ("districts", "objects")),
    dates=tuple(date(2020, 7, day) for day in range(1, 9)),
    maps={"precipitation": 8, "air_temperature": 8},
)


@pytest.mark.parametrize(
    ("said", "other"),
    [
        ("What was the mean NDWI (green/NIR) in 2020?", "What was the mean NDWI in 2020?"),
        ("Map of MNDWI (green and SWIR) in 2020", "Map of MNDWI in 2020"),
        ("mean 2 m temperature in July 2020", "mean air temperature in July 2020"),
        ("mean temperature at 40.5N 3.75W", "mean temperature at 40.5 N 3.75 W"),
        ("Which day got the most rain?", "On which day did the area receive the most rain?"),
        (
            "On how many days did at least half of the area get more than 10 mm?",
            "On how many days was the share of the area with rainfall above 10 mm at least 50 %?",
        ),
        ("Mean temperature where elevation is in its top 10 %", "Mean temperature in the top 10 % of elevation"),
        (
            "Mean temperature in July 2020 where chlorophyll was above 3 mg m-3 that month",
            "Mean temperature in July 2020 where chlorophyll in July 2020 was above 3 mg m-3",
        ),
        ("the difference between the highest and lowest point", "the range of elevation"),
        ("What is the highest elevation in the model?", "What is the highest elevation?"),
        ("Compare rainfall between the districts (mean of each)", "mean rainfall per district"),
        ("Show the dNBR map of this fire", "Show a map of dNBR"),
        ("Among the five warmest days, which one was the driest?", "Which of the five warmest days was the driest?"),
        (
            "Between 500 and 900 m, what was the mean air temperature in July 2020?",
            "What was the mean air temperature in July 2020 between 500 and 900 m?",
        ),
    ],
)
def test_what_is_told_beside_means_what_it_says(said: str, other: str) -> None:
    one, wanted = read(said, DATA), read(other, DATA)
    assert wanted.expression is not None, other
    assert one.expression is not None
    assert equal(one.expression, wanted.expression)


@pytest.mark.parametrize(
    "said",
    [
        "What was the mean NDWI (red/NIR) in 2020?",
        "Mean elevation where chlorophyll was in its top 10 %",
        "Show the map of NDWI of this fire",
    ],
)
def test_what_does_not_go_with_it_is_not_passed_over(said: str) -> None:
    assert read(said, DATA).expression is None


def test_a_unit_of_one_quantity_tells_of_what() -> None:
    data = DataWords(frozenset({"night_lights"}), units=(("nW", "nW cm-2 sr-1"),))
    found = read("How many km2 went from below 3 nW in 2014 to more than 5 nW in 2022?", data).expression
    assert found is not None
    assert {part.kind for _, part in walk(found) if isinstance(part, Quantity)} == {"night_lights"}


SOIL = DataWords(
    frozenset({"soil_ph", "clay_content", "soil_organic_carbon"}),
    keys=(("ward", "objects"), ("wards", "objects")),
    chosen=(
        Chosen("height", "0-5 cm", ("soil_ph", "soil_organic_carbon"), ("0-5 cm", "top 5 cm", "topsoil")),
        Chosen("height", "5-15 cm", ("soil_organic_carbon",), ("5-15 cm",)),
    ),
)


@pytest.mark.parametrize(
    ("said", "other"),
    [
        ("mean topsoil pH (0-5 cm)", "mean pH at 0-5 cm"),
        ("mean pH of the top 5 cm", "mean pH at 0-5 cm"),
        (
            "By how many g/kg does soil organic carbon drop from 0-5 cm to 5-15 cm?",
            "mean soil organic carbon at 0-5 cm minus mean soil organic carbon at 5-15 cm",
        ),
        (
            "Share of land where pH is below 6 while clay content exceeds 35 %",
            "Share of land with pH below 6 and clay content above 35 %",
        ),
    ],
)
def test_layers_of_the_soil_are_named_by_their_depths(said: str, other: str) -> None:
    one, wanted = read(said, SOIL), read(other, SOIL)
    assert wanted.expression is not None, other
    assert one.expression is not None
    assert equal(one.expression, wanted.expression)


def test_a_count_is_not_told_in_percent() -> None:
    found = read("In how many wards is the mean pH above 6 and the mean clay content above 33%?", SOIL)
    assert (found.expression is not None, found.unit) == (True, None)
