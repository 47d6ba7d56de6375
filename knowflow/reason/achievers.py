"""Achievers: which tools can make a condition true, indexed from their effects, cheapest and lossless first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from knowflow.model.condition import Call, Compare, Const, Expression, Name
from knowflow.model.tool import ToolSchema
from knowflow.model.verdict import Goal


@dataclass(frozen=True, slots=True)
class Achiever:
    """A tool and one of its effects: ``carrier`` is the input that becomes ``output``.

    ``like`` is the input that the output is made to resemble; ``right`` the value that a fact is set to.
    """

    schema: ToolSchema
    effect: str
    output: str
    carrier: str
    like: str | None = None
    right: Expression | None = None


class Achievers:
    """The index over a set of tools."""

    def __init__(self, tools: Mapping[str, ToolSchema]) -> None:
        self._by_predicate: dict[str, list[Achiever]] = {}
        for schema in tools.values():
            if schema.insertable:
                for predicate, achiever in _effects_of(schema):
                    self._by_predicate.setdefault(predicate, []).append(achiever)
        for found in self._by_predicate.values():
            found.sort(key=lambda a: (a.schema.lossy is not None, a.schema.cost, a.schema.tool))

    def __call__(self, goal: Goal) -> Iterator[tuple[Achiever, dict[str, object]]]:
        """The achievers of a goal, each with the plain values that bind its effect to the goal."""
        for achiever in self._by_predicate.get(goal.predicate, ()):
            if (goal.like is None) != (achiever.like is None):
                continue
            match achiever.right:
                case None:
                    yield achiever, {}
                case Name(name=parameter):
                    yield achiever, {parameter: goal.value}
                case Const(value=value) if _folded(value) == _folded(goal.value):
                    yield achiever, {}


def _effects_of(schema: ToolSchema) -> Iterator[tuple[str, Achiever]]:
    """The effects on outputs that are a changed copy of one input raster: only these can stand in its place."""
    for text, effect in (*schema.parsed_sets, *schema.parsed_ensures):
        match effect:
            case Compare(left=Call(name=fact, args=(Name(name=output),)), op="==", right=Const() | Name() as right):
                found = _carried(schema, text, output, right=right)
                if found is not None and not (isinstance(right, Name) and right.name not in schema.inputs):
                    yield fact, found
            case Call(name=predicate, args=(Name(name=output),)):
                found = _carried(schema, text, output)
                if found is not None:
                    yield predicate, found
            case Call(name=predicate, args=(Name(name=output), Name(name=like))) if like in schema.inputs:
                found = _carried(schema, text, output, like=like)
                if found is not None:
                    yield predicate, found


def _carried(
    schema: ToolSchema, text: str, output: str, *, like: str | None = None, right: Expression | None = None
) -> Achiever | None:
    preserved = schema.effects.preserves.get(output)
    if preserved is None or preserved.from_ not in schema.inputs:
        return None
    carrier = schema.inputs[preserved.from_]
    if carrier.artifact_type != schema.outputs.get(output):
        return None
    return Achiever(schema, text, output, preserved.from_, like, right)


def _folded(value: object) -> object:
    return value.casefold() if isinstance(value, str) else value
