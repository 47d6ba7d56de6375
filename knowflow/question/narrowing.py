"""The same question of other ground: of a part of what statistics over space are taken of, or of points."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from typing import TypeAlias

from knowflow.ground.errors import PlanningError
from knowflow.question.check import check, type_of
from knowflow.question.operators import (
    Beyond,
    During,
    Expression,
    IsClass,
    Over,
    Point,
    Polygons,
    Quantity,
    Several,
    Show,
    Split,
    Statistic,
    Weighted,
    Within,
    with_children,
)

Put: TypeAlias = Callable[[Expression, Expression], Expression]
SPACE = ("space", "both")
_OF_ONE: dict[str, Statistic] = {"truth": "any", "class": "majority"}
"""The statistic that leaves the value of a single pixel as it is; the mean, of numbers."""


def main_parts(e: Expression) -> Iterator[Expression]:
    """The expression and everything in it but grounds, weights, keys and limits: what the question is about."""
    yield e
    aside = {"where", "by", "key", "limit", "upper"}
    for part in (getattr(e, name) for name in e.__dataclass_fields__ if name not in aside):
        if isinstance(part, Expression):
            yield from main_parts(part)
        elif isinstance(part, tuple):
            for one in part:
                inner = one[1] if isinstance(one, tuple) else one
                if isinstance(inner, Expression):
                    yield from main_parts(inner)


def below(e: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """The expression with what it is about changed right below: no ground, weight, key or limit."""
    if isinstance(e, Within | Split | Weighted | Beyond | During):
        return replace(e, x=change(e.x))
    return with_children(e, change)


def narrowed(e: Expression, where: Expression) -> Expression:
    """The expression with what statistics over space are taken of on one ground alone; without any what is shown."""

    def shown(one: Expression) -> Expression:
        fits = isinstance(one, Quantity | During | Within) and type_of(Within(one, where)) is not None
        return Within(one, where) if fits else below(one, shown)

    now = _measured(e, where)
    return now if now != e else shown(e)


def elsewhere(e: Expression, new: Expression) -> Expression | None:
    """The expression with a ground in the place of those that are alike: another polygon or point, another class,
    another limit of the same; else in the place of what the question measures: the area of another class. None where
    there is none."""
    old = {one.where for one in main_parts(e) if isinstance(one, Within) and _alike(one.where, new)}
    if old:
        return _replaced(e, old, new)
    measured = {one for one in main_parts(e) if isinstance(one, IsClass) and _alike(one, new)}
    return _instead(e, measured, new) if measured else None


def at_points(e: Expression, points: Point | Polygons) -> Expression:
    """The question of one point, or of each of those given with the data: what is taken of an area is taken of the
    pixel that it lies in, a map is the value there, and over dates the series. A point that the question tells gives
    way to them; a question of each of those given stays as it is.

    >>> from knowflow.question.words import in_words
    >>> in_words(at_points(Over(Quantity("ndvi"), "space", "mean"), Point(14.55, 46.05)))
    'the mean of NDVI at 14.55 E 46.05 N over the area'

    Raises:
        PlanningError: nothing that is asked has a value at a point.
    """
    if isinstance(e, Several):
        return replace(e, named=tuple((name, at_points(one, points)) for name, one in e.named))
    if isinstance(points, Polygons) and any(isinstance(one, Split) and one.key == points for one in main_parts(e)):
        return e
    of = e.x if isinstance(e, Show) and e.as_ in ("map", "picture") else e
    told = {one.where for one in main_parts(of) if isinstance(one, Within) and isinstance(one.where, Point)}
    now, own = _replaced(of, told, points, _there), type_of(of)
    if own is not None and own.space:
        now = Over(now if told else _there(of, points), "space", _OF_ONE.get(own.of, "mean"))
    elif not told:
        now = _measured(of, points, _there)
    misfits = check(now).misfits
    if misfits or (now == of and not told):
        found = f" ({'; '.join(map(str, misfits))})" if misfits else ""
        raise PlanningError(
            "nothing that is asked has a value at a point",
            where="--at",
            expected="a question about a quantity, a mask or a class over an area, or a map of it",
            found=f"{e.op}{found}",
            hint="ask without --at, or for what lies there: its value, whether it is so, which class it is of",
        )
    return now


def _there(e: Expression, where: Expression) -> Expression:
    """What is on a ground alone; of those given with the data on each."""
    return Split(e, where) if isinstance(where, Polygons) and not where.names else Within(e, where)


def _measured(e: Expression, where: Expression, put: Put = Within) -> Expression:
    """The expression with what statistics over space are taken of on one ground alone, or on each."""
    if isinstance(e, Weighted) or (isinstance(e, Over) and e.axes in SPACE):
        return replace(e, x=put(e.x, where))
    return below(e, lambda one: _measured(one, where, put))


def _replaced(e: Expression, old: Collection[Expression], new: Expression, put: Put = Within) -> Expression:
    now = with_children(e, lambda one: _replaced(one, old, new, put))
    return put(now.x, new) if isinstance(now, Within) and now.where in old else now


def _instead(e: Expression, old: Collection[Expression], new: Expression) -> Expression:
    return new if e in old else below(e, lambda one: _instead(one, old, new))


def _alike(old: Expression, new: Expression) -> bool:
    """Whether one ground takes the place of another: other polygons, another class, another limit of the same."""
    if isinstance(old, Beyond | IsClass):
        return type(old) is type(new) and old.x == new.x
    return isinstance(old, Polygons | Point) and isinstance(new, Polygons | Point)
