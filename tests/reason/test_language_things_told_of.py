"""Superlatives that tell of a thing on the ground what another quantity is: "the warmest water"."""

from __future__ import annotations

import pytest

from knowflow.reason.language import understand


@pytest.mark.parametrize(
    ("text", "quantity", "place"),
    [
        ("How warm is the warmest lake?", "surface_temperature", "water"),
        ("Give the temperature of the coolest water.", "surface_temperature", "water"),
        ("What is the coldest snow?", "surface_temperature", "snow"),
        ("When was the reservoir warmest?", "surface_temperature", "water"),
        ("Where is the steepest built-up land?", "slope", "built_up"),
    ],
)
def test_a_thing_is_where_the_quantity_of_its_superlative_is_wanted(text: str, quantity: str, place: str) -> None:
    goal = understand(text)
    assert (goal.value("quantity"), goal.value("class")) == (quantity, place)


@pytest.mark.parametrize(
    ("text", "quantity"),
    [
        ("When was the vegetation greenest?", "ndvi"),
        ("How large is the water on the warmest day?", "ndwi"),
        ("What is the largest lake?", "ndwi"),
    ],
)
def test_a_superlative_of_the_thing_itself_or_of_something_else_leaves_its_quantity(text: str, quantity: str) -> None:
    assert understand(text).value("quantity") == quantity
