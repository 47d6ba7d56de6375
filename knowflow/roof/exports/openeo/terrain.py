"""Products of elevation models in the words of openEO: formulas of a pixel and its eight neighbours, as GDAL's are.

Each neighbour is a band, made by a kernel with a single 1 (a convolution: it moves to the other side). Beyond the first
and the last row elevations go on in a straight line, then beyond the sides; a neighbour that is missing is taken to be
as high as the pixel itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from knowflow.model import geo
from knowflow.roof.exports.openeo.graph import Call, Cube
from knowflow.roof.exports.openeo.terms import Term, symbol, term

Window = Mapping[tuple[int, int], Term]
_AROUND = [(row, column) for row in (-1, 0, 1) for column in (-1, 0, 1)]
_SIDES = [(-1, 0), (1, 0), (0, -1), (0, 1)]
_LIGHT = 254  # steps of a shaded relief above 1


def _made(call: Call, formula: Callable[[Window], Term]) -> Mapping[str, Cube]:
    """What a formula makes of the pixels around each pixel, by their offsets (row, column) from it."""
    dem = call.cube("dem")
    if min(call.grid(dem).shape) < 2:
        raise call.refuse("a raster of one row or column")
    same = symbol("at_0_0") * 0 + 1
    ones = call.graph.computed(same, {"at_0_0": dem}, dem.artifact)
    cubes = {_named("at", (0, 0)): dem}
    for offset in _AROUND:
        if offset != (0, 0):
            cubes[_named("at", offset)] = _moved(call, dem, offset, border="replicate")
            cubes[_named("known", offset)] = _moved(call, ones, offset, border="replicate")
        if offset in _SIDES:
            cubes[_named("inside", offset)] = _moved(call, ones, offset, border=0, replace_invalid=1)
    window = {offset: _at(*offset) for offset in _AROUND}
    return call.computed(formula(window), cubes)


def _named(what: str, offset: tuple[int, int]) -> str:
    return f"{what}_{offset[0]}_{offset[1]}".replace("-", "m")


def _moved(call: Call, cube: Cube, offset: tuple[int, int], **how: Any) -> Cube:
    """The neighbours at an offset, each at the place of its pixel."""
    kernel = [[int((1 - row, 1 - column) == offset) for column in range(3)] for row in range(3)]
    node = call.graph.add("apply_kernel", data={"from_node": call.graph.flat(cube)}, kernel=kernel, **how)
    return Cube(node, cube.artifact)


def _near(row: int, column: int) -> Term:
    """A neighbour that is there, or else the nearest pixel of the raster; nothing where that is no data."""
    own = symbol(_named("at", (row, column)))
    if (row, column) == (0, 0):
        return own
    return term("if", value=term("eq", x=symbol(_named("known", (row, column))), y=1), accept=own)


def _at(row: int, column: int) -> Term:
    """The elevation at an offset, told of its neighbours where it is outside or missing."""
    found, inside = _near(row, column), {side: symbol(_named("inside", side)) for side in _SIDES}
    if column:
        between = inside[-1, 0] * inside[1, 0]  # neither the first row nor the last
        outside = term("eq", x=(1 - inside[0, column]) * between, y=1)
        found = term("if", value=outside, accept=2 * _near(row, 0) - _near(row, -column), reject=found)
    if row:
        beyond = 2 * _near(0, column) - _near(-row, column)
        found = term("if", value=term("eq", x=inside[row, 0], y=1), accept=found, reject=beyond)
    return term("if", value=term("is_valid", x=found), accept=found, reject=_near(0, 0))


def _falls(call: Call, window: Window) -> tuple[Term, Term]:
    """How much the ground falls towards east and north in a pixel (m)."""
    if call.given.get("gradient", "Horn") == "Horn":
        weights, total = {-1: 1, 0: 2, 1: 1}, 8
    else:
        weights, total = {0: 1}, 2
    east = [(window[at, -1] - window[at, 1]) * weight for at, weight in weights.items()]
    north = [(window[1, at] - window[-1, at]) * weight for at, weight in weights.items()]
    return _sum(east) / total, _sum(north) / total


def _sum(terms: list[Term]) -> Term:
    made, *others = terms
    for other in others:
        made = made + other
    return made


def _falls_per_metre(call: Call, window: Window) -> tuple[Term, Term]:
    grid = call.grid(call.cube("dem"))
    if grid.crs is None or geo.crs_of(grid.crs).axis_info[0].unit_conversion_factor != 1:
        raise call.refuse("a raster whose pixels are not measured in metres")
    east, north = _falls(call, window)
    return east / grid.transform.a, north / -grid.transform.e


def _steepness(call: Call, window: Window) -> Term:
    east, north = _falls_per_metre(call, window)
    return term("sqrt", x=east**2 + north**2)


def _slope(call: Call) -> Mapping[str, Cube]:
    return _made(call, lambda window: term("arctan", x=_steepness(call, window)) * math.degrees(1))


def _percent(call: Call) -> Mapping[str, Cube]:
    return _made(call, lambda window: 100 * _steepness(call, window))


def _aspect(call: Call) -> Mapping[str, Cube]:
    """Clockwise from north; of level ground there is none."""

    def facing(window: Window) -> Term:
        east, north = _falls(call, window)
        angle = term("mod", x=term("arctan2", y=east, x=north) * math.degrees(1), y=360)
        return term("if", value=term("gt", x=east**2 + north**2, y=0), accept=angle)

    return _made(call, facing)


def _hillshade(call: Call) -> Mapping[str, Cube]:
    if call.given["variant"] != "regular":
        raise call.refuse(f"lights that are {call.given['variant']}")
    azimuth, altitude = (math.radians(float(call.given[name])) for name in ("azimuth", "altitude"))
    rise = float(call.given["exaggeration"])

    def shade(window: Window) -> Term:
        east, north = _falls_per_metre(call, window)
        towards = (east * math.sin(azimuth) + north * math.cos(azimuth)) * (rise * math.cos(altitude))
        light = (towards + math.sin(altitude)) / term("sqrt", x=(east**2 + north**2) * rise**2 + 1)
        return term("floor", x=term("clip", x=light * _LIGHT, min=0, max=_LIGHT) + 1.5)

    return _made(call, shade)


def _ruggedness(call: Call) -> Mapping[str, Cube]:
    def rugged(window: Window) -> Term:
        apart = [window[offset] - window[0, 0] for offset in _AROUND if offset != (0, 0)]
        if call.given["algorithm"] == "Wilson":
            return _sum([term("absolute", x=one) for one in apart]) / len(apart)
        return term("sqrt", x=_sum([one**2 for one in apart]))

    return _made(call, rugged)


TERRAIN: Mapping[str, Callable[[Call], Mapping[str, Any]]] = {
    "slope": _slope,
    "slope_percent": _percent,
    "aspect": _aspect,
    "hillshade": _hillshade,
    "tri": _ruggedness,
}
