"""Workflows: a DAG of nodes, W = (V, E). Edges are what the arguments of nodes refer to."""

from __future__ import annotations

import heapq
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from typing import Any, Literal

from knowflow.ground.errors import UnknownNameError
from knowflow.model.literal import frozen, plain


@dataclass(frozen=True, slots=True)
class Given:
    """A literal argument."""

    value: Any


@dataclass(frozen=True, slots=True)
class FromNode:
    """An output of another node; ``output`` empty means the primary one."""

    node: str
    output: str = ""


@dataclass(frozen=True, slots=True)
class FromInput:
    """An input of the plan, or a part of it: ``at`` walks into series (numbers) and band sets (band names)."""

    name: str
    at: tuple[str | int, ...] = ()


@dataclass(frozen=True, slots=True)
class SeriesOf:
    """Several values in order, handed over as one series (or list)."""

    items: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class BandsOf:
    """Rasters by common band name."""

    members: Mapping[str, Value]

    def __hash__(self) -> int:
        return hash(tuple(sorted(self.members.items(), key=lambda pair: pair[0])))


Value = Given | FromNode | FromInput | SeriesOf | BandsOf


@dataclass(frozen=True, slots=True)
class Inserted:
    """Why a node stands in the workflow although no template names it."""

    by: Literal["planner", "rule", "schema", "memory", "llm", "person", "user"]
    because: str
    goal: str
    lossy: str | None = None

    @property
    def who(self) -> str:
        """Whose it is, as a sentence says it: by the planner, by memory."""
        return self.by if self.by == "memory" else f"the {self.by}"


@dataclass(frozen=True, slots=True)
class Node:
    """An action: a tool with its arguments. ``step`` names the template step it was made from, ``of`` the place of the
    operator that it carries out, in the expression that is asked (``/over/x``); empty: of none, or nobody knows."""

    id: str
    tool: str
    args: Mapping[str, Value] = field(default_factory=dict)
    layer: int = 1
    title: str = ""
    step: str = ""
    inserted: Inserted | None = None
    of: str = field(default="", compare=False)
    _sources: tuple[str, ...] | None = field(default=None, init=False, repr=False, compare=False)  # once looked for

    def __hash__(self) -> int:
        return hash(self.id)

    def sources(self) -> tuple[str, ...]:
        """The nodes this one depends on, once each, in order of the arguments."""
        if self._sources is None:
            found = tuple(dict.fromkeys(ref.node for value in self.args.values() for ref in node_refs(value)))
            object.__setattr__(self, "_sources", found)
        return self._sources or ()


@dataclass(frozen=True, slots=True)
class Edge:
    source: str
    output: str
    target: str
    param: str


@dataclass(frozen=True)
class Workflow:
    """Nodes in authored order. Edits return new workflows (see ``knowflow.graph.edit``)."""

    nodes: tuple[Node, ...] = ()

    @cached_property
    def by_id(self) -> dict[str, Node]:
        return {node.id: node for node in self.nodes}

    def node(self, node_id: str) -> Node:
        try:
            return self.by_id[node_id]
        except KeyError:
            raise UnknownNameError(
                f"no node {node_id!r}", expected=f"one of {', '.join(self.by_id)}", found=node_id
            ) from None

    @cached_property
    def edges(self) -> tuple[Edge, ...]:
        found = {
            Edge(ref.node, ref.output, node.id, param): None
            for node in self.nodes
            for param, value in node.args.items()
            for ref in node_refs(value)
        }
        return tuple(found)

    @cached_property
    def ordered(self) -> tuple[Node, ...]:
        """The nodes so that every one comes after those it depends on (see :func:`knowflow.graph.topology.order`)."""
        sources = {id(node): node.sources() for node in self.nodes}
        waiting = {node.id: sum(source in self.by_id for source in sources[id(node)]) for node in self.nodes}
        followers: dict[str, list[str]] = {node.id: [] for node in self.nodes}
        position = {node.id: index for index, node in enumerate(self.nodes)}
        for node in self.nodes:
            for source in sources[id(node)]:
                if source in followers:
                    followers[source].append(node.id)
        ready = [position[node_id] for node_id, count in waiting.items() if count == 0]
        heapq.heapify(ready)
        result: list[Node] = []
        while ready:
            node = self.nodes[heapq.heappop(ready)]
            result.append(node)
            for follower in followers[node.id]:
                waiting[follower] -= 1
                if waiting[follower] == 0:
                    heapq.heappush(ready, position[follower])
        return tuple(result)

    def __len__(self) -> int:
        return len(self.nodes)


def references(value: Value) -> Iterator[FromNode | FromInput]:
    """The node outputs and plan inputs a value refers to."""
    match value:
        case FromNode() | FromInput():
            yield value
        case SeriesOf(items=items):
            for item in items:
                yield from references(item)
        case BandsOf(members=members):
            for member in members.values():
                yield from references(member)


def node_refs(value: Value) -> Iterator[FromNode]:
    """The node outputs a value refers to."""
    return (ref for ref in references(value) if isinstance(ref, FromNode))


def value_at(value: Value, path: tuple[str | int, ...]) -> Value:
    """The part of a value at a place (without the parameter's own name)."""
    for index, step in enumerate(path):
        match value:
            case SeriesOf(items=items) if isinstance(step, int):
                value = items[step]
            case BandsOf(members=members) if isinstance(step, str):
                value = members[step]
            case FromInput(name=name, at=at):
                return FromInput(name, (*at, *path[index:]))
            case _:
                return value
    return value


def to_json(value: Value) -> Any:
    """A value as plain data: ``{from: node}``, ``{input: name}``, ``{series: [...]}``, ``{bands: {...}}`` or itself."""
    match value:
        case Given(value=literal):
            return {"value": plain(literal)} if isinstance(literal, Mapping) else plain(literal)
        case FromNode(node=node, output=output):
            return {"from": node, "output": output} if output else {"from": node}
        case FromInput(name=name, at=at):
            return {"input": name, "at": list(at)} if at else {"input": name}
        case SeriesOf(items=items):
            return {"series": [to_json(item) for item in items]}
        case BandsOf(members=members):
            return {"bands": {name: to_json(member) for name, member in members.items()}}


def from_json(data: Any) -> Value:
    """The inverse of :func:`to_json`."""
    if not isinstance(data, dict):
        return Given(frozen(data))
    if "from" in data:
        return FromNode(data["from"], data.get("output", ""))
    if "input" in data:
        return FromInput(data["input"], tuple(data.get("at", ())))
    if "series" in data:
        return SeriesOf(tuple(from_json(item) for item in data["series"]))
    if "bands" in data:
        return BandsOf({name: from_json(member) for name, member in data["bands"].items()})
    return Given(frozen(data["value"] if data.keys() == {"value"} else data))


def free_name(name: str, taken: Container[str]) -> str:
    """The name, or where it is taken the name with the first number from 2 on that is not."""
    if name not in taken:
        return name
    return next(f"{name}_{number}" for number in count(2) if f"{name}_{number}" not in taken)
