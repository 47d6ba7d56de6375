"""How far two images of one place are off each other, and putting it right."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from affine import Affine
from numpy.typing import NDArray
from rasterio.windows import Window

from knowflow.ground.errors import ToolError
from knowflow.model.artifact import Artifact
from knowflow.tools.alignment import ResamplingChoice
from knowflow.tools.context import check_cancelled, report_progress
from knowflow.tools.raster import Output
from knowflow.tools.raster.grid import Grid, require_same_grid
from knowflow.tools.raster.source import Handles, Source, handles, open_source
from knowflow.tools.raster.warp import Resampler, chosen_method, fill_grid

_TILE = 512  # pixels squared: one phase correlation
_TILES = 5  # along each side, at most: more tell nothing new
_SMALLEST = 32
_PRESENT = 0.8  # share of a tile that has to be data in both
_AGREEMENT = 1.0  # pixels: tiles further than this from the median saw something else, such as clouds


@dataclass(frozen=True, slots=True)
class Shift:
    """Pixels that an image lies too far down (``rows``) and to the right (``columns``); ``spread`` between tiles."""

    rows: float
    columns: float
    spread: float
    tiles: int
    agreeing: int


def registration_shift(raster: Artifact, reference: Artifact, precision: float = 0.05) -> list[dict[str, Any]]:
    """One row on how far an image lies off a reference on the same grid.

    ``rows`` and ``columns``: pixels that it lies too far down and to the right; ``east`` and ``north``: the same in
    units of the CRS; ``distance``: its length; ``spread``: median distance (pixels) of the tiles from their median;
    ``tiles`` used, and how many of them ``agreeing`` within a pixel. Measured to ``precision`` pixels by phase
    correlation of up to 25 tiles. Raises ``ToolError`` where no tile has enough data, or none has any texture.
    """
    shift, grid = _measured(raster, reference, precision)
    across = grid.transform @ (shift.columns, shift.rows)
    origin = grid.transform @ (0.0, 0.0)
    east, north = across[0] - origin[0], across[1] - origin[1]
    return [
        {
            "rows": shift.rows,
            "columns": shift.columns,
            "east": float(east),
            "north": float(north),
            "distance": float(np.hypot(east, north)),
            "spread": shift.spread,
            "tiles": shift.tiles,
            "agreeing": shift.agreeing,
        }
    ]


def apply_shift(
    raster: Artifact, rows: float, columns: float, output: Path, resampling: ResamplingChoice = "auto"
) -> None:
    """Write a raster moved up by ``rows`` and left by ``columns`` pixels, on its own grid.

    The numbers are those of :func:`registration_shift`. ``auto``: nearest for classes, bilinear for the rest; whole
    pixels are copied. What comes from beyond the edge is nodata.
    """
    with handles() as opened:
        source = open_source(raster, opened, many_bands=True)
    moved = replace(source.grid, transform=source.grid.transform @ Affine.translation(-columns, -rows))
    resampler = Resampler(replace(source, grid=moved), source.grid, chosen_method(raster, resampling))
    fill_grid(partial(_read, resampler), source.grid, Output.like(output, raster))


def coregister(
    raster: Artifact,
    reference: Artifact,
    output: Path,
    resampling: ResamplingChoice = "auto",
    precision: float = 0.05,
    largest: float = 20.0,
) -> None:
    """Write a raster moved onto a reference on the same grid: :func:`registration_shift`, then :func:`apply_shift`.

    Raises ``ToolError`` where the tiles do not agree on a shift, or it exceeds ``largest`` pixels: what was found is
    then no shift between two images of one place.
    """
    shift, _ = _measured(raster, reference, precision)
    distance = float(np.hypot(shift.rows, shift.columns))
    if shift.agreeing < max(1, shift.tiles / 2) or distance > largest:
        raise ToolError(
            "the images cannot be brought onto each other",
            where=raster.path,
            expected=f"a shift of at most {largest:g} pixels on which most tiles agree",
            found=f"{shift.rows:+.2f} rows, {shift.columns:+.2f} columns; {shift.agreeing} of {shift.tiles} agree",
            hint="clouds, other seasons or other bands look different: take similar images, with clouds masked",
        )
    apply_shift(raster, shift.rows, shift.columns, output, resampling)


def _read(resampler: Resampler, opened: Handles, window: Window) -> np.ma.MaskedArray[Any, Any]:
    numbers, missing = resampler.read(opened, window)
    return np.ma.MaskedArray(numbers, mask=missing)


def _measured(raster: Artifact, reference: Artifact, precision: float) -> tuple[Shift, Grid]:
    """The median over the tiles that agree with the median of all."""
    with handles() as opened:
        sources = (open_source(raster, opened, "raster"), open_source(reference, opened, "reference"))
        grid = require_same_grid((source.name, source.grid) for source in sources)
        windows = list(_tiles(grid.shape))
        found = []
        for number, window in enumerate(windows, start=1):
            check_cancelled()
            moving, fixed = (_values(source, opened, window) for source in sources)
            shift = _tile_shift(moving, fixed, precision)
            if shift is not None:
                found.append(shift)
            report_progress(number / len(windows))
    if not found:
        raise ToolError(
            "no part of the two images can be compared",
            where=raster.path,
            expected=f"parts of at least {_SMALLEST} pixels squared, {_PRESENT:.0%} of them data in both, with texture",
            found=f"none in {len(windows)}",
        )
    shifts = np.array(found)
    near = np.hypot(*(shifts - np.median(shifts, axis=0)).T) <= _AGREEMENT
    kept = shifts[near] if near.any() else shifts
    middle = np.median(kept, axis=0)
    spread = float(np.median(np.hypot(*(kept - middle).T)))
    return Shift(float(middle[0]), float(middle[1]), spread, len(found), int(near.sum())), grid


def _tiles(shape: tuple[int, int]) -> Iterator[Window]:
    """Windows spread evenly over the image."""

    def starts(length: int) -> list[int]:
        count = min(_TILES, max(1, length // _TILE))
        return [round(i * (length - _TILE) / max(count - 1, 1)) if length > _TILE else 0 for i in range(count)]

    rows, columns = shape
    for row in starts(rows):
        for column in starts(columns):
            yield Window(column, row, min(_TILE, columns), min(_TILE, rows))


def _values(source: Source, opened: Handles, window: Window) -> NDArray[np.float64]:
    stored = source.read_stored(opened, window)
    gone = source.missing(stored, source.read_mask(opened, window))
    return np.asarray(source.physical(stored, gone)[0], dtype=np.float64)


def _tile_shift(
    moving: NDArray[np.float64], fixed: NDArray[np.float64], precision: float
) -> tuple[float, float] | None:
    """Rows and columns that ``moving`` lies too far down and right; None where the tile tells nothing."""
    from skimage.filters import window as taper
    from skimage.registration import phase_cross_correlation

    present = np.isfinite(moving) & np.isfinite(fixed)
    if min(present.shape) < _SMALLEST or present.mean() < _PRESENT:
        return None
    edges = taper("hann", present.shape)
    images = []
    for values in (fixed, moving):
        mean, spread = values[present].mean(), values[present].std()
        if spread <= 1e-9 * max(1.0, abs(mean)):
            return None
        images.append(np.where(present, values - mean, 0.0) / spread * edges)
    # correcting `moving` takes the opposite of how far off it is
    back, _, _ = phase_cross_correlation(*images, upsample_factor=max(1, round(1 / precision)))
    return -float(back[0]), -float(back[1])
