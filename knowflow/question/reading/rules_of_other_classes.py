"""The rules of ground whose class is another at another time, whatever it is, and of how many classes there are."""

from __future__ import annotations

from knowflow.question.operators import (
    Axes,
    Beyond,
    During,
    Expression,
    Not,
    Number,
    Over,
    Quantity,
    Split,
    Within,
)
from knowflow.question.reading.chart import Line
from knowflow.question.reading.grounds import share_where
from knowflow.question.reading.keys import Keys, ranked
from knowflow.question.reading.nouns import fits, level_of
from knowflow.question.reading.order import Thing, typed
from knowflow.question.reading.spans import in_order, span
from knowflow.question.times import Times

Two = tuple[Times, Times]


def _changed(key: str, two: Two) -> Within | None:
    """``changed class``: where the maps of two times, between which there is no other, have two classes; of the ground
    that both know."""
    x, whole = level_of(key), span(*in_order(*two))
    own = typed(x) if isinstance(x, Quantity) else None
    if own is None or own.of != "class" or whole is None or two[0] == two[1] or not isinstance(x, Quantity):
        return None
    if own.grain is None and whole.first is not None and whole.last is not None:  # maps that stand for their year
        whole = Times(whole.first.replace(month=1, day=1), whole.last.replace(month=12, day=31))
    maps = During(x, whole)
    axis: Axes = "year" if own.grain is None else "time"
    each = Split(maps, "year") if own.grain is None else maps
    other = Beyond(Over(each, axis, "variety"), "above", Number(1.0))
    return Within(other, Beyond(Over(each, axis, "count"), "at_least", Number(2.0)))


def _kept(key: str, two: Two) -> Expression | None:
    """``kept its class``, ``has the same class in both years``."""
    found = _changed(key, two)
    return None if found is None else Within(Not(found.x), found.where)


def _kept_at(key: str, a: Times, b: Times) -> Expression | None:
    """``has the same class in 2010 and 2020``."""
    return _kept(key, (a, b))


def _than(key: str, later: Times, earlier: Times) -> Expression | None:
    """``has another class in 2021 than in 2020``."""
    return _changed(key, (later, earlier))


def _most(keys: Keys, key: str, two: Two) -> Expression | None:
    """``in which district did the land cover change most``."""
    found = _changed(key, two)
    area = None if found is None else share_where(found, None, "area")
    return None if area is None or isinstance(keys.level, str) else ranked(keys, "maximum", area)


def _variety(key: str) -> Thing | None:
    """``how many different classes are there``: those that some ground is of."""
    x = level_of(key)
    own = typed(x) if isinstance(x, Quantity) else None
    if own is None or own.of != "class" or not isinstance(x, Quantity):
        return None
    return fits(Thing(x, statistic="variety"))


_CHANGED = ("have? did_change NAMED_KEY", "do? NAMED_KEY did_change")
_OTHERWISE = (*_CHANGED, "have? another NAMED_KEY", "be another NAMED_KEY")
_SAME = ("have? unchanged NAMED_KEY", "be unchanged NAMED_KEY")

RULES_OF_OTHER_CLASSES: tuple[Line, ...] = (
    *((f"CHANGED_GROUND <- {said} {two}", _changed) for said in _OTHERWISE for two in ("TWO", "BOTH_TIMES")),
    *((f"CHANGED_GROUND <- {said} {two}", _kept) for said in _SAME for two in ("TWO", "BOTH_TIMES")),
    *((f"CHANGED_GROUND <- {said} in TIME and TIME", _kept_at) for said in _SAME),
    ("TWO <- at_both TWO", lambda two: two),  # the two that there are
    *((f"CHANGED_GROUND <- {verb} another NAMED_KEY T than T", _than) for verb in ("have?", "be")),
    *((f"XT <- KEYS do? {said} TWO", _most) for said in ("NAMED_KEY did_change most", "did_change NAMED_KEY most")),
    *((f"N <- how_many another NAMED_KEY {verb}", _variety) for verb in ("be?",)),
    ("N <- how_many NAMED_KEY another? be", _variety, 1),
)
