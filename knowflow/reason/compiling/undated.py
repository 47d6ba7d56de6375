"""Layers without a date beside dated ones, or of one whole year alone: what a question tells a time of stands for all
times where its file has none, as long as something else is of that time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace

from knowflow.ground.errors import PlanningError
from knowflow.model.plan import Assumption
from knowflow.question.check import check, type_of
from knowflow.question.operators import STANDING, Correlate, During, Expression, Over, Quantity, walk, with_children
from knowflow.question.times import Times, times
from knowflow.question.words import quantity_name
from knowflow.reason.compiling.data import UNDATED
from knowflow.reason.definitions import ITSELF

_OF_TRUTH = ("any", "all")  # of what stands for all times it is so on any date where it is so


def with_undated(
    expression: Expression, dates: Callable[[Quantity], frozenset[str]], years: Callable[[Quantity], Times | None]
) -> tuple[Expression, tuple[Assumption, ...]]:
    """The expression with what has no date, or is of one year alone, standing for all times, where something else is of
    the time that is told of it, and what is to be told of that; as it is where that does not fit together."""
    every = {part for _, part in walk(expression) if isinstance(part, Quantity)}
    if len(every) < 2:
        return expression, ()
    expression, of_years = _by_maps_of_years(expression, dates)
    dated = [x for x in every if "date" in _keys(x)]
    yearly = {x: year for x in dated if (year := _of_one_year(x, years)) is not None} if len(dated) > 1 else {}
    without = {x for x in dated if x in yearly or _is_undated(x, dates)}
    of_time = {when for x, when in _times(expression) if x not in without}
    without -= {x for x, when in _times(expression) if when not in (*of_time, yearly.get(x))}
    if not without or without == every:
        return expression, of_years

    def standing(e: Expression) -> Expression:
        if isinstance(e, During) and isinstance(e.x, Quantity) and e.x in without:
            return replace(e.x, having=(*e.x.having, STANDING))
        if isinstance(e, Quantity):
            return replace(e, having=(*e.having, STANDING)) if e in without else e
        now = with_children(e, standing)
        if isinstance(now, Correlate) and now.axes == "both" and len({_keys(now.a), _keys(now.b)}) == 2:
            a, b = (Over(one, "time", "mean") if _keys(one) else one for one in (now.a, now.b))
            now = Correlate(a, b, "space")
        itself = isinstance(now, Over) and (now.statistic in ITSELF or now.statistic in _OF_TRUTH)
        alone = itself and isinstance(now, Over) and now.axes in ("time", "date") and not _keys(now.x)
        return now.x if alone and isinstance(now, Over) else now

    found = standing(expression)
    return (expression, of_years) if check(found).misfits else (found, (*of_years, *_told(without, yearly)))


def _by_maps_of_years(
    expression: Expression, dates: Callable[[Quantity], frozenset[str]]
) -> tuple[Expression, tuple[Assumption, ...]]:
    """The expression with classes at a time within a year by the one map of that year: rice on 28 May 2023."""
    told: dict[Assumption, None] = {}

    def mapped(e: Expression) -> Expression:
        if not (isinstance(e, During) and isinstance(e.x, Quantity) and isinstance(e.when, Times)):
            return with_children(e, mapped)
        year = _map_of(e.x, e.when, dates)
        if year is None:
            return e
        told[Assumption(quantity_name(e.x), f"as mapped in {year}", "default", "there is one map of that year")] = None
        return During(e.x, year)

    found = mapped(expression)
    return found, tuple(told)


def _map_of(x: Quantity, when: Times, dates: Callable[[Quantity], frozenset[str]]) -> Times | None:
    own = type_of(x)
    if own is None or own.of != "class" or not (when.first and when.last and when.first.year == when.last.year):
        return None
    with suppress(PlanningError):
        days = [day for day in dates(x) if day != UNDATED]
        of_year = [day for day in days if day[:4] == str(when.first.year)]
        inside = any(str(when.first) <= day <= str(when.last) for day in days)
        return times(of_year[0][:4]) if len(of_year) == 1 and not inside else None
    return None


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


def _of_one_year(x: Quantity, years: Callable[[Quantity], Times | None]) -> Times | None:
    with suppress(PlanningError):
        return years(x)
    return None


def _told(without: set[Quantity], yearly: Mapping[Quantity, Times]) -> Iterator[Assumption]:
    for x in sorted(without, key=quantity_name):
        why = f"its only map is of {yearly[x]}" if x in yearly else "its file tells no date"
        yield Assumption(quantity_name(x), "the same at all times", "default", why)
