"""Questions by bands of one width, carried out: beside NumPy, on elevations that lie on limits, too."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio

from knowflow import KnowFlow

GRID = {"crs": "EPSG:32633", "transform": rasterio.Affine(10, 0, 500000, 0, -10, 5100000), "width": 30, "height": 20}
PROFILE = {"driver": "GTiff", "count": 1, "dtype": "float32", "nodata": -9999.0, **GRID}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "data"
    place.mkdir()
    rng = np.random.default_rng(5)
    heights = np.linspace(-30, 460, 600).reshape(20, 30).round().astype("float32")
    heights[0, :3] = (0, 100, 200)
    heights[5, 5] = -9999
    write(place / "dem_10m.tif", heights)
    for month, level in (("2021-05-03", 0.2), ("2021-06-02", 0.5)):
        ndvi = (level + rng.normal(0, 0.05, (20, 30)) + heights / 5000).astype("float32")
        ndvi[rng.random((20, 30)) < 0.1] = -9999
        write(place / f"NDVI_{month}.tif", ndvi)
    return place


def write(path: Path, values: np.ndarray) -> None:
    with rasterio.open(path, "w", **PROFILE) as dataset:
        dataset.write(values, 1)


def held(path: Path) -> np.ndarray:
    with rasterio.open(path) as dataset:
        return np.ma.filled(dataset.read(1, masked=True).astype("float64"), np.nan)


def told(answer: object) -> dict[str, float]:
    assert isinstance(answer, tuple | list)
    numbers = ("mean", "area", "value")
    return {row.get("name", row["class"]): next(row[key] for key in numbers if key in row) for row in answer}


def test_the_mean_of_each_band_over_several_dates_is_that_of_numpy(folder: Path, tmp_path: Path) -> None:
    run = KnowFlow(tmp_path / "home").run(
        "What was the mean NDVI in elevation bands of 100 m?", folder, out=tmp_path / "out"
    )
    heights, dates = held(folder / "dem_10m.tif"), [held(one) for one in sorted(folder.glob("NDVI*.tif"))]
    expected = {}
    for low in (-100, 0, 100, 200, 300, 400):
        there = (heights >= low) & (heights < low + 100)
        expected[f"{low} to {low + 100} m"] = np.mean([np.nanmean(one[there]) for one in dates])
    assert told(run.answer) == pytest.approx(expected, rel=1e-5)


def test_areas_of_bands_are_of_all_that_is_known(folder: Path, tmp_path: Path) -> None:
    run = KnowFlow(tmp_path / "home").run(
        "How many hectares are in each 200 m elevation band?", folder, out=tmp_path / "out"
    )
    heights = held(folder / "dem_10m.tif")
    sizes = {
        f"{low} to {low + 200} m": np.sum((heights >= low) & (heights < low + 200)) / 100 for low in (-200, 0, 200, 400)
    }
    assert told(run.answer) == pytest.approx(sizes, rel=2e-3)  # on the ellipsoid


def test_too_many_bands_are_refused_with_a_width_that_would_do(folder: Path, tmp_path: Path) -> None:
    run = KnowFlow(tmp_path / "home").run(
        "What was the mean NDVI in elevation bands of 1 m?", folder, out=tmp_path / "out"
    )
    assert run.status == "refused"
    assert "a width above 2 m" in str(run.error)
