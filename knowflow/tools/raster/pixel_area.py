"""How large pixels truly are, and so how much each of them weighs in a share, a mean or a deviation.

One threshold decides both: pixels that are alike to ``EQUAL_ENOUGH`` weigh alike, and pixels whose size in the plane of
their projection is true to ``EQUAL_ENOUGH`` are measured there; all others on the ellipsoid.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import ToolError
from knowflow.model import geo
from knowflow.model.ground_lengths import AREAS_TRUE_TO
from knowflow.tools.context import tell
from knowflow.tools.kernels.ellipsoid import on_authalic_sphere, zone_area
from knowflow.tools.raster.grid import Grid

Areas = NDArray[np.float64]

EQUAL_ENOUGH = AREAS_TRUE_TO
_MESH = 9  # points per side by which the areas of a grid are looked at
_SMOOTH = 1e-5  # of an area: between the points of a mesh it is interpolated to this
_SMALL = 0.05  # of a pixel's sides: how it is stretched around its middle
_FEW = 1 << 12  # pixels that are not worth a mesh


@lru_cache(maxsize=64)
def pixel_area(grid: Grid) -> PixelArea:
    """The areas of the pixels of a grid; looked at once. Raises ``MissingFactError`` for a grid without a CRS."""
    return PixelArea(grid)


@lru_cache(maxsize=8)  # the scenes of a series have one grid, and most of them one block
def weights_of(grid: Grid, window: Grid) -> Areas | None:
    """What the pixels of a window of a grid weigh: their areas (m2), or None where all of the grid weigh alike.

    Of the shape (rows, columns), or (rows, 1) where all of a row weigh alike. Pixels beyond the reach of the
    projection weigh nothing; those of a grid whose pixels have no known size weigh alike.
    """
    if not _differ(grid):
        return None
    found = pixel_area(grid).weights(window)
    found.flags.writeable = False
    return found


def _differ(grid: Grid) -> bool:
    """Whether the pixels of a grid differ in true size."""
    return grid.georeferenced and grid.placed and not pixel_area(grid).equal


def weigh_alike(grid: Grid) -> bool:
    """Whether each pixel of a grid counts as much as any other; so they do where nobody knows their size."""
    return not _differ(grid)


def tell_unweighted(grid: Grid) -> None:
    """Say with the result that each pixel counts once, where they differ in size."""
    if _differ(grid):
        largest = f"{pixel_area(grid).spread + 1:.4g}"
        tell(
            f"of the pixels, each of which counts once: the largest has {largest} times the smallest's area",
        )


def tell_weighted(grid: Grid) -> None:
    """Say with the result that it is weighted by the areas of the pixels."""
    largest = f"{pixel_area(grid).spread + 1:.4g}"
    tell(f"weighted by the true area of the pixels: the largest has {largest} times the smallest's")


class PixelArea:
    """The area of pixels (m2) of one grid, for any window of it.

    ``equal``: all are alike; ``spread``: by how much the largest is larger than the smallest.
    """

    def __init__(self, grid: Grid) -> None:
        self._grid = grid
        self._crs = geo.crs_of(grid.require_crs("an area"))
        a, b, _, d, e, _ = grid.transform[:6]
        factor = float(self._crs.axis_info[0].unit_conversion_factor)
        geographic = bool(self._crs.is_geographic)
        self._by_rows = geographic and not (b or d)
        self._radians = factor if geographic else 0.0
        self._planar = abs(a * e - b * d) * factor**2
        known = self._known(grid, geographic)
        self.spread = float(known.max() / known.min() - 1.0) if known.size else 0.0
        self.equal = self.spread <= EQUAL_ENOUGH
        stretched = geographic or bool((np.abs(self._planar / known - 1.0) > EQUAL_ENOUGH).any())
        self._in_plane = self.equal and not stretched

    def __reduce__(self) -> tuple[Callable[[Grid], PixelArea], tuple[Grid]]:
        return pixel_area, (self._grid,)

    @property
    def planar(self) -> float | None:
        """The area (m2) of each pixel where all are alike and measured in the plane of the projection; else None."""
        return self._planar if self._in_plane and not self._by_rows else None

    def total(self, window: Grid, true: NDArray[np.bool_]) -> float:
        """Area (m2) of the pixels of a window (rows, columns) that are true.

        Raises ``ToolError`` where one of them lies beyond the reach of the projection.
        """
        if self._by_rows:
            return float(np.count_nonzero(true, axis=1) @ self._row_areas(window))
        if self._in_plane:
            return float(np.count_nonzero(true) * self._planar)
        found = float(self._pixel_areas(window)[true].sum())
        if not np.isfinite(found):
            raise ToolError(
                "the projection stretches areas, and part of what is measured lies beyond its reach",
                expected="a raster on the map of its projection",
                found=str(window),
                hint="reproject it to a local or an equal-area projection first",
            )
        return found

    def each(self, window: Grid) -> Areas:
        """Area (m2) of every pixel of a window (rows, columns); 0 beyond the reach of the projection."""
        return np.ascontiguousarray(np.broadcast_to(self.weights(window), window.shape))

    def weights(self, window: Grid) -> Areas:
        """Areas (m2) of the pixels of a window, of a shape that fits (rows, columns); as by :meth:`each`."""
        if self._by_rows:
            return self._row_areas(window)[:, np.newaxis]
        if self._in_plane:
            return np.full((1, 1), self._planar)
        return np.nan_to_num(self._pixel_areas(window), copy=False)

    def _known(self, grid: Grid, geographic: bool) -> Areas:
        """The areas of some pixels, among them the largest and the smallest; none where nobody knows where they lie."""
        if self._by_rows:
            found = self._row_areas(grid)
        elif self._crs.geodetic_crs is None or not grid.placed:
            return np.empty(0)
        else:
            found = self._on_ellipsoid(grid, *_mesh(grid, _MESH))
        return found[np.isfinite(found) & (found > 0)]

    def _row_areas(self, window: Grid) -> Areas:
        _, _, _, _, height, north = window.transform[:6]
        edges = self._radians * (north + height * np.arange(window.shape[0] + 1))
        ellipsoid = self._crs.get_geod()
        width = self._radians * window.transform.a
        return zone_area(edges[:-1], edges[1:], width, ellipsoid.a, ellipsoid.es)

    def _pixel_areas(self, window: Grid) -> Areas:
        """Area (m2) of each pixel on the ellipsoid, NaN beyond the reach of the projection.

        It is a smooth function, interpolated from a mesh as fine as it needs; where the window reaches beyond the
        Earth, it is cut until its parts do not, or are few pixels.
        """
        from scipy.interpolate import RectBivariateSpline

        rows, columns = window.shape
        if rows * columns <= _FEW:
            return self._on_ellipsoid(window, _middles(rows), _middles(columns))
        points = _MESH
        known = self._on_ellipsoid(window, *_mesh(window, points))
        if not np.isfinite(known).any():
            return np.full(window.shape, np.nan)
        while np.isfinite(known).all() and points < min(rows, columns):
            spline = RectBivariateSpline(*_mesh(window, points), known)
            points = 2 * points - 1
            known = self._on_ellipsoid(window, *_mesh(window, points))
            if np.abs(spline(*_mesh(window, points)) - known).max() <= _SMOOTH * known.max():
                return np.asarray(spline(_middles(rows), _middles(columns)))
        down, across = (rows // 2, columns) if rows >= columns else (rows, columns // 2)
        rest = (rows - down, across) if rows >= columns else (down, columns - across)
        row, column = (down, 0) if rows >= columns else (0, across)
        parts = [window.window(0, 0, down, across), window.window(row, column, *rest)]
        return np.concatenate([self._pixel_areas(part) for part in parts], axis=0 if rows >= columns else 1)

    def _on_ellipsoid(self, grid: Grid, rows: Areas, columns: Areas) -> Areas:
        """Area (m2) of a pixel centred at each of the rows and columns: as its middle is stretched, so is all of it.

        A small part around the middle is half the product of its diagonals, on the sphere that keeps areas, so that
        neither a pole nor the 180th meridian is anything special. Pixels of 100 km in Mercator are measured to 1e-4.
        """
        down, across = np.meshgrid(rows, columns, indexing="ij")
        around = np.array([(-1, -1), (-1, 1), (1, -1), (1, 1)]) * _SMALL / 2
        north_west, north_east, south_west, south_east = self._position(
            grid, down + around[:, :1, np.newaxis], across + around[:, 1:, np.newaxis]
        )
        spanned = np.cross(south_east - north_west, south_west - north_east)
        return np.asarray(0.5 / _SMALL**2 * np.sqrt((spanned**2).sum(axis=-1)))

    def _position(self, grid: Grid, rows: Areas, columns: Areas) -> Areas:
        """Points on the authalic sphere (m), (..., 3); not finite beyond the reach of the projection."""
        from pyproj import Transformer

        a, b, c, d, e, f = grid.transform[:6]
        to_degrees = Transformer.from_crs(self._crs, self._crs.geodetic_crs, always_xy=True)
        found = to_degrees.transform(a * columns + b * rows + c, d * columns + e * rows + f)
        radians = float(self._crs.geodetic_crs.axis_info[0].unit_conversion_factor)
        longitude, latitude = (np.where(np.isfinite(one), one, np.nan) * radians for one in found)
        ellipsoid = self._crs.get_geod()
        return on_authalic_sphere(longitude, latitude, ellipsoid.a, ellipsoid.es)


def _middles(count: int) -> Areas:
    """Where the pixels of a line are: half a pixel from its end, and so on."""
    return np.arange(count, dtype=np.float64) + 0.5


def _mesh(grid: Grid, points: int) -> tuple[Areas, Areas]:
    """Rows and columns of a coarse mesh over a grid, from the first pixel to the last."""
    rows, columns = grid.shape
    return np.linspace(0.5, rows - 0.5, points), np.linspace(0.5, columns - 0.5, points)
