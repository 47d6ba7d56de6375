"""What fits: the type of every part of an expression, by rule, and why a part does not fit, in plain words.

Every operator has one rule (:mod:`knowflow.question.typing_rules`); the rules of parts whose own parts do not fit are
left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from knowflow.question.misfits import DoesNotFitError
from knowflow.question.operators import Expression, Position, children
from knowflow.question.types import Type
from knowflow.question.typing_rules import RULES


@dataclass(frozen=True, slots=True)
class Misfit:
    """One thing of an expression that does not fit: where in the tree, what was expected, and what is there."""

    at: Position
    operator: str
    expected: str
    found: str
    hint: str = ""

    def __str__(self) -> str:
        return f"{self.operator}: expected {self.expected}, found {self.found}" + (f" ({self.hint})" * bool(self.hint))


@dataclass(frozen=True, slots=True)
class Checked:
    """The type of an expression, None where something does not fit, of all that is in it, and all misfits."""

    type: Type | None
    types: Mapping[Position, Type]
    misfits: tuple[Misfit, ...]


def check(expression: Expression) -> Checked:
    """The types of an expression and everything in it, and all that does not fit."""
    types: dict[Position, Type] = {}
    misfits = list(_checked(expression, (), types))
    if not misfits and types[()].of == "object":
        misfits = [Misfit((), expression.op, "something that is asked of them", "polygons alone")]
    return Checked(None if misfits else types[()], types, tuple(misfits))


def type_of(expression: Expression) -> Type | None:
    """The type of an expression, or None where something in it does not fit."""
    return check(expression).type


def _checked(expression: Expression, at: Position, types: dict[Position, Type]) -> Iterator[Misfit]:
    below: dict[str, Any] = {}
    fits = True
    for position, child in children(expression):
        found = list(_checked(child, (*at, *position), types))
        yield from found
        if found:
            fits = False
            continue
        own = types[(*at, *position)]
        name = str(position[1])
        below[name] = [*below.get(name, []), own] if len(position) > 2 else own
    if not fits:
        return
    try:
        types[at] = RULES[type(expression)](expression, below)
    except DoesNotFitError as wrong:
        place = (*at, expression.op, *wrong.below) if wrong.below else at
        yield Misfit(place, expression.op, wrong.expected, wrong.found, wrong.hint)
