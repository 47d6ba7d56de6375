"""Typed edits of a plan: the only way in which a rule, a language model or a person changes what is executed.

Edits are plain values. :func:`knowflow.graph.edit.apply` carries them out, and refuses what would not hold together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from knowflow.model.literal import frozen, plain
from knowflow.model.plan import node_from_json, node_to_json
from knowflow.model.verdict import place_text
from knowflow.model.workflow import FromInput, FromNode, Given, Node, SeriesOf, Value, from_json, to_json

_LONGEST = 60
_MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class Spot:
    """A place where a value stands: a node's parameter, and the way into a series or band set there.

    Without a node ``param`` is an output of the plan.
    """

    node: str
    param: str
    at: tuple[str | int, ...] = ()

    def __str__(self) -> str:
        return place_text((self.node or "outputs", self.param, *self.at))


@dataclass(frozen=True, slots=True)
class SetParameter:
    """Another argument for a parameter of a node; None takes the argument away."""

    node: str
    parameter: str
    value: Value | None

    def sentence(self) -> str:
        if self.value is None:
            return f"leave out {self.node}.{self.parameter}"
        return f"set {self.node}.{self.parameter} to {_shown(self.value)}"

    def to_json(self) -> dict[str, Any]:
        value = None if self.value is None else {"of": to_json(self.value)}
        return {"edit": "set_parameter", "node": self.node, "parameter": self.parameter, "value": value}


@dataclass(frozen=True, slots=True)
class InsertNode:
    """A node before others: its ``output`` stands at every spot; what stood there becomes its ``carrier`` argument."""

    node: Node
    spots: tuple[Spot, ...]
    carrier: str | None = None
    output: str = ""

    def sentence(self) -> str:
        return f"insert {self.node.tool} ({self.node.id}) before {', '.join(map(str, self.spots))}"

    def to_json(self) -> dict[str, Any]:
        return {
            "edit": "insert_node",
            "node": node_to_json(self.node),
            "spots": [{"node": spot.node, "param": spot.param, "at": list(spot.at)} for spot in self.spots],
            "carrier": self.carrier,
            "output": self.output,
        }


@dataclass(frozen=True, slots=True)
class ReplaceNode:
    """Another node in the place of one; ``outputs`` maps outputs of the old node to outputs of the new one."""

    node_id: str
    node: Node
    outputs: Mapping[str, str] = field(default_factory=dict)

    def __hash__(self) -> int:
        return hash((self.node_id, self.node))

    def sentence(self) -> str:
        return f"replace {self.node_id} by {self.node.tool}"

    def to_json(self) -> dict[str, Any]:
        return {
            "edit": "replace_node",
            "node_id": self.node_id,
            "node": node_to_json(self.node),
            "outputs": dict(self.outputs),
        }


@dataclass(frozen=True, slots=True)
class LeaveOut:
    """A node goes, with every node that needs its result; series go on without the items that came from it.

    Refused where a result of the plan would be lost, or a series would keep fewer items than ``keep_at_least``.
    """

    node: str
    keep_at_least: int = 1

    def sentence(self) -> str:
        return f"leave out {self.node} and what hangs on it alone"

    def to_json(self) -> dict[str, Any]:
        return {"edit": "leave_out", "node": self.node, "keep_at_least": self.keep_at_least}


@dataclass(frozen=True, slots=True)
class StateFacts:
    """Facts of inputs of the plan, or of parts of them, said again: whoever reads the files goes by them.

    ``by_user``: a person vouches for them, so that no repair says otherwise; else they are assumed.
    """

    inputs: tuple[FromInput, ...]
    facts: Mapping[str, Any]
    by_user: bool = False

    def __hash__(self) -> int:
        return hash((self.inputs, frozenset(self.facts), self.by_user))

    def sentence(self) -> str:
        said = ", ".join(
            f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}" for name, value in self.facts.items()
        )
        named = [place_text((one.name, *one.at)) for one in self.inputs[:_MOST_NAMED]]
        more = len(self.inputs) - len(named)
        return f"state {said} of {', '.join(named)}{f' and {more} more' if more else ''}"

    def to_json(self) -> dict[str, Any]:
        return {
            "edit": "state_facts",
            "inputs": [{"name": one.name, "at": list(one.at)} for one in self.inputs],
            "facts": plain(dict(self.facts)),
            **({"by_user": True} if self.by_user else {}),
        }


Edit = SetParameter | InsertNode | ReplaceNode | LeaveOut | StateFacts


def edit_from_json(data: Mapping[str, Any]) -> Edit:
    """The inverse of ``to_json``.

    Raises:
        KeyError, TypeError, ValueError: the data are not those of an edit.
    """
    match data["edit"]:
        case "set_parameter":
            value = data["value"]
            return SetParameter(data["node"], data["parameter"], None if value is None else from_json(value["of"]))
        case "insert_node":
            spots = tuple(Spot(spot["node"], spot["param"], tuple(spot.get("at", ()))) for spot in data["spots"])
            return InsertNode(node_from_json(data["node"]), spots, data.get("carrier"), data.get("output", ""))
        case "replace_node":
            return ReplaceNode(data["node_id"], node_from_json(data["node"]), dict(data.get("outputs", {})))
        case "leave_out":
            return LeaveOut(data["node"], data.get("keep_at_least", 1))
        case "state_facts":
            inputs = tuple(FromInput(one["name"], tuple(one.get("at", ()))) for one in data["inputs"])
            return StateFacts(inputs, frozen(dict(data["facts"])), bool(data.get("by_user", False)))
    raise ValueError(f"{data['edit']!r} is no kind of edit")


def _shown(value: Value) -> str:
    match value:
        case Given(value=literal):
            text = repr(literal)
        case FromNode(node=node, output=output):
            text = f"{output} of {node}" if output else node
        case FromInput(name=name, at=at):
            text = place_text((name, *at))
        case SeriesOf(items=items):
            text = f"a series of {len(items)}"
        case _:
            text = f"the bands {', '.join(value.members)}"
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
