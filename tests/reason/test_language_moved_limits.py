"""Limits on how far a quantity moved from one time to another, told from limits on the quantity itself."""

from __future__ import annotations

import pytest

from knowflow.model.goal import Threshold
from knowflow.reason.language import missing, understand

YEARS = "between 2016 and 2017"


@pytest.mark.parametrize(
    ("query", "limit"),
    [
        ("Area in hectares where NDVI dropped by more than 0.3 from 2018 to 2023", Threshold(-0.3, None, "below")),
        (f"Hectares with a loss of NDVI over 0.25 {YEARS}", Threshold(-0.25, None, "below")),
        (f"Area with an NDVI drop larger than 0.4 {YEARS}", Threshold(-0.4, None, "below")),
        (f"Where did NDVI fall by 0.2 or more {YEARS}?", Threshold(-0.2, None, "below")),
        (f"What share of the area gained more than 0.2 in NDVI {YEARS}?", Threshold(0.2, None, "above")),
        (f"Where did NDVI rise by at least 0.2 {YEARS}?", Threshold(0.2, None, "above")),
        (f"Area with an NDVI increase above 0.2 {YEARS}", Threshold(0.2, None, "above")),
        ("Which hectares were more than 0.2 higher in NDVI in 2017 than in 2016?", Threshold(0.2, None, "above")),
        ("What share of the area was at least 0.1 drier in 2017 than in 2016?", Threshold(0.1, None, "above")),
        (f"Area where surface temperature rose by more than 3 °C {YEARS}", Threshold(3.0, "K", "above")),
        (f"Area where surface temperature fell by more than 9 °F {YEARS}", Threshold(-5.0, "K", "below")),
        ("What share of the area gained more than 0.2 between 2016 and 2017?", Threshold(0.2, None, "above")),
        (f"What share of the area lost NDVI {YEARS}?", Threshold(0.0, None, "below")),
        (f"How many hectares gained NDVI {YEARS}?", Threshold(0.0, None, "above")),
        (f"How much of the area became greener {YEARS}?", Threshold(0.0, None, "above")),
        (f"What share of the area became drier {YEARS}?", Threshold(0.0, None, "above")),
        ("What percentage of the pixels had a lower NDVI in 2017 than in 2016?", Threshold(0.0, None, "below")),
        (f"How much did NDVI fall {YEARS}?", None),
        ("What share of the area is losing NDVI?", None),
        (f"By how much did the area with NDVI above 0.5 shrink {YEARS}?", None),
        (f"What share of the forest lost NDVI {YEARS}?", None),
        ("share of the area that rises above 800 m", None),
        ("Share of the vegetation growing at more than 800 m", None),
        ("area where NDVI is greater than 0.2", None),
    ],
)
def test_how_far_a_quantity_moved_is_limited(query: str, limit: Threshold | None) -> None:
    goal = understand(query)
    assert goal.value("moved") == limit
    assert limit is None or ("threshold" not in goal.slots and {one.slot for one in missing(goal)} <= {"quantity"})


@pytest.mark.parametrize(
    ("query", "why"),
    [
        (f"What share of the area changed by more than 0.2 NDVI {YEARS}?", "no fall and of no rise alone"),
        (f"Area where NDVI fell by more than 20 % {YEARS}", "told in percent"),
        (f"Area where NDVI rose by more than 20 % {YEARS}", "told in percent"),
        (f"Area where NDVI fell by less than 0.1 {YEARS}", "no least fall or rise"),
        (f"Area where NDVI rose by between 0.1 and 0.2 {YEARS}", "no least fall or rise"),
        (f"Area where NDVI rose by more than 5 {YEARS}", "outside of what"),
        (f"Area where surface temperature rose by more than 3 {YEARS}", "has no unit"),
        (f"Area where surface temperature rose by more than 3 degrees {YEARS}", "degC or degF"),
        (f"What share of the area rose by 0.1 in NDVI {YEARS}?", "needs a limit"),
    ],
)
def test_a_change_that_no_step_looks_for_is_asked_back(query: str, why: str) -> None:
    goal = understand(query)
    assert "threshold" not in goal.slots
    assert any(why in one.why for one in missing(goal))


@pytest.mark.parametrize(
    ("query", "first", "second"),
    [
        ("lost more than 0.2 NDVI between August 2016 and August 2017", "2016-08-01", "2017-08-01"),
        ("gained more than 0.2 NDVI from 2016-08-04 to 2017-08-04", "2016-08-04", "2017-08-04"),
        ("lost NDVI between June and August 2017", "2017-06-01", "2017-08-01"),
        ("was more than 0.2 lower in NDVI in 2016 than in 2017", "2017-01-01", "2016-01-01"),
        ("in August 2016 had an NDVI that fell by more than 0.2 by August 2017", "2016-08-01", "2017-08-01"),
    ],
)
def test_two_times_are_compared_where_a_change_is_limited(query: str, first: str, second: str) -> None:
    compared = understand(f"What share of the area {query}?").value("comparison")
    assert [one.start for one in compared] == [first, second]
