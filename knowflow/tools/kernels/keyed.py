"""Numbers along a first axis of keys (dates, periods, places), of pixels (n, rows, columns) or single ones (n,).

NaN is unknown: it takes part in no statistic, and what is made of nothing known is unknown. Truths are 1, 0 and NaN.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from knowflow.tools.kernels.limits import above, below

Array = NDArray[np.float64]
Nature = Literal["state", "truth", "level", "angle", "class"]
# fmt: off
Statistic = Literal[
    "mean", "median", "minimum", "maximum", "deviation", "percentile", "sum", "range", "count", "share", "any",
    "all", "longest", "longest_run", "first", "last", "majority", "variety",
]
Arithmetic = Literal[
    "difference", "sum", "product", "ratio", "percent_change", "minimum", "maximum", "power", "absolute", "logarithm",
]
# fmt: on
Side = Literal["above", "at_least", "below", "at_most", "between"]
Departure = Literal["difference", "percent", "deviations"]
IN_ORDER = ("longest", "longest_run", "first", "last")
"""Statistics of truths in order of time."""
_NO_SIDE = 1e-9
FEWEST = 3
"""Values below which there is no line, no correlation and no usual value."""


def statistic(name: str, values: Array, p: float | None = None, nature: str = "state") -> Array:
    """One statistic over the first axis; directions go around the circle, decibels are averaged as power.

    A deviation is that of a sample (n - 1), a percentile that of type 7 (Hyndman and Fan 1996), a share in percent.
    """
    known = np.isfinite(values)
    number = known.sum(axis=0)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of all that is unknown nothing is known
        found = _OF_ANGLES[name](values) if nature == "angle" and name in _OF_ANGLES else None
        if found is None and nature == "level" and name == "mean":
            found = 10 * np.log10(np.nanmean(10 ** (values / 10), axis=0))
        if found is None and name == "count" and nature != "truth":
            found = number.astype(np.float64)
        if found is None and name in ("median", "percentile"):
            found = np.nanquantile(values, 0.5 if p is None else p / 100, axis=0)
        if found is None:
            found = _STATISTICS[name](values)
    return np.where(number > 0, np.asarray(found, dtype=np.float64), np.nan)


def _mean_direction(values: Array) -> Array:
    """From 0 to 360 degrees; NaN where they cancel out."""
    turned = np.nansum(np.exp(1j * np.deg2rad(values)), axis=0)
    angle = np.rad2deg(np.angle(turned)) % 360
    return np.where(np.abs(turned) < _NO_SIDE, np.nan, np.where(angle > 360 - _NO_SIDE, 0.0, angle))


def _spread_of_directions(values: Array) -> Array:
    """Circular standard deviation (Mardia and Jupp 2000, eq. 2.3.11), in degrees."""
    length = np.abs(np.nansum(np.exp(1j * np.deg2rad(values)), axis=0)) / np.isfinite(values).sum(axis=0)
    return np.asarray(np.rad2deg(np.sqrt(-2 * np.log(np.minimum(length, 1.0)))))


def _sample_deviation(values: Array) -> Array:
    number = np.isfinite(values).sum(axis=0)
    return np.where(number > 1, np.nanstd(values, axis=0, ddof=1), np.nan)


def _most_frequent(values: Array) -> Array:
    """The class of most keys; of several the first by number."""
    classes = np.unique(values[np.isfinite(values)])
    if classes.size == 0:
        return np.full(values.shape[1:], np.nan)
    often = np.stack([(values == one).sum(axis=0) for one in classes])
    return np.asarray(classes[often.argmax(axis=0)])


def _different(values: Array) -> Array:
    ordered = np.sort(values, axis=0)  # unknown last
    fresh = np.isfinite(ordered[1:]) & (ordered[1:] != ordered[:-1])
    return np.asarray(fresh.sum(axis=0) + 1.0)


_OF_ANGLES: Mapping[str, Callable[[Array], Array]] = {"mean": _mean_direction, "deviation": _spread_of_directions}
_STATISTICS: Mapping[str, Callable[[Array], Any]] = {
    "mean": lambda values: np.nanmean(values, axis=0),
    "minimum": lambda values: np.nanmin(values, axis=0),
    "maximum": lambda values: np.nanmax(values, axis=0),
    "all": lambda values: np.nanmin(values, axis=0),
    "any": lambda values: np.nanmax(values, axis=0),
    "range": lambda values: np.nanmax(values, axis=0) - np.nanmin(values, axis=0),
    "sum": lambda values: np.nansum(values, axis=0),
    "count": lambda values: np.nansum(values, axis=0),
    "share": lambda values: 100 * np.nanmean(values, axis=0),
    "deviation": _sample_deviation,
    "majority": _most_frequent,
    "variety": _different,
}


def in_order(name: str, held: Array, starts: Sequence[int], ends: Sequence[int], joined: Sequence[bool]) -> Array:
    """Of truths in order of time the ``longest`` spell in days, both ends counted, the number of keys in it
    (``longest_run``), or the ``first`` or ``last`` day.

    ``starts`` and ``ends`` are the days of each key, ``joined`` says of each but the first whether none is missing
    before it. What is unknown ends a spell. Where nothing holds there is no first day, and the longest spell is 0.
    """
    known = np.isfinite(held).any(axis=0)
    true = held == 1
    if name in ("first", "last"):
        days = np.asarray(starts if name == "first" else ends, dtype=np.float64).reshape(-1, *[1] * (held.ndim - 1))
        away = np.inf if name == "first" else -np.inf
        found = (np.min if name == "first" else np.max)(np.where(true, days, away), axis=0)
        return np.where(np.isfinite(found), found, np.nan)
    if name == "longest_run":
        starts, ends = range(len(true)), range(len(true))
    longest, begun = np.zeros(held.shape[1:]), np.full(held.shape[1:], np.nan)
    for place, here in enumerate(true):
        goes_on = np.isfinite(begun) if place and joined[place - 1] else np.zeros(here.shape, dtype=np.bool_)
        begun = np.where(here, np.where(goes_on, begun, starts[place]), np.nan)
        longest = np.where(here, np.maximum(longest, ends[place] - begun + 1), longest)
    return np.where(known, longest, np.nan)


def calculated(how: str, a: Any, b: Any = None) -> Any:
    """Arithmetic of one number or two; what is not finite is unknown. ``percent_change`` is from b to a."""
    with np.errstate(all="ignore"):
        found = np.asarray(_ARITHMETIC[how](a, b), dtype=np.float64)
    return np.where(np.isfinite(found), found, np.nan)


_ARITHMETIC: Mapping[str, Callable[[Any, Any], Any]] = {
    "difference": lambda a, b: a - b,
    "sum": lambda a, b: a + b,
    "product": lambda a, b: a * b,
    "ratio": lambda a, b: a / b,
    "percent_change": lambda a, b: 100 * (a - b) / np.abs(b),
    "minimum": np.minimum,
    "maximum": np.maximum,
    "power": np.power,
    "absolute": lambda a, b: np.abs(a),
    "logarithm": lambda a, b: np.log(a),
}


def shorter_way(difference: Any) -> Any:
    """A difference of directions in degrees, by the shorter way around."""
    return (difference + 180.0) % 360.0 - 180.0


def beyond(values: Any, side: str, limit: Any, upper: Any = None, *, stated: bool, circular: bool = False) -> Any:
    """Whether numbers lie on a side of a limit: 1, 0, and NaN where something is unknown.

    A ``stated`` limit is a decimal number, which numbers of single precision hold as nearly as they can. ``circular``:
    directions in degrees, from the limit clockwise to the upper one.
    """
    values = np.asarray(values)
    known = np.isfinite(values) & np.isfinite(limit) & (np.isfinite(upper) if upper is not None else True)
    with np.errstate(invalid="ignore"):
        if circular:
            held = (values - limit) % 360.0 <= (upper - limit) % 360.0
        elif side == "between":
            held = ~_strictly("below", values, limit, stated) & ~_strictly("above", values, upper, stated)
        elif side in ("at_least", "at_most"):
            held = ~_strictly("below" if side == "at_least" else "above", values, limit, stated)
        else:
            held = _strictly(side, values, limit, stated)
    return np.where(known, held, np.nan)


def _strictly(side: str, values: Any, limit: Any, stated: bool) -> Any:
    if stated:
        return (above if side == "above" else below)(values, float(limit))
    return values > limit if side == "above" else values < limit


def logic(how: str, truths: Array) -> Array:
    """Kleene's ``and``, ``or`` and ``not`` (of the first) over the first axis."""
    unknown = np.isnan(truths).any(axis=0)
    if how == "not":
        return np.asarray(1.0 - truths[0])
    decided = (truths == (0 if how == "and" else 1)).any(axis=0)
    settled = 0.0 if how == "and" else 1.0
    return np.where(decided, settled, np.where(unknown, np.nan, 1.0 - settled))


def departure(values: Any, years: Array, how: str) -> Any:
    """How far values are from the mean of other years (n, ...): unknown with fewer than three of these."""
    enough = np.isfinite(years).sum(axis=0) >= FEWEST
    usual = statistic("mean", years)
    with np.errstate(all="ignore"):
        apart = values - usual
        if how == "percent":
            apart = 100 * apart / usual
        elif how == "deviations":
            apart = apart / statistic("deviation", years)
    return np.where(enough & np.isfinite(apart), apart, np.nan)
