"""Counts of values in bins that nest: how a raster was cut, and in which order, does not change them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

BINS = 256
_ZERO = -149  # the exponent of the smallest float32: zero alone asks for no width
_EXACT = 64  # of powers of two that float32 holds
_DIGITS = {"f": 24, "d": 53}  # binary ones that a type tells apart


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
            exponent = _bin_exponent(low, high, _DIGITS[values.dtype.char])
            if self._exponent is not None:
                exponent = max(exponent, self._exponent)
            while True:
                first = math.floor(math.ldexp(low, -exponent))
                if math.floor(math.ldexp(high, -exponent)) - first < BINS:
                    break
                exponent += 1
            exact = values.dtype if -_EXACT < exponent <= 0 else np.float64  # they grow, and lose no digit
            places = np.multiply(values.ravel(), math.ldexp(1.0, -exponent), dtype=exact)
            np.floor(places, out=places)
            places -= places.dtype.type(first)
            self._merge(exponent, first, np.bincount(places.astype(np.int64)))

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


def _bin_exponent(low: float, high: float, digits: int) -> int:
    """The exponent of a bin width of which about ``BINS`` span the range."""
    spread = high - low
    if spread > 0:
        return max(math.frexp(spread / (BINS - 1))[1] - 1, _finest(max(abs(low), abs(high)), digits))
    return _finest(max(abs(low), abs(high)), digits)


def _finest(magnitude: float, digits: int) -> int:
    """Bins no finer than numbers of so many binary digits can be told apart, nor than zero alone asks for."""
    return max(math.frexp(magnitude)[1] - digits, _ZERO) if magnitude > 0 else _ZERO


def _coarser(first: int, counts: NDArray[np.int64], steps: int) -> tuple[int, NDArray[np.int64]]:
    """The same counts in bins ``2**steps`` times as wide."""
    if steps == 0 or counts.size == 0:
        return first, counts
    indices = (np.arange(counts.size, dtype=np.int64) + first) >> min(steps, 62)
    start = int(indices[0])
    return start, np.bincount(indices - start, weights=counts).astype(np.int64)
