"""A node that is left out of a plan: what needs its result goes with it, what takes it among others goes on without."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from knowflow.ground.errors import GraphEditError
from knowflow.model.edit import LeaveOut
from knowflow.model.plan import Plan, Quality
from knowflow.model.workflow import BandsOf, FromInput, FromNode, Given, Node, SeriesOf, Value, Workflow


@dataclass(frozen=True, slots=True)
class _Pruned:
    """A value without what is gone: None where nothing of use is left. ``dropped`` are positions of a series."""

    value: Value | None
    dropped: tuple[int, ...] = ()
    length: int = 0


def left_out(plan: Plan, edit: LeaveOut) -> Plan:
    """The plan without a node and without what needs its result.

    Raises:
        GraphEditError: there is no such node, a result of the plan would be lost, too few items of a series would be
            left, or nobody can tell which items of another list belong to those that go.
    """
    if edit.node not in plan.workflow.by_id:
        names = ", ".join(plan.workflow.by_id)
        raise GraphEditError(f"there is no node {edit.node!r}", expected=f"one of {names}", found=edit.node)
    gone = {edit.node}
    changed: dict[str, Node] = {}
    while True:
        before = len(gone)
        for node in plan.workflow.nodes:
            if node.id not in gone:
                kept = _without(node, gone, plan, edit)
                if kept is None:
                    gone.add(node.id)
                elif kept is not node:
                    changed[node.id] = kept
        if len(gone) == before:
            break
    outputs = {name: _result(f"the output {name}", value, gone, edit) for name, value in plan.outputs.items()}
    quality = tuple(
        replace(one, values={name: _result(one.condition, value, gone, edit) for name, value in one.values.items()})
        for one in plan.quality
    )
    nodes = tuple(changed.get(node.id, node) for node in plan.workflow.nodes if node.id not in gone)
    return replace(plan, workflow=Workflow(nodes), outputs=outputs, quality=quality)


def quality_of(conditions: Iterable[Quality], gone: set[str]) -> tuple[Quality, ...]:
    """Conditions on what is left of their values once nodes are gone; one of which nothing is left goes as well."""
    found = []
    for one in conditions:
        left = {name: kept for name, value in one.values.items() if (kept := _pruned(value, gone).value) is not None}
        if len(left) == len(one.values):
            found.append(replace(one, values=left))
    return tuple(found)


def _without(node: Node, gone: set[str], plan: Plan, edit: LeaveOut) -> Node | None:
    """The node without what is gone of its arguments; None where it cannot do without."""
    pruned = {name: _pruned(value, gone) for name, value in node.args.items()}
    if any(found.value is None for found in pruned.values()):
        return None
    dropped = {found.dropped for found in pruned.values() if found.dropped}
    if not dropped:
        return node
    length = next(found.length for found in pruned.values() if found.dropped)
    positions = tuple(sorted({index for found in dropped for index in found}))
    if length - len(positions) < edit.keep_at_least:
        raise GraphEditError(
            f"too little would be left for {node.title or node.id}",
            expected=f"{edit.keep_at_least} items or more",
            found=f"{length - len(positions)} of {length}",
        )
    args = {name: _aligned(node, name, node.args[name], positions, length, plan) for name in node.args}
    return replace(node, args=args)


def _aligned(node: Node, name: str, value: Value, positions: tuple[int, ...], length: int, plan: Plan) -> Value:
    """An argument without the positions that go: lists of the same length belong together item by item."""
    parts: tuple[Value, ...] | None = None
    match value:
        case SeriesOf(items=items):
            parts = items
        case FromInput(name=source, at=()) if source in plan.inputs:
            parts = tuple(FromInput(source, (index,)) for index in range(len(plan.inputs[source].items)))
        case Given(value=tuple() as literal) if len(literal) == length:
            raise GraphEditError(
                f"nobody can tell which items of {node.id}.{name} belong to those that are left out",
                expected="a list that comes from the same nodes",
                found=f"{length} plain values",
            )
    if parts is None or len(parts) != length:
        return value
    return SeriesOf(tuple(part for index, part in enumerate(parts) if index not in positions))


def _pruned(value: Value, gone: set[str]) -> _Pruned:
    match value:
        case FromNode(node=node):
            return _Pruned(None if node in gone else value)
        case SeriesOf(items=items):
            found = [_pruned(item, gone).value for item in items]
            kept = tuple(item for item in found if item is not None)
            dropped = tuple(index for index, item in enumerate(found) if item is None)
            return _Pruned(SeriesOf(kept) if kept else None, dropped, len(items))
        case BandsOf(members=members):
            lost = any(_pruned(member, gone).value is None for member in members.values())
            return _Pruned(None if lost else value)
    return _Pruned(value)


def _result(what: str, value: Value, gone: set[str], edit: LeaveOut) -> Value:
    kept = _pruned(value, gone).value
    if kept is None:
        raise GraphEditError(
            f"{what} would be lost", expected="a plan that still answers", found=f"it comes from {edit.node} alone"
        )
    return kept
