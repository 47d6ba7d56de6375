"""The distribution of values that arrive block by block: moments and quantiles in one pass, in bounded memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

EXACT_VALUES = 8_000_000
"""So many values are kept, and quantiles are exact; beyond, they are those of a histogram."""
_BITS = 22


@dataclass(frozen=True, slots=True)
class Moments:
    """Count, mean, sum of squared deviations and extremes of a sample."""

    count: int = 0
    mean: float = float("nan")
    squares: float = 0.0
    minimum: float = float("nan")
    maximum: float = float("nan")

    @classmethod
    def of(cls, values: NDArray[np.floating]) -> Moments:
        """The moments of the finite values of an array."""
        sample = values[np.isfinite(values)].astype(np.float64)
        if sample.size == 0:
            return cls()
        mean = float(sample.mean())
        squares = float(np.square(sample - mean).sum())
        return cls(int(sample.size), mean, squares, float(sample.min()), float(sample.max()))

    def merged(self, other: Moments) -> Moments:
        """Both samples together (Chan, Golub and LeVeque 1979, pairwise update)."""
        if self.count == 0 or other.count == 0:
            return other if self.count == 0 else self
        count = self.count + other.count
        shift = other.mean - self.mean
        return Moments(
            count,
            self.mean + shift * other.count / count,
            self.squares + other.squares + shift * shift * self.count * other.count / count,
            min(self.minimum, other.minimum),
            max(self.maximum, other.maximum),
        )

    @property
    def std(self) -> float:
        """Standard deviation of the values themselves (divided by n, as numpy does)."""
        return float(np.sqrt(self.squares / self.count)) if self.count else float("nan")

    @property
    def total(self) -> float:
        return self.mean * self.count if self.count else float("nan")


class Distribution:
    """Collects blocks; answers with moments and quantiles.

    Up to ``exact`` values are kept and quantiles are exact (linear between ranks, as ``numpy.quantile``). Beyond,
    values are counted in bins of equal relative width: the leading 22 bits of the single precision number, in order.
    A bin is at most 1.3e-4 of the value wide (0.03 K at 300 K) and ranks are interpolated inside it. Memory never
    exceeds 64 MB (of float32 values).
    """

    def __init__(self, exact: int = EXACT_VALUES) -> None:
        self.moments = Moments()
        self._exact = exact
        self._kept: list[NDArray[np.floating]] = []
        self._counts: NDArray[np.int64] | None = None

    def add(self, block: NDArray[np.floating]) -> None:
        """Take in the finite values of a block."""
        values = block[np.isfinite(block)]
        if values.size == 0:
            return
        self.moments = self.moments.merged(Moments.of(values))
        if self._counts is None:
            self._kept.append(values)
            if self.moments.count > self._exact:
                self._counts = np.zeros(1 << _BITS, dtype=np.int64)
                for kept in self._kept:
                    self._tally(kept)
                self._kept = []
        else:
            self._tally(values)

    def quantiles(self, shares: Sequence[float]) -> Array:
        """The values below which the given shares (0..1) of the sample lie; NaN for an empty sample."""
        if self.moments.count == 0:
            return np.full(len(shares), np.nan)
        if self._counts is None:
            self._kept = [np.concatenate(self._kept)]
            return np.quantile(self._kept[0].astype(np.float64), shares)
        occupied = np.flatnonzero(self._counts)
        above = np.cumsum(self._counts[occupied])
        ranks = np.asarray(shares, dtype=np.float64) * (self.moments.count - 1)
        place = np.searchsorted(above, ranks, side="right").clip(max=occupied.size - 1)
        inside = (ranks - (above[place] - self._counts[occupied[place]]) + 0.5) / self._counts[occupied[place]]
        low, high = _bin_edges(occupied[place])
        found = low + np.clip(inside, 0.0, 1.0) * (high - low)
        found = np.where(ranks <= 0, self.moments.minimum, found)
        return np.clip(
            np.where(ranks >= self.moments.count - 1, self.moments.maximum, found),
            self.moments.minimum,
            self.moments.maximum,
        )

    def _tally(self, values: NDArray[np.floating]) -> None:
        assert self._counts is not None
        bins, counts = np.unique(_bin_of(values), return_counts=True)
        self._counts[bins] += counts


class Tally:
    """The exact distribution of numbers of which there are few kinds: how often each of ``values`` occurs.

    Answers as :class:`Distribution` does, with moments and quantiles (linear between ranks, as ``numpy.quantile``).
    """

    def __init__(self, values: NDArray[np.floating], counts: NDArray[np.integer]) -> None:
        there = (counts > 0) & np.isfinite(values)
        order = np.argsort(values[there], kind="stable")
        self._values = values[there].astype(np.float64)[order]
        self._upto = np.cumsum(counts[there][order])
        self.moments = self._moments(counts[there][order])

    def _moments(self, counts: NDArray[np.integer]) -> Moments:
        if counts.size == 0:
            return Moments()
        number = int(self._upto[-1])
        mean = float((self._values * counts).sum() / number)
        squares = float((np.square(self._values - mean) * counts).sum())
        return Moments(number, mean, squares, float(self._values[0]), float(self._values[-1]))

    def quantiles(self, shares: Sequence[float]) -> Array:
        """The values below which the given shares (0..1) of the sample lie; NaN for an empty sample."""
        if self.moments.count == 0:
            return np.full(len(shares), np.nan)
        ranks = np.asarray(shares, dtype=np.float64) * (self.moments.count - 1)
        low, high = (
            self._values[np.searchsorted(self._upto, edge(ranks), side="right")] for edge in (np.floor, np.ceil)
        )
        found: Array = low + (high - low) * (ranks - np.floor(ranks))
        return found


def _bin_of(values: NDArray[np.floating]) -> NDArray[np.uint32]:
    """The bin of each value: IEEE 754 single precision, with the bits turned so that they sort like the numbers."""
    bits = values.astype(np.float32).view(np.uint32)
    ordered = np.where(bits >> 31, ~bits, bits | np.uint32(0x80000000))
    return ordered >> np.uint32(32 - _BITS)


def _bin_edges(bins: NDArray[np.integer]) -> tuple[Array, Array]:
    first = bins.astype(np.uint32) << np.uint32(32 - _BITS)
    last = first | np.uint32((1 << (32 - _BITS)) - 1)
    edges = []
    for ordered in (first, last):
        bits = np.where(ordered >> 31, ordered & np.uint32(0x7FFFFFFF), ~ordered)
        edges.append(bits.astype(np.uint32).view(np.float32).astype(np.float64))
    return edges[0], edges[1]
