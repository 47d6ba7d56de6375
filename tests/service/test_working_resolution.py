"""Rasters of several resolutions in one answer: masks go to the data, and what is worked at is told."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio
from affine import Affine
from numpy.typing import NDArray

from knowflow import KnowFlow
from knowflow.service.results import RunResult

SIZE = 100
ROWS, COLUMNS = np.mgrid[0:SIZE, 0:SIZE] + 0.5
LAKE = np.hypot(ROWS - 45, COLUMNS - 51) < 31
SCENE = "T33TVM_20220601T100031"


def write(path: Path, values: NDArray[np.generic], pixel: float, **tags: str) -> None:
    rows, columns = values.shape
    profile = {"driver": "GTiff", "height": rows, "width": columns, "count": 1, "crs": "EPSG:32633"}
    with rasterio.open(
        path, "w", **profile, dtype=values.dtype, transform=Affine(pixel, 0, 5e5, 0, -pixel, 5.1e6)
    ) as file:
        file.write(values, 1)
        file.update_tags(**tags)


def scene(folder: Path, **bands: tuple[float, float, int]) -> Path:
    """Bands (over the lake, over land, pixel size) of a scene, and its classification at 20 m: water and vegetation."""
    folder.mkdir()
    for name, (water, land, pixel) in bands.items():
        step = pixel // 10
        values = np.where(LAKE, water, land)[::step, ::step].astype(np.float32)
        tags = {"QUANTITY": "surface_bidirectional_reflectance", "UNIT": "1"}
        write(folder / f"{SCENE}_{name}_{pixel}m.tif", values, pixel, **tags)
    write(folder / f"{SCENE}_SCL_20m.tif", np.where(LAKE, 6, 4)[::2, ::2].astype(np.uint8), 20)
    return folder


def asked(query: str, data: Path, folder: Path) -> RunResult:
    found = KnowFlow(folder / "home").run(query, data, out=folder / "out", runner="local")
    assert found.status == "completed", found.error
    return found


def test_a_mask_of_20_m_goes_to_bands_of_10_m_and_they_stay(tmp_path: Path) -> None:
    data = scene(tmp_path / "data", B03=(0.1, 0.06, 10), B08=(0.02, 0.4, 10))
    found = asked("How many km2 have an NDWI above 0?", data, tmp_path)
    assert found.answer == pytest.approx(LAKE.sum() * 100 / 1e6)
    with rasterio.open(found.outputs["map"]) as file:
        assert file.shape == (SIZE, SIZE)
    assert any("worked at 10 m" in note and "of 20 m by nearest neighbour" in note for note in found.notes)


def test_bands_of_several_resolutions_are_brought_together_and_told(tmp_path: Path) -> None:
    data = scene(tmp_path / "data", B03=(0.1, 0.06, 10), B11=(0.02, 0.4, 20))
    found = asked("What is the mean MNDWI?", data, tmp_path)
    share = LAKE.mean()
    expected = share * (0.1 - 0.02) / 0.12 + (1 - share) * (0.06 - 0.4) / 0.46
    assert found.answer == pytest.approx(expected, abs=0.03)
    assert any(note.startswith("worked at ") for note in found.notes)
