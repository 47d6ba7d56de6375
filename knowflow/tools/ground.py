"""The ground that counts: how much of each pixel polygons cover, points, and statistics of what lies there.

A *cover* is a raster of the part of each pixel that counts, 0 to 1; a mask is one, too.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.columns import name_field
from knowflow.ground.errors import MissingFactError, ToolError
from knowflow.ground.units import convert
from knowflow.model import geo
from knowflow.model.artifact import Artifact
from knowflow.tools.area import georeferenced
from knowflow.tools.kernels.directions import Directions
from knowflow.tools.kernels.distribution import Distribution, Moments
from knowflow.tools.kernels.keyed import FEWEST, Nature
from knowflow.tools.kernels.regression import Comoments
from knowflow.tools.keyed_rasters import in_unit, number_in
from knowflow.tools.polygons import moved
from knowflow.tools.raster import Block, Grid, Output, grid_of, map_blocks, map_stack, reduce_blocks
from knowflow.tools.raster.pixel_area import pixel_area
from knowflow.tools.thresholding import WhenEmpty, nothing_to_count, tell_what_was_seen
from knowflow.tools.zonal import Zones, in_each_zone, on_grid, read_zones, zones_on

Amounts = NDArray[np.float64]
OfGround = Literal[
    "mean", "median", "minimum", "maximum", "deviation", "percentile", "sum", "range", "count", "share", "any", "all",
    "area", "majority", "variety", "integral",
]  # fmt: skip

_ADDED, _OF_AREA = ("sum", "count"), ("area", "integral")


def polygon_cover(
    like: Artifact, zones: Artifact, output: Path, names: Sequence[str] = (), beyond: bool = False
) -> None:
    """Write the part of each pixel of a grid that polygons cover (exactextract): those of these names, or all; or the
    part ``beyond`` them.

    Of a file of points the pixels that they lie in are covered. A name is a text of any attribute of a polygon. Raises
    ``ToolError`` where no polygon has one of the names.
    """
    polygons = named(zones_on(zones, grid_of(like)), names)

    def kernel(block: Block) -> Amounts:
        part = _covered(polygons, block.grid)
        return 1.0 - part if beyond else part

    map_blocks(kernel, {"like": like}, _cover(output))


def polygon_area(zones: Artifact, names: Sequence[str] = (), unit: str = "m2") -> float:
    """The area inside the outlines of polygons on the WGS84 ellipsoid: of those of these names, or of all together.

    Source: C. F. F. Karney (2013), Algorithms for geodesics, doi:10.1007/s00190-012-0578-z. A name is as for
    ``polygon_cover``. Raises ``MissingFactError`` where the CRS is not known, ``ToolError`` for a name that none has.
    """
    import shapely
    from pyproj import Geod

    found = named(read_zones(zones), names)
    if found.crs is None:
        raise MissingFactError("the CRS of the polygons is unknown", where=str(zones.path), expected="a CRS")
    geod, outlines = Geod(ellps="WGS84"), (moved(shape, found.crs, "EPSG:4326") for shape in found.geometries)
    parts = (part for outline in outlines for part in shapely.get_parts(outline))
    size = sum(abs(geod.geometry_area_perimeter(shapely.geometry.polygon.orient(part))[0]) for part in parts)
    return float(convert(size, "m2", unit))


def _cover(output: Path) -> Output:
    return Output(output, quantity="share", unit="1", keep=())


def named(zones: Zones, names: Sequence[str]) -> Zones:
    """Those of a name, which is a text of any of their attributes; all without names.

    Raises ``ToolError`` where none has one of the names.
    """
    if not names:
        return zones
    texts = [list(map(_text, column)) for column in zones.fields.values()]
    chosen = [any(column[number] in names for column in texts) for number in range(len(zones))]
    missing = [name for name in names if not any(name in column for column in texts)]
    if missing:
        called = name_field(zones.fields)
        known = sorted({_text(one) for one in zones.fields.get(called or "", ())})
        raise ToolError("there is no polygon of that name", expected=", ".join(known[:20]), found=", ".join(missing))
    return zones.only(np.array(chosen))


def _text(value: Any) -> str:
    return "" if value is None else str(value).strip()


def _covered(polygons: Zones, grid: Grid) -> Amounts:
    """The part of each pixel of a window that polygons cover together, at most all of it."""
    import shapely

    found = np.zeros(grid.shape)
    near = shapely.intersects(polygons.geometries, shapely.box(*grid.bounds))
    if near.any():
        here = Zones(polygons.geometries[near], {}, polygons.crs)
        pixels = on_grid(grid, lambda window: np.ones((int(window.height), int(window.width))))
        flat = found.reshape(-1)
        for _, cells in in_each_zone(here, pixels, ("cell_id", "coverage")):
            np.add.at(flat, np.asarray(cells["cell_id"], dtype=np.int64), np.asarray(cells["coverage"]))
    a, e = grid.transform.a, grid.transform.e
    return np.minimum(found[:: 1 if e < 0 else -1, :: 1 if a > 0 else -1], 1.0)


def point_cover(like: Artifact, output: Path, longitude: float, latitude: float) -> None:
    """Write which pixel of a grid a point (degrees) lies in: 1 there, 0 elsewhere; ``ToolError`` where it is none."""
    grid = grid_of(like)
    crs = grid.require_crs("the pixel of a point")
    found = geo.pixel_of(crs, tuple(grid.transform), grid.shape, longitude, latitude)
    if found is None:
        raise ToolError(
            "the point lies beside the data", expected=f"a point on {grid}", found=f"{longitude} {latitude}"
        )
    row, column = found

    def kernel(block: Block) -> Amounts:
        here = np.zeros(block.shape)
        at = row - int(block.window.row_off), column - int(block.window.col_off)
        if 0 <= at[0] < block.shape[0] and 0 <= at[1] < block.shape[1]:
            here[at] = 1.0
        return here

    map_blocks(kernel, {"like": like}, _cover(output))


def joined_cover(
    series: Sequence[Artifact],
    output: Path,
    how: Literal["product", "smallest", "largest", "sum"],
    truths: Sequence[Artifact | float | None] = (),
) -> None:
    """Write covers joined into one; where one is unknown it counts as ground, of which nothing is known.

    ``sum`` is at most 1. With ``truths``, one for each, only those count that hold (1).
    """
    chosen = [number_in(one, "1") == 1 for one in truths] or [True] * len(series)
    joined = {"product": np.prod, "smallest": np.min, "largest": np.max, "sum": np.sum}[how]

    def kernel(block: Block) -> Amounts:
        parts = np.where(np.isfinite(block["series"]), block["series"], 1.0)[chosen]
        return np.minimum(joined(parts, axis=0), 1.0) if len(parts) else np.zeros(block.shape)  # type: ignore[operator]

    map_stack(kernel, series, _cover(output))


def truth_everywhere(like: Artifact, truth: Artifact | float | None, output: Path) -> None:
    """Write a truth that was found for all of a raster as a mask on its grid; a missing one is unknown everywhere."""
    value = number_in(truth, "1")
    map_blocks(lambda block: np.full(block.shape, value), {"like": like}, Output.mask(output, "mask"))


def restricted(raster: Artifact, cover: Artifact, output: Path, least: float = 0.0, keep_unknown: bool = False) -> None:
    """Write a raster where a cover is above ``least``; beyond it is nodata, and where the cover is unknown, unless
    that is to be kept."""

    def kernel(block: Block) -> NDArray[Any]:
        part = block["cover"]
        kept = block.valid("raster") & ((part > least) | (np.isnan(part) & keep_unknown))
        return np.ma.MaskedArray(block.raw("raster"), mask=~kept)

    map_blocks(kernel, {"raster": raster, "cover": cover}, Output.like(output, raster))


@dataclass
class _Seen:
    """What passes over the blocks of some rasters bring together."""

    moments: Moments = field(default_factory=Moments)
    directions: Directions = field(default_factory=Directions)
    values: Distribution = field(default_factory=Distribution)
    classes: dict[float, float] = field(default_factory=dict)
    pixels: int = 0
    total: float = 0.0  # of whole numbers to the last digit, which a mean times their number is not


def ground_statistic(
    series: Sequence[Artifact],
    statistic: OfGround,
    unit: str,
    result_unit: str,
    p: float | None = None,
    nature: Nature = "state",
    changes: bool = False,
    covers: Sequence[Artifact] | None = None,
    weights: Artifact | None = None,
    weights_unit: str = "1",
    weights_add: bool = False,
    when_empty: WhenEmpty = "fail",
    quantity: str = "calculated",
) -> float:
    """One statistic of all pixels of some rasters together, each by its true area and the part of it that counts.

    ``covers`` are the parts of the pixels of each raster (one for all, or none). Of a sum and a count each pixel counts
    by its part, however large it is. Directions go around the circle, decibels are averaged as power. Numbers are taken
    in ``unit`` and told in ``result_unit``. The area of a truth is in ``m2``. An integral is the sum of each number
    times the area that it is of: a volume of depths, a mass of what weighs so much per area. ``weights`` tell how much
    of something lies in each pixel, by which it counts beside its area, or alone where that is all of it
    (``weights_add``); where there is none, or it is unknown, the pixel does not count.
    """
    seen = _Seen()
    for place, raster in enumerate(series):
        cover = covers[place % len(covers)] if covers else None
        sources = {name: one for name, one in (("raster", raster), ("cover", cover), ("weights", weights)) if one}
        measure = pixel_area(georeferenced(raster)) if statistic in _OF_AREA else None

        def kernel(block: Block, raster: Artifact = raster, measure: Any = measure) -> tuple[Amounts, Amounts | None]:
            values = in_unit(block["raster"], raster, unit, changes)
            if statistic in ("majority", "variety"):
                values = np.where(block.valid("raster"), block.raw("raster"), np.nan).astype(np.float64)
            part = block["cover"].astype(np.float64) if "cover" in block else None
            sizes = measure.each(block.grid) if measure is not None else None
            if statistic not in (*_ADDED, *_OF_AREA) and not weights_add:
                sizes = block.weights
            if weights is not None:
                lies = np.maximum(in_unit(block["weights"], weights, weights_unit, False), 0.0)
                part = np.where(np.isfinite(lies), lies, 0.0) * (1.0 if part is None else part)
            heavy = part if sizes is None else np.broadcast_to(sizes, block.shape) * (1.0 if part is None else part)
            if heavy is not None:
                counts = heavy > 0
                values, heavy = np.where(counts, values, np.nan), np.where(counts, heavy, 0.0)
            return values, heavy

        add = partial(_add, statistic, nature)
        seen = reduce_blocks(kernel, sources, seen, add, each_pixel=statistic in _ADDED)
    if not seen.moments.count:
        return nothing_to_count(series[0], when_empty)
    if statistic in (*_ADDED, *_OF_AREA, "share"):
        tell_what_was_seen(f"the {statistic}", series[0], seen.moments.count, seen.pixels)
    if statistic == "integral":
        return float(convert(seen.total, f"{unit} m2", result_unit))
    return _told(seen, statistic, p, nature, unit)


def _add(statistic: str, nature: str, seen: _Seen, found: tuple[Amounts, Amounts | None]) -> _Seen:
    values, heavy = found
    seen.pixels += values.size if heavy is None else int((heavy > 0).sum())
    seen.moments = seen.moments.merged(Moments.of(values, heavy))
    seen.total += float(np.nansum(values if heavy is None else values * heavy, dtype=np.float64))
    if nature == "angle":
        seen.directions = seen.directions.merged(Directions.of(values, weights=heavy))
    elif statistic in ("median", "percentile"):
        seen.values.add(values, heavy)
    elif statistic in ("majority", "variety"):
        known = np.isfinite(values)
        sizes = np.ones(values.shape) if heavy is None else heavy
        for one in np.unique(values[known]):
            size = float(sizes[known & (values == one)].sum())
            seen.classes[float(one)] = seen.classes.get(float(one), 0.0) + size
    elif nature == "level" and statistic == "mean":
        seen.values.moments = seen.values.moments.merged(Moments.of(10 ** (values / 10), heavy))
    return seen


def _told(seen: _Seen, statistic: str, p: float | None, nature: str, unit: str) -> float:
    moments = seen.moments
    if nature == "angle" and statistic in ("mean", "deviation"):
        return seen.directions.mean if statistic == "mean" else seen.directions.std
    if nature == "level" and statistic == "mean":
        return 10 * math.log10(seen.values.moments.mean)
    if statistic in ("median", "percentile"):
        return float(seen.values.quantiles([0.5 if p is None else p / 100])[0])
    if statistic == "count":
        return seen.total if nature == "truth" else float(moments.mass)
    if statistic == "majority":
        return min(one for one, size in seen.classes.items() if size == max(seen.classes.values()))
    simple: Mapping[str, float] = {
        "mean": moments.mean,
        "deviation": moments.std,
        "minimum": moments.minimum,
        "maximum": moments.maximum,
        "all": moments.minimum,
        "any": moments.maximum,
        "range": moments.maximum - moments.minimum,
        "sum": seen.total,
        "area": seen.total,
        "share": 100 * moments.mean,
        "variety": float(len(seen.classes)),
    }
    return simple[statistic]


def ground_correlation(a: Sequence[Artifact], b: Sequence[Artifact], covers: Sequence[Artifact] | None = None) -> float:
    """Pearson's r over all pixels of rasters that are paired in order, by area and the part that counts.

    NaN with fewer than three pixels that are data in both, or where one does not vary.
    """
    found = Comoments()
    for place, (one, other) in enumerate(zip(a, b, strict=True)):
        sources = {"a": one, "b": other} | ({"cover": covers[place % len(covers)]} if covers else {})

        def kernel(block: Block) -> Comoments:
            part = block["cover"].astype(np.float64) if "cover" in block else None
            sizes = block.weights
            heavy = part if sizes is None else np.broadcast_to(sizes, block.shape) * (1.0 if part is None else part)
            first = block["a"] if heavy is None else np.where(heavy > 0, block["a"], np.nan)
            return Comoments.of(first, block["b"], heavy)

        found = reduce_blocks(kernel, sources, found, Comoments.merged)
    return found.r if found.count >= FEWEST else math.nan
