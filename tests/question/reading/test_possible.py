"""Limits that lie in what their quantity may be, how low ground of a kind reaches, and how much of each is covered."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowflow.question.operators import Quantity, walk
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords
from tests.question.reading.same_reading import assert_read_as

SNOW = DataWords(
    quantities=frozenset({"ndsi", "elevation"}), scales={"ndsi": 0.01}, called=(("ndsi", ("ndsi", "snow", "cover")),)
)
PLOTS = DataWords(quantities=frozenset({"land_cover_class", "water_mask"}), keys=(("district", "objects"),))


@given(st.sampled_from(["ndsi", "ndvi", "ndwi"]), st.integers(2, 99), st.sampled_from(["above", "below", "at least"]))
def test_a_limit_in_the_numbers_of_the_files_is_scaled_as_these_are(kind: str, limit: int, side: str) -> None:
    data = DataWords(quantities=frozenset({kind}), scales={kind: 0.01})
    said = f"How many km2 had {kind} {side}"
    assert_read_as(f"{said} {limit}?", f"{said} {limit / 100}?", data)
    assert_read_as(f"{said} {limit / 100}?", f"{said} {limit / 100}?", data)
    assert read(f"{said} {limit}?", DataWords(quantities=frozenset({kind}))).expression is None


def test_what_cannot_be_that_deep_is_meant_otherwise() -> None:
    found = read("Snow above 3000 m, km2", SNOW).expression
    assert found is not None
    kinds = {part.kind for _, part in walk(found) if isinstance(part, Quantity)}
    assert "elevation" in kinds
    assert "snow_depth" not in kinds


@pytest.mark.parametrize(
    "said",
    [
        "How high is the lowest snow pixel?",
        "the lowest snow pixel in m",
        "How low did the snow reach?",
        "How low did snow come down?",
    ],
)
def test_the_lowest_of_some_ground_is_how_high_it_lies(said: str) -> None:
    assert_read_as(said, "What is the minimum elevation where there is snow?", SNOW)


@pytest.mark.parametrize(
    ("said", "other"),
    [
        ("Which districts were more than 40 % under water?", "Which districts were over 40 % water?"),
        ("Which districts were less than half covered by water?", "Which districts had less than 50 % water?"),
        ("Districts more than 90% snow-covered", "Which districts had more than 90 % snow?"),
        ("How many districts were more than half snow covered?", "How many districts had more than 50 % snow?"),
    ],
)
def test_how_much_of_each_is_covered_is_a_share_of_it(said: str, other: str) -> None:
    data = DataWords(
        quantities=SNOW.quantities | {"water_mask"}, keys=PLOTS.keys, scales=SNOW.scales, called=SNOW.called
    )
    assert_read_as(said, other, data)
