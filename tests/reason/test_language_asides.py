"""Clauses of a sentence that asks which ask nothing themselves."""

from __future__ import annotations

import pytest

from knowflow.reason.language import unclear, understand
from knowflow.reason.language.asides import asides


@pytest.mark.parametrize(
    ("text", "aside"),
    [
        (
            "The forest service calls a day mild if the mean LST is above 290 K. How many mild days are there?",
            "forest",
        ),
        ("We plan to build houses where it is flat, so give me the mean slope of each parcel.", "houses"),
        ("For the water works levy we need the mean NDVI.", "water"),
        ("To show the council how the forest cools us, I need the mean LST of each parcel.", "forest"),
        ("The levy hangs on forest land: I need the mean NDVI of every parcel.", "forest"),
        ("Crop insurer here. How many ha have an NDVI over 0.5?", "Crop"),
        ("The forest office asks for the mean slope.", "forest"),
        ("Bare or nearly bare: NDVI under 0.2. How many ha is that?", "bare"),
        ("Smooth ground is dark, so everything under -17 dB is taken as water. How many ha is it?", "water"),
        ("Fields are said to stay cool. Check it with the correlation of NDVI and LST.", "Fields"),
        ("The lake looks brown. What share of the land has a slope above 12 degrees?", "lake"),
        ("The woods are slowly recovering. By how much did the mean NBR rise each year?", "woods"),
    ],
)
def test_what_is_only_told_restricts_nothing(text: str, aside: str) -> None:
    goal = understand(text)
    assert "class" not in goal.slots
    assert aside in goal.value("aside")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("For the drainage levy we need the mean NDVI.", "For the drainage levy"),
        ("For the allotments we need the mean NDVI.", None),
        ("They plan to plant poplars here, so give the mean slope.", "They plan to plant poplars here, so"),
        ("They plan to plant poplars here, so that the bank holds.", None),
    ],
)
def test_things_that_may_be_polygons_and_what_is_so_that_something_follows_are_no_asides(
    text: str, told: str | None
) -> None:
    assert [text[first:past] for first, past in asides(text)] == ([told] if told else [])


@pytest.mark.parametrize(
    ("text", "slot", "value"),
    [
        ("For the forest we need the mean NDVI.", "class", "forest"),
        ("We want to know the mean NDVI of the forest, so give me that.", "class", "forest"),
        ("The forest is of interest. What is its mean NDVI?", "class", "forest"),
        ("The answer depends on the forest: how many ha have NDVI above 0.5 there?", "class", "forest"),
        ("What is the mean NDVI of the land of the forest owners?", "class", "forest"),
        ("In the forest, everything above 0.6 NDVI is taken as healthy. How many ha?", "class", "forest"),
        ("The district is growing. What is the mean NDVI of each district?", "group_by", "zone"),
    ],
)
def test_what_is_asked_about_does(text: str, slot: str, value: str) -> None:
    assert understand(text).value(slot) == value


@pytest.mark.parametrize(
    "text",
    [
        "A night is tropical for us if the mean surface temperature exceeds 293 K. How many tropical nights are there?",
        "Our agronomists call a date critical when the mean NDMI is below 0. How many critical dates were there?",
    ],
)
def test_a_word_that_the_question_explains_is_understood(text: str) -> None:
    goal = understand(text)
    assert goal.value("count_of") == "dates"
    assert goal.value("threshold") is not None
    assert not {"tropical", "critical"} & {*goal.leftover}
    assert unclear(goal) == ()


@pytest.mark.parametrize(
    "text",
    [
        "We regard pixels as water where MNDWI is above 0.1. How many hectares of water are there?",
        "A pixel is called water if MNDWI exceeds 0.1. How many hectares are water?",
    ],
)
def test_a_thing_that_the_question_explains_is_not_the_usual_one(text: str) -> None:
    goal = understand(text)
    assert goal.value("quantity") == "mndwi"
    assert goal.value("threshold").value == 0.1
    assert not {"feature", "class", "conditions"} & goal.slots.keys()


def test_a_word_that_nothing_explains_is_asked_back() -> None:
    assert unclear(understand("How many critical dates were there?"))


def test_what_is_said_in_other_words_is_what_is_meant() -> None:
    goal = understand("How much of the area is stressed vegetation, in other words where NDMI is below 0.1?")
    assert goal.value("quantity") == "ndmi"
    assert goal.value("threshold").value == 0.1
    assert "class" not in goal.slots
