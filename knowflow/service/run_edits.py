"""Edits of a run by a person: what was asked for as typed edits, and what running on would compute again."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Any

from knowflow.graph.arguments import authored_problems
from knowflow.graph.edit import apply
from knowflow.graph.orphans import without_orphans
from knowflow.graph.topology import changed, downstream
from knowflow.ground.errors import GraphEditError
from knowflow.ground.report import Problem, Problems
from knowflow.ground.spelling import did_you_mean
from knowflow.knowledge.plan_document import load_plan
from knowflow.model.artifact import Artifact
from knowflow.model.diagnosis import Diagnosis
from knowflow.model.edit import Edit, InsertNode, LeaveOut, ReplaceNode, SetParameter, Spot, StateFacts
from knowflow.model.literal import frozen
from knowflow.model.plan import Assumption, Plan
from knowflow.model.tool import ToolSchema
from knowflow.model.trace import NodeRecord, Repaired, Trace
from knowflow.model.verdict import leaves as leaves_of
from knowflow.model.workflow import (
    FromInput,
    Given,
    Inserted,
    Node,
    SeriesOf,
    Value,
    free_name,
    from_json,
    references,
)
from knowflow.reason.inventory.assume import parse_assumptions

Tools = Mapping[str, ToolSchema]

PERSON = "person"
# what can be said of a file that a plan reads already: how its numbers are meant
STATABLE = ("scale", "offset", "unit", "nodata", "mark", "quantity")
_MOST_FILES = 8
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_STEP = re.compile(r"\.([^.\[\]]+)|\[([^\]]+)\]")


@dataclass(frozen=True, slots=True)
class Change:
    """What a person asks to be changed; all of it at once, and checked as a whole.

    ``set``: ``NODE.PARAMETER`` -> value (None takes it away; ``{"from": NODE}`` and ``{"input": NAME}`` refer).
    ``replace``: node -> tool. ``insert``: pairs of a tool and the place (``NODE.PARAMETER``, with ``[3]`` or ``.red``
    behind it for a part) that it is put before. ``drop``: places of items of series (by number, or by date), or nodes,
    which go with all that needs them. ``assume``: ``FILE*:fact=value``, what the numbers of files stand for.
    ``plan``: a file with the whole plan, instead of all these.
    """

    set: Mapping[str, Any] | None = None
    replace: Mapping[str, str] | None = None
    insert: Sequence[tuple[str, str]] = ()
    drop: Sequence[str] = ()
    assume: Sequence[str] = ()
    plan: Path | None = None

    @property
    def empty(self) -> bool:
        return not (self.set or self.replace or self.insert or self.drop or self.assume or self.plan)


@dataclass(frozen=True, slots=True)
class EditedRun:
    """A run as it would go on: the plan, and the ids of nodes.

    ``kept`` have results that stay, ``again`` had results and are computed again, ``rest`` have none yet; ``new``,
    ``changed`` and ``gone`` tell what the edit does to the workflow.
    """

    run_id: str
    before: Plan
    plan: Plan
    sentences: tuple[str, ...]
    edits: tuple[Edit, ...] = ()
    new: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    again: tuple[str, ...] = ()
    rest: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "run_id": self.run_id,
            "edits": [edit.to_json() for edit in self.edits],
            "sentences": list(self.sentences),
            **{name: list(getattr(self, name)) for name in ("new", "changed", "gone", "kept", "again", "rest")},
        }


def edited_run(trace: Trace, change: Change, tools: Tools) -> EditedRun:
    """The run with a change, checked with everything that was measured of it; nothing is written.

    Raises:
        GraphEditError: it names what is not there, or the plan would not hold together; all reasons are listed.
        DocumentError: the plan file is not a valid plan.
    """
    if change.empty:
        raise GraphEditError("there is nothing to edit", expected="at least one change", found="none")
    finished = {name: record.outputs for name, record in trace.records.items() if record.ready}
    if change.plan is not None:
        if not replace(change, plan=None).empty:
            raise GraphEditError(
                "a plan file stands for all changes", expected="either the file or changes", found="both"
            )
        edits: tuple[Edit, ...] = ()
        plan = load_plan(change.plan)
        sentences: tuple[str, ...] = (f"the plan is that of {change.plan.name}",)
    else:
        edits = edits_of(trace.plan, change, tools)
        plan = without_orphans(apply(trace.plan, edits, tools, finished), trace.plan)
        sentences = tuple(edit.sentence() for edit in edits)
        plan = _told(plan, trace.plan, edits)
    return _compared(trace, plan, edits, sentences)


def _compared(trace: Trace, plan: Plan, edits: tuple[Edit, ...], sentences: tuple[str, ...]) -> EditedRun:
    old, new = trace.plan.workflow.by_id, plan.workflow.by_id
    touched = changed(trace.plan, plan)
    touched |= downstream(plan.workflow, touched)
    ready = {name for name in new if trace.record(name).ready}
    return EditedRun(
        trace.run_id,
        trace.plan,
        plan,
        sentences,
        edits,
        new=tuple(name for name in new if name not in old),
        changed=tuple(name for name, node in new.items() if name in old and old[name] != node),
        gone=tuple(name for name in old if name not in new),
        kept=tuple(name for name in new if name in ready - touched),
        again=tuple(name for name in new if name in ready & touched),
        rest=tuple(name for name in new if name not in ready),
    )


def recorded(trace: Trace, edited: EditedRun) -> Trace:
    """The trace as it is kept until the run goes on: the edited plan, who edited it, and the results that stay."""
    first = next((record for record in trace.records.values() if record.status == "failed"), None)
    about = (*edited.changed, *edited.new, *edited.gone, "")[0]
    failed = first or trace.records.get(about) or NodeRecord(about)
    known = (one for one in reversed(trace.diagnoses) if first is not None and one.failed == first.node)
    diagnosis = next(known, Diagnosis("unknown", failed.node, failed.node if first is not None else ""))
    repaired = Repaired(
        number=len(trace.repairs) + 1,
        failed=failed,
        diagnosis=diagnosis,
        by=PERSON,
        sentence="; ".join(edited.sentences),
        because="asked for by a person",
        edits=edited.edits,
        new=edited.new,
        changed=edited.changed,
        before=edited.before.workflow,
        inputs={name: one for name, one in edited.before.inputs.items() if edited.plan.inputs.get(name) != one},
    )
    return replace(
        trace.with_attempt(),
        plan=edited.plan,
        status="interrupted",
        records={name: trace.records[name] for name in edited.kept},
        outputs={},
        quality=(),
        error=None,
        repairs=(*trace.repairs, repaired),
        diagnoses=(),
        refusals=(),
        notes=(),
    )


def _told(plan: Plan, before: Plan, edits: Sequence[Edit]) -> Plan:
    """The plan that says what was changed by hand, so that nobody reads the answer without knowing it.

    A parameter of the plan that only stood in changed arguments is changed with them.
    """
    parameters = dict(plan.parameters)
    said = []
    for edit in edits:
        said.append(Assumption(edit.sentence(), True, "user", "changed by hand"))
        if not isinstance(edit, SetParameter) or not isinstance(edit.value, Given):
            continue
        old = before.workflow.by_id[edit.node].args.get(edit.parameter) if edit.node in before.workflow.by_id else None
        left = any(node.args.get(edit.parameter) == old for node in plan.workflow.nodes)
        if isinstance(old, Given) and parameters.get(edit.parameter) == old.value and not left:
            parameters[edit.parameter] = edit.value.value
    return replace(plan, parameters=parameters, assumptions=(*plan.assumptions, *said))


def edits_of(plan: Plan, change: Change, tools: Tools) -> tuple[Edit, ...]:
    """A change as typed edits: facts of files first, then replacements, insertions, items left out, and parameters.

    Raises:
        GraphEditError: it names what the plan does not have; all reasons are listed.
    """
    problems = Problems()
    wanted = {place: _value(value) for place, value in (change.set or {}).items()}
    edits: list[Edit] = list(_stated(plan, change.assume, problems))
    edits += [_replacement(plan, node, tool, tools, wanted, problems) for node, tool in _items(change)]
    taken = set(plan.workflow.by_id)
    for tool, place in change.insert:
        insertion = _insertion(plan, tool, place, tools, wanted, taken, problems)
        if insertion is not None:
            edits.append(insertion)
    edits += _left_out(plan, change.drop, problems)
    for place, value in wanted.items():
        found = _place(plan, place, problems)
        if found is not None:
            if len(found) > 2:
                expected = "NODE.PARAMETER; parts of it cannot be set alone"
                problems.add(Problem("bad_place", expected, place, where=place))
            setting = SetParameter(found[0], str(found[1]), value)
            _check_value(plan, setting, tools, problems)
            edits.append(setting)
    if problems.errors:
        raise GraphEditError("the run cannot be edited so", expected="what its plan has", problems=problems.errors)
    return tuple(edits)


def _stated(plan: Plan, said: Sequence[str], problems: Problems) -> Iterator[StateFacts]:
    """One edit for all that is said of the same files of the plan."""
    leaves = [(FromInput(n, at[1:]), leaf) for n, one in plan.inputs.items() for at, leaf in leaves_of((n,), one)]
    together: dict[tuple[FromInput, ...], dict[str, Any]] = {}
    for one in parse_assumptions(said):
        if one.fact not in STATABLE:
            expected, hint = f"one of {', '.join(STATABLE)}", "ask again with --assume: the plan depends on it"
            problems.add(Problem("not_stated", expected, one.fact, hint, where=str(one)))
            continue
        of = tuple(place for place, leaf in leaves if one.applies_to(leaf))
        if not of:
            files = ", ".join(sorted({PurePath(leaf.path).name for _, leaf in leaves if leaf.path})[:_MOST_FILES])
            problems.add(Problem("no_file", f"a file of the plan: {files}", str(one), where=str(one)))
        else:
            together.setdefault(of, {})[one.fact] = one.value
    for of, facts in together.items():
        yield StateFacts(of, facts, by_user=True)


def _check_value(plan: Plan, edit: SetParameter, tools: Tools, problems: Problems) -> None:
    """What can be said of an argument by itself, so that it is told with everything else that is wrong."""
    node = plan.workflow.by_id[edit.node]
    if node.tool in tools:
        left = {name: value for name, value in node.args.items() if name != edit.parameter}
        args = left if edit.value is None else {**left, edit.parameter: edit.value}
        problems.extend(authored_problems(replace(node, args=args), tools[node.tool]))


def _items(change: Change) -> list[tuple[str, str]]:
    return list((change.replace or {}).items())


def _value(data: Any) -> Value | None:
    if data is None:
        return None
    return from_json(data) if isinstance(data, dict) else Given(frozen(data))


def _replacement(
    plan: Plan, node_id: str, tool: str, tools: Tools, wanted: dict[str, Value | None], problems: Problems
) -> ReplaceNode:
    """Another tool for a node, with the arguments of the same names and those that are set."""
    old = plan.workflow.by_id.get(node_id)
    if old is None:
        problems.add(_unknown_node(plan, node_id))
        return ReplaceNode(node_id, Node(node_id, tool))
    schema = tools.get(tool)
    if schema is None:
        problems.add(_unknown_tool(tool, tools, node_id))
        return ReplaceNode(node_id, replace(old, tool=tool))
    args = {name: value for name, value in old.args.items() if name in schema.inputs}
    args |= _set_for(node_id, wanted)
    inserted = Inserted("person", "asked for by a person", f"in the place of {old.tool}", schema.lossy)
    return ReplaceNode(node_id, replace(old, tool=tool, args=args, inserted=inserted))


def _insertion(
    plan: Plan,
    tool: str,
    place: str,
    tools: Tools,
    wanted: dict[str, Value | None],
    taken: set[str],
    problems: Problems,
) -> InsertNode | None:
    found = _place(plan, place, problems)
    schema = tools.get(tool)
    if schema is None:
        problems.add(_unknown_tool(tool, tools, place))
    if found is None or schema is None:
        return None
    node_id = free_name(f"{found[0]}.{tool}", taken)
    taken.add(node_id)
    args = _set_for(node_id, wanted)
    preserved = schema.effects.preserves.get(schema.primary_output)
    free = [name for name, one in schema.inputs.items() if one.is_artifact and name not in args]
    carrier = preserved.from_ if preserved is not None and preserved.from_ in free else next(iter(free), None)
    target = plan.workflow.by_id[found[0]]
    inserted = Inserted("person", "asked for by a person", f"before {place}", schema.lossy)
    node = Node(node_id, tool, args, target.layer, schema.title, inserted=inserted)
    return InsertNode(node, (Spot(found[0], str(found[1]), tuple(found[2:])),), carrier)


def _set_for(node_id: str, wanted: dict[str, Value | None]) -> dict[str, Value]:
    """The arguments that are set for a node which the same change makes; they are part of it from the start."""
    found = {}
    for place in [name for name in wanted if name.rpartition(".")[0] == node_id]:
        value = wanted.pop(place)
        if value is not None:
            found[place.rpartition(".")[2]] = value
    return found


def _left_out(plan: Plan, places: Sequence[str], problems: Problems) -> list[Edit]:
    """One edit for each series that loses items, however many, and for each node that goes."""
    lost: dict[tuple[str, str], set[int]] = {}
    nodes = [text for text in places if text in plan.workflow.by_id]
    for text in places:
        if text in nodes:
            continue
        found = _place(plan, text, problems)
        if found is None:
            continue
        node, parameter, *way = found
        items = _series(plan, plan.workflow.by_id[node].args.get(str(parameter)))
        number = None if items is None or len(way) != 1 else _number(way[0], items, plan)
        if items is None or number is None:
            has = f"one of 0 to {len(items) - 1}, or a date" if items else "a series with items"
            problems.add(Problem("no_item", f"NODE.PARAMETER[ITEM], {has}", text, where=node))
            continue
        lost.setdefault((node, str(parameter)), set()).add(number)
    edits: list[Edit] = [LeaveOut(node) for node in nodes]
    for (node, parameter), numbers in lost.items():
        items = _series(plan, plan.workflow.by_id[node].args[parameter]) or ()
        left = tuple(item for number, item in enumerate(items) if number not in numbers)
        if not left:
            problems.add(Problem("empty_series", "at least one item that is left", "none", where=f"{node}.{parameter}"))
        edits.append(SetParameter(node, parameter, SeriesOf(left)))
    return edits


def _series(plan: Plan, value: Value | None) -> tuple[Value, ...] | None:
    """The items of a series, of the plan's inputs too; None for anything else."""
    if isinstance(value, SeriesOf):
        return value.items
    if isinstance(value, FromInput) and value.name in plan.inputs:
        artifact = _part(plan.inputs[value.name], value.at)
        if artifact is not None and artifact.items:
            return tuple(FromInput(value.name, (*value.at, number)) for number in range(len(artifact.items)))
    return None


def _part(artifact: Artifact, way: Sequence[str | int]) -> Artifact | None:
    for step in way:
        parts: Mapping[Any, Artifact] = artifact.members or dict(enumerate(artifact.items))
        if step not in parts:
            return None
        artifact = parts[step]
    return artifact


def _number(step: str | int, items: Sequence[Value], plan: Plan) -> int | None:
    """Which item a step into a series names: its number, or what is in its node's id or its date."""
    if isinstance(step, int):
        return step if 0 <= step < len(items) else None
    named = [number for number, item in enumerate(items) if step in _names(item, plan)]
    return named[0] if len(named) == 1 else None


def _names(item: Value, plan: Plan) -> list[str]:
    found = []
    for ref in references(item):
        if isinstance(ref, FromInput):
            artifact = _part(plan.inputs[ref.name], ref.at) if ref.name in plan.inputs else None
            dates = [] if artifact is None else [str(leaf.fact("datetime") or "")[:10] for leaf in artifact.leaves()]
            found += [*dates[:1], *([artifact.name] if artifact is not None else [])]
        else:
            found += [ref.node, *_DATE.findall(ref.node)]
    return found


def _place(plan: Plan, text: str, problems: Problems) -> tuple[Any, ...] | None:
    """A place as people write it: the longest id of a node that it begins with, a parameter, and the way into it."""
    text = text.strip()
    nodes = [name for name in plan.workflow.by_id if text.startswith((f"{name}.", f"{name}["))]
    if not nodes:
        problems.add(_unknown_node(plan, text))
        return None
    node = max(nodes, key=len)
    rest = text[len(node) :]
    steps = [dotted or inside for dotted, inside in _STEP.findall(rest)]
    if not steps or "".join(match.group(0) for match in _STEP.finditer(rest)) != rest or rest.startswith("["):
        problems.add(Problem("bad_place", "NODE.PARAMETER, as in share.threshold", text, where=node))
        return None
    return (node, steps[0], *(int(step) if step.isdigit() else step for step in steps[1:]))


def _unknown_node(plan: Plan, name: str) -> Problem:
    known = list(plan.workflow.by_id)
    more = f" and {len(known) - 12} more" if len(known) > 12 else ""
    hint = did_you_mean(name, known, "`knowflow runs show RUN` lists them")
    return Problem("unknown_node", f"a node of the plan: {', '.join(known[:12])}{more}", repr(name), hint, where=name)


def _unknown_tool(name: str, tools: Tools, where: str) -> Problem:
    hint = did_you_mean(name, tools, "`knowflow tools list` shows them")
    return Problem("unknown_tool", "a tool that exists", repr(name), hint, where=where)
