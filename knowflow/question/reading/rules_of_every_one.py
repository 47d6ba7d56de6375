"""The rules of questions that are answered by yes or no of all of something, or of any of it: ``did the sea stay below
30 °C in every month of 2020``, ``did every district get more than 300 mm``, ``did it ever exceed 0.8``.

What is held against the limit is told of each month, date or polygon by itself, and the answer is one for all of them.
"""

from __future__ import annotations

from typing import Any

from knowflow.question.operators import Expression, Number, Statistic
from knowflow.question.reading.changes import changed, turned
from knowflow.question.reading.chart import Line
from knowflow.question.reading.comparisons import test_of
from knowflow.question.reading.keys import Keys, counted
from knowflow.question.reading.limits import compare
from knowflow.question.reading.order import Clause, Test, Thing, holding, typed
from knowflow.question.reading.questions import Answer
from knowflow.question.reading.restricted import during
from knowflow.question.times import Times

Every = tuple[Statistic, Keys]
"""All of some keys, or any of them."""


def _of_every(every: Every, clause: Clause, when: Times | Expression | None = None) -> Expression | None:
    """Whether something holds for all of the keys, or for any of them: one yes or no."""
    statistic, keys = every
    keys_then = keys if when is None else keys.during(when)
    thing = None if keys_then is None else counted(keys_then, clause, statistic)
    own = None if thing is None else typed(thing.x)
    plain = own is not None and own.of == "truth" and not own.space and not own.keys
    return thing.x if thing is not None and plain else None


def _at(statistic: Statistic, clause: Clause | None, when: Times | Expression | None = None) -> Expression | None:
    """``ever``, ``always``: on any of the dates, or on all of them."""
    then = clause if clause is None or when is None else during(clause, when)
    return None if then is None else _of_every((statistic, Keys("date")), then)


def _whether(clause: Clause) -> Expression | None:
    """``did the sea stay below 30 °C in August``: all in all."""
    return holding(clause) if isinstance(clause, Test) else None


def _as_asked(one: Answer) -> Answer | None:
    """``... (yes or no)``: of what is answered so anyway."""
    own = typed(one.expression)
    return one if own is not None and own.of == "truth" and not own.space else None


def _moved(thing: Thing, way: str, two: tuple[Times, Times]) -> Clause | None:
    """``did it fall from one time to another``."""
    change = changed(turned(thing, way), two)
    own = None if change is None else typed(change.x)
    fits = change is not None and own is not None and own.of == "number"
    return compare(change, ("above", Number(0.0, own.measure.unit), None)) if fits and change and own else None


def _all(keys: Keys) -> Every:
    return "all", keys


def _any(keys: Keys) -> Every:
    return "any", keys


def _moved_in_each(thing: Thing, way: str, *said: Any) -> Expression | None:
    """``did it fall in all districts between one time and another``, in either order."""
    two, every = said if isinstance(said[1][1], Keys) else said[::-1]
    clause = _moved(thing, way, two)
    return None if clause is None else _of_every(every, clause)


_EVER: tuple[tuple[str, Statistic], ...] = (("always", "all"), ("at_all", "any"))

_VERBS = ("be", "do", "have")

RULES_OF_EVERY_ONE: tuple[Line, ...] = (
    *((f"IN_EACH <- {words} KEYS", _all) for words in ("in_every", "every_single", "in all", "on all", "over all")),
    *((f"IN_EACH <- {words} KEYS", _any) for words in ("in any", "on any")),
    *((f"EACH_OF <- {words} KEYS", _all) for words in ("every_of", "all")),
    ("EACH_OF <- any KEYS", _any),
    *((f"IF <- {verb} N B", compare) for verb in _VERBS),
    *((f"IF <- {verb} C", lambda clause: clause) for verb in (*_VERBS, "is_it_true")),
    ("IF <- ISMORE OTHER", test_of),
    ("E <- IF", _whether, 3),
    *((f"IF_SO <- {clause}", lambda clause: clause, cost) for clause, cost in (("IF", 0), ("C", 1))),
    ("E <- IF_SO IN_EACH", lambda clause, every: _of_every(every, clause), -2),
    ("E <- IF_SO IN_EACH T", lambda clause, every, when: _of_every(every, clause, when), -2),
    ("E <- IN_EACH IF_SO", _of_every, -2),
    *((f"E <- {verb} EACH_OF SAID", _of_every, -2) for verb in (*_VERBS, "is_it_true")),
    *((f"E <- do N MOVED {words}", _moved_in_each, -2) for words in ("TWO IN_EACH", "IN_EACH TWO")),
    *(
        (f"E <- {words} T?", lambda *said, how=how: _at(how, compare(*said[:2]), *said[2:]), -2)
        for verb in _VERBS
        for word, how in _EVER
        for words in (f"{verb} N {word} B", f"{verb} N B {word}")
    ),
    *((f"Q <- {words}", _as_asked) for words in ("Q next? yes_or_no", "Q next? open yes_or_no close", "yes_or_no Q")),
    *((f"E <- IF {word} T?", lambda clause, *when, how=how: _at(how, clause, *when), -2) for word, how in _EVER),
)
