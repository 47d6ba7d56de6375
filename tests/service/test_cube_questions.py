"""Questions about files of several variables and times, answered as NumPy answers them from the numbers written."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio
from numpy.typing import NDArray
from rasterio.crs import CRS
from scipy.io import netcdf_file
from service_examples import Command

from knowflow import KnowFlow
from knowflow.reason.inventory import take_inventory
from knowflow.reason.inventory.described import dataset_problems
from knowflow.reason.inventory.describing import description
from knowflow.tools.gdal.inputs import Desk, raster_path
from knowflow.tools.raster.source import handles

FILL = np.int16(-32767)
FACTOR, ADDED = 0.01, 280.0
SHAPE = (3, 12, 10)
FIRST_OF_MONTHS = (1037976, 1038720, 1039464)  # June, July, August 2018, hours since 1900


@pytest.fixture
def stored() -> NDArray[np.int16]:
    numbers = np.random.default_rng(3).integers(-500, 2500, SHAPE).astype("i2")
    numbers[1, :2, :3] = FILL
    return numbers


@pytest.fixture
def file(stored: NDArray[np.int16], tmp_path: Path) -> Path:
    """Two variables on a grid in metres, whose rows run from south to north, as the field writes them."""
    (tmp_path / "data").mkdir()
    path = tmp_path / "data" / "monthly.nc"
    with netcdf_file(path, "w") as cube:
        for name, size in zip(("time", "y", "x"), SHAPE, strict=True):
            cube.createDimension(name, size)
        axes = {
            "time": (np.array(FIRST_OF_MONTHS, "i4"), "hours since 1900-01-01 00:00:00.0"),
            "y": (5000000.0 + 1000 * np.arange(SHAPE[1]), "m"),
            "x": (500000.0 + 1000 * np.arange(SHAPE[2]), "m"),
        }
        for name, (values, unit) in axes.items():
            axis = cube.createVariable(name, values.dtype, (name,))
            axis[:] = values
            axis.units = unit
            if name != "time":
                axis.standard_name = f"projection_{name}_coordinate"
        crs = cube.createVariable("crs", "i4", ())
        crs.grid_mapping_name = "transverse_mercator"
        crs.spatial_ref = CRS.from_epsg(32633).to_wkt()
        for name, unit, values in (
            ("t2m", "K", stored[:, ::-1]),
            ("tp", "m", np.full(SHAPE, 100, "i2")),
        ):
            variable = cube.createVariable(name, "i2", ("time", "y", "x"))
            variable[:] = values
            variable.scale_factor, variable.add_offset = (FACTOR, ADDED) if name == "t2m" else (1e-4, 0.0)
            variable._FillValue = FILL
            variable.units, variable.grid_mapping = unit, "crs"
    return path


def kelvin(stored: NDArray[np.int16]) -> NDArray[np.float64]:
    return np.where(stored == FILL, np.nan, stored * FACTOR + ADDED)


def test_the_mean_of_a_month_is_that_of_its_slice(file: Path, stored: NDArray[np.int16], tmp_path: Path) -> None:
    asked = KnowFlow(tmp_path / "home")
    found = asked.run("mean air temperature in July 2018", file.parent, out=tmp_path / "out")
    assert found.status == "completed", found.error
    assert found.answer == pytest.approx(float(np.nanmean(kelvin(stored)[1])), rel=1e-6)
    again = asked.run("mean precipitation in August 2018", file.parent, out=tmp_path / "out2")
    assert again.status == "completed", again.error
    assert again.answer == pytest.approx(0.01, rel=1e-6)


def test_each_date_has_its_own_mean(file: Path, stored: NDArray[np.int16], tmp_path: Path) -> None:
    found = KnowFlow(tmp_path / "home").run("mean air temperature on each date", file.parent, out=tmp_path / "out")
    assert found.status == "completed", found.error
    means = [float(np.nanmean(month)) for month in kelvin(stored)]
    assert [row["mean"] for row in found.answer] == pytest.approx(means, rel=1e-6)


def test_a_month_that_the_axis_does_not_have_is_not_answered(file: Path, tmp_path: Path) -> None:
    found = KnowFlow(tmp_path / "home").run("mean air temperature in May 2017", file.parent, out=tmp_path / "out")
    assert found.status != "completed"


def test_a_tool_takes_a_slice_by_its_number(
    knowflow: Command, file: Path, stored: NDArray[np.int16], tmp_path: Path
) -> None:
    picked = knowflow("tools", "run", "select_band", f"raster={file}", "band=2", "--out", tmp_path / "band")
    assert picked.result["status"] == "completed", picked.error
    with rasterio.open(tmp_path / "band" / "output.tif") as one:
        read = one.read(1, masked=True).astype(float).filled(np.nan) * one.scales[0] + one.offsets[0]
    assert read == pytest.approx(kelvin(stored)[1], rel=1e-6, nan_ok=True)


def test_what_gdal_is_given_of_a_slice_is_in_a_format_of_every_gdal(
    file: Path, stored: NDArray[np.int16], tmp_path: Path
) -> None:
    june, july, *_ = take_inventory(file.parent).rasters
    with handles() as opened:
        desk = Desk(tmp_path, opened)
        for item, expected in ((june, kelvin(stored)[0]), (july, kelvin(stored)[1])):
            path = raster_path(item, "raster", desk)
            assert file.name not in Path(path).read_text()
            with rasterio.open(path) as dataset:
                assert dataset.read(1) == pytest.approx(expected, rel=1e-6, nan_ok=True)


def test_a_description_of_a_folder_keeps_variables_apart(file: Path) -> None:
    before = take_inventory(file.parent)
    path = file.with_name("knowflow.yaml")
    path.write_text(description(before))
    assert dataset_problems(path) == ()
    after = take_inventory(file.parent)
    facts = ("quantity", "unit", "datetime", "scale", "offset", "nodata")
    assert [[item.fact(name) for name in facts] for item in after.rasters] == [
        [item.fact(name) for name in facts] for item in before.rasters
    ]
