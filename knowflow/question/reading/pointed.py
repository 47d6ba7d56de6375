"""A reading of points on the ground: its expressions there, with the words still behind their parts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from knowflow.question.narrowing import at_points
from knowflow.question.operators import Expression, Over, Point, Polygons, Position, Split, Within, children
from knowflow.question.reading.readings import Reading


def reading_at(reading: Reading, points: Point | Polygons) -> Reading:
    """The reading with what was taken, or is alike, at points; one that took nothing stays as it is.

    Raises:
        PlanningError: nothing that is asked has a value at a point.
    """
    if not reading.candidates():
        return reading
    first = reading.candidates()[0]
    places = dict(_places(first, at_points(first, points)))
    parts = tuple(replace(one, at=None if one.at is None else places.get(one.at)) for one in reading.parts)
    now = tuple(at_points(one, points) for one in reading.candidates())
    if reading.expression is not None:
        return replace(reading, expression=now[0], parts=parts)
    return replace(reading, alike=now, parts=parts)


def _places(
    old: Expression, new: Expression, at: Position = (), now: Position = ()
) -> Iterator[tuple[Position, Position]]:
    """Where the parts of an expression stand after a point, or the statistic there, was put between them."""
    if isinstance(new, Within | Split | Over) and (type(old) is not type(new) or new.x == old):
        yield from _places(old, new.x, at, (*now, new.op, "x"))
        return
    if type(old) is not type(new):  # the way to show it is gone
        for place, child in children(old):
            yield from _places(child, new, (*at, *place), now)
        return
    yield at, now
    below = dict(children(new))
    for place, child in children(old):
        yield from _places(child, below[place], (*at, *place), (*now, *place))
