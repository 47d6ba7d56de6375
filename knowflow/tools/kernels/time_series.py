"""Many short series at once: gaps filled, noise smoothed, the yearly cycle fitted.

Stacks are (time, ...), not finite where there is no observation; ``days`` are increasing, of any spacing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Ends = Literal["nodata", "nearest"]

_VALUES_AT_ONCE = 250_000  # what lies between the steps stays in the processor's cache
_SINGULAR = 1e-7  # of the largest eigenvalue: dates that cannot tell two terms of a model apart


def fill_gaps(stack: NDArray[np.floating], days: Array, longest: float = np.inf, ends: Ends = "nodata") -> Array:
    """Gaps filled on the straight line between the observations before and after, in time.

    Gaps between observations more than ``longest`` days apart stay. Before the first and after the last observation
    there is nothing, or with ``ends="nearest"`` the nearest observation that is not more than ``longest`` days away.
    """

    def work(values: Array) -> Array:
        before, after = _neighbours(np.isfinite(values))
        has_before, has_after = before >= 0, after < len(values)
        first, last = np.maximum(before, 0), np.minimum(after, len(values) - 1)
        left, right = (np.take_along_axis(values, index, axis=0) for index in (first, last))
        start, end, now = days[first], days[last], days[:, np.newaxis]
        span = np.where(end > start, end - start, 1.0)
        found = left + (right - left) * (now - start) / span
        found[~(has_before & has_after) | (end - start > longest)] = np.nan
        if ends == "nearest":
            only_left, only_right = has_before & ~has_after, has_after & ~has_before
            np.copyto(found, left, where=only_left & (now - start <= longest))
            np.copyto(found, right, where=only_right & (end - now <= longest))
        return found

    return _by_pixels(stack, work)


def whittaker(stack: NDArray[np.floating], days: Array, smoothness: float, minimum_count: int = 3) -> Array:
    """Whittaker's smoother: ``z`` that minimises ``sum w (y - z)^2 + smoothness * sum (D z)^2``.

    ``w`` is 0 in gaps, which are filled; ``D`` is the second divided difference, with time in units of the median
    spacing: for equally spaced dates ``z0 - 2 z1 + z2``. NaN outside the first and last observation, and where there
    are fewer than ``minimum_count``. Source: Eilers 2003 (doi:10.1021/ac034173t), eq. 4-7 and its note on spacing.
    """
    diagonal, first, second = (smoothness * band for band in _roughness(days))

    def work(values: Array) -> Array:
        present = np.isfinite(values)
        weighted = np.where(present, values, 0.0)
        found = _solve_banded(diagonal[:, np.newaxis] + present, first, second, weighted)
        return _within(found, present, minimum_count)

    return _by_pixels(stack, work)


def savitzky_golay(
    stack: NDArray[np.floating], days: Array, window: int, degree: int = 2, minimum_count: int = 3
) -> Array:
    """Savitzky-Golay's smoother: in a sliding ``window`` (odd number of dates) a polynomial of ``degree`` is fitted.

    The method needs equal spacing: gaps are filled, and the series brought to its median spacing, on straight lines,
    smoothed there, and read off at its dates. NaN as in :func:`whittaker`. Sources: Savitzky and Golay 1964
    (doi:10.1021/ac60214a047); Chen et al. 2004 (doi:10.1016/j.rse.2004.03.014) for filling first.
    """
    from scipy.signal import savgol_filter

    step = float(np.median(np.diff(days)))
    even = days[0] + step * np.arange(max(round((days[-1] - days[0]) / step) + 1, window))
    to_even, back = _interpolation(days, even), _interpolation(even, days)

    def work(values: Array) -> Array:
        filled = fill_gaps(values, days, ends="nearest")
        smooth = savgol_filter(to_even @ np.nan_to_num(filled), window, degree, axis=0)
        return _within(back @ smooth, np.isfinite(values), minimum_count)

    return _by_pixels(stack, work)


@dataclass(frozen=True, slots=True)
class Harmonics:
    """The yearly cycle of each pixel; NaN where there are too few observations.

    ``mean``: the constant term; ``trend``: change per year; ``amplitude`` of the cycle of one year, half its height;
    ``peak``: the part of the year (0..1) at which that cycle is highest; ``residual``: standard deviation of what the
    fit leaves; ``count``: observations.
    """

    mean: Array
    trend: Array
    amplitude: Array
    peak: Array
    residual: Array
    count: Array


def harmonics(
    stack: NDArray[np.floating], years: Array, order: int = 1, trend: bool = True, minimum_count: int = 6
) -> Harmonics:
    """Least-squares fit of ``mean + trend t + sum_k a_k cos(2 pi k t) + b_k sin(2 pi k t)``, k up to ``order``.

    ``years`` are decimal years, of any spacing; ``mean`` is that in the middle of them. The residual has the degrees of
    freedom of the fit. NaN where there are fewer observations than ``minimum_count`` or terms + 1, or where their dates
    cannot tell the terms apart (all of one season). Source: Zhu and Woodcock 2014 (doi:10.1016/j.rse.2014.01.011).
    """
    model = _design(years, order, trend)
    terms = model.shape[1]
    squares = np.einsum("tp,tq->tpq", model, model).reshape(len(years), -1)

    def work(values: Array) -> Array:
        present = np.isfinite(values)
        weighted = np.where(present, values, 0.0)
        count = present.sum(axis=0)
        normal = (present.T.astype(np.float64) @ squares).reshape(-1, terms, terms)
        enough = count >= max(minimum_count, terms + 1)
        spectrum = np.linalg.eigvalsh(normal)
        enough &= spectrum[:, 0] > _SINGULAR * spectrum[:, -1]
        normal[~enough] = np.eye(terms)
        fitted = np.linalg.solve(normal, (weighted.T @ model)[..., np.newaxis])[..., 0]
        left = np.where(present, weighted - model @ fitted.T, 0.0)
        spread = np.sqrt(np.square(left).sum(axis=0) / np.maximum(count - terms, 1))
        cosine, sine = fitted[:, -2 * order], fitted[:, -2 * order + 1]
        slope = fitted[:, 1] if trend else np.zeros(len(fitted))
        peak = np.mod(np.arctan2(sine, cosine) / (2 * np.pi), 1.0)
        found = np.stack([fitted[:, 0], slope, np.hypot(cosine, sine), peak, spread])
        return np.concatenate([np.where(enough, found, np.nan), count[np.newaxis]])

    return Harmonics(*_by_pixels(stack, work, rows=6))


def _design(years: Array, order: int, trend: bool) -> Array:
    """One row per date, one column per term: constant, slope, then cosine and sine of each harmonic."""
    middle = (years[0] + years[-1]) / 2
    columns = [np.ones_like(years), *([years - middle] if trend else [])]
    for k in range(1, order + 1):
        columns += [np.cos(2 * np.pi * k * years), np.sin(2 * np.pi * k * years)]
    return np.stack(columns, axis=1)


def _by_pixels(stack: NDArray[np.floating], work: Callable[[Array], Array], rows: int | None = None) -> Array:
    """``work`` on (time, pixels) in parts that bound the memory; it gives ``rows`` per pixel (default: as many).

    It computes in float64, and its results are kept as the stack is, float32 or float64.
    """
    count = len(stack)
    flat = stack.reshape(count, -1)
    result = np.empty((rows or count, flat.shape[1]), dtype=np.result_type(stack.dtype, np.float32))
    step = max(1, _VALUES_AT_ONCE // max(count, 1))
    for start in range(0, flat.shape[1], step):
        part = slice(start, start + step)
        result[:, part] = work(flat[:, part].astype(np.float64))
    return result.reshape(-1, *stack.shape[1:])


def _neighbours(present: NDArray[np.bool_]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The number of the observation at or before each date, -1 for none; and at or after it, ``len`` for none."""
    count = len(present)
    number = np.arange(count, dtype=np.int32)[:, np.newaxis]
    before = np.maximum.accumulate(np.where(present, number, np.int32(-1)), axis=0)
    after = np.minimum.accumulate(np.where(present, number, np.int32(count))[::-1], axis=0)[::-1]
    return before, after


def _within(found: Array, present: NDArray[np.bool_], minimum_count: int) -> Array:
    """What lies between the first and the last of enough observations."""
    before, after = _neighbours(present)
    between = (before >= 0) & (after < len(present)) & (present.sum(axis=0) >= minimum_count)
    return np.where(between, found, np.nan)


def _roughness(days: Array) -> tuple[Array, Array, Array]:
    """Diagonal, first and second off-diagonal of ``D' D``, for second divided differences."""
    spacing = np.diff(days) / np.median(np.diff(days))
    early, late = spacing[:-1], spacing[1:]
    weights = 2 * np.stack([1 / (early * (early + late)), -1 / (early * late), 1 / (late * (early + late))])
    count = len(days)
    bands = np.zeros((3, count))
    for apart in range(3):
        for place in range(3 - apart):
            bands[apart, place : place + count - 2] += weights[place] * weights[place + apart]
    return bands[0], bands[1], bands[2]


def _solve_banded(diagonal: Array, first: Array, second: Array, right: Array) -> Array:
    """Solve symmetric systems with two off-diagonals that they share: ``diagonal`` and ``right`` are (time, pixels).

    By L D L' of every system at once. Where a system has no solution (no observations) the numbers mean nothing.
    """
    count = len(diagonal)
    pivot, lower1, lower2 = np.empty_like(diagonal), np.zeros_like(diagonal), np.zeros_like(diagonal)
    solved = np.empty_like(right)
    for i in range(count):
        pivot[i], solved[i], beside = diagonal[i], right[i], np.full(diagonal.shape[1], first[i])
        if i > 1:
            pivot[i] -= lower2[i - 2] ** 2 * pivot[i - 2]
            solved[i] -= lower2[i - 2] * solved[i - 2]
        if i > 0:
            pivot[i] -= lower1[i - 1] ** 2 * pivot[i - 1]
            solved[i] -= lower1[i - 1] * solved[i - 1]
            beside -= lower1[i - 1] * lower2[i - 1] * pivot[i - 1]
        safe = np.where(pivot[i] > 0, pivot[i], 1.0)
        pivot[i] = safe
        lower1[i], lower2[i] = beside / safe, second[i] / safe
    solved /= pivot
    for i in range(count - 2, -1, -1):
        solved[i] -= lower1[i] * solved[i + 1]
        if i < count - 2:
            solved[i] -= lower2[i] * solved[i + 2]
    return solved


def _interpolation(known: Array, wanted: Array) -> Array:
    """The matrix that interpolates values at ``known`` times to ``wanted`` ones, on straight lines."""
    return np.stack([np.interp(wanted, known, unit) for unit in np.eye(len(known))], axis=1)
