"""Zarr cubes as files: a reference for each slice of a variable along its last two axes, with what CF says of it.

Attributes are those of https://cfconventions.org; Times and fill values are stored as
xarray does, in formats 2 and 3.
"""

from __future__ import annotations

import base64
import itertools
import re
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import numpy as np
from affine import Affine

from knowflow.ground.cubes import ALONG, HEIGHT, TIME
from knowflow.ground.errors import DataNotFoundError, UnreadableDataError
from knowflow.ground.moments import moment
from knowflow.ground.references import Part, State
from knowflow.model import geo
from knowflow.tools.remote.headers import Window, on_grid, refer_to, transform_of, window_of
from knowflow.tools.remote.zarr_store import state_of_store, store_of

_ALONG_Y = re.compile(r"^(y|lat|latitude|northing|rows?)$", re.IGNORECASE)
_ALONG_X = re.compile(r"^(x|lon|longitude|easting|col(umn)?s?)$", re.IGNORECASE)
_VERTICAL = re.compile(r"lev|height|depth|plev|pressure|altitude|^z$", re.IGNORECASE)
_DESCRIBING = ("long_name", "standard_name", "cell_methods", "flag_values", "flag_masks", "flag_meanings")
_TYPES = {"uint8": "Byte", "int8": "Int8", "bool": "Byte"}
_EVEN = 1e-3  # of a step: how uneven an axis may be that is told with few digits
_MOST_SLICES = 5000


@dataclass(frozen=True, slots=True)
class _Array:
    """An array of a store: its axes by name, what it says of itself, and the number that marks missing data."""

    name: str
    axes: tuple[str, ...]
    shape: tuple[int, ...]
    dtype: str
    said: Mapping[str, Any]
    fill: float | None
    chunks: tuple[int, ...]
    values: Any


@dataclass(frozen=True, slots=True)
class _Slice:
    """A slice of a variable: its place along the other axes, what it is called, and its tags."""

    chosen: tuple[int, ...]
    name: str
    tags: Mapping[str, str]


def of_zarr(address: str, folder: Path, extent: geo.Box | None, period: tuple[str | None, str | None]) -> State:
    """References to the slices of a cube within an area and a period; the state of the cube.

    Raises:
        UnreadableDataError: its axes are no grid. DataNotFoundError: it holds no layer.
        RemoteDataError: it cannot be had. PlanningError: the library for it is not installed.
    """
    state = state_of_store(address)
    cube = _arrays_of(address)
    count = 0
    for variable in cube.values():
        if not _is_of_ground(variable.axes):
            continue
        whole = _header(address, cube, variable)
        window = window_of(whole, extent)
        for one in _slices(cube, variable, period) if window is not None else ():
            count += 1
            if count > _MOST_SLICES:
                expected = f"at most {_MOST_SLICES}"
                raise UnreadableDataError(
                    "the cube has too many slices", where=address, expected=expected, hint="narrow it: --dates"
                )
            turned = _steps(address, cube, variable.axes[-2])[1] > 0
            _refer(folder, f"{address}#{variable.name}", one, whole, window or (0, 0, 0, 0), state, turned)
    if not count:
        raise DataNotFoundError(
            "the cube holds no layer in the area and period",
            where=address,
            expected="a variable whose last two axes are those of the ground",
            found=", ".join(map(str, cube)) or "no variable",
        )
    return state


def _arrays_of(address: str) -> dict[str, _Array]:
    """The arrays of a store by name."""
    store = store_of(address)
    import zarr

    try:
        group = zarr.open_group(store, mode="r")
        listed = dict(group.arrays())
    except (ValueError, KeyError, FileNotFoundError) as error:
        raise UnreadableDataError(
            "no Zarr store is there",
            where=address,
            expected="a group of arrays; on a web server, which cannot be listed, with consolidated metadata",
            found=str(error)[:300],
        ) from error
    found = {}
    for name, array in listed.items():
        said: dict[str, Any] = dict(array.attrs)
        axes = said.get("_ARRAY_DIMENSIONS") or getattr(array.metadata, "dimension_names", None) or ()
        kind = str(array.dtype)
        fill: Any = said.get("_FillValue", said.get("missing_value"))
        if fill is None and array.metadata.zarr_format == 2:  # as xarray reads and writes it
            fill = array.fill_value
        if isinstance(fill, str):  # as xarray writes decimal ones in format 3
            fill = struct.unpack("<d", base64.b64decode(fill))[0]
        found[name] = _Array(name, tuple(map(str, axes)), array.shape, kind, said, fill, array.chunks, array)
    if "spatial_ref" not in found and group.attrs:
        found[""] = _Array("", (), (), "", dict(group.attrs), None, (), None)
    return found


def _is_of_ground(axes: tuple[str, ...]) -> bool:
    return len(axes) > 1 and bool(_ALONG_Y.match(axes[-2]) and _ALONG_X.match(axes[-1]))


def _header(address: str, cube: Mapping[str, _Array], variable: _Array) -> Xml.Element:
    """The grid of a variable, and what its numbers mean, as a virtual raster of one band; rows from north to south."""
    y, x = (_steps(address, cube, axis) for axis in variable.axes[-2:])
    rows, columns = variable.shape[-2:]
    north = max(y[0], y[0] + y[1] * (rows - 1))
    transform = Affine(x[1], 0, x[0] - x[1] / 2, 0, -abs(y[1]), north + abs(y[1]) / 2)
    root = Xml.Element("VRTDataset", rasterXSize=str(columns), rasterYSize=str(rows))
    crs = _crs(cube, variable)
    if crs is not None:
        Xml.SubElement(root, "SRS").text = crs
    Xml.SubElement(root, "GeoTransform").text = ", ".join(f"{number:.17g}" for number in transform.to_gdal())
    high, wide = map(str, variable.chunks[-2:])
    kind = variable.dtype.replace("uint", "UInt").replace("int", "Int").replace("float", "Float")
    kind = _TYPES.get(variable.dtype, kind)
    band = Xml.SubElement(root, "VRTRasterBand", dataType=kind, band="1", blockXSize=wide, blockYSize=high)
    Xml.SubElement(band, "Description").text = variable.name
    if (unit := variable.said.get("units")) is not None:
        Xml.SubElement(band, "UnitType").text = str(unit)
    offset, scale = variable.said.get("add_offset"), variable.said.get("scale_factor")
    for tag, number in (("NoDataValue", variable.fill), ("Offset", offset), ("Scale", scale)):
        if number is not None:
            Xml.SubElement(band, tag).text = f"{float(np.asarray(number).ravel()[0]):.17g}"
    source = Xml.SubElement(band, "SimpleSource")
    Xml.SubElement(source, "SourceFilename", relativeToVRT="1").text = "-"
    Xml.SubElement(source, "SourceBand").text = "1"
    size = {"RasterXSize": str(columns), "RasterYSize": str(rows), "DataType": kind}
    Xml.SubElement(source, "SourceProperties", size, BlockXSize=wide, BlockYSize=high)
    for name in ("SrcRect", "DstRect"):
        Xml.SubElement(source, name, xOff="0", yOff="0", xSize=str(columns), ySize=str(rows))
    return root


def _steps(address: str, cube: Mapping[str, _Array], axis: str) -> tuple[float, float]:
    """The first value of an axis and its step."""
    if axis not in cube:
        raise UnreadableDataError("the cube does not say where its pixels lie", where=address, found=f"no axis {axis}")
    values = np.asarray(cube[axis].values[...], dtype=np.float64)
    steps = np.diff(values)
    step = float(steps.mean()) if len(steps) else 1.0
    if len(steps) and (step == 0.0 or np.abs(steps - step).max() > _EVEN * abs(step)):
        raise UnreadableDataError(
            "the pixels of the cube are no grid",
            where=address,
            expected="rows and columns at even steps",
            found=f"steps from {steps.min():g} to {steps.max():g} along {axis}",
        )
    return float(values[0]), step


def _crs(cube: Mapping[str, _Array], variable: _Array) -> str | None:
    own = cube.get(str(variable.said.get("grid_mapping", "spatial_ref")))
    of_all = cube[""].said if "" in cube else {}
    said = {} if own is None else own.said
    text = said.get("crs_wkt") or said.get("spatial_ref") or of_all.get("proj:code") or of_all.get("crs")
    degrees = str(cube[variable.axes[-1]].said.get("units", "")).startswith("degree")
    return str(text) if text else "EPSG:4326" if degrees else None


def _slices(cube: Mapping[str, _Array], variable: _Array, period: tuple[str | None, str | None]) -> Iterator[_Slice]:
    """Every slice within a period, in the order of the variable."""
    described = {key: str(variable.said[key]) for key in _DESCRIBING if key in variable.said}
    axes = [list(_along(cube.get(axis), axis, size)) for axis, size in zip(variable.axes, variable.shape, strict=True)]
    first, last = period
    for places in itertools.product(*axes[:-2]):
        tags = {"NETCDF_VARNAME": variable.name, **described}
        called = [variable.name]
        for _, tag, value in places:
            tags[tag] = f"{tags[tag]}, {value}" if tag in tags else value
            called.append(re.sub(r"[^\w.-]", "", value.replace("T00:00:00", "")))
        day = tags.get(TIME, "")[:10]
        if day and ((first and day < first) or (last and day > last)):
            continue
        yield _Slice(tuple(place for place, _, _ in places), "_".join(called), tags)


def _along(axis: _Array | None, name: str, size: int) -> Iterator[tuple[int, str, str]]:
    """Each place along an axis, the tag that tells it, and what it tells."""
    values = np.arange(size) if axis is None else np.asarray(axis.values[...])
    said = {} if axis is None else axis.said
    unit = str(said.get("units", ""))
    for place, value in enumerate(values.tolist()):
        time = moment(str(value), unit, str(said.get("calendar", ""))) if " since " in unit else None
        if time is not None:
            yield place, TIME, time
        elif said.get("axis") == "Z" or "positive" in said or _VERTICAL.search(name):
            yield place, HEIGHT, f"{value} {unit}".strip()
        else:
            yield place, ALONG, f"{name} {value} {unit}".strip()


def _refer(
    folder: Path, address: str, one: _Slice, whole: Xml.Element, window: Window, state: State, turned: bool
) -> None:
    row, column, rows, columns = window
    moved = (transform_of(whole) or Affine.identity()) @ Affine.translation(column, row)
    root = on_grid(whole, (rows, columns), moved)
    band = root.find("VRTRasterBand")
    assert band is not None  # made above
    tags = Xml.Element("Metadata")
    for key, text in one.tags.items():
        Xml.SubElement(tags, "MDI", key=key).text = text
    band.insert(0, tags)
    refer_to(folder / f"{one.name}.tif", root, (Part(address, state, window, chosen=one.chosen, turned=turned),))
