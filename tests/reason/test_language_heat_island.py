"""How strong a heat island is, is no map of hot places."""

from __future__ import annotations

import pytest

from knowflow.reason.language import understand


@pytest.mark.parametrize(
    "text",
    [
        "What was the intensity of the urban heat island in July 2021?",
        "How strong is the urban heat island?",
        "Heat island intensity of the city",
    ],
)
def test_how_strong_a_heat_island_is_compares_the_town_with_the_ground_around_it(text: str) -> None:
    goal = understand(text)
    assert goal.value("operation") == "heat_island"
    assert goal.value("quantity") == "surface_temperature"
    assert goal.leftover == ()


def test_a_map_of_the_heat_island_and_its_cores_are_places() -> None:
    assert understand("Map the urban heat island").value("operation") == "map"
    assert understand("Where are the cores of the heat island?").value("operation") == "hotspots"
