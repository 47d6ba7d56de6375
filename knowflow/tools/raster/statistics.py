"""Statistics of pixels, collected block by block; the result does not depend on how the raster was cut."""

from __future__ import annotations

import json
import math
import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from knowflow.tools.raster.buffers import spare, zeroed
from knowflow.tools.raster.histogram import Histogram
from knowflow.tools.raster.parts import FAR, ONES, RUN, TAME, Cell, Known, cells, marks

# rasters up to so many pixels -> every which row and column counts in their histogram; a million are enough to draw it
_STRIDES = ((1 << 20, 1), (1 << 24, 4))
_LARGEST_STRIDE = 8
_PART = 1 << 16  # values that are measured at a time
_PARTS = 1 << 18  # those of several parts that are measured together
_PART_ROWS, _PART_COLUMNS = 64, 512  # those of a block that are measured at a time, where it may be cut at its tiles


@dataclass(frozen=True, slots=True)
class PixelStatistics:
    """What is known of the pixels of one band, in physical values.

    ``count``: pixels that are data; ``finite``: those that are finite numbers; ``minimum`` to ``std`` are over the
    finite ones (NaN where there is none; ``std`` of the population).
    """

    total: int
    count: int
    finite: int
    minimum: float
    maximum: float
    mean: float
    std: float
    histogram: tuple[tuple[float, ...], tuple[int, ...]]

    @property
    def valid_fraction(self) -> float:
        return self.count / self.total if self.total else 0.0

    @property
    def finite_fraction(self) -> float:
        return self.finite / self.total if self.total else 0.0

    def tags(self) -> dict[str, str]:
        """The band tags that keep them in a file: GDAL's own names, and the two it lacks."""
        edges, counts = self.histogram
        tags = {
            "STATISTICS_VALID_PERCENT": f"{100 * self.valid_fraction:.17g}",
            "KNOWFLOW_FINITE_FRACTION": f"{self.finite_fraction:.17g}",
        }
        if self.finite:
            tags |= {
                "STATISTICS_MINIMUM": f"{self.minimum:.17g}",
                "STATISTICS_MAXIMUM": f"{self.maximum:.17g}",
                "STATISTICS_MEAN": f"{self.mean:.17g}",
                "STATISTICS_STDDEV": f"{self.std:.17g}",
                "KNOWFLOW_HISTOGRAM": json.dumps([edges, counts], separators=(",", ":"), allow_nan=False),
            }
        return tags


def _sums(values: NDArray[Any]) -> tuple[float, float]:
    """The sum of values (n,) and of their squares, in float64 from those of runs of ``RUN`` in their own type."""
    whole = values.size - values.size % RUN
    runs, rest = values[:whole].reshape(-1, RUN), values[whole:]
    total = float(np.add.reduce(np.vecdot(runs, ONES[values.dtype.char]), dtype=np.float64))
    squares = float(np.add.reduce(np.vecdot(runs, runs), dtype=np.float64))
    if rest.size:
        total += float(np.add.reduce(rest, dtype=np.float64))
        squares += float(np.vecdot(rest, rest))
    return total, squares


def _moments(
    part: NDArray[Any], nan: NDArray[np.bool_] | None, size: int, about: float, low: float, high: float
) -> tuple[float, float]:
    """Mean and sum of squared differences from it of finite values (n,) between ``low`` and ``high``; of ``size`` of
    them, where some are ``nan``.

    They are summed from ``about``, a guess of the mean, and what that lacks is put right (Chan, Golub and LeVeque,
    1983, eq. 1.7); where it is too far from the mean, so that digits would be lost, they are summed again.
    """
    largest = float(np.finfo(part.dtype).max)
    unit = min(high - low, largest)
    if unit <= 0:
        return low, 0.0
    tame = TAME[0] < unit < TAME[1]
    if not tame:
        about = low / 2 + high / 2  # no value is farther from it than its type can say
    centred = spare.take(part.shape, part.dtype)
    while True:
        origin = part.dtype.type(about)
        np.subtract(part, origin, out=centred)
        if not tame:  # in parts of the range, float32 neither underflows nor overflows
            centred /= part.dtype.type(unit)
        if nan is not None:
            zeroed(centred, nan)
        total, squares = _sums(centred)
        lack, excess = total / size, total * total / size
        scale = 1.0 if tame else unit
        mean, squares = float(origin) + lack * scale, squares - excess
        if excess <= FAR * squares or unit == largest or mean == about:
            spare.give(centred)
            return mean, squares * scale * scale
        about = mean


def _floating(values: NDArray[Any]) -> NDArray[Any]:
    """Numbers as floats that hold them, and that sums are taken in."""
    if values.dtype.char in ONES:
        return values
    return values.astype(np.float64 if values.dtype.itemsize > 2 else np.float32)


def _sampled(values: NDArray[Any], gone: NDArray[np.bool_] | None, stride: int, first: int = 0) -> NDArray[Any]:
    """What stands for rows in the histogram: every so many numbers of every so many rows, from the ``first`` on, as
    far as they are finite and not ``gone``; a copy."""
    chosen = (slice(first, None, stride), *(slice(None, None, stride),) * (values.ndim - 1))
    kept = _floating(values[chosen])
    finite = np.isfinite(kept)
    if gone is not None:
        finite &= ~gone[chosen]
    found: NDArray[Any] = kept[finite]
    return found


class Accumulator:
    """Collects the statistics of one band; ``stride``: every which row and column is in its histogram."""

    def __init__(self, stride: int = 1) -> None:
        self._stride = stride
        self._total = self._count = self._finite = 0
        self._minimum, self._maximum = math.inf, -math.inf
        self._mean = self._squares = 0.0
        self._histogram = Histogram()

    @classmethod
    def for_pixels(cls, pixels: int) -> Accumulator:
        return cls(next((stride for most, stride in _STRIDES if pixels <= most), _LARGEST_STRIDE))

    @property
    def all_finite(self) -> bool:
        """Whether none of the numbers is infinite."""
        return self._count == self._finite

    def fresh(self) -> Accumulator:
        """An empty one of the same kind."""
        return Accumulator(self._stride)

    def of_block(self, unit: int) -> BlockStatistics:
        """Empty statistics of one block, by tiles of so many columns."""
        return BlockStatistics(unit, self._stride)

    def add(self, values: NDArray[Any], gone: NDArray[np.bool_] | None = None) -> None:
        """Add a block (rows, columns); ``gone`` is True where it is not data (NaN is never data)."""
        block = self.fresh()
        block.count(values, gone)
        block._histogram.add(_sampled(values, gone, self._stride))
        self.merge(block)

    def count(self, values: NDArray[Any], gone: NDArray[np.bool_] | None = None) -> None:
        """Add values to all but the histogram, as many at a time as fit the processor's cache."""
        flat, whole = _floating(values).reshape(-1), values.dtype.kind in "iub"
        kept = None if gone is None else ~gone.reshape(-1)
        self.measure(flat, kept, whole)

    def measure(self, flat: NDArray[Any], kept: NDArray[np.bool_] | None, whole: bool) -> None:
        """Add numbers (n,), of which those count that are ``kept``, to all but the histogram."""
        for start in range(0, flat.size, _PART):
            part = slice(start, start + _PART)
            self._measure(flat[part], None if kept is None else kept[part], whole)

    def _measure(self, part: NDArray[Any], kept: NDArray[np.bool_] | None, whole: bool) -> None:
        """Add values that fit the processor's cache, of ``whole`` numbers or not; all but the histogram."""
        self._total += part.size
        if kept is not None:
            part = part[kept]
        if part.size == 0:
            return
        low, high = float(np.minimum.reduce(part)), float(np.maximum.reduce(part))
        nan = None
        if math.isnan(low):  # which is not data
            low, high = float(np.fmin.reduce(part)), float(np.fmax.reduce(part))
            nan = np.isnan(part)
        if not (math.isfinite(low) and math.isfinite(high)):  # infinity, which is data, or nothing but NaN
            self._count += int(np.count_nonzero(np.isinf(part)))
            part, nan = part[np.isfinite(part)], None
            if part.size == 0:
                return
            low, high = float(np.minimum.reduce(part)), float(np.maximum.reduce(part))
        size = part.size if nan is None else part.size - int(np.count_nonzero(nan))
        if whole and high - low == 1:  # a mask: what is counted is exact
            upper = int(np.count_nonzero(part == high))
            mean, squares = low + upper / size, upper * (size - upper) / size
        else:
            mean, squares = _moments(part, nan, size, self.guess(low, high), low, high)
        self._take(size, low, high, mean, squares)

    def guess(self, low: float, high: float) -> float:
        """What the mean of values between two may be."""
        return min(max(self._mean, low), high) if self._finite else low / 2 + high / 2

    def _take(self, size: int, low: float, high: float, mean: float, squares: float) -> None:
        """Add ``size`` finite values of which so much is known, and which count as pixels already."""
        self._minimum, self._maximum = min(self._minimum, low), max(self._maximum, high)
        self._join(self._finite, size, mean, squares)
        self._count += size
        self._finite += size

    def take_all(self, parts: Sequence[Known]) -> None:
        """Add what is known of parts, and all their pixels."""
        self._total += sum(part[0] + part[5] for part in parts)
        held = [part for part in parts if part[0]]
        if held:
            sizes, lows, highs, means, squares, _ = zip(*held, strict=True)
            size = sum(sizes)
            mean = sum(map(operator.mul, sizes, means)) / size
            apart = sum(n * (own - mean) * (own - mean) for n, own in zip(sizes, means, strict=True))
            self._take(size, min(lows), max(highs), mean, sum(squares) + apart)

    def _join(self, before: int, number: int, mean: float, squares: float) -> None:
        """Add the moments of ``number`` values to those of ``before`` (Chan, Golub and LeVeque, 1983, eq. 2.1)."""
        step = mean - self._mean if before else 0.0
        base = self._mean if before else mean
        self._squares += squares + step * step * before * number / (before + number)
        self._mean = base + step * number / (before + number)

    def merge(self, other: Accumulator) -> None:
        """Add what another has collected."""
        self._total += other._total
        self._count += other._count
        if other._finite:
            self._join(self._finite, other._finite, other._mean, other._squares)
            self._finite += other._finite
            self._minimum = min(self._minimum, other._minimum)
            self._maximum = max(self._maximum, other._maximum)
            self._histogram.merge(other._histogram)

    def merge_block(self, block: BlockStatistics) -> None:
        """Add the statistics of a block, tile by tile."""
        for tile in block.tiles().values():
            self.merge(tile)
        self._histogram.merge(block.histogram)

    def result(self, scale: float = 1.0, offset: float = 0.0) -> PixelStatistics:
        """The statistics, with stored numbers turned into physical ones."""
        if self._finite == 0:
            nan = math.nan
            return PixelStatistics(self._total, self._count, 0, nan, nan, nan, nan, ((), ()))
        low, high = sorted((self._minimum * scale + offset, self._maximum * scale + offset))
        edges, counts = self._histogram.result()
        edges = tuple(edge * scale + offset for edge in edges)
        if scale < 0:
            edges, counts = edges[::-1], counts[::-1]
        return PixelStatistics(
            total=self._total,
            count=self._count,
            finite=self._finite,
            minimum=low,
            maximum=high,
            mean=self._mean * scale + offset,
            std=abs(scale) * math.sqrt(max(self._squares, 0.0) / self._finite),
            histogram=(edges, counts),
        )


Alike: TypeAlias = "tuple[BlockStatistics, NDArray[np.bool_]]"
"""Statistics of what other rows of a block are but for some columns, and which those are."""


class BlockStatistics:
    """Statistics of one block by its tiles, ``unit`` columns wide and high. Each is that of its own pixels alone, in
    parts of their own, so that blocks of one tile and of several in a row add up to the same, bit for bit.
    """

    def __init__(self, unit: int, stride: int = 1) -> None:
        self._unit = unit
        self._high = _PART_ROWS if unit <= _PART_COLUMNS else unit
        self._row = 0
        self._known: dict[tuple[int, int], Sequence[Cell]] = {}  # parts of tiles in a row, by its and their first pixel
        self._alone: dict[tuple[int, int], Accumulator] = {}  # parts that were measured by themselves, by their tile
        self._stride = stride
        self._samples: list[NDArray[Any]] = []  # of its rows, for the histogram
        self._holed = False  # whether there were NaN among the last rows

    @property
    def histogram(self) -> Histogram:
        found = Histogram()
        if self._samples:
            found.add(np.concatenate(self._samples))
        return found

    @property
    def all_finite(self) -> bool:
        """Whether none of the numbers is infinite."""
        return all(tile.all_finite for tile in self._alone.values())

    def tiles(self) -> dict[tuple[int, int], Accumulator]:
        """Those of the tiles by column and row, down each column of tiles."""
        parts: dict[tuple[int, int], list[Known]] = {}
        for (row, first), found in self._known.items():
            for column, cell in enumerate(found, start=first // self._unit):
                if cell is not None:
                    parts.setdefault((column, row // self._unit), []).append(cell)
        tiles = {}
        for place in sorted({*parts, *self._alone}):
            tiles[place] = tile = Accumulator()
            tile.take_all(parts.get(place, ()))
            if place in self._alone:
                tile.merge(self._alone[place])
        return tiles

    def count(self, values: NDArray[Any], gone: NDArray[np.bool_] | None = None, alike: Alike | None = None) -> None:
        """Add the next rows (rows, columns) of the block; where numpy warns of nothing, since sums may overflow of what
        is then measured alone."""
        rows, columns = values.shape
        self._samples.append(_sampled(values, gone, self._stride, -self._row % self._stride))
        start = 0
        while start < rows:
            beyond = self._row % self._high
            stop = min(rows, start + self._high - beyond)
            if not beyond:  # several parts, one below the other
                stop = max(stop, start + min(rows - start, _PARTS // columns) // self._high * self._high)
            self._add(values[start:stop], None if gone is None else gone[start:stop], alike)
            self._row += stop - start
            start = stop

    def _add(self, rows: NDArray[Any], gone: NDArray[np.bool_] | None, alike: Alike | None) -> None:
        """Add rows: one part of each tile, or several, one below the other."""
        high, unit = min(len(rows), self._high), self._unit
        for first, stop in self._together(rows):
            found = self._found(rows[:, first:stop].reshape(-1, high, stop - first), gone, first, alike)
            across = -(-(stop - first) // unit)
            for number, below in enumerate(range(0, len(rows), high)):
                cells_of_row = found[number * across : (number + 1) * across]
                self._known[self._row + below, first] = cells_of_row
                for left, cell in zip_longest(range(first, stop, unit), cells_of_row):
                    if cell is None:
                        alone = slice(below, below + high), slice(left, min(left + unit, stop))
                        kept = None if gone is None else ~gone[alone].reshape(-1)
                        place = left // unit, (self._row + below) // unit
                        tile = self._alone.setdefault(place, Accumulator())
                        tile.measure(_floating(rows[alone]).reshape(-1), kept, rows.dtype.kind in "iub")

    def _found(
        self, parts: NDArray[Any], gone: NDArray[np.bool_] | None, first: int, alike: Alike | None
    ) -> Sequence[Cell]:
        """As :meth:`_measured`; what is known of the same parts of what it is ``alike`` is not measured again."""
        down, high, columns = parts.shape
        known = None if alike is None else alike[0]._of_rows(range(self._row, self._row + down * high, high), first)
        if alike is None or known is None or alike[0]._unit != self._unit:
            return self._measured(parts, gone)
        unit = min(self._unit, columns)
        across = columns // unit
        other = np.bitwise_or.reduceat(alike[1][first : first + columns], range(0, columns, unit)).tolist()
        lacking = [at for at in range(across) if other[at] or None in known[at::across]]
        if lacking:
            left, right = lacking[0], lacking[-1] + 1
            found = self._measured(parts[:, :, left * unit : right * unit], gone) or [None] * (down * (right - left))
            for number in range(down):
                place = number * across
                known[place + left : place + right] = found[number * (right - left) : (number + 1) * (right - left)]
        return known

    def _of_rows(self, rows: range, first: int) -> list[Cell] | None:
        """What is known of parts by their first rows and column, one row after the other; None where it is not all."""
        found = [self._known.get((row, first)) for row in rows]
        return [cell for row in found for cell in row or ()] if all(found) else None

    def _measured(self, parts: NDArray[Any], gone: NDArray[np.bool_] | None) -> Sequence[Cell]:
        """What is known of parts (down, rows, columns) of tiles that are measured together; nothing, where each is to
        be measured alone."""
        columns = parts.shape[2]
        if parts.itemsize == 1 and parts.dtype.kind in "iub":
            return marks(parts, None if gone is None else gone.reshape(parts.shape), self._unit)
        if gone is not None or parts.dtype.char not in ONES or self._unit > _PART_COLUMNS:
            return ()
        found, self._holed = cells(parts, min(self._unit, columns), self._holed)
        return found

    def _together(self, rows: NDArray[Any]) -> Iterator[tuple[int, int]]:
        """Columns that are measured together: of decimal numbers those of whole tiles, and those of what is left."""
        columns = rows.shape[1]
        full = columns - columns % self._unit if rows.dtype.kind == "f" else columns
        if full:
            yield 0, full
        if full < columns:
            yield full, columns
