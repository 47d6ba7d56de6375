"""Numbers by key, without pixels: calculated with, compared, and brought together over dates, periods or places.

A missing number (NaN) stays missing: what is made of it is missing too, and where nothing is left, so is the answer.
Truths are 1, 0 or missing; days are ordinal numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date
from typing import Any, Literal

import numpy as np

from knowflow.ground.errors import ToolError
from knowflow.ground.units import convert
from knowflow.model.artifact import Artifact
from knowflow.tools.context import tell
from knowflow.tools.kernels import keyed
from knowflow.tools.kernels.keyed import Arithmetic, Array, Departure, Nature, Side, Statistic
from knowflow.tools.keyed_rasters import number_in
from knowflow.tools.seasons import Seasons
from knowflow.tools.thresholding import NEARLY_ALL
from knowflow.tools.trend import Slope, series_trend_table

Known = Artifact | float | None


def number_calculation(
    a: Known,
    how: Arithmetic,
    unit: str,
    result_unit: str,
    other_unit: str = "1",
    b: Known = None,
    changes: bool = False,
    other_changes: bool = False,
    circular: bool = False,
    factor: float = 1.0,
    quantity: str = "calculated",
) -> float:
    """Arithmetic of one number, in ``unit``, or two; times ``factor`` it is in ``result_unit``."""
    one, other = number_in(a, unit, changes), number_in(b, other_unit, other_changes)
    made = factor * keyed.calculated(how, one, other)
    return float(keyed.shorter_way(made) if circular else made)


def number_comparison(
    x: Known,
    limit: Known,
    side: Side,
    unit: str,
    upper: Known = None,
    changes: bool = False,
    circular: bool = False,
    stated: bool = False,
) -> float:
    """Whether a number lies on a side of a limit: 1, 0, or missing where one of them is."""
    ends = (number_in(limit, unit, changes), None if upper is None else number_in(upper, unit, changes))
    return float(keyed.beyond(number_in(x, unit, changes), side, *ends, stated=stated, circular=circular))


def truths_combined(truths: Sequence[Known], how: Literal["and", "or", "not"]) -> float:
    """Truths joined by and, by or, or the first denied, as Kleene has it."""
    return float(keyed.logic(how, _numbers(truths, "1", False)))


def list_statistic(
    values: Sequence[Known],
    statistic: Statistic,
    unit: str,
    result_unit: str,
    p: float | None = None,
    nature: Nature = "state",
    changes: bool = False,
    side: Side | None = None,
    limit: float | None = None,
    upper: float | None = None,
    starts: Sequence[int] = (),
    ends: Sequence[int] = (),
    joined: Sequence[int] = (),
    quantity: str = "calculated",
) -> float:
    """One statistic of numbers in order; with ``side``, of whether they are beyond limits.

    Options as of ``stack_statistic``. Missing numbers do not count; of a sum or a count that is told.
    """
    found = _numbers(values, unit, changes)
    known = int(np.isfinite(found).sum())
    if statistic in ("sum", "count") and 0 < known < NEARLY_ALL * len(found):
        tell(f"the {statistic} is of what was seen: {known} of {len(found)} values are known")
    if side is not None:
        found = keyed.beyond(found, side, limit, upper, stated=True)
    if statistic in keyed.IN_ORDER:
        return float(keyed.in_order(statistic, found, starts, ends, [bool(one) for one in joined]))
    return float(keyed.statistic(statistic, found, p, "truth" if side is not None else nature))


def list_trend(
    values: Sequence[Known],
    dates: Sequence[str],
    unit: str,
    result_unit: str,
    method: Slope = "linear",
    seasons: Seasons = "auto",
    changes: bool = False,
) -> float:
    """The slope per year of numbers at ``dates``; missing with fewer than three.

    Its p-value, the 95 % interval and how the seasons were treated are told (``knowflow.tools.seasons``).
    """
    found = _numbers(values, unit, changes)
    if np.isfinite(found).sum() < keyed.FEWEST:
        return math.nan
    known = [None if math.isnan(one) else float(one) for one in found]
    row = series_trend_table(known, dates, "linear" if method == "linear" else "mann_kendall", seasons)
    return float(row[0]["slope"])


def number_departure(
    x: Known,
    values: Sequence[Known],
    unit: str,
    result_unit: str,
    how: Departure = "difference",
    changes: bool = False,
    quantity: str = "difference",
) -> float:
    """How far a number is from the mean of others, one for each other year; missing with fewer than three."""
    made = float(keyed.departure(number_in(x, unit, changes), _numbers(values, unit, changes), how))
    return made * float(convert(1.0, unit, result_unit, difference=True)) if how == "difference" else made


def list_correlation(a: Sequence[Known], b: Sequence[Known]) -> float:
    """Pearson's r of two lists that are paired in order; missing with fewer than three pairs."""
    from knowflow.tools.kernels.regression import correlation_of_stacks

    one, other = (_numbers(values, "", False) for values in (a, b))
    return float(correlation_of_stacks(one[:, None], other[:, None])[0])


def is_extreme(values: Sequence[Known], place: int, side: Literal["highest", "lowest"], n: int = 1) -> float:
    """Whether the number at a place of a list is one of the ``n`` largest (or smallest): 1 or 0; missing ones are not.

    Of equal numbers the first of the list come first; that others are equal is told.
    """
    numbers = _numbers(values, "", False)
    if not np.isfinite(numbers[place]):
        return 0.0
    known = [at for at, number in enumerate(numbers) if np.isfinite(number)]
    ranked = sorted(known, key=lambda at: _rank(float(numbers[at]), side))
    if len(ranked) > n and numbers[ranked[n - 1]] == numbers[ranked[n]] and place == ranked[n - 1]:
        tell(f"others have the same value, {numbers[place]:.6g}; of equal ones the first are taken")
    return float(place in ranked[:n])


def _rank(number: float, side: str) -> float:
    return -number if side == "highest" else number


def is_one_of(x: Known, numbers: Sequence[float]) -> float:
    """Whether a number (of a class, of a day) is one of some: 1, 0, or missing where it is."""
    value = _plainly(x)
    return value if math.isnan(value) else float(value in numbers)


def class_of_number(x: Known, limits: Sequence[float], unit: str, changes: bool = False) -> float:
    """The class of a number: 1 below the first limit, and so on; a number at a limit is of the class above it."""
    value = number_in(x, unit, changes)
    return value if math.isnan(value) else float(np.digitize(value, list(limits)) + 1)


def number_where(x: Known, truth: Known) -> float:
    """A number where a truth holds; else it is missing. It stays in its unit."""
    value = _plainly(x)
    return value if number_in(truth, "1") == 1 else math.nan


def answer_of(x: Known, unit: str) -> float:
    """A number as the answer, in a unit; raises ``ToolError`` where it is missing."""
    value = number_in(x, unit)
    if math.isnan(value):
        raise ToolError("there is no answer", expected="something that is known", found="nothing known")
    return value


def in_words(x: Known, meaning: Literal["day", "truth", "class"], names: Sequence[str] = ()) -> str:
    """A day, a truth or a class that numbers stand for, in words; ``names`` are those of the classes from 0.

    Raises ``ToolError`` where it is missing.
    """
    value = _plainly(x)
    if math.isnan(value):
        raise ToolError("there is no answer", expected="something that is known", found="nothing known")
    return _said(value, meaning, names)


def _said(value: float, meaning: str, names: Sequence[str]) -> str:
    if meaning == "day":
        return date.fromordinal(round(value)).isoformat()
    if meaning == "truth":
        return "yes" if value == 1 else "no"
    return names[round(value)] if 0 <= round(value) < len(names) and names[round(value)] else f"class {value:g}"


def table_of_keys(
    values: Sequence[Known],
    keys: Sequence[str],
    columns: Sequence[str],
    unit: str,
    changes: bool = False,
    present: Sequence[Known] = (),
    meaning: Literal["number", "day", "truth", "class"] = "number",
    names: Sequence[str] = (),
    order: Literal["keys", "highest", "lowest"] = "keys",
    called: str = "value",
    most: int = 0,
) -> list[dict[str, Any]]:
    """One row for each key: its parts under their ``columns``, and the value, under what it is ``called``.

    ``keys`` are the parts of all keys one behind the other. Keys that are not ``present`` (1) have no row. ``order`` by
    the values puts the extreme first, of which there are then ``most``; that others are equal to the last is told.
    Raises ``ToolError`` where no key is left, or no value is known.
    """
    width = len(columns)
    rows: list[dict[str, Any]] = []
    for place, one in enumerate(values):
        if present and number_in(present[place], "1") != 1:
            continue
        value = number_in(one, unit, changes)
        told: Any = None if math.isnan(value) else value if meaning == "number" else _said(value, meaning, names)
        rows.append({**dict(zip(columns, keys[place * width : (place + 1) * width], strict=True)), called: told})
    if not any(row[called] is not None for row in rows):
        raise ToolError("nothing is left to tell", expected="a value that is known", found=f"{len(rows)} without one")
    if order != "keys":
        rows = sorted((row for row in rows if row[called] is not None), key=lambda row: _rank(row[called], order))
        if 0 < most < len(rows):
            if rows[most - 1][called] == rows[most][called]:
                tell(f"others have the same value, {rows[most][called]:.6g}; of equal ones the first are taken")
            rows = rows[:most]
    return rows


def _numbers(values: Sequence[Known], unit: str, changes: bool) -> Array:
    numbers = [number_in(one, unit, changes) if unit else _plainly(one) for one in values]
    return np.asarray(numbers, dtype=np.float64)


def _plainly(one: Known) -> float:
    value = one.value if isinstance(one, Artifact) else one
    return math.nan if value is None else float(value)
