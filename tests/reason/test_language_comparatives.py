"""Comparatives without a number, and two places of which neither is left out."""

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
