"""Straight lines through many short series, and correlation in one pass."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_VALUES_AT_ONCE = 200_000  # what lies between the steps stays in the processor's cache
_FEWEST_AT_ONCE = 1024  # pixels, however many dates they have
_TINY = 1.0e-20
_UPPER = 0.975  # the upper end of a two-sided interval of 95 %


@dataclass(frozen=True, slots=True)
class LinearTrend:
    """Per pixel, NaN where there are too few observations. ``slope`` is per unit of time, ``p_value`` two-sided,
    ``lower`` to ``upper`` the 95 % interval of the slope, ``error`` its standard error."""

    slope: Array
    intercept: Array
    r: Array
    p_value: Array
    lower: Array
    upper: Array
    error: Array


def linear_trend(
    stack: NDArray[np.floating], times: Array, minimum_count: int = 3, groups: NDArray[np.integer] | None = None
) -> LinearTrend:
    """Ordinary least squares of every pixel of a stack (time, ...) against time; not finite means not observed.

    The closed form with centred sums over the observations each pixel has. The p-value and the interval are those of
    Student's t with n - 2 degrees of freedom, as in ``scipy.stats.linregress``; a constant pixel has slope 0, r 0 and
    p 1. With ``groups`` (one number per time, such as the month) values and times are departures from their mean in
    each group, which takes one degree of freedom per group: the same as regression with a constant for every group
    (Frisch and Waugh 1933, doi:10.2307/1907330).
    """
    minimum_count = max(minimum_count, 3)
    times = np.asarray(times, dtype=np.float64)
    shape = stack.shape[1:]
    flat = stack.reshape(stack.shape[0], -1)
    groups = np.zeros(len(times), dtype=np.int64) if groups is None else np.asarray(groups)
    results = [np.full(flat.shape[1], np.nan) for _ in range(7)]
    step = max(_FEWEST_AT_ONCE, _VALUES_AT_ONCE // max(1, stack.shape[0]))
    for start in range(0, flat.shape[1], step):
        part = slice(start, start + step)
        for result, value in zip(results, _fit(flat[:, part], times, groups, minimum_count), strict=True):
            result[part] = value
    return LinearTrend(*(result.reshape(shape) for result in results))


def _fit(
    stack: NDArray[np.floating], times: Array, groups: NDArray[np.integer], minimum_count: int
) -> tuple[Array, ...]:
    from scipy.special import stdtrit

    pixels = stack.shape[1]
    count, taken = np.zeros(pixels, np.int64), np.zeros(pixels, np.int64)
    sums = [np.zeros(pixels) for _ in range(5)]
    for group in np.unique(groups):
        rows = slice(None) if np.all(groups == group) else groups == group
        observed, moments = _moments(stack[rows], times[rows])
        count += observed
        taken += observed > 0
        for total, part in zip(sums, moments, strict=True):
            total += part
    total_time, total_value, tt, tv, vv = sums
    freedom = count - taken - 1
    with np.errstate(invalid="ignore", divide="ignore"):
        enough = (count >= minimum_count) & (freedom >= 1) & (tt > 0)
        slope = np.where(enough, tv / tt, np.nan)
        r = np.where(enough, np.where(vv > 0, np.clip(tv / np.sqrt(tt * vv), -1.0, 1.0), 0.0), np.nan)
        spread = np.sqrt(np.maximum(vv - tv * slope, 0.0) / np.maximum(freedom, 1) / tt)
        intercept = (total_value - slope * total_time) / count
    half = spread * stdtrit(np.arange(1.0, len(times) + 1), _UPPER)[np.maximum(freedom, 1) - 1]
    return slope, intercept, r, correlation_p_value(r, freedom + 2), slope - half, slope + half, spread


def _moments(stack: NDArray[np.floating], times: Array) -> tuple[NDArray[np.integer], tuple[Array, ...]]:
    """Per pixel the number of observations, and the sums of times and values, of the squares of their departures from
    the mean, and of the products of these."""
    values = stack.astype(np.float64)
    observed = np.isfinite(values)
    count = np.count_nonzero(observed, axis=0)
    n = np.maximum(count, 1)
    sum_time = times @ observed
    sum_value = np.where(observed, values, 0.0).sum(axis=0)
    time = np.where(observed, times[:, np.newaxis] - sum_time / n, 0.0)
    value = np.where(observed, values - sum_value / n, 0.0)
    tt, tv, vv = (np.einsum("ij,ij->j", a, b) for a, b in ((time, time), (time, value), (value, value)))
    return count, (sum_time, sum_value, tt, tv, vv)


def correlation_p_value(r: Array, count: NDArray[np.integer]) -> Array:
    """Two-sided probability of a correlation at least as strong as ``r`` if there were none (Student's t)."""
    from scipy.special import stdtr

    freedom = np.maximum(np.asarray(count, dtype=np.float64) - 2.0, 1.0)
    t = r * np.sqrt(freedom / ((1.0 - r + _TINY) * (1.0 + r + _TINY)))
    return np.asarray(2.0 * stdtr(freedom, -np.abs(t)))


def correlation_of_stacks(a: NDArray[np.floating], b: NDArray[np.floating], minimum_count: int = 3) -> Array:
    """Pearson's r through time of two stacks (time, ...), per pixel, over the times at which both are observed.

    NaN where fewer than ``minimum_count`` times remain or one of the two is constant.
    """
    both = np.isfinite(a) & np.isfinite(b)
    count = np.count_nonzero(both, axis=0)
    n = np.maximum(count, 1)
    x = np.where(both, a, 0.0).astype(np.float64)
    y = np.where(both, b, 0.0).astype(np.float64)
    x = np.where(both, x - x.sum(axis=0) / n, 0.0)
    y = np.where(both, y - y.sum(axis=0) / n, 0.0)
    xy, xx, yy = (np.einsum("i...,i...->...", p, q) for p, q in ((x, y), (x, x), (y, y)))
    with np.errstate(invalid="ignore", divide="ignore"):
        r = np.clip(xy / np.sqrt(xx * yy), -1.0, 1.0)
    return np.where((count >= minimum_count) & (xx > 0) & (yy > 0), r, np.nan)


@dataclass(frozen=True, slots=True)
class Comoments:
    """Centred sums of two variables over the pixels where both are data; blocks are merged pairwise.

    ``mass`` is the sum of the weights; of pixels that weigh alike their number.
    """

    count: int = 0
    mass: float = 0.0
    mean_x: float = 0.0
    mean_y: float = 0.0
    xx: float = 0.0
    yy: float = 0.0
    xy: float = 0.0

    @classmethod
    def of(cls, x: NDArray[np.floating], y: NDArray[np.floating], weights: Array | None = None) -> Comoments:
        both = np.isfinite(x) & np.isfinite(y)
        u, v = x[both].astype(np.float64), y[both].astype(np.float64)
        if u.size == 0:
            return cls()
        heavy = np.ones(u.size) if weights is None else np.broadcast_to(weights, x.shape)[both]
        mass = float(heavy.sum())
        if mass == 0.0:
            return cls()
        mean_x, mean_y = float(u @ heavy) / mass, float(v @ heavy) / mass
        u, v = u - mean_x, v - mean_y
        return cls(int(u.size), mass, mean_x, mean_y, *(float((a * heavy) @ b) for a, b in ((u, u), (v, v), (u, v))))

    def merged(self, other: Comoments) -> Comoments:
        """Both samples together (Chan, Golub and LeVeque 1979, pairwise update)."""
        if self.count == 0 or other.count == 0:
            return other if self.count == 0 else self
        dx, dy = other.mean_x - self.mean_x, other.mean_y - self.mean_y
        mass = self.mass + other.mass
        weight = self.mass * other.mass / mass
        return Comoments(
            self.count + other.count,
            mass,
            self.mean_x + dx * other.mass / mass,
            self.mean_y + dy * other.mass / mass,
            self.xx + other.xx + dx * dx * weight,
            self.yy + other.yy + dy * dy * weight,
            self.xy + other.xy + dx * dy * weight,
        )

    @property
    def r(self) -> float:
        """Pearson's r; NaN where one variable is constant."""
        if self.xx <= 0 or self.yy <= 0:
            return float("nan")
        return float(np.clip(self.xy / np.sqrt(self.xx * self.yy), -1.0, 1.0))


def weighted_ranks(values: Array, heavy: Array) -> Array:
    """The rank of each value (n,): the weight below it and half of its own, values that are equal sharing one rank.

    Of values that weigh alike these are the ranks that ``scipy.stats.rankdata`` gives, times their weight and less a
    constant: Spearman's rho is the correlation of either.
    """
    _, group = np.unique(values, return_inverse=True)
    mass = np.bincount(group, weights=heavy)
    return np.asarray((np.cumsum(mass) - mass / 2)[group])
