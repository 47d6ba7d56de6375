"""Cubes elsewhere as files: a reference to the slices of their variables along the last two axes, with what CF says.

Of a Zarr store those slices are one reference that lie in the same chunks; of a netCDF or HDF5 file all are, under its
name, as :mod:`knowflow.ground.cubes` has it. Attributes are those of https://cfconventions.org; times and fill values
are stored as xarray does. Longitudes from 0 to 360 begin at -180.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias
from xml.etree import ElementTree as Xml

import numpy as np
from affine import Affine

from knowflow.ground.cubes import ALONG, DESCRIBING, HEIGHT, ON_EARTH, TIME, VERTICAL
from knowflow.ground.errors import DataNotFoundError, UnreadableDataError
from knowflow.ground.moments import moment
from knowflow.ground.references import Part, State
from knowflow.model import geo
from knowflow.tools.remote.arrays import arrays_of, state_of_cube
from knowflow.tools.remote.cube_array import Array
from knowflow.tools.remote.headers import Window, on_grid, refer_to, transform_of, window_of

Cube: TypeAlias = Mapping[str, Array]
Period: TypeAlias = tuple[str | None, str | None]
_ALONG_Y = re.compile(r"^(y|yc|lat|latitude|northing|rows?)$", re.IGNORECASE)
_ALONG_X = re.compile(r"^(x|xc|lon|longitude|easting|col(umn)?s?)$", re.IGNORECASE)
_BESIDE = ("coordinates", "bounds", "climatology", "grid_mapping", "ancillary_variables")
_METRES = frozenset({"", "m", "metre", "meter", "metres", "meters"})
_TYPES = {"uint8": "Byte", "int8": "Int8", "bool": "Byte"}
_EVEN = 1e-3  # of a step: how uneven an axis may be that is told with few digits
_MOST_SLICES = 5000


@dataclass(frozen=True, slots=True)
class _Slice:
    """A slice of a variable: its place along the other axes, what it is called, and its tags."""

    chosen: tuple[int, ...]
    name: str
    tags: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Layer:
    """A variable with its header on its whole grid, and the slices of it that are asked for.

    ``turned``: its rows run from south to north. ``seam`` is the column that lies east of -180, where it is not the
    first.
    """

    variable: Array
    header: Xml.Element
    turned: bool
    seam: int
    slices: tuple[_Slice, ...]

    @property
    def grid(self) -> tuple[object, ...]:
        root = self.header
        return root.attrib["rasterYSize"], root.attrib["rasterXSize"], root.findtext("GeoTransform"), self.seam


def of_zarr(address: str, folder: Path, extent: geo.Box | None, period: Period) -> State:
    """References to the slices of a Zarr store within an area and a period; the state of the store.

    Raises:
        UnreadableDataError: its axes are no grid. DataNotFoundError: it holds no layer.
        RemoteDataError: it cannot be had. PlanningError: the library for it is not installed.
    """
    state = state_of_cube(address)
    cube = arrays_of(address, state)
    layers = _layers(address, cube, period)
    found = False
    for layer in layers:
        window = window_of(layer.header, extent)
        if window is None:
            continue
        for together in _by_chunks(layer):
            found = True
            _refer(folder / f"{together[0].name}.tif", address, state, window, [replace(layer, slices=together)])
    if not found:
        raise DataNotFoundError(
            "the cube holds no layer in the area and period",
            where=address,
            expected="a variable whose last two axes are those of the ground",
            found=", ".join(filter(None, cube)) or "no variable",
        )
    return state


def of_file(address: str, state: State, path: Path, extent: geo.Box | None, period: Period) -> bool:
    """A reference to the slices of a netCDF or HDF5 file within an area and a period; whether there are any.

    Raises:
        UnreadableDataError: it is none that can be read by its parts, or its variables lie on several grids.
        RemoteDataError: it cannot be had. PlanningError: the library for it is not installed.
    """
    cube = arrays_of(address, state)
    _require_ground(address, cube)
    layers = _layers(address, cube, period)
    if len({layer.grid for layer in layers}) > 1:
        raise _no_parts(address, "variables on several grids")
    layers = [layer for layer in layers if layer.slices]
    window = window_of(layers[0].header, extent) if layers else None
    if window is None:
        return False
    _refer(path, address, state, window, layers)
    return True


def _no_parts(address: str, found: str) -> UnreadableDataError:
    return UnreadableDataError(
        "the cube cannot be read by its parts",
        where=address,
        expected="variables on one grid, as CF has it",
        found=found,
    )


def _require_ground(address: str, cube: Cube) -> None:
    """Refuse a cube with a variable that may be a layer, and whose place CF's axes do not tell."""
    beside = _beside(cube)
    layers = [one for one in cube.values() if len(one.axes) > 1 and one.name not in beside]
    odd = [one.name for one in layers if not _is_of_ground(one.axes)]
    if odd or not layers:
        raise _no_parts(address, f"other axes of {', '.join(odd[:3])}" if odd else "no variable with two axes")
    for one in layers:
        if not _in_degrees(cube, one):
            units = {str(cube[axis].said.get("units", "")) for axis in one.axes[-2:] if axis in cube}
            if not units <= _METRES:
                raise _no_parts(address, f"axes in {', '.join(sorted(units))}")


def _beside(cube: Cube) -> frozenset[str]:
    """The variables that others name as their bounds, coordinates and so on."""
    texts = (str(one.said.get(name, "")) for one in cube.values() for name in _BESIDE)
    return frozenset(word.rstrip(":").rpartition("/")[2] for text in texts for word in text.split())


def _layers(address: str, cube: Cube, period: Period) -> list[_Layer]:
    beside = _beside(cube)
    found, count = [], 0
    for variable in cube.values():
        on_earth = str(variable.said.get("units", "")) in ON_EARTH
        if not _is_of_ground(variable.axes) or variable.name in beside or on_earth:
            continue
        slices = tuple(_slices(cube, variable, period))
        count += len(slices)
        if count > _MOST_SLICES:
            raise UnreadableDataError(
                "the cube has too many slices",
                where=address,
                expected=f"at most {_MOST_SLICES}",
                hint="narrow it: --dates",
            )
        header, turned, seam = _header(address, cube, variable)
        found.append(_Layer(variable, header, turned, seam, slices))
    return found


def _is_of_ground(axes: tuple[str, ...]) -> bool:
    return len(axes) > 1 and bool(_ALONG_Y.match(axes[-2]) and _ALONG_X.match(axes[-1]))


def _header(address: str, cube: Cube, variable: Array) -> tuple[Xml.Element, bool, int]:
    """The grid of a variable, and what its numbers mean, as a virtual raster of one band, rows from north to south;
    whether those of the variable run the other way; and the column that is the first of it."""
    y, x = (_steps(address, cube, axis) for axis in variable.axes[-2:])
    rows, columns = variable.shape[-2:]
    north = max(y[0], y[0] + y[1] * (rows - 1))
    crs = _crs(cube, variable)
    seam, west = _from_180_west(x, columns) if _in_degrees(cube, variable) else (0, x[0])
    transform = Affine(x[1], 0, west - x[1] / 2, 0, -abs(y[1]), north + abs(y[1]) / 2)
    root = Xml.Element("VRTDataset", rasterXSize=str(columns), rasterYSize=str(rows))
    if crs is not None:
        Xml.SubElement(root, "SRS").text = crs
    Xml.SubElement(root, "GeoTransform").text = ", ".join(f"{number:.17g}" for number in transform.to_gdal())
    root.append(_band(variable))
    return root, y[1] > 0, seam


def _from_180_west(x: tuple[float, float], columns: int) -> tuple[int, float]:
    """The column that lies first where longitudes begin at -180, and its longitude."""
    first, step = x
    if step <= 0 or first - step / 2 + step * columns <= 180.0 + step:
        return 0, first
    if first - step / 2 >= 180.0 - step:  # all of it lies in the west
        return 0, first - 360.0
    if abs(step * columns - 360.0) > step / 100:
        return 0, first  # across the antimeridian: cut there it would have a hole of most of the globe
    seam = int(np.ceil((180.0 - (first - step / 2)) / step - 0.5))
    return seam, first + seam * step - 360.0


def _band(variable: Array) -> Xml.Element:
    rows, columns = variable.shape[-2:]
    high, wide = map(str, variable.chunks[-2:])
    kind = variable.dtype.replace("uint", "UInt").replace("int", "Int").replace("float", "Float")
    kind = _TYPES.get(variable.dtype, kind)
    band = Xml.Element("VRTRasterBand", dataType=kind, band="1", blockXSize=wide, blockYSize=high)
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
    return band


def _steps(address: str, cube: Cube, axis: str) -> tuple[float, float]:
    """The first value of an axis and its step."""
    if axis not in cube:
        raise UnreadableDataError("the cube does not say where its pixels lie", where=address, found=f"no axis {axis}")
    values = np.asarray(cube[axis].values(), dtype=np.float64)
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


def _in_degrees(cube: Cube, variable: Array) -> bool:
    axis = cube.get(variable.axes[-1])
    return axis is not None and str(axis.said.get("units", "")).startswith("degree")


def _crs(cube: Cube, variable: Array) -> str | None:
    mapping = str(variable.said.get("grid_mapping", "spatial_ref")).partition(":")[0].strip()
    of_all = cube[""].said if "" in cube else {}
    said = cube[mapping].said if mapping in cube else {}
    text = said.get("crs_wkt") or said.get("spatial_ref") or of_all.get("proj:code") or of_all.get("crs")
    if text:
        return str(text)
    if _in_degrees(cube, variable) and not said.keys() & {
        "semi_major_axis",
        "earth_radius",
        "grid_north_pole_latitude",
    }:
        return "EPSG:4326"
    return _by_parameters(said) if "grid_mapping_name" in said else None


def _by_parameters(said: Mapping[str, Any]) -> str:
    """A CRS that is told by the parameters of its projection, as WKT."""
    from pyproj import CRS

    plain = {key: value.tolist() if isinstance(value, np.ndarray) else value for key, value in said.items()}
    plain = {key: value[0] if isinstance(value, list) and len(value) == 1 else value for key, value in plain.items()}
    return str(CRS.from_cf(plain).to_wkt())


def _slices(cube: Cube, variable: Array, period: Period) -> Iterator[_Slice]:
    """Every slice within a period, in the order of the variable."""
    described = {key: str(variable.said[key]) for key in DESCRIBING if key in variable.said}
    pairs = zip(variable.axes[:-2], variable.shape[:-2], strict=True)
    axes = [list(_along(cube.get(axis), axis, size)) for axis, size in pairs]
    first, last = period
    for places in itertools.product(*axes):
        tags = {"NETCDF_VARNAME": variable.name, **described}
        called = [variable.name]
        for _, tag, value in places:
            tags[tag] = f"{tags[tag]}, {value}" if tag in tags else value
            called.append(re.sub(r"[^\w.-]", "", value.replace("T00:00:00", "")))
        day = tags.get(TIME, "")[:10]
        if day and ((first and day < first) or (last and day > last)):
            continue
        yield _Slice(tuple(place for place, _, _ in places), "_".join(called), tags)


def _along(axis: Array | None, name: str, size: int) -> Iterator[tuple[int, str, str]]:
    """Each place along an axis, the tag that tells it, and what it tells."""
    values = np.arange(size) if axis is None else axis.values()
    said = {} if axis is None else axis.said
    unit = str(said.get("units", ""))
    for place, value in enumerate(values.tolist()):
        time = moment(str(value), unit, str(said.get("calendar", ""))) if " since " in unit else None
        text = f"{value:.15g}" if isinstance(value, float) else str(value)
        if time is not None:
            yield place, TIME, time
        elif said.get("axis") == "Z" or "positive" in said or VERTICAL.search(name):
            yield place, HEIGHT, f"{text} {unit}".strip()
        else:
            yield place, ALONG, f"{name} {text} {unit}".strip()


def _by_chunks(layer: _Layer) -> Iterator[tuple[_Slice, ...]]:
    """The slices that lie in the same chunks, which come together."""
    chunks = layer.variable.chunks
    found: dict[tuple[int, ...], list[_Slice]] = {}
    for one in layer.slices:
        found.setdefault(tuple(at // size for at, size in zip(one.chosen, chunks, strict=False)), []).append(one)
    yield from map(tuple, found.values())


def _refer(path: Path, address: str, state: State, window: Window, layers: Sequence[_Layer]) -> None:
    """A reference to slices that lie on one grid, a band each."""
    row, column, rows, columns = window
    moved = (transform_of(layers[0].header) or Affine.identity()) @ Affine.translation(column, row)
    cuts = [on_grid(layer.header, (rows, columns), moved) for layer in layers]
    bands = [next(cut.iter("VRTRasterBand")) for cut in cuts]
    root = cuts[0]
    root.remove(bands[0])
    parts: list[Part] = []
    number = 0
    for layer, band in zip(layers, bands, strict=True):
        for one in layer.slices:
            number += 1
            root.append(_of_slice(band, one, number))
            parts += _parts(f"{address}#{layer.variable.name}", state, window, layer, one, number)
    refer_to(path, root, tuple(parts))


def _of_slice(band: Xml.Element, one: _Slice, number: int) -> Xml.Element:
    made = deepcopy(band)
    made.set("band", str(number))
    for source in made.iter("SourceBand"):
        source.text = str(number)
    tags = Xml.Element("Metadata")
    for key, text in one.tags.items():
        Xml.SubElement(tags, "MDI", key=key).text = text
    made.insert(0, tags)
    return made


def _parts(address: str, state: State, window: Window, layer: _Layer, one: _Slice, band: int) -> Iterator[Part]:
    """Where the columns of a slice come from: in one piece, or two where longitudes begin within it."""
    row, column, rows, columns = window
    every = layer.variable.shape[-1]
    start = (column + layer.seam) % every
    first = min(columns, every - start)
    for begin, count, place in ((start, first, 0), (0, columns - first, first)):
        if count:
            cut = (row, begin, rows, count)
            yield Part(address, state, cut, (0, place), chosen=one.chosen, turned=layer.turned, band=band)
