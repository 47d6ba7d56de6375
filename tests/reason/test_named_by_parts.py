"""A quantity that no data give, by the parts of its name."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import pytest

from knowflow.model.artifact import Artifact
from knowflow.model.facts import Fact, Facts, Origin
from knowflow.model.goal import Period, Slot, Threshold
from knowflow.reason.inventory import Inventory
from knowflow.reason.language import understand
from knowflow.reason.named_by_parts import by_parts

NOTHING = Inventory("")


@pytest.mark.parametrize(
    ("text", "quantity", "operation"),
    [
        ("Snow fraction of this image?", "ndsi", "share"),
        ("Total built-up surface in ha?", "ndbi", "area"),
        ("burned fraction", "dnbr", "share"),
    ],
)
def test_a_thing_and_what_is_asked_of_it(text: str, quantity: str, operation: str) -> None:
    goal = by_parts(understand(text), NOTHING)
    assert goal is not None
    assert (goal.value("quantity"), goal.value("operation")) == (quantity, operation)
    assert goal.slots["quantity"].default
    assert "no data tell" in goal.slots["quantity"].note


def test_what_the_goal_has_from_elsewhere_than_its_text_stays() -> None:
    goal = understand("Snow fraction of the last year?", today=dt.date(2021, 6, 1))
    told = {"threshold": Slot(Threshold(0.3, None, "above")), "region": Slot("Carinthia", "Carinthia")}
    read = by_parts(replace(goal, slots={**goal.slots, **told}), NOTHING)
    assert read is not None
    assert (read.value("quantity"), read.value("operation"), read.value("feature")) == ("ndsi", "share", "snow")
    assert read.value("period") == Period("2020-01-01", "2020-12-31")
    assert {name: read.slots[name] for name in told} == told


def test_an_ambiguity_that_was_settled_is_not_opened_again() -> None:
    goal = understand("Snow fraction of the dry season?")
    assert goal.ambiguities
    settled = replace(goal, ambiguities=(), leftover=())
    read = by_parts(settled, NOTHING)
    assert read is not None
    assert (read.ambiguities, read.leftover) == ((), ())


@pytest.mark.parametrize(
    "text",
    ["mean snow depth", "mean water vapour", "mean water temperature", "snow water equivalent", "mean NDVI"],
)
def test_a_name_that_says_more_has_no_parts(text: str) -> None:
    assert by_parts(understand(text), NOTHING) is None


def test_what_the_data_hold_is_not_taken_apart() -> None:
    held = Artifact("raster", Facts({"quantity": Fact("snow_fraction", Origin.DECLARED)}), name="snow")
    assert by_parts(understand("Snow fraction of this image?"), Inventory("", (held,))) is None
