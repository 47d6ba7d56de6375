"""Movements that a question names as what is wanted."""

from __future__ import annotations

import pytest

from knowflow.reason.language import understand


@pytest.mark.parametrize(
    "text",
    [
        "Where did the EVI plunge between 2016 and 2021?",
        "Where has NDVI risen between 2016 and 2021?",
        "What was the slump of the surface temperature from June 2019 to June 2021?",
        "Tell me the uptick in EVI from 2016 to 2021.",
    ],
)
def test_what_moved_from_one_time_to_another_is_a_change(text: str) -> None:
    goal = understand(text)
    assert goal.value("operation") == "change"
    assert len(goal.value("comparison")) == 2
    assert goal.leftover == ()


@pytest.mark.parametrize(
    ("text", "operation"),
    [
        ("Where did NDVI sink below 0.2 in 2019?", "mask"),
        ("Where is the NDVI that surged above 0.4?", "mask"),
        ("What was the mean EVI in the fall between 2016 and 2021?", "mean"),
    ],
)
def test_what_fell_beyond_a_limit_and_seasons_of_growth_are_no_change(text: str, operation: str) -> None:
    assert understand(text).value("operation") == operation


def test_the_movement_of_which_a_question_asks_how_far_is_not_passed_over() -> None:
    goal = understand("By how much did the mean EVI plummet between 2016 and 2021?")
    assert goal.value("operation") == "difference"
    assert goal.leftover == ()
