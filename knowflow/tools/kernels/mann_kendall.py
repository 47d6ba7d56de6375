"""Mann-Kendall test and Sen slope of many short series at once, of all dates or of the same season of the years."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_PAIRS_AT_ONCE = 100_000  # what lies between the steps stays in the processor's cache
_FEWEST_AT_ONCE = 256  # pixels, whatever the number of their pairs
_Z = 1.959963984540054  # of the normal distribution, for a two-sided interval of 95 %


@dataclass(frozen=True, slots=True)
class MannKendall:
    """Per pixel, NaN where there are too few observations.

    ``slope``: Sen's slope, in units of the values per unit of time; ``tau``: S over the number of pairs;
    ``p_value``: two-sided, normal approximation with the correction for ties; ``lower`` to ``upper``: the 95 % interval
    of the slope by the same approximation (Sen 1968, Gilbert 1987 section 16.4.2), as in ``scipy.stats.theilslopes``.
    """

    slope: Array
    tau: Array
    p_value: Array
    lower: Array
    upper: Array


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
    results = [np.full(series.shape[0], np.nan) for _ in range(5)]
    # pixels with equally many observations form dense arrays, which need no masked medians
    for count in np.unique(counts):
        if count < max(minimum_count, 2):
            continue
        pixels = np.flatnonzero(counts == count)
        step = max(_FEWEST_AT_ONCE, _PAIRS_AT_ONCE // (count * (count - 1) // 2))
        for start in range(0, pixels.size, step):
            chosen = pixels[start : start + step]
            values, dates = _observed(series[chosen], valid[chosen], times, int(count))
            for result, found in zip(results, _test(values, dates), strict=True):
                result[chosen] = found
    return MannKendall(*(result.reshape(shape) for result in results))


def seasonal_kendall(
    stack: NDArray[np.floating],
    times: Array,
    years: NDArray[np.integer],
    seasons: NDArray[np.integer],
    minimum_count: int = 4,
) -> MannKendall:
    """The same test of dates that are compared with those of the same season of other years only.

    ``years`` and ``seasons`` number the year and the season (such as the month) of each date; the dates of one season
    of one year are averaged first, values and times. Equals ``pymannkendall.seasonal_test`` where every season of every
    year has one date. ``minimum_count`` is of the averages that have one to be compared with.

    Source: Hirsch, Slack and Smith 1982 (doi:10.1029/WR018i001p00107), eq. 5 to 10 and the seasonal slope estimator.
    """
    shape = stack.shape[1:]
    values = stack.reshape(stack.shape[0], -1)
    results = [np.full(values.shape[1], np.nan) for _ in range(5)]
    apart = sum(len(np.unique(years[seasons == season])) ** 2 for season in np.unique(seasons))
    step = max(_FEWEST_AT_ONCE, _PAIRS_AT_ONCE // max(apart, len(times)))
    for start in range(0, values.shape[1], step):
        part = slice(start, start + step)
        found = _seasonal_test(values[:, part].astype(np.float64), times, years, seasons, minimum_count)
        for result, of_part in zip(results, found, strict=True):
            result[part] = of_part
    return MannKendall(*(result.reshape(shape) for result in results))


def _seasonal_test(
    values: Array, times: Array, years: NDArray[np.integer], seasons: NDArray[np.integer], minimum_count: int
) -> tuple[Array, ...]:
    from scipy.special import ndtr

    pixels = values.shape[1]
    score, variance, pairs, compared = (np.zeros(pixels) for _ in range(4))
    slopes = []
    for season in np.unique(seasons):
        means, moments = _averages(values, times, years, seasons == season)
        earlier, later = np.triu_indices(len(means), 1)
        change = (means[later] - means[earlier]).T
        score += np.sum(np.sign(np.nan_to_num(change)), axis=1)
        count = np.count_nonzero(np.isfinite(means), axis=0)
        pairs += count * (count - 1) / 2
        compared += np.where(count > 1, count, 0)
        ties = _tie_correction(means.T)  # what is missing is equal to nothing, not even itself
        variance += (count * (count - 1) * (2 * count + 5) - ties) / 18.0
        with np.errstate(invalid="ignore"):
            slopes.append(change / (moments[later] - moments[earlier]).T)
    ordered = np.sort(np.concatenate(slopes, axis=1), axis=1)
    enough = (compared >= minimum_count) & (pairs > 0)
    number = np.maximum(pairs, 1).astype(np.int64)
    with np.errstate(invalid="ignore", divide="ignore"):
        z = np.where(score == 0, 0.0, (score - np.sign(score)) / np.sqrt(variance))
    middle = 0.5 * (_at(ordered, (number - 1) // 2) + _at(ordered, number // 2))
    low, high = _ranks(number, variance)
    found = (middle, score / number, 2.0 * ndtr(-np.abs(z)), _at(ordered, low), _at(ordered, high))
    return tuple(np.where(enough, one, np.nan) for one in found)


def _averages(
    values: Array, times: Array, years: NDArray[np.integer], chosen: NDArray[np.bool_]
) -> tuple[Array, Array]:
    """Per year and pixel the mean of the chosen dates that are observed, and the mean of their times."""
    observed = np.isfinite(values)
    means, moments = [], []
    for year in np.unique(years[chosen]):
        rows = chosen & (years == year)
        count = np.count_nonzero(observed[rows], axis=0)
        with np.errstate(invalid="ignore"):
            means.append(np.where(observed[rows], values[rows], 0.0).sum(axis=0) / count)
            moments.append(times[rows] @ observed[rows] / count)
    return np.array(means), np.array(moments)


def _ranks(count: NDArray[np.integer], variance: Array) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
    """Places, from 0, of the ends of the 95 % interval among so many slopes in order."""
    apart = _Z * np.sqrt(variance)
    low = np.maximum(np.round((count - apart) / 2.0) - 1, 0)
    high = np.minimum(np.round((count + apart) / 2.0), count - 1)
    return low.astype(np.int64), high.astype(np.int64)


def _at(rows: Array, places: NDArray[np.integer]) -> Array:
    return np.asarray(np.take_along_axis(rows, places[:, np.newaxis], axis=1)[:, 0])


def _observed(series: NDArray[np.floating], valid: NDArray[np.bool_], times: Array, count: int) -> tuple[Array, Array]:
    """The ``count`` observations of each row with their times, gaps closed up."""
    if count == times.size:
        return series.astype(np.float64), times[np.newaxis, :]
    order = np.argsort(~valid, axis=1, kind="stable")[:, :count]
    return np.take_along_axis(series, order, axis=1).astype(np.float64), times[order]


def _test(values: Array, times: Array) -> tuple[Array, ...]:
    """Sen slope, tau, p-value and interval of rows of complete series."""
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
    low, high = _ranks(np.full(score.shape, earlier.size), variance)
    middle = earlier.size // 2
    slopes.sort(axis=1)  # several times as fast as a partition at a few places
    median = slopes[:, middle].copy() if earlier.size % 2 else 0.5 * (slopes[:, middle - 1] + slopes[:, middle])
    return median, score / earlier.size, 2.0 * ndtr(-np.abs(z)), _at(slopes, low), _at(slopes, high)


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
