"""Comparatives without a number, two places of which neither is left out, and measures that nobody knows."""

from __future__ import annotations

import pytest

from knowflow.reason.language import unclear, understand


def test_a_comparative_of_two_years_asks_for_a_difference_of_what_it_speaks_of() -> None:
    goal = understand("Was 2016 greener than 2015?")
    assert goal.value("operation") == "difference"
    assert goal.slots["quantity"].value == "ndvi"
    assert goal.slots["quantity"].default
    assert [period.start[:4] for period in goal.value("comparison")] == ["2015", "2016"]


def test_a_comparative_before_a_number_is_a_limit() -> None:
    goal = understand("What share of the area is warmer than 300 K?")
    assert goal.value("operations") == ("share",)
    assert goal.value("threshold").value == 300.0


@pytest.mark.parametrize("query", ["Are the fields greener than the forest?", "Which is greener, forest or cropland?"])
def test_of_two_classes_none_is_left_out_in_silence(query: str) -> None:
    assert [item.slot for item in unclear(understand(query))] == ["class"]


@pytest.mark.parametrize(
    "query",
    [
        "What is the quotient of the NDVI of 2022 and of 2015?",
        "Divide the mean NDVI of May 2015 by the mean NDVI of the whole year 2015",
        "How volatile was the mean NDVI?",
        "How heavy is the tailedness of NDVI?",
    ],
)
def test_a_measure_that_nobody_knows_is_not_replaced_by_another(query: str) -> None:
    assert [item.slot for item in unclear(understand(query))] == ["operation"]


@pytest.mark.parametrize(
    "query",
    [
        "How pronounced is the trend of NDVI?",
        "What was the mean NDVI of the shores of the lake?",
        "What is the correlation coefficient of NDVI and elevation?",
        "What is the average height of the terrain?",
    ],
)
def test_words_beside_a_known_measure_ask_for_nothing_else(query: str) -> None:
    assert unclear(understand(query)) == ()
