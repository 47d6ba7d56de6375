"""What came and what went between two times, beside how much larger it is."""

from __future__ import annotations

import pytest

from knowflow.reason.language import understand


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Gains and losses of lake surface from 2001 to 2021 in km2", "both"),
        ("How much snow was lost, and how much was gained, between 2010 and 2020?", "both"),
        ("How much forest appeared and disappeared between 2001 and 2020?", "both"),
        ("Area of new water between 2003 and 2013", "gained"),
        ("What area became forest from 2005 to 2015?", "gained"),
        ("How many hectares of lake have vanished between 2001 and 2021?", "lost"),
        ("Which ground is no longer water in 2020 compared with 2010?", "lost"),
    ],
)
def test_ground_that_a_thing_came_to_or_went_from_is_no_net_change(text: str, value: str) -> None:
    goal = understand(text)
    assert goal.value("turnover") == value
    assert goal.value("operation") == "change"
    assert len(goal.value("comparison")) == 2
    assert goal.leftover == ()


@pytest.mark.parametrize(
    "text",
    [
        "By how much did the lake shrink between 2001 and 2021?",
        "How large was the lake in 2001?",
        "By what percentage did the water area increase or decrease from 2010 to 2020?",
        "Where was NDVI lost between 2016 and 2021?",
        "What share of the forest lost more than 0.2 NDVI between 2016 and 2021?",
    ],
)
def test_a_change_as_a_whole_and_one_of_values_is_no_turnover(text: str) -> None:
    assert "turnover" not in understand(text).slots
