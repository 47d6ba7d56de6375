"""The rules of lists of polygons, classes and dates with what is asked of each, and of what is told in two steps."""

from __future__ import annotations

from typing import Any

from knowflow.question.operators import Trend
from knowflow.question.reading.chart import Line
from knowflow.question.reading.grounds import share_where
from knowflow.question.reading.nouns import Keys, afterwards, graded, level_of, outer, per, ranked
from knowflow.question.reading.order import Level, Thing, within
from knowflow.question.reading.questions import answer


def _slope_again(thing: Thing) -> Thing | None:
    """``fit a line and give its slope``: of what is a trend already."""
    return thing if isinstance(thing.x, Trend) else None


def _each(thing: Thing, key: str) -> Thing | None:
    return per(thing, level_of(key))


def _most(keys: Keys, ground: Any, said: str = "maximum") -> Any:
    """``the date with the most clouds``: that which covers the largest share."""
    share = share_where(ground)
    return None if share is None else ranked(keys, said, share)


def _grouped(thing: Thing, key: Level | tuple[Level, ...], said: str) -> Thing | None:
    """``group the slope by class and give the mean``."""
    one = per(thing, key)
    return None if one is None else afterwards(one, said)


def _of_those(keys: Keys, x: Any) -> Any:
    """``of all dates, which one has``: dates without a time of their own are all of them."""
    return x if keys == Keys("date") else None


RULES_OF_LISTS: tuple[Line, ...] = (
    # one for each
    ("KEY <- NAMED_KEY", lambda key: key),
    ("KEY <- different NAMED_KEY", lambda key: key),
    ("KEY <- all of? NAMED_KEY", lambda key: key),
    ("KEY <- KEY apart", lambda key: key),
    ("KEY <- SCOPE KEY", lambda scope, key: key if scope == "place" else None),
    ("N <- KEY N each", lambda key, thing: _each(thing, key)),
    ("N <- KEY have N each?", lambda key, thing: _each(thing, key), 1),
    ("N <- N do KEY have", _each),
    ("N <- N have KEY", _each, 1),
    ("N <- N do SCOPE have", lambda thing, _: thing),
    ("N <- N do PLACE have", within, 1),
    ("N <- compare KEY have N", lambda key, thing: _each(thing, key)),
    ("N <- SCOPE own N", lambda _, thing: thing),
    ("N <- PLACE own N", lambda place, thing: within(thing, place)),
    ("N <- K own N", lambda key, thing: per(thing, key)),
    ("N <- compare KEY per N", lambda key, thing: _each(thing, key)),
    ("N <- compare N of KEY", _each),
    ("N <- compare N K", per),
    ("K <- K apart", lambda key: key),
    ("K <- in K", lambda key: key),
    ("K <- have? KEY as KEY", lambda key, zones: level_of(key) if zones == "objects" else None),
    ("N <- group N K", per),
    ("N <- group N K and? what? STAT each?", _grouped),
    ("N <- group N K and? what? STAT of? K", lambda *given: _grouped(*given[:3])),
    ("K <- group K", lambda key: key),
    ("N <- group K N", lambda key, thing: per(thing, key)),
    # told in two steps
    ("Q <- what N and what? STAT", lambda thing, said: (x := afterwards(thing, said)) and answer(x)),
    ("Q <- what N and what? STAT over SCOPE", lambda thing, said, _: (x := afterwards(thing, said)) and answer(x)),
    ("N <- N and? next? what? of? those what? STAT", lambda thing, said: outer(said, thing) if thing.keys else None),
    ("N <- N and? next? what? STAT of those", lambda thing, said: outer(said, thing) if thing.keys else None),
    ("N <- N and? next? what? slope per_year?", _slope_again),
    ("N <- N and? next? what? CHANGED per_year", lambda thing, _: _slope_again(thing)),
    ("N <- N and? next? what? RISE per_year", lambda thing, _: _slope_again(thing)),
    ("N <- N and? next? how_fast per_year?", _slope_again),
    # of which, and with the most
    ("KEYS <- of KEYS", lambda keys: keys),
    ("KEYS <- all KEYS", lambda keys: keys),
    ("KEYS <- KEYS of KEYS", lambda one, other: other if one == Keys("date") == Keys(other.key) else None),
    ("XT <- KEYS that? have most GROUND", _most),
    ("XT <- KEYS have? STAT GROUND", lambda keys, said, ground: _most(keys, ground, said), 1),
    ("XT <- KEYS be most GROUND", _most),
    (
        "XT <- KEYS that? have RANKED IT",
        lambda keys, named, of: (
            (x := graded(named, of)) and ranked(keys, "maximum" if named[1] == "highest" else "minimum", x)
        ),
    ),
    (
        "XT <- KEYS that? be RANKED one",
        lambda keys, named: (
            (x := graded(named, True)) and ranked(keys, "maximum" if named[1] == "highest" else "minimum", x)
        ),
    ),
    ("E <- of? all KEYS E", _of_those),
    ("Q <- of? all KEYS Q", _of_those),
)
