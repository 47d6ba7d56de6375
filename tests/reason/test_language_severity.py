"""How severely something burned, by the names of the classes of dNBR."""

from __future__ import annotations

import pytest

from knowflow.model.goal import Threshold
from knowflow.reason.language import understand


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("What share of the scene has high fire severity?", Threshold(0.66, None, "above")),
        ("Which area was lightly burned?", Threshold(0.1, None, "between", 0.27)),
        ("How many km2 burned with moderate-low severity?", Threshold(0.27, None, "between", 0.44)),
        ("Area of low to moderate burn severity", Threshold(0.1, None, "between", 0.66)),
        ("How many hectares have at least moderate burn severity?", Threshold(0.27, None, "above")),
        ("Where was the burn severity high?", Threshold(0.66, None, "above")),
    ],
)
def test_a_class_of_severity_stands_for_its_limits(text: str, limit: Threshold) -> None:
    goal = understand(text)
    assert goal.value("threshold") == limit
    assert "Key & Benson" in goal.slots["threshold"].note
    assert goal.leftover == ()


@pytest.mark.parametrize(
    ("text", "classes"),
    [
        ("Area in km2 of every grade of fire severity", 5),
        ("Share of the area in each burn severity class", 5),
        ("How many ha burned with low and how many with high severity?", 2),
        ("Hectares of low, moderate and high burn severity", 4),
    ],
)
def test_several_classes_are_told_apart(text: str, classes: int) -> None:
    goal = understand(text)
    assert len(goal.value("severity_classes")) == classes
    assert "group_by" not in goal.slots
    assert goal.leftover == ()


@pytest.mark.parametrize(
    "text", ["What share of the area has a dNBR above 0.5?", "Where is the severity of the drought high?"]
)
def test_a_limit_that_is_said_and_other_severities_stay_as_they_are(text: str) -> None:
    goal = understand(text)
    assert "severity_classes" not in goal.slots
    assert goal.value("threshold") in (None, Threshold(0.5, None, "above")) or goal.slots["threshold"].default
