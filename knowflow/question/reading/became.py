"""What became of ground: whether the ground that it is asked of could have become it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from knowflow.question.operators import And, During, Expression, IsClass, Not, Quantity, Within, walk
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
