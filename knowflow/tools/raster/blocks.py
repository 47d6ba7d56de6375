"""Blocks: the windows a raster is cut into, and what a kernel sees of one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from affine import Affine
from numpy.typing import NDArray
from rasterio.windows import Window

from knowflow.tools.raster.buffers import Buffers, erased, spare
from knowflow.tools.raster.grid import Grid
from knowflow.tools.raster.pixel_area import tell_weighted, weights_of
from knowflow.tools.raster.source import Handles, Source
from knowflow.tools.raster.statistics import Alike

_PIXELS = 1 << 20  # a block of one layer; larger ones leave the processor's cache, smaller ones cost handle calls
_LAYER_PIXELS = 12 << 20  # a block of all layers together: bounds the memory of long series
_ROOMY_PIXELS = 6 << 20  # of all layers together, from which on a block has no more tiles than one in each layer
_ROWS = 512
_STRIP_ROWS = 128  # of a strip, or as many times as many, where a block is so narrow
_STRIP_PIXELS = 1 << 18  # of one layer: those that a kernel reads, makes on its way and returns are a few times as many


@dataclass(frozen=True, slots=True)
class Tiling:
    """How a raster is cut: windows of ``rows`` x ``columns``, written in tiles of ``tile`` pixels squared."""

    shape: tuple[int, int]
    rows: int
    columns: int
    tile: int

    def windows(self) -> Iterator[Window]:
        """All windows, row by row."""
        height, width = self.shape
        for row in range(0, height, self.rows):
            for column in range(0, width, self.columns):
                yield Window(column, row, min(self.columns, width - column), min(self.rows, height - row))

    def __len__(self) -> int:
        return -(-self.shape[0] // self.rows) * -(-self.shape[1] // self.columns)

    @property
    def unit(self) -> int:
        """The columns of a part that statistics are taken of: of a tile, or of windows that are never cut at tiles."""
        return self.tile if self.columns * _STRIP_ROWS <= _STRIP_PIXELS else self.columns

    def narrow(self) -> Tiling:
        """The same windows cut at their tiles from one column to the next, where they may be."""
        return Tiling(self.shape, self.rows, min(self.unit, self.columns), self.tile)

    def within(self, frame: Window) -> Iterator[tuple[int, Window]]:
        """The windows that begin in a frame, each with its number among all, row by row."""
        height, width = self.shape
        across = -(-width // self.columns)
        top, left = int(frame.row_off), int(frame.col_off)
        for row in range(top, top + int(frame.height), self.rows):
            for column in range(left, left + int(frame.width), self.columns):
                window = Window(column, row, min(self.columns, width - column), min(self.rows, height - row))
                yield row // self.rows * across + column // self.columns, window


def tiling(shape: tuple[int, int], block_shapes: Sequence[tuple[int, int]], written: int = 1) -> Tiling:
    """Windows aligned to the tiles that are read and written; fewer pixels for more layers, so that memory is bounded.

    ``block_shapes`` holds the (rows, columns) of the tiles of every layer that is read, ``written`` is the number of
    those that are made of them at the same time: each has tiles that wait for the codec.
    """
    layers = len(block_shapes) + written - 1
    pixels = min(_PIXELS, _LAYER_PIXELS // max(layers, 1))
    if pixels < _ROWS * _ROWS:
        side = 64
        while 4 * side * side <= pixels:
            side *= 2
        return Tiling(shape, side, side * max(1, pixels // (side * side)), side)
    tallest = max((rows for rows, _ in block_shapes if rows <= 2 * _ROWS), default=1)
    rows = _ROWS * -(-tallest // _ROWS)
    columns = max(_ROWS, min(pixels, _ROOMY_PIXELS // layers) // rows // _ROWS * _ROWS)
    if any(width >= shape[1] > columns for _, width in block_shapes):  # strips: whole rows are decompressed anyway
        columns = min(-(-shape[1] // _ROWS) * _ROWS, max(columns, 4 * pixels // rows // _ROWS * _ROWS))
    return Tiling(shape, rows, columns, _ROWS)


class Block:
    """A window of all sources, as a kernel sees it. Reads what is asked for, once; used by one thread.

    ``shape`` is (rows, columns) of the arrays, including ``halo`` pixels on every side (NaN, or not valid, beyond the
    edge of the raster). A kernel returns arrays of this shape; the core cuts the halo off. ``room``, where there is
    one, is memory of that shape, and of the type that is stored, that a kernel may fill and return.
    """

    def __init__(
        self,
        sources: Mapping[str, Source | tuple[Source, ...]],
        opened: Handles,
        grid: Grid,
        window: Window,
        halo: int = 0,
    ) -> None:
        self._sources = sources
        self._opened = opened
        self._fetched: dict[tuple[str, int | None], tuple[NDArray[Any], NDArray[np.bool_] | None]] = {}
        self._stored: dict[tuple[str, int | None], tuple[NDArray[Any], NDArray[np.bool_] | None]] = {}
        self._values: dict[tuple[str, int | None], NDArray[np.floating[Any]]] = {}
        self._window = window
        self.halo = halo
        self.shape = (int(window.height) + 2 * halo, int(window.width) + 2 * halo)
        self._all = grid
        self._buffers: Buffers | None = None
        self._taken: list[NDArray[Any]] = []  # memory of those buffers
        self.room: NDArray[Any] | None = None
        self.alike: Alike | None = None  # what is known of all but some columns of the room

    @property
    def window(self) -> Window:
        """Where the block lies in the raster, without halo."""
        return self._window

    @cached_property
    def grid(self) -> Grid:
        """The grid of the block itself, halo included."""
        return self._all.window(int(self.window.row_off) - self.halo, int(self.window.col_off) - self.halo, *self.shape)

    @property
    def strip_rows(self) -> int:
        """How many rows a strip has, but for the last one."""
        rows = max(1, _STRIP_PIXELS // self.shape[1])
        return rows - (rows % _STRIP_ROWS if rows > _STRIP_ROWS else 0)

    def strips(self, buffers: Buffers) -> Iterator[tuple[slice, _Strip]]:
        """The block in pieces whose layers fit the processor's cache together, with their rows; without halo.

        What they read lies in memory of ``buffers``, which has it back after the last strip.
        """
        rows = self.strip_rows
        self._buffers = buffers
        for first in range(0, self.shape[0], rows):
            part = slice(first, min(first + rows, self.shape[0]))
            yield part, _Strip(self, part)
        self._fetched.clear()
        while self._taken:
            buffers.give(self._taken.pop())

    @property
    def transform(self) -> Affine:
        """The transform of the block itself, halo included."""
        return self.grid.transform

    @property
    def inner(self) -> tuple[slice, slice]:
        """The part of the arrays inside the halo."""
        return slice(self.halo, self.shape[0] - self.halo), slice(self.halo, self.shape[1] - self.halo)

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Physical values, NaN where not data: (rows, columns); (time, rows, columns) for a series.

        They are float32, or float64 where that holds too few digits (``Source.wide``). The array is shared by all who
        ask: kernels must not change it in place. Raises ``ToolError`` where a value is infinite.
        """
        source = self._sources[name]
        if isinstance(source, tuple):
            return self._series(name, source)
        values = self._physical(name, source, None)
        return values[0] if len(source.bands) == 1 else values

    def with_infinite(self, name: str) -> NDArray[Any]:
        """The physical values of one raster as by ``[]``, where infinite ones are welcome."""
        source = self.source(name)
        values = source.physical(*self._read(name, source, None), finite=False)
        return values[0] if len(source.bands) == 1 else values

    @cached_property
    def weights(self) -> NDArray[np.float64] | None:
        """What pixels weigh in shares, means and deviations: their true areas (m2), or None where they weigh alike.

        Of a shape that fits ``shape``: all pixels of a row of a raster in degrees have one. None unless pixels of the
        raster differ in size by more than 0.1 %. That a result is weighted is told with the answer.
        """
        found = weights_of(self._all, self.grid)
        if found is not None:
            tell_weighted(self._all)
        return found

    def amount(self, true: NDArray[np.bool_]) -> float:
        """How much of the block (shaped as it) is true: in pixels, or in m2 where these differ in size."""
        weights = self.weights
        if weights is None:
            return float(np.count_nonzero(true))
        if weights.shape[1] == 1:
            return float(np.count_nonzero(true, axis=1) @ weights[:, 0])
        return float(weights[true].sum())

    def __contains__(self, name: object) -> bool:
        return name in self._sources

    def source(self, name: str) -> Source:
        """What is known of the raster of that name: type, nodata, scale."""
        found = self._sources[name]
        return found[0] if isinstance(found, tuple) else found

    def raw(self, name: str) -> NDArray[Any]:
        """The stored numbers (classes, bit fields), shaped as by ``[]``; meaningless where not :meth:`valid`."""
        source = self._sources[name]
        if isinstance(source, tuple):
            return np.stack([self._read(name, one, number)[0][0] for number, one in enumerate(source)])
        stored = self._read(name, source, None)[0]
        return stored[0] if len(source.bands) == 1 else stored

    def valid(self, name: str) -> NDArray[np.bool_]:
        """True where there is data, shaped as by ``[]``."""
        source = self._sources[name]
        if isinstance(source, tuple):
            return np.stack([self._valid(name, one, number)[0] for number, one in enumerate(source)])
        found = self._valid(name, source, None)
        return found[0] if len(source.bands) == 1 else found

    def gone(self, name: str) -> NDArray[np.bool_] | None:
        """True where there is no data in one raster, shaped as by ``[]``; None where all is data."""
        source = self.source(name)
        found = self._read(name, source, None)[1]
        return found if found is None or len(source.bands) > 1 else found[0]

    def without(self, name: str, dropped: NDArray[np.bool_], room: NDArray[Any]) -> NDArray[Any]:
        """The stored numbers of a raster in the ``room``, NaN where ``dropped``."""
        values, columns = self.raw(name), np.bitwise_or.reduce(dropped, axis=0)
        if columns.any():
            erased(values, dropped, out=room)
        else:
            np.copyto(room, values)
        known = self._opened.counted(self.source(name).path, self._window)
        self.alike = (known[0], columns) if known is not None and len(known) == 1 else None
        return room

    def stored(self, name: str) -> np.ma.MaskedArray[Any, Any]:
        """Stored numbers, masked where not data: what a kernel that copies, and computes nothing, passes on."""
        return np.ma.MaskedArray(self.raw(name), mask=~self.valid(name))

    def _series(self, name: str, items: tuple[Source, ...]) -> NDArray[np.floating[Any]]:
        key = (name, None)
        if key not in self._values:
            stack = np.empty((len(items), *self.shape), dtype=np.result_type(*(one.working for one in items)))
            for number, one in enumerate(items):
                if one.as_it_stands and stack.dtype == one.dtype and self._is_inside() and self._buffers is None:
                    one.require_finite(one.read_stored(self._opened, self.window, out=stack[number : number + 1]))
                    continue
                stored, gone = self._load(name, one, number)
                stack[number] = one.physical(stored, gone)[0]
            self._values[key] = stack
        return self._values[key]

    def _physical(self, name: str, source: Source, number: int | None) -> NDArray[np.floating[Any]]:
        key = (name, number)
        if key not in self._values:
            stored, gone = self._read(name, source, number)
            self._values[key] = source.physical(stored, gone)
        return self._values[key]

    def _valid(self, name: str, source: Source, number: int | None) -> NDArray[np.bool_]:
        stored, gone = self._read(name, source, number)
        return np.ones(stored.shape, dtype=np.bool_) if gone is None else ~gone

    def _read(self, name: str, source: Source, number: int | None) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
        key = (name, number)
        if key not in self._stored:
            self._stored[key] = self._load(name, source, number)
        return self._stored[key]

    def _is_inside(self) -> bool:
        """Whether the block has no halo, and ends where its raster does or before."""
        bottom = self.window.row_off + self.shape[0]
        right = self.window.col_off + self.shape[1]
        starts = self.window.row_off >= 0 and self.window.col_off >= 0
        return not self.halo and starts and bottom <= self._all.shape[0] and right <= self._all.shape[1]

    def _load(self, name: str, source: Source, number: int | None) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
        """Stored numbers of the block and what of them is not data (None: all is), (bands, rows, columns)."""
        row, column = int(self.window.row_off) - self.halo, int(self.window.col_off) - self.halo
        top, left = max(row, 0), max(column, 0)
        bottom = min(row + self.shape[0], self._all.shape[0])
        right = min(column + self.shape[1], self._all.shape[1])
        stored, mask = self._fetch(source, Window(left, top, right - left, bottom - top))
        gone = source.missing(stored, mask)
        if stored.shape[1:] == self.shape:
            return stored, gone
        margins = ((0, 0), (top - row, row + self.shape[0] - bottom), (left - column, column + self.shape[1] - right))
        beyond = np.pad(np.zeros(stored.shape, dtype=np.bool_) if gone is None else gone, margins, constant_values=True)
        return np.pad(stored, margins), beyond

    def _fetch(self, source: Source, inside: Window) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
        """Stored numbers of a window inside the raster, and what the file's own mask says of them."""
        made = self._opened.made(source.path, source.bands, inside)
        if made is not None:
            return made, None
        stored = source.read_stored(self._opened, inside, self._buffers)
        if self._buffers is not None:
            self._taken.append(stored)
        return stored, source.read_mask(self._opened, inside)

    def _part(
        self, name: str, source: Source, number: int | None, rows: slice
    ) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
        """Some rows of what is read once for all strips, and what of them is not data (None: all is)."""
        part = self._rows_of(name, source, number, rows)
        mask = self._fetched.get((name, number), (None, None))[1]
        return part, source.missing(part, None if mask is None else mask[:, rows])

    def _rows_of(self, name: str, source: Source, number: int | None, rows: slice) -> NDArray[Any]:
        """Some rows of what is read once for all strips, or is made as they are read."""
        key = (name, number)
        if key not in self._fetched:
            within = self.window
            made = self._opened.made(source.path, source.bands, rows_within(within, rows))
            if made is not None:
                return made
            self._fetched[key] = self._fetch(source, within)
        return self._fetched[key][0][:, rows]


def rows_within(window: Window, rows: slice) -> Window:
    """Some rows of a window."""
    return Window(window.col_off, window.row_off + rows.start, window.width, rows.stop - rows.start)


class _Strip(Block):
    """Some rows of a block, which reads for all its strips at once."""

    def __init__(self, whole: Block, rows: slice) -> None:
        super().__init__(whole._sources, whole._opened, whole._all, whole.window)
        self.shape = (rows.stop - rows.start, whole.shape[1])
        self._block = whole
        self._rows = rows
        self._lent: list[NDArray[Any]] = []

    def release(self) -> None:
        """Nobody looks at its physical values any more."""
        while self._lent:
            spare.give(self._lent.pop())

    @property
    def window(self) -> Window:
        return rows_within(self._window, self._rows)

    def _load(self, name: str, source: Source, number: int | None) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
        return self._block._part(name, source, number, self._rows)

    def raw(self, name: str) -> NDArray[Any]:
        source = self._sources[name]
        if isinstance(source, tuple):
            return super().raw(name)
        stored = self._block._rows_of(name, source, None, self._rows)
        return stored[0] if len(source.bands) == 1 else stored

    def _physical(self, name: str, source: Source, number: int | None) -> NDArray[np.floating[Any]]:
        """Numbers that mean themselves are not copied; nobody may write to them, as to no others."""
        key = (name, number)
        if key in self._values:
            return self._values[key]
        if not source.as_it_stands:
            room = spare.take((len(source.bands), *self.shape), source.working)
            self._lent.append(room)
            self._values[key] = source.physical(*self._read(name, source, number), out=room)
            return self._values[key]
        values = self._block._rows_of(name, source, number, self._rows).view()
        values.flags.writeable = False
        if not self._opened.is_finite(source.path):
            source.require_finite(values)
        return values
