"""What an operator was made into: one value of the workflow per key, as known when the plan is made."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from knowflow.ground.errors import PlanningError
from knowflow.model.artifact import Artifact
from knowflow.model.workflow import Given
from knowflow.question.operators import Expression
from knowflow.question.types import Type
from knowflow.reason.builder import Bound, Builder

Keys = tuple[str, ...]
LAYER = 3


class NotCompiledError(PlanningError):
    """No tool or template realises an operator there yet."""

    code = "not_compiled"


@dataclass(frozen=True, slots=True)
class Made:
    """The values of an expression by key; the names of the keys are those of its type.

    ``ground`` are the masks that it was restricted to: beyond them nothing is told apart from what is unknown.
    ``literal``: a stated number. ``table``: all keys are rows of one table, of which this column is meant.
    """

    type: Type
    items: Mapping[Keys, Bound]
    ground: frozenset[Expression] = frozenset()
    literal: bool = False
    table: str = ""

    @property
    def only(self) -> Bound:
        """The value of what has no keys."""
        return self.items[()]

    def of(self, type_: Type, items: Mapping[Keys, Bound]) -> Made:
        """Other values under other keys, on the same ground."""
        return Made(type_, dict(sorted(items.items())), self.ground)

    def groups(self, name: str) -> dict[Keys, list[tuple[str, Bound]]]:
        """The values along the innermost key of a name, in order, for each of the other keys."""
        at = len(self.type.keys) - 1 - self.type.keys[::-1].index(name)
        found: dict[Keys, list[tuple[str, Bound]]] = {}
        for key, bound in sorted(self.items.items()):
            found.setdefault(key[:at] + key[at + 1 :], []).append((key[at], bound))
        return found


def refuse(e: Expression, what: str, hint: str = "") -> NotCompiledError:
    """That nothing realises an operator there."""
    return NotCompiledError(
        f"{e.op} cannot be carried out here",
        where=e.op,
        expected="something that a tool or a template does",
        found=what,
        hint=hint or "the question fits, but no tool does this yet: ask for its parts",
    )


def meet(e: Expression, a: Made, b: Made) -> Iterator[tuple[Keys, Bound, Bound]]:
    """The values of two that belong together: on the keys that both have, one without a key for all of it."""
    large, small = (a, b) if len(a.type.keys) >= len(b.type.keys) else (b, a)
    places = [large.type.keys.index(name) for name in small.type.keys]
    met = False
    for key, bound in large.items.items():
        other = small.items.get(tuple(key[place] for place in places))
        if other is not None:
            met = True
            yield key, *((bound, other) if large is a else (other, bound))
    if not met:
        mine, theirs = (", ".join(sorted({"/".join(key) for key in one.items})[:5]) for one in (a, b))
        expected = f"the same {' and '.join(small.type.keys)} in both"
        raise PlanningError(f"{e.op}: the two do not meet", where=e.op, expected=expected, found=f"{mine} and {theirs}")


@dataclass(frozen=True, slots=True)
class Nodes:
    """Adds nodes, each with what its preconditions need, to one workflow."""

    builder: Builder

    def add(self, tool: str, step: str, key: Keys = (), output: str = "", **arguments: Any) -> Bound:
        """One node; arguments are bound values, or plain ones. Returns the named output, or its first."""
        given = {name: value if isinstance(value, Bound) else constant(value) for name, value in arguments.items()}
        node = self.builder.add(tool, given, layer=LAYER, step=".".join((step, *key)))
        return self.builder.output(node, output or self.builder.outputs_of(node)[0])

    def series(self, items: list[tuple[str, Bound]]) -> Bound:
        """Several values in order as one."""
        return replace(self.builder.series([bound for _, bound in items]), keys=tuple(key for key, _ in items))

    def each(self, x: Made, type_: Type, change: Callable[[Keys, Bound], Bound]) -> Made:
        """Every value changed by a node of its own."""
        return x.of(type_, {key: change(key, bound) for key, bound in x.items.items()})


def constant(value: Any) -> Bound:
    """A plain value."""
    return Bound(Given(value), value)


def is_raster(bound: Bound) -> bool:
    """Whether a value lies over space."""
    return isinstance(bound.known, Artifact) and bound.known.type == "raster"
