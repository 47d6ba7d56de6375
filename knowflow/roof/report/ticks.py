"""Where axes have their ticks and how these are labelled; the places of dates are matplotlib's."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise


def nice_ticks(low: float, high: float, most: int) -> list[float]:
    """Multiples of 1, 2, 2.5 or 5 times a power of ten from ``low`` to ``high``, at most about ``most`` + 1 of them.

    The step is the smallest that leaves so few, or the largest below it of which two multiples lie between the ends.
    """
    if not (math.isfinite(low) and math.isfinite(high)) or high <= low:
        return [low] if math.isfinite(low) else []
    slack = 1e-9 * (high - low)
    least = (high - low) / most
    power = math.floor(math.log10(least))
    steps = [float(f"{digits}e{exponent}") for exponent in (power - 1, power, power + 1) for digits in (1, 2, 2.5, 5)]
    few_enough = next(index for index, step in enumerate(steps) if step >= least * (1 - 1e-9))
    for step in reversed(steps[: few_enough + 1]):
        first, last = math.ceil((low - slack) / step), math.floor((high + slack) / step)
        if last > first:
            break
    return [number * step for number in range(first, last + 1)]


def tick_labels(values: Sequence[float]) -> list[str]:
    """Labels with as many decimals as the distance of the ticks needs, the same for all."""
    if not values:
        return []
    step = min((abs(b - a) for a, b in pairwise(values)), default=abs(values[0])) or 1.0
    largest = max(abs(value) for value in values)
    if step < 1e-5 or largest >= 1e9:
        return [f"{value:.3g}".replace("-", "\u2212") for value in values]
    decimals = next((n for n in range(9) if abs(round(step, n) - step) < 1e-6 * step), 9)
    return [f"{value + 0.0:,.{decimals}f}".replace("-", "\u2212") for value in values]


def date_ticks(first: datetime, last: datetime, most: int) -> list[tuple[datetime, str]]:
    """Round dates from ``first`` to ``last`` with labels that say only what changes."""
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter, num2date

    locator = AutoDateLocator(minticks=2, maxticks=most)
    values = [float(value) for value in locator.tick_values(first, last)]
    labels = ConciseDateFormatter(locator, show_offset=False).format_ticks(values)
    places = [num2date(value) for value in values]
    pairs = [(place, label) for place, label in zip(places, labels, strict=True) if first <= place <= last]
    return [(place, _with_year(place, label, index)) for index, (place, label) in enumerate(pairs)]


def _with_year(place: datetime, label: str, index: int) -> str:
    """The first tick also says the year, so that the axis can be read alone."""
    year = f"{place.year}"
    return f"{label} {year}" if index == 0 and year not in label else label
