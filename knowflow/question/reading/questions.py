"""The rules of whole questions, and the grammar of all rules."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from knowflow.question.operators import Expression, Several, Show
from knowflow.question.reading.nouns import compare, per, statistic_of
from knowflow.question.reading.order import Level, Thing, closed, during, holding, typed
from knowflow.question.times import Times


@dataclass(frozen=True, slots=True)
class Answer:
    """What is asked, and the unit that it is to be told in."""

    expression: Expression
    unit: str | None = None


def answer(thing: Thing) -> Answer | None:
    """What a noun asks for: one number, or one per key that it names."""
    x = closed(thing)
    return None if x is None else Answer(x, thing.unit)


def displayed(thing: Thing) -> Answer | None:
    """``show the mean NDVI``; of what has no statistic a map may be meant, or a picture, which has to be said."""
    own = typed(thing.x)
    reduced = thing.statistic or thing.then or thing.keys or (own is not None and not own.space)
    return answer(thing) if reduced else None


def plain(x: Expression) -> Answer:
    return Answer(x)


def with_change(change: Callable[[Expression], Expression | None], one: Answer) -> Answer | None:
    x = change(one.expression)
    return None if x is None else replace(one, expression=x)


def per_key(key: Level, thing: Thing) -> Answer | None:
    own = per(thing, key)
    return None if own is None else answer(own)


def two_statistics(one: str, other: str, thing: Thing) -> Answer | None:
    """``the mean and the maximum of``: a question with two parts."""
    first, second = statistic_of(one, thing), statistic_of(other, thing)
    if first is None or second is None or one == other:
        return None
    return parts(answer(first), answer(second), (one, other))


def at_times(thing: Thing, times: tuple[Times, ...]) -> Answer | None:
    """The same at several times: a question with a part for each."""
    of = [during(thing, when) for when in times]
    known = [None if one is None else closed(one) for one in of]
    named = [(name, one) for name, one in zip(_NAMES, known, strict=False) if one is not None]
    return Answer(Several(tuple(named))) if len(named) == len(times) and not thing.unit else None


_NAMES = ("first", "second", "third", "fourth", "fifth", "sixth")


def parts(a: Answer | None, b: Answer | None, names: tuple[str, ...] = _NAMES[:2]) -> Answer | None:
    if a is None or b is None or a.unit or b.unit:
        return None
    known = (a.expression, b.expression)
    if any(isinstance(one, Several) for one in known):
        return None
    return Answer(Several(tuple(zip(names, known, strict=True))))


def shown(how: str, thing: Thing) -> Expression | None:
    """A map of it, or a chart or table of one per date or key."""
    x = closed(thing, "pixel" if how == "map" else next((key for key in thing.keys), "date"))
    found = None if x is None else Show(x, how)  # type: ignore[arg-type]  # the words list ways to show
    return found if found is not None and typed(found) is not None else None


def whether_of(thing: Thing, bound: tuple[str, Any, Any]) -> Expression | None:
    """Whether something is beyond a limit, all in all."""
    test = compare(thing, bound)
    return None if test is None else holding(test)
