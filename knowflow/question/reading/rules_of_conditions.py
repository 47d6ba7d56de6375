"""Conditions that hold at once, each with a verb or a form of its own: a limit, a distance, inside or outside a place,
a state (``was flooded in April, lies within 2 km of the river and has a slope below 5 degrees``).

``COND`` is one that may follow another, ``CONDS`` are several of them of which the last follows an ``and``."""

from __future__ import annotations

from knowflow.question.operators import Expression, Not, Polygons, Within, walk
from knowflow.question.reading.chart import Line
from knowflow.question.reading.grounds import both_grounds, where_of
from knowflow.question.reading.limits import joined
from knowflow.question.reading.objects import cut, so_near
from knowflow.question.reading.order import Clause, Joined, Test
from knowflow.question.reading.questions import one_of_a_kind
from knowflow.question.reading.restricted import grounded, within


def _at_once(one: Clause, other: Clause) -> Clause | None:
    """Both of two: not two places or two classes, of which each is rather meant for itself."""
    if isinstance(one, Expression) and isinstance(other, Expression):
        return joined("and")(one, other) if _of_one_ground(one, other) else None
    told = _place_of(one)
    if told is None or not isinstance(other, Test) or grounded(other.left.x):
        return joined("and")(one, other) if one != other else None
    same = within(other, told)
    return None if same is None else joined("and")(one, same)


def _place_of(clause: Clause) -> Polygons | None:
    """``Eldoret was warmer than 18 °C and had more than 100 mm``: of which place a limit is told, and so the next."""
    if isinstance(clause, Joined):
        return _place_of(clause.parts[0])
    parts = (part for _, part in walk(clause.left.x)) if isinstance(clause, Test) else ()
    return next((part.where for part in parts if isinstance(part, Within) and isinstance(part.where, Polygons)), None)


def _of_one_ground(one: Expression, other: Expression) -> bool:
    """Whether two grounds are told of one and the same: neither side by side, nor one the rest of the other."""
    inner, rest = (part.x if isinstance(part, Not) else part for part in (one, other))
    return inner != rest and not one_of_a_kind(one, other) and not one_of_a_kind(inner, rest)


def _there_too(where: Expression, clause: Clause) -> Expression | None:
    other = where_of(clause)
    return both_grounds(where, other) if other is not None and _of_one_ground(where, other) else None


def _those_too(x: Expression, where: Expression) -> Expression | None:
    """``deeper than 50 cm, heavier than 50 g and from trench A``: features of which more is told already."""
    told = [part.where for _, part in walk(x) if isinstance(part, Within)]
    return cut(x, where) if told and all(_of_one_ground(one, where) for one in told) else None


RULES_OF_CONDITIONS: tuple[Line, ...] = (
    ("COND <- CL", lambda clause: clause),
    ("COND <- be CL", lambda clause: clause),
    ("COND <- be? have GROUND", lambda ground: ground, 1),
    ("CONDS <- and COND", lambda clause: clause),
    ("CONDS <- COND CONDS", _at_once, 1),
    *((f"{one} <- {one} CONDS", _at_once) for one in ("CL", "COVERED", "C")),
    *((f"W <- W and {one}", _there_too, 1) for one in ("OUTER", "where C")),
    ("W <- W and NEARBY", lambda where, near: (x := so_near(near)) and _there_too(where, x), 1),
    ("OBJ <- OBJ and that? be? W", _those_too, 1),
)
