"""Amounts on the ground: volumes and masses, what lies where, shares of a whole, means by what lies there, densities;
and which time is meant of what the data have one map of, or several."""

from __future__ import annotations

from datetime import date

import pytest

from knowflow.question.form import expression_of
from knowflow.question.normal import normal
from knowflow.question.operators import Quantity, walk
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords

_POPULATION = "over(population_count, time, mean)"
_DATA = DataWords(
    frozenset({"pm25_concentration", "population_count", "elevation", "precipitation", "land_cover_class"})
    | {"aboveground_biomass", "peat_depth__m", "flood_depth__m", "soil_loss", "insured_value__EUR"},
    classes={"land_cover_class": ("Forest", "Cropland")},
    objects=("Upper", "Lower"),
    dates=tuple(date(year, month, 1) for year in (2019, 2020) for month in range(1, 13)),
    keys=(("ward", "objects"),),
    called=(
        ("peat_depth__m", ("peat", "depth")),
        ("flood_depth__m", ("flood", "depth")),
        ("flood_depth__m", ("water", "depth", "above", "ground")),
        ("insured_value__EUR", ("insured", "value")),
    ),
    maps={"population_count": 1, "pm25_concentration": 24, "precipitation": 24, "flood_depth__m": 24, "elevation": 1}
    | {"aboveground_biomass": 2, "peat_depth__m": 1, "soil_loss": 1, "land_cover_class": 1, "insured_value__EUR": 1},
)


@pytest.mark.parametrize(
    ("question", "expression"),
    [
        # volumes and masses, by what they are measured of
        (
            "What is the volume of peat in Upper, in cubic metres?",
            "over(over(within(peat_depth__m, polygons(Upper)), space, integral), time, mean)",
        ),
        ("How much peat is there, in million m3?", "over(over(peat_depth__m, space, integral), time, mean)"),
        (
            "By how many cubic metres did the water volume grow from 2019 to 2020?",
            "calculate(difference, over(over(during(flood_depth__m, 2020), space, integral), time, mean),"
            " over(over(during(flood_depth__m, 2019), space, integral), time, mean))",
        ),
        (
            "By how many tonnes did the biomass of Upper change between 2019 and 2020?",
            "calculate(difference,"
            " over(over(within(during(aboveground_biomass, 2020), polygons(Upper)), space, integral), time, mean),"
            " over(over(within(during(aboveground_biomass, 2019), polygons(Upper)), space, integral), time, mean))",
        ),
        (
            "How many tonnes of soil are lost each year on cropland?",
            "over(over(within(soil_loss, is_class(land_cover_class, ['cropland'])), space, integral), time, mean)",
        ),
        (
            "Total above-ground biomass of 2020 in tonnes",
            "over(over(during(aboveground_biomass, 2020), space, integral), time, mean)",
        ),
        # what lies where, of one map at the time of the other
        (
            "How many people lived where PM2.5 was above 20 µg/m3 in 2020?",
            "over(over(within(population_count, beyond(over(during(pm25_concentration, 2020), time, mean), above,"
            " '20 ug m-3')), space, sum), time, mean)",
        ),
        (
            "How many residents were exposed to more than 20 µg/m3 of PM2.5 in 2020?",
            "over(over(within(population_count, beyond(over(during(pm25_concentration, 2020), time, mean), above,"
            " '20 ug m-3')), space, sum), time, mean)",
        ),
        (
            "How many people live below 10 m above sea level?",
            "over(over(within(population_count, beyond(elevation, below, '10 m')), space, sum), time, mean)",
        ),
        (
            "What is the total insured value in the area flooded on 1 March 2020?",
            "over(over(within(insured_value__EUR, over(beyond(during(flood_depth__m, '2020-03-01'), above, '0 m'),"
            " time, any)), space, sum), time, mean)",
        ),
        (  # how much of the ground, not how deep
            "What was the largest flooded area?",
            "over(over(beyond(flood_depth__m, above, '0 m'), space, area), time, maximum)",
        ),
        (
            "How many hectares of cropland stood under more than 0.5 m of water on 1 March 2020?",
            "over(within(is_class(land_cover_class, ['cropland']),"
            " beyond(over(during(flood_depth__m, '2020-03-01'), time, mean), above, '0.5 m')), space, area)",
        ),
        # shares of a whole
        (
            "What share of the population lives below 10 m?",
            f"weighted(beyond(elevation, below, '10 m'), {_POPULATION})",
        ),
        (
            "What per cent of the 2020 rain fell between October and December?",
            "calculate(ratio, over(over(during(during(precipitation, 2020), 'october-december'), space, integral),"
            " time, sum), over(over(during(precipitation, 2020), space, integral), time, sum))",
        ),
        (
            "Which ward received the largest share of the rain in 2020?",
            "extreme(over(over(split(during(precipitation, 2020), polygons()), space, integral), time, sum), highest)",
        ),
        (
            "What share of the population lives in each ward?",
            "calculate(ratio, over(over(split(population_count, polygons()), space, sum), time, mean),"
            " over(over(population_count, space, sum), time, mean))",
        ),
        # by what lies there
        (
            "Population-weighted mean PM2.5 in 2020",
            f"over(weighted(during(pm25_concentration, 2020), {_POPULATION}), time, mean)",
        ),
        (
            "What was the average exposure of the population to PM2.5 in 2020?",
            f"over(weighted(during(pm25_concentration, 2020), {_POPULATION}), time, mean)",
        ),
        (
            "Average peat depth weighted by the biomass of 2020",
            "over(weighted(peat_depth__m, over(during(aboveground_biomass, 2020), time, mean)), time, mean)",
        ),
        # densities
        (
            "Mean biomass per hectare in 2020",
            "over(over(during(aboveground_biomass, 2020), space, mean), time, mean)",
        ),
        (
            "Insured value per hectare of each ward",
            "over(calculate(ratio, over(split(insured_value__EUR, polygons()), space, sum),"
            " over(split(beyond(insured_value__EUR, at_least, 0), polygons()), space, area)), time, mean)",
        ),
    ],
)
def test_an_amount_is_read(question: str, expression: str) -> None:
    expected, faults = expression_of(expression)
    assert expected is not None, faults
    reading = read(question, _DATA)
    assert [normal(one) for one in reading.candidates()] == [normal(expected)], reading.apart or reading.unread


@pytest.mark.parametrize(
    "question",
    [
        "How many cats live in Upper?",
        "Income-weighted mean PM2.5 in 2020",
        "What share of the rain fell in January?",  # of what time is not said
        "What share of the elevation lies in Upper?",  # heights add up to nothing
    ],
)
def test_an_amount_of_nothing_that_is_known_is_asked_back(question: str) -> None:
    assert read(question, _DATA).candidates() == ()


def test_of_several_maps_that_of_the_time_is_meant() -> None:
    """People of three years are those of the year that is told of the air, where one is."""
    several = DataWords(_DATA.quantities, maps={**_DATA.maps, "population_count": 3})
    found = read("How many people lived where PM2.5 was above 20 µg/m3 in 2020?", several).candidates()
    assert len(found) == 1
    expected, _ = expression_of(
        "over(over(within(during(population_count, 2020), beyond(over(during(pm25_concentration, 2020), time, mean),"
        " above, '20 ug m-3')), space, sum), time, mean)"
    )
    assert expected is not None
    assert normal(found[0]) == normal(expected)


@pytest.mark.parametrize(
    "said", ["How deep was the snow on 1 April 2022?", "How thick was the snowpack in March 2021?"]
)
def test_the_water_of_the_snow_is_not_how_deep_it_lies(said: str) -> None:
    x = read(said, DataWords(frozenset({"snow_water_equivalent"}))).expression
    kinds = {part.kind for _, part in walk(x) if isinstance(part, Quantity)} if x is not None else set()
    assert "snow_water_equivalent" not in kinds
