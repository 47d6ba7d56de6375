"""What a sentence leaves open of the order of statistics, closed by one table, the same for every question.

A noun ("the mean NDVI of 2017") is a :class:`Thing` as long as it is open which axes its statistic takes away; what it
stands in decides that: a count of dates wants one number per date, a share of the ground true or false per pixel, an
answer one number. A clause ("NDVI was above 0.6") likewise is closed where it stands.

What is left open is closed so:

- which axis comes first: space, on each date; then the dates; then periods;
- the statistic over space: the one said; else the sum of what adds up over space, else the mean; of truths the share;
- the statistic over dates: the one said where it may be taken again (mean, median, extremes, sum); else the sum of what
  adds up over time, else the mean;
- a period in front of a statistic (``annual maximum``): it is over the dates of the period, the mean over space;
- amounts over a time that is told, with a limit on the ground: added up over it first, unless each date is meant;
- a limit that is a statistic: of the same dates as what is compared, or of its own where it names some.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import lru_cache
from typing import Any, TypeAlias

from knowflow.question.check import type_of
from knowflow.question.operators import (
    GRAINS,
    And,
    Beyond,
    During,
    Expression,
    IsClass,
    Not,
    Number,
    Or,
    Over,
    Polygons,
    Quantity,
    Side,
    Split,
    Statistic,
    Weighted,
    Within,
    walk,
    with_children,
)
from knowflow.question.reading.rows import closed_rows
from knowflow.question.reading.spans import grain_of
from knowflow.question.reading.yearly_totals import of_yearly_totals
from knowflow.question.times import Times
from knowflow.question.types import Type
from knowflow.question.typing_of_features import of_rows

Level: TypeAlias = str | Expression
"""What a clause or a noun is told of: ``pixel``, a grain of time, polygons or classes, or ``whole``: all at once."""

_AGAIN = ("mean", "median", "minimum", "maximum", "sum")
"""Statistics that are taken over dates as over space; what others tell of space is averaged over dates. Of what keeps
its pixels each is one of the dates."""

CLOUDLESS = Not(Quantity("cloud_mask"))
"""Ground that no cloud covers; of what is made of several dates it is that of each."""

_ANY = (date(2019, 1, 1), date(2021, 12, 31))
_MOST_DAYS = 1100  # every day of the year, in three years

typed = lru_cache(maxsize=20_000)(type_of)


@dataclass(frozen=True, slots=True)
class Thing:
    """A noun: of what, its statistic, the one over dates, per which keys, those over the keys, told in which unit, and
    by how much of what lies in each pixel its mean is weighted."""

    x: Expression
    statistic: Statistic | None = None
    p: float | None = None
    then: Statistic | None = None
    keys: tuple[Level, ...] = ()
    outer: tuple[tuple[Statistic, float | None], ...] = ()
    unit: str | None = None
    by: Expression | None = None


@dataclass(frozen=True, slots=True)
class Test:
    """Whether one noun is on a side of a limit; ``itself``: of what it is itself at another time; ``same``: in the same
    month of another year."""

    left: Thing
    side: Side
    limit: Thing | Number
    upper: Thing | Number | None = None
    itself: bool = False
    same: bool = False


@dataclass(frozen=True, slots=True)
class Joined:
    """Clauses that ``and``, ``or`` or ``not`` joins."""

    how: str
    parts: tuple[Clause, ...]


Clause: TypeAlias = Test | Joined | Expression


_OF_ONE = ("mean", "sum")
"""What is of a single map what it is of all dates."""


def closed(thing: Thing, level: Level = "whole") -> Expression | None:
    """What a noun is at a level; None where it is nothing there."""
    if of_rows(thing.x) is not None:
        return _closed_rows(thing, level)
    thing = of_yearly_totals(thing, typed(thing.x), level)
    grains = [key for key in GRAINS if key in thing.keys or key == level]
    x = thing.x if level == "pixel" or thing.then or "date" in grains else totalled(thing.x, grains)
    x = maps_of_years(x) if "year" in grains else x
    for key in dict.fromkeys((*thing.keys, level)):
        if isinstance(key, Expression):
            if _beside_others(x, key):
                return None
            x = _split(x, key) if (its := typed(x)) is not None and not its.space else Split(x, key)
    own = typed(x)
    if own is None or (thing.by is not None and level == "pixel"):
        return None
    adds = own.of == "number" and "time" in own.measure.adds and thing.statistic in (None, "integral", *_AGAIN)
    usual: Statistic = "sum" if adds else "mean"
    of_dates = own.space and level == "pixel" and thing.statistic not in (None, *_AGAIN)  # what has pixels left
    if own.space and level != "pixel":
        x = _over_space(x, own, thing)
    if "date" in thing.keys and own.grain is None:
        return None  # what stands for all dates is none per date
    again = of_dates or (thing.statistic in _AGAIN and (thing.statistic != "sum" or adds))
    then: Statistic = thing.then or ((thing.statistic or usual) if again else usual)
    p = thing.p if of_dates and then == thing.statistic else None
    own = typed(x)
    if own is None:
        return None
    for grain in grains:
        if grain != "date" and grain not in own.keys:
            x = Over(Split(x, grain), "time", then, p)  # type: ignore[arg-type]  # a grain is a key
    if "date" in own.keys and not grains and (level != "pixel" or thing.statistic or thing.then):
        x = Over(x, "time", then, p)
    asked = thing.statistic if of_dates else None if thing.then in _OF_ONE else thing.then
    if asked and not any(isinstance(part, Over) and part.statistic == asked for _, part in walk(x)):
        return None  # nothing takes it
    return _outermost(x, thing)


def end_of_totals(said: str | None, thing: Thing) -> Thing | None:
    """``the largest total rainfall``: of the totals, which is none of the largest numbers of each date."""
    own = typed(thing.x)
    if said not in ("maximum", "minimum") or thing.keys or own is None or not own.space or "date" not in own.keys:
        return None
    of = replace(thing, x=Over(thing.x, "time", "sum"), statistic=said, then=None)  # type: ignore[arg-type]
    return of if typed(of.x) is not None else None


def _closed_rows(thing: Thing, level: Level) -> Expression | None:
    """What a number of the rows of a table is at a level: of all of them, or of those of one key."""
    keys = [key for key in dict.fromkeys((*thing.keys, level)) if key != "whole"]
    if len(keys) > 1 or thing.by is not None or (thing.then and thing.statistic not in (None, thing.then)):
        return None
    x = closed_rows(thing.x, thing.then or thing.statistic, thing.p, keys[0] if keys else None)
    return None if x is None else _outermost(x, thing)


def maps_of_years(x: Expression) -> Expression:
    """What has no dates of its own as one of each year that there is a map of."""
    own = typed(x)
    return x if own is None or own.grain is not None else _of_each_map(x)


def _of_each_map(x: Expression) -> Expression:
    own = typed(x)
    is_map = isinstance(x.x if isinstance(x, During) else x, Quantity)
    if own is not None and own.of == "class" and not own.keys and is_map:
        return Split(x, "year")
    return with_children(x, _of_each_map)


def totalled(x: Expression, grains: Sequence[str] = ()) -> Expression:
    """With what adds up over time totalled over the time told, or each period, before it is held against a number."""
    if isinstance(x, Over) and x.axes != "space":
        return x
    if isinstance(x, Beyond) and isinstance(x.limit, Number) and (dated(x.x) or grains):
        own = typed(x.x)
        if own is not None and own.space and "date" in own.keys and "time" in own.measure.adds:
            parts = x.x
            for grain in grains:
                parts = Split(parts, grain)  # type: ignore[arg-type]  # a grain is a key
            return replace(x, x=Over(parts, "time", "sum"))
    return with_children(x, lambda child: totalled(child, grains))


def _outermost(x: Expression, thing: Thing) -> Expression | None:
    """What statistics over the keys make of one per key."""
    for statistic, p in thing.outer:
        own = typed(x)
        if own is None or not own.keys:
            return None
        of_times = own.grain == own.keys[-1] or own.grain in thing.keys[-1:]
        x = Over(x, "time" if of_times else own.keys[-1], statistic, p)  # type: ignore[arg-type]
    return x if typed(x) is not None else None


def _beside_others(x: Expression, key: Expression) -> bool:
    """Whether it lies in some polygons of the file of which it would be told for each."""
    return any(of_one_file(part.where, key) for _, part in walk(x) if isinstance(part, Within))


def of_one_file(where: Expression, key: Any) -> bool:
    """Whether ground is some polygons of a file by name, and the key all of it: in the pixels of some, the others are
    their neighbours, and no answer to what was asked of the winter wheat parcels."""
    if not (isinstance(where, Polygons) and isinstance(key, Polygons)):
        return False
    return bool(where.names) and not key.names and where.layer == key.layer


def split_by(thing: Thing, key: Expression) -> Thing | None:
    """One per polygon or class of what has its statistics: split below the one that takes space away."""
    x = _split(thing.x, key)
    return None if x == thing.x or typed(x) is None else replace(thing, x=x)


def _split(x: Expression, key: Expression) -> Expression:
    own = typed(x)
    if own is not None and own.space and not isinstance(x, Over):
        return Split(x, key)
    return with_children(x, lambda child: _split(child, key))


def _over_space(x: Expression, own: Type, thing: Thing) -> Expression:
    if thing.by is not None:
        return Weighted(x, thing.by)
    adds = own.of == "number" and "space" in own.measure.adds
    usual: Statistic = "share" if own.of == "truth" else "sum" if adds else "mean"
    return Over(x, "space", thing.statistic or usual, thing.p)


def holding(clause: Clause, level: Level = "whole") -> Expression | None:
    """Whether a clause holds at a level: per pixel, per date, all in all; None where it does not fit there."""
    if isinstance(clause, Joined):
        parts = tuple(holding(part, level) for part in clause.parts)
        if any(part is None for part in parts):
            return None
        known: Any = parts if clause.how == "not" or level != "pixel" else _each_at_its_time(parts)  # type: ignore[arg-type]
        found: Expression = Not(known[0]) if clause.how == "not" else (And if clause.how == "and" else Or)(known)
        return found if typed(found) is not None else None
    if isinstance(clause, Expression):
        if level != "pixel":
            return None
        return clause if typed(clause) is not None else None
    return _tested(clause, level)


def _tested(test: Test, level: Level) -> Expression | None:
    noun = test.left
    if noun.keys == (level,) and noun.outer == (("mean", None),):  # the mean monthly rainfall of each month
        noun = replace(noun, outer=())
    told = of_all_times(noun.x)[1]
    if level == "pixel" and len(told) == 1 and noun.keys == (grain_of(told[0]),) and not noun.outer:
        noun = replace(noun, keys=())  # the annual total of 2022
    if level == "pixel" and (noun.then, noun.statistic) == ("sum", "mean") and not (noun.keys or noun.outer):
        noun = replace(noun, then=None)  # less than 700 mm on average: over the dates, in a pixel
    periods = [key for key in noun.keys if isinstance(key, str)]
    if test.same and level == "pixel" and dated(noun.x):
        return None  # below the average of the same date: of none that is told
    left = closed(noun, level)
    if left is None or (level == "pixel" and noun.keys) or (periods not in ([], [level]) and not noun.outer):
        return None
    limits: list[Expression | None] = []
    for limit in (test.limit, test.upper):
        if isinstance(limit, Thing):
            limits.append(closed(limit, _level_of(limit, test, level)))
            if limits[-1] is None:
                return None
        else:
            limits.append(limit)
    first = limits[0]
    if first is None:
        return None
    found = Beyond(left, test.side, first, limits[1])
    return found if typed(found) is not None else None


def _level_of(limit: Thing, test: Test, level: Level) -> Level:
    if test.same:
        return level
    if test.itself:
        return "whole" if isinstance(level, str) and level != "pixel" else level
    return "whole" if dated(limit.x) or (level == "pixel" and limit.statistic) else level


@lru_cache(maxsize=1000)
def meet(every: frozenset[Times]) -> bool:
    """Whether some day is of all of them: none is of two years, or of July and of 2016-06."""
    spans = [(one.first, one.last) for one in every if one.first is not None and one.last is not None]
    first, last = min(spans or [_ANY], key=lambda ends: ends[1] - ends[0])
    days = [first + timedelta(days=n) for n in range(min((last - first).days + 1, _MOST_DAYS))]
    return any(all(one.holds(day, south) for one in every) for day in days for south in (False, True))


def standing(where: Expression) -> Expression | None:
    """Ground as it was all in all at the times that it tells: numbers are taken together over their dates before they
    are held against a limit, a mask is where it was so on any date. It restricts what has no dates."""
    own = typed(where)
    if own is None or "date" not in own.keys:
        return where
    if isinstance(where, Quantity | During | Within | IsClass):
        return Over(where, "time", "any") if own.of == "truth" else None

    def alone(x: Expression) -> Expression:
        its = typed(x)
        if its is None or its.grain != "date":
            return x
        if its.of == "truth":
            return standing(x) or x
        return Over(x, "time", "sum" if "time" in its.measure.adds else "mean")

    found = with_children(where, alone) if isinstance(where, Beyond | And | Or | Not) else None
    its = None if found is None else typed(found)
    return found if its is not None and "date" not in its.keys else None


def _each_at_its_time(parts: Sequence[Expression]) -> tuple[Expression, ...]:
    """Clauses of times that have no day in common, each as it was all in all in its own: above 0.6 in May and below 0.4
    in July is so of the same ground, and on no date."""
    times = [frozenset(of_all_times(part)[1]) for part in parts]
    apart = all(times) and any(not meet(one | other) for one in times for other in times)
    alone = [standing(part) for part in parts] if apart else []
    return tuple(part for part in alone if part is not None) if alone and None not in alone else tuple(parts)


def dated(x: Expression) -> bool:
    """Whether the dates of something are told."""
    return any(isinstance(part, During) for _, part in walk(x))


# --- restrictions -------------------------------------------------------------------------------------------------


def of_all_times(x: Expression) -> tuple[Expression, tuple[Times, ...]]:
    """An expression without the times that it is restricted to, and these."""
    times: dict[Times, None] = {}

    def whole(x: Expression) -> Expression:
        if isinstance(x, During) and isinstance(x.when, Times):
            times[x.when] = None
            return whole(x.x)
        return with_children(x, whole)

    return whole(x), tuple(times)
