"""Turns of phrase: what they make of a question, and what the whole question turns on and nobody knows."""

from __future__ import annotations

from typing import Any

import pytest

from knowflow.model.goal import Period
from knowflow.reason.language import missing, unclear, understand


@pytest.mark.parametrize(
    ("text", "slot", "value"),
    [
        ("By how many kelvin per year did the surface temperature rise?", "operation", "trend"),
        ("How much does NDVI fall per year?", "operation", "trend"),
        ("What was the highest mean NDVI of all dates?", "over_dates", "maximum"),
        ("Give the smallest scene average of NDVI", "over_dates", "minimum"),
        ("How high was the AOD at its worst, as an average over the area?", "over_dates", "maximum"),
        ("What is the maximum NDVI?", "over_dates", None),
        ("What are the maximum and mean NDVI?", "over_dates", None),
        ("Area in hectares where NDVI dropped by more than 0.3", "drop", 0.3),
        ("Hectares with a loss of NDVI over 0.25", "drop", 0.25),
        ("Area where NDVI fell by more than 20 %", "drop", None),
        ("Area where NDVI dropped by more than 0.3", "threshold", None),
        ("When was it driest?", "statistic", "maximum"),
        ("On which date was the mean NBR at its minimum?", "statistic", "minimum"),
        ("Average sigma nought in dB", "quantity", "sigma0_db"),
        ("Average sigma nought", "quantity", "sigma0"),
        ("When was the water most turbid?", "quantity", "ndti"),
        ("How large is the lake?", "quantity", "ndwi"),
        ("Mean AOD of the first days of March 2023", "operation", "mean"),
        ("Burned area in ha, counting dNBR greater than 0.27", "operations", ("area",)),
        ("How high is the highest point?", "statistic", "maximum"),
        ("Combine all dates into one median NDVI image.", "operation", "composite"),
        ("Size in ha of the largest hot area above 310 K", "operations", ("largest_patches",)),
        ("Largest fire radiative power on 2019-12-30?", "statistic", "maximum"),
        ("Smallest NDVI?", "statistic", "minimum"),
        ("How many hectares of built-up land were added between 2016 and 2022?", "operation", "change"),
        ("What percentage of the scene has NDMI below 0?", "operation", "share"),
    ],
)
def test_what_a_turn_of_phrase_means(text: str, slot: str, value: Any) -> None:
    assert understand(text).value(slot) == value


@pytest.mark.parametrize(
    ("text", "compared"),
    [
        ("How many dates of July and August 2022 had a mean NDVI above 0.5?", False),
        ("Which month was warmer in 2023, January or February?", False),
        ("How much warmer was February 2023 than January 2023?", True),
        ("How many hectares burned between 20 July and 24 August 2021?", True),
        ("Mean NDVI between 20 July and 24 August 2021", False),
    ],
)
def test_two_times_are_compared_only_where_something_is(text: str, compared: bool) -> None:
    assert ("comparison" in understand(text).slots) is compared


def test_an_event_lies_between_the_ends_of_its_time() -> None:
    goal = understand("How many hectares were flooded between 5 July and 20 July 2021?")
    days = (Period("2021-07-05", "2021-07-05"), Period("2021-07-20", "2021-07-20"))
    assert goal.value("comparison") == days


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("How salty is the water?", "salty"),
        ("How many people were affected by the flood?", "people"),
        ("How deep is the snow?", "deep"),
        ("How hot will it be?", "future"),
        ("How green will it be next summer?", "future"),
        ("Predict tomorrow's NDVI", "future"),
    ],
)
def test_what_the_question_turns_on_and_nobody_knows_is_told(text: str, says: str) -> None:
    assert any(says in item.why for item in unclear(understand(text)))


@pytest.mark.parametrize(
    "text",
    [
        "How strongly are NDVI and surface temperature correlated?",
        "How much larger was the water surface in 2021 than in 2020?",
        "How dry is every land cover class? Mean TVDI please.",
        "How large is the lake?",
        "How much of the area is snow?",
        "How many lakes are there?",
    ],
)
def test_degrees_and_known_words_are_no_unknown(text: str) -> None:
    assert not [item for item in unclear(understand(text)) if "nothing is known" in item.why]


def test_a_least_decrease_is_a_limit() -> None:
    asked = understand("Area in hectares where NDVI dropped by more than 0.3 from 2018 to 2023")
    assert not [item for item in missing(asked) if item.slot == "threshold"]
