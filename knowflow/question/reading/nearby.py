"""Expressions near to what was asked: grown from what is at hand, by the operators' own declarations.

A tree grows from a quantity upwards, one operator at a time; its fields are drawn from what was heard and what the data
offer, and what fits stays. Those that have the most of what was asked, and least beside, are followed.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, replace
from functools import cache
from types import NoneType
from typing import Any, Literal, get_args, get_origin

from knowflow.question.form import forms
from knowflow.question.operators import (
    GRAINS,
    OPERATORS,
    During,
    Expression,
    Number,
    Quantity,
    Split,
    Within,
    children,
    walk,
    with_children,
)
from knowflow.question.reading.behind import BEHIND, stood_for
from knowflow.question.reading.chart import Entity
from knowflow.question.reading.nouns import level_of
from knowflow.question.reading.order import typed
from knowflow.question.reading.sentence import Sentence
from knowflow.question.times import Times
from knowflow.question.types import Type

_GROUNDS = ("GROUND", "OBJECTS", "POINT")


def heard_in(sentence: Sentence) -> Heard:
    """What the words of a sentence ask for, each with the places of these words."""
    found: dict[Any, frozenset[int]] = {}
    for one in sentence.entities:
        for asked in _asked_by(one, sentence):
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


def _asked_by(one: Entity, sentence: Sentence) -> Iterator[Any]:
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


_LEAVES = 8
_WIDTH = 10
_DEEPEST = 5
_BESIDE = 0.15  # what an operator costs that nobody asks for
_LIKE = 0.4  # what another value counts than the one that is asked for
_FIRST = ("during", "within")
_LAST = ("over", "holds")
_USUAL: Mapping[str, tuple[Any, ...]] = {
    "axes": ("space", "time"),
    "statistic": ("mean",),
    "side": ("above", "highest"),
    "how": ("difference",),
    "method": ("linear",),
    "as": ("map",),
    "n": (1,),
}

Heard = Mapping[Any, frozenset[int]]
"""Which words (by their places) ask for an operator, for a value of one (told as a pair), or for an expression."""


@dataclass(frozen=True, slots=True)
class AtHand:
    """What expressions are made of; ``values`` are those of other fields of operators, by the name of the field."""

    quantities: tuple[Expression, ...]
    times: tuple[Times, ...] = ()
    grounds: tuple[Expression, ...] = ()
    keys: tuple[str | Expression, ...] = ()
    limits: tuple[Number, ...] = ()
    values: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Grown:
    """An expression, the words that ask for something in it, those for something like it, and what nobody asks for."""

    expression: Expression
    type: Type
    met: frozenset[int] = frozenset()
    like: frozenset[int] = frozenset()
    operators: frozenset[str] = frozenset()
    beside: int = 0

    @property
    def worth(self) -> float:
        return len(self.met) + _LIKE * len(self.like - self.met) - _BESIDE * self.beside


def nearby(at_hand: AtHand, heard: Heard) -> Iterator[Expression]:
    """Expressions that ask for an answer, the nearest to what was heard first."""
    begun = [one for e in (*at_hand.quantities, *at_hand.grounds) if (one := _grown(e, (), heard)) is not None]
    restricted = {one.expression: one for one in begun}
    for op in _FIRST:
        more = _front(restricted.values(), [op] if op in heard else [], at_hand, heard)
        restricted |= {one.expression: one for one in more}
    operators = [op for op in OPERATORS if _place(op) is not None and op not in _FIRST and (op in heard or op in _LAST)]
    found: dict[Expression, _Grown] = {}
    for leaf in sorted(restricted.values(), key=lambda one: -one.worth)[:_LEAVES]:
        front = [leaf]
        for _ in range(_DEEPEST):
            front = _front(front, operators, at_hand, heard)
            found |= {one.expression: one for one in front}
    asked = [one for one in found.values() if _answers(one.type) and not _is_of_one_day(one)]
    loose = {one.expression: len(one.type.keys) for one in asked if not one.type.chosen and "split" not in heard}
    asked.sort(key=lambda one: (_LIKE * loose.get(one.expression, 0) - one.worth, one.beside))
    return (one.expression for one in asked)


def _front(some: Iterable[_Grown], operators: Sequence[str], at_hand: AtHand, heard: Heard) -> list[_Grown]:
    """What the operators make of some, the nearest to what was heard."""
    made = (
        _grown(e, (one,), heard)
        for one in some
        for op in operators
        if op == "over" or op not in one.operators
        for e in _above(op, one, at_hand)
    )
    new = {one.expression: one for one in made if one is not None}
    return sorted(new.values(), key=lambda one: -one.worth)[:_WIDTH]


def _answers(own: Type) -> bool:
    """Whether it is told as an answer: a number, a date, a short table, or what is shown; not a map as it is."""
    return own.chosen or own.of == "answer" or (own.of in ("number", "date") and not own.space and len(own.keys) <= 1)


def _is_of_one_day(one: _Grown) -> bool:
    """Whether it asks of one day which date it was, or for each: there is no other."""
    parts = [part for _, part in walk(one.expression)]
    days = {part.when for part in parts if isinstance(part, During) and isinstance(part.when, Times)}
    single = any(when.first is not None and when.first == when.last for when in days)
    of_dates = {*one.type.keys} & {*GRAINS} or any(isinstance(part, Split) and part.key in GRAINS for part in parts)
    return single and bool(of_dates)


def _grown(e: Expression, below: Sequence[_Grown], heard: Heard) -> _Grown | None:
    """An expression that fits, with the words that ask for its newest operator."""
    own = typed(e)
    if own is None:
        return None
    before = frozenset[int]().union(*(one.met for one in below))
    like = frozenset[int]().union(*(one.like for one in below), heard.get(e.op, ()))
    met = before.union(*_asked(e, heard, _place(e.op) if below else None))
    operators = frozenset((e.op,)).union(*(one.operators for one in below))
    return _Grown(e, own, met, like, operators, sum(one.beside for one in below) + (met == before))


def _asked(e: Expression, heard: Heard, but: str | None = None) -> Iterator[frozenset[int]]:
    """The words that ask for an expression, for values of it, and for what is below, ``but`` for one place."""
    yield heard.get(e, frozenset())
    for name, (declared, _) in forms(e.op).items():
        value = getattr(e, declared.name)
        if name != but and isinstance(value, Expression):
            yield from _asked(value, heard)
        elif name != but:
            yield heard.get((e.op, value), frozenset())


def _above(op: str, one: _Grown, at_hand: AtHand) -> Iterator[Expression]:
    """An operator over an expression, with every value at hand."""
    own, mine = forms(op), _place(op)
    choices = (
        [one.expression] if name == mine else _choices(name, declared, form, one.expression, at_hand)
        for name, (declared, form) in own.items()
    )
    for values in itertools.product(*choices):
        yield OPERATORS[op](**dict(zip((declared.name for declared, _ in own.values()), values, strict=True)))


@cache
def _place(op: str) -> str | None:
    """The first field of an operator that takes an expression; None where it takes none, or many."""
    return next((name for name, (_, form) in forms(op).items() if form is Expression), None)


def _choices(name: str, declared: Field[Any], form: Any, below: Expression, at_hand: AtHand) -> Iterable[Any]:
    """What a field may hold: what is at hand for it, else what is usual of what it allows, or stands where nothing is
    said."""
    of_data = {"when": at_hand.times, "where": at_hand.grounds, "key": at_hand.keys, "limit": at_hand.limits}
    if name in of_data:
        return of_data[name]
    if name == "b":
        return _beside(below, at_hand)
    values = dict.fromkeys((*at_hand.values.get(name, ()), *_USUAL.get(name, ())))
    chosen: list[Any] = [value for value in values if not allowed(form) or value in allowed(form)]
    usual = [] if chosen or declared.default is MISSING else [declared.default]
    return dict.fromkeys((*chosen, *usual, *([None] if NoneType in get_args(form) else [])))


def allowed(form: Any) -> tuple[Any, ...]:
    """The values that the declared type of a field lists; none where it lists none."""
    return next((get_args(one) for one in (form, *get_args(form)) if get_origin(one) is Literal), ())


def _beside(e: Expression, at_hand: AtHand) -> Iterator[Expression]:
    """The same at another time, of other ground, or of another quantity."""
    match e:
        case During(when=when):
            yield from (replace(e, when=other) for other in at_hand.times if other != when)
        case Within(where=where):
            yield from (replace(e, where=other) for other in at_hand.grounds if other != where)
        case Quantity():
            yield from (other for other in at_hand.quantities if other != e)
    for _, child in children(e):
        for other in _beside(child, at_hand):
            yield with_children(e, lambda one, child=child, other=other: other if one is child else one)  # type: ignore[misc]
