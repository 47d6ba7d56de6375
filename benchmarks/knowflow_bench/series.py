"""A small series in every form in which data lie elsewhere, with its truth: rasters, STAC items, netCDF, HDF5, Zarr.

Values are noise, so that no byte of a tile can be guessed; numbers are whole, so that every form holds the very same.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from affine import Affine
from numpy.typing import NDArray

from knowflow.model import geo

SCALE, NODATA, TILE, PIXEL_M = 0.0001, -32768, 512, 10.0


@dataclass(frozen=True, slots=True)
class Series:
    """Stored numbers of NDVI by date, (rows, columns) each, on one grid; ``scale`` turns them into NDVI."""

    numbers: dict[str, NDArray[np.int16]]
    crs: str = "EPSG:32633"
    west: float = 500_000.0
    north: float = 5_100_000.0

    @property
    def transform(self) -> Affine:
        return Affine(PIXEL_M, 0, self.west, 0, -PIXEL_M, self.north)

    @property
    def shape(self) -> tuple[int, int]:
        rows, columns = next(iter(self.numbers.values())).shape
        return int(rows), int(columns)

    def box(self, row: int, column: int, rows: int, columns: int) -> geo.Box:
        """West, south, east, north in degrees of a window."""
        left, top = self.transform @ (column, row)
        right, bottom = self.transform @ (column + columns, row + rows)
        return geo.transform_box(self.crs, "EPSG:4326", (left, bottom, right, top))


def noise(dates: Sequence[str], side: int = 1280, seed: int = 0, **grid: Any) -> Series:
    """A series of noise between NDVI 0 and 0.8."""
    random = np.random.default_rng(seed)
    return Series({date: random.integers(1, 8000, (side, side)).astype(np.int16) for date in dates}, **grid)


def write_tiled(series: Series, folder: Path, name: str = "ndvi", scale: float = SCALE) -> list[Path]:
    """``<name>_<date>.tif`` for each date, a cloud-optimised GeoTIFF; overviews included."""
    import rasterio
    from rasterio.io import MemoryFile
    from rasterio.shutil import copy

    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    rows, columns = series.shape
    profile = {"driver": "GTiff", "count": 1, "dtype": "int16", "height": rows, "width": columns, "nodata": NODATA}
    for date, numbers in series.numbers.items():
        path = folder / f"{name}_{date}.tif"
        with MemoryFile() as memory:
            with memory.open(**profile, crs=geo.crs_of(series.crs).to_wkt(), transform=series.transform) as file:
                file.write(numbers, 1)
                file.scales = (scale,)
            with rasterio.open(memory.name) as whole:
                copy(whole, path, driver="COG", BLOCKSIZE=TILE, COMPRESS="DEFLATE")
        paths.append(path)
    return paths


def item_of(path: Path, series: Series, base: str, collection: str = "ndvi", **declared: Any) -> dict[str, Any]:
    """The STAC item of one tiled raster that lies below an address; ``declared`` goes over what is true of it."""
    date = path.stem.rpartition("_")[2]
    west, south, east, north = series.box(0, 0, *series.shape)
    ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
    asset = {
        "href": f"{base}/{path.name}",
        "type": "image/tiff; application=geotiff; profile=cloud-optimized",
        "roles": ["data"],
        "proj:transform": list(series.transform)[:6],
        "proj:shape": list(series.shape),
        "raster:bands": [{"data_type": "int16", "nodata": NODATA, "scale": SCALE, "offset": 0}],
    }
    asset = {name: value for name, value in {**asset, **declared}.items() if value is not None}
    properties = {"datetime": f"{date}T10:00:00Z", "eo:cloud_cover": 5, "proj:code": series.crs}
    return {
        "type": "Feature",
        "stac_version": "1.0.0",
        "stac_extensions": [],
        "id": f"{path.stem}_{hashlib.sha256(repr(series.transform).encode()).hexdigest()[:4]}",
        "collection": collection,
        "geometry": {"type": "Polygon", "coordinates": [ring]},
        "bbox": [west, south, east, north],
        "properties": properties,
        "links": [],
        "assets": {"ndvi": asset},
    }


def write_netcdf(series: Series, path: Path) -> Path:
    """A netCDF cube with CF's axes and packing."""
    from scipy.io import netcdf_file

    rows, columns = series.shape
    path.parent.mkdir(parents=True, exist_ok=True)
    with netcdf_file(path, "w") as file:
        for name, size in (("time", len(series.numbers)), ("y", rows), ("x", columns)):
            file.createDimension(name, size)
            values = file.createVariable(name, "f8", (name,))
            values[:] = _axis(series, name)
            values.units = _time_unit(series) if name == "time" else "m"
            if name != "time":
                values.standard_name = f"projection_{name}_coordinate"
        mapping = file.createVariable("crs", "i4", ())
        mapping.crs_wkt = mapping.spatial_ref = geo.crs_of(series.crs).to_wkt("WKT1_GDAL")
        mapping.grid_mapping_name = "transverse_mercator"
        ndvi = file.createVariable("ndvi", "i2", ("time", "y", "x"))
        ndvi[:] = np.stack(list(series.numbers.values()))
        ndvi.scale_factor, ndvi._FillValue, ndvi.units, ndvi.grid_mapping = SCALE, np.int16(NODATA), "1", "crs"
    return path


def write_hdf5(series: Series, path: Path) -> Path:
    """A cube in HDF5 as netCDF of version 4 has it: dimension scales, chunks, deflated."""
    import h5py

    path.parent.mkdir(parents=True, exist_ok=True)
    wkt = geo.crs_of(series.crs).to_wkt("WKT1_GDAL")
    with h5py.File(path, "w") as file:
        for name in ("time", "y", "x"):
            file[name] = _axis(series, name)
            file[name].make_scale(name)
            file[name].attrs["units"] = _time_unit(series) if name == "time" else "m"
            if name != "time":
                file[name].attrs["standard_name"] = f"projection_{name}_coordinate"
        file["crs"] = np.int32(0)
        file["crs"].attrs.update({"crs_wkt": wkt, "spatial_ref": wkt, "grid_mapping_name": "transverse_mercator"})
        stack = np.stack(list(series.numbers.values()))
        chunks = (1, *(min(TILE, size) for size in series.shape))
        ndvi = file.create_dataset("ndvi", data=stack, chunks=chunks, compression="gzip", compression_opts=1)
        said = {"scale_factor": SCALE, "_FillValue": np.int16(NODATA), "units": "1", "grid_mapping": "crs"}
        ndvi.attrs.update(said)
        for number, name in enumerate(("time", "y", "x")):
            ndvi.dims[number].attach_scale(file[name])
    return path


def write_zarr(series: Series, path: Path, version: int = 3, south_first: bool = False) -> Path:
    """A Zarr cube as xarray writes it."""
    import zarr

    group = zarr.open_group(path, mode="w", zarr_format=version)  # type: ignore[arg-type]
    rows = slice(None, None, -1 if south_first else 1)
    stack = np.stack(list(series.numbers.values()))[:, rows]
    axes = {name: _axis(series, name) for name in ("time", "y", "x")}
    axes["y"] = axes["y"][rows]
    wkt = geo.crs_of(series.crs).to_wkt("WKT1_GDAL")
    arrays: list[tuple[str, Any, tuple[str, ...], dict[str, Any]]] = [
        ("ndvi", stack, ("time", "y", "x"), {"scale_factor": SCALE, "_FillValue": NODATA, "units": "1"}),
        ("spatial_ref", np.array(0), (), {"crs_wkt": wkt}),
        *((name, values, (name,), {"units": "m"}) for name, values in axes.items() if name != "time"),
        ("time", axes["time"], ("time",), {"units": _time_unit(series)}),
    ]
    for name, values, dimensions, said in arrays:
        chunks = (1, TILE, TILE) if name == "ndvi" else values.shape
        named: dict[str, Any] = {"dimension_names": dimensions} if version == 3 else {}
        array = group.create_array(name, shape=values.shape, dtype=values.dtype, chunks=chunks or "auto", **named)
        array[...] = values
        listed = {"_ARRAY_DIMENSIONS": list(dimensions)} if version == 2 else {}
        array.attrs.update({**said, **listed, **({"grid_mapping": "spatial_ref"} if name == "ndvi" else {})})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it is no part of format 3 yet
        zarr.consolidate_metadata(path)
    return path


def _axis(series: Series, name: str) -> NDArray[np.float64]:
    rows, columns = series.shape
    if name == "x":
        return np.asarray(series.west + PIXEL_M * (np.arange(columns) + 0.5))
    if name == "y":
        return np.asarray(series.north - PIXEL_M * (np.arange(rows) + 0.5))
    days = np.array(list(series.numbers), dtype="datetime64[D]")
    return np.asarray((days - days[0]).astype(np.float64))


def _time_unit(series: Series) -> str:
    return f"days since {next(iter(series.numbers))}"
