"""Expressions as those have them whose tools a pack is: the order in which means are taken where the tools cannot tell.

Each rewriting gives the same number where all images know the same pixels; what is rewritten is told.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date

from knowflow.model.pack import Conventions
from knowflow.question.check import type_of
from knowflow.question.operators import (
    Beyond,
    Calculate,
    During,
    Expression,
    Number,
    Over,
    Quantity,
    Side,
    Split,
    Trend,
    Within,
    walk,
    with_children,
)
from knowflow.question.times import Times

_YEARLY = "a trend over several years is that of the mean of each year"
_YEARS_OF_A_TREND = 3
_MEANS_COMPARED = "the means are compared, not the images"
_PIXELWISE = (Over, Beyond, Calculate)
_TURNED: Mapping[Side, Side] = {"above": "below", "below": "above"}


def habitual(e: Expression, conventions: Conventions) -> tuple[Expression, tuple[str, ...]]:
    """An expression in the order of a pack's habits, and what is to be told of that."""
    told: dict[str, None] = {}

    def rewritten(one: Expression) -> Expression:
        if (yearly := _of_years(one)) is not None:
            told[_YEARLY] = None
            one = yearly
        found = with_children(one, rewritten)
        if isinstance(found, Split | During):
            found = _of_data(found)
        if (compared := _of_numbers(found)) is not None:
            told[_MEANS_COMPARED] = None
            found = compared
        return _of_maps(_later_less_earlier(found), conventions)

    return rewritten(e), tuple(told)


def _of_data(e: Split | During) -> Expression:
    """Dates are chosen, or taken apart, of the data rather than of what is made of each date: the same either way."""
    choice = e.key if isinstance(e, Split) else e.when
    x = e.x
    if not isinstance(choice, str | Times) or not isinstance(x, _PIXELWISE) or not _date_by_date(x):
        return e

    def put(below: Expression) -> Expression:
        own = type_of(below)
        if own is None or "date" not in own.keys:
            return below
        return _of_data(replace(e, x=below))

    return with_children(x, put)


def _date_by_date(x: Expression) -> bool:
    return not isinstance(x, Over) or x.axes == "space"


def _of_numbers(e: Expression) -> Expression | None:
    """The mean of a difference of two averages as the difference of their means."""
    if not isinstance(e, Over) or (e.axes, e.statistic) != ("space", "mean"):
        return None
    x = e.x
    if not isinstance(x, Calculate) or x.how != "difference" or x.b is None:
        return None
    own = type_of(x)
    sides = [_mean_in_time(side) for side in (x.a, x.b)]
    if own is None or own.keys or None in sides:
        return None
    a, b = ((side, replace(side, x=Over(side.x, "space", "mean"))) for side in sides if side is not None)
    return Calculate("difference", a[1], b[1])


def _mean_in_time(e: Expression) -> Over | None:
    return e if isinstance(e, Over) and e.axes == "date" and e.statistic == "mean" else None


def _of_maps(e: Expression, conventions: Conventions) -> Expression:
    """The mean of each year, month or season of what is averaged over the area as that of the average map."""
    if not (isinstance(e, Over) and (e.axes, e.statistic) == ("date", "mean") and isinstance(e.x, Over)):
        return e
    inner = e.x
    own = type_of(e)
    if (inner.axes, inner.statistic) != ("space", "mean") or own is None or own.grain is None:
        return e
    if isinstance(inner.x, Within) or any(kind in conventions.numbers_first for kind in _kinds(inner)):
        return e
    return replace(inner, x=replace(e, x=inner.x))


def _of_years(e: Expression) -> Expression | None:
    """A trend of the means of images of several years as that of the means of the years."""
    if not isinstance(e, Trend) or not isinstance(e.x, Over) or (e.x.axes, e.x.statistic) != ("space", "mean"):
        return None
    x = e.x.x
    if not isinstance(x, During) or not isinstance(x.when, Times) or x.when.first is None or x.when.last is None:
        return None
    if x.when.last.year - x.when.first.year + 1 < _YEARS_OF_A_TREND:
        return None
    return replace(e, x=Over(replace(e.x, x=Split(x, "year")), "date", "mean"))


def _later_less_earlier(e: Expression) -> Expression:
    """What fell by more than so much, as what the later images have less than the earlier ones: below a limit."""
    if not isinstance(e, Beyond) or e.side not in _TURNED or not isinstance(e.limit, Number):
        return e
    x = e.x
    if not isinstance(x, Calculate) or x.how != "difference" or x.b is None:
        return e
    first, second = _first_day(x.a), _first_day(x.b)
    if first is None or second is None or first >= second:
        return e
    limit = replace(e.limit, value=-e.limit.value)
    return replace(e, x=replace(x, a=x.b, b=x.a), side=_TURNED[e.side], limit=limit)


def _first_day(e: Expression) -> date | None:
    """The first day that an expression is asked for."""
    asked = (one.when.first for _, one in walk(e) if isinstance(one, During) and isinstance(one.when, Times))
    return min((day for day in asked if day is not None), default=None)


def _kinds(e: Expression) -> Iterator[str]:
    return (one.kind for _, one in walk(e) if isinstance(one, Quantity))
