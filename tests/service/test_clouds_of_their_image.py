"""Clouds are taken off the image that they lie over, and off no other map that is of the same time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio

from knowflow import KnowFlow

CLOUDED = 8  # the bit of clouds in QA_PIXEL


def write(place: Path, values: list[float], dtype: str = "float32", unit: str | None = None, step: float = 30) -> None:
    grid = {
        "crs": "EPSG:32633",
        "transform": rasterio.Affine(step, 0, 500000, 0, -step, 5100000),
        "width": 4,
        "height": 1,
    }
    with rasterio.open(place, "w", driver="GTiff", count=1, dtype=dtype, **grid) as dataset:
        dataset.write(np.array([[values]], dtype))
        dataset.units = (unit,)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A scene of Landsat with clouds over half of it, beside it biomass of the year and NDVI of sixteen days."""
    data = tmp_path_factory.mktemp("clouds")
    scene = "LC08_L2SP_226068_20200704_20200913_02_T1"
    stored = [(kelvin - 149) / 0.00341802 for kelvin in (300, 300, 320, 320)]
    write(data / f"{scene}_ST_B10.TIF", stored, "uint16")
    write(data / f"{scene}_QA_PIXEL.TIF", [64, 64, CLOUDED, CLOUDED], "uint16")
    write(data / f"{scene}_QA_RADSAT.TIF", [8, 8, 0, 0], "uint16")
    write(data / "aboveground_biomass_2020.tif", [100, 100, 200, 200], unit="Mg ha-1")
    write(data / "MOD13Q1.061_250m_16_days_NDVI_doy2020177_aid0001.tif", [2000, 2000, 8000, 8000], "int16")
    return data


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("What was the mean surface temperature on 4 July 2020, in kelvin?", 300),
        ("What was the mean surface temperature in 2020, in kelvin?", 300),
        ("Mean surface temperature on 4 July 2020 in kelvin, including clouds?", 310),
        ("Including clouds, what was the highest surface temperature on 4 July 2020, in kelvin?", 320),
        ("What was the highest surface temperature on 4 July 2020 (clouds included), in kelvin?", 320),
        ("What was the mean aboveground biomass in 2020?", 150),
        ("What was the mean NDVI in June 2020?", 0.5),
        ("What share of the area was covered by clouds on 4 July 2020?", 0.5),
    ],
)
def test_the_clouds_of_a_scene_are_left_out_of_that_scene_alone(
    folder: Path, tmp_path: Path, question: str, value: float
) -> None:
    run = KnowFlow(tmp_path / "home").run(question, folder, out=tmp_path / "out")
    assert run.answer == pytest.approx(value, abs=0.01)


def test_it_is_told_what_was_done_about_clouds(folder: Path, tmp_path: Path) -> None:
    plan = KnowFlow(tmp_path / "home").plan
    scene = plan("What was the mean surface temperature on 4 July 2020, in kelvin?", folder)
    assert any("clouds are left out" in one.what for one in scene.plan.assumptions)
    biomass = plan("What was the mean aboveground biomass in 2020?", folder)
    assert any("count as ground" in one.what for one in biomass.plan.assumptions)
