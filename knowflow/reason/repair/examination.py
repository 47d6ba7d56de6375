"""A failed node under examination: its arguments as they were, and the way back to where something went wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

from knowflow.graph.resolve import arguments_of
from knowflow.ground.errors import KnowFlowError
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Facts
from knowflow.model.plan import Plan
from knowflow.model.tool import ToolSchema
from knowflow.model.trace import NodeRecord, Trace
from knowflow.model.verdict import Place, leaves
from knowflow.model.workflow import FromInput, FromNode, Node, references, value_at
from knowflow.reason.repair.samples import Sample

Tools = Mapping[str, ToolSchema]
_LONGEST_WAY = 64


@dataclass(frozen=True, slots=True)
class FileTrouble:
    """Why a file cannot be used: a cause, and what the system says."""

    cause: str
    reason: str


class Probe(Protocol):
    """Looks at files. Never raises: what cannot be looked at is not known."""

    def facts(self, raster: Artifact) -> Facts:
        """Pixel facts, measured."""
        ...

    def sample(self, raster: Artifact) -> Sample | None:
        """Values of a raster; None where it cannot be read."""
        ...

    def trouble(self, artifact: Artifact) -> FileTrouble | None:
        """Why the file of an artifact cannot be used."""
        ...

    def full(self) -> bool:
        """Whether the disk is full where results are kept."""
        ...


@dataclass(frozen=True, slots=True)
class Origin:
    """Where something that is wrong comes from: an argument of a node, and the file it is read from, if it is one."""

    node: str
    place: Place
    artifact: Artifact | None = None
    input: FromInput | None = None

    @property
    def file(self) -> str:
        return (self.artifact.path or "") if self.artifact is not None and self.input is not None else ""


class Examination:
    """One failure: the node, its error, its arguments, and what feeds it."""

    def __init__(self, trace: Trace, node: str, tools: Tools, probe: Probe) -> None:
        self.trace = trace
        self.node: Node = trace.plan.workflow.node(node)
        self.tools = tools
        self.probe = probe
        self._facts: dict[str, Facts] = {}
        self._samples: dict[str, Sample | None] = {}

    @property
    def plan(self) -> Plan:
        return self.trace.plan

    @property
    def schema(self) -> ToolSchema:
        return self.tools[self.node.tool]

    @property
    def record(self) -> NodeRecord:
        return self.trace.record(self.node.id)

    @property
    def error(self) -> Mapping[str, Any]:
        return self.record.error or {}

    def said(self) -> str:
        """All words of the error, for patterns."""
        parts = (self.error.get(name) for name in ("code", "message", "expected", "found", "hint"))
        return " ".join(str(part) for part in parts if part)

    @cached_property
    def arguments(self) -> Mapping[str, Any]:
        return self.arguments_of(self.node)

    def arguments_of(self, node: Node) -> Mapping[str, Any]:
        """The arguments a node was called with; nothing where something it needs has no result."""
        try:
            return arguments_of(node, self.tools[node.tool], self.plan.inputs, self._output)
        except (KnowFlowError, KeyError, IndexError):
            return {}

    def _output(self, node_id: str, output: str) -> Artifact:
        schema = self.tools[self.plan.workflow.node(node_id).tool]
        return self.trace.record(node_id).outputs[output or schema.primary_output]

    def leaves(self, node: Node | None = None) -> Iterator[tuple[Place, Artifact]]:
        """Every single artifact among the arguments of a node (default: the failed one)."""
        arguments = self.arguments if node is None else self.arguments_of(node)
        for name, value in arguments.items():
            if isinstance(value, Artifact):
                yield from leaves((name,), value)

    def measured(self, artifact: Artifact) -> Artifact:
        """An artifact with its pixel facts, measured where they are not known; series and band sets part by part."""
        if artifact.items:
            return replace(artifact, items=tuple(self.measured(item) for item in artifact.items))
        if artifact.members:
            return replace(artifact, members={name: self.measured(one) for name, one in artifact.members.items()})
        if artifact.type != "raster" or artifact.path is None or "valid_fraction" in artifact.facts:
            return artifact
        key = f"{artifact.path}:{artifact.band}"
        if key not in self._facts:
            self._facts[key] = self.probe.facts(artifact)
        return artifact.with_facts(artifact.facts.over(self._facts[key]))

    def sample(self, artifact: Artifact) -> Sample | None:
        """Values of a raster, looked at once."""
        key = f"{artifact.path}:{artifact.band}:{artifact.fact('scale')}:{artifact.fact('offset')}"
        if key not in self._samples:
            self._samples[key] = self.probe.sample(artifact)
        return self._samples[key]

    def origin(self, place: Place, bad: Callable[[Artifact], bool], node: Node | None = None) -> Origin:
        """Where what is wrong with an argument comes from.

        Goes back along the edges for as long as an input of the node behind is wrong in the same way; the last node
        on that way is guilty, or the file that it reads.
        """
        current, where = node or self.node, place
        for _ in range(_LONGEST_WAY):
            artifact = dict(self.leaves(current)).get(where)
            reference = self.reference(current, where)
            if isinstance(reference, FromInput):
                return Origin(current.id, where, artifact, reference)
            if reference is None:
                return Origin(current.id, where, artifact)
            behind = self.plan.workflow.node(reference.node)
            further = next((at for at, leaf in self.leaves(behind) if bad(self.measured(leaf))), None)
            if further is None:
                return Origin(behind.id, (), artifact)
            current, where = behind, further
        return Origin(current.id, where)

    def reference(self, node: Node, place: Place) -> FromNode | FromInput | None:
        """What an argument refers to at a place, the way into an input included."""
        value = node.args.get(str(place[0])) if place else None
        if value is None:
            return None
        try:
            part = value_at(value, place[1:])
        except (IndexError, KeyError):
            part = value
        if isinstance(part, FromInput):
            return FromInput(part.name, self._way_in(part))
        return next(references(part), None)

    def _way_in(self, reference: FromInput) -> tuple[str | int, ...]:
        """The part of the way into an input that it has: one raster taken as a series has no items."""
        artifact, way = self.plan.inputs.get(reference.name), []
        for step in reference.at:
            if artifact is None:
                break
            if isinstance(step, int) and step < len(artifact.items):
                artifact = artifact.items[step]
            elif isinstance(step, str) and step in artifact.members:
                artifact = artifact.members[step]
            else:
                break
            way.append(step)
        return tuple(way)

    def whole_way(self, reference: FromInput) -> FromInput:
        """The way to the single raster that a series of one, or a set of one band, stands for."""
        artifact, way = self.plan.inputs[reference.name], list(reference.at)
        for step in reference.at:
            artifact = artifact.items[step] if isinstance(step, int) else artifact.members[step]
        while len(artifact.parts()) == 1:
            way.append(0 if artifact.items else next(iter(artifact.members)))
            artifact = artifact.parts()[0]
        return FromInput(reference.name, tuple(way))

    def inputs(self) -> Iterator[tuple[FromInput, Artifact]]:
        """Every single artifact among the inputs of the plan."""
        for name, artifact in self.plan.inputs.items():
            for place, leaf in leaves((name,), artifact):
                yield FromInput(name, place[1:]), leaf
