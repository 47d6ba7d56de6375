"""Mann-Kendall test and Sen slope of many short series at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_PAIRS_AT_ONCE = 2_000_000


@dataclass(frozen=True, slots=True)
class MannKendall:
    """Per pixel, NaN where there are too few observations.

    ``slope``: Sen's slope, in units of the values per unit of time; ``tau``: S over the number of pairs;
    ``p_value``: two-sided, normal approximation with the correction for ties.
    """

    slope: Array
    tau: Array
    p_value: Array


def mann_kendall(stack: NDArray[np.floating], times: Array, minimum_count: int = 4) -> MannKendall:
    """Test every pixel of a stack (time, ...) for a monotonic trend; observations that are not finite are gaps.

    ``times`` are strictly increasing, of any spacing: a slope is the change over the actual time between two dates.
    Equals ``pymannkendall.original_test`` of each pixel without its gaps (times 0, 1, 2...), to rounding.

    Sources: Mann 1945 (doi:10.2307/1907187), Kendall 1975, Sen 1968 (doi:10.1080/01621459.1968.10480934); the
    variance with ties is Kendall's.

    Raises:
        ValueError: times do not increase, or do not match the stack.
    """
    times = np.asarray(times, dtype=np.float64)
    if times.shape != stack.shape[:1] or np.any(np.diff(times) <= 0):
        raise ValueError("times must be strictly increasing, one for each layer of the stack")
    shape = stack.shape[1:]
    series = np.ascontiguousarray(stack.reshape(stack.shape[0], -1).T)
    valid = np.isfinite(series)
    counts = np.count_nonzero(valid, axis=1)
    slope, tau, p_value = (np.full(series.shape[0], np.nan) for _ in range(3))
    # pixels with equally many observations form dense arrays, which need no masked medians
    for count in np.unique(counts):
        if count < max(minimum_count, 2):
            continue
        pixels = np.flatnonzero(counts == count)
        step = max(1, _PAIRS_AT_ONCE // (count * (count - 1) // 2))
        for start in range(0, pixels.size, step):
            chosen = pixels[start : start + step]
            values, dates = _observed(series[chosen], valid[chosen], times, int(count))
            slope[chosen], tau[chosen], p_value[chosen] = _test(values, dates)
    return MannKendall(slope.reshape(shape), tau.reshape(shape), p_value.reshape(shape))


def _observed(series: NDArray[np.floating], valid: NDArray[np.bool_], times: Array, count: int) -> tuple[Array, Array]:
    """The ``count`` observations of each row with their times, gaps closed up."""
    if count == times.size:
        return series.astype(np.float64), times[np.newaxis, :]
    order = np.argsort(~valid, axis=1, kind="stable")[:, :count]
    return np.take_along_axis(series, order, axis=1).astype(np.float64), times[order]


def _test(values: Array, times: Array) -> tuple[Array, Array, Array]:
    """Sen slope, tau and p-value of rows of complete series."""
    from scipy.special import ndtr

    count = values.shape[1]
    earlier, later = np.triu_indices(count, 1)
    change = values[:, later] - values[:, earlier]
    rises = np.count_nonzero(change > 0, axis=1)
    falls = np.count_nonzero(change < 0, axis=1)
    score = (rises - falls).astype(np.float64)
    variance = np.full(score.shape, count * (count - 1) * (2 * count + 5) / 18.0)
    tied = rises + falls < earlier.size
    if np.any(tied):
        variance[tied] -= _tie_correction(values[tied]) / 18.0
    slopes = np.divide(change, times[:, later] - times[:, earlier], out=change)
    with np.errstate(invalid="ignore", divide="ignore"):
        z = np.where(score == 0, 0.0, (score - np.sign(score)) / np.sqrt(variance))
    return _median(slopes), score / earlier.size, 2.0 * ndtr(-np.abs(z))


def _tie_correction(values: Array) -> Array:
    """Sum over groups of t equal values of t (t - 1) (2 t + 5), per row."""
    ordered = np.sort(values, axis=1)
    rows, count = ordered.shape
    starts = np.ones((rows, count), dtype=bool)
    starts[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    group = np.cumsum(starts.ravel()) - 1
    sizes = np.bincount(group).astype(np.float64)
    terms = sizes * (sizes - 1.0) * (2.0 * sizes + 5.0)
    row_of_group = np.repeat(np.arange(rows), np.count_nonzero(starts, axis=1))
    return np.asarray(np.bincount(row_of_group, weights=terms, minlength=rows), dtype=np.float64)


def _median(rows: Array) -> Array:
    """Median of each row; the rows are reordered in place."""
    middle = rows.shape[1] // 2
    rows.partition(middle, axis=1)
    upper = rows[:, middle]
    if rows.shape[1] % 2:
        return upper.copy()
    return np.asarray(0.5 * (rows[:, :middle].max(axis=1) + upper))
