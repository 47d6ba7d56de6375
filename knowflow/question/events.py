"""Maps of the year in which something happened: their classes are years, and one of what it never happened to."""

from __future__ import annotations

from datetime import date

from knowflow.question.operators import (
    Calculate,
    Expression,
    IsClass,
    Not,
    Over,
    Quantity,
    Split,
    Within,
    with_children,
)
from knowflow.question.times import Times

LOSS_YEAR, NO_LOSS = "tree_cover_loss_year", "no loss"
FIRST, LATEST = 2001, 2060
"""The years that such maps may tell."""


def never_lost() -> IsClass:
    """Where there was no loss in any of the years."""
    return IsClass(Quantity(LOSS_YEAR), (NO_LOSS,))


def ever_lost() -> Not:
    """Where there was one in any of the years."""
    return Not(never_lost())


def lost_in(when: Times) -> IsClass | Not | None:
    """Where the loss was in the years of a time; None of what is no whole years, or of none of them. Since a year is
    what was lost, and not before: no map tells all years to come."""
    if when.month or when.season or (when.first is None and when.last is None):
        return None
    first = when.first or date(FIRST, 1, 1)
    last = when.last or date(first.year, 12, 31)
    if (first.month, first.day, last.month, last.day) != (1, 1, 12, 31) or last.year < FIRST:
        return None
    if when.last is None:
        return Not(IsClass(Quantity(LOSS_YEAR), (NO_LOSS, *map(str, range(FIRST, first.year)))))
    years = range(max(first.year, FIRST), min(last.year, LATEST) + 1)
    return IsClass(Quantity(LOSS_YEAR), tuple(map(str, years))) if years else None


def by_year_of_loss(x: Expression) -> Expression:
    """What was lost each year, as the area of each class of the map of years; its share, of all of that ground."""
    x = with_children(x, by_year_of_loss)
    if not (isinstance(x, Over) and x.axes == "space" and x.statistic in ("area", "share")):
        return x
    grounds, of = [], x.x
    while isinstance(of, Within):
        grounds.append(of.where)
        of = of.x
    if of != Not(IsClass(Split(Quantity(LOSS_YEAR), "year"), (NO_LOSS,))):
        return x
    lost: Expression = Within(Quantity(LOSS_YEAR), ever_lost())
    for ground in reversed(grounds):
        lost = Within(lost, ground)
    area = Over(lost, "space", "area")
    if x.statistic == "area":
        return area
    mapped = Over(Over(Quantity(LOSS_YEAR), "space", "area"), "classes", "sum")
    whole = [mapped, *(Over(ground, "space", "area") for ground in grounds)]
    return Calculate("ratio", area, whole[-1]) if len(whole) <= 2 else x
