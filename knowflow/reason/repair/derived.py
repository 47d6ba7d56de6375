"""Repairs that follow from the tools' schemas by themselves: a condition that is false, and a tool that makes it true.

This is the gap filling of planning time, done again with what was measured: the builder is given the actual arguments
of the failed node, and what it puts before the node becomes edits of the plan.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from knowflow.model.edit import InsertNode, Spot
from knowflow.model.plan import Plan
from knowflow.model.tool import ToolSchema
from knowflow.model.workflow import BandsOf, FromNode, Inserted, Node, SeriesOf, Value
from knowflow.reason.achievers import Achievers
from knowflow.reason.builder import Bound, Builder

Tools = Mapping[str, ToolSchema]


def derived(
    plan: Plan, node: Node, actual: Mapping[str, Any], tools: Tools, achievers: Achievers
) -> tuple[InsertNode, ...]:
    """The insertions that make every precondition of a node hold; none where none are needed.

    ``actual`` are the artifacts and values that the arguments stand for, with what was measured of them.

    Raises:
        PlanningError: no tool can make them hold.
    """
    builder = Builder(tools, achievers)
    bound = {name: Bound(value, actual.get(name)) for name, value in node.args.items()}
    identity = builder.add(node.tool, bound, layer=node.layer, step=node.id)
    workflow = builder.workflow
    final = workflow.node(identity)
    new = {each.id: each for each in workflow.nodes if each.id != identity}
    names = _names(new, plan)
    edits = []
    for each in reversed(tuple(new.values())):
        spots = [Spot(node.id, name, at) for name, value in final.args.items() for at in _ways(value, each.id)]
        spots += [
            Spot(names[other.id], name, at)
            for other in new.values()
            for name, value in other.args.items()
            for at in _ways(value, each.id)
        ]
        args = {name: _standing(value, new, tools) for name, value in each.args.items()}
        why = each.inserted or Inserted("schema", "", "")
        inserted = replace(each, id=names[each.id], args=args, inserted=replace(why, by="schema"))
        edits.append(InsertNode(inserted, tuple(spots)))
    return tuple(edits)


def _names(new: Mapping[str, Node], plan: Plan) -> dict[str, str]:
    """Ids that neither the plan nor another new node has."""
    taken = set(plan.workflow.by_id)
    names: dict[str, str] = {}
    for wanted in new:
        name, number = wanted, 2
        while name in taken:
            name, number = f"{wanted}_{number}", number + 1
        names[wanted] = name
        taken.add(name)
    return names


def _ways(value: Value, node: str, at: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The ways into a value at which a node's output stands."""
    match value:
        case FromNode(node=source) if source == node:
            yield at
        case SeriesOf(items=items):
            for index, item in enumerate(items):
                yield from _ways(item, node, (*at, index))
        case BandsOf(members=members):
            for name, member in members.items():
                yield from _ways(member, node, (*at, name))


def _standing(value: Value, new: Mapping[str, Node], tools: Tools) -> Value:
    """What stands in the plan where a new node will: the argument that it carries on."""
    match value:
        case FromNode(node=source, output=output) if source in new:
            made = new[source]
            schema = tools[made.tool]
            preserved = schema.effects.preserves[output or schema.primary_output]
            return _standing(made.args[preserved.from_], new, tools)
        case SeriesOf(items=items):
            return SeriesOf(tuple(_standing(item, new, tools) for item in items))
        case BandsOf(members=members):
            return BandsOf({name: _standing(member, new, tools) for name, member in members.items()})
    return value
