"""Expressions that ask the same in other shapes, by one of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from knowflow.question.normal import normal
from knowflow.question.operators import And, Beyond, Expression, IsClass, Over, Within, with_children
from knowflow.question.reading.order import typed
from knowflow.question.reading.restricted import on_one_day


def meant_by(e: Expression) -> Expression:
    """What is the same of all expressions that mean the same: the normal form, with names in small letters."""
    return _in_small_letters(normal(_where_all_hold(on_one_day(e))))


def _where_all_hold(e: Expression) -> Expression:
    """An expression by which those are alike that ask how large the ground is where two things hold, or that part of
    the ground of one where the other does."""
    now = with_children(e, _where_all_hold)
    if not (isinstance(now, Over) and (now.axes, now.statistic) == ("space", "area")):
        return _one_by_one(now) if isinstance(now, Within) else now
    parts = tuple(_that_hold(now.x))
    both = parts[0] if len(parts) == 1 else And(parts)
    return replace(now, x=both) if typed(replace(now, x=both)) is not None else now


def _that_hold(x: Expression) -> Iterator[Expression]:
    """All that holds where something does: of a limit on some ground, that limit, and that it is this ground."""
    if isinstance(x, Within):
        yield from (*_that_hold(x.x), *_that_hold(x.where))
    elif isinstance(x, And):
        yield from (one for part in x.parts for one in _that_hold(part))
    elif isinstance(x, Beyond) and isinstance(x.x, Within):
        yield from _that_hold(Within(replace(x, x=x.x.x), x.x.where))
    else:
        yield x


def _one_by_one(x: Within) -> Expression:
    """What is restricted to ground where several things hold as what is restricted to each, in one order."""
    grounds: list[Expression] = []
    of: Expression = x
    while isinstance(of, Within):
        grounds += of.where.parts if isinstance(of.where, And) else (of.where,)
        of = of.x
    for ground in sorted(grounds, key=repr):
        of = Within(of, ground)
    return of if typed(of) is not None else x


def _in_small_letters(e: Expression) -> Expression:
    """An expression by which those are alike that spell the names of classes otherwise: ``Forest``, ``forest``."""
    now = with_children(e, _in_small_letters)
    return replace(now, names=tuple(name.casefold() for name in now.names)) if isinstance(now, IsClass) else now
