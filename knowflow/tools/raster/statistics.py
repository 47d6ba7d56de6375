"""Statistics of pixels, collected block by block; the result does not depend on how the raster was cut."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product, zip_longest
from typing import Any

import numpy as np
from numpy.typing import NDArray

from knowflow.tools.raster.buffers import Scratch, zeroed
from knowflow.tools.raster.histogram import Histogram

# rasters up to so many pixels -> every which row and column counts in their histogram; a million are enough to draw it
_STRIDES = ((1 << 20, 1), (1 << 24, 4))
_LARGEST_STRIDE = 8
_PART = 1 << 16  # values that are measured at a time
_PARTS = 1 << 17  # those of several parts that are measured together
_PART_ROWS, _PART_COLUMNS = 64, 512  # those of a block that are measured at a time, where it may be cut at its tiles
_TAME = (1e-9, 1e9)  # ranges whose squares float32 holds as they are
_RUN = 512  # values that are added up in their own type
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


def _cells(values: NDArray[Any], unit: int, holed: bool) -> tuple[list[_Cell], bool]:
    """What is known of the parts (down, across) of decimal numbers (down, rows, columns), each ``unit`` columns wide,
    one after the other; None of those that are to be measured alone, because of infinity or of a range in which digits
    are lost. Last whether there are NaN among them; that they are ``holed`` is expected, and saves a sum.

    They are summed about what their range says, and where that is so far from their mean that digits would be lost,
    once more about what was found.
    """
    down, rows, columns = values.shape
    parts = down * (columns // unit)
    lows, highs = (
        end.reduce(end.reduce(values, axis=1).reshape(parts, unit), axis=1).tolist() for end in (np.fmin, np.fmax)
    )
    ranges = list(zip(lows, highs, strict=True))
    numbers, origins = _centred(values, [_origin(*ends) for ends in ranges])
    gone, holes = None, [0] * parts
    sums = None if holed else _sums_by_part(numbers, unit)
    if sums is None or not all(map(math.isfinite, sums[0])):
        gone = np.isnan(values)
        below = np.add.reduce(gone.view(np.uint8), axis=1, dtype=np.uint8).reshape(parts, unit)
        holes = np.add.reduce(below, axis=1, dtype=np.int64).tolist()
        numbers = zeroed(numbers, gone, _scratch.like(values))
        sums = _sums_by_part(numbers, unit)
    sizes = [rows * unit - lost for lost in holes]
    found = [_cell(*known) for known in zip(sizes, holes, ranges, origins, *sums, strict=True)]
    far = [number for number, cell in enumerate(found) if cell is None and math.isfinite(sums[1][number])]
    if far:
        lacks = [sums[0][number] / sizes[number] if number in far else 0.0 for number in range(parts)]
        numbers, lacks = _centred(numbers, lacks)
        sums = _sums_by_part(numbers if gone is None else zeroed(numbers, gone), unit)
        origins = [origin + lack for origin, lack in zip(origins, lacks, strict=True)]
        again = zip(sizes, holes, ranges, origins, *sums, strict=True)
        found = [_cell(*known) if found[number] is None else found[number] for number, known in enumerate(again)]
    return found, any(holes)


def _marks(values: NDArray[Any], gone: NDArray[np.bool_] | None, unit: int) -> list[_Cell]:
    """What is known of the parts of numbers of one byte, as of :func:`_cells`; None of those that hold others than 0
    and 1, which need not be numbers to be counted."""
    _, rows, columns = values.shape
    stored = values.view(np.uint8)
    if gone is not None:
        stored = stored | np.negative(gone.view(np.uint8))  # what is not data is 255

    def number(true: NDArray[np.bool_]) -> list[int]:
        below = np.add.reduce(true.view(np.uint8), axis=1, dtype=np.uint8 if rows < 256 else np.uint32)
        found: list[int] = np.add.reduceat(below, range(0, columns, unit), axis=1, dtype=np.int64).ravel().tolist()
        return found

    no, yes = (number(stored == answer) for answer in (0, 1))
    lost = [0] * len(no) if gone is None else number(gone)
    pixels = [rows * min(unit, columns - left) for left in range(0, columns, unit)] * len(values)
    found: list[_Cell] = []
    for zeros, ones, holes, all_ in zip(no, yes, lost, pixels, strict=True):
        size = zeros + ones
        mean, squares = (ones / size, ones * zeros / size) if size else (0.0, 0.0)
        known = size, 0.0 if zeros else 1.0, 1.0 if ones else 0.0, mean, squares, holes
        found.append(known if size + holes == all_ else None)
    return found


def _origin(low: float, high: float) -> float:
    """What numbers between two are summed about: one that neighbours have in common, and 0 where that does."""
    spread, middle = high - low, low / 2 + high / 2
    if not _plain(low, high):
        return 0.0
    step = math.ldexp(1.0, math.frexp(spread)[1] - 1)
    return round(middle / step) * step


def _centred(values: NDArray[Any], about: Sequence[float]) -> tuple[NDArray[Any], list[float]]:
    """Numbers (down, rows, columns) less a number for each of their parts (down, across), and that number as it is in
    their type."""
    origins = np.array(about, dtype=values.dtype)
    own: list[float] = origins.tolist()
    if not any(own):
        return values, own
    centred = _scratch.like(values)
    if len(set(own)) == 1:
        np.subtract(values, origins[0], out=centred)
    else:
        down, _, columns = values.shape
        rows = np.repeat(origins.reshape(down, -1), columns * down // len(own), axis=1)
        np.subtract(values, rows[:, None], out=centred)
    return centred, own


def _sums_by_part(values: NDArray[Any], unit: int) -> tuple[list[float], list[float]]:
    """The sums of numbers (down, rows, columns) and of their squares, of each ``unit`` columns; as :func:`_sums`."""
    down, rows, columns = values.shape
    run = unit if unit < _RUN else math.gcd(unit, _RUN)
    runs = values.reshape(down, rows, columns // unit, unit // run, run)
    both = np.empty((2, *runs.shape[:-1]), dtype=values.dtype)
    np.vecdot(runs, _ONES[values.dtype.char][:run], out=both[0])
    np.vecdot(runs, runs, out=both[1])
    each = np.ascontiguousarray(both.transpose(0, 1, 3, 2, 4)).reshape(2, down * (columns // unit), -1)
    total, squares = np.add.reduce(each, axis=2, dtype=np.float64).tolist()
    return total, squares


def _plain(low: float, high: float) -> bool:
    """Whether float32 holds squares of differences in that range as they are."""
    return _TAME[0] < high - low < _TAME[1]


def _cell(size: int, gone: int, ends: tuple[float, float], origin: float, total: float, square: float) -> _Cell:
    low, high = ends
    if not size or low == high:
        return (size, low, high, low, 0.0, gone) if not size or math.isfinite(low) else None
    excess = total * total / size
    if not (_plain(low, high) and excess <= _FAR * (square - excess)):
        return None
    return size, low, high, origin + total / size, square - excess, gone


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
        chosen = (slice(None, None, self._stride),) * values.ndim
        block.sample(values[chosen], None if gone is None else gone[chosen])
        self.merge(block)

    def count(self, values: NDArray[Any], gone: NDArray[np.bool_] | None = None) -> None:
        """Add values to all but the histogram, as many at a time as fit the processor's cache."""
        flat, whole = _floating(values).reshape(-1), values.dtype.kind in "iub"
        kept = None if gone is None else ~gone.reshape(-1)
        self.measure(flat, kept, whole)

    def sample(self, values: NDArray[Any], gone: NDArray[np.bool_] | None = None) -> None:
        """Add what stands for a block in the histogram, of those numbers that are ``chosen``."""
        kept = _floating(values)
        finite = np.isfinite(kept)
        if gone is not None:
            finite &= ~gone
        self._histogram.add(kept if finite.all() else kept[finite])

    @property
    def chosen(self) -> tuple[slice, slice]:
        """Which rows and columns of a block are in the histogram."""
        return slice(None, None, self._stride), slice(None, None, self._stride)

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
        self._holed = False  # whether there were NaN among the last rows

    @property
    def histogram(self) -> Histogram:
        return self._sampled._histogram

    @property
    def all_finite(self) -> bool:
        """Whether none of the numbers is infinite."""
        return all(tile.all_finite for tile in self._tiles.values())

    def tiles(self) -> Iterator[Accumulator]:
        """Those of the tiles, down each column of tiles."""
        for place in sorted(self._tiles):
            yield self._tiles[place]

    def count(self, values: NDArray[Any], gone: NDArray[np.bool_] | None = None) -> None:
        """Add the next rows (rows, columns) of the block, all but the histogram; where numpy warns of nothing, since
        sums may overflow of what is then measured alone."""
        rows, columns = values.shape
        start = 0
        while start < rows:
            beyond = self._row % self._high
            stop = min(rows, start + self._high - beyond)
            if not beyond:  # several parts, one below the other
                stop = max(stop, start + min(rows - start, _PARTS // columns) // self._high * self._high)
            self._add(values[start:stop], None if gone is None else gone[start:stop])
            self._row += stop - start
            start = stop

    def _add(self, rows: NDArray[Any], gone: NDArray[np.bool_] | None) -> None:
        """Add rows: one part of each tile, or several, one below the other."""
        high, unit = min(len(rows), self._high), self._unit
        for first, stop in self._alike(rows):
            found = self._known(rows[:, first:stop].reshape(-1, high, stop - first), gone)
            places = product(range(0, len(rows), high), range(first, stop, unit))
            for (below, left), cell in zip_longest(places, found):
                place = left // unit, (self._row + below) // unit
                tile = self._tiles.get(place) or self._tiles.setdefault(place, Accumulator())
                if cell is not None:
                    tile.take(*cell)
                    continue
                alone = slice(below, below + high), slice(left, min(left + unit, stop))
                kept = None if gone is None else ~gone[alone].reshape(-1)
                tile.measure(_floating(rows[alone]).reshape(-1), kept, rows.dtype.kind in "iub")

    def _known(self, parts: NDArray[Any], gone: NDArray[np.bool_] | None) -> Sequence[_Cell]:
        """What is known of parts (down, rows, columns) of tiles that are measured together; nothing, where each is to
        be measured alone."""
        columns = parts.shape[2]
        if parts.itemsize == 1 and parts.dtype.kind in "iub":
            return _marks(parts, None if gone is None else gone.reshape(parts.shape), self._unit)
        if gone is not None or parts.dtype.char not in _ONES or self._unit > _PART_COLUMNS:
            return ()
        found, self._holed = _cells(parts, min(self._unit, columns), self._holed)
        return found

    def _alike(self, rows: NDArray[Any]) -> Iterator[tuple[int, int]]:
        """Columns that are measured together: of decimal numbers those of whole tiles, and those of what is left."""
        columns = rows.shape[1]
        full = columns - columns % self._unit if rows.dtype.kind == "f" else columns
        if full:
            yield 0, full
        if full < columns:
            yield full, columns

    def sample(self, values: NDArray[Any], gone: NDArray[np.bool_] | None = None) -> None:
        """Add what stands for the block in the histogram, of those numbers that are ``chosen``."""
        self._sampled.sample(values, gone)

    @property
    def chosen(self) -> tuple[slice, slice]:
        """Which rows and columns of a block are in the histogram."""
        return self._sampled.chosen
