"""The rules of a second part of a question, which asks for more of what the first one ranks or compares: when or where
it was, how much, by how much; and of all together and each."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from knowflow.ground.units import compatible
from knowflow.question.operators import (
    GRAINS,
    Beyond,
    Calculate,
    Expression,
    Extreme,
    Number,
    Over,
    Polygons,
    Quantity,
    Split,
    walk,
)
from knowflow.question.reading.changes import changed, turned
from knowflow.question.reading.chart import Line
from knowflow.question.reading.comparisons import Measure, told_as, two_of
from knowflow.question.reading.grounds import in_unit_of
from knowflow.question.reading.keys import Keys, ranked, ranked_by
from knowflow.question.reading.nouns import Graded, fits, level_of, outer, per
from knowflow.question.reading.order import Level, Thing, closed, typed
from knowflow.question.reading.questions import Answer, answer, answered_in, plain, several, with_change
from knowflow.question.reading.restricted import during, within
from knowflow.question.reading.topics import judged_by, with_value
from knowflow.question.times import Times

_SIDES = {"maximum": "highest", "minimum": "lowest"}


def with_key_told(thing: Thing, keys: Keys) -> Answer | None:
    """``the highest NDVI, and when``, ``and in which field``: with the date, or the polygon, that it is of."""
    side = _SIDES.get(thing.statistic or "")
    level = keys.level
    free = keys.when is None and thing.then in (None, thing.statistic) and not thing.keys
    x = closed(thing, level) if side and free else None
    own = None if x is None else typed(x)
    if x is None or own is None or own.keys != (level,):
        return None
    name = keys.key if keys.key in GRAINS else "of"
    return several((answer(thing), Answer(Extreme(x, side))), ("value", name))  # type: ignore[arg-type]


def with_key(x: Any, keys: Keys) -> Expression | None:
    """``which scene was the hottest? Give its date``: what has the most is told by its key."""
    own = typed(x.x) if isinstance(x, Extreme) and keys.when is None else None
    return x if own is not None and own.keys[-1:] == (keys.level,) else None


def by_grain(x: Expression | Answer, keys: Keys) -> Expression | None:
    """``when was it highest? Give the month``: of the means of months."""
    inner = x.x if isinstance(x, Extreme) and keys.when is None and keys.key in GRAINS else None
    if not isinstance(x, Extreme) or inner is None or any(isinstance(part, Split) for _, part in walk(inner)):
        return None
    by = replace(x, x=Over(Split(inner, keys.key), "time", "mean")) if keys.key != "date" else x  # type: ignore[arg-type]
    return by if typed(by) is not None else None


def value_in(x: Expression | Answer, unit: str) -> Answer | None:
    """``and how many mm was it``: what has the most, with its number in a unit."""
    of = typed(x.x) if isinstance(x, Extreme) else None
    fit = of is not None and of.of == "number" and compatible(of.measure.unit, unit)
    return Answer(x, unit) if isinstance(x, Extreme) and fit else None


def statistic_told(x: Expression | Answer, said: str) -> Expression | None:
    """``which district is the greenest, and what is its mean``: the statistic that it was ranked by."""
    inner = x.x if isinstance(x, Extreme) else None
    of = [part for _, part in walk(inner) if isinstance(part, Over) and part.axes == "space"] if inner else []
    return x if isinstance(x, Extreme) and any(part.statistic == said for part in of) else None


def _and_there(thing: Thing, where: Expression) -> Answer | None:
    """``how many people live in Neudorf and how many in Weinsberg``."""
    two = two_of(thing, ("where", where))
    return None if two is None else several(map(answer, two))


Margin = tuple[Beyond, Measure]
"""Whether one is more than another, and how it is to be told by how much."""


def apart_of_two(x: Expression | Answer, measure: Measure) -> Answer | None:
    """``which is greener, Neudorf or Weinsberg, and by how much``: how far the two lie apart."""
    keys = [part.key for _, part in walk(x) if isinstance(part, Split)] if isinstance(x, Extreme) else []
    two = len(keys) == 1 and isinstance(keys[0], Polygons) and len(keys[0].names) == 2 and measure.how == "difference"
    found = fits(Thing(Over(x.x, "objects", "range"))) if isinstance(x, Extreme) and two else None
    told = found if measure.unit is None else in_unit_of(measure.unit, found)
    return None if told is None or isinstance(x, Answer) else several((Answer(x), answer(told)), ("which", "by"))


def margin(x: Expression | Answer, measure: Measure) -> Margin | None:
    if not isinstance(x, Beyond) or isinstance(x.limit, Number) or x.upper is not None:
        return None
    return (x, measure) if x.side in ("above", "below") else None


def margin_at(one: Margin, when: Times | Expression) -> Margin | None:
    x = during(one[0], when)
    return (x, one[1]) if isinstance(x, Beyond) else None


def margin_in(one: Margin, where: Expression) -> Margin | None:
    x = within(one[0], where)
    return (x, one[1]) if isinstance(x, Beyond) else None


def margin_told(one: Margin) -> Answer | None:
    """``are parks cooler than streets, and by how many degrees``: whether, and by how much more or less."""
    x, measure = one
    turned_round = x.side == "below" and measure.how == "difference"
    two = (x.limit, x.x) if turned_round else (x.x, x.limit)
    found = fits(Thing(Calculate(measure.how, *two)))  # type: ignore[arg-type]  # the measures are kinds of arithmetic
    told = found if measure.unit is None else in_unit_of(measure.unit, found)
    return None if told is None else several((Answer(x), answer(told)), ("whether", "by"))


def moved_by(grew: tuple[Thing, str], two: tuple[Times, Times], measure: Measure) -> Thing | None:
    """``did the yield go up from 2019 to 2021, and by what percent``: by how much it did, less than none where not."""
    change = told_as(measure, turned(*grew))
    return None if change is None else changed(change, two)


def in_one_period(keys: Keys, named: Graded, grain: str, thing: Thing | None = None) -> Expression | None:
    """``which town had the wettest month``, ``the worst day for ozone``: by the most of its months, or days."""
    kind, side = named
    of = Thing(Quantity(kind)) if thing is None else thing
    if thing is not None and not any(isinstance(part, Quantity) and part.kind == kind for _, part in walk(thing.x)):
        return None
    return _most_of_periods(keys, "maximum" if side == "highest" else "minimum", grain, of)


def _most_of_periods(keys: Keys, said: str, grain: str, thing: Thing) -> Expression | None:
    """``the highest single day of rain``."""
    each = per(thing, level_of(grain)) if not isinstance(keys.level, str) else None
    most = None if each is None else outer(said, each)
    return None if most is None else ranked(keys, said, most)


def both_ends(one: Graded, other: Graded, keys: Keys) -> Answer | None:
    """``the warmest and the coldest month``."""
    found = [ranked_by(keys, named) for named in (one, other)] if one[0] == other[0] and one != other else [None]
    return several(None if x is None else Answer(x) for x in found)


def total_and_each(thing: Thing, key: Level | tuple[Level, ...]) -> Answer | None:
    """``how many hectares in total and per pasture``."""
    each = per(thing, key)
    return None if each is None else several((answer(thing), answer(each)), ("total", "each"))


def _judged_in(x: Expression | Answer, thing: Thing, unit: str) -> Answer | None:
    y = judged_by(x, thing)
    return None if y is None else answered_in(plain(y), unit)


RULES_OF_SECOND_PARTS: tuple[Line, ...] = (
    # when, or where, it was
    *((f"WHICH <- {word} KEYS", lambda keys: keys) for word in ("which", "and", "and? what", "and? next what?")),
    ("WHICH <- when", lambda: Keys("date")),
    *((f"WHICH <- {word} WHICH", lambda keys: keys) for word in ("and", "and? next what?")),
    *((f"WHICH <- WHICH {word}", lambda keys: keys) for word in ("be", "be? seen", "happened", "do happened")),
    ("Q <- what? N WHICH", with_key_told),
    ("E <- E WHICH", with_key),
    ("E <- E WHICH", by_grain),
    # how much it was
    ("E <- E and? next? value_told", with_value),
    ("E <- E and? next? what? N", judged_by),
    ("Q <- E and? next? what? N IU", _judged_in),
    ("E <- E and? next? how ADJECTIVE be?", with_value),
    ("E <- E and? next? how_much QUANTITY happened on?", lambda x, of: with_value(x, of.kind)),
    ("Q <- E and? next? how_many UNIT be?", value_in),
    ("E <- E and? next? what? STAT be?", statistic_told),
    # the same elsewhere
    *((f"Q <- what? N and {asked} W", _and_there) for asked in ("how_many", "how_much")),
    # by how much
    ("MARGIN <- E and? next? HOW", margin),
    ("MARGIN <- MARGIN T", margin_at),
    ("MARGIN <- MARGIN W", margin_in),
    ("Q <- MARGIN", margin_told),
    ("Q <- E and? next? HOW", apart_of_two),
    ("CH <- do GREW and? next? HOW", lambda grew, measure: told_as(measure, turned(*grew))),
    ("N <- do GREW TWO and? next? HOW", moved_by),
    # of one period
    ("XT <- KEYS that? have RANKED one? GRAIN", in_one_period),
    ("XT <- KEYS that? have RANKED one? GRAIN in N", in_one_period),
    # of each, in an order
    *((f"ORDER <- {word} in_order", lambda: True) for word in ("group", "compare", "")),
    *((f"ORDER <- {word} from END until END", lambda *_: True) for word in ("group", "compare", "")),
    ("ORDER <- END first", lambda _: True),
    ("ORDER <- END at first", lambda _: True),
    ("ORDER <- group", lambda: True),
    ("N <- N ORDER", lambda thing, _: thing if thing.keys else None),
    ("A <- A ORDER", lambda extent, _: extent if extent.key is not None else None),
    # what would do
    *((f"{one} <- {one} enough", lambda x: x) for one in ("SHOWN", "CORRELATION", "STAT", "N", "E", "Q")),
    ("XT <- STAT NUM? KEYS judged N", lambda said, *given: ranked(given[-2], said, given[-1], *given[:-2])),
    ("TWO_ENDS <- RANKED and RANKED KEYS", both_ends),
    ("TWO_ENDS <- TWO_ENDS T", lambda one, when: with_change(lambda x: during(x, when), one)),
    ("TWO_ENDS <- TWO_ENDS W", lambda one, where: with_change(lambda x: within(x, where), one)),
    ("Q <- what? TWO_ENDS", lambda one: one),
    # of all, and of each
    ("Q <- what? N in_total and K", total_and_each),
)
