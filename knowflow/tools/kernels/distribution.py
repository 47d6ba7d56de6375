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
    """Count, mean, sum of squared deviations and extremes of a sample.

    Where values weigh differently (by the area of their pixels), mean and squares are weighted by ``weight``, of which
    there is the sum, and ``summed`` is the plain sum of the values; else both are None.
    """

    count: int = 0
    mean: float = float("nan")
    squares: float = 0.0
    minimum: float = float("nan")
    maximum: float = float("nan")
    weight: float | None = None
    summed: float | None = None

    @classmethod
    def of(cls, values: NDArray[np.floating], weights: Array | None = None) -> Moments:
        """The moments of the finite values of an array; ``weights`` fit its shape."""
        finite = np.isfinite(values)
        sample = values[finite].astype(np.float64)
        if sample.size == 0:
            return cls()
        low, high = float(sample.min()), float(sample.max())
        if weights is None:
            mean = float(sample.mean())
            return cls(int(sample.size), mean, float(np.square(sample - mean).sum()), low, high)
        heavy = np.broadcast_to(weights, values.shape)[finite]
        weight = float(heavy.sum())
        mean = float(sample @ heavy) / weight if weight else float("nan")
        squares = float(np.square(sample - mean) @ heavy)
        return cls(int(sample.size), mean, squares, low, high, weight, float(sample.sum()))

    @property
    def mass(self) -> float:
        """The sum of the weights; of values that weigh alike their number."""
        return self.count if self.weight is None else self.weight

    def merged(self, other: Moments) -> Moments:
        """Both samples together (Chan, Golub and LeVeque 1979, pairwise update); both weighted, or neither."""
        if self.count == 0 or other.count == 0:
            return other if self.count == 0 else self
        mass = self.mass + other.mass
        shift = other.mean - self.mean
        part = other.mass / mass if mass else 0.0
        return Moments(
            self.count + other.count,
            self.mean + shift * part,
            self.squares + other.squares + shift * shift * self.mass * part,
            min(self.minimum, other.minimum),
            max(self.maximum, other.maximum),
            None if self.weight is None else mass,
            None if self.summed is None else self.summed + other.total,
        )

    @property
    def std(self) -> float:
        """Standard deviation of the values themselves (divided by n, as numpy does)."""
        return float(np.sqrt(self.squares / self.mass)) if self.mass else float("nan")

    @property
    def total(self) -> float:
        """The sum of the values, each once."""
        if self.summed is not None:
            return self.summed
        return self.mean * self.count if self.count else float("nan")


class Distribution:
    """Collects blocks; answers with moments and quantiles.

    Up to ``exact`` values are kept and quantiles are exact (linear between ranks, as ``numpy.quantile``; weighted:
    :func:`weighted_quantiles`). Beyond, values are counted in bins of equal relative width: the leading 22 bits of the
    single precision number, in order. A bin is at most 1.3e-4 of the value wide (0.03 K at 300 K) and ranks are
    interpolated inside it; values that are far from zero and near to each other are counted as their distances from
    the median of the first, so that 22 bits of those are told apart. Memory never exceeds 64 MB for float32 values,
    twice as much for float64, and twice that where they are weighted.
    """

    def __init__(self, exact: int = EXACT_VALUES) -> None:
        self.moments = Moments()
        self._exact = exact
        self._kept: list[NDArray[np.floating]] = []
        self._heavy: list[Array] = []
        self._counts: Array | None = None
        self._origin = 0.0

    def add(self, block: NDArray[np.floating], weights: Array | None = None) -> None:
        """Take in the finite values of a block; ``weights`` fit its shape, and all blocks have some, or none."""
        finite = np.isfinite(block)
        values = block[finite]
        if values.size == 0:
            return
        heavy = None if weights is None else np.broadcast_to(weights, block.shape)[finite]
        self.moments = self.moments.merged(Moments.of(values, heavy))
        if self._counts is not None:
            self._tally(values, heavy)
            return
        self._kept.append(values)
        if heavy is not None:
            self._heavy.append(heavy)
        if self.moments.count > self._exact:
            self._begin_to_tally()

    def quantiles(self, shares: Sequence[float]) -> Array:
        """The values below which the given shares (0..1) of the sample lie; NaN for an empty sample."""
        if self.moments.count == 0:
            return np.full(len(shares), np.nan)
        if self._counts is not None:
            return self._of_bins(np.asarray(shares, dtype=np.float64))
        self._kept = [np.concatenate(self._kept)]
        values = self._kept[0].astype(np.float64)
        if not self._heavy:
            return np.quantile(values, shares)
        self._heavy = [np.concatenate(self._heavy)]
        order = np.argsort(values, kind="stable")
        heavy = self._heavy[0][order]
        return weighted_quantiles(values[order], heavy, heavy, shares)

    def _of_bins(self, shares: Array) -> Array:
        assert self._counts is not None
        occupied = np.flatnonzero(self._counts)
        above = np.cumsum(self._counts[occupied])
        each = self.moments.mass / self.moments.count
        ranks = shares * (above[-1] - each) + each / 2
        place = np.searchsorted(above, ranks, side="right").clip(max=occupied.size - 1)
        inside = (ranks - (above[place] - self._counts[occupied[place]])) / self._counts[occupied[place]]
        low, high = _bin_edges(occupied[place])
        found = self._origin + low + np.clip(inside, 0.0, 1.0) * (high - low)
        found = np.where(shares <= 0, self.moments.minimum, np.where(shares >= 1, self.moments.maximum, found))
        return np.clip(found, self.moments.minimum, self.moments.maximum)

    def _begin_to_tally(self) -> None:
        spread = self.moments.maximum - self.moments.minimum
        if spread < min(abs(self.moments.minimum), abs(self.moments.maximum)):
            self._origin = float(np.median(np.concatenate(self._kept)))
        self._counts = np.zeros(1 << _BITS)
        for number, kept in enumerate(self._kept):
            self._tally(kept, self._heavy[number] if self._heavy else None)
        self._kept, self._heavy = [], []

    def _tally(self, values: NDArray[np.floating], heavy: Array | None) -> None:
        assert self._counts is not None
        near = values - np.float64(self._origin) if self._origin else values
        bins, group, counts = np.unique(_bin_of(near), return_inverse=True, return_counts=True)
        self._counts[bins] += counts if heavy is None else np.bincount(group, weights=heavy)


class Tally:
    """The exact distribution of numbers of which there are few kinds: how often each of ``values`` occurs.

    ``weights`` are the sums of the weights of each, where they weigh differently. Answers as :class:`Distribution`
    does, with moments and quantiles.
    """

    def __init__(self, values: NDArray[np.floating], counts: NDArray[np.integer], weights: Array | None = None) -> None:
        there = (counts > 0) & np.isfinite(values)
        order = np.argsort(values[there], kind="stable")
        self._values = values[there].astype(np.float64)[order]
        self._counts = counts[there][order]
        self._weights = None if weights is None else weights[there][order]
        self.moments = self._moments()

    def _moments(self) -> Moments:
        if self._counts.size == 0:
            return Moments()
        heavy = self._counts if self._weights is None else self._weights
        weight = float(heavy.sum())
        mean = float((self._values * heavy).sum() / weight) if weight else float("nan")
        squares = float((np.square(self._values - mean) * heavy).sum())
        ends = float(self._values[0]), float(self._values[-1])
        number = int(self._counts.sum())
        if self._weights is None:
            return Moments(number, mean, squares, *ends)
        return Moments(number, mean, squares, *ends, weight, float((self._values * self._counts).sum()))

    def quantiles(self, shares: Sequence[float]) -> Array:
        """The values below which the given shares (0..1) of the sample lie; NaN for an empty sample."""
        if self.moments.count == 0:
            return np.full(len(shares), np.nan)
        heavy = self._counts.astype(np.float64) if self._weights is None else self._weights
        return weighted_quantiles(self._values, heavy, heavy / self._counts, shares)


def weighted_quantiles(values: Array, heavy: Array, each: Array, shares: Sequence[float]) -> Array:
    """The values below which the given shares (0..1) of the weight lie, linear between the middles of two values.

    ``values`` ascend; ``heavy`` is the weight of all that have a value, ``each`` that of one of them. A value lies
    where the middle of its own weight does, several of one value from the middle of the first to that of the last; the
    first and the last of all are the shares 0 and 1. With equal weights that is ``numpy.quantile`` (type 7 of Hyndman
    and Fan, 1996).
    """
    above = np.cumsum(heavy)
    ends = np.stack([above - heavy + each / 2, above - each / 2], axis=1).ravel()
    places = ends[0] + np.asarray(shares, dtype=np.float64) * (ends[-1] - ends[0])
    return np.asarray(np.interp(places, ends, np.repeat(values, 2)), dtype=np.float64)


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
