"""Layers without a date beside dated ones: what a question tells a time of stands for all times where its file has
none, as long as something else is of that time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace

from knowflow.ground.errors import PlanningError
from knowflow.model.plan import Assumption
from knowflow.question.check import check, type_of
from knowflow.question.operators import STANDING, During, Expression, Over, Quantity, walk, with_children
from knowflow.question.times import Times
from knowflow.question.words import quantity_name
from knowflow.reason.compiling.data import UNDATED
from knowflow.reason.definitions import ITSELF


def with_undated(
    expression: Expression, dates: Callable[[Quantity], frozenset[str]]
) -> tuple[Expression, tuple[Assumption, ...]]:
    """The expression with what has no date standing for all times, where something else is of the time that is told of
    it, and what is to be told of that; as it is where that does not fit together."""
    every = {part for _, part in walk(expression) if isinstance(part, Quantity)}
    if len(every) < 2:
        return expression, ()
    without = {x for x in every if "date" in _keys(x) and _is_undated(x, dates)}
    of_time = {when for x, when in _times(expression) if x not in without}
    told_alone = {x for x, when in _times(expression) if when not in of_time}
    without -= told_alone
    if not without or without == every:
        return expression, ()

    def standing(e: Expression) -> Expression:
        if isinstance(e, During) and isinstance(e.x, Quantity) and e.x in without:
            return replace(e.x, having=(*e.x.having, STANDING))
        if isinstance(e, Quantity):
            return replace(e, having=(*e.having, STANDING)) if e in without else e
        now = with_children(e, standing)
        alone = isinstance(now, Over) and now.axes in ("time", "date") and now.statistic in ITSELF and not _keys(now.x)
        return now.x if alone and isinstance(now, Over) else now

    found = standing(expression)
    return (expression, ()) if check(found).misfits else (found, tuple(_told(without)))


def _times(expression: Expression) -> Iterator[tuple[Quantity, Times]]:
    """The quantities of which a time is told, each with it."""
    for _, part in walk(expression):
        if isinstance(part, During) and isinstance(part.x, Quantity) and isinstance(part.when, Times):
            yield part.x, part.when


def _keys(e: Expression) -> tuple[str, ...]:
    own = type_of(e)
    return () if own is None else own.keys


def _is_undated(x: Quantity, dates: Callable[[Quantity], frozenset[str]]) -> bool:
    with suppress(PlanningError):
        return dates(x) == {UNDATED}
    return False


def _told(without: set[Quantity]) -> Iterator[Assumption]:
    for x in sorted(without, key=quantity_name):
        yield Assumption(quantity_name(x), "the same at all times", "default", "its file tells no date")
