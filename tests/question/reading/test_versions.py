"""Features of which there are files of several years: those of the year that is told, or it is asked which."""

from __future__ import annotations

from datetime import date

import pytest

from knowflow.question.operators import Polygons, walk
from knowflow.question.reading.features import FeatureLayer
from knowflow.question.reading.reader import read
from knowflow.question.reading.readings import Reading
from knowflow.question.reading.vocabulary import DataWords
from knowflow.question.typing_of_features import OF_YEAR

LAYER = f"lakes_{OF_YEAR}"
DATA = DataWords(
    frozenset({"elevation", "ndvi"}),
    objects=("Long Lake", "Mirror Lake"),
    keys=(("lake", f"objects of {LAYER}"), ("outline", f"objects of {LAYER}")),
    dates=(date(1999, 7, 1), date(2020, 7, 1)),
    maps={"ndvi": 2, "elevation": 2},
    surveyed=("elevation",),
    features=(
        FeatureLayer(LAYER, 2, ("lake", "outline"), ("Long Lake", "Mirror Lake"), (), (), versions=(1999, 2020)),
    ),
)


def layers(reading: Reading) -> list[set[str | None]]:
    return [{part.layer for _, part in walk(one) if isinstance(part, Polygons)} for one in reading.candidates()]


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("How large was Long Lake in 1999, in hectares?", {"lakes_1999"}),
        ("By how much did Long Lake shrink from 1999 to 2020?", {"lakes_1999", "lakes_2020"}),
        ("What was the mean NDVI of Long Lake in 2020?", {"lakes_2020"}),
        ("What is the lowest elevation of Long Lake in 1999?", {"lakes_1999"}),
        ("What was the mean NDVI in 2020 within the 1999 outline of Long Lake?", {"lakes_1999"}),
        ("By how much did NDVI rise from 1999 to 2020 in Long Lake, within its 1999 outline?", {"lakes_1999"}),
    ],
)
def test_a_year_tells_which_are_meant(said: str, meant: set[str]) -> None:
    assert layers(read(said, DATA)) == [meant]


@pytest.mark.parametrize(
    "said", ["How large is Long Lake?", "By how much did NDVI rise from 1999 to 2020 in Long Lake?"]
)
def test_without_a_year_it_is_asked_which(said: str) -> None:
    assert layers(read(said, DATA)) == [{"lakes_1999"}, {"lakes_2020"}]


def test_of_other_years_there_are_none() -> None:
    assert read("How large was Long Lake in 2010?", DATA).candidates() == ()
