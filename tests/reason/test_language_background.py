"""Sentences that ask nothing: what the question takes of them, and what it does not."""

from __future__ import annotations

import pytest

from knowflow.reason.language import understand


@pytest.mark.parametrize(
    "text",
    [
        "I manage these fields. What is the mean NDVI of each parcel?",
        "My estate has old woods. What is the mean NDVI?",
        "There are wetlands around here. How large is the area with NDVI above 0.6?",
        "What is the mean NDVI? We have meadows and orchards.",
        "A colleague of mine denies that the forest dies. What is the mean NDVI?",
        "The town keeps eating fields, they say. What is the mean NDVI?",
    ],
)
def test_a_motive_restricts_no_question(text: str) -> None:
    goal = understand(text)
    assert "class" not in goal.slots
    assert goal.value("quantity") == "ndvi"
    assert goal.value("aside")


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("We look after forests. What is their mean NDVI?", "forest"),
        ("There is a forest. How warm is it on average?", "forest"),
        ("Our focus is the forest. What is the mean NDVI?", "forest"),
        ("Consider only the forest. What is the mean NDVI?", "forest"),
        ("I own meadows. What is the mean NDVI of the forest?", "forest"),
        ("I need the mean NDVI of the forest. My boss is waiting.", "forest"),
    ],
)
def test_what_the_question_speaks_of_restricts_it(text: str, where: str) -> None:
    goal = understand(text)
    assert goal.value("class") == where
    assert "forest" not in str(goal.value("aside"))


def test_what_the_question_leaves_open_is_taken_from_before_it() -> None:
    goal = understand("The lake has been shrinking. How many hectares are left?")
    assert goal.value("feature") == "open_water"
    assert "aside" not in goal.slots


def test_a_definition_belongs_to_the_question() -> None:
    goal = understand("Our rule is that NDVI above 0.4 is green. What share of the area is that?")
    assert goal.value("quantity") == "ndvi"
    assert goal.value("threshold").value == 0.4
    assert goal.value("operation") == "share"


def test_the_one_place_that_somebody_speaks_for_groups_nothing() -> None:
    assert "group_by" not in understand("I work for the commune of Oberdorf. How high is the ground?").slots


def test_what_is_counted_as_something_is_not_counted() -> None:
    assert understand("NDVI above 0.4 counts as green. What part of the city is that?").value("operation") == "share"


def test_data_that_are_named_first_are_no_question() -> None:
    goal = understand("I have LST and elevation of the valley. What share of the area is steeper than 20 degrees?")
    assert goal.value("quantity") == "slope"
    assert set(goal.value("sources")) == {"surface_temperature", "elevation"}


def test_a_limit_in_a_unit_says_what_the_question_is_about() -> None:
    goal = understand("Calm water is dark in radar images. How many hectares are below -17 dB?")
    assert goal.value("quantity") == "sigma0_db"
    assert "feature" not in goal.slots


def test_a_motive_is_kept_apart_from_what_the_question_is_about() -> None:
    goal = understand("The fire came in August. What is the change in mean NBR from June 2020 to September 2020?")
    assert goal.value("background") == ("The fire came in August.",)
    assert (goal.value("quantity"), goal.value("operation")) == ("nbr", "change")
    assert "background" not in understand("The lake has been shrinking. How many hectares are left?").slots
    assert "landslide" not in understand("We map landslides. How many ha have slope over 25 degrees?").leftover


@pytest.mark.parametrize(
    ("question", "period"),
    [
        ("I have the images of 2020 and 2021. What is the mean NDVI of 2021?", ("2021-01-01", "2021-12-31")),
        ("I have the images of 2020 and 2021. What is their mean NDVI of 2021?", ("2021-01-01", "2021-12-31")),
        ("It rained a lot in 2019. What was the mean NDVI in 2020?", ("2020-01-01", "2020-12-31")),
        ("These are images of 2020. What is the mean NDVI?", ("2020-01-01", "2020-12-31")),
        ("We have images of 2020 and 2021. What is the mean NDVI in July?", ("2020-01-01", "2021-12-31")),
    ],
)
def test_a_question_that_names_its_own_years_is_not_about_those_told_before(
    question: str, period: tuple[str, str]
) -> None:
    found = understand(question).value("period")
    assert (found.start, found.end) == period


def test_what_is_compared_may_begin_with_a_time_that_was_told() -> None:
    goal = understand("The fire came in August 2020. How much forest was lost by 2021?")
    assert [(one.start, one.end) for one in goal.value("comparison")] == [
        ("2020-08-01", "2020-08-31"),
        ("2021-01-01", "2021-12-31"),
    ]
    goal = understand("We have data from 2015 to 2022. By how much did the mean NDVI differ between 2018 and 2020?")
    assert [one.start for one in goal.value("comparison")] == ["2018-01-01", "2020-01-01"]
