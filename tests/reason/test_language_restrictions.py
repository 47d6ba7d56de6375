"""Where a quantity is wanted: a place that is named is kept, and of two nothing is dropped in silence."""

from __future__ import annotations

from knowflow.reason.language import unclear, understand


def test_a_place_that_is_named_takes_precedence_over_the_one_that_a_loose_word_suggests() -> None:
    goal = understand("How green are the steep slopes?")
    assert goal.value("quantity") == "ndvi"
    assert [quantity for quantity, _ in goal.value("conditions")] == ["slope"]
    assert unclear(goal) == ()


def test_two_places_of_one_quantity_are_asked_back() -> None:
    goal = understand("Is the vegetation of the steep slopes greener than that of the flat land?")
    assert [item.choices for item in goal.ambiguities if item.taken is None] == [("steep", "flat")]
    assert [item.slot for item in unclear(goal)] == ["class"]


def test_a_place_within_a_class_is_not_dropped() -> None:
    goal = understand("What is the NDVI of the forest in the burned area?")
    assert [item.slot for item in unclear(goal)] == ["class"]
