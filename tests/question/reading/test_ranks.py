"""Ranks with their values, correlations by what they are over, trends told per year."""

from __future__ import annotations

from dataclasses import replace

import pytest

from knowflow.question.form import expression_of
from knowflow.question.normal import equal
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords

RAIN = "over(split(over(precipitation, space, mean), {}), time, sum)"
NDVI = "over(ndvi, space, mean)"


@pytest.mark.parametrize(
    ("question", "expression", "unit"),
    [
        ("Name the three wettest years and their rainfall in mm.", f"extreme({RAIN.format('year')}, highest, 3)", "mm"),
        (
            "Give the three rainiest months with their mean rainfall.",
            f"extreme({RAIN.format('month')}, highest, 3)",
            None,
        ),
        ("Which month was the wettest of all 24?", f"extreme({RAIN.format('month')}, highest)", None),
        ("When was the mean NDVI lowest, and how low was it?", f"extreme({NDVI}, lowest)", None),
        (
            "What was the greenest month and how green was it?",
            f"extreme(over(split({NDVI}, month), time, mean), highest)",
            None,
        ),
        (
            "Correlation across the years between rainfall and area-mean NDVI",
            f"correlate({RAIN.format('year')}, over(split({NDVI}, year), time, mean), time)",
            None,
        ),
        (
            "What is the linear trend of the annual mean water area, in hectares per year?",
            "trend(over(split(over(water_mask, space, area), year), time, mean))",
            "ha year-1",
        ),
        (
            "How far above the average of the other years was the water area of 2018, in hectares?",
            "over(during(anomaly(over(water_mask, space, area), difference), 2018), time, mean)",
            "ha",
        ),
        (
            "Which year had more rain, 2019 or 2020?",
            "extreme(over(split(over(during(precipitation, '2019-01-01/2020-12-31'), space, mean), year), time, sum),"
            " highest)",
            None,
        ),
        (
            "In which district did mean annual rainfall vary most from year to year, by standard deviation?",
            "extreme(over(over(split(over(split(precipitation, polygons()), space, mean), year), time, sum), time,"
            " deviation), highest)",
            None,
        ),
        ("Which year was the wettest over the whole period?", f"extreme({RAIN.format('year')}, highest)", None),
        ("How does NDVI correlate with slope?", "correlate(over(ndvi, time, mean), slope, space)", None),
        (
            "Is NDVI in 2020 correlated with LST? Give the correlation coefficient.",
            "correlate(during(ndvi, 2020), during(surface_temperature, 2020), both)",
            None,
        ),
        (
            "Linear trend of the water area 2015-2021, in hectares per year",
            "trend(over(during(water_mask, '2015-01-01/2021-12-31'), space, area))",
            "ha year-1",
        ),
    ],
)
def test_what_is_told_with_it(question: str, expression: str, unit: str | None) -> None:
    data = DataWords(frozenset({"precipitation", "ndvi", "slope", "surface_temperature", "water_mask"}))
    found = read(question, data)
    assert found.expression is not None, found
    assert equal(found.expression, expression_of(expression)[0]), found.expression
    assert found.unit == unit


@pytest.mark.parametrize(
    "question",
    [
        "What was the warmest month and how green was it?",
        "What was the mean NDVI in 2020 and how low was it?",
    ],
)
def test_what_the_number_is_of_is_said_or_asked_back(question: str) -> None:
    assert read(question).expression is None


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("What is the deepest bed level in Neudorf?", "What is the lowest elevation in Neudorf?"),
        ("What is the shallowest bed level in Neudorf?", "What is the highest elevation in Neudorf?"),
        ("deepest point of Neudorf", "lowest point of Neudorf"),
        ("shallowest spot in Neudorf", "highest point of Neudorf"),
    ],
)
def test_the_deepest_of_heights_of_a_bed_is_the_lowest(said: str, meant: str) -> None:
    heights = DataWords(
        frozenset({"elevation"}), objects=("Neudorf",), called=(("elevation", ("bed", "level")),), maps={"elevation": 1}
    )
    depths = replace(heights, quantities=frozenset({"bathymetry"}), called=(), maps={"bathymetry": 1})
    told, plain = read(said, heights), read(meant, heights)
    assert told.expression is not None
    assert plain.expression is not None
    assert equal(told.expression, plain.expression)
    deep = read(said.replace("bed level", "depth"), depths).expression
    assert deep is not None
    assert not equal(deep, plain.expression)
