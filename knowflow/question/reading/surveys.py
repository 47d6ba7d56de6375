"""What two surveys of a surface tell in a year: ``how many metres a year did the glacier thin``. A line has nothing to
fit between two dates; the rate is what changed between them by the years in between."""

from __future__ import annotations

from knowflow.question.operators import (
    SURVEYED,
    Calculate,
    During,
    Expression,
    Number,
    Over,
    Quantity,
    Trend,
    walk,
    with_children,
)
from knowflow.question.reading.order import typed
from knowflow.question.reading.said_lengths import years_between
from knowflow.question.times import Times


def of_two_surveys(x: Expression, two: tuple[Times, Times] | None) -> Expression:
    """The expression with trends of what is surveyed twice as changes by the years between."""
    if two is None:
        return x
    found = with_children(x, lambda part: of_two_surveys(part, two))
    if not isinstance(found, Trend) or not any(_is_surveyed(part) for _, part in walk(found.x)):
        return found
    first, last = two
    years = years_between(first, last)
    if years is None or not all(_holds(part, two) for _, part in walk(found.x)):
        return found
    after, before = (Over(_at(found.x, when), "time", "mean") for when in (last, first))
    rate = Calculate("ratio", Calculate("difference", after, before), Number(years, "year"))
    return rate if typed(rate) is not None else found


def _is_surveyed(x: Expression) -> bool:
    return isinstance(x, Quantity) and SURVEYED in x.having


def _holds(x: Expression, two: tuple[Times, Times]) -> bool:
    """Whether a time that is told, if one is, holds both surveys."""
    days = [one.first for one in two]
    return not isinstance(x, During) or (
        isinstance(x.when, Times) and all(day is not None and x.when.holds(day) for day in days)
    )


def _at(x: Expression, when: Times) -> Expression:
    """What is surveyed as it is at one time, in place of any that is told."""
    if isinstance(x, During):
        return _at(x.x, when)
    return During(x, when) if _is_surveyed(x) else with_children(x, lambda part: _at(part, when))
