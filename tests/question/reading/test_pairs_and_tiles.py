"""Layers of two dates, and of tiles, by what questions call these."""

from __future__ import annotations

from datetime import date

import pytest

from knowflow.model.artifact import Artifact
from knowflow.question.operators import During, Quantity, walk
from knowflow.question.reading.reader import read
from knowflow.question.reading.tiles import tile_code
from knowflow.question.reading.vocabulary import PAIR, TILE, DataWords
from knowflow.question.times import Times
from knowflow.reason.data_words import data_words
from knowflow.reason.inventory import inventory_of_names
from knowflow.reason.named_bands import is_other

COHERENCE = DataWords(quantities=frozenset({"coherence"}))


@pytest.mark.parametrize(
    "said",
    [
        "of the pair 2021-05-03 to 2021-05-27",
        "of the pair of 3 May 2021 and 27 May 2021",
        "of the pair 3 to 27 May 2021",
        "of the interferogram from 3 May to 27 May 2021",
        "in the interferogram between 2021-05-03 and 2021-05-27",
        "of the image pair 2021-05-03 / 2021-05-27",
    ],
)
def test_a_pair_is_of_its_two_dates_and_not_of_those_between(said: str) -> None:
    found = read(f"What was the mean coherence {said}?", COHERENCE)
    assert found.expression is not None, (found.unread, found.apart, found.alike)
    parts = [part for _, part in walk(found.expression)]
    assert Quantity("coherence", having=((PAIR, "2021-05-03/2021-05-27"),)) in parts
    assert [part.when for part in parts if isinstance(part, During)] == [Times(date(2021, 5, 3), date(2021, 5, 27))]


@pytest.mark.parametrize(
    "said",
    [
        "of the pair 2021-05-27 to 2021-05-03",
        "of the pair 2021-05-03",
        "of the pair 2021-05-03 to 2021-05-27 to 2021-06-01",
        "of the blue pair 2021-05-03 to 2021-05-27",
        "of the pair May 2021 to June 2021",
    ],
)
def test_what_is_no_pair_of_days_is_not_read(said: str) -> None:
    assert not read(f"What was the mean coherence {said}?", COHERENCE).candidates()


def test_of_pairs_that_overlap_that_of_both_dates_is_taken() -> None:
    names = ("20210503_20210527_corr.tif", "20210503_20210515_corr.tif", "20210515_20210527_corr.tif")
    files = inventory_of_names([f"coherence_{name}" for name in names]).rasters
    fitting = [item for item in files if is_other(item, ((PAIR, "2021-05-03/2021-05-27"),)) is None]
    assert [one.path for one in fitting] == [f"coherence_{names[0]}"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("N46_00_E010_00", "N46 E010"),
        ("n46e010", "longitude 010 latitude 46"),
        ("S05W060", "longitude -60 latitude -5"),
        ("T32UPU", "32upu"),
        ("h18v04", "H18 V4"),
        ("2598-1201", "2598 1201"),
        ("36_-2", "36 -2"),
    ],
)
def test_a_tile_is_one_however_it_is_written(one: str, other: str) -> None:
    assert tile_code(one) == tile_code(other)


def test_tiles_of_other_places_are_others() -> None:
    codes = ["N46E010", "N46W010", "S46E010", "N46E011", "N10E046", "36_2", "36_-2", "362", "h18v04", "h01v84"]
    assert len({tile_code(code) for code in codes}) == len(codes)


FILES = (
    "Copernicus_DSM_COG_10_N46_00_E010_00_DEM.tif",
    "Copernicus_DSM_COG_10_N46_00_E011_00_DEM.tif",
    "N46E010_slope.tif",
    "N46E011_slope.tif",
    "slope.tif",
)


@pytest.mark.parametrize(
    ("question", "file"),
    [
        ("What is the highest elevation of tile N46 E011?", FILES[1]),
        ("What is the highest elevation of the Copernicus DEM tile N46 E010?", FILES[0]),
        ("What is the mean slope in the tile N46E010?", FILES[2]),
    ],
)
def test_a_tile_chooses_its_file(question: str, file: str) -> None:
    inventory = inventory_of_names(FILES)
    found = read(question, data_words(inventory))
    assert found.expression is not None, (found.unread, found.apart, found.alike)
    (quantity,) = {part for _, part in walk(found.expression) if isinstance(part, Quantity)}
    fitting = [one for one in inventory.rasters if _is(one, quantity)]
    assert [one.path for one in fitting] == [file]


def _is(item: Artifact, quantity: Quantity) -> bool:
    return item.fact("quantity") == quantity.kind and is_other(item, quantity.having) is None


@pytest.mark.parametrize("said", ["of tile N48 E010", "of tile N46 E010 left", "of the blue tile N46 E010"])
def test_a_tile_that_is_not_held_is_not_read(said: str) -> None:
    found = read(f"What is the highest elevation {said}?", data_words(inventory_of_names(FILES)))
    assert all(TILE not in str(one) for one in found.candidates())
    assert not found.candidates()
