"""Edits of workflows: pure, and refused with all reasons where the result would not hold together.

An edit returns a new workflow in which every node that it does not concern is the same object as before. What is
checked is the structure (ids, tools, references, layers, cycles) and the arguments of the nodes that were edited;
facts are for :mod:`knowflow.graph.check`, which needs the plan's inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from knowflow.graph.arguments import authored_problems
from knowflow.graph.check import Outputs, check_plan, structure_problems
from knowflow.graph.leave_out import left_out
from knowflow.graph.topology import changed, downstream
from knowflow.ground.errors import GraphEditError
from knowflow.ground.report import Problem, Problems
from knowflow.model.artifact import Artifact
from knowflow.model.edit import Edit, InsertNode, LeaveOut, ReplaceNode, SetParameter, Spot, StateFacts
from knowflow.model.facts import PIXEL_FACTS, Facts, Origin
from knowflow.model.plan import Plan, Quality
from knowflow.model.tool import ToolSchema
from knowflow.model.verdict import place_text
from knowflow.model.workflow import BandsOf, FromInput, FromNode, Node, SeriesOf, Value, Workflow, value_at

Tools = Mapping[str, ToolSchema]
STATED = "state_facts"  # what facts come from that an edit says of an input
__all__ = ["Composition", "Spot", "apply", "carried_out", "compose", "insert_node", "replace_node", "set_parameter"]


@dataclass(frozen=True, slots=True)
class Composition:
    """Two workflows as one; ``renamed`` gives the new ids of the second one's nodes."""

    workflow: Workflow
    renamed: Mapping[str, str] = field(default_factory=dict)


def apply(plan: Plan, edits: Sequence[Edit], tools: Tools, finished: Mapping[str, Outputs] | None = None) -> Plan:
    """The plan with the edits carried out in order, and checked as a whole at the end.

    ``finished`` are the actual outputs of nodes that are done: the check knows what was measured of them.

    Raises:
        GraphEditError: an edit cannot be carried out, or the plan would have a problem that it does not have now;
            ``problems`` has all of them.
    """
    known = finished or {}
    what = "; ".join(edit.sentence() for edit in edits) or "no edit at all"
    if not edits:
        raise GraphEditError("there is nothing to edit", expected="at least one edit", found="none")
    edited = carried_out(plan, edits, tools)
    touched = changed(plan, edited)
    kept = edited.workflow.by_id.keys() - touched - downstream(edited.workflow, touched)
    untouched = {name: outputs for name, outputs in known.items() if name in kept}
    before = {(problem.code, problem.where, problem.expected) for problem in check_plan(plan, tools, known).problems}
    _refuse(
        Problems(
            problem
            for problem in check_plan(edited, tools, untouched).problems
            if (problem.code, problem.where, problem.expected) not in before
        ),
        what,
    )
    return edited


def carried_out(plan: Plan, edits: Sequence[Edit], tools: Tools) -> Plan:
    """The plan with the edits carried out in order; its structure holds, its conditions are not checked.

    Raises:
        GraphEditError: an edit cannot be carried out.
    """
    for edit in edits:
        plan = _carried_out(plan, edit, tools)
    return plan


def _carried_out(plan: Plan, edit: Edit, tools: Tools) -> Plan:
    workflow = plan.workflow
    match edit:
        case SetParameter(node=node, parameter=parameter, value=value):
            return replace(plan, workflow=set_parameter(workflow, node, parameter, value, tools))
        case InsertNode(node=new, spots=spots, carrier=carrier, output=output):
            inside = [spot for spot in spots if spot.node]
            inserted = insert_node(workflow, new, inside, tools, carrier=carrier, output=output, inputs=plan.inputs)
            results = [spot for spot in spots if not spot.node]
            return _with_results_at(replace(plan, workflow=inserted), results, FromNode(new.id, output))
        case ReplaceNode(node_id=node_id, node=new, outputs=outputs):
            return _with_results_of(plan, replace_node(workflow, node_id, new, tools, outputs=outputs), edit, tools)
        case LeaveOut():
            return left_out(plan, edit)
        case StateFacts(inputs=inputs):
            stated = dict(plan.inputs)
            for one in inputs:
                if one.name not in stated:
                    raise GraphEditError(f"there is no input {one.name}", expected=f"one of {', '.join(stated)}")
                stated[one.name] = _stated(stated[one.name], one, edit)
            return replace(plan, inputs=stated)


def _stated(artifact: Artifact, where: FromInput, edit: StateFacts) -> Artifact:
    """An artifact with facts said of all single ones at a place in it; what was measured by other ones is gone."""
    if where.at:
        step, inner = where.at[0], FromInput(where.name, where.at[1:])
        if isinstance(step, int) and step < len(artifact.items):
            items = (_stated(one, inner, edit) if n == step else one for n, one in enumerate(artifact.items))
            return replace(artifact, items=tuple(items))
        if step in artifact.members:
            members = {n: _stated(one, inner, edit) if n == step else one for n, one in artifact.members.items()}
            return replace(artifact, members=members)
        raise GraphEditError(f"{where.name} has no such part", expected="an item or a band", found=str(step))
    if artifact.items:
        return replace(artifact, items=tuple(_stated(one, where, edit) for one in artifact.items))
    if artifact.members:
        return replace(artifact, members={n: _stated(one, where, edit) for n, one in artifact.members.items()})
    said = Facts.of(Origin.USER if edit.by_user else Origin.ASSUMED, STATED, **edit.facts)
    return artifact.with_facts(said.over(artifact.facts.without(PIXEL_FACTS)))


def _with_results_of(plan: Plan, workflow: Workflow, edit: ReplaceNode, tools: Tools) -> Plan:
    """The plan over another workflow, its outputs and quality conditions naming the node that replaced one."""

    def redirected(value: Value) -> Value:
        return _redirected(value, edit.node_id, edit.node.id, _output_names(plan.workflow, edit, tools))

    outputs = {name: rewritten(value, redirected) for name, value in plan.outputs.items()}
    quality = tuple(
        Quality(q.condition, {name: rewritten(value, redirected) for name, value in q.values.items()})
        for q in plan.quality
    )
    return replace(plan, workflow=workflow, outputs=outputs, quality=quality)


def _with_results_at(plan: Plan, spots: Iterable[Spot], part: Value) -> Plan:
    """The plan with a value at places in its outputs; quality conditions on the same values follow them."""
    outputs, quality = dict(plan.outputs), plan.quality
    for spot in spots:
        old = outputs.get(spot.param)
        spread = None if old is None else _spread(old, spot.at, plan.inputs)
        if old is None or spread is None:
            raise GraphEditError(f"there is no {spot}", expected=f"one of {', '.join(outputs)}", found=str(spot))
        outputs[spot.param] = new = _with_part(spread, spot.at, part)
        quality = tuple(
            Quality(one.condition, {n: new if value == old else value for n, value in one.values.items()})
            for one in quality
        )
    return replace(plan, outputs=outputs, quality=quality)


def _output_names(workflow: Workflow, edit: ReplaceNode, tools: Tools) -> Mapping[str, str]:
    names = dict(edit.outputs)
    schema = tools.get(workflow.node(edit.node_id).tool)
    if schema is not None and schema.primary_output in names:
        names.setdefault("", names[schema.primary_output])
    return names


def _redirected(value: Value, old: str, new: str, outputs: Mapping[str, str]) -> Value:
    if isinstance(value, FromNode) and value.node == old:
        return FromNode(new, outputs.get(value.output, value.output))
    return value


def replace_node(
    workflow: Workflow, node_id: str, node: Node, tools: Tools, *, outputs: Mapping[str, str] | None = None
) -> Workflow:
    """The workflow with another node in the place of one; what used its outputs now uses the new node's.

    ``outputs`` maps outputs of the old node to outputs of the new one; others keep their name, the primary output
    stands for the primary output.

    Raises:
        GraphEditError: there is no such node, or the result would not hold together.
    """
    old = _existing(workflow, node_id)
    names = _output_names(workflow, ReplaceNode(node_id, node, outputs or {}), tools)

    def redirected(value: Value) -> Value:
        return _redirected(value, node_id, node.id, names)

    nodes = tuple(node if each is old else rewired(each, redirected) for each in workflow.nodes)
    return _held_together(Workflow(nodes), tools, edited=(node,), what=f"{node_id} cannot be replaced by {node.tool}")


def insert_node(
    workflow: Workflow,
    node: Node,
    spots: Iterable[Spot],
    tools: Tools,
    *,
    carrier: str | None = None,
    output: str = "",
    inputs: Mapping[str, Artifact] | None = None,
) -> Workflow:
    """The workflow with a node before one or more others: its ``output`` stands where another value stood.

    With ``carrier`` that value becomes the new node's argument of this name; several spots must then hold the same
    value. ``inputs`` are the plan's: they tell how many items or which bands an input has, when a spot is inside it.

    Raises:
        GraphEditError: a spot does not exist, the spots hold different values, or the result would not hold together.
    """
    places = tuple(spots)
    what = f"{node.tool} cannot be inserted at {', '.join(map(str, places)) or 'no spot at all'}"
    problems = Problems() if places else Problems([Problem("no_spot", "a spot to insert at", "none")])
    if node.id in workflow.by_id:
        problems.add(Problem("duplicate_id", "an id that is free", repr(node.id), where=node.id))
    standing: dict[str, Value] = {}
    changed: dict[str, Node] = {}
    for spot in places:
        target = changed.get(spot.node, workflow.by_id.get(spot.node))
        if target is None or spot.param not in target.args:
            problems.add(Problem("no_spot", "a node and an argument that it has", str(spot), where=spot.node))
            continue
        spread = _spread(target.args[spot.param], spot.at, inputs or {})
        if spread is None:
            problems.add(Problem("no_spot", "an item or band that the argument has", str(spot), where=spot.node))
            continue
        standing[str(spot)] = value_at(spread, spot.at)
        args = {**target.args, spot.param: _with_part(spread, spot.at, FromNode(node.id, output))}
        changed[spot.node] = replace(target, args=args)
    values = tuple(standing.values())
    if carrier is not None and any(value != values[0] for value in values):
        found = "; ".join(f"{spot}: {value}" for spot, value in standing.items())
        problems.add(Problem("different_values", "the same value at every spot", found, "insert one node for each"))
    _refuse(problems, what)
    new = node if carrier is None else replace(node, args={**node.args, carrier: values[0]})
    first = next(index for index, each in enumerate(workflow.nodes) if each.id in changed)
    nodes = [changed.get(each.id, each) for each in workflow.nodes]
    nodes.insert(first, new)
    return _held_together(Workflow(tuple(nodes)), tools, edited=(new, *changed.values()), what=what)


def set_parameter(workflow: Workflow, node_id: str, param: str, value: Value | None, tools: Tools) -> Workflow:
    """The workflow with another argument for a parameter of a node; None takes the argument away.

    Raises:
        GraphEditError: the node or parameter does not exist, or the value does not fit.
    """
    old = _existing(workflow, node_id)
    args = {name: given for name, given in old.args.items() if name != param}
    if value is not None:
        args[param] = value
    new = replace(old, args=args)
    nodes = tuple(new if each is old else each for each in workflow.nodes)
    return _held_together(Workflow(nodes), tools, edited=(new,), what=f"{node_id}.{param} cannot be set")


def compose(first: Workflow, second: Workflow, bindings: Mapping[str, Value], tools: Tools) -> Composition:
    """The second workflow after the first: values of the first stand for the inputs of the second that are bound.

    Nodes of the second whose ids the first has too get a number; inputs that are not bound stay inputs of the plan.

    Raises:
        GraphEditError: the result would not hold together.
    """
    what = "the workflows cannot be joined"
    problems = Problems()
    taken = {*first.by_id, *second.by_id}
    renamed: dict[str, str] = {}
    for node in second.nodes:
        renamed[node.id] = _free(node.id, taken) if node.id in first.by_id else node.id
        taken.add(renamed[node.id])

    def bound(value: Value) -> Value:
        if isinstance(value, FromNode):
            new = renamed.get(value.node, value.node)
            return value if new == value.node else replace(value, node=new)
        if isinstance(value, FromInput) and value.name in bindings:
            part = _inside(bindings[value.name], value.at)
            if part is None:
                shown = place_text((value.name, *value.at))
                problems.add(
                    Problem("no_part", "a series or band set with the part that is used", shown, where=value.name)
                )
            return value if part is None else part
        return value

    nodes = []
    for node in second.nodes:
        mapped = rewired(node, bound)
        nodes.append(mapped if mapped.id == renamed[node.id] else replace(mapped, id=renamed[node.id]))
    _refuse(problems, what)
    return Composition(_held_together(Workflow((*first.nodes, *nodes)), tools, edited=(), what=what), renamed)


def _existing(workflow: Workflow, node_id: str) -> Node:
    node = workflow.by_id.get(node_id)
    if node is None:
        raise GraphEditError(
            f"there is no node {node_id!r}", expected=f"one of {', '.join(workflow.by_id)}", found=node_id
        )
    return node


def _held_together(workflow: Workflow, tools: Tools, *, edited: Iterable[Node], what: str) -> Workflow:
    problems = Problems(structure_problems(workflow, tools))
    for node in edited:
        if node.tool in tools:
            problems.extend(authored_problems(node, tools[node.tool]))
    _refuse(problems, what)
    return workflow


def _refuse(problems: Problems, what: str) -> None:
    if problems.errors:
        raise GraphEditError(what, expected="a workflow that holds together", problems=problems.errors)


def rewired(node: Node, change: Callable[[Value], Value]) -> Node:
    """The node with every reference changed; the same object where nothing changes."""
    args = {name: rewritten(value, change) for name, value in node.args.items()}
    return node if all(args[name] is value for name, value in node.args.items()) else replace(node, args=args)


def rewritten(value: Value, change: Callable[[Value], Value]) -> Value:
    """A value with every reference and literal in it changed; the same object where nothing changes."""
    match value:
        case SeriesOf(items=items):
            parts = tuple(rewritten(item, change) for item in items)
            return value if all(a is b for a, b in zip(parts, items, strict=True)) else SeriesOf(parts)
        case BandsOf(members=members):
            bands = {name: rewritten(member, change) for name, member in members.items()}
            return value if all(bands[name] is members[name] for name in members) else BandsOf(bands)
    return change(value)


def _inside(value: Value, at: tuple[str | int, ...]) -> Value | None:
    """The part of a value at a place, None where only running the workflow would tell it apart."""
    match value:
        case _ if not at:
            return value
        case SeriesOf(items=items) if isinstance(at[0], int) and 0 <= at[0] < len(items):
            return _inside(items[at[0]], at[1:])
        case BandsOf(members=members) if at[0] in members:
            return _inside(members[str(at[0])], at[1:])
        case FromInput(name=name, at=before):
            return FromInput(name, (*before, *at))
    return None


def _spread(value: Value, at: tuple[str | int, ...], inputs: Mapping[str, Artifact]) -> Value | None:
    """The value with inputs written out as far as a way into them needs it; None where the way does not exist."""
    if not at:
        return value
    step, rest = at[0], at[1:]
    match value:
        case SeriesOf(items=items) if isinstance(step, int) and 0 <= step < len(items):
            inner = _spread(items[step], rest, inputs)
        case BandsOf(members=members) if isinstance(step, str) and step in members:
            inner = _spread(members[step], rest, inputs)
        case FromInput(name=name) if name in inputs:
            written = _written_out(value, inputs[name])
            return None if written is None else _spread(written, at, inputs)
        case _:
            return None
    return None if inner is None else _with_part(value, (step,), inner)


def _written_out(value: FromInput, artifact: Artifact) -> Value | None:
    """A series or band set of the inputs as its parts; None for a single artifact."""
    for step in value.at:
        parts = dict(enumerate(artifact.items)) if isinstance(step, int) else dict(artifact.members)
        if step not in parts:
            return None
        artifact = parts[step]  # type: ignore[index]  # just looked up
    if artifact.items:
        return SeriesOf(tuple(FromInput(value.name, (*value.at, index)) for index in range(len(artifact.items))))
    if artifact.members:
        return BandsOf({band: FromInput(value.name, (*value.at, band)) for band in artifact.members})
    return None


def _with_part(value: Value, at: tuple[str | int, ...], part: Value) -> Value:
    """The value with its part at an existing place replaced."""
    if not at:
        return part
    match value:
        case SeriesOf(items=items):
            changed = (_with_part(item, at[1:], part) if index == at[0] else item for index, item in enumerate(items))
            return SeriesOf(tuple(changed))
        case BandsOf(members=members):
            return BandsOf({n: _with_part(m, at[1:], part) if n == at[0] else m for n, m in members.items()})
    raise AssertionError(f"{value} has no parts")  # _spread writes out what the way leads into


def _free(name: str, taken: Iterable[str]) -> str:
    present = set(taken)
    number = 2
    while f"{name}_{number}" in present:
        number += 1
    return f"{name}_{number}"
