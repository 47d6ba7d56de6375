"""Files of several variables, times and levels, written by scipy and held against the arrays that were written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
import rasterio.shutil
from affine import Affine
from numpy.typing import NDArray
from scipy.io import netcdf_file

from knowflow.ground.errors import UnreadableDataError
from knowflow.ground.opening import open_data
from knowflow.reason.inventory import Inventory, take_inventory
from knowflow.tools.raster.source import unreferenced_is_fine

HOURS = "hours since 1900-01-01 00:00:00.0"
JULY, AUGUST = 1038720, 1039464  # 2018


@dataclass
class Variable:
    values: NDArray[Any]
    along: tuple[str, ...]
    said: Mapping[str, Any] = field(default_factory=dict)


def axis(name: str, values: Sequence[float], **said: Any) -> dict[str, Variable]:
    return {name: Variable(np.asarray(values, "f8"), (name,), said)}


def on_earth(latitudes: Sequence[float], longitudes: Sequence[float]) -> dict[str, Variable]:
    return {
        **axis("lat", latitudes, units="degrees_north", standard_name="latitude"),
        **axis("lon", longitudes, units="degrees_east", standard_name="longitude"),
    }


def write(path: Path, variables: Mapping[str, Variable], **said: Any) -> Path:
    with netcdf_file(path, "w") as file:
        for one in variables.values():
            for name, size in zip(one.along, one.values.shape, strict=True):
                if name not in file.dimensions:
                    file.createDimension(name, size)
        for name, one in variables.items():
            stored = file.createVariable(name, one.values.dtype, one.along)
            stored[:] = one.values
            for key, value in one.said.items():
                setattr(stored, key, value)
        for key, value in said.items():
            setattr(file, key, value)
    return path


def packed(shape: tuple[int, ...], seed: int) -> NDArray[np.int16]:
    return np.random.default_rng(seed).integers(-3000, 3000, shape).astype("i2")


def monthly(path: Path, longitudes: Sequence[float] = (10.0, 10.5, 11.0), south_up: bool = False) -> Path:
    """Temperature and precipitation of two months."""
    latitudes = [40.0, 40.5] if south_up else [40.5, 40.0]
    along, shape = ("time", "lat", "lon"), (2, 2, len(longitudes))
    scaled = {"scale_factor": 0.01, "add_offset": 280.0, "_FillValue": np.int16(-32767)}
    return write(
        path,
        {
            **on_earth(latitudes, longitudes),
            **axis("time", [JULY, AUGUST], units=HOURS, calendar="gregorian", bounds="time_bnds"),
            "time_bnds": Variable(np.zeros((2, 2)), ("time", "nv")),
            "t2m": Variable(packed(shape, 1), along, {**scaled, "units": "K", "long_name": "2 metre temperature"}),
            "tp": Variable(np.full(shape, 0.002, "f4"), along, {"units": "m", "long_name": "Total precipitation"}),
        },
    )


def layers(inventory: Inventory) -> dict[str, Any]:
    return {item.name: item for item in inventory.rasters}


def pixels(path: str | None, band: int | None) -> NDArray[Any]:
    with unreferenced_is_fine, open_data(str(path)) as dataset:
        found: NDArray[Any] = dataset.read(band or 1)
    return found


def test_each_variable_and_time_is_a_layer_with_what_cf_says_of_it(tmp_path: Path) -> None:
    found = layers(take_inventory(monthly(tmp_path / "era5_monthly.nc").parent))
    assert set(found) == {f"era5_monthly:{name} 2018-0{month}-01" for name in ("t2m", "tp") for month in (7, 8)}
    july = found["era5_monthly:t2m 2018-07-01"]
    assert [july.fact(name) for name in ("quantity", "unit", "datetime")] == ["air_temperature", "K", "2018-07-01"]
    assert july.fact("scale") == pytest.approx(0.01)
    assert july.fact("offset") == 280.0
    assert july.fact("nodata") == -32767
    assert july.fact("crs") == "EPSG:4326"
    assert july.fact("bounds") == pytest.approx((9.75, 39.75, 11.25, 40.75))
    assert found["era5_monthly:tp 2018-08-01"].fact("quantity") == "precipitation"


@pytest.mark.parametrize("south_up", [False, True])
def test_rows_run_from_north_to_south(tmp_path: Path, south_up: bool) -> None:
    path = monthly(tmp_path / "a.nc", south_up=south_up)
    written = packed((2, 2, 3), 1)[:, ::-1] if south_up else packed((2, 2, 3), 1)
    for item in take_inventory(path).rasters:
        if item.fact("quantity") == "air_temperature":
            month = int(item.fact("datetime")[5:7]) - 7
            assert np.array_equal(pixels(item.path, item.band), written[month])


@pytest.mark.parametrize("start", [0.0, 22.5, -180.0, 180.0])
def test_longitudes_around_the_globe_begin_at_180_west(tmp_path: Path, start: float) -> None:
    longitudes = start + 45.0 * np.arange(8)
    path = monthly(tmp_path / "a.nc", list(longitudes))
    july = next(item for item in take_inventory(path).rasters if item.fact("quantity") == "air_temperature")
    read = pixels(july.path, july.band)
    west = july.fact("transform")[2] + 22.5
    assert -180.0 <= west < -135.0
    for column in range(8):
        there = int(np.flatnonzero(np.isclose((longitudes - west - 45.0 * column) % 360.0, 0.0))[0])
        assert np.array_equal(read[:, column], packed((2, 2, 8), 1)[0][:, there])


def test_longitudes_beyond_180_are_in_the_west(tmp_path: Path) -> None:
    path = monthly(tmp_path / "a.nc", [240.0, 240.5, 241.0])
    assert take_inventory(path).rasters[0].fact("bounds")[0] == pytest.approx(-120.25)


@pytest.mark.parametrize("called", [("lat", "lon"), ("latitude", "longitude"), ("Latitude", "Longitude")])
@pytest.mark.parametrize(("north", "unit", "crs"), [(53.5, "", "EPSG:4326"), (5300.0, "", None), (53.5, "m", None)])
def test_axes_called_latitude_and_longitude_are_of_degrees_where_they_can_be(
    tmp_path: Path, called: tuple[str, str], north: float, unit: str, crs: str | None
) -> None:
    said = {"units": unit} if unit else {"_FillValue": np.nan}
    axes = axis(called[0], [north, north - 0.5, north - 1], **said) | axis(called[1], [15.5, 16.0, 16.5], **said)
    values = {"t2m": Variable(np.full((3, 3), 280.0, "f4"), called, {"units": "K"})}
    (found,) = take_inventory(write(tmp_path / "t2m.nc", axes | values).parent).artifacts
    assert (found.fact("crs"), found.fact("resolution")) == (crs, (0.5, 0.5))


def test_levels_and_members_are_layers_apart(tmp_path: Path) -> None:
    along = ("time", "number", "level", "lat", "lon")
    values = np.arange(2 * 2 * 2 * 2 * 3, dtype="f4").reshape(2, 2, 2, 2, 3)
    write(
        tmp_path / "a.nc",
        {
            **on_earth([40.5, 40.0], [10.0, 10.5, 11.0]),
            **axis("time", [JULY, AUGUST], units=HOURS),
            **axis("number", [0, 1]),
            **axis("level", [500, 850], units="hPa"),
            "t": Variable(values, along, {"units": "K", "standard_name": "air_temperature"}),
        },
    )
    inventory = take_inventory(tmp_path)
    for item in inventory.rasters:
        place = (
            int(item.fact("datetime") == "2018-08-01"),
            int(item.fact("slice") == "number 1"),
            int(item.fact("height") == "850 hPa"),
        )
        assert np.array_equal(pixels(item.path, item.band), values[place])
    series = inventory.series("air_temperature")
    assert len(inventory.rasters) == 8
    assert [len(one.items) for one in series] == [2, 2, 2, 2]


def test_the_maximum_and_the_mean_of_a_day_are_no_one_series(tmp_path: Path) -> None:
    said = {"units": "K", "standard_name": "air_temperature"}
    values = np.full((2, 2, 3), 290.0, "f4")
    write(
        tmp_path / "a.nc",
        {
            **on_earth([40.5, 40.0], [10.0, 10.5, 11.0]),
            **axis("time", [JULY, AUGUST], units=HOURS),
            "tas": Variable(values, ("time", "lat", "lon"), {**said, "cell_methods": "time: mean"}),
            "tasmax": Variable(values, ("time", "lat", "lon"), {**said, "cell_methods": "time: maximum"}),
        },
    )
    series = take_inventory(tmp_path).series("air_temperature")
    assert sorted(str(one.fact("statistic")) for one in series) == ["maximum", "mean"]


def test_what_the_name_of_a_file_says_is_of_none_of_its_variables(tmp_path: Path) -> None:
    along = ("lat", "lon")
    write(
        tmp_path / "NDVI_2018-07-01.nc",
        {
            **on_earth([40.5, 40.0], [10.0, 10.5, 11.0]),
            "NDVI": Variable(np.full((2, 3), 5000, "i2"), along, {"scale_factor": 1e-4}),
            "NDVI_unc": Variable(np.full((2, 3), 5, "i2"), along),
        },
    )
    found = layers(take_inventory(tmp_path))
    assert found["NDVI_2018-07-01:NDVI"].fact("quantity") == "ndvi"
    assert found["NDVI_2018-07-01:NDVI_unc"].fact("quantity") == "uncertainty"  # by its own name
    assert {item.fact("datetime") for item in found.values()} == {"2018-07-01"}


def test_one_variable_of_several_is_what_an_assumption_means(tmp_path: Path) -> None:
    along = ("lat", "lon")
    variables = {name: Variable(np.full((2, 3), 5, "f4"), along) for name in ("first", "second")}
    write(tmp_path / "a.nc", {**on_earth([40.5, 40.0], [10.0, 10.5, 11.0]), **variables})
    found = layers(take_inventory(tmp_path, assume=["a:second:quantity=ndvi"]))
    assert [found[f"a:{name}"].fact("quantity") for name in ("first", "second")] == [None, "ndvi"]
    unknown = [layer.group.assume for layer in take_inventory(tmp_path).layers]
    assert sorted(map(str, unknown)) == ["a:first:quantity=VALUE", "a:second:quantity=VALUE"]


def test_variables_on_another_grid_are_told(tmp_path: Path) -> None:
    write(
        tmp_path / "a.nc",
        {
            **on_earth([40.5, 40.0], [10.0, 10.5, 11.0]),
            "sst": Variable(np.full((2, 3), 290, "f4"), ("lat", "lon"), {"units": "K"}),
            "palette": Variable(np.zeros((3, 256), "i1"), ("rgb", "colour")),
        },
    )
    inventory = take_inventory(tmp_path)
    assert [item.fact("quantity") for item in inventory.rasters] == ["sea_surface_temperature"]
    assert any("palette" in said for said in inventory.disagreements)


def test_rows_along_longitude_are_refused_by_name(tmp_path: Path) -> None:
    variables = {**on_earth([40.0, 40.5], [10.0, 10.5, 11.0]), "rain": Variable(np.zeros((3, 2), "f4"), ("lon", "lat"))}
    with pytest.raises(UnreadableDataError) as error:
        open_data(write(tmp_path / "a.nc", variables))
    assert "longitude" in error.value.found
    assert "lat,lon" in error.value.hint


def test_hdf4_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "MOD13Q1.hdf").write_bytes(b"\x0e\x03\x13\x01" + bytes(100))
    with pytest.raises(UnreadableDataError) as error:
        open_data(tmp_path / "MOD13Q1.hdf")
    assert "HDF4" in error.value.found
    assert "convert" in error.value.hint


def test_messages_of_grib_have_parameter_level_unit_and_time(tmp_path: Path) -> None:
    values = 250.0 + np.arange(24, dtype="f4").reshape(2, 3, 4)
    profile = {"count": 2, "height": 3, "width": 4, "dtype": "float32", "crs": "EPSG:4326"}
    with rasterio.open(tmp_path / "a.tif", "w", transform=Affine(0.5, 0, 10, 0, -0.5, 50), **profile) as file:
        file.write(values)
        for number, day in ((1, "2018-07-01"), (2, "2018-07-02")):
            file.update_tags(
                number,
                GRIB_DISCIPLINE="0(Meteorological)",
                GRIB_PDS_PDTN="0",
                GRIB_PDS_TEMPLATE_NUMBERS="0 0 2 0 96 0 0 0 1 0 0 0 0 103 0 0 0 0 2 255 0 0 0 0 0",
                GRIB_IDS=f"CENTER=98 SUBCENTER=0 MASTER_TABLE=5 LOCAL_TABLE=0 SIGNF_REF_TIME=1 REF_TIME={day}T06:00:00Z"
                " PROD_STATUS=0 TYPE=0",
                GRIB_UNIT="[K]",
            )
    exact = {"DATA_ENCODING": "IEEE_FLOATING_POINT"}
    rasterio.shutil.copy(tmp_path / "a.tif", tmp_path / "b.grib2", driver="GRIB", **exact)
    (tmp_path / "a.tif").unlink()
    found = take_inventory(tmp_path).rasters
    assert [item.fact("datetime") for item in found] == ["2018-07-01T06:00:00", "2018-07-02T06:00:00"]
    assert {(item.fact("quantity"), item.fact("unit"), item.fact("height")) for item in found} == {
        ("air_temperature", "degC", "2-HTGL")
    }
    for item, expected in zip(found, values, strict=True):
        assert pixels(item.path, item.band) == pytest.approx(expected.astype("f8") - 273.15)
