"""The demo's data: real pixels with honest tags, and a trend that clouds hide."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
import rasterio
from rasterio.errors import NotGeoreferencedWarning
from scene_examples import read

from knowflow.testing.demo import DATES, OTHER_GRID_DATE, TREND_PER_YEAR, vegetation_trend_scene, write_demo
from knowflow.testing.demo_sample import write_sentinel2_sample, write_terrain_sample
from knowflow.testing.scenes import write_scene, years_since


def test_the_sentinel2_sample_has_four_bands_and_no_georeference(tmp_path: Path) -> None:
    paths = write_sentinel2_sample(tmp_path)
    assert [path.name[-7:-4] for path in paths] == ["B02", "B03", "B04", "B08"]
    for path in paths:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotGeoreferencedWarning)
            with rasterio.open(path) as file:
                assert (file.crs, file.shape, file.dtypes) == (None, (300, 300), ("uint16",))
                assert file.tags()["SCALE"] == "0.0001"
                assert "QUANTITY" not in file.tags()
                assert 0 < file.read(1).mean() * 0.0001 < 0.5


def test_the_highest_pixel_of_the_terrain_lies_on_cross_mountain(tmp_path: Path) -> None:
    (path,) = write_terrain_sample(tmp_path)
    with rasterio.open(path) as file:
        elevation = file.read(1)
        row, column = np.unravel_index(np.argmax(elevation), elevation.shape)
        longitude, latitude = file.xy(row, column)
        assert (file.crs.to_epsg(), file.tags()["UNIT"]) == (4326, "m")
    assert elevation.max() == 1076
    assert (latitude, longitude) == pytest.approx((36.198, -84.231), abs=0.001)


def test_the_trend_is_there_under_the_clouds_and_lost_with_them(tmp_path: Path) -> None:
    write_scene(vegetation_trend_scene("ndvi"), tmp_path)
    regular = [date for date in DATES if date != OTHER_GRID_DATE]
    ndvi, cloud = (
        np.array([read(tmp_path / f"{name}_{date}.tif") for date in regular], dtype=float) for name in ("NDVI", "CLM")
    )
    years = np.array([years_since(DATES[0], date) for date in regular])
    clear = np.where(cloud == 1, np.nan, ndvi)
    assert np.isfinite(clear).sum(axis=0).min() >= 3
    always = (cloud == 0).all(axis=0)
    assert np.polyfit(years, ndvi[:, always], 1)[0] == pytest.approx(TREND_PER_YEAR, abs=1e-6)
    assert np.polyfit(years, ndvi.reshape(len(years), -1), 1)[0].mean() < 0


def test_one_reflectance_scene_lies_on_another_grid(tmp_path: Path) -> None:
    folders = write_demo(tmp_path)
    origins = {}
    for path in folders["trend"].glob("S2_*.tif"):
        with rasterio.open(path) as file:
            origins[path.name[3:13]] = (file.transform.c, file.transform.f)
    assert len(origins) == len(DATES)
    assert {date for date, origin in origins.items() if origin != (500000.0, 5100000.0)} == {OTHER_GRID_DATE}
