"""Statistics of weighted numbers, truths and classes along the first axis; nothing known gives unknown."""

from __future__ import annotations

from itertools import combinations
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from knowflow.testing.interpreter.calendar import YEAR, months_of
from knowflow.testing.interpreter.values import Array

Truths: TypeAlias = NDArray[np.bool_]


def reduce(statistic: str, values: Array, weights: Array, p: float | None, nature: str, sample: bool) -> Array:
    """A statistic over the first axis of (n, ...) values, of which ``weights`` say how much each counts.

    What weighs nothing does not exist. ``sample``: deviations are those of a sample (n - 1), as dates are one; pixels
    are all the ground there is. Directions are averaged around the circle, decibels as power.
    """
    if len(values) == 0:
        return np.full(values.shape[1:], np.nan)
    there = np.isfinite(values) & (weights > 0)
    v, w = np.where(there, values, 0.0), np.where(there, weights, 0.0)
    with np.errstate(all="ignore"):
        found = _made(statistic, v, w, there, p, nature, sample)
    return np.where(there.any(axis=0), found, np.nan)


def _made(statistic: str, v: Array, w: Array, there: Truths, p: float | None, nature: str, sample: bool) -> Array:
    if nature == "angle" and statistic in ("mean", "deviation"):
        return _round_the_circle(statistic, v, w)
    total = w.sum(axis=0)
    match statistic:
        case "mean" if nature == "level":
            return np.asarray(10 * np.log10((w * 10 ** (v / 10)).sum(axis=0) / total))
        case "mean":
            return np.asarray((w * v).sum(axis=0) / total)
        case "share":
            return np.asarray(100 * (w * v).sum(axis=0) / total)
        case "sum":
            return np.asarray((w * v).sum(axis=0))
        case "count":
            return np.asarray((w * v).sum(axis=0) if nature == "truth" else total)
        case "deviation":
            squares = (w * (v - (w * v).sum(axis=0) / total) ** 2).sum(axis=0)
            n = there.sum(axis=0)
            return np.asarray(
                np.where(n > 1, np.sqrt(squares / (n - 1)), np.nan) if sample else np.sqrt(squares / total)
            )
        case "minimum" | "all":
            return np.asarray(np.where(there, v, np.inf).min(axis=0))
        case "maximum" | "any":
            return np.asarray(np.where(there, v, -np.inf).max(axis=0))
        case "range":
            return np.asarray(np.where(there, v, -np.inf).max(axis=0) - np.where(there, v, np.inf).min(axis=0))
        case "median" | "percentile":
            return _quantile(v, w, there, 0.5 if p is None else p / 100)
        case "majority" | "variety":
            return _of_classes(statistic, v, w, there)
    raise ValueError(statistic)


def _round_the_circle(statistic: str, v: Array, w: Array) -> Array:
    """Mean and standard deviation of directions in degrees (Mardia and Jupp 2000, eq. 2.2.4 and 2.3.11)."""
    turned = (w * np.exp(1j * np.deg2rad(v))).sum(axis=0) / w.sum(axis=0)
    if statistic == "mean":
        return np.asarray(np.rad2deg(np.angle(turned)) % 360)
    return np.asarray(np.rad2deg(np.sqrt(-2 * np.log(np.minimum(np.abs(turned), 1.0)))))


def _quantile(v: Array, w: Array, there: Truths, share: float) -> Array:
    """Linear between the middles of the weights of ordered values; equal weights: type 7 of Hyndman and Fan (1996)."""
    shape = v.shape[1:]
    found = np.full(int(np.prod(shape, dtype=int)), np.nan)
    columns = (part.reshape(len(v), -1) for part in (v, w, there))
    for place, (one, heavy, own) in enumerate(zip(*(part.T for part in columns), strict=True)):
        if own.any():
            order = np.argsort(one[own], kind="stable")
            weight = heavy[own][order]
            middles = np.cumsum(weight) - weight / 2
            found[place] = np.interp(middles[0] + share * (middles[-1] - middles[0]), middles, one[own][order])
    return found.reshape(shape)


def _of_classes(statistic: str, v: Array, w: Array, there: Truths) -> Array:
    classes = np.unique(v[there])
    if classes.size == 0:
        return np.full(v.shape[1:], np.nan)
    heavy = np.stack([np.where(there & (v == one), w, 0.0).sum(axis=0) for one in classes])
    return np.asarray((heavy > 0).sum(axis=0) if statistic == "variety" else classes[heavy.argmax(axis=0)])


def patches(mask: Array, ground: Array, area: Array) -> list[float]:
    """The areas of groups of true pixels that touch at sides or corners; a pixel is ground by its centre."""
    groups = numbered(np.where((mask == 1) & (ground >= 0.5), 1.0, 0.0))
    sizes = np.broadcast_to(area, mask.shape)
    return [float(sizes[groups == n].sum()) for n in range(1, int(groups.max(initial=0)) + 1)]


def numbered(mask: Array) -> Array:
    """The number of the group that each true pixel is of, in the order of their first pixels by rows; 0 elsewhere."""
    left = {(int(r), int(c)) for r, c in zip(*np.nonzero(mask == 1), strict=True)}
    found, number = np.where(np.isnan(mask), np.nan, 0.0), 0
    while left:
        number += 1
        front = [min(left)]
        left -= {*front}
        while front:
            r, c = front.pop()
            found[r, c] = number
            near = {(r + i, c + j) for i in (-1, 0, 1) for j in (-1, 0, 1)} & left
            left -= near
            front.extend(near)
    return found


def slope(values: Array, days: Array, method: str) -> Array:
    """The slope of (n, ...) values per year over days, unknown left out; unknown with fewer than three."""
    times = days / YEAR
    known = np.isfinite(values)
    t = np.where(known, times.reshape(-1, *([1] * (values.ndim - 1))), np.nan)
    with np.errstate(all="ignore"):
        if method == "linear":
            n = known.sum(axis=0)
            t0, v0 = np.nansum(t, axis=0) / n, np.nansum(values, axis=0) / n
            found = np.nansum((t - t0) * (values - v0), axis=0) / np.nansum((t - t0) ** 2, axis=0)
        else:
            first, second = np.triu_indices(len(times), 1)
            rises = (values[second] - values[first]) / (t[second] - t[first])
            found = reduce("median", rises, np.ones_like(rises), None, "state", False)
    return np.asarray(np.where(known.sum(axis=0) >= 3, found, np.nan))


def seasonal_slope(values: Array, days: Array, method: str) -> Array:
    """The slope of (n, ...) values per year over days, each month held against itself in other years.

    By least squares every month that several years have has a constant of its own; else the median of the slopes
    between two years of a month, of its means in each.
    """
    months: Array = np.asarray(months_of(days.tolist()), dtype=np.float64)
    times = days / YEAR
    flat = values.reshape(len(days), -1)
    of = _with_constants if method == "linear" else _between_years
    return np.array([of(column, times, months) for column in flat.T]).reshape(values.shape[1:])


def _with_constants(values: Array, times: Array, months: Array) -> float:
    returns = np.array([len({*months[months[:, 1] == month, 0]}) > 1 for month in months[:, 1]])
    used = np.isfinite(values) & returns
    seen = np.unique(months[used, 1])
    design = np.column_stack([times[used] - times.mean(), *(months[used, 1] == month for month in seen)])
    enough = used.sum() >= max(3, design.shape[1] + 1) and np.linalg.matrix_rank(design) == design.shape[1]
    return float(np.linalg.lstsq(design, values[used], rcond=None)[0][0]) if enough else np.nan


def _between_years(values: Array, times: Array, months: Array) -> float:
    slopes, compared = [], 0
    for month in np.unique(months[:, 1]):
        of_month = np.isfinite(values) & (months[:, 1] == month)
        means = [
            (times[here].mean(), values[here].mean())
            for year in np.unique(months[of_month, 0])
            for here in [of_month & (months[:, 0] == year)]
        ]
        compared += len(means) if len(means) > 1 else 0
        slopes += [(v - u) / (t - s) for (s, u), (t, v) in combinations(means, 2)]
    return float(np.median(slopes)) if compared >= 3 else np.nan


def correlation(a: Array, b: Array, weights: Array) -> Array:
    """Pearson's correlation over the first axis, of what is known of both; unknown with fewer than three.

    What weighs nothing is to be unknown.
    """
    there = np.isfinite(a) & np.isfinite(b)
    w = np.where(there, weights, 0.0)
    with np.errstate(all="ignore"):
        a0, b0 = ((w * np.where(there, one, 0.0)).sum(axis=0) / w.sum(axis=0) for one in (a, b))
        da, db = (np.where(there, one - middle, 0.0) for one, middle in ((a, a0), (b, b0)))
        found = (w * da * db).sum(axis=0) / np.sqrt((w * da**2).sum(axis=0) * (w * db**2).sum(axis=0))
    return np.asarray(np.where(there.sum(axis=0) >= 3, found, np.nan))
