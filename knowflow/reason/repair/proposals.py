"""From a rule's actions to typed edits of the plan at hand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from knowflow.graph.edit import carried_out
from knowflow.graph.leave_out import left_out
from knowflow.ground.errors import KnowFlowError
from knowflow.model.artifact import Artifact
from knowflow.model.diagnosis import Diagnosis
from knowflow.model.edit import Edit, InsertNode, LeaveOut, ReplaceNode, SetParameter, Spot, StateFacts
from knowflow.model.literal import frozen
from knowflow.model.plan import Plan
from knowflow.model.rule import DropItems, InsertTool, ReplaceTool, Rule, RuleAction, SetTo
from knowflow.model.tool import ToolSchema
from knowflow.model.verdict import Place, leaves
from knowflow.model.workflow import (
    BandsOf,
    FromInput,
    FromNode,
    Given,
    Inserted,
    Node,
    SeriesOf,
    Value,
    free_name,
    value_at,
)

Tools = Mapping[str, ToolSchema]
# the spots at which a rule inserts, with what stands there in words, by node, parameter and scope
Places = dict[tuple[str, str, str], list[tuple[tuple[Spot, ...], str]]]


class InapplicableError(KnowFlowError):
    """A rule matches, but what it does cannot be done here."""

    code = "inapplicable"


@dataclass(frozen=True, slots=True)
class Draft:
    """The edits of a rule for one failure; ``again`` are nodes to be run once more as they are."""

    edits: tuple[Edit, ...]
    again: tuple[str, ...] = ()


def filled(text: str, diagnosis: Diagnosis) -> str:
    """What a rule says of itself, with the findings that it names: ``taken to be in $found.unit``."""

    def value(match: re.Match[str]) -> str:
        found = diagnosis.found.get(match[1])
        return f"{found:g}" if isinstance(found, float) else str(found)

    return re.sub(r"\$found\.([a-z_]+)", value, text)


def drafted(rule: Rule, plan: Plan, diagnosis: Diagnosis, arguments: Mapping[str, Any], tools: Tools) -> Draft:
    """The edits that a rule makes of a plan; each action works on what the ones before it left.

    ``arguments`` are the actual ones of the guilty node.

    Raises:
        InapplicableError, GraphEditError: an action cannot be carried out here; the error says why. Whether conditions
            hold after the last of them is for :func:`knowflow.graph.edit.apply` to check.
    """
    edits: list[Edit] = []
    again: tuple[str, ...] = ()
    current, node = plan, diagnosis.node
    places: Places = {}
    for action in rule.then:
        if action.retry is not None:
            again = (diagnosis.failed,)
            continue
        made = tuple(_edits(action, rule, current, node, diagnosis, arguments, tools, places))
        current = carried_out(current, made, tools)
        edits += made
        if action.replace_tool is not None:
            node = next(edit.node.id for edit in made if isinstance(edit, ReplaceNode))
    return Draft(tuple(edits), again)


def _edits(
    action: RuleAction,
    rule: Rule,
    plan: Plan,
    node: str,
    diagnosis: Diagnosis,
    arguments: Mapping[str, Any],
    tools: Tools,
    places: Places,
) -> Iterator[Edit]:
    target = plan.workflow.node(node)
    if action.insert_tool is not None:
        yield from _insertions(action.insert_tool, rule, plan, target, diagnosis, arguments, tools, places)
    elif action.set_parameter is not None:
        yield _setting(action.set_parameter, target, diagnosis, arguments, tools)
    elif action.replace_tool is not None:
        yield _replacement(action.replace_tool, rule, plan, target, diagnosis, arguments, tools)
    elif action.drop_items is not None:
        yield from _dropping(action.drop_items, plan, target, diagnosis)
    elif action.state_facts is not None:
        yield _stating(action.state_facts, plan, target, diagnosis, arguments)


# --- insert ---------------------------------------------------------------------------------------------------------


def _insertions(
    action: InsertTool,
    rule: Rule,
    plan: Plan,
    target: Node,
    diagnosis: Diagnosis,
    arguments: Mapping[str, Any],
    tools: Tools,
    places: Places,
) -> Iterator[InsertNode]:
    schema = tools.get(action.tool)
    if schema is None:
        raise InapplicableError(f"{rule.rule} inserts a tool that is not at hand", expected="a tool", found=action.tool)
    carrier = action.carry or carrier_of(schema)
    written = {name: _argument(value, diagnosis, target, arguments) for name, value in action.with_.items()}
    given = {name: value for name, value in written.items() if value is not None}
    missing = [n for n, p in schema.inputs.items() if p.required and n != carrier and n not in given]
    if missing:
        raise InapplicableError(f"{action.tool} needs {', '.join(missing)}", expected="an argument", found="nothing")
    taken = set(plan.workflow.by_id)
    key = (target.id, action.before or "", action.scope)
    if key not in places:  # what a rule inserts next goes behind what it inserted first, at the same spots
        found = _spots(action, plan, target, diagnosis, arguments)
        places[key] = [(spots, _subject(plan, spots[0])) for spots in found]
    for spots, subject in places[key]:
        consumers = [plan.workflow.node(spot.node) for spot in spots if spot.node]
        layer = min(consumer.layer for consumer in consumers)
        layer = layer if layer in schema.layers else max((n for n in schema.layers if n <= layer), default=layer)
        identity = free_name(f"{consumers[0].id}.{schema.tool}", taken)
        taken.add(identity)
        why = Inserted("rule", rule.because, diagnosis.title, filled(rule.lossy, diagnosis) or schema.lossy)
        title = f"{schema.title}, {subject}".rstrip(", ")
        node = Node(identity, schema.tool, given, layer, title, consumers[0].step, why)
        yield InsertNode(node, spots, carrier, action.output)


def carrier_of(schema: ToolSchema) -> str:
    """The argument that becomes the primary output, as the effects say; else the first artifact."""
    preserved = schema.effects.preserves.get(schema.primary_output)
    if preserved is not None:
        return preserved.from_
    return next((name for name, parameter in schema.inputs.items() if parameter.is_artifact), "")


def _spots(
    action: InsertTool, plan: Plan, target: Node, diagnosis: Diagnosis, arguments: Mapping[str, Any]
) -> Iterator[tuple[Spot, ...]]:
    """Where nodes go: for each wrong file every place where it is used, else the guilty place, or all items of it."""
    parameter = action.before or diagnosis.parameter
    if not parameter:
        raise InapplicableError("nothing says before which argument", expected="a guilty place", found="none")
    wrong, guilty = diagnosis.found.get("inputs"), parameter == diagnosis.parameter and target.id == diagnosis.node
    if guilty and diagnosis.found.get("restated"):
        yield tuple(uses(plan, FromNode(*diagnosis.found["restated"])))
        return
    if wrong and guilty:
        for entry in wrong:
            spots = tuple(uses(plan, FromInput(str(entry[0]), tuple(entry[1:]))))
            if any(spot.node for spot in spots):
                yield spots
        return
    if parameter not in target.args:
        raise InapplicableError(f"{target.id} has no argument {parameter}", expected=parameter, found="not given")
    value = arguments.get(parameter)
    if action.scope == "everywhere":
        standing = target.args[parameter]
        nodes = plan.workflow.nodes
        yield tuple(Spot(node.id, name) for node in nodes for name, other in node.args.items() if other == standing)
        return
    if action.scope == "all" and isinstance(value, Artifact):
        for place, _ in leaves((parameter,), value):
            yield (Spot(target.id, parameter, _at(target.args[parameter], place)),)
        return
    place = diagnosis.place if diagnosis.parameter == parameter else (parameter,)
    yield (Spot(target.id, parameter, _at(target.args[parameter], place)),)


def _at(value: Value, place: Place) -> tuple[str | int, ...]:
    """The way into an argument: one raster that is taken as a series is itself the first item."""
    way = place[1:]
    if way and way[0] == 0 and not isinstance(value, SeriesOf | FromInput):
        return way[1:]
    return way


def uses(plan: Plan, reference: FromInput | FromNode) -> Iterator[Spot]:
    """Every place where a part of an input stands, or what a node made: in arguments, those of nodes first, and in
    outputs of the plan."""
    for node in plan.workflow.nodes:
        for parameter, value in node.args.items():
            yield from (Spot(node.id, parameter, at) for at in _ways(value, reference))
    for name, value in plan.outputs.items():
        yield from (Spot("", name, at) for at in _ways(value, reference))


def _ways(
    value: Value, reference: FromInput | FromNode, at: tuple[str | int, ...] = ()
) -> Iterator[tuple[str | int, ...]]:
    match value:
        case FromNode() if value == reference:
            yield at
        case FromInput(name=name, at=way) if isinstance(reference, FromInput) and name == reference.name:
            if reference.at[: len(way)] == way:
                yield (*at, *reference.at[len(way) :])
        case SeriesOf(items=items):
            for index, item in enumerate(items):
                yield from _ways(item, reference, (*at, index))
        case BandsOf(members=members):
            for name, member in members.items():
                yield from _ways(member, reference, (*at, name))


def _subject(plan: Plan, spot: Spot) -> str:
    """What stands at a spot, in words: the name of a file, or nothing."""
    value: Value | None = plan.workflow.node(spot.node).args.get(spot.param)
    way = spot.at
    while way and isinstance(value, SeriesOf | BandsOf):
        value = value.items[int(way[0])] if isinstance(value, SeriesOf) else value.members[str(way[0])]
        way = way[1:]
    if not isinstance(value, FromInput) or value.name not in plan.inputs:
        return ""
    found = dict(leaves((), plan.inputs[value.name])).get((*value.at, *way))
    return found.name if found is not None else value.name


# --- the other actions ----------------------------------------------------------------------------------------------


def _setting(
    action: SetTo, target: Node, diagnosis: Diagnosis, arguments: Mapping[str, Any], tools: Tools
) -> SetParameter:
    if action.parameter not in tools[target.tool].inputs:
        raise InapplicableError(
            f"{target.tool} has no parameter {action.parameter}", expected=action.parameter, found="none"
        )
    return SetParameter(target.id, action.parameter, _argument(action.value, diagnosis, target, arguments))


def _replacement(
    action: ReplaceTool,
    rule: Rule,
    plan: Plan,
    target: Node,
    diagnosis: Diagnosis,
    arguments: Mapping[str, Any],
    tools: Tools,
) -> ReplaceNode:
    schema = tools.get(action.tool)
    if schema is None:
        raise InapplicableError(f"{rule.rule} uses a tool that is not at hand", expected="a tool", found=action.tool)
    args = {name: value for name, value in target.args.items() if name in schema.inputs}
    for name, given in action.arguments.items():
        value = _argument(given, diagnosis, target, arguments)
        if value is None:
            args.pop(name, None)
        else:
            args[name] = value
    identity = free_name(f"{target.id}.{schema.tool}", plan.workflow.by_id)
    why = Inserted("rule", rule.because, diagnosis.title, filled(rule.lossy, diagnosis) or schema.lossy)
    layer = target.layer if target.layer in schema.layers else schema.layers[0]
    node = Node(identity, schema.tool, args, layer, schema.title, target.step, why)
    return ReplaceNode(target.id, node, dict(action.outputs))


def _stating(
    action: Mapping[str, Any], plan: Plan, target: Node, diagnosis: Diagnosis, arguments: Mapping[str, Any]
) -> StateFacts:
    """Facts of each wrong file; where none is named, of that at the guilty place, or of which it was made by nothing
    but repairs: of the file no other facts may be known than of what is wrong."""
    facts = {}
    for name, written in action.items():
        given = _argument(written, diagnosis, target, arguments)
        facts[name] = given.value if isinstance(given, Given) else None
    if wrong := diagnosis.found.get("inputs"):
        return StateFacts(tuple(FromInput(str(entry[0]), tuple(entry[1:])) for entry in wrong), facts)
    whole, place = arguments.get(diagnosis.parameter), diagnosis.place
    guilty = dict(leaves(place[:1], whole)).get(place) if isinstance(whole, Artifact) else None
    value = value_at(target.args.get(diagnosis.parameter, Given(None)), place[1:])
    while isinstance(value, FromNode) and diagnosis.found.get("restated"):
        sources = plan.workflow.node(value.node).args.values()
        value = next(one for one in sources if not isinstance(one, Given))
    file = dict(leaves((), plan.inputs[value.name])).get(value.at) if isinstance(value, FromInput) else None
    known_alike = guilty and file and all(file.fact(name) == guilty.fact(name) for name in facts)
    if not isinstance(value, FromInput) or not known_alike:
        raise InapplicableError("this is no fact of a file", expected="a file that is wrong", found="what a tool made")
    return StateFacts((value,), facts)


def _dropping(action: DropItems, plan: Plan, target: Node, diagnosis: Diagnosis) -> Iterator[Edit]:
    """The series without the items that the diagnosis names; without any, the guilty node and what hangs on it."""
    items = diagnosis.found.get("items")
    if not items:
        edit = LeaveOut(target.id, action.keep_at_least)
        if diagnosis.failed in left_out(plan, edit).workflow.by_id:
            raise InapplicableError(
                "leaving it out does not help",
                expected="a step that fails because of this scene alone",
                found=f"{diagnosis.failed} takes others as well",
            )
        yield edit
        return
    parameter = action.from_ or diagnosis.parameter
    value = target.args.get(parameter)
    if value is None:
        raise InapplicableError(f"{target.id} has no argument {parameter}", expected=parameter, found="not given")
    parts = _parts(value, plan)
    kept = [part for index, part in enumerate(parts) if index not in set(items)]
    if len(kept) < action.keep_at_least:
        raise InapplicableError(
            "too little would be left", expected=f"{action.keep_at_least} items", found=str(len(kept))
        )
    for name, other in target.args.items():
        if name != parameter and len(_parts(other, plan)) == len(parts):
            raise InapplicableError(
                f"{name} has as many items: which of them go, nobody can tell", expected="one series"
            )
    yield SetParameter(target.id, parameter, SeriesOf(tuple(kept)))


def _parts(value: Value, plan: Plan) -> tuple[Value, ...]:
    match value:
        case SeriesOf(items=items):
            return items
        case FromInput(name=name, at=at) if not at and name in plan.inputs:
            return tuple(FromInput(name, (index,)) for index in range(len(plan.inputs[name].items)))
        case Given(value=literal) if isinstance(literal, tuple):
            return tuple(Given(item) for item in literal)
    return ()


# --- values ---------------------------------------------------------------------------------------------------------


def _argument(given: Any, diagnosis: Diagnosis, target: Node, arguments: Mapping[str, Any]) -> Value | None:
    """An argument as a rule writes it: a literal, a finding of the diagnosis, or another argument of the node.

    ``max($args.size, 3)``-like arithmetic is not part of it, except a factor: ``$args.size * 2``.
    """
    if not isinstance(given, str) or not given.startswith("$"):
        return None if given is None else Given(frozen(given))
    text, _, factor = given.partition("*")
    head, _, name = text.strip().removeprefix("$").partition(".")
    if head == "found":
        if name not in diagnosis.found:
            raise InapplicableError(
                f"the diagnosis found no {name}", expected=name, found=", ".join(diagnosis.found) or "none"
            )
        return _times(Given(diagnosis.found[name]), factor)
    if head == "args":
        if name in target.args and not factor:
            return target.args[name]
        if name not in arguments:
            raise InapplicableError(f"{target.id} has no argument {name}", expected=name, found="not given")
        return _times(Given(arguments[name]), factor)
    raise InapplicableError(f"{given!r} is no value", expected="$found.NAME, $args.NAME or a literal", found=given)


def _times(value: Given, factor: str) -> Given:
    if not factor:
        return value
    if isinstance(value.value, bool) or not isinstance(value.value, (int, float)):
        raise InapplicableError("only a number can be multiplied", expected="a number", found=repr(value.value))
    product = value.value * float(factor)
    return Given(int(product) if isinstance(value.value, int) and product == int(product) else product)
