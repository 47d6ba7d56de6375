"""Files of several variables, times and levels (netCDF, HDF5, GRIB) as one raster of many bands.

Each slice of a variable along its last two dimensions is a band, in the order of the file. GDAL lists the variables as
datasets of their own; here they are put together by a virtual raster, so that whoever reads a path and a band number
reads a cube as any file of several bands. Tags of a band say what it is of: ``NETCDF_VARNAME``, the attributes of CF
that describe it, ``SLICE_TIME`` (ISO 8601, UTC), ``SLICE_HEIGHT`` and ``SLICE_ALONG`` (other dimensions).

Longitudes from 0 to 360 begin at -180; rows run from north to south. Axes of longitude and latitude without a grid
mapping are taken to be of WGS 84. https://cfconventions.org
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

from knowflow.ground.errors import UnreadableDataError
from knowflow.ground.moments import moment

SUFFIXES = frozenset({".nc", ".nc4", ".cdf", ".h5", ".hdf5", ".he5", ".hdf", ".grib", ".grib2", ".grb", ".grb2"})
TIME, HEIGHT, ALONG = "SLICE_TIME", "SLICE_HEIGHT", "SLICE_ALONG"
OTHER_GRIDS = "KNOWFLOW_OTHER_GRIDS"
_HDF5 = b"\x89HDF\r\n\x1a\n"
_NETCDF_3 = (b"CDF\x01", b"CDF\x02", b"CDF\x05")
_HDF4 = b"\x0e\x03\x13\x01"
_HEAD = 4096
_BESIDE = re.compile(r"#(coordinates|bounds|climatology|grid_mapping)$")
ON_EARTH = frozenset({"degrees_north", "degrees_east", "degree_north", "degree_east"})
_LATITUDE, _LONGITUDE = frozenset({"lat", "latitude"}), frozenset({"lon", "long", "longitude"})
_POLE = 90.0
VERTICAL = re.compile(r"lev|height|depth|plev|pressure|isobaric|altitude|^z$", re.IGNORECASE)
DESCRIBING = ("long_name", "standard_name", "cell_methods", "flag_values", "flag_masks", "flag_meanings")
_TYPES = {"uint8": "Byte"}
_GRIB_UNITS = {"C": "degC", "-": "1", "proportion": "1", "Proportion": "1"}
_LEAST_ROWS = 128  # rows of a block where the file has them one by one


@dataclass(frozen=True, slots=True)
class _Slice:
    """One band of a dataset of GDAL's, as the virtual raster states it."""

    source: str
    number: int
    dtype: str
    block: tuple[int, int]
    description: str
    tags: Mapping[str, str]
    unit: str | None = None
    nodata: float | None = None
    scale: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True, slots=True)
class _Grid:
    """Where the pixels lie: rows and columns, GDAL's geotransform (None: nobody says), CRS."""

    shape: tuple[int, int]
    transform: tuple[float, ...] | None
    crs: str | None

    @property
    def rank(self) -> tuple[bool, int]:
        return self.transform is not None, self.shape[0] * self.shape[1]


def signed_as_hdf5(head: bytes) -> bool:
    """Whether the first bytes of a file are those of HDF5, whose own may be preceded by others."""
    return any(head.startswith(_HDF5, start) for start in (0, 512, 1024, 2048))


def as_raster(path: str | Path) -> str | None:
    """The text of the virtual raster that stands for a cube; None of files that are none by their ending and content.

    Raises:
        UnreadableDataError: a cube of a format, or of an order of its axes, that is not read, with what to do.
        rasterio.errors.RasterioError: GDAL cannot open it.
    """
    name = os.path.abspath(path)
    if os.path.splitext(name)[1].casefold() not in SUFFIXES or not os.path.isfile(name):
        return None
    status = os.stat(name)
    return _stated(name, status.st_size, status.st_mtime_ns, status.st_ino)


@lru_cache(maxsize=128)
def _stated(path: str, *state: int) -> str | None:
    with open(path, "rb") as stream:
        head = stream.read(_HEAD)
    if head.startswith(_HDF4):
        raise UnreadableDataError(
            f"{os.path.basename(path)} is not opened",
            where=path,
            expected="netCDF, HDF5 or GRIB",
            found="HDF4, a format that GDAL's wheels do not read",
            hint="convert it where GDAL has HDF4: gdal_translate of the layer, or fetch it as GeoTIFF or netCDF",
        )
    if head.startswith(_NETCDF_3) or signed_as_hdf5(head):
        found = list(_of_netcdf(path))
    elif b"GRIB" in head and not head.startswith(b"<"):
        found = list(_of_grib(path))
    else:
        return None
    return _virtual(path, found)


def _opened(name: str, driver: str) -> Any:
    from rasterio.io import DatasetReader

    return DatasetReader(name, driver=[driver])


def _of_netcdf(path: str) -> Iterator[tuple[_Grid, _Slice]]:
    """Every slice of every variable that is no axis, bound or coordinate of another."""
    with _opened(path, "netCDF") as whole:
        names = list(whole.subdatasets) or [f'NETCDF:"{path}"']
    found: list[tuple[_Grid, _Slice]] = []
    beside: set[str] = set()
    for name in names:
        with _opened(name, "netCDF") as dataset:
            tags = dataset.tags()
            beside |= {word for key, said in tags.items() if _BESIDE.search(key) for word in _names_in(said)}
            grid = _grid_of(path, dataset, tags)
            variable = name[name.rindex(":") + 1 :].strip("/") if name in whole.subdatasets else ""
            for number in dataset.indexes:
                found.append((grid, _slice_of(dataset, name, number, variable, tags)))
    groups: dict[str, set[str]] = {}
    for _, one in found:
        groups.setdefault(one.description.rpartition("/")[2], set()).add(one.source)
    for grid, one in found:
        own = one.description.rpartition("/")[2]
        if own not in beside and one.unit not in ON_EARTH:
            yield grid, one if len(groups[own]) > 1 else replace(one, description=own)


def _names_in(said: str) -> Iterator[str]:
    return (word.rstrip(":").rpartition("/")[2] for word in said.split())


def _slice_of(dataset: Any, name: str, number: int, variable: str, tags: Mapping[str, str]) -> _Slice:
    own = dataset.tags(number)
    described = {key: own[key] for key in DESCRIBING if own.get(key)}
    called = variable or own.get("NETCDF_VARNAME", "")
    return _Slice(
        source=name,
        number=number,
        dtype=str(dataset.dtypes[number - 1]),
        block=dataset.block_shapes[number - 1],
        description=called,
        tags={**described, **_along(own, tags)},
        unit=dataset.units[number - 1] or own.get("units"),
        nodata=dataset.nodatavals[number - 1],
        scale=float(dataset.scales[number - 1]),
        offset=float(dataset.offsets[number - 1]),
    )


def _along(own: Mapping[str, str], tags: Mapping[str, str]) -> dict[str, str]:
    """Where a slice lies along the dimensions that are not those of its rows and columns."""
    said: dict[str, str] = {}
    others = []
    for key, value in own.items():
        dimension = key.removeprefix("NETCDF_DIM_")
        if dimension == key:
            continue
        axis = {name: _of_axis(tags, dimension, name) for name in ("units", "calendar", "positive", "axis")}
        unit = axis["units"]
        if " since " in unit and TIME not in said:
            time = moment(value, unit, axis["calendar"])
            if time is not None:
                said[TIME] = time
        elif axis["positive"] or axis["axis"] == "Z" or VERTICAL.search(dimension):
            said[HEIGHT] = f"{value} {unit}".strip()
        else:
            others.append(f"{dimension} {value} {unit}".strip())
    return said | ({ALONG: ", ".join(others)} if others else {})


def _of_axis(tags: Mapping[str, str], dimension: str, attribute: str) -> str:
    wanted = f"{dimension}#{attribute}"
    return next((said for key, said in tags.items() if key == wanted or key.endswith(f"/{wanted}")), "")


def _grid_of(path: str, dataset: Any, tags: Mapping[str, str]) -> _Grid:
    plain = _Grid(
        dataset.shape,
        None if dataset.transform.is_identity else dataset.transform.to_gdal(),
        dataset.crs.to_wkt() if dataset.crs else None,
    )
    if plain.transform is None or (plain.crs is not None and not _geographic(plain.crs)):
        return plain
    axes = {said: key.removesuffix("#units") for key, said in tags.items() if key.endswith("#units")}
    latitude = next((axes[unit] for unit in ON_EARTH if unit.endswith("_north") and unit in axes), _called_so(tags))
    if latitude is None:
        return plain
    with _opened(f'NETCDF:"{path}":{latitude}', "netCDF") as axis:
        if axis.height > 1:  # of each pixel: the axes are others
            return plain
        values = axis.read(1).ravel()
    north, step = dataset.transform.f, dataset.transform.e
    if len(values) != dataset.height or abs(max(values) - (north + step / 2)) > abs(step):
        raise UnreadableDataError(
            f"{os.path.basename(path)} is not opened",
            where=path,
            expected="rows along latitude, columns along longitude",
            found="a variable whose rows run along longitude",
            hint="turn it: ncpdq -a lat,lon FILE, or fetch it as GeoTIFF",
        )
    if max(map(abs, values)) > _POLE:
        return plain
    return replace(plain, crs=plain.crs or "EPSG:4326")


def _called_so(tags: Mapping[str, str]) -> str | None:
    """The axis of latitudes of a file that tells no unit of its axes, by what they are called."""
    axes = {key.partition("#")[0].casefold(): key.partition("#")[0] for key in tags if "#" in key}
    placed = any(f"{name}#units" in tags for name in axes.values() if name.casefold() in _LATITUDE | _LONGITUDE)
    if placed or _LONGITUDE.isdisjoint(axes):
        return None
    return next((name for called, name in axes.items() if called in _LATITUDE), None)


def _of_grib(path: str) -> Iterator[tuple[_Grid, _Slice]]:
    """Every message: its parameter, level and the time that it is valid for."""
    with _opened(path, "GRIB") as dataset:
        grid = _Grid(dataset.shape, dataset.transform.to_gdal(), dataset.crs.to_wkt() if dataset.crs else None)
        for number in dataset.indexes:
            own = dataset.tags(number)
            element, unit = own.get("GRIB_ELEMENT", ""), own.get("GRIB_UNIT", "").strip("[]")
            seconds = own.get("GRIB_VALID_TIME", "").split()
            time = moment(seconds[0], "seconds since 1970-01-01", "") if seconds else None
            called = f"{element} {own.get('GRIB_SHORT_NAME', '')}".strip()
            said = {
                "long_name": re.sub(r"\s*\[[^\]]*\]$", "", own.get("GRIB_COMMENT", "")),
                TIME: time or "",
                HEIGHT: own.get("GRIB_SHORT_NAME", ""),
            }
            yield (
                grid,
                _Slice(
                    path,
                    number,
                    str(dataset.dtypes[number - 1]),
                    dataset.block_shapes[number - 1],
                    called,
                    {key: text for key, text in said.items() if text},
                    _GRIB_UNITS.get(unit, unit) or None,
                    dataset.nodatavals[number - 1],
                ),
            )


def _virtual(path: str, found: list[tuple[_Grid, _Slice]]) -> str:
    """A virtual raster of all slices on one grid: of several grids, of the one that is placed and has most pixels."""
    if not found:
        raise UnreadableDataError(
            f"{os.path.basename(path)} holds no layer",
            where=path,
            expected="a variable along two dimensions of the ground",
            found="none",
            hint="leave it out of the folder",
        )
    wanted = max((one for one, _ in found), key=lambda one: one.rank)
    turned, grid = _from_180_west(wanted)
    root = Xml.Element("VRTDataset", rasterXSize=str(grid.shape[1]), rasterYSize=str(grid.shape[0]))
    if grid.crs is not None:
        _text(root, "SRS", grid.crs)
    if grid.transform is not None:
        _text(root, "GeoTransform", ", ".join(f"{number:.17g}" for number in grid.transform))
    others = dict.fromkeys(one.description for its, one in found if its != wanted)
    if others:
        _tagged(root, {OTHER_GRIDS: ", ".join(others)})
    kept = (one for its, one in found if its == wanted and not one.dtype.startswith("complex"))
    for place, one in enumerate(kept, start=1):
        _band(root, one, place, grid.shape, turned)
    return Xml.tostring(root, "unicode")


def _from_180_west(grid: _Grid) -> tuple[int, _Grid]:
    """The grid with longitudes from -180 on, and the number of columns that go from its right edge to its left."""
    if grid.transform is None or grid.crs is None or not _geographic(grid.crs):
        return 0, grid
    west, step, columns = grid.transform[0], grid.transform[1], grid.shape[1]
    if west + step * columns <= 180.0 + step:
        return 0, grid
    if west >= 180.0 - step:  # all of it lies in the west
        return 0, replace(grid, transform=(west - 360.0, *grid.transform[1:]))
    if abs(step * columns - 360.0) > step / 100:
        return 0, grid  # across the antimeridian: cut there it would have a hole of most of the globe
    stay = math.ceil((180.0 - west) / step - 0.5)
    return columns - stay, replace(grid, transform=(west + stay * step - 360.0, *grid.transform[1:]))


@lru_cache(maxsize=16)
def _geographic(crs: str) -> bool:
    from rasterio.crs import CRS

    return bool(CRS.from_user_input(crs).is_geographic)


def _band(root: Xml.Element, one: _Slice, place: int, shape: tuple[int, int], turned: int) -> None:
    rows, columns = shape
    block = one.block if one.block[0] > 1 else (min(rows, _LEAST_ROWS), one.block[1])
    kind = _TYPES.get(one.dtype) or one.dtype.replace("uint", "UInt").replace("int", "Int").replace("float", "Float")
    band = Xml.SubElement(
        root, "VRTRasterBand", dataType=kind, band=str(place), blockXSize=str(block[1]), blockYSize=str(block[0])
    )
    _tagged(band, {"NETCDF_VARNAME": one.description, **one.tags})
    _text(band, "Description", one.description)
    for name, value in (("UnitType", one.unit), ("NoDataValue", _number(one.nodata))):
        if value is not None:
            _text(band, name, value)
    if (one.scale, one.offset) != (1.0, 0.0):
        _text(band, "Offset", _number(one.offset) or "0")
        _text(band, "Scale", _number(one.scale) or "1")
    parts = ((0, columns, 0),) if not turned else ((columns - turned, turned, 0), (0, columns - turned, turned))
    for start, width, target in parts:
        source = Xml.SubElement(band, "SimpleSource")
        _text(source, "SourceFilename", one.source).set("relativeToVRT", "0")
        _text(source, "SourceBand", str(one.number))
        size = {"RasterXSize": str(columns), "RasterYSize": str(rows), "DataType": kind}
        Xml.SubElement(source, "SourceProperties", size, BlockXSize=str(one.block[1]), BlockYSize=str(one.block[0]))
        for name, left in (("SrcRect", start), ("DstRect", target)):
            Xml.SubElement(source, name, xOff=str(left), yOff="0", xSize=str(width), ySize=str(rows))


def _number(value: float | None) -> str | None:
    return None if value is None else f"{value:.17g}"


def _tagged(parent: Xml.Element, tags: Mapping[str, str]) -> None:
    listed = Xml.SubElement(parent, "Metadata")
    for key, value in tags.items():
        Xml.SubElement(listed, "MDI", key=key).text = value


def _text(parent: Xml.Element, name: str, text: str) -> Xml.Element:
    element = Xml.SubElement(parent, name)
    element.text = text
    return element
