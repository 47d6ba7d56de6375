"""Statistics of pixels, collected block by block; the result does not depend on how the raster was cut."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from knowflow.tools.raster.buffers import Scratch, zeroed
from knowflow.tools.raster.histogram import Histogram

# rasters up to so many pixels -> every which row and column counts in their histogram; a million are enough to draw it
_STRIDES = ((1 << 20, 1), (1 << 24, 4))
_LARGEST_STRIDE = 8
_PART = 1 << 16  # values that are measured at a time
_PART_ROWS, _PART_COLUMNS = 32, 512  # those of a block that are measured at a time, where it may be cut at its tiles
_TAME = (1e-9, 1e9)  # ranges whose squares float32 holds as they are
_RUN = 256  # values that are added up in their own type
_FAR = 16.0  # variances between a mean and a guess of it that cost no digits
_ONES = {kind: np.ones(_RUN, dtype=kind) for kind in "fd"}
_scratch = Scratch()


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
    """The sum of values (n,) and of their squares, in float64 from those of runs of ``_RUN`` in their own type."""
    whole = values.size - values.size % _RUN
    runs, rest = values[:whole].reshape(-1, _RUN), values[whole:]
    total = float(np.add.reduce(np.vecdot(runs, _ONES[values.dtype.char]), dtype=np.float64))
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
    tame = _TAME[0] < unit < _TAME[1]
    if not tame:
        about = low / 2 + high / 2  # no value is farther from it than its type can say
    centred = _scratch.like(part)
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
        if excess <= _FAR * squares or unit == largest or mean == about:
            return mean, squares * scale * scale
        about = mean


_Cell = tuple[int, float, float, float, float, int] | None  # size, minimum, maximum, mean, squares, pixels gone


def _cells(values: NDArray[Any]) -> list[_Cell]:
    """What is known of the parts (down, across) of decimal numbers (down, rows, across, columns), one after the other;
    None of those that are to be measured alone, because of infinity or of a range in which digits are lost.

    The sums are those of :func:`_moments`, about the middle of what the columns hold.
    """
    down, rows, across, columns = values.shape
    first = np.minimum.reduce(values, axis=1)
    holed = bool(np.isnan(first).any())
    if holed:
        first, last = np.fmin.reduce(values, axis=1), np.fmax.reduce(values, axis=1)
    else:
        last = np.maximum.reduce(values, axis=1)
    low, high = np.fmin.reduce(first, axis=2), np.fmax.reduce(last, axis=2)
    with np.errstate(all="ignore"):
        middle = first / 2 + last / 2
        held: Any = columns
        if holed:
            empty = np.isnan(middle)
            held = columns - np.add.reduce(empty, axis=2)
            zeroed(middle, empty)
        spread = high.astype(np.float64) - low
        plain = (spread > _TAME[0]) & (spread < _TAME[1])
        about = np.where(plain, np.add.reduce(middle, axis=2) / held, 0).astype(values.dtype)
        centred = _scratch.like(values).reshape(down, across, rows, columns)
        np.subtract(values.transpose(0, 2, 1, 3), about[:, :, None, None], out=centred)
        sizes = [rows * columns] * (down * across)
        if holed:
            nan = np.isnan(centred)
            sizes = [rows * columns - int(np.count_nonzero(one)) for one in nan.reshape(-1, rows * columns)]
            zeroed(centred, nan)
        runs = centred.reshape(down * across, -1, _RUN)
        totals = np.add.reduce(np.vecdot(runs, _ONES[values.dtype.char]), axis=1, dtype=np.float64).tolist()
        squares = np.add.reduce(np.vecdot(runs, runs), axis=1, dtype=np.float64).tolist()
    found: list[_Cell] = []
    ends = (each.ravel().tolist() for each in (low, high, about, plain))
    for size, lowest, highest, origin, tame, total, square in zip(sizes, *ends, totals, squares, strict=True):
        gone = rows * columns - size
        if not size or lowest == highest:
            finite = not size or math.isfinite(lowest)
            found.append((size, lowest, highest, lowest, 0.0, gone) if finite else None)
            continue
        excess = total * total / size
        sound = tame and excess <= _FAR * (square - excess)
        found.append((size, lowest, highest, origin + total / size, square - excess, gone) if sound else None)
    return found


def _floating(values: NDArray[Any]) -> NDArray[Any]:
    """Numbers as floats that hold them, and that sums are taken in."""
    if values.dtype.char in _ONES:
        return values
    return values.astype(np.float64 if values.dtype.itemsize > 2 else np.float32)


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
        block.sample(values, gone)
        self.merge(block)

    def count(self, values: NDArray[Any], gone: NDArray[np.bool_] | None = None) -> None:
        """Add values to all but the histogram, as many at a time as fit the processor's cache."""
        flat, whole = _floating(values).reshape(-1), values.dtype.kind in "iub"
        kept = None if gone is None else ~gone.reshape(-1)
        self.measure(flat, kept, whole)

    def sample(self, values: NDArray[Any], gone: NDArray[np.bool_] | None = None) -> None:
        """Add a block (rows, columns) to the histogram, or what stands for it there."""
        chosen = (slice(None, None, self._stride),) * values.ndim
        kept = _floating(values[chosen])
        finite = np.isfinite(kept)
        if gone is not None:
            finite &= ~gone[chosen]
        self._histogram.add(kept if finite.all() else kept[finite])

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
        self.take(size, low, high, mean, squares)

    def guess(self, low: float, high: float) -> float:
        """What the mean of values between two may be."""
        return min(max(self._mean, low), high) if self._finite else low / 2 + high / 2

    def take(self, size: int, low: float, high: float, mean: float, squares: float, gone: int | None = None) -> None:
        """Add ``size`` finite values of which so much is known; and so many pixels that are ``gone``, where all were
        not counted yet."""
        self._total += 0 if gone is None else size + gone
        if size:
            self._minimum, self._maximum = min(self._minimum, low), max(self._maximum, high)
            self._join(self._finite, size, mean, squares)
            self._count += size
            self._finite += size

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
        for tile in block.tiles():
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


class BlockStatistics:
    """Statistics of one block by its tiles, ``unit`` columns wide and high. Each is that of its own pixels alone, in
    parts of their own, so that blocks of one tile and of several in a row add up to the same, bit for bit.
    """

    def __init__(self, unit: int, stride: int = 1) -> None:
        self._unit = unit
        self._high = _PART_ROWS if unit <= _PART_COLUMNS else unit
        self._row = 0
        self._tiles: dict[tuple[int, int], Accumulator] = {}
        self._sampled = Accumulator(stride)

    @property
    def histogram(self) -> Histogram:
        return self._sampled._histogram

    def tiles(self) -> Iterator[Accumulator]:
        """Those of the tiles, down each column of tiles."""
        for place in sorted(self._tiles):
            yield self._tiles[place]

    def count(self, values: NDArray[Any], gone: NDArray[np.bool_] | None = None) -> None:
        """Add the next rows (rows, columns) of the block, all but the histogram."""
        rows, columns = values.shape
        whole = values.dtype.kind in "iub"
        floats: NDArray[Any] | None = None
        start = 0
        while start < rows:
            beyond = self._row % self._high
            stop = min(rows, start + self._high - beyond)
            lost = None if gone is None else gone[start:stop]
            if not whole and gone is None:
                if not beyond:  # several parts, one below the other
                    many = min(rows - start, _PART // columns) // self._high
                    stop = max(stop, start + many * self._high)
                self._decimals(values[start:stop])
            elif not (whole and values.itemsize == 1 and self._answers(values[start:stop], lost)):
                floats = _floating(values) if floats is None else floats
                for left in range(0, columns, self._unit):
                    part = slice(start, stop), slice(left, left + self._unit)
                    kept = None if gone is None else ~gone[part].reshape(-1)
                    self._tile(left, 0).measure(floats[part].reshape(-1), kept, whole)
            self._row += stop - start
            start = stop

    def _tile(self, left: int, below: int) -> Accumulator:
        """The statistics of the tile with that column, and so many rows below those that are added next."""
        place = left // self._unit, (self._row + below) // self._unit
        return self._tiles.get(place) or self._tiles.setdefault(place, Accumulator())

    def _answers(self, part: NDArray[Any], gone: NDArray[np.bool_] | None) -> bool:
        """Add rows that hold nothing but 0 and 1, which need not be numbers to be counted; whether they do."""
        (rows, columns), stored = part.shape, part.view(np.uint8)
        if gone is not None:
            stored = stored | np.negative(gone.view(np.uint8))  # what is not data is 255
        no, yes = (self._number(stored == answer) for answer in (0, 1))
        lost = 0 if gone is None else int(np.count_nonzero(gone))
        if sum(no) + sum(yes) + lost != part.size:
            return False
        for left, zeros, ones in zip(range(0, columns, self._unit), no, yes, strict=True):
            size, pixels = zeros + ones, rows * min(self._unit, columns - left)
            mean, squares = (ones / size, ones * zeros / size) if size else (0.0, 0.0)
            self._tile(left, 0).take(size, 0.0 if zeros else 1.0, 1.0 if ones else 0.0, mean, squares, pixels - size)
        return True

    def _number(self, true: NDArray[np.bool_]) -> list[int]:
        """How many are true, of the part of each tile."""
        rows, columns = true.shape
        down = np.add.reduce(true.view(np.uint8), axis=0, dtype=np.uint8 if rows < 256 else np.uint32)
        found: list[int] = np.add.reduceat(down, range(0, columns, self._unit), dtype=np.int64).tolist()
        return found

    def _decimals(self, rows: NDArray[Any]) -> None:
        """Add rows of decimal numbers: one part of each tile, or several."""
        high = min(len(rows), self._high)
        whole = rows.shape[1] // self._unit if rows.dtype.char in _ONES else 0
        fits = high * self._unit <= _PART and high * self._unit % _RUN == 0
        cells: list[_Cell] = []
        if whole and fits:
            cells = _cells(rows[:, : whole * self._unit].reshape(-1, high, whole, self._unit))
        for below in range(0, len(rows), high):
            for number, left in enumerate(range(0, rows.shape[1], self._unit)):
                tile = self._tile(left, below)
                found = cells[below // high * whole + number] if cells and number < whole else None
                if found is not None:
                    tile.take(*found)
                else:
                    part = rows[below : below + high, left : left + self._unit]
                    tile.measure(_floating(part).reshape(-1), None, False)

    def sample(self, values: NDArray[Any], gone: NDArray[np.bool_] | None = None) -> None:
        """Add the block (rows, columns) to the histogram, or what stands for it there."""
        self._sampled.sample(values, gone)
