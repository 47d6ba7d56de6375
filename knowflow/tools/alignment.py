"""Onto other grids: aligned to a raster, reprojected, resampled, clipped. Meaning and stored numbers are kept."""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
from affine import Affine
from pyproj import Transformer
from rasterio.windows import Window

from knowflow.ground.errors import ToolError
from knowflow.model import geo
from knowflow.model.artifact import Artifact
from knowflow.tools.polygons import Polygons, read_polygons
from knowflow.tools.raster import Grid, Output, grid_of
from knowflow.tools.raster.grid import canonical_crs
from knowflow.tools.raster.source import Handles, handles, open_source
from knowflow.tools.raster.warp import Resampler, chosen_method, fill_grid, is_continuous, warp_raster

LONLAT = geo.LONLAT
_EDGE_POINTS = 33
_WIDEST, _HIGHEST = 360.0, 90.0  # degrees that a longitude and a latitude may have
_EDGE = 1e-6  # of a pixel: an edge this close to a pixel's own is that
_MUCH_COARSER = 1.5
_MOST_PIXELS = 2**31 - 1

ResamplingChoice = Literal["auto", "nearest", "bilinear", "cubic", "average", "mode", "max", "min", "med"]


def align_to(raster: Artifact, like: Artifact, output: Path, resampling: ResamplingChoice = "auto") -> None:
    """Write a raster on the grid of another, pixel for pixel; nodata where it does not reach.

    ``auto``: nearest for classes, masks and directions; of the rest the mean where pixels become larger by half or
    more, else bilinear; amounts per pixel are summed. Source: gdalwarp's resampling
    (https://gdal.org/programs/gdalwarp.html), weights of missing pixels left out.
    """
    target = grid_of(like)
    coarser = is_continuous(raster) and _coarser(grid_of(raster), target)
    warp_raster(raster, target, Output.like(output, raster), chosen_method(raster, resampling, coarser=coarser))


def _coarser(grid: Grid, target: Grid) -> bool:
    """Whether pixels of a target are larger than those of a grid by half or more."""
    if grid.crs is not None and target.crs is not None and grid.crs != target.crs:
        grid = grid_in(grid, target.crs)
    return min(new / old for new, old in zip(target.pixel_size, grid.pixel_size, strict=True)) >= _MUCH_COARSER


def reproject(
    raster: Artifact,
    output: Path,
    crs: str = "auto",
    resolution: float | None = None,
    resampling: ResamplingChoice = "auto",
) -> None:
    """Write a raster in another CRS; ``auto`` is the UTM zone of its middle.

    ``resolution``: pixel size in units of the target CRS; by default the one that keeps the diagonal's pixels.
    """
    grid = grid_of(raster)
    own = grid.require_crs("reprojection")
    if crs == "auto":
        box = geo.lonlat_box(raster) or geo.transform_box(own, geo.degrees_on(own) or LONLAT, grid.bounds)
        target = geo.utm_crs(box, own)
    else:
        target = canonical_crs(crs)
    warp_raster(
        raster, grid_in(grid, target, resolution), Output.like(output, raster), chosen_method(raster, resampling)
    )


def grid_in(grid: Grid, crs: str, resolution: float | None = None) -> Grid:
    """A north-up grid in another CRS over the extent of a grid; square pixels, by default as many along its diagonal.

    An extent across the date line continues beyond 180 degrees. Source of the default: GDALSuggestedWarpOutput
    (https://gdal.org/api/gdal_alg.html). Raises ``ToolError`` where the extent has no place in that CRS.
    """
    rows, columns = grid.shape
    along = np.linspace(0.0, 1.0, _EDGE_POINTS)
    across, down = (part.ravel() for part in np.meshgrid(along * columns, along * rows))
    a, b, c, d, e, f = grid.transform[:6]
    xs, ys = a * across + b * down + c, d * across + e * down + f
    own = grid.require_crs("reprojection")
    geo.require_one_body(own, crs)
    x, y = Transformer.from_crs(geo.crs_of(own), geo.crs_of(crs), always_xy=True).transform(xs, ys)
    if not np.isfinite(x).all() or not np.isfinite(y).all():
        raise ToolError(
            "the raster reaches beyond what the CRS can show",
            expected=f"a CRS that covers {tuple(round(edge, 3) for edge in grid.bounds)} ({grid.crs})",
            found=crs,
        )
    if not geo.is_projected(crs) and np.ptp(x) > 180:
        x = np.where(x < 0, x + 360, x)
    size = resolution or math.hypot(x[-1] - x[0], y[-1] - y[0]) / math.hypot(rows, columns)
    height, width = (_pixels(float(np.ptp(edge)) / size) for edge in (y, x))
    return Grid(crs, Affine(size, 0.0, float(x.min()), 0.0, -size, float(y.max())), (height, width))


def _pixels(count: float) -> int:
    """So many rows or columns, whole; raises ``ToolError`` where they are more than GDAL counts."""
    if not count <= _MOST_PIXELS:
        raise ToolError(
            "the pixels are too small for the raster",
            expected=f"at most {_MOST_PIXELS} rows and columns",
            found=f"{count:.3g}",
            hint="resolution is in units of the CRS: metres, or degrees",
        )
    return max(1, math.ceil(count - _EDGE))


def resample(raster: Artifact, resolution: float, output: Path, resampling: ResamplingChoice = "auto") -> None:
    """Write a raster with square pixels of another size (in units of its CRS), from the same corner over its extent.

    ``auto``: to coarser pixels the average (mode for classes, masks, directions), to finer ones bilinear (nearest).
    """
    grid = grid_of(raster)
    width, height = grid.pixel_size
    across, down = resolution / width, resolution / height
    shape = (_pixels(grid.shape[0] / down), _pixels(grid.shape[1] / across))
    target = Grid(grid.crs, grid.transform @ Affine.scale(across, down), shape)
    method = chosen_method(raster, resampling, coarser=max(across, down) > 1)
    warp_raster(raster, target, Output.like(output, raster), method)


def clip(raster: Artifact, bbox: list[float], output: Path, bbox_crs: str = LONLAT) -> None:
    """Write the part of a raster inside a box: west, south, east, north in ``bbox_crs`` (degrees by default).

    Whole pixels that the box touches, not resampled. A raster without CRS is clipped in its own coordinates, which
    ``bbox_crs="raster"`` says of any. Raises ``ToolError`` where box and raster do not meet.
    """
    west, south, east, north = (float(number) for number in bbox)
    grid = grid_of(raster)
    box = (west, south, east, north)
    if bbox_crs != "raster":
        own, said = grid.require_crs("clipping to a box in degrees"), canonical_crs(bbox_crs)
        _require_degrees(said, box, grid)
        box = geo.transform_box(said, own, box)
    try:
        part = part_of(grid, box)
    except ToolError as error:
        if bbox_crs == "raster" or not _is_degrees(canonical_crs(bbox_crs)):
            error.hint = _as_degrees(grid, (west, south, east, north)) or error.hint
        raise
    warp_raster(raster, part, Output.like(output, raster), "nearest")


def _is_degrees(crs: str) -> bool:
    return not geo.is_projected(crs)


def _require_degrees(crs: str, box: geo.Box, grid: Grid) -> None:
    """Raises ``ToolError`` where a box that is said to be in degrees cannot be."""
    west, south, east, north = box
    if not _is_degrees(crs) or (max(abs(west), abs(east)) <= _WIDEST and max(abs(south), abs(north)) <= _HIGHEST):
        return
    try:
        part_of(grid, box)
        hint = "bbox_crs=raster: the numbers lie within the raster in its own CRS"
    except ToolError:
        hint = "say the CRS of the numbers: bbox_crs=EPSG:32633, or bbox_crs=raster for that of the raster"
    raise ToolError(
        "the box is not in degrees",
        expected=f"west, south, east, north in degrees ({crs})",
        found=f"{tuple(round(edge, 6) for edge in box)}",
        hint=hint,
    )


def _as_degrees(grid: Grid, box: geo.Box) -> str | None:
    """What to say of a box that would lie within the raster if its numbers were degrees."""
    degrees = None if grid.crs is None else geo.degrees_on(grid.crs)
    if degrees is None or max(map(abs, box)) > _WIDEST:
        return None
    try:
        part_of(grid, geo.transform_box(degrees, str(grid.crs), box))
    except ToolError:
        return None
    return f"the numbers lie within the raster in degrees: bbox_crs={degrees}"


def clip_to_polygons(raster: Artifact, polygons: Artifact, output: Path, all_touched: bool = False) -> None:
    """Write the part of a raster inside polygons, nodata outside, on their extent.

    A pixel is inside when its centre is, or with ``all_touched`` when a polygon touches it.
    """
    grid = grid_of(raster)
    shapes = read_polygons(polygons, grid.require_crs("clipping to polygons"))
    target = part_of(grid, shapes.bounds)
    with handles() as opened:
        source = open_source(raster, opened, many_bands=True)
    read = partial(_inside, Resampler(source, target, "nearest"), shapes, all_touched)
    fill_grid(read, target, Output.like(output, raster))


def _inside(
    resampler: Resampler, shapes: Polygons, all_touched: bool, opened: Handles, window: Window
) -> np.ma.MaskedArray[Any, Any]:
    numbers, missing = resampler.read(opened, window)
    row, column = int(window.row_off), int(window.col_off)
    here = resampler.grid.window(row, column, int(window.height), int(window.width))
    return np.ma.MaskedArray(numbers, mask=missing | ~shapes.cover(here, all_touched))


def part_of(grid: Grid, box: geo.Box) -> Grid:
    """The whole pixels of a grid that a box (in its CRS) touches; ``ToolError`` where they do not meet."""
    west, south, east, north = box
    corners = [~grid.transform @ (x, y) for x in (west, east) for y in (south, north)]
    columns, rows = zip(*corners, strict=True)
    if not all(map(math.isfinite, (*columns, *rows))):
        raise ToolError(
            "the area has no place in the CRS of the raster",
            expected=f"an area near {tuple(round(edge, 6) for edge in grid.bounds)} ({grid.crs or 'no CRS'})",
            found=f"{tuple(round(edge, 6) for edge in box)}",
            hint="check the order (west, south, east, north) and the CRS of the box",
        )
    top, bottom = max(math.floor(min(rows) + _EDGE), 0), min(math.ceil(max(rows) - _EDGE), grid.shape[0])
    left, right = max(math.floor(min(columns) + _EDGE), 0), min(math.ceil(max(columns) - _EDGE), grid.shape[1])
    if top >= bottom or left >= right:
        raise ToolError(
            "the area does not touch the raster",
            expected=f"an area within {tuple(round(edge, 6) for edge in grid.bounds)} ({grid.crs or 'no CRS'})",
            found=f"{tuple(round(edge, 6) for edge in box)}",
            hint="check the order (west, south, east, north) and the CRS of the box",
        )
    return grid.window(top, left, bottom - top, right - left)
