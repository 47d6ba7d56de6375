"""Repairs in words, the same on the terminal, in the report and in the Prefect UI."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import reduce
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from knowflow.graph.export import Group
from knowflow.graph.resolve import part_of
from knowflow.model.edit import Edit, InsertNode, LeaveOut, ReplaceNode, SetParameter, StateFacts
from knowflow.model.verdict import place_text
from knowflow.model.workflow import FromInput, Node
from knowflow.roof.notation import plain, shorten

if TYPE_CHECKING:
    from knowflow.model.diagnosis import Diagnosis
    from knowflow.model.trace import Refusal, Repaired, Trace

_MARKUP = re.compile(r"([\\`*_\[\]<>#|!~])")
_LONGEST = 400

_WHO = {
    "schema": "what the tools say of themselves",
    "llm": "a language model",
    "person": "a person",
    "limit": "the limit",
}


def who(by: str) -> str:
    """Who proposed a repair: ``rule:NAME``, ``memory:NAME``, ``schema``, ``llm`` or ``person``, in words."""
    kind, _, name = by.partition(":")
    if kind == "memory":
        return f"memory, as {name}"
    return f"the rule {name}" if kind == "rule" else _WHO.get(kind, by)


def workflow_change(repair: Repaired) -> str:
    """Which nodes a repair added and changed."""
    parts = [("new: ", repair.new), ("changed: ", repair.changed)]
    return "; ".join(title + ", ".join(names) for title, names in parts if names)


def edits_text(repair: Repaired) -> str:
    """What a repair did, on one line."""
    return plain("; ".join(edit.sentence() for edit in repair.edits) or repair.sentence)


def edits_in_words(repair: Repaired) -> str:
    """What a repair did, on one line that names steps by what they do, and files by their names."""
    inserted = [edit.node for edit in repair.edits if isinstance(edit, InsertNode)]
    told = [_in_words(edit, repair, [*repair.before.nodes, *inserted]) for edit in repair.edits]
    return plain("; ".join(dict.fromkeys(told)) or repair.sentence)


def _in_words(edit: Edit, repair: Repaired, nodes: Sequence[Node]) -> str:
    match edit:
        case SetParameter(node=node, parameter=name):
            said = f"{name.replace('_', ' ')} of {step_in_words(nodes, node)}"
            return edit.sentence().replace(f"{node}.{name}", said, 1)
        case InsertNode(node=node, spots=spots):
            before = step_in_words(nodes, *(spot.node for spot in spots if spot.node))
            return f"insert {step_in_words(nodes, node.id)}" + (f" before {before}" if before else "")
        case ReplaceNode(node_id=old, node=node):
            return f"replace {step_in_words(nodes, old)} by {step_in_words([node], node.id)}"
        case LeaveOut(node=node):
            return f"leave out {step_in_words(nodes, node)} and what hangs on it alone"
        case StateFacts(inputs=inputs):
            files = {place_text((one.name, *one.at)): _file(repair, one) for one in inputs}
            return reduce(lambda text, pair: text.replace(*pair, 1), files.items(), edit.sentence())


def step_in_words(nodes: Sequence[Node], *names: str) -> str:
    """What nodes do, by their ids: those that do the same at once."""
    found = {node.id: node for node in nodes}
    kinds: dict[str, list[Node]] = {}
    for node in (found[name] for name in dict.fromkeys(names) if name in found):
        kinds.setdefault(node.tool, []).append(node if node.title else replace(node, title=_words(node.tool)))
    told = [Group(tuple(kind)).title + (f" × {len(kind)}" if len(kind) > 1 else "") for kind in kinds.values()]
    return ", ".join(f"“{one}”" for one in told) or ", ".join(names)


def _words(tool: str) -> str:
    return tool.replace("_", " ").capitalize()


def _file(repair: Repaired, one: FromInput) -> str:
    """The file that a part of an input is; the part as it is called where that is not one file."""
    known = repair.inputs.get(one.name)
    path = None if known is None else part_of(known, one.at).path
    return place_text((one.name, *one.at)) if path is None else PurePath(path).name


def repair_sentence(repair: Repaired) -> str:
    """What was wrong, why what was done is right, and what that gives up, in one sentence without names of steps."""
    what = repair.diagnosis.title if repair.diagnosis.failed else "the workflow was changed by hand"
    why = repair.because or "what was done is told below"
    lossy = f"; given up: {repair.lossy}" if repair.lossy else ""
    return plain(f"{what[:1].upper()}{what[1:]}: {why}{lossy}.")


def failure_text(repair: Repaired) -> str:
    """What failed before a repair, on one line; nothing where a person changed a run in which nothing had."""
    if not repair.diagnosis.failed:
        return ""
    message = (repair.failed.error or {}).get("message")
    return plain(": ".join(str(part) for part in (repair.failed.node, message) if part))


def repair_rows(trace: Trace) -> list[dict[str, Any]]:
    """The repairs of a run as rows of a table."""
    return [
        {
            "repair": repair.number,
            "failed": failure_text(repair),
            "cause": repair.diagnosis.title if repair.diagnosis.failed else "",
            "by": who(repair.by),
            "edit": edits_text(repair),
            "gives up": plain(repair.lossy),
        }
        for repair in trace.repairs
    ]


def repairs_told(trace: Trace) -> str:
    """Failures, causes, repairs and refused proposals as Markdown; text from files and models is never markup."""
    return "\n".join(_told(trace))


def _told(trace: Trace) -> Iterator[str]:
    for repair in trace.repairs:
        yield repair_told(repair)
    for diagnosis in trace.diagnoses:
        yield f"## Not repaired: {_text(diagnosis.failed)}"
        yield ""
        yield from _cause(diagnosis)
        if diagnosis.advice:
            yield f"- **to do** {_text(diagnosis.advice)}"
        yield ""
    yield from _refusals(trace.refusals)


def repair_told(repair: Repaired) -> str:
    """One repair as Markdown."""
    return "\n".join(_repair(repair))


def _repair(repair: Repaired) -> Iterator[str]:
    yield f"## {'Edit' if repair.by == 'person' else 'Repair'} {repair.number}: {_text(edits_text(repair))}"
    yield ""
    if repair.diagnosis.failed:
        yield f"- **failed attempt** {_text(failure_text(repair))}"
        yield from _cause(repair.diagnosis)
    yield f"- **by** {_text(who(repair.by))}"
    if repair.because:
        yield f"- **because** {_text(repair.because)}"
    if repair.by.startswith(("rule:", "memory:")):
        yield f"- **rule** {_text(repair.sentence)}"
    if workflow_change(repair):
        yield f"- **steps** {_text(workflow_change(repair))}"
    if repair.lossy:
        yield f"- **gives up** {_text(repair.lossy)}"
    yield from _refusals(repair.refused)
    yield ""


def _cause(diagnosis: Diagnosis) -> Iterator[str]:
    sure = "" if diagnosis.confidence == "certain" else ", probably"
    yield f"- **cause{sure}** {_text(diagnosis.title)} (`{diagnosis.cause}`)"
    if diagnosis.node and diagnosis.node != diagnosis.failed:
        yield f"- **guilty** {_text(diagnosis.node)}"
    for evidence in diagnosis.evidence:
        yield f"- **evidence** {_text(str(evidence))}"


def _refusals(refusals: tuple[Refusal, ...]) -> Iterator[str]:
    for refusal in refusals:
        yield f"- **refused** {_text(who(refusal.by))}: {_text(refusal.sentence)}"
        for reason in refusal.reasons:
            yield f"  - {_text(reason)}"


def _text(text: str) -> str:
    return _MARKUP.sub(r"\\\1", shorten(text, _LONGEST))
