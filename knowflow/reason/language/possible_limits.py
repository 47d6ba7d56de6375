"""Numbers that no value can be like: limits outside of what a quantity can be, percentiles beyond 0 to 100.

A limit within the range of its quantity, at its ends, or a little beyond the end that takes in all values means
something: below 1, above 0. What is outside is a slip of the unit or of a digit, and is asked back with the range.
"""

from __future__ import annotations

import math
import re

from knowflow.ground.quantities import QuantityKind
from knowflow.ground.units import compatible, convert
from knowflow.model.goal import Threshold

# what limits may be on how far values are apart, not on the values themselves
DIFFERENCES = frozenset(
    {"change", "percent_change", "difference", "trend", "anomaly", "standard_deviation", "range", "correlation"}
)
_SLACK = 0.05  # of the range, at the side that takes in all values
_STRICT = re.compile(r"\b(?:above|over|below|under|than|exceed\w*|beyond|greater|less|more)\b|[<>](?!=)", re.IGNORECASE)
_OR_EQUAL = re.compile(r"\b(?:at least|at most|no|not|or|equal\w*|minimum|maximum|up to|from)\b|[≤≥=]", re.IGNORECASE)


def impossible_limit(limit: Threshold, kind: QuantityKind, words: str, differs: bool = False) -> tuple[str, str] | None:
    """Why a limit on a quantity cannot be, and what can; None where it can.

    ``differs``: it may be a limit on how far values are apart.
    """
    if limit.relative_to is not None:
        return None
    if limit.unit == "%" and kind.unit == "1" and (kind.range[0] or 0) < 0:
        why = f"{words!r} is told in percent, which {kind.title} is not"
        return why, f"a number without a unit: {limit.value / 100:g}"
    own = _in_own_unit(limit, kind)
    if own is None or not _impossible(own, kind, words, differs):
        return None
    low, high = (None if end is None else _told(end, limit, kind) for end in kind.range)
    expected = f"from {low} to {high}" if low and high else f"from {low} on" if low else f"up to {high}"
    return f"{words!r} is outside of what {kind.title} can be", f"a limit {expected}"


def _in_own_unit(limit: Threshold, kind: QuantityKind) -> Threshold | None:
    """A limit in the unit of its quantity; None where that is open, which is told elsewhere."""
    if limit.unit is None:
        return limit if kind.unit in ("1", "%") else None
    if not compatible(limit.unit, kind.unit):
        return None
    upper = None if limit.upper is None else float(convert(limit.upper, limit.unit, kind.unit))
    return Threshold(float(convert(limit.value, limit.unit, kind.unit)), kind.unit, limit.side, upper)


def _impossible(limit: Threshold, kind: QuantityKind, words: str, differs: bool) -> bool:
    low, high = kind.range
    if differs:
        span = math.inf if low is None or high is None else high - low
        low, high = None if low is None else min(low, -span), None if high is None else max(high, span)
    ends = (limit.value,) if limit.upper is None else (limit.value, limit.upper)
    return any(_outside(one, limit, (low, high), words) for one in ends)


def _outside(value: float, limit: Threshold, of: tuple[float | None, float | None], words: str) -> bool:
    """Whether a limit is where no values are on the side that it asks for, or far from all of them."""
    low, high = (-math.inf if of[0] is None else of[0]), (math.inf if of[1] is None else of[1])
    slack = _SLACK * (high - low) if math.isfinite(high - low) else 0.0
    strict = _STRICT.search(words) is not None and _OR_EQUAL.search(words) is None
    if limit.side == "above":
        return value > high or value < low - slack or (value == high and strict)
    if limit.side == "below":
        return value < low or value > high + slack or (value == low and strict)
    return not low - slack <= value <= high + slack


def _told(value: float, limit: Threshold, kind: QuantityKind) -> str:
    """An end of the range in the unit that the limit has."""
    unit = limit.unit or kind.unit
    number = float(convert(value, kind.unit, unit))
    return f"{number:g}" if unit == "1" else f"{number:g} {unit}"
