"""Reflectance of slopes as on level ground: topographic correction."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import MissingFactError, ToolError
from knowflow.model import ground_lengths
from knowflow.model.artifact import Artifact
from knowflow.tools.kernels import topography
from knowflow.tools.radiometry import sun_above
from knowflow.tools.raster import Block, Grid, Output, grid_of, map_blocks, reduce_blocks
from knowflow.tools.scaling import physical_like

Correction = Literal["c", "cosine"]
_MESH = 9
_UNCHANGED = 1e-6  # of the longest side, the change of one over a block
_LEVEL = 1e-4  # variance of the illumination below which a scene is level
Sums = NDArray[np.float64]


def solar_illumination(
    dem: Artifact, output: Path, sun_elevation: float | None = None, sun_azimuth: float | None = None
) -> None:
    """Write the cosine of the angle between the sun and the normal of the ground (below 0: in shade).

    The sun's ``sun_elevation`` and ``sun_azimuth`` (clockwise from north) are in degrees.
    """
    light = Light(dem, sun_above(dem, sun_elevation), _azimuth(dem, sun_azimuth))
    described = Output(output, quantity="solar_illumination", unit="1", keep=())
    map_blocks(light, {"dem": dem}, described, halo=1)


def topographic_correction(
    raster: Artifact,
    dem: Artifact,
    output: Path,
    method: Correction = "c",
    sun_elevation: float | None = None,
    sun_azimuth: float | None = None,
) -> None:
    """Write reflectance as it would be on level ground, from the elevation of the same pixels (m).

    ``cosine``: by the light that reaches a slope straight from the sun. ``c``: with the constant C that a regression of
    the scene's reflectance on that light gives. Ground in its own shade becomes nodata. The sun's position is that of
    the data, or given in degrees. Raises ``ToolError`` where lit slopes are not brighter than others.
    """
    elevation, azimuth = sun_above(raster, sun_elevation), _azimuth(raster, sun_azimuth)
    light = Light(dem, elevation, azimuth)
    sources = {"raster": raster, "dem": dem}
    c = _constant(sources, light, raster) if method == "c" else 0.0

    def kernel(block: Block) -> NDArray[np.float64]:
        values = block["raster"].astype(np.float64)
        return values if np.isinf(c) else topography.level_ground(values, light(block), elevation, c)

    map_blocks(kernel, sources, physical_like(output, raster), halo=1)


class Light:
    """The kernel that lights a block of the elevation model called ``dem``, on any grid: by what a pixel's sides are on
    the ground. ``ToolError`` where that is unknown."""

    def __init__(self, dem: Artifact, sun_elevation: float, sun_azimuth: float) -> None:
        grid_of(dem).require_crs("the light on slopes")
        self.sun_elevation = sun_elevation
        self.sun_azimuth = sun_azimuth

    def __call__(self, block: Block) -> NDArray[np.float64]:
        axes = pixel_axes(block.grid)
        return topography.illumination(block["dem"].astype(np.float64), axes, self.sun_elevation, self.sun_azimuth)


def pixel_axes(grid: Grid) -> topography.Axes:
    """How far a column leads east and north on the ground (m), and how far a row does: (rows, columns), or one number.

    A smooth function of the place, interpolated from a coarse mesh; numbers where it hardly changes. Not finite beyond
    the reach of the projection.
    """
    crs = grid.require_crs("lengths on the ground")
    rows, columns = (np.linspace(0, size, _MESH) for size in grid.shape)
    down, across = np.meshgrid(rows, columns, indexing="ij")
    a, b, c, d, e, f = grid.transform[:6]
    x, y = a * across + b * down + c, d * across + e * down + f
    x_east, x_north, y_east, y_north = ground_lengths.axes_on_ground(crs, x, y, max(grid.pixel_size))
    found = (
        a * x_east + d * y_east,
        a * x_north + d * y_north,
        b * x_east + e * y_east,
        b * x_north + e * y_north,
    )
    longest = max(float(np.abs(part).max()) for part in found)
    return tuple(_interpolated(part, rows, columns, grid.shape, longest) for part in found)  # type: ignore[return-value]


def _interpolated(
    known: Sums, rows: Sums, columns: Sums, shape: tuple[int, int], longest: float
) -> NDArray[np.float64] | float:
    from scipy.interpolate import RectBivariateSpline

    if not np.isfinite(known).all():
        return np.full(shape, np.nan)
    if np.ptp(known) <= _UNCHANGED * longest:
        return float(known.mean())
    spline = RectBivariateSpline(rows, columns, known)
    return np.asarray(spline(np.arange(shape[0]) + 0.5, np.arange(shape[1]) + 0.5))


def _constant(sources: dict[str, Artifact], light: Light, raster: Artifact) -> float:
    """C = intercept / slope of reflectance on illumination; infinite where a level scene leaves nothing to correct."""

    def kernel(block: Block) -> Sums:
        x, y = light(block)[block.inner], block["raster"][block.inner].astype(np.float64)
        both = np.isfinite(x) & np.isfinite(y) & (x > 0)
        x, y = x[both], y[both]
        return np.array([x.size, x.sum(), y.sum(), (x * x).sum(), (x * y).sum()])

    def added(a: Sums, b: Sums) -> Sums:
        return np.asarray(a + b)

    n, x, y, xx, xy = reduce_blocks(kernel, sources, np.zeros(5), added, halo=1)
    if n < 2:
        raise ToolError(
            "there is no lit ground with data", where=raster.path, expected="reflectance and elevation", found="none"
        )
    variance = xx / n - (x / n) ** 2
    if variance < _LEVEL**2:
        return float("inf")
    slope = (xy / n - x * y / n**2) / variance
    if slope <= 0:
        raise ToolError(
            "lit slopes are not brighter than others",
            where=raster.path,
            expected="reflectance that grows with the light on the ground",
            found=f"{slope:.3g} per unit of illumination",
            hint="check the sun's azimuth, that dem and image lie on each other, and mask clouds, water and snow",
        )
    return float((y / n - slope * x / n) / slope)


def _azimuth(raster: Artifact, given: float | None) -> float:
    known = raster.fact("sun_azimuth") if given is None else given
    if known is None:
        raise MissingFactError(
            "the sun's azimuth is unknown",
            where=raster.path,
            expected="the product's own metadata beside it, or sun_azimuth",
            found="neither",
            hint="say it: --assume sun_azimuth=150 (degrees clockwise from north)",
        )
    return float(known)
