"""What a question states as numbers and times, by name, and the same question with others: limits, dates, ranks.

A name is that of the field in which it stands; of several the second is ``limit_2``, in the order of the tree.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from knowflow.ground.errors import PlanningError
from knowflow.ground.report import Problem
from knowflow.ground.spelling import did_you_mean
from knowflow.question.check import check
from knowflow.question.form import expression_of, to_data
from knowflow.question.operators import Expression, Number, Point, Position, children, walk, with_children
from knowflow.question.times import FORMS, Times, times


@dataclass(frozen=True, slots=True)
class Literal:
    """Something stated: where the operator stands that has it, in which field, and what it is."""

    at: Position
    field: str
    value: Number | Times | float

    @property
    def text(self) -> str:
        """As it is written."""
        return str(to_data(self.value) if isinstance(self.value, Number) else self.value)


def literals(expression: Expression) -> dict[str, Literal]:
    """All that is stated in an expression, by name."""
    found: dict[str, Literal] = {}
    met: Counter[str] = Counter()
    for at, part in walk(expression):
        for name, value in _stated(part):
            met[name] += 1
            called = name if met[name] == 1 else f"{name}_{met[name]}"
            found[called] = Literal(at, name, value)
    return found


def _stated(e: Expression) -> Iterator[tuple[str, Any]]:
    if isinstance(e, Number | Point):  # a number is told by the field that it stands in
        return
    for one in fields(e):
        value = getattr(e, one.name)
        if isinstance(value, Number | Times | float) or (isinstance(value, int) and not isinstance(value, bool)):
            yield one.name, value


def with_literals(expression: Expression, settings: Mapping[str, Any]) -> Expression:
    """The same question with other numbers and times, told by name: ``limit=0.6``, ``when=2018``, ``limit=300 K``.

    Raises:
        PlanningError: there is none of that name, what is said is no such value, or it does not fit there.
    """
    known = literals(expression)
    for name, said in settings.items():
        if name not in known:
            expected = (
                ", ".join(f"{one}={literal.text}" for one, literal in known.items())
                or "no name, as no number and no time is stated"
            )
            hint = did_you_mean(name, known)
            raise PlanningError("the question states nothing of that name", expected=expected, found=name, hint=hint)
        literal = known[name]
        value = _read(name, literal.value, str(said))
        expression = _changed(expression, literal, value)
    misfits = check(expression).misfits
    if misfits:
        raise PlanningError("the question does not fit together with that", found="; ".join(map(str, misfits)))
    return expression


def _read(name: str, before: Number | Times | float, said: str) -> Number | Times | float:
    found: Any = None
    if isinstance(before, Times):
        found, expected = times(said), f"dates: {FORMS}"
    else:
        expected = "a number" if not isinstance(before, Number) else "a number, with its unit"
        read, _ = expression_of(said)
        if isinstance(read, Number):
            found = _like(before, read)
    if found is None:
        problem = Problem("wrong_type", expected, said, where=name)
        raise PlanningError(f"{name} is something else", where=name, expected=expected, found=said, problems=[problem])
    return found  # type: ignore[no-any-return]


def _like(before: Number | float, read: Number) -> Number | float | None:
    """A number as one that it takes the place of: of the same unit where none is said, whole where that is."""
    if isinstance(before, Number):
        return read if read.unit != "1" or before.unit == "1" else replace(read, unit=before.unit)
    if read.unit != "1":
        return None
    if isinstance(before, int):
        return int(read.value) if read.value.is_integer() else None
    return read.value


def _changed(e: Expression, literal: Literal, value: Any) -> Expression:
    if not literal.at:
        return replace(e, **{literal.field: value})
    below = [*children(e)]
    number = next(n for n, (position, _) in enumerate(below) if literal.at[: len(position)] == position)
    deeper = replace(literal, at=literal.at[len(below[number][0]) :])
    count = iter(range(len(below)))
    return with_children(e, lambda one: _changed(one, deeper, value) if next(count) == number else one)
