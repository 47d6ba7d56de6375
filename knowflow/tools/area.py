"""Areas in real units: what a mask or a class covers."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import MissingFactError, ToolError
from knowflow.ground.json_text import json_value
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.units import convert
from knowflow.model import geo
from knowflow.model.artifact import Artifact
from knowflow.tools.kernels.ellipsoid import metric, zone_area
from knowflow.tools.raster import Block, Grid, grid_of, reduce_blocks
from knowflow.tools.raster.source import handles
from knowflow.tools.thresholding import WhenEmpty, marked, nothing_to_count

EQUAL_ENOUGH = 0.01
"""Projections that stretch areas by less than this are measured in their plane; others on the ellipsoid."""
_MESH = 9


def area(mask: Artifact, unit: str = "ha", when_empty: WhenEmpty = "fail") -> float:
    """Area where the mask is 1; nodata does not count, and a mask of nothing else has no area (``when_empty``).

    In the plane of the projection; on the ellipsoid where the CRS is geographic, or stretches areas by more than 1 %.
    """
    measure = PixelArea(georeferenced(mask))

    def kernel(block: Block) -> tuple[float, int]:
        values = block["mask"]
        return measure.total(block.grid, marked(values)), int(np.count_nonzero(np.isfinite(values)))

    def added(a: tuple[float, int], b: tuple[float, int]) -> tuple[float, int]:
        return a[0] + b[0], a[1] + b[1]

    size, known = reduce_blocks(kernel, {"mask": mask}, (0.0, 0), added)
    return float(convert(size, "m2", unit)) if known else nothing_to_count(mask, when_empty)


def area_by_class(raster: Artifact, unit: str = "ha") -> list[dict[str, Any]]:
    """One row per class that occurs: class, name (as the quantity kind calls it), pixels, area, share of the data."""
    measure = PixelArea(georeferenced(raster))

    def kernel(block: Block) -> dict[int, tuple[int, float]]:
        classes, valid = block.raw("raster"), block.valid("raster")
        found = {}
        for label in np.unique(classes[valid]):
            here = valid & (classes == label)
            found[int(label)] = (int(np.count_nonzero(here)), measure.total(block.grid, here))
        return found

    def together(
        a: Mapping[int, tuple[int, float]], b: Mapping[int, tuple[int, float]]
    ) -> dict[int, tuple[int, float]]:
        none = (0, 0.0)
        labels = {**a, **b}
        return {n: (a.get(n, none)[0] + b.get(n, none)[0], a.get(n, none)[1] + b.get(n, none)[1]) for n in labels}

    start: dict[int, tuple[int, float]] = {}
    totals = reduce_blocks(kernel, {"raster": raster}, start, together)
    whole = sum(size for _, size in totals.values())
    names = class_names(raster)
    return [
        {
            "class": label,
            "name": names.get(label, ""),
            "pixels": count,
            "area": float(convert(size, "m2", unit)),
            "unit": unit,
            "share": size / whole,
        }
        for label, (count, size) in sorted(totals.items())
    ]


def class_names(raster: Artifact) -> Mapping[int, str]:
    """What a raster calls its classes: its tag CLASSES says it, else its quantity kind."""
    with handles() as opened:
        text = opened.get(str(raster.path)).tags().get("CLASSES")
    with suppress(ValueError, AttributeError):
        return {int(code): str(name) for code, name in json_value(text or "null").items()}
    kind = quantity_kinds().get(str(raster.fact("quantity")))
    return {} if kind is None else kind.classes


class PixelArea:
    """The area of pixels (m2) of one grid, for any window of it."""

    def __init__(self, grid: Grid) -> None:
        self._crs = geo.crs_of(grid.require_crs("an area"))
        a, b, _, d, e, _ = grid.transform[:6]
        self._determinant = abs(a * e - b * d)
        factor = float(self._crs.axis_info[0].unit_conversion_factor)
        self._geographic = bool(self._crs.is_geographic)
        if self._geographic and (b or d):
            raise ToolError(
                "areas on a rotated grid in degrees are not supported",
                expected="rows along parallels, or a projected CRS",
                found=str(grid),
                hint="reproject the raster first",
            )
        self._radians = factor if self._geographic else 0.0
        self._planar = self._determinant * factor**2
        self._stretched = not self._geographic and self._stretches(grid)

    def total(self, window: Grid, true: NDArray[np.bool_]) -> float:
        """Area (m2) of the pixels of a window (rows, columns) that are true."""
        if self._geographic:
            return float(np.count_nonzero(true, axis=1) @ self._row_areas(window))
        if not self._stretched:
            return float(np.count_nonzero(true) * self._planar)
        return float((true * self._pixel_areas(window)).sum())

    def each(self, window: Grid) -> NDArray[np.float64]:
        """Area (m2) of every pixel of a window (rows, columns)."""
        if self._geographic:
            return np.repeat(self._row_areas(window)[:, np.newaxis], window.shape[1], axis=1)
        if not self._stretched:
            return np.full(window.shape, self._planar)
        return self._pixel_areas(window)

    def _row_areas(self, window: Grid) -> NDArray[np.float64]:
        _, _, _, _, height, north = window.transform[:6]
        edges = self._radians * (north + height * np.arange(window.shape[0] + 1))
        ellipsoid = self._crs.get_geod()
        width = self._radians * window.transform.a
        return zone_area(edges[:-1], edges[1:], width, ellipsoid.a, ellipsoid.es)

    def _stretches(self, grid: Grid) -> bool:
        """Whether the projection stretches areas; the corners of a grid may lie beyond the Earth, and do not count."""
        found = self._on_ellipsoid(grid, *_mesh(grid))
        return bool((np.abs(self._planar / found[np.isfinite(found)] - 1.0) > EQUAL_ENOUGH).any())

    def _pixel_areas(self, window: Grid) -> NDArray[np.float64]:
        """Area (m2) of each pixel on the ellipsoid: a smooth function, interpolated from a coarse mesh."""
        from scipy.interpolate import RectBivariateSpline

        rows, columns = _mesh(window)
        known = self._on_ellipsoid(window, rows, columns)
        if not np.isfinite(known).all():
            raise ToolError(
                "the projection stretches areas, and part of the raster lies beyond its reach",
                expected="a raster on the map of its projection",
                found=str(window),
                hint="reproject it to a local or an equal-area projection first",
            )
        spline = RectBivariateSpline(rows, columns, known)
        return np.asarray(spline(np.arange(window.shape[0]) + 0.5, np.arange(window.shape[1]) + 0.5))

    def _on_ellipsoid(self, grid: Grid, rows: NDArray[np.float64], columns: NDArray[np.float64]) -> NDArray[np.float64]:
        """Area (m2) of a pixel centred at each of the rows and columns: what its two axes span on the ellipsoid."""
        down, across = np.meshgrid(rows, columns, indexing="ij")
        west, south_of_west = self._position(grid, down, across - 0.5)
        east, south_of_east = self._position(grid, down, across + 0.5)
        above, north = self._position(grid, down - 0.5, across)
        below, south = self._position(grid, down + 0.5, across)
        turn = np.pi
        along = (east - west + turn) % (2 * turn) - turn, south_of_east - south_of_west
        athwart = (below - above + turn) % (2 * turn) - turn, south - north
        middle = self._position(grid, down, across)[1]
        ellipsoid = self._crs.get_geod()
        return metric(middle, ellipsoid.a, ellipsoid.es) * np.abs(along[0] * athwart[1] - along[1] * athwart[0])

    def _position(
        self, grid: Grid, rows: NDArray[np.float64], columns: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Longitude and latitude in radians; not finite beyond the reach of the projection."""
        from pyproj import Transformer

        a, b, c, d, e, f = grid.transform[:6]
        to_degrees = Transformer.from_crs(self._crs, self._crs.geodetic_crs, always_xy=True)
        found = to_degrees.transform(a * columns + b * rows + c, d * columns + e * rows + f)
        radians = float(self._crs.geodetic_crs.axis_info[0].unit_conversion_factor)
        return radians * np.asarray(found[0]), radians * np.asarray(found[1])


def _mesh(grid: Grid) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Rows and columns of a coarse mesh over a grid, from edge to edge."""
    rows, columns = grid.shape
    return np.linspace(0, rows, _MESH), np.linspace(0, columns, _MESH)


def georeferenced(raster: Artifact) -> Grid:
    """The grid of a raster whose pixels have a size; raises ``MissingFactError`` where they have none."""
    grid = grid_of(raster)
    grid.require_crs("an area")
    if grid.transform.is_identity:
        raise MissingFactError(
            "an area needs the size of the pixels",
            where=raster.path,
            expected="a raster with a geotransform",
            found="none",
            hint="say it: --assume crs=EPSG:...,resolution=...",
        )
    return grid
