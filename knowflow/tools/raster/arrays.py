"""Whole rasters as arrays, where they are small; and a look at a few blocks, where they are not."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import rasterio
from numpy.typing import NDArray
from rasterio.windows import Window

from knowflow.ground.errors import ToolError
from knowflow.model.artifact import Artifact
from knowflow.tools.raster.blocks import Block
from knowflow.tools.raster.grid import Grid
from knowflow.tools.raster.output import Output, fitted
from knowflow.tools.raster.source import Handles, Source, handles, open_source
from knowflow.tools.raster.statistics import Accumulator, PixelStatistics
from knowflow.tools.raster.writer import TILE, RasterWriter

MAX_PIXELS = 64 << 20
_SAMPLE_SIDE = 256
Look = tuple[NDArray[Any], NDArray[np.bool_] | None]


def grid_of(artifact: Artifact) -> Grid:
    """The grid of a raster, facts overriding the header."""
    with handles() as opened:
        return open_source(artifact, opened, many_bands=True).grid


def read_array(artifact: Artifact, max_pixels: int = MAX_PIXELS) -> NDArray[np.floating[Any]]:
    """All physical values of one band, NaN where not data, (rows, columns).

    For rasters that an algorithm needs whole; ``ToolError`` beyond ``max_pixels``.
    """
    return _whole(artifact, max_pixels)["raster"]


def read_stored(artifact: Artifact, max_pixels: int = MAX_PIXELS) -> np.ma.MaskedArray[Any, Any]:
    """All stored numbers of one band (classes, bit fields), masked where not data, (rows, columns)."""
    block = _whole(artifact, max_pixels)
    return block.stored("raster")


def _whole(artifact: Artifact, max_pixels: int) -> Block:
    with handles() as opened:
        source = open_source(artifact, opened)
        rows, columns = source.grid.shape
        if rows * columns > max_pixels:
            raise ToolError(
                "the raster is too large to be held whole",
                where=source.path,
                expected=f"at most {max_pixels} pixels",
                found=f"{rows} x {columns}",
                hint="clip it to a smaller area, or resample it to coarser pixels",
            )
        block = Block({"raster": source}, opened, source.grid, Window(0, 0, columns, rows))
        block["raster"]  # reads while the file is open
        return block


def write_array(
    output: Output, values: NDArray[Any], grid: Grid | Artifact, tags: dict[str, str] | None = None
) -> None:
    """Write a whole small result, (rows, columns) or (bands, rows, columns); masked numbers become nodata.

    ``grid`` is the grid it lies on, or the raster whose grid that is. ``tags`` are further tags, such as the date.
    Raises ``ToolError`` where the shape is not the grid's.
    """
    where = grid if isinstance(grid, Grid) else grid_of(grid)
    stack = values[None] if values.ndim == 2 else values
    if stack.shape != (len(output.bands), *where.shape):
        raise ToolError(
            "the array does not fit its grid",
            where=str(output.path),
            expected=f"{len(output.bands)} band(s) of {where.shape}",
            found=str(values.shape),
        )
    stack = fitted(stack, output)
    rows, columns = where.shape
    with rasterio.Env(), RasterWriter(output, where, inherited=tags) as writer:
        writer.write(stack, Window(0, 0, columns, rows), writer.measure(stack))


def sample_statistics(artifact: Artifact, blocks: int = 16) -> PixelStatistics:
    """Statistics of at most ``blocks`` windows spread evenly over the raster (all of it, where it is small).

    A bounded look at a file of any size: the range found lies within the true one, fractions are estimates.
    """
    collected = Accumulator()
    for values in looked_at(artifact, blocks):
        collected.add(values)
    return collected.result()


def sample_windows(artifact: Artifact, blocks: int = 16) -> Iterator[NDArray[np.floating[Any]]]:
    """Physical values of at most ``blocks`` windows spread evenly over the raster, NaN where not data.

    Each is (rows, columns), of a raster of several bands one for each; infinite values are among them. Raises
    ``UnreadableDataError`` where the file is damaged.
    """
    with handles() as opened:
        source = open_source(artifact, opened, many_bands=True)
        for stored, mask in _windows(source, opened, blocks):
            yield from source.physical(stored, source.missing(stored, mask), finite=False)


def looked_at(artifact: Artifact, blocks: int = 16) -> Iterator[NDArray[np.floating[Any]]]:
    """As :func:`sample_windows`, of a file that others look at, too, with other facts: a few such looks are kept."""
    source, looks = stored_looks(artifact, blocks)
    for stored, mask in looks:
        yield from source.physical(stored, source.missing(stored, mask), finite=False)


def stored_looks(artifact: Artifact, blocks: int = 16) -> tuple[Source, tuple[Look, ...]]:
    """What :func:`looked_at` looks at as it is stored: (bands, rows, columns), with what the file's own mask says of
    them (True: data; None where it has none)."""
    with handles() as opened:
        source = open_source(artifact, opened, many_bands=True)
        try:
            status = os.stat(source.path)
        except OSError:  # a part of a file, or one in another
            return source, tuple(_windows(source, opened, blocks))
    plain = replace(source, name="", nodata=None, scale=1.0, offset=0.0, decibel=False, valid_range=None)
    return source, _kept_windows(plain, blocks, (status.st_size, status.st_mtime_ns, status.st_ctime_ns))


@lru_cache(maxsize=4)
def _kept_windows(source: Source, blocks: int, state: tuple[int, ...]) -> tuple[Look, ...]:
    """The windows of a file in some state; every array is of its own, and nobody writes to it."""
    with handles() as opened:
        return tuple(_windows(source, opened, blocks))


def _windows(source: Source, opened: Handles, blocks: int) -> Iterator[Look]:
    """Stored numbers of windows spread over a raster, and what its own mask says of them."""
    rows, columns = source.grid.shape
    for window in _spread(rows, columns, max(1, round(blocks**0.5))):
        yield source.read_stored(opened, window), source.read_mask(opened, window)


def _off_border(start: int, length: int) -> int:
    """Where a window begins that does not lie across the border of two tiles, near to where it would."""
    border = (start + _SAMPLE_SIDE - 1) // TILE * TILE
    if start >= border:
        return start
    if length - border < _SAMPLE_SIDE:  # at the far end, where the window is to reach
        return border if length - border >= _SAMPLE_SIDE // 2 else start
    return border if border - start <= _SAMPLE_SIDE // 2 else border - _SAMPLE_SIDE


def _spread(rows: int, columns: int, count: int) -> list[Window]:
    """At most ``count`` x ``count`` windows, evenly spread, the corners included.

    They are moved away from the borders of tiles, as files mostly have them: a tile that a window cuts is decompressed
    for it whole. Of every file of one shape they are the same.
    """

    def starts(length: int) -> list[int]:
        if length <= count * _SAMPLE_SIDE:
            return list(range(0, length, _SAMPLE_SIDE))
        even = [round(i * (length - _SAMPLE_SIDE) / max(count - 1, 1)) for i in range(count)]
        return [_off_border(start, length) for start in even]

    return [
        Window(column, row, min(_SAMPLE_SIDE, columns - column), min(_SAMPLE_SIDE, rows - row))
        for row in starts(rows)
        for column in starts(columns)
    ]
