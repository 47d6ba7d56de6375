"""Statistics of pixels, collected block by block; the result does not depend on how the raster was cut."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from knowflow.tools.raster.buffers import Scratch

BINS = 256
# rasters up to so many pixels -> every which row and column counts in their histogram; a million are enough to draw it
_STRIDES = ((1 << 20, 1), (1 << 24, 4))
_LARGEST_STRIDE = 8
_PART = 1 << 16  # values that are measured at a time
_TAME = (1e-9, 1e9)  # ranges whose squares float32 holds as they are
_ZERO = -149  # the exponent of the smallest float32: zero alone asks for no width
_scratch = Scratch()


class Histogram:
    """Counts in bins whose width is a power of two and whose edges are its multiples.

    Such bins nest: when the range grows, two become one exactly, so that neither the range must be known beforehand
    nor the order of the blocks matters. At most ``BINS`` bins.
    """

    def __init__(self) -> None:
        self._exponent: int | None = None
        self._first = 0
        self._counts = np.zeros(0, dtype=np.int64)

    def add(self, values: NDArray[np.floating[Any]]) -> None:
        """Count finite values (any shape)."""
        if values.size:
            low, high = float(values.min()), float(values.max())
            exponent = _bin_exponent(low, high)
            if self._exponent is not None:
                exponent = max(exponent, self._exponent)
            while True:
                first = math.floor(math.ldexp(low, -exponent))
                if math.floor(math.ldexp(high, -exponent)) - first < BINS:
                    break
                exponent += 1
            indices = np.floor(np.ldexp(values.ravel().astype(np.float64), -exponent)).astype(np.int64)
            self._merge(exponent, first, np.bincount(indices - first))

    def merge(self, other: Histogram) -> None:
        if other._exponent is not None:
            self._merge(other._exponent, other._first, other._counts)

    def _merge(self, exponent: int, first: int, counts: NDArray[np.int64]) -> None:
        if self._exponent is None:
            self._exponent, self._first, self._counts = exponent, first, counts
            return
        target = max(exponent, self._exponent)
        while True:
            mine = _coarser(self._first, self._counts, target - self._exponent)
            theirs = _coarser(first, counts, target - exponent)
            start = min(mine[0], theirs[0])
            stop = max(mine[0] + mine[1].size, theirs[0] + theirs[1].size)
            if stop - start <= BINS:
                break
            target += 1
        total = np.zeros(stop - start, dtype=np.int64)
        for begin, part in (mine, theirs):
            total[begin - start : begin - start + part.size] += part
        self._exponent, self._first, self._counts = target, start, total

    def result(self) -> tuple[tuple[float, ...], tuple[int, ...]]:
        """(edges, counts), one more edge than counts; both empty where nothing was counted."""
        if self._exponent is None:
            return (), ()
        zeros_alone = self._exponent == _ZERO and (self._first, self._counts.size) == (0, 1)
        exponent = -24 if zeros_alone else self._exponent  # those are as well counted in a wider bin
        edges = np.ldexp(np.arange(self._first, self._first + self._counts.size + 1, dtype=np.float64), exponent)
        return tuple(edges.tolist()), tuple(self._counts.tolist())


def _bin_exponent(low: float, high: float) -> int:
    """The exponent of a bin width of which about ``BINS`` span the range."""
    spread = high - low
    if spread > 0:
        return max(math.frexp(spread / (BINS - 1))[1] - 1, _finest(max(abs(low), abs(high))))
    return _finest(max(abs(low), abs(high)))


def _finest(magnitude: float) -> int:
    """Bins no finer than float32 can tell apart."""
    return math.frexp(magnitude)[1] - 24 if magnitude > 0 else _ZERO


def _coarser(first: int, counts: NDArray[np.int64], steps: int) -> tuple[int, NDArray[np.int64]]:
    """The same counts in bins ``2**steps`` times as wide."""
    if steps == 0 or counts.size == 0:
        return first, counts
    indices = (np.arange(counts.size, dtype=np.int64) + first) >> min(steps, 62)
    start = int(indices[0])
    return start, np.bincount(indices - start, weights=counts).astype(np.int64)


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
                "KNOWFLOW_HISTOGRAM": json.dumps([edges, counts], separators=(",", ":")),
            }
        return tags


def _squares(part: NDArray[Any], mean: float, spread: float) -> float:
    """The sum of squared differences from the mean (two-pass algorithm: Chan, Golub and LeVeque, 1983, eq. 1.2)."""
    unit = min(spread, float(np.finfo(part.dtype).max))
    if unit <= 0:
        return 0.0
    centred = np.subtract(part, part.dtype.type(mean), out=_scratch.like(part))
    if not _TAME[0] < unit < _TAME[1]:  # in parts of the range, float32 neither underflows nor overflows
        centred /= part.dtype.type(unit)
    else:
        unit = 1.0
    return float(np.square(centred, out=centred).sum()) * unit * unit  # numpy sums pairwise


def _floating(values: NDArray[Any]) -> NDArray[Any]:
    """Numbers as floats that hold them."""
    if values.dtype.kind == "f":
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
        """An empty one of the same kind, for one block."""
        return Accumulator(self._stride)

    def add(self, values: NDArray[Any], gone: NDArray[np.bool_] | None = None) -> None:
        """Add a block (rows, columns); ``gone`` is True where it is not data (NaN is never data)."""
        block = self.fresh()
        block.count(values, gone)
        block.sample(values, gone)
        self.merge(block)

    def count(self, values: NDArray[Any], gone: NDArray[np.bool_] | None = None) -> None:
        """Add values to all but the histogram, as many at a time as fit the processor's cache."""
        flat = _floating(values).reshape(-1)
        flat_gone = None if gone is None else gone.reshape(-1)
        for start in range(0, flat.size, _PART):
            part = slice(start, start + _PART)
            self._measure(flat[part], None if flat_gone is None else flat_gone[part])

    def sample(self, values: NDArray[Any], gone: NDArray[np.bool_] | None = None) -> None:
        """Add a block (rows, columns) to the histogram, or what stands for it there."""
        chosen = (slice(None, None, self._stride),) * values.ndim
        kept = _floating(values[chosen])
        finite = np.isfinite(kept)
        if gone is not None:
            finite &= ~gone[chosen]
        self._histogram.add(kept if finite.all() else kept[finite])

    def _measure(self, part: NDArray[Any], gone: NDArray[np.bool_] | None) -> None:
        """Add values that fit the processor's cache; all but the histogram."""
        self._total += part.size
        if gone is not None:
            part = part[~gone]
        if part.size == 0:
            return
        low, high = float(np.fmin.reduce(part)), float(np.fmax.reduce(part))  # these leave NaN out
        total = float(part.sum(dtype=np.float64))
        infinite = 0
        if math.isinf(low) or math.isinf(high):
            infinite = int(np.count_nonzero(np.isinf(part)))
        if not math.isfinite(total):
            part = part[np.isfinite(part)]
            if part.size:
                low, high = float(part.min()), float(part.max())
                total = float(part.sum(dtype=np.float64))
        self._count += part.size + infinite
        if part.size:
            mean = total / part.size
            self._minimum, self._maximum = min(self._minimum, low), max(self._maximum, high)
            self._join(self._finite, part.size, mean, _squares(part, mean, high - low))
            self._finite += part.size

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
