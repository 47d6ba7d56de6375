"""The rules of ground that is left out, in any place of a sentence: ``leaving out permanent water``, ``(lakes not
counted)``, ``except where it is steep``."""

from __future__ import annotations

from dataclasses import replace

from knowflow.question.operators import And, During, Expression, Not, Over, Polygons, walk
from knowflow.question.reading.chart import Line
from knowflow.question.reading.grounds import is_mark, where_of
from knowflow.question.reading.order import Clause, Thing, typed
from knowflow.question.reading.questions import Answer
from knowflow.question.reading.restricted import during, within
from knowflow.question.reading.rules_of_areas import of_whole


def _rest(place: Expression) -> Expression | None:
    """Ground without some of it; a feature by its name may be left out of those that are told apart."""
    return None if isinstance(place, Polygons) and place.names else Not(place)


def _elsewhere(clause: Clause) -> Expression | None:
    where = where_of(clause)
    return None if where is None else Not(where)


def _shares(x: Expression) -> bool:
    return any(isinstance(part, Over) and part.statistic == "share" for _, part in walk(x))


def _of(thing: Thing, rest: Expression) -> Thing | None:
    """A share is of what is said: whether it is of all of it or of the rest nothing tells behind it. Of one mark of an
    image without the other it is of all: ``the share under cloud, shadow not counted``."""
    if thing.statistic == "share" and is_mark(thing.x) and is_mark(rest):
        times = [part.when for _, part in walk(thing.x) if isinstance(part, During)]
        return replace(thing, x=And((thing.x, (during(rest, times[0]) or rest) if times else rest)))
    return None if thing.statistic == "share" or _shares(thing.x) else within(thing, rest)


def _of_all(one: Answer, rest: Expression) -> Answer | None:
    x = None if _shares(one.expression) else within(one.expression, rest)
    return None if x is None or typed(x) is None else replace(one, expression=x)


RULES_OF_LEFT_OUT: tuple[Line, ...] = (
    *((f"LEFT_OUT <- {word} PLACE", _rest, 1) for word in ("leave_out", "other_than")),
    *((f"LEFT_OUT <- {word} where C", _elsewhere, 1) for word in ("leave_out", "other_than")),
    ("LEFT_OUT <- have? PLACE be? left_out", _rest, 1),
    ("LEFT_OUT <- open LEFT_OUT close", lambda rest: rest),
    ("PLACE <- SCOPE LEFT_OUT", lambda _, rest: rest),
    ("A <- A LEFT_OUT", of_whole),
    ("N <- N LEFT_OUT", _of),
    *((f"Q <- {words}", _of_all, 1) for words in ("Q LEFT_OUT", "Q next LEFT_OUT")),
    ("Q <- LEFT_OUT Q", lambda rest, one: _of_all(one, rest), 1),
)
