"""Inputs of a plan that are alike: taken by the same groups of nodes, as the same of their arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import takewhile

from knowflow.model.plan import Plan
from knowflow.model.workflow import BandsOf, FromInput, Value, references

MOST_ALONE = 6
_SEPARATOR = re.compile(r"[_\-./: ](?=[^_\-./: ]*$)")


@dataclass(frozen=True, slots=True)
class InputGroup:
    """An input, or many that are alike; ``name`` is what their names begin with."""

    inputs: tuple[str, ...]
    name: str

    @property
    def label(self) -> str:
        return self.name if len(self.inputs) == 1 else f"{self.name} × {len(self.inputs)}"


def input_groups(plan: Plan, place: Mapping[str, str]) -> tuple[InputGroup, ...]:
    """The inputs that are used, in order, more than ``MOST_ALONE`` that are alike in one group.

    ``place`` tells the group of each node.
    """
    roles: dict[str, dict[tuple[str, str], None]] = {}
    for node in plan.workflow.nodes:
        for argument, value in node.args.items():
            for name, role in _roles(argument, value):
                roles.setdefault(name, {})[place.get(node.id, node.id), role] = None
    for output, value in plan.outputs.items():
        for name, _ in _roles("", value):
            roles.setdefault(name, {})[f"output {output}", ""] = None
    alike: dict[tuple[object, ...], list[str]] = {}
    for name, taken in roles.items():
        kind = plan.inputs[name].type if name in plan.inputs else ""
        alike.setdefault((kind, frozenset(taken)), []).append(name)
    return tuple(group for (kind, _), names in alike.items() for group in _groups(str(kind), names))


def _roles(argument: str, value: Value) -> Iterator[tuple[str, str]]:
    """The inputs that an argument takes, with what each is to it."""
    parts = value.members.items() if isinstance(value, BandsOf) else [("", value)]
    for band, part in parts:
        for ref in references(part):
            if isinstance(ref, FromInput):
                yield ref.name, f"{argument}.{band}"


def _groups(kind: str, names: list[str]) -> Iterator[InputGroup]:
    if len(names) <= MOST_ALONE:
        yield from (InputGroup((name,), name) for name in names)
    else:
        alike = takewhile(lambda column: len(set(column)) == 1, zip(*names, strict=False))
        shared = "".join(column[0] for column in alike)
        whole = _SEPARATOR.split(shared)[0] or shared.rstrip("0123456789")  # without the begin of what differs
        yield InputGroup(tuple(names), whole or kind.replace("_", " ") or "input")
