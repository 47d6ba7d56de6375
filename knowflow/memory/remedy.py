"""What a repair did, as the actions of a rule: what was of this plan alone becomes what stands there in any plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from knowflow.ground.errors import KnowFlowError
from knowflow.model.diagnosis import Diagnosis
from knowflow.model.edit import Edit, InsertNode, LeaveOut, ReplaceNode, SetParameter, StateFacts
from knowflow.model.literal import plain, same
from knowflow.model.plan import Plan
from knowflow.model.tool import ToolSchema
from knowflow.model.workflow import FromInput, Given, Node, Value, value_at
from knowflow.reason.repair.laws import broken_laws
from knowflow.reason.repair.proposals import carrier_of

Tools = Mapping[str, ToolSchema]
_SIZES = frozenset({"scale", "offset", "unit"})
_COMMON = (0, 1, -1, True, False, "", "1", None)  # values that stand anywhere: equal ones are no reference


class NoRemedyError(KnowFlowError):
    """An edit that a rule could not make of another plan."""

    code = "unlearnable"


@dataclass(frozen=True, slots=True)
class Remedy:
    """The actions of a rule as plain data.

    ``facts`` are those that they say of data, ``literal`` those of them that are the same whatever the data hold,
    ``found`` the findings that they use.
    """

    then: tuple[dict[str, Any], ...]
    facts: frozenset[str] = frozenset()
    literal: frozenset[str] = frozenset()
    found: frozenset[str] = frozenset()


def remedy_of(plan: Plan, diagnosis: Diagnosis, edits: tuple[Edit, ...], tools: Tools) -> Remedy:
    """What edits did to a plan about a failure, as a rule says it.

    Raises:
        NoRemedyError: an edit is of this plan alone, or is one that no repair may make.
    """
    forbidden = broken_laws(plan, _as_a_repair(edits), tools, {}, diagnosis.cause)
    if forbidden:
        raise NoRemedyError("it changes what is asked, which no rule may", found="; ".join(forbidden))
    if not edits:
        raise NoRemedyError("what was edited is not told step by step", expected="edits", found="a whole plan")
    target = plan.workflow.node(diagnosis.node)
    then: dict[str, dict[str, Any]] = {}
    for edit in edits:
        for action in _actions(edit, plan, target, diagnosis, tools):
            then.setdefault(repr(action), action)
    actions = tuple(then.values())
    said = dict(_said(actions))
    literal = frozenset(name for name, value in said.items() if not str(value).startswith("$found."))
    return Remedy(actions, frozenset(said), literal, frozenset(_findings(actions)))


def _as_a_repair(edits: tuple[Edit, ...]) -> tuple[Edit, ...]:
    """The edits as a rule would make them: what a person vouched for of these files, a rule only assumes of others."""
    return tuple(StateFacts(one.inputs, one.facts) if isinstance(one, StateFacts) else one for one in edits)


def _actions(edit: Edit, plan: Plan, target: Node, diagnosis: Diagnosis, tools: Tools) -> Iterator[dict[str, Any]]:
    match edit:
        case StateFacts(inputs=inputs, facts=facts):
            _require(_guilty_among(inputs, target, diagnosis), edit, "facts of the file that is wrong")
            yield {"state_facts": {name: _said_as(name, value, target, diagnosis) for name, value in facts.items()}}
        case InsertNode(node=new, spots=spots, carrier=carrier, output=output):
            given = {name: _reference(value, target, diagnosis, edit, name) for name, value in new.args.items()}
            places = {_place(spot.node, spot.param, spot.at, plan, target, diagnosis) for spot in spots}
            _require(None not in places, edit, "a tool before what is wrong")
            for before in sorted(filter(None, places)):
                action: dict[str, Any] = {"tool": new.tool, "with": given}
                if before != diagnosis.parameter:
                    action["before"] = before
                if carrier is not None and carrier != carrier_of(tools[new.tool]):
                    action["carry"] = carrier
                yield {"insert_tool": action | ({"output": output} if output else {})}
        case SetParameter(node=name, parameter=parameter, value=value):
            _require(_like(plan, name, target), edit, "an argument of the step that failed")
            written = None if value is None else _reference(value, target, diagnosis, edit)
            yield {"set_parameter": {"parameter": parameter, "value": written}}
        case ReplaceNode(node_id=name, node=new, outputs=outputs):
            _require(_like(plan, name, target), edit, "another tool for the step that failed")
            old = plan.workflow.node(name)
            changed = {n: v for n, v in new.args.items() if old.args.get(n) != v}
            arguments = {n: _reference(v, old, diagnosis, edit) for n, v in changed.items()}
            dropped = {n: None for n in old.args if n in tools[new.tool].inputs and n not in new.args}
            yield {"replace_tool": {"tool": new.tool, "arguments": arguments | dropped, "outputs": dict(outputs)}}
        case LeaveOut(node=name, keep_at_least=least):
            _require(_like(plan, name, target), edit, "the step that failed")
            yield {"drop_items": {"keep_at_least": least}}


def _require(holds: bool, edit: Edit, expected: str) -> None:
    if not holds:
        raise NoRemedyError("it changes something else than what failed", expected=expected, found=edit.sentence())


def _guilty_among(inputs: tuple[FromInput, ...], target: Node, diagnosis: Diagnosis) -> bool:
    """Whether what is said is said of the file that is guilty."""
    wrong = {(str(entry[0]), *entry[1:]) for entry in diagnosis.found.get("inputs", ())}
    if wrong:
        return bool(wrong & {(one.name, *one.at) for one in inputs})
    standing = _part(target.args.get(diagnosis.parameter), diagnosis.place[1:])
    return isinstance(standing, FromInput) and standing in inputs


def _place(
    node: str, parameter: str, at: tuple[str | int, ...], plan: Plan, target: Node, diagnosis: Diagnosis
) -> str | None:
    """The parameter of the guilty node that a spot stands for: itself, of a step like it, or wherever else the guilty
    file is used."""
    if node and _like(plan, node, target):
        return parameter
    wrong = {(str(entry[0]), *entry[1:]) for entry in diagnosis.found.get("inputs", ())}
    other = plan.workflow.by_id.get(node)
    standing = None if other is None else _part(other.args.get(parameter), at)
    if isinstance(standing, FromInput) and (standing.name, *standing.at) in wrong:
        return diagnosis.parameter
    return None


def _like(plan: Plan, node: str, target: Node) -> bool:
    """Whether a node is the guilty one, or one like it (of another date or band): a rule answers each by itself."""
    other = plan.workflow.by_id.get(node)
    return other is not None and (other.id == target.id or (other.tool, other.layer) == (target.tool, target.layer))


def _reference(value: Value, target: Node, diagnosis: Diagnosis, edit: Edit, of: str = "") -> Any:
    """An argument (``of``: its name) as a rule writes it."""
    if isinstance(value, Given):
        return _said_as(of, value.value, target, diagnosis)
    name = next((name for name, standing in target.args.items() if standing == value), None)
    if name is None:
        raise NoRemedyError(
            "it takes something that only this plan has",
            expected="a literal, a finding, or what the step that failed takes",
            found=edit.sentence(),
        )
    return f"$args.{name}"


def _said_as(name: str, value: Any, target: Node, diagnosis: Diagnosis) -> Any:
    """A fact as a rule says it: factors and units are what was said, whatever a convention makes of other numbers."""
    return plain(value) if name in _SIZES else _hole(value, target, diagnosis)


def _hole(value: Any, target: Node, diagnosis: Diagnosis) -> Any:
    """A literal, or where it came from: a finding of the diagnosis, or a number that the step that failed was told."""
    if value not in _COMMON:
        for name, found in diagnosis.found.items():
            if name.isidentifier() and same(found, value):
                return f"$found.{name}"
        for name, standing in target.args.items():
            if isinstance(standing, Given) and same(standing.value, value):
                return f"$args.{name}"
    if isinstance(value, str) and value.startswith("$"):
        raise NoRemedyError("a text that reads like a reference is not kept", found=value)
    return plain(value)


def _part(value: Value | None, at: tuple[str | int, ...]) -> Value | None:
    try:
        return None if value is None else value_at(value, at)
    except (IndexError, KeyError):
        return value


def _said(actions: tuple[dict[str, Any], ...]) -> Iterator[tuple[str, Any]]:
    """The facts that actions say of data: as facts, or by a tool that only restates them."""
    for action in actions:
        yield from action.get("state_facts", {}).items()
        inserted = action.get("insert_tool", {})
        if str(inserted.get("tool", "")).startswith("declare_"):
            yield from inserted["with"].items()


def _findings(actions: tuple[dict[str, Any], ...]) -> Iterator[str]:
    for action in actions:
        for block in action.values():
            values = [*block.values(), *block.get("with", {}).values(), *block.get("arguments", {}).values()]
            yield from (v.removeprefix("$found.") for v in values if isinstance(v, str) and v.startswith("$found."))
