"""The rules of what moves: how fast it does, which moves the fastest, and of ground that goes down, the number of which
is below nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from knowflow.question.operators import Calculate, Expression, Number, Quantity
from knowflow.question.reading.chart import Line
from knowflow.question.reading.keys import Keys, ranked
from knowflow.question.reading.limits import compare
from knowflow.question.reading.nouns import adjective_per, fits, level_of, per, statistic_of
from knowflow.question.reading.order import Clause, Test, Thing
from knowflow.question.reading.restricted import within

_WITH_A_SIGN = ("vertical_velocity_of_ground", "line_of_sight_velocity")
"""Velocities of which a number tells the way as well: how fast something moves is how large it is."""
_FASTER, _MOST = ("highest", "above", "maximum"), "maximum"


def sunk(x: Quantity, bound: tuple[str, Any, Any]) -> Test | None:
    """``sank by more than 300 mm``: what is told upwards is below that much less than nothing."""
    side, limit, upper = bound
    below = {"above": "below", "at_least": "at_most"}.get(side)
    if below is None or upper is not None or not isinstance(limit, Number) or limit.unit == "1":
        return None
    return compare(Thing(x), (below, replace(limit, value=-limit.value), None))


def _down(x: Quantity) -> Thing | None:
    """How fast ground goes down, of a velocity that is told upwards."""
    return fits(Thing(Calculate("product", x, Number(-1.0)))) if x.kind in _WITH_A_SIGN else None


def _sinking(place: Any, x: Quantity) -> Thing | None:
    """``how fast is the old town sinking``."""
    down = None if isinstance(place, str) else _down(x)
    return down if down is None or place is True else within(down, place)


def _sinking_each(key: Any, x: Quantity) -> Thing | None:
    """``how fast does each district sink``."""
    down = _down(x)
    return None if down is None else per(down, key)


def _sinks_most(keys: Keys, x: Quantity, said: str) -> Expression | None:
    """``which district sinks the fastest``, ``the least``."""
    return ranked(keys, "minimum" if said in _FASTER else "maximum", Thing(x))


def _at_most(named: tuple[str, str], x: Quantity) -> Thing | None:
    """``the fastest sinking``."""
    down = _down(x)
    return None if down is None else statistic_of("maximum" if named[1] in _FASTER else "minimum", down)


def _speed(kind: str) -> Thing | None:
    """How fast something moves, whichever way."""
    x = Quantity(kind)
    return Thing(x) if kind not in _WITH_A_SIGN else fits(Thing(Calculate("absolute", x)))


def _fastest(named: tuple[str, str]) -> Thing | None:
    """``how fast does the fastest ice move``."""
    speed = _speed(named[0])
    return None if speed is None else statistic_of("maximum" if named[1] in _FASTER else "minimum", speed)


def _moves_most(keys: Keys, named: tuple[str, str]) -> Expression | None:
    """``which landslide moves the fastest``."""
    speed = _speed(named[0]) if named[0].endswith(("velocity", "speed", _WITH_A_SIGN[0])) else None
    return None if speed is None else ranked(keys, "maximum" if named[1] in _FASTER else "minimum", speed)


def _moves(named: tuple[str, str], limit: Any) -> Clause | None:
    """``moves faster than 20 mm a year``."""
    speed = _speed(named[0])
    return None if speed is None else compare(speed, (named[1], limit, None))


RULES_OF_MOTION: tuple[Line, ...] = (
    ("C <- have? be? SINKS by? B", sunk),
    ("CL <- that? have? be? SINKS by? B", sunk),
    ("C <- have? be? SINKS COMPARED NUMBER", lambda x, named, limit: sunk(x, (named[1], limit, None))),
    ("CL <- that? have? be? SINKS COMPARED NUMBER", lambda x, named, limit: sunk(x, (named[1], limit, None))),
    *((f"XT <- KEYS {verb} SINKS most", lambda keys, x: _sinks_most(keys, x, _MOST)) for verb in ("have", "be?")),
    *((f"XT <- KEYS {verb} SINKS RANKED", lambda keys, x, by: _sinks_most(keys, x, by[1])) for verb in ("have", "be?")),
    *((f"XT <- KEYS {verb} SINKS STAT", _sinks_most) for verb in ("have", "be?")),
    *((f"N <- how_fast {verb} IT SINKS", _sinking) for verb in ("be", "do")),
    *((f"N <- how_fast {verb} KEY SINKS", lambda key, x: _sinking_each(level_of(key), x)) for verb in ("be", "do")),
    *((f"N <- how_fast {verb} K SINKS", _sinking_each) for verb in ("be", "do")),
    ("N <- how_fast of SINKS", _down),  # the rate of sinking
    ("N <- SINKS how_fast", _down),
    ("N <- RANKED SINKS", _at_most),
    ("N <- how ADJECTIVE do K move", adjective_per),
    ("N <- how ADJECTIVE do RANKED IT? move", lambda kind, by, *_: _fastest(by) if kind == by[0] else None),
    *((f"XT <- KEYS {verb} RANKED", _moves_most, -1) for verb in ("move", "be moving")),
    *((f"C <- {verb} COMPARED NUMBER", _moves) for verb in ("move", "be? moving")),
    *((f"CL <- that? {verb} COMPARED NUMBER", _moves) for verb in ("move", "be? moving")),
)
