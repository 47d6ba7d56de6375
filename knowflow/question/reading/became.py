"""What became of ground: whether the ground that it is asked of could have become it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from knowflow.question.operators import And, During, Expression, IsClass, Not, Over, Quantity, Within, walk
from knowflow.question.times import Times


def is_of_what_it_was(x: Expression, years: Mapping[str, Sequence[int]]) -> bool:
    """Whether it is asked what became something else of the ground of a class, and not of when that was: ``how much
    arable land became settlement`` is of land that was arable before, not of what the map of today calls so. ``years``
    are those of the maps of classes; soils, which have none, stay what they are."""
    return any(
        isinstance(part, Within)
        and isinstance(part.where, IsClass)
        and isinstance(part.where.x, Quantity)
        and bool(years.get(part.where.x.kind))
        and _is_new(part.x)
        for _, part in walk(x)
    )


def _is_new(x: Expression) -> bool:
    """Whether it is ground that is something at one time, and was not before."""
    if not isinstance(x, And) or len(x.parts) != 2:
        return False
    before = next((part.x for part in x.parts if isinstance(part, Not)), None)
    after = next((part for part in x.parts if not isinstance(part, Not)), None)
    ends = [None if one is None else _end_of(one) for one in (before, after)]
    return ends[0] is not None and ends[1] is not None and ends[0] < ends[1]


def _end_of(x: Expression) -> int | None:
    days = [part.when.last for _, part in walk(x) if isinstance(part, During) and isinstance(part.when, Times)]
    return days[0].toordinal() if days and days[0] is not None else None


def is_between_more_maps(x: Expression, years: Mapping[str, Sequence[int]], maps: Mapping[str, int]) -> bool:
    """Whether it is asked where two maps have two classes, and there are more between them, or not both: how many
    classes there were tells of the first and the last alone only where there is no other. ``maps`` are how many there
    are of what has dates."""
    return any(
        isinstance(part, Over)
        and (part.axes, part.statistic) in (("year", "variety"), ("time", "variety"))
        and any(_number_of_maps(of, part.axes, years, maps) != 2 for _, of in walk(part) if isinstance(of, During))
        for _, part in walk(x)
    )


def _number_of_maps(x: During, axis: str, years: Mapping[str, Sequence[int]], maps: Mapping[str, int]) -> int:
    kind = x.x.kind if isinstance(x.x, Quantity) else ""
    if axis == "time":
        return maps.get(kind, 0)
    ends = (x.when.first, x.when.last) if isinstance(x.when, Times) else (None, None)
    known = years.get(kind, ())
    there = [one for one in known if ends[0] and ends[1] and ends[0].year <= one <= ends[1].year]
    return len(there) if {ends[0] and ends[0].year, ends[1] and ends[1].year} <= {*known} else 0
