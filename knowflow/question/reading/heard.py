"""What was heard in a question, whether it was read or not: the operators, values and things that its words ask for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from knowflow.question.form import forms
from knowflow.question.operators import Expression, Number, Quantity, walk
from knowflow.question.reading.chart import Entity
from knowflow.question.reading.nearby import Heard
from knowflow.question.reading.nouns import level_of
from knowflow.question.reading.reader import BEHIND, stood_for
from knowflow.question.reading.sentence import Sentence

_GROUNDS = ("GROUND", "OBJECTS", "POINT")


def heard_in(sentence: Sentence) -> Heard:
    """What the words of a sentence ask for, each with the places of these words."""
    found: dict[Any, frozenset[int]] = {}
    for one in sentence.entities:
        for asked in _asked(one, sentence):
            found[asked] = found.get(asked, frozenset()).union(range(one.start, one.end))
    return found


def heard_of(expression: Expression) -> Heard:
    """The same of an expression that was written: every part of it asks for itself."""
    found: dict[Any, frozenset[int]] = {}
    for place, (_, part) in enumerate(walk(expression)):
        values = (getattr(part, declared.name) for declared, _ in forms(part.op).values())
        told = [(part.op, value) for value in values if not isinstance(value, Expression)]
        for asked in (part, part.op, *told):
            found[asked] = found.get(asked, frozenset()) | {place}
    return found


def _asked(one: Entity, sentence: Sentence) -> Iterator[Any]:
    """An expression, an operator, or a value of one, told as a pair."""
    value = one.value
    if isinstance(value, Expression):
        yield from (part for _, part in walk(value))
        if one.symbol in _GROUNDS:
            yield "within"
    elif one.symbol in ("GRAIN", "NAMED_KEY"):
        if value != "date":
            yield from ("split", ("split", level_of(value)))
    elif one.symbol == "NUM":
        if any(when.symbol == "TIME" and when.start <= one.start < when.end for when in sentence.entities):
            return
        units = [unit.value for unit in sentence.entities if unit.symbol == "UNIT" and unit.start == one.end]
        yield from (("extreme", value), *(Number(value, unit) for unit in units or ["1"]))
    elif one.symbol in BEHIND and one.symbol != "UNIT":
        for op in BEHIND[one.symbol]:
            yield from (op, *((op, told) for told in stood_for(one)))
        if one.symbol in ("RANKED", "COMPARED", "MORE"):
            yield Quantity(value[0])
