"""From many numbers to one: reductions of lists, and comparisons of two numbers.

A missing number (None or NaN: a scene that was all cloud) does not count. Where nothing is left, the tool fails.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import ToolError
from knowflow.tools.context import tell
from knowflow.tools.dates import moment

Number = float | int | None
Side = Literal["above", "below", "between"]


def mean(x: Sequence[Number]) -> float:
    """Arithmetic mean."""
    return float(present(x).mean())


def median(x: Sequence[Number]) -> float:
    """Median."""
    return float(np.median(present(x)))


def maximum(x: Sequence[Number]) -> float:
    """The largest number."""
    return float(present(x).max())


def minimum(x: Sequence[Number]) -> float:
    """The smallest number."""
    return float(present(x).min())


def total(x: Sequence[Number]) -> float:
    """The sum; that numbers are missing from it is told."""
    values = present(x)
    if values.size < len(x):
        tell(f"the sum is of what was seen: {values.size} of {len(x)} numbers are known")
    return float(math.fsum(values))


def standard_deviation(x: Sequence[Number]) -> float:
    """Sample standard deviation (n - 1), the estimate of the spread of what the numbers are a sample of."""
    values = present(x)
    if values.size < 2:
        raise ToolError("a standard deviation needs two numbers", expected="at least 2", found=str(values.size))
    return float(values.std(ddof=1))


def first(x: Sequence[Number]) -> float:
    """The first number that is there."""
    return float(present(x)[0])


def last(x: Sequence[Number]) -> float:
    """The last number that is there."""
    return float(present(x)[-1])


def difference_of(a: float, b: float) -> float:
    """a - b."""
    return _known(a, "a") - _known(b, "b")


def percent_change(before: float, after: float) -> float:
    """How much ``after`` is above ``before``, in percent of ``before`` (of its size, where it is negative)."""
    reference = _known(before, "before")
    return 100.0 * (_known(after, "after") - reference) / abs(_not_zero(reference, "before"))


def ratio(a: float, b: float) -> float:
    """a / b."""
    return _known(a, "a") / _not_zero(_known(b, "b"), "b")


def count_where(
    values: Sequence[Number],
    threshold: float,
    side: Side = "above",
    upper: float | None = None,
    threshold_unit: str | None = None,
) -> int:
    """How many numbers lie strictly above (or below) the threshold, or within threshold..upper.

    ``threshold_unit`` only declares the unit of the limits: a precondition holds the numbers to it.
    """
    numbers = present(values)
    if side == "between":
        if upper is None or upper < threshold:
            found = "none" if upper is None else f"{upper:g}"
            raise ToolError("'between' needs an upper limit", expected=f"upper >= {threshold:g}", found=found)
        return int(np.count_nonzero((numbers >= threshold) & (numbers <= upper)))
    return int(np.count_nonzero(numbers > threshold if side == "above" else numbers < threshold))


def share_where(
    values: Sequence[Number],
    threshold: float,
    side: Side = "above",
    upper: float | None = None,
    threshold_unit: str | None = None,
) -> float:
    """The share of the numbers that `count_where` counts; missing ones are of neither side.

    Raises ``ToolError`` where no number is there.
    """
    return count_where(values, threshold, side, upper, threshold_unit) / len(present(values))


def date_of_extreme(
    values: Sequence[Number], dates: Sequence[str], which: Literal["maximum", "minimum"] = "maximum"
) -> str:
    """The date of the largest (or smallest) number; of several equal ones all dates, in order, behind commas."""
    pairs = paired(values, dates)
    best = (max if which == "maximum" else min)(value for value, _ in pairs)
    return ", ".join(sorted(dict.fromkeys(date for value, date in pairs if value == best), key=moment))


def paired(values: Sequence[Number], dates: Sequence[str]) -> list[tuple[float, str]]:
    """Numbers that are there, each with its date; ``ToolError`` where the lists do not match or nothing is left."""
    if len(values) != len(dates):
        raise ToolError(
            "there must be one date for each number",
            expected=f"{len(values)} dates",
            found=f"{len(dates)} dates",
            hint="take both from the same series: dates_of(series)",
        )
    present(values)
    numbers = zip(values, dates, strict=True)
    return [(float(value), date) for value, date in numbers if value is not None and math.isfinite(value)]


def multiple(x: float, times: float) -> float:
    """So many times a number."""
    return _known(x, "x") * times


def percent_changes(x: Sequence[Number]) -> list[float]:
    """The change from each number to the next, in percent of the former; missing numbers are passed over."""
    values = present(x)
    return [100 * (after - _not_zero(before, "x")) / before for before, after in pairwise(map(float, values))]


def quotients(x: Sequence[Number], y: Sequence[Number]) -> list[float]:
    """Each number of ``y`` divided by that of ``x`` in the same place; NaN where one of them is missing."""
    if len(x) != len(y):
        raise ToolError(
            "the lists do not go together", expected="as many numbers in both", found=f"{len(x)} and {len(y)}"
        )
    by, divided = (np.array([np.nan if one is None else one for one in values], np.float64) for values in (x, y))
    return [float(other) / _not_zero(float(one), "x") for one, other in zip(by, divided, strict=True)]


def present(x: Sequence[Number]) -> NDArray[np.float64]:
    """The finite numbers of a list; ``ToolError`` where there is none."""
    values = np.asarray([value for value in x if value is not None and math.isfinite(value)], dtype=np.float64)
    if values.size == 0:
        raise ToolError(
            "no number is left to work on",
            expected="at least one number",
            found=f"{len(x)} missing" if len(x) else "an empty list",
            hint="all scenes may be clouded or empty: look at their valid fractions",
        )
    return values


def _known(value: float | None, name: str) -> float:
    if value is None or not math.isfinite(value):
        raise ToolError(f"{name} is missing", expected="a number", found=str(value))
    return float(value)


def _not_zero(value: float, name: str) -> float:
    if value == 0:
        raise ToolError(f"{name} is zero: nothing can be divided by it", expected="a number that is not 0", found="0")
    return value
