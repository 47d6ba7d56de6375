"""Volumes between two surveys of a surface, and what quantities are seen by."""

from __future__ import annotations

from datetime import date

import pytest

from knowflow.question.normal import normal
from knowflow.question.operators import Calculate, Expression, Over
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords

DAYS = (date(2021, 5, 1), date(2023, 5, 1))
DATA = DataWords(
    frozenset({"elevation", "precipitation", "vertical_displacement"}),
    objects=("North pit",),
    keys=(("pit", "objects"),),
    dates=DAYS,
    maps={"elevation": 2},
    surveyed=("elevation",),
)


def _read(text: str) -> Expression | None:
    found = read(text, DATA).expression
    return None if found is None else normal(found)


@pytest.mark.parametrize(
    "said",
    [
        "How many cubic metres were dug out of the North pit from 2021 to 2023?",
        "Volume excavated from the North pit from 2021 to 2023",
        "How much material was removed from the North pit between 2021 and 2023?",
    ],
)
def test_what_was_dug_out_is_the_volume_between_two_surveys(said: str) -> None:
    found = _read(said)
    assert found is not None
    assert found == _read("How much volume did the North pit lose from 2021 to 2023?"), said
    assert isinstance(found, Calculate)
    assert "integral" in str(found)


def test_what_is_gained_is_the_other_way_round() -> None:
    lost, gained = (_read(f"Volume {how} in the North pit from 2021 to 2023") for how in ("lost", "gained"))
    assert isinstance(lost, Calculate)
    assert isinstance(gained, Calculate)
    assert (lost.a, lost.b) == (gained.b, gained.a)


def test_a_quantity_with_what_sees_it_is_that_quantity() -> None:
    assert _read("mean satellite precipitation in 2021") == _read("mean precipitation in 2021")
    assert _read("mean InSAR displacement in 2021") == _read("mean displacement in 2021")
    for said in ("mean InSAR precipitation in 2021", "mean drone precipitation in 2021", "mean satellite slope"):
        found = read(said, DATA).expression
        assert found is None or not isinstance(found, Over), said
