"""Areas by polygon: what a mask, or each class of a class map, covers of every polygon."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rasterio.windows import Window

from knowflow.ground.units import convert
from knowflow.model.artifact import Artifact
from knowflow.tools.area import class_names, georeferenced, numbers_in
from knowflow.tools.raster import Grid
from knowflow.tools.raster.pixel_area import PixelArea, pixel_area
from knowflow.tools.raster.source import handles, open_source
from knowflow.tools.zonal import (
    in_each_zone,
    on_grid,
    tell_what_was_seen_by_zone,
    values_of,
    zones_on,
)


def area_by_polygon(
    mask: Artifact, zones: Artifact, unit: str = "ha", layer: str | None = None
) -> list[dict[str, Any]]:
    """One row per polygon: its attributes, ``share`` and ``area`` of the mask, ``pixels`` and ``count``.

    ``pixels`` are those of the mask, ``count`` those that are data; pixels that a polygon cuts count by the share of
    them that it covers (exactextract). ``share`` is the mask's part of the area that is data, 0 to 1, None where a
    polygon has no data. Areas are measured as by ``area``.
    """
    with handles() as opened:
        source = open_source(mask, opened)
        measure = pixel_area(georeferenced(mask))
        values, sizes = values_of(source, opened), _sizes(source.grid, measure)
        rows = []
        polygons = zones_on(zones, source.grid, layer)
        for row, found in in_each_zone(polygons, values, ("count", "sum", "weighted_sum", "weighted_mean"), sizes):
            known = float(found["count"]) > 0
            row |= {
                "share": float(found["weighted_mean"]) if known else None,
                "area": float(convert(float(found["weighted_sum"]), "m2", unit)) if known else None,
                "unit": unit,
                "pixels": float(found["sum"]) if known else 0.0,
                "count": float(found["count"]),
            }
            rows.append(row)
        tell_what_was_seen_by_zone("the areas", polygons, [row["count"] for row in rows], source.grid)
    return rows


def share_by_polygon(
    mask: Artifact, zones: Artifact, unit: str = "1", layer: str | None = None
) -> list[dict[str, Any]]:
    """One row per polygon: its attributes, ``share`` of the mask in its ground that is data, as by ``area_by_polygon``,
    in ``unit`` (1 or %), and ``count``, the pixels that are data."""
    rows = area_by_polygon(mask, zones, layer=layer)
    for row in rows:
        share = row.pop("share")
        del row["area"], row["unit"], row["pixels"]
        row |= {"count": row.pop("count"), "share": None if share is None else float(convert(share, "1", unit))}
    return rows


def class_areas_by_polygon(
    raster: Artifact, zones: Artifact, unit: str = "ha", layer: str | None = None
) -> list[dict[str, Any]]:
    """One row per polygon and class in it: its attributes, ``class``, ``class_name``, ``share``, ``area``, ``pixels``.

    Counted and measured as by ``area_by_polygon``; polygons without data have no rows.
    """
    names = class_names(raster, lambda: numbers_in(raster))
    with handles() as opened:
        source = open_source(raster, opened)
        measure = pixel_area(georeferenced(raster))
        values, sizes = values_of(source, opened), _sizes(source.grid, measure)
        known = _where_known(source.grid, values)
        rows, counts = [], []
        polygons = zones_on(zones, source.grid, layer)
        covered = in_each_zone(polygons, known, ("count", "weighted_sum"), sizes)
        classes = in_each_zone(polygons, values, ("count", "unique", "frac", "weighted_frac"), sizes)
        for (row, seen), (_, found) in zip(covered, classes, strict=True):
            whole = float(seen["weighted_sum"] or 0.0)
            counts.append(float(seen["count"]))
            for label, part, pixels in _classes(found):
                size = float(convert(part * whole, "m2", unit))
                of_class = {"class": label, "class_name": names.get(label, ""), "share": part, "area": size}
                rows.append({**row, **of_class, "unit": unit, "pixels": pixels})
        tell_what_was_seen_by_zone("the areas", polygons, counts, source.grid)
    return rows


def _classes(found: Mapping[str, Any]) -> Iterator[tuple[int, float, float]]:
    """Each class in a polygon, its part of the area, and its pixels; in the order of the classes."""
    parts = zip(found["unique"], found["weighted_frac"], found["frac"], strict=True)
    for label, part, of_pixels in sorted(parts):
        yield int(label), float(part), float(of_pixels) * float(found["count"])


def _sizes(grid: Grid, measure: PixelArea) -> Any:
    """The areas of pixels (m2), as weights."""

    def read(window: Window) -> NDArray[np.float64]:
        return measure.each(grid.window(window.row_off, window.col_off, window.height, window.width))

    return on_grid(grid, read)


def _where_known(grid: Grid, values: Any) -> Any:
    """1 where values are data, NaN elsewhere."""

    def read(window: Window) -> NDArray[np.float64]:
        known = values.read_window(window.col_off, window.row_off, window.width, window.height)
        return np.where(np.isnan(known), math.nan, 1.0)

    return on_grid(grid, read)
