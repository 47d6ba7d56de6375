"""Expressions that ask the same in other shapes, by one of them."""

from __future__ import annotations

from dataclasses import replace

from knowflow.question.normal import normal
from knowflow.question.operators import And, Expression, IsClass, Over, Within, with_children
from knowflow.question.reading.order import typed
from knowflow.question.reading.restricted import on_one_day


def meant_by(e: Expression) -> Expression:
    """What is the same of all expressions that mean the same: the normal form, with names in small letters."""
    return _in_small_letters(normal(_where_all_hold(on_one_day(e))))


def _where_all_hold(e: Expression) -> Expression:
    """An expression by which those are alike that ask how large the ground is where two things hold, or that part of
    the ground of one where the other does."""
    now = with_children(e, _where_all_hold)
    if not (isinstance(now, Over) and (now.axes, now.statistic) == ("space", "area") and isinstance(now.x, Within)):
        return now
    parts, grounds = [now.x.x], [now.x.where]
    while isinstance(parts[0], Within):
        grounds.append(parts[0].where)
        parts[0] = parts[0].x
    both = And(tuple(part for one in (*parts, *grounds) for part in (one.parts if isinstance(one, And) else (one,))))
    return replace(now, x=both) if typed(replace(now, x=both)) is not None else now


def _in_small_letters(e: Expression) -> Expression:
    """An expression by which those are alike that spell the names of classes otherwise: ``Forest``, ``forest``."""
    now = with_children(e, _in_small_letters)
    return replace(now, names=tuple(name.casefold() for name in now.names)) if isinstance(now, IsClass) else now
