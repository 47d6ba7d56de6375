"""The rules of which of some that are named is more so: ``which covers more land, flysch or moraine``, ``which zone was
hotter, the harbour or the old town``."""

from __future__ import annotations

from dataclasses import dataclass, replace

from knowflow.question.operators import (
    Expression,
    Extreme,
    IsClass,
    Over,
    Polygons,
    Quantity,
    Split,
    Within,
    walk,
    with_children,
)
from knowflow.question.reading.amounts import all_of
from knowflow.question.reading.chart import Line
from knowflow.question.reading.comparisons import SIZE, Degree
from knowflow.question.reading.grounds import area_of, either
from knowflow.question.reading.keys import Keys
from knowflow.question.reading.nouns import Graded, amount
from knowflow.question.reading.order import Thing, closed, typed
from knowflow.question.reading.restricted import during, within
from knowflow.question.reading.rules_of_areas import Extent
from knowflow.question.times import Times


@dataclass(frozen=True, slots=True)
class More:
    """What is more, or less, of one than of others, before it is said of which: their own area, without ``thing``."""

    side: str
    thing: Thing | None = None
    keys: Keys | None = None
    when: Times | Expression | None = None


def _more(degree: Degree, thing: Thing, keys: Keys | None = None) -> More | None:
    side, kind = degree
    return More(side, thing, keys) if kind in ("", SIZE) else None


def _larger(degree: Degree, extent: Extent, keys: Keys | None = None) -> More | None:
    """``which had the larger area``."""
    plain = extent == Extent("area") or extent == Extent("area", unit=extent.unit)
    return More(degree[0], None, keys) if degree[1] in ("", SIZE) and plain else None


def _so(named: Graded, keys: Keys | None = None) -> More:
    """``which was hotter``."""
    return More(named[1], Thing(Quantity(named[0])), keys)


def _of_ground(ground: Expression, degree: Degree, keys: Keys | None = None) -> More | None:
    """``which burned more``."""
    thing = area_of(ground)
    return None if thing is None else _more(degree, thing, keys)


def _got(degree: Degree, x: Quantity, keys: Keys | None = None) -> More | None:
    """``which got more rain``."""
    thing = amount(Thing(x))
    return None if thing is None else _more(degree, thing, keys)


def _at(one: More, when: Times | Expression) -> More | None:
    if one.when is not None or (one.thing is not None and during(one.thing, when) is None):
        return None
    return replace(one, when=when)


def _also(a: Expression, b: Expression) -> Expression | None:
    """Classes of one map, or features of one file, by name."""
    named = isinstance(a, IsClass | Polygons) and isinstance(b, IsClass | Polygons)
    found = either(a, b) if named and a != b else None
    if isinstance(a, Polygons) and isinstance(found, Polygons):
        same = isinstance(b, Polygons) and a.layer == b.layer
        return replace(found, layer=a.layer) if same else None
    return found if isinstance(found, IsClass) else None


def _most(one: More, of: Expression) -> Expression | None:
    """The one of those named of which it is more."""
    key: Expression = of.x if isinstance(of, IsClass) else of
    if one.keys is not None and not _called(one.keys, key):
        return None
    x: Expression | None
    if one.thing is not None and any(isinstance(part, IsClass) and part.x == key for _, part in walk(one.thing.x)):
        return None  # which is one of those already
    if one.thing is None:
        x = Over(Within(key, of) if isinstance(of, IsClass) else of, "space", "area")
    else:
        there = within(one.thing, of) if isinstance(of, IsClass) else one.thing
        x = None if there is None else closed(there, key)
    if x is not None and one.when is not None:
        x = during(x, one.when)
    nothing = isinstance(of, IsClass) and (one.thing is None or one.thing.statistic in ("area", "sum", "count"))
    if x is None or (one.side == "below" and nothing):
        return None  # of the other classes there is nothing at all, which is less
    found = Extreme(x, "highest" if one.side == "above" else "lowest")
    return found if typed(found) is not None else None


def _only(x: Expression, of: Expression) -> Expression | None:
    """``which type had the largest burned area: woodland or grassland``: of those alone."""
    if not isinstance(x, Extreme) or x.n != 1:
        return None
    if isinstance(of, IsClass):
        there = within(x.x, of) if x.side == "highest" else None
        keys: list[object] = [part.key for _, part in walk(x) if isinstance(part, Split)]
        return (
            None
            if there is None or of.x not in (*keys, x.x.x if isinstance(x.x, Over) else None)
            else replace(x, x=there)
        )
    found = _of_those(x, of)
    return found if found != x and typed(found) is not None else None


def _of_those(x: Expression, of: Expression) -> Expression:
    if isinstance(x, Split) and isinstance(x.key, Polygons) and _called_so(x.key, of):
        return replace(x, key=of)
    if isinstance(x, Polygons) and _called_so(x, of):
        return of
    return with_children(x, lambda part: _of_those(part, of))


def _called_so(key: Polygons, of: Expression) -> bool:
    return isinstance(of, Polygons) and (key.names, key.by) == ((), None) and key.layer in (None, of.layer)


def _called(keys: Keys, key: Expression) -> bool:
    """Whether those that are named are what they are called."""
    level = keys.level
    if isinstance(level, Polygons):
        return keys.when is None and _called_so(level, key)
    return keys.when is None and level == key


RULES_OF_ALTERNATIVES: tuple[Line, ...] = (
    *((f"ALTS <- {one} or {one}", _also) for one in ("GROUND", "OBJECTS")),
    *((f"ALTS <- {one} ALTS", _also) for one in ("GROUND", "OBJECTS")),
    ("ALTS <- namely_is ALTS", lambda of: of),
    ("MORE_OF <- which have DEG N", _more),
    ("MORE_OF <- which KEYS have DEG N", lambda keys, degree, thing: _more(degree, thing, keys)),
    *((f"MORE_OF <- which {verb} DEG A", _larger) for verb in ("have", "cover")),
    *(
        (f"MORE_OF <- which KEYS {verb} DEG A", lambda keys, one, other: _larger(one, other, keys))
        for verb in ("have", "cover")
    ),
    ("MORE_OF <- which be MORE", _so),
    ("MORE_OF <- which KEYS be MORE", lambda keys, named: _so(named, keys)),
    ("MORE_OF <- which GROUND DEG", _of_ground),
    ("MORE_OF <- which KEYS GROUND DEG", lambda keys, one, other: _of_ground(one, other, keys)),
    ("MORE_OF <- which have DEG QUANTITY", _got),
    ("MORE_OF <- which KEYS have DEG QUANTITY", lambda keys, one, other: _got(one, other, keys)),
    ("MORE_OF <- which have DEG STUFF", lambda degree, x: (y := all_of(x)) and _more(degree, y)),
    ("MORE_OF <- which KEYS have DEG STUFF", lambda keys, degree, x: (y := all_of(x)) and _more(degree, y, keys)),
    ("MORE_OF <- MORE_OF T", _at),
    ("XT <- XT ALTS", _only),
    ("E <- MORE_OF ALTS", _most),
)
