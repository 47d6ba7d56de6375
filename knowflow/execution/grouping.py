"""What the scheduler knows of nodes that are carried out together: which, which are not to be any more, and what of
their rasters is kept."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from itertools import chain

from knowflow.execution.action import Action, Group, Step, grouped
from knowflow.graph.fusing import groups, taken_outside, takes_many
from knowflow.ground.errors import KnowFlowError
from knowflow.model.artifact import Artifact
from knowflow.model.plan import Plan
from knowflow.model.tool import ToolSchema
from knowflow.model.trace import Trace
from knowflow.model.workflow import FromInput, Node, Workflow, node_refs, references

_NOTHING = Artifact(type="raster")


def may_fuse() -> bool:
    """Whether local nodes are carried out in one pass: they are, unless KNOWFLOW_FUSE says no."""
    return os.environ.get("KNOWFLOW_FUSE", "yes").casefold() not in ("no", "0", "false", "off")


def ends_of(plan: Plan) -> set[str]:
    """The nodes whose results a plan asks for."""
    ends = [*plan.outputs.values(), *(value for one in plan.quality for value in one.values.values())]
    return {ref.node for value in ends for ref in node_refs(value)}


def upstream(workflow: Workflow, nodes: Collection[str]) -> set[str]:
    """The nodes that lead to some, directly or not."""
    found, waiting = set[str](), list(nodes)
    while waiting:
        for source in workflow.node(waiting.pop()).sources():
            if source not in found:
                found.add(source)
                waiting.append(source)
    return found


class Grouping:
    """The groups of one run.

    ``alone`` are nodes that go with no others: their pass was none, or somebody looks for what went wrong. ``spread``:
    several processes are at work, which a long series is divided among.
    """

    def __init__(self, catalogue: Mapping[str, ToolSchema], fuse: bool, *, spread: bool = False) -> None:
        self._catalogue = catalogue
        self._fuse = fuse
        self._spread = spread
        self._under_way: dict[str, tuple[str, ...]] = {}
        self._kept: set[str] = set()
        self.alone: set[str] = set()

    @property
    def surplus(self) -> int:
        """How many nodes are under way beyond the actions that are."""
        return sum(len(group) - 1 for group in self._under_way.values())

    def arranged(self, plan: Plan, pending: Collection[str]) -> list[tuple[str, ...]]:
        """The groups of pending nodes in which some raster need not be written."""
        if not self._fuse:
            return []
        found = groups(plan.workflow, self._catalogue, plan.inputs, set(pending) - self.alone, long=not self._spread)
        self._kept = ends_of(plan) | taken_outside(plan.workflow, found)
        return [group for group in found if any(self._is_unkept(plan, node) for node in group)]

    def _is_unkept(self, plan: Plan, node: str) -> bool:
        return node not in self._kept and self._catalogue[plan.workflow.node(node).tool].returns is None

    def action(self, plan: Plan, group: tuple[str, ...], output: Callable[[str, str], Artifact]) -> Action | None:
        """What a runner is handed of a group, which is under way from here on; None where an argument is not there."""
        nodes = [plan.workflow.node(node) for node in group]
        refs = {ref for node in nodes for ref in chain.from_iterable(map(node_refs, node.args.values()))}
        try:
            known = {(ref.node, ref.output): output(ref.node, ref.output) for ref in refs if ref.node not in group}
        except (KnowFlowError, KeyError):
            self.alone |= set(group)
            return None
        self._under_way[group[0]] = group
        inputs = _used_inputs(plan.inputs, nodes)
        steps = tuple(Step(node, self._catalogue[node.tool], node.id in self._kept) for node in nodes)
        return grouped(Group(steps, inputs, known))

    def divide(self, workflow: Workflow, group: Collection[str]) -> None:
        """Have a group whose pass was none be carried out in smaller ones, or its nodes one by one."""
        self.alone |= takes_many(workflow, group) - self.alone or set(group)

    def ended(self, first: str) -> tuple[str, ...]:
        """The group that went by its first node and is not under way any more; nothing where there was none."""
        return self._under_way.pop(first, ())


def _used_inputs(inputs: Mapping[str, Artifact], nodes: Iterable[Node]) -> dict[str, Artifact]:
    """What nodes take of the inputs of their plan: they may travel. Of a series, each item that nobody takes is stood
    for by nothing."""
    places: dict[str, set[tuple[str | int, ...]]] = {}
    for ref in chain.from_iterable(references(value) for node in nodes for value in node.args.values()):
        if isinstance(ref, FromInput) and ref.name in inputs:
            places.setdefault(ref.name, set()).add(ref.at)
    return {name: _part(inputs[name], taken) for name, taken in places.items()}


def _part(artifact: Artifact, places: Collection[tuple[str | int, ...]]) -> Artifact:
    taken = {at[0] % len(artifact.items) for at in places if at and isinstance(at[0], int) and artifact.items}
    if () in places or not taken:
        return artifact
    return replace(artifact, items=tuple(item if n in taken else _NOTHING for n, item in enumerate(artifact.items)))


def reclaimed(workflow: Workflow, trace: Trace) -> list[str]:
    """The nodes whose rasters were not kept and are needed now, by a node that is to run."""
    found: dict[str, None] = {}
    record = trace.record
    if not any(one.told_only for one in trace.records.values()):
        return []
    for node in reversed(workflow.ordered):
        if node.id in found or record(node.id).status == "pending":
            found |= dict.fromkeys(source for source in node.sources() if record(source).told_only)
    return list(found)
