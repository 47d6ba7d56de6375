"""What is said again of files: the pixels against plain numpy, and the facts of the result."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio
from numpy.typing import NDArray
from raster_files import write

from knowflow.ground.errors import MissingFactError
from knowflow.tools.restating import declare_mark, declare_nodata, declare_scale, declare_unit, leave_out_impossible

Grid = NDArray[np.float64]


def read(path: Path) -> Grid:
    with rasterio.open(path) as file:
        assert np.isnan(file.nodata)
        found: Grid = file.read(1).astype(np.float64)
        return found


@pytest.mark.parametrize("nodata", [None, -1])
def test_a_number_that_marks_missing_pixels_becomes_nodata(tmp_path: Path, nodata: float | None) -> None:
    stored = np.array([[1, 2], [-9999, 4]], dtype=np.int16)
    raster = write(tmp_path / "a.tif", stored, nodata=nodata, facts={"nodata": nodata})
    declare_nodata(raster, -9999, tmp_path / "out.tif")
    assert np.array_equal(read(tmp_path / "out.tif"), [[1, 2], [np.nan, 4]], equal_nan=True)


def test_the_number_that_is_declared_marks_missing_pixels_as_before(tmp_path: Path) -> None:
    stored = np.array([[1, 0], [-9999, 4]], dtype=np.int16)
    raster = write(tmp_path / "a.tif", stored, nodata=0, facts={"nodata": 0})
    declare_nodata(raster, -9999, tmp_path / "out.tif")
    assert np.array_equal(read(tmp_path / "out.tif"), [[1, np.nan], [np.nan, 4]], equal_nan=True)


def test_the_numbers_from_one_to_the_last_become_nodata_beside_the_declared_one(tmp_path: Path) -> None:
    stored = np.array([[1, 200], [254, 255], [0, 253]], dtype=np.uint8)
    raster = write(tmp_path / "a.tif", stored, nodata=0, facts={"nodata": 0})
    declare_nodata(raster, 254, tmp_path / "out.tif", last=255)
    assert np.array_equal(read(tmp_path / "out.tif"), [[1, 200], [np.nan, np.nan], [np.nan, 253]], equal_nan=True)


def test_a_mask_in_numbers_of_its_own_becomes_one_of_1_and_0(tmp_path: Path) -> None:
    stored = np.array([[0, 100, 255], [7, 100, 0]], dtype=np.uint8)
    raster = write(tmp_path / "a.tif", stored, nodata=255, facts={"nodata": 255, "quantity": "water_mask"})
    declare_mark(raster, 100, tmp_path / "out.tif")
    with rasterio.open(tmp_path / "out.tif") as file:
        assert (file.nodata, file.read(1).tolist()) == (255, [[0, 1, 255], [0, 1, 0]])


def test_a_factor_that_is_said_counts_whatever_the_file_says(tmp_path: Path) -> None:
    stored = np.array([[100, 2000], [0, 4000]], dtype=np.uint16)
    raster = write(tmp_path / "a.tif", stored, scale=7.0, nodata=0, facts={"nodata": 0})
    declare_scale(raster, 1e-4, tmp_path / "out.tif", offset=-0.1)
    expected = np.where(stored == 0, np.nan, stored * 1e-4 - 0.1)
    np.testing.assert_allclose(read(tmp_path / "out.tif"), expected, rtol=1e-6)


def test_another_unit_leaves_the_numbers_as_they_are(tmp_path: Path) -> None:
    values = np.array([[10.5, 20.25]], dtype=np.float32)
    declare_unit(write(tmp_path / "a.tif", values, tags={"UNIT": "K"}), "degC", tmp_path / "out.tif")
    assert np.array_equal(read(tmp_path / "out.tif"), values)
    with rasterio.open(tmp_path / "out.tif") as file:
        assert file.tags()["UNIT"] == "degC"


def test_impossible_and_infinite_values_are_left_out_in_the_unit_of_the_raster(tmp_path: Path) -> None:
    celsius = np.array([[20.0, 900.0], [-300.0, np.inf]], dtype=np.float32)
    raster = write(tmp_path / "a.tif", celsius, facts={"quantity": "surface_temperature", "unit": "degC"})
    leave_out_impossible(raster, tmp_path / "out.tif")
    assert np.array_equal(read(tmp_path / "out.tif"), [[20.0, np.nan], [np.nan, np.nan]], equal_nan=True)


def test_without_a_quantity_nothing_is_impossible(tmp_path: Path) -> None:
    with pytest.raises(MissingFactError):
        leave_out_impossible(write(tmp_path / "a.tif", np.ones((2, 2), dtype=np.float32)), tmp_path / "out.tif")
