"""The rules of ground by its rank in a quantity (``in its top 10 %``), and of clauses at a time that is told before."""

from __future__ import annotations

from typing import Any

from knowflow.ground.quantities import quantity_kinds
from knowflow.question.operators import Expression, Extreme, Number, Split, walk
from knowflow.question.reading.chart import Line
from knowflow.question.reading.grounds import where_of
from knowflow.question.reading.keys import Keys
from knowflow.question.reading.limits import suggested
from knowflow.question.reading.order import Clause, Joined, Test, Thing, dated, holding, typed
from knowflow.question.reading.questions import Answer, with_change
from knowflow.question.reading.restricted import during, within
from knowflow.question.reading.rules_of_verbs import State, between
from knowflow.question.times import Times


def in_part(thing: Thing, said: str, part: Number) -> Test | None:
    """``in its top 10 %``: above the 90th percentile of the same, at one time."""
    side = {"maximum": "above", "minimum": "below"}.get(said)
    plain = (thing.statistic, thing.then, thing.keys, thing.outer) == (None, None, (), ())
    own = typed(thing.x)
    if side is None or not plain or part.unit != "%" or not 0 < part.value < 100:
        return None
    if own is None or ("date" in own.keys and not dated(thing.x)):
        return None  # of which date, or of all together, nobody says
    limit = Thing(thing.x, "percentile", 100 - part.value if side == "above" else part.value)
    return Test(Thing(thing.x), side, limit)  # type: ignore[arg-type]


def _there_then(thing: Thing, when: Times, clause: Clause) -> Thing | None:
    """``in July where chlorophyll was above 3 that month``: both at that time."""
    then, where = during(thing, when), during(clause, when)
    there = None if where is None else where_of(where)
    return None if then is None or there is None else within(then, there)


def _in_part_then(thing: Thing, when: Times, other: Thing, said: str, part: Number) -> Thing | None:
    """``in July where chlorophyll was in its top 10 % that month``."""
    then, of = during(thing, when), during(other, when)
    test = None if of is None else in_part(of, said, part)
    there = None if test is None else where_of(test)
    return None if then is None or there is None else within(then, there)


def _between_heights(bound: tuple[str, Any, Any], one: Answer) -> Answer | None:
    """``between 1500 and 2000 m, how large was the share``: of ground so high."""
    test = suggested("elevation")(bound)
    where = None if test is None else where_of(test)
    return None if where is None else with_change(lambda x: within(x, where), one)


def _in_both(clause: Clause, two: tuple[Times, Times]) -> Clause | None:
    """``a mean above 0.6 in both June and July``; ``over 42 degrees on both days``: ground that was so on each."""
    if not isinstance(clause, Test):
        return None
    if clause.left.statistic is None:
        x = None if clause.left.keys or clause.left.outer else holding(clause, "pixel")
        return None if x is None else between(State(x), State(x), two)
    one, other = during(clause, two[0]), during(clause, two[1])
    return None if one is None or other is None or one == other else Joined("and", (one, other))


def _unit_alone(bound: tuple[str, Any, Any]) -> Test | None:
    """``more than 5 nW cm-2 sr-1``: of the only quantity that is told in that unit."""
    limit = bound[1]
    kinds = [kind.name for kind in quantity_kinds().values() if isinstance(limit, Number) and kind.unit == limit.unit]
    return suggested(kinds[0])(bound) if len(kinds) == 1 else None


def _then(test: Test | None, when: Times) -> State | None:
    x = None if test is None else holding(test, "pixel")
    return None if x is None else State(x).at(when)


def _those(x: Expression) -> Keys | None:
    """``which of the five warmest years``: of the periods that were chosen."""
    inner = x.x if isinstance(x, Extreme) and x.n > 1 else None
    grains = {part.key for _, part in walk(inner) if isinstance(part, Split)} if inner is not None else set()
    own = None if inner is None or grains else typed(inner)
    grain = next(iter(grains)) if len(grains) == 1 else "date" if own is not None and "date" in own.keys else None
    return Keys(grain, x) if isinstance(grain, str) else None


RULES_OF_PARTS: tuple[Line, ...] = (
    ("C <- N be in STAT NUMBER", in_part),
    ("W <- in STAT NUMBER of N", lambda said, part, thing: (test := in_part(thing, said, part)) and where_of(test)),
    ("N <- N T where N be in STAT NUMBER at_that_time", _in_part_then),
    ("N <- N T where C at_that_time", _there_then),
    ("Q <- HEIGHTS Q", _between_heights, 1),
    *((f"{one} <- {one} BOTH_TIMES", _in_both, -1) for one in ("C", "CL")),
    ("PAST <- B T", lambda bound, when: _then(_unit_alone(bound), when), 2),
    ("CL <- have B", _unit_alone, 2),
    ("KEYS <- which of XT", _those),
    ("KEYS <- of XT which one?", _those),
    ("KEYS <- among XT which one?", _those),
    ("OBJECTS <- OBJECTS SCOPE", lambda x, scope: x if scope == "place" else None, 1),  # Sunny Hill park
)
