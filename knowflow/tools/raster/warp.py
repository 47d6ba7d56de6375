"""Resampling onto another grid, window by window: the part of the source that a window needs is read, no more."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
import rasterio
from numpy.typing import NDArray
from rasterio.enums import Resampling
from rasterio.errors import RasterioError
from rasterio.warp import reproject as gdal_warp
from rasterio.warp import transform as gdal_transform
from rasterio.windows import Window

from knowflow.ground.errors import ToolError
from knowflow.ground.quantities import QuantityKind, quantity_kinds
from knowflow.model import geo
from knowflow.model.artifact import Artifact
from knowflow.tools.raster.blocks import Tiling
from knowflow.tools.raster.decibels import level, power, tell_power
from knowflow.tools.raster.engine import each_block
from knowflow.tools.raster.grid import Grid
from knowflow.tools.raster.output import Output, fitted
from knowflow.tools.raster.source import Handles, Source, handles, open_source
from knowflow.tools.raster.writer import TILE, WRITE_BEHIND_BYTES, RasterWriter

ResamplingName = Literal["nearest", "bilinear", "cubic", "average", "sum", "mode", "max", "min", "med"]
_SOURCE_PIXELS = 16 << 20  # read at once for one window: a coarse target is worked off in smaller windows
_MARGIN = 4  # source pixels beyond the outermost that a kernel of resampling touches, at equal resolution
_LATTICE = 21  # points per side by which the footprint of a window is followed
_ALIGNED = 1e-3  # of a pixel: grids closer than this are copied, not resampled
_AVERAGING = frozenset({"bilinear", "cubic", "average"})  # ways that make numbers which lie between others
_NO_CRS = "EPSG:3857"  # stands for the unknown CRS that two grids without one share

Layer = tuple[NDArray[Any], NDArray[np.bool_]]


@dataclass(frozen=True, slots=True)
class Resampler:
    """A source seen on another grid."""

    source: Source
    grid: Grid
    method: ResamplingName

    def read(self, opened: Handles, window: Window) -> Layer:
        """(numbers, missing) on a window of the target grid, both (bands, rows, columns).

        Stored numbers: of the source's type where nothing is computed, else float; missing is True where the source
        has no data or does not reach.
        """
        target = self.grid.window(int(window.row_off), int(window.col_off), int(window.height), int(window.width))
        shift = self._whole_shift()
        if shift is not None:
            return self._copy(opened, window, shift)
        found = self._source_window(target)
        if found is None:
            return self._nothing(target)
        rows, columns = target.shape
        if found.width * found.height > _SOURCE_PIXELS and rows * columns > 1:
            return self._in_parts(opened, window)
        return self._warp(opened, found, target)

    def _in_parts(self, opened: Handles, window: Window) -> Layer:
        """The window in two halves, cut across its longer side."""
        row, column, rows, columns = (int(n) for n in (window.row_off, window.col_off, window.height, window.width))
        if rows >= columns:
            half = rows // 2
            parts = [Window(column, row, columns, half), Window(column, row + half, columns, rows - half)]
        else:
            half = columns // 2
            parts = [Window(column, row, half, rows), Window(column + half, row, columns - half, rows)]
        read = [self.read(opened, part) for part in parts]
        axis = 1 if rows >= columns else 2
        return np.concatenate([one[0] for one in read], axis), np.concatenate([one[1] for one in read], axis)

    def _whole_shift(self) -> tuple[int, int] | None:
        """Rows and columns between the two grids where they differ by whole pixels only."""
        if self.source.grid.crs != self.grid.crs:
            return None
        relative = ~self.source.grid.transform @ self.grid.transform
        a, b, c, d, e, f = relative[:6]
        extent = max(*self.grid.shape, *self.source.grid.shape)
        drift = max(abs(a - 1), abs(b), abs(d), abs(e - 1)) * extent
        if drift > _ALIGNED * 10 or abs(c - round(c)) > _ALIGNED * 10 or abs(f - round(f)) > _ALIGNED * 10:
            return None
        return round(f), round(c)

    def _copy(self, opened: Handles, window: Window, shift: tuple[int, int]) -> Layer:
        rows, columns = self.source.grid.shape
        row, column = int(window.row_off) + shift[0], int(window.col_off) + shift[1]
        height, width = int(window.height), int(window.width)
        top, left = max(row, 0), max(column, 0)
        bottom, right = min(row + height, rows), min(column + width, columns)
        shape = (len(self.source.bands), height, width)
        numbers = np.zeros(shape, dtype=self.source.dtype)
        missing = np.ones(shape, dtype=np.bool_)
        if top < bottom and left < right:
            inside = Window(left, top, right - left, bottom - top)
            stored = self.source.read_stored(opened, inside)
            gone = self.source.missing(stored, self.source.read_mask(opened, inside))
            place = (slice(None), slice(top - row, bottom - row), slice(left - column, right - column))
            numbers[place] = stored
            missing[place] = False if gone is None else gone
        return numbers, missing

    def _nothing(self, target: Grid) -> Layer:
        shape = (len(self.source.bands), *target.shape)
        return np.zeros(shape, dtype=self.source.dtype), np.ones(shape, dtype=np.bool_)

    def _source_window(self, target: Grid) -> Window | None:
        """The part of the source behind a grid, with a margin; None where they do not meet."""
        rows, columns = target.shape
        across, down = np.meshgrid(np.linspace(0, columns, _LATTICE), np.linspace(0, rows, _LATTICE))
        a, b, c, d, e, f = target.transform[:6]
        xs, ys = (a * across + b * down + c).ravel(), (d * across + e * down + f).ravel()
        if target.crs != self.source.grid.crs and target.crs is not None and self.source.grid.crs is not None:
            geo.require_one_body(self.source.grid.crs, target.crs)
            moved = gdal_transform(target.crs, self.source.grid.crs, xs.tolist(), ys.tolist())
            xs, ys = np.asarray(moved[0]), np.asarray(moved[1])
        finite = np.isfinite(xs) & np.isfinite(ys)
        if not finite.any():
            return None
        a, b, c, d, e, f = (~self.source.grid.transform)[:6]
        lines, samples = d * xs + e * ys + f, a * xs + b * ys + c
        lines, samples = lines[finite], samples[finite]
        height, width = self.source.grid.shape
        stretch = max(1.0, float(np.ptp(lines)) / rows, float(np.ptp(samples)) / columns)
        margin = math.ceil(_MARGIN * stretch)
        top, bottom = max(math.floor(lines.min()) - margin, 0), min(math.ceil(lines.max()) + margin, height)
        left, right = max(math.floor(samples.min()) - margin, 0), min(math.ceil(samples.max()) + margin, width)
        return Window(left, top, right - left, bottom - top) if top < bottom and left < right else None

    def _warp(self, opened: Handles, window: Window, target: Grid) -> Layer:
        """GDAL's warp of one window; missing numbers take no part in averages."""
        stored = self.source.read_stored(opened, window)
        gone = self.source.missing(stored, self.source.read_mask(opened, window))
        near = self.source.grid.window(int(window.row_off), int(window.col_off), int(window.height), int(window.width))
        wide = np.dtype(self.source.dtype).itemsize > 2 and np.dtype(self.source.dtype).kind != "f"
        working = np.float64 if wide or self.source.dtype == "float64" else np.float32
        as_power = self.source.decibel and self.method in _AVERAGING
        numbers = power(self.source.physical(stored, None)).astype(working) if as_power else stored.astype(working)
        if gone is not None:
            numbers[gone] = np.nan
        warped = np.full((len(numbers), *target.shape), np.nan, dtype=working)
        try:
            for band, result in zip(numbers, warped, strict=True):
                gdal_warp(
                    band,
                    result,
                    src_transform=near.transform,
                    src_crs=near.crs or _NO_CRS,
                    src_nodata=np.nan,
                    dst_transform=target.transform,
                    dst_crs=target.crs or _NO_CRS,
                    dst_nodata=np.nan,
                    resampling=Resampling[self.method],
                    num_threads=1,
                )
        except RasterioError as error:
            raise ToolError(
                f"{self.source.name} cannot be brought onto the grid",
                where=self.source.path,
                expected=str(target),
                found=str(error.__cause__ or error),
            ) from error
        if as_power:
            warped = ((level(warped) - self.source.offset) / self.source.scale).astype(working)
        return warped, np.isnan(warped)


def is_categorical(artifact: Artifact) -> bool:
    """Whether a raster's numbers name classes, by its quantity kind; unknown kinds count as continuous."""
    kind = _kind(artifact)
    return kind is not None and kind.categorical


def is_continuous(artifact: Artifact) -> bool:
    """Whether a raster's numbers can be averaged and ordered: neither classes nor directions; unknown kinds can."""
    kind = _kind(artifact)
    return kind is None or kind.continuous


def _kind(artifact: Artifact) -> QuantityKind | None:
    return quantity_kinds().get(str(artifact.fact("quantity") or ""))


def chosen_method(artifact: Artifact, method: str, coarser: bool = False) -> ResamplingName:
    """``auto``: nearest for classes, masks and directions, bilinear for the rest; to coarser pixels, mode or average.

    Amounts per pixel (people) are summed either way, so that what they add up to stays. Raises ``ToolError`` for a
    method that would mix classes or directions.
    """
    continuous = is_continuous(artifact)
    kind = _kind(artifact)
    if method == "auto" and kind is not None and kind.per_pixel:
        return "sum"
    if method == "auto":
        if coarser:
            return "average" if continuous else "mode"
        return "bilinear" if continuous else "nearest"
    if not continuous and method not in ("nearest", "mode"):
        what = "classes" if is_categorical(artifact) else "directions"
        raise ToolError(
            f"{method} resampling would mix the {what} of {artifact.fact('quantity')}",
            expected="nearest or mode (or auto)",
            found=method,
        )
    for name in ResamplingName.__args__:  # type: ignore[attr-defined]
        if name == method:
            return name  # type: ignore[no-any-return]
    raise ToolError("unknown resampling", expected=", ".join(ResamplingName.__args__), found=method)  # type: ignore[attr-defined]


def windowed(grid: Grid) -> Tiling:
    """The windows in which a grid is filled."""
    return Tiling(grid.shape, TILE, 2 * TILE, TILE)


def fill_grid(read: Callable[[Handles, Window], np.ma.MaskedArray[Any, Any]], grid: Grid, output: Output) -> None:
    """Write a grid window by window with what ``read`` gives, (bands, rows, columns) masked where there is no data."""
    with handles() as opened, RasterWriter(output, grid) as writer, rasterio.Env(GDAL_CACHEMAX=WRITE_BEHIND_BYTES):

        def work(window: Window) -> Any:
            values = fitted(read(opened, window), output)
            return values, writer.measure(values)

        with closing(each_block(work, windowed(grid))) as blocks:
            for window, (values, statistics) in blocks:
                writer.write(values, window, statistics)


def warp_raster(artifact: Artifact, grid: Grid, output: Output, method: ResamplingName) -> None:
    """Write a raster on another grid: same numbers, type, nodata and meaning; no data where it does not reach.

    Rasters of several bands keep them all. Two grids without CRS are taken to share one; ``ToolError``
    where only one of them has it.
    """
    with handles() as opened:
        source = open_source(artifact, opened, many_bands=True)
    if (source.grid.crs is None) != (grid.crs is None):
        raise ToolError(
            "a raster with and one without CRS cannot be brought together",
            expected=str(grid),
            found=str(source.grid),
            hint="say the CRS of the other: --assume crs=EPSG:...",
        )
    if source.decibel and method in _AVERAGING:
        tell_power("what lies between the pixels", artifact)
    resampler = Resampler(source, grid, method)
    fill_grid(partial(_masked, resampler), grid, output)


def _masked(resampler: Resampler, opened: Handles, window: Window) -> np.ma.MaskedArray[Any, Any]:
    numbers, missing = resampler.read(opened, window)
    return np.ma.MaskedArray(numbers, mask=missing)
