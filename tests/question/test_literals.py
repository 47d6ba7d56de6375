"""Stated numbers and times by name: what is set is what stands there, and nothing else changes."""

from __future__ import annotations

import pytest

from knowflow.ground.errors import PlanningError
from knowflow.question.form import to_data
from knowflow.question.literals import literals, with_literals
from knowflow_bench.random_expressions import Growth
from knowflow_bench.random_scenes import random_scene
from tests.question.test_question_check import read

ASKED = "over(beyond(over(during(surface_temperature, 2017), space, percentile, 80), above, '300 K'), time, count)"


def test_what_is_stated_has_the_name_of_its_field() -> None:
    assert {name: one.text for name, one in literals(read(ASKED)).items()} == {
        "limit": "300 K",
        "p": "80.0",
        "when": "2017",
    }


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"limit": "20 degC"}, ASKED.replace("300 K", "20 degC")),
        ({"limit": 305}, ASKED.replace("300 K", "305 K")),
        ({"when": "summer 2018", "p": 90}, ASKED.replace("2017", "'summer 2018'").replace("80", "90")),
    ],
)
def test_what_is_set_stands_there(settings: dict[str, object], expected: str) -> None:
    assert with_literals(read(ASKED), settings) == read(expected)


@pytest.mark.parametrize(
    ("settings", "found"),
    [({"limits": 1}, "limits"), ({"limit": "warm"}, "warm"), ({"when": "soon"}, "soon"), ({"limit": "3 m"}, "unit")],
)
def test_what_is_nothing_of_it_is_refused(settings: dict[str, object], found: str) -> None:
    with pytest.raises(PlanningError) as error:
        with_literals(read(ASKED), settings)
    assert found in f"{error.value.found} {error.value.expected}"


def test_what_is_set_to_what_it_is_changes_nothing_and_each_can_be_set() -> None:
    scene = random_scene(1)
    met = 0
    for expression in Growth(scene, 1).expressions(60):
        for name, one in literals(expression).items():
            met += 1
            assert to_data(with_literals(expression, {name: one.text})) == to_data(expression)
    assert met > 40
