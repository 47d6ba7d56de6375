"""The rules of words that the question itself says the meaning of: ``taking NDWI above 0 as water``."""

from __future__ import annotations

from dataclasses import replace

from knowflow.question.operators import Expression, Quantity, walk
from knowflow.question.reading.attributes import Bound
from knowflow.question.reading.chart import Line
from knowflow.question.reading.limits import compare
from knowflow.question.reading.noted import Told
from knowflow.question.reading.order import Clause, Thing, holding
from knowflow.question.reading.questions import Answer
from knowflow.question.reading.rules_of_verbs import State
from knowflow.question.reading.topics import MEANT, meaning, meant, unexplained

Defined = tuple[Expression, Clause]
"""A word for ground, and what it means."""


def _by_limit(word: Expression, thing: Thing, bound: Bound) -> Defined | None:
    """``water is NDWI above 0``."""
    clause = compare(thing, bound)
    return None if clause is None else (word, clause)


def defined(one: Answer, told: Defined) -> Answer | None:
    """A question with a word of it as it is told to be meant."""
    return meaning(one, told[1], told[0])


def _as_noted(one: Answer, told: Told) -> Answer | None:
    """``going by our definition``: which it is, of a word that the notes define."""
    return one if told.is_of(one.expression) else None


def _as_observed(one: Answer) -> Answer | None:
    """``according to the satellite``: of what is mapped."""
    return one if any(isinstance(part, Quantity) for _, part in walk(one.expression)) else None


def _state(thing: Thing, bound: Bound) -> State | None:
    """``VV below -16 dB``, of which it is told when it was so and when not."""
    clause = compare(thing, bound)
    x = None if clause is None else holding(clause, "pixel")
    return None if x is None else State(x)


RULES_OF_MEANINGS: tuple[Line, ...] = (
    ("GROUND <- described", lambda: MEANT),
    ("GROUND <- UNKNOWN", lambda _: MEANT),
    ("QUANTITY <- UNKNOWN open QUANTITY close", lambda _, x: x),
    ("GROUND <- GROUND open C close", meant),
    ("GROUND <- GROUND namely C", meant, 1),
    ("GROUND <- GROUND C", unexplained),
    ("GROUND <- GROUND CL", unexplained),
    ("Q <- Q open C close", meaning),
    ("Q <- Q namely C", meaning, 1),
    *((f"Q <- Q namely {verb} where C", meaning) for verb in ("move?", "standing")),
    ("Q <- Q using C", meaning, 1),
    ("Q <- using C Q", lambda clause, one: meaning(one, clause), 1),
    ("Q <- call GROUND if C Q", lambda word, clause, one: meaning(one, clause, word)),
    *((f"DEFINED <- C {word} GROUND", lambda clause, ground: (ground, clause)) for word in ("counts", "taken_for")),
    ("DEFINED <- SCOPE that? CL taken_for GROUND", lambda _, clause, ground: (ground, clause)),
    ("DEFINED <- GROUND counts C", lambda ground, clause: (ground, clause)),
    ("DEFINED <- GROUND be N B", _by_limit),
    *((f"Q <- Q {word} DEFINED", defined) for word in ("if", "using", "namely", "next", "next using")),
    *((f"Q <- {word} DEFINED Q", lambda told, one: defined(one, told)) for word in ("if", "using")),
    ("Q <- DEFINED next Q", lambda told, one: defined(one, told)),
    ("Q <- Q open if? using? DEFINED close", defined),
    ("QUANTITY <- QUANTITY FORMULA", lambda x, kind: x if x.kind == kind else None),
    ("SHOWN <- SHOWN FORMULA", lambda how, _: how),
    ("NUMBER <- NUMBER threshold", lambda number: number),
    ("NUMBER <- threshold of? NUMBER", lambda number: number),
    # as the notes of the data say
    ("BY_NOTES <- judged AS_TOLD", lambda told: told),
    ("BY_NOTES <- as AS_TOLD", lambda told: told, 1),
    *((f"BY_NOTES <- open {said} close", lambda told: told) for said in ("BY_NOTES", "AS_TOLD")),
    ("GROUND <- GROUND BY_NOTES", lambda ground, told: ground if told.is_of(ground) else None),
    ("Q <- Q BY_NOTES", _as_noted),
    ("Q <- Q judged observers", _as_observed),
    ("Q <- judged observers Q", _as_observed),
    ("Q <- BY_NOTES Q", lambda told, one: _as_noted(one, told)),
    # of which it is told when it was so, and when not
    ("STATE <- N be? B", _state),
    ("STATE <- N be not B", lambda thing, bound: (state := _state(thing, bound)) and replace(state, so=False), -1),
    ("LATER <- not on DAY", lambda day: State(None, False, day)),
    ("LATER <- be T", lambda when: State(None, True, when)),
    ("LATER <- be on DAY", lambda day: State(None, True, day)),
)
