"""Questions of what moves: how fast, which the fastest, and ground that goes down, where its sign is told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from knowflow.question.reading.features import FeatureLayer
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords
from tests.question.reading.same_reading import assert_read_as

DATA = DataWords(
    frozenset({"line_of_sight_velocity", "slope"}),
    objects=("Upper slide", "Lower slide"),
    keys=(("landslide", "objects"), ("landslides", "objects")),
    features=(FeatureLayer(None, 2, ("landslide", "landslides"), ("Upper slide", "Lower slide"), (), ()),),
    down=(("line_of_sight_velocity", -1),),
)
ICE = DataWords(frozenset({"ice_velocity"}))


@pytest.mark.parametrize(
    ("said", "other", "data"),
    [
        ("How fast does each landslide move on average?", "Mean line of sight velocity per landslide", DATA),
        ("How fast does the fastest ice move?", "What is the maximum ice velocity?", ICE),
        (
            "What area subsides faster than 20 mm per year?",
            "What area has a line of sight velocity below -20 mm/year?",
            DATA,
        ),
        (
            "Which landslide sinks the least?",
            "Which landslide has the highest mean line of sight velocity?",
            DATA,
        ),
        ("Which landslide is sinking slowest?", "Which landslide sinks the least?", DATA),
        ("Which landslide subsides the fastest?", "Which landslide sinks the most?", DATA),
        ("What is the fastest sinking?", "What is the maximum rate of sinking?", DATA),
        (
            "What area sinks by more than 20 mm a year?",
            "What area subsides faster than 20 mm per year?",
            DATA,
        ),
        ("At what rate is each landslide sinking?", "How fast does each landslide sink?", DATA),
        ("Which landslide is moving fastest?", "Which landslide moves the fastest?", DATA),
    ],
)
def test_what_moves_is_asked_by_verbs(said: str, other: str, data: DataWords) -> None:
    assert_read_as(said, other, data)


def test_the_fastest_is_so_whichever_way_it_moves() -> None:
    assert "absolute value" in read("Which landslide moves the fastest?", DATA).in_words(
        read("Which landslide moves the fastest?", DATA).candidates()[0]
    )


@pytest.mark.parametrize("down", [(), (("line_of_sight_velocity", 1),)])
def test_ground_sinks_only_where_the_sign_of_it_is_told(down: tuple[tuple[str, int], ...]) -> None:
    untold = replace(DATA, down=down)
    assert read("What area subsides faster than 20 mm per year?", untold).expression is None
    assert read("Which landslide sinks the most?", untold).expression is None


@pytest.mark.parametrize("said", ["subsidence rate", "sinking rate", "rate of sinking"])
def test_a_rate_downwards_is_told_downwards(said: str) -> None:
    """Of velocities that are told upwards: the largest subsidence is the lowest of them."""
    held = DataWords(frozenset({"vertical_velocity_of_ground"}))
    for question in (f"max {said} on the map", f"area with a {said} above 200 mm per year"):
        found = read(question, held).expression
        assert found is None or "Number(value=-1.0" in repr(found), question
    assert read("max subsidence rate on the map", held).expression is not None
