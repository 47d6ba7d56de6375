"""The repair that a language model may propose, as the JSON it is asked for, and as typed edits of the plan.

What it names must be there: nodes and inputs of the plan, tools of the catalogue. Text that names files, and tools that
open files by name, are not its to use: what a step reads comes along the edges of the plan.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from knowflow.ground.errors import GraphEditError
from knowflow.ground.report import Problem, Problems
from knowflow.model.diagnosis import Diagnosis
from knowflow.model.edit import Edit, InsertNode, LeaveOut, ReplaceNode, SetParameter, Spot
from knowflow.model.literal import frozen, same
from knowflow.model.plan import Plan
from knowflow.model.tool import Document, ToolSchema
from knowflow.model.verdict import place_text
from knowflow.model.workflow import (
    BandsOf,
    FromInput,
    FromNode,
    Given,
    Inserted,
    Node,
    SeriesOf,
    Value,
    from_json,
    references,
)
from knowflow.reason.llm.quoting import shortened

Tools = Mapping[str, ToolSchema]

_VALUE = (
    'a literal, {"from": NODE} (or {"from": NODE, "output": NAME}), {"input": INPUT, "at": [NUMBER or BAND, ...]}, '
    '{"series": [VALUE, ...]} or {"bands": {BAND: VALUE}}'
)
# facts that a tool may state of data without changing a number, and parameters that hold little programs
_CLAIMS = frozenset({"unit", "nodata", "last", "mark", "scale", "offset", "quantity", "crs"})
_PROGRAMS = frozenset({"calc", "sql", "where", "expression", "formula", "pixel_function", "mapping"})
_MOST_EDITS = 8
_LONGEST_REASON = 400
_DEEPEST = 6
_FILE_LIKE = re.compile(r"^\s*[/~@\\]|^\s*\.{1,2}/|://|/vsi|\\|\.\.|^\s*[A-Za-z]:[\\/]|\bfile:", re.IGNORECASE)
_PLAIN_WORDS = re.compile(r"[\w .,:;+*()=<>%-]*")


class Place(Document):
    """A parameter of a node, and the way into the series or band set that stands there."""

    node: str
    parameter: str
    at: tuple[int | str, ...] = Field((), description="item number or band name; empty: the whole value")


class SetParameterAnswer(Document):
    """Another value for a parameter of a node."""

    edit: Literal["set_parameter"]
    node: str
    parameter: str
    value: Any = Field(description=f"{_VALUE}; null takes the argument away")


class InsertToolAnswer(Document):
    """A new node before one or more places: its output stands there; what stood there becomes argument ``carry``."""

    edit: Literal["insert_tool"]
    tool: str
    before: tuple[Place, ...] = Field(min_length=1)
    carry: str = Field("", description="parameter that takes what stood there; empty: the tool's main one")
    arguments: dict[str, Any] = Field(default_factory=dict, description=f"parameter -> {_VALUE}")
    output: str = Field("", description="output that goes on; empty: the tool's first one")


class ReplaceToolAnswer(Document):
    """Another tool in the place of a node; arguments that are not given are kept where the names are the same."""

    edit: Literal["replace_tool"]
    node: str
    tool: str
    arguments: dict[str, Any] = Field(default_factory=dict, description=f"parameter -> {_VALUE}")
    outputs: dict[str, str] = Field(default_factory=dict, description="output of the old tool -> of the new one")


class LeaveOutAnswer(Document):
    """A node goes, with all that needs it; a series that took its result goes on with its other items."""

    edit: Literal["leave_out"]
    node: str


class RepairAnswer(Document):
    """A repair of the plan: why, and the edits in order. No edits: there is no repair that keeps what was asked."""

    because: str = Field(description="one or two sentences for the user: the cause, and why these edits help")
    edits: tuple[
        Annotated[
            SetParameterAnswer | InsertToolAnswer | ReplaceToolAnswer | LeaveOutAnswer, Field(discriminator="edit")
        ],
        ...,
    ] = Field((), max_length=_MOST_EDITS)
    lossy: str = Field("", description="what information is given up, or taken for granted; empty: nothing")


def edits_of(answer: RepairAnswer, plan: Plan, tools: Tools, diagnosis: Diagnosis) -> tuple[Edit, ...]:
    """The typed edits of an answer to a failure of that diagnosis.

    Raises:
        GraphEditError: it names what is not there, or what it may not use; ``problems`` has all of it.
    """
    answer = answer.model_copy(update={"because": said(answer.because), "lossy": said(answer.lossy)})
    problems = Problems()
    edits: list[Edit] = []
    taken = set(plan.workflow.by_id)
    for number, one in enumerate(answer.edits):
        where = f"edits.{number}"
        match one:
            case SetParameterAnswer():
                edits.append(_set(one, plan, tools, diagnosis, problems, where))
            case InsertToolAnswer():
                edits.append(_insertion(one, answer, plan, tools, diagnosis, taken, problems, where))
            case ReplaceToolAnswer():
                edits.append(_replacement(one, answer, plan, tools, diagnosis, problems, where))
            case LeaveOutAnswer():
                _node(one.node, plan, problems, where)
                edits.append(LeaveOut(one.node))
    if problems.errors:
        raise GraphEditError(
            "the proposed edits name what they must not", expected="what the plan has", problems=problems.errors
        )
    return tuple(edits)


def said(text: str) -> str:
    """What a model says for people, on one line of bearable length."""
    return shortened(" ".join(text.split()), _LONGEST_REASON)


def _set(
    one: SetParameterAnswer, plan: Plan, tools: Tools, diagnosis: Diagnosis, problems: Problems, where: str
) -> SetParameter:
    old = _node(one.node, plan, problems, where)
    value = None if one.value is None else _value(one.value, problems, f"{where}.value")
    if old is not None and value is not None:
        schema = tools.get(old.tool)
        _refuse_claims({one.parameter: one.value}, schema, diagnosis, problems, where)
        _refuse_files(value, one.parameter, schema, plan, problems, f"{where}.value")
        _refuse_other_data(old.args.get(one.parameter), value, problems, f"{where}.value")
    return SetParameter(one.node, one.parameter, value)


def _insertion(
    one: InsertToolAnswer,
    answer: RepairAnswer,
    plan: Plan,
    tools: Tools,
    diagnosis: Diagnosis,
    taken: set[str],
    problems: Problems,
    where: str,
) -> InsertNode:
    schema = _tool(one.tool, tools, problems, where)
    _refuse_claims(one.arguments, schema, diagnosis, problems, where)
    targets = [_node(place.node, plan, problems, f"{where}.before") for place in one.before]
    arguments = _arguments(one.arguments, schema, plan, problems, where)
    node_id = _free(f"{one.before[0].node}.{one.tool}", taken)
    taken.add(node_id)
    layer = min((target.layer for target in targets if target is not None), default=1)
    inserted = Inserted("llm", answer.because, diagnosis.cause, _lossy(answer, schema))
    node = Node(node_id, one.tool, arguments, layer, "" if schema is None else schema.title, inserted=inserted)
    carrier = one.carry or ("" if schema is None else main_parameter(schema, one.output, arguments))
    spots = tuple(Spot(place.node, place.parameter, tuple(place.at)) for place in one.before)
    return InsertNode(node, spots, carrier or None, one.output)


def _replacement(
    one: ReplaceToolAnswer,
    answer: RepairAnswer,
    plan: Plan,
    tools: Tools,
    diagnosis: Diagnosis,
    problems: Problems,
    where: str,
) -> ReplaceNode:
    schema = _tool(one.tool, tools, problems, where)
    _refuse_claims(one.arguments, schema, diagnosis, problems, where)
    old = _node(one.node, plan, problems, where)
    arguments = dict(_arguments(one.arguments, schema, plan, problems, where))
    if old is None:
        return ReplaceNode(one.node, Node(one.node, one.tool, arguments), one.outputs)
    kept = {} if schema is None else {name: value for name, value in old.args.items() if name in schema.inputs}
    for name, value in arguments.items():
        _refuse_other_data(kept.get(name), value, problems, f"{where}.arguments.{name}")
    read = {ref for value in (*kept.values(), *arguments.values()) for ref in references(value)}
    left_out = [ref for value in old.args.values() for ref in references(value) if ref not in read]
    if left_out and schema is not None and not answer.lossy:
        expected = f"the data that {one.node} read, or a word in `lossy` on what is left out"
        problems.add(Problem("other_data", expected, ", ".join(map(_named, left_out)), where=where))
    inserted = Inserted("llm", answer.because, diagnosis.cause, _lossy(answer, schema))
    new = replace(old, tool=one.tool, args={**kept, **arguments}, inserted=inserted)
    return ReplaceNode(one.node, new, one.outputs)


def _lossy(answer: RepairAnswer, schema: ToolSchema | None) -> str | None:
    return answer.lossy or (None if schema is None else schema.lossy) or None


def main_parameter(schema: ToolSchema, output: str, given: Mapping[str, Value]) -> str:
    """The parameter that becomes the output: the one whose facts it preserves, else the first artifact not given."""
    preserved = schema.effects.preserves.get(output or schema.primary_output)
    if preserved is not None and preserved.from_ not in given:
        return preserved.from_
    return next((name for name, one in schema.inputs.items() if one.is_artifact and name not in given), "")


def _node(node_id: str, plan: Plan, problems: Problems, where: str) -> Node | None:
    node = plan.workflow.by_id.get(node_id)
    if node is None:
        problems.add(Problem("unknown_node", "a node of the plan", repr(node_id), where=where))
    return node


def _tool(name: str, tools: Tools, problems: Problems, where: str) -> ToolSchema | None:
    schema = tools.get(name)
    if schema is None:
        problems.add(Problem("unknown_tool", "a tool that exists", repr(name), where=where))
        return None
    if any(parameter.type == "path" for parameter in schema.inputs.values()):
        expected = "a tool that reads what the plan hands it"
        problems.add(Problem("opens_files", expected, f"{name}, which opens files by name", where=where))
    if _PROGRAMS & schema.inputs.keys():
        expected = "a tool that computes what its schema says"
        problems.add(Problem("runs_anything", expected, f"{name}, which computes whatever it is told", where=where))
    return schema


def _refuse_claims(
    arguments: Mapping[str, Any], schema: ToolSchema | None, diagnosis: Diagnosis, problems: Problems, where: str
) -> None:
    """What data mean is for files, users and diagnoses to say: a model may only repeat what was found."""
    if schema is None or schema.insertable or schema.effects.preserves.get(schema.primary_output) is None:
        return
    found = list(diagnosis.found.values())
    for name in sorted(_CLAIMS & arguments.keys() & schema.inputs.keys()):
        if not any(same(frozen(arguments[name]), one) for one in found):
            expected = f"a {name} that the diagnosis found, or that a user says (--assume {name}=...)"
            problems.add(Problem("claim", expected, repr(arguments[name])[:80], where=f"{where}.arguments.{name}"))


def _arguments(
    data: Mapping[str, Any], schema: ToolSchema | None, plan: Plan, problems: Problems, where: str
) -> dict[str, Value]:
    arguments = {}
    for name, item in data.items():
        place = f"{where}.arguments.{name}"
        value = None if item is None else _value(item, problems, place)
        if value is None:
            continue
        _refuse_files(value, name, schema, plan, problems, place)
        for ref in references(value):
            known: Mapping[str, object] = plan.workflow.by_id if isinstance(ref, FromNode) else plan.inputs
            named = ref.node if isinstance(ref, FromNode) else ref.name
            if named not in known:
                what = "a node" if isinstance(ref, FromNode) else "an input"
                problems.add(Problem("dangling_reference", f"{what} of the plan", repr(named), where=place))
        arguments[name] = value
    return arguments


def _value(data: Any, problems: Problems, where: str) -> Value | None:
    """A value out of its JSON, None (with a problem) where it has no such form."""
    if not _well_formed(data):
        problems.add(Problem("bad_value", _VALUE, repr(data)[:120], where=where))
        return None
    return from_json(data)


def _well_formed(data: Any, depth: int = 0) -> bool:
    if depth > _DEEPEST:
        return False
    if not isinstance(data, dict):
        return not isinstance(data, list) or all(_is_literal(item) for item in data)
    match data:
        case {"from": node, **rest}:
            return isinstance(node, str) and rest.keys() <= {"output"} and isinstance(rest.get("output", ""), str)
        case {"input": name, **rest}:
            way = rest.get("at", [])
            return (
                isinstance(name, str)
                and rest.keys() <= {"at"}
                and isinstance(way, list)
                and all(isinstance(step, (int, str)) and not isinstance(step, bool) for step in way)
            )
        case {"series": items, **rest}:
            return not rest and isinstance(items, list) and all(_well_formed(item, depth + 1) for item in items)
        case {"bands": members, **rest}:
            return not rest and isinstance(members, dict) and all(_well_formed(m, depth + 1) for m in members.values())
    return all(_is_literal(item) for item in data.values())


def _is_literal(data: Any) -> bool:
    if isinstance(data, list):
        return all(isinstance(item, (str, int, float)) for item in data)
    return data is None or isinstance(data, (str, int, float))


def _refuse_other_data(old: Value | None, new: Value, problems: Problems, where: str) -> None:
    """What a step reads may lose items, and nothing else: other data would answer another question."""
    before = [] if old is None else list(references(old))
    after = list(references(new))
    if before and not (after and set(after) <= set(before)):
        found = ", ".join(map(_named, after[:3])) or "none"
        problems.add(Problem("other_data", "the data that stood there, or fewer items of them", found, where=where))


def _named(ref: FromNode | FromInput) -> str:
    return ref.node if isinstance(ref, FromNode) else place_text((ref.name, *ref.at))


def _refuse_files(
    value: Value, parameter: str, schema: ToolSchema | None, plan: Plan, problems: Problems, where: str
) -> None:
    """Text that names a file is refused, unless the plan has that very text already."""
    if schema is not None and parameter in schema.inputs:
        taken = schema.inputs[parameter]
        if taken.choices or taken.choices_from is not None or taken.type in ("unit", "crs", "quantity", "date"):
            return  # these have vocabularies of their own, which the check knows
    known = set(_texts_of(plan))
    for text in _texts(value):
        if text not in known and _names_a_file(text, schema):
            problems.add(
                Problem("names_a_file", "a value that names no file: data come along edges", repr(text), where=where)
            )


def _names_a_file(text: str, schema: ToolSchema | None) -> bool:
    if _FILE_LIKE.search(text) or "\n" in text or "\x00" in text:
        return True
    if schema is not None and schema.kit == "gdal" and not _PLAIN_WORDS.fullmatch(text):
        return True  # GDAL opens what stands in many of its texts
    try:
        return bool(text.strip()) and Path(text).is_file()
    except (OSError, ValueError):
        return True


def _texts(value: Value) -> Iterator[str]:
    match value:
        case Given(value=literal):
            yield from _literal_texts(literal)
        case SeriesOf(items=items):
            for item in items:
                yield from _texts(item)
        case BandsOf(members=members):
            for member in members.values():
                yield from _texts(member)


def _literal_texts(literal: Any) -> Iterator[str]:
    if isinstance(literal, str):
        yield literal
    elif isinstance(literal, Mapping):
        for name, item in literal.items():
            yield str(name)
            yield from _literal_texts(item)
    elif isinstance(literal, (list, tuple)):
        for item in literal:
            yield from _literal_texts(item)


def _texts_of(plan: Plan) -> Iterator[str]:
    for node in plan.workflow.nodes:
        for value in node.args.values():
            yield from _texts(value)


def _free(name: str, taken: set[str]) -> str:
    number = 2
    free = name
    while free in taken:
        free, number = f"{name}_{number}", number + 1
    return free
