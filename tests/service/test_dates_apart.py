"""Dates that hold the same pixels, or cover other ground, are told by name; dates of one series are not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from affine import Affine

from knowflow import KnowFlow
from knowflow.model.artifact import Artifact
from knowflow.model.plan import Plan
from knowflow.reason.inventory import remembered
from knowflow.service import dates_apart as apart
from knowflow.service import plan_checks


def write(folder: Path, day: str, seed: int, *, west: float = 0.0, constant: bool = False, note: str = "") -> None:
    folder.mkdir(exist_ok=True)
    pixels = 0.3 + 0.1 * np.random.default_rng(seed).random((40, 40), dtype=np.float32)
    pixels = np.full_like(pixels, 0.3) if constant else pixels
    place = Affine(10, 0, 500_000 + west, 0, -10, 5_100_000)
    profile = {"driver": "GTiff", "height": 40, "width": 40, "count": 1, "crs": "EPSG:32633", "dtype": "float32"}
    with rasterio.open(folder / f"NDVI_{day}.tif", "w", **profile, transform=place) as file:
        file.write(pixels, 1)
        file.update_tags(QUANTITY="ndvi", NOTE=note)


def told(folder: Path, query: str = "What is the mean NDVI of each date?") -> list[str]:
    notes = KnowFlow().plan(query, folder).notes
    return [note for note in notes if "several dates" in note or "unlike extent" in note]


@pytest.mark.parametrize(
    "query", ["What is the mean NDVI of each date?", "How did NDVI change between 2020-06-01 and 2020-07-01?"]
)
def test_the_same_pixels_under_two_dates_are_told(tmp_path: Path, query: str) -> None:
    write(tmp_path, "2020-06-01", 1)
    write(tmp_path, "2020-07-01", 1, note="another header")
    (note,) = told(tmp_path, query)
    assert note.startswith("the same pixels under several dates: NDVI_2020-07-01.tif (as NDVI_2020-06-01.tif)")


def test_a_date_of_other_ground_is_told_with_what_it_shares(tmp_path: Path) -> None:
    for seed, day in enumerate(("2020-06-01", "2020-07-01", "2020-08-01")):
        write(tmp_path, day, seed)
    write(tmp_path, "2020-09-01", 9, west=200.0)  # half of the width: 20 of 60 columns are of both
    (note,) = told(tmp_path)
    assert note.startswith(
        "dates of unlike extent: NDVI_2020-09-01.tif has 33% of its ground in common with NDVI_2020-0"
    )


@pytest.mark.parametrize(
    ("second", "extent"),
    [(2, 0.0), (2, 10.0)],  # other pixels; the same but for a column
)
def test_dates_of_one_series_are_not_told_of(tmp_path: Path, second: int, extent: float) -> None:
    write(tmp_path, "2020-06-01", 1)
    write(tmp_path, "2020-07-01", second, west=extent)
    assert told(tmp_path) == []


def test_dates_of_one_number_everywhere_may_well_be_the_same(tmp_path: Path) -> None:
    write(tmp_path, "2020-06-01", 1, constant=True)
    write(tmp_path, "2020-07-01", 2, constant=True)
    assert told(tmp_path) == []


def test_pixels_are_looked_at_once_for_each_state_of_their_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remembered, "_SETTLED_NS", -(10**18))  # files count as settled from the moment they are there
    looked: list[str] = []
    original = apart._digest

    def counted(raster: Artifact) -> tuple[str, int]:
        looked.append(Path(str(raster.path)).name)
        return original(raster)

    monkeypatch.setattr(apart, "_digest", counted)
    write(tmp_path, "2020-06-01", 1)
    write(tmp_path, "2020-07-01", 1, note="another header")
    notes = [told(tmp_path), told(tmp_path)]
    assert notes[0] == notes[1] != []
    assert looked == ["NDVI_2020-06-01.tif", "NDVI_2020-07-01.tif"]
    write(tmp_path, "2020-07-01", 2)
    assert told(tmp_path) == []
    assert looked[2:] == ["NDVI_2020-07-01.tif"]


def test_a_plan_is_checked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checked: list[Plan] = []
    original = plan_checks.check_plan

    def counted(plan: Plan, *more: Any) -> Any:
        checked.append(plan)
        return original(plan, *more)

    monkeypatch.setattr(plan_checks, "check_plan", counted)
    write(tmp_path, "2020-06-01", 1)
    write(tmp_path, "2020-07-01", 2)
    assert KnowFlow().plan("On how many dates was the mean NDVI above 0.3?", tmp_path).check.ok
    assert len(checked) == 1


def write_bands(folder: Path, seeds: dict[str, int]) -> None:
    folder.mkdir(exist_ok=True)
    profile = {"driver": "GTiff", "height": 40, "width": 40, "count": 1, "crs": "EPSG:32633", "dtype": "uint16"}
    place = Affine(10, 0, 500_000, 0, -10, 5_100_000)
    for name, seed in seeds.items():
        with rasterio.open(folder / f"{name}.tif", "w", **profile, transform=place) as file:
            file.write(np.random.default_rng(seed).integers(300, 6000, (40, 40), dtype=np.uint16), 1)
            file.update_tags(NOTE=name)


def of_layers(folder: Path) -> list[str]:
    query = "How did the mean NDMI change between 2020-07-01 and 2020-08-01?"
    assume = ["scale=0.0001", "offset=0.0", "quantity=surface_bidirectional_reflectance"]
    return [note for note in KnowFlow().plan(query, folder, assume=assume).notes if "several layers" in note]


def test_a_band_of_another_month_under_the_name_of_another_band_is_told(tmp_path: Path) -> None:
    names = ("S2_2020-07-01_B08", "S2_2020-07-01_B11", "S2_2020-08-01_B08", "S2_2020-08-01_B11")
    write_bands(tmp_path / "right", dict(zip(names, (1, 2, 3, 4), strict=True)))
    assert of_layers(tmp_path / "right") == []
    write_bands(tmp_path / "confused", dict(zip(names, (1, 2, 3, 1), strict=True)))
    (note,) = of_layers(tmp_path / "confused")
    assert "S2_2020-08-01_B11.tif (as S2_2020-07-01_B08.tif)" in note
