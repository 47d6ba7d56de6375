"""From a failure to its named cause: the condition or error it shows, followed back to the node or file that is guilty.

A diagnosis says what the evidence says and no more: where several causes fit, the others are named too, and what nobody
can tell is called unknown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any

from knowflow.graph.resolve import resolve
from knowflow.ground.errors import KnowFlowError
from knowflow.model.artifact import Artifact
from knowflow.model.causes import CAUSES
from knowflow.model.condition import names, parse
from knowflow.model.diagnosis import Diagnosis, Evidence
from knowflow.model.plan import Quality
from knowflow.model.trace import Check, Trace
from knowflow.model.workflow import FromNode, Node, references
from knowflow.reason.repair.examination import Examination, Probe, Tools
from knowflow.reason.repair.failures import (
    OF_CODE,
    OF_FILES,
    cause_of_file,
    cause_of_words,
    diagnosed_error,
    nothing_behind,
)
from knowflow.reason.repair.pixels import lost_here
from knowflow.reason.repair.samples import ready_lines
from knowflow.reason.repair.violations import OF_MISSING, OF_PREDICATE, diagnosed_condition

_CALL = re.compile(r"\b([a-z_]+)\(")
_OF_DATA = frozenset({"dates_unpaired", "too_few_dates", "no_overlap", "band_missing", "duplicate_dates"})
_PHASES: Mapping[str, str] = {"precondition": "before", "missing_fact": "before", "effect": "after"}
# the facts that a user can say of a file, by the cause that they would undo
_SAYS: Mapping[str, tuple[str, ...]] = {
    "unit_wrong": ("unit",),
    "scale_missing": ("scale", "offset"),
    "scale_wrong": ("scale", "offset"),
    "nodata_undeclared": ("nodata",),
    "mask_coded": ("mark",),
}


def diagnose(trace: Trace, node: str, tools: Tools, probe: Probe) -> Diagnosis:
    """The diagnosis of a node that failed."""
    case = Examination(trace, node, tools, probe)
    code = str(case.error.get("code", ""))
    phase = _PHASES.get(code)
    found = None
    if phase is not None:
        text = str(case.error.get("expected") or "")
        found = diagnosed_condition(case, text, case.arguments, case.node, phase)
        if found is None and phase == "after":
            found = _broken_promise(case)
    return _advised(found if found is not None else diagnosed_error(case))


def diagnose_quality(trace: Trace, demand: Quality, check: Check, tools: Tools, probe: Probe) -> Diagnosis:
    """The diagnosis of a quality that the results miss: of the node that caused it, often far before the result."""
    node = _node_behind(trace, demand)
    case = Examination(trace, node.id, tools, probe)

    def output_of(name: str, output: str) -> Artifact:
        schema = tools[trace.plan.workflow.node(name).tool]
        return trace.record(name).outputs[output or schema.primary_output]

    environment: dict[str, Any] = {}
    condition = parse(demand.condition)
    for name in names(condition):
        value = demand.values.get(name, demand.values.get(name.removeprefix("$")))
        if value is not None:
            try:
                environment[name] = resolve(value, trace.plan.inputs, output_of)
            except (KnowFlowError, KeyError):
                continue
    found = diagnosed_condition(case, demand.condition, environment, node, "quality", demand.values)
    if found is None:
        shown = Evidence(demand.condition, "to hold", check.because, "checked")
        found = Diagnosis("quality_missed", node.id, node.id, (), "", (shown,), "certain")
    return _advised(found)


def diagnose_unknown(trace: Trace, error: Mapping[str, Any], tools: Tools, probe: Probe) -> Diagnosis:
    """The diagnosis of an answer that is no number: of the node that had data and found none, or of what had no data.

    ``error`` is that of the run, and names the first node that found no number.
    """
    case = Examination(trace, str(error["where"]), tools, probe)
    shown = Evidence(case.node.id, str(error.get("expected") or ""), _told(error), "error")
    return _advised(nothing_behind(case, shown) or lost_here(case, case.node, (shown,)))


_SET = re.compile(r"^.*?(?=--set )")


def diagnose_refusal(error: Mapping[str, Any], unreadable: Sequence[tuple[str, str]] = ()) -> Diagnosis:
    """The diagnosis of a question that was refused before anything ran.

    ``unreadable`` are files of the folder that could not be read, with the reasons, beside those that the error names.
    """
    unreadable = [*unreadable, *_unreadable(error)]
    code = str(error.get("code", ""))
    told = Evidence("error", str(error.get("expected") or ""), _told(error), "error")
    where = str(error.get("where") or "")
    cause, certain = _refusal_cause(code, error)
    evidence = [told]
    problems = error.get("problems") or ()
    damaged_files = [(str(p["where"]), str(p["found"])) for p in problems if p.get("code") == "unreadable_data"]
    unreadable = (*unreadable, *damaged_files)
    file = where if "/" in where else ""
    if cause in ("data_missing", "band_missing", "file_missing", "dates_unpaired") and unreadable:
        damaged, reason = unreadable[0]
        evidence.insert(0, Evidence(damaged, "a file that can be read", reason, "system"))
        cause, certain, file = cause_of_file(reason), False, damaged
    return _advised(
        Diagnosis(cause, "", "", (), file, tuple(evidence), "certain" if certain else "likely"),
        str(error.get("hint") or ""),
    )


def _unreadable(error: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The files that an error names as damaged, though they are not what it is about."""
    return [
        (str(problem.get("where") or ""), str(problem.get("found") or ""))
        for problem in error.get("problems") or ()
        if problem.get("code") == "unreadable_data" and problem.get("severity") == "warning"
    ]


def _refusal_cause(code: str, error: Mapping[str, Any]) -> tuple[str, bool]:
    expected, found = str(error.get("expected") or ""), str(error.get("found") or "")
    if code == "missing_fact":
        fact = next((f for f in OF_MISSING if f"{f} " in f"{error.get('message', '')} {found} "), "")
        return OF_MISSING.get(fact, "fact_unknown"), True
    for problem in error.get("problems") or ():
        if problem.get("code") in OF_CODE and problem.get("severity", "error") == "error":
            return OF_CODE[problem["code"]], True
    if code == "no_plan" or code in ("not_applicable", "no_method"):
        said = cause_of_words(_SET.sub("", str(error.get("message", ""))))
        if said in ("wrong_type", "parameter_out_of_range"):  # what is said beside the question is no matter of data
            return said, True
        if "do not overlap" in found:
            return "no_overlap", True
        predicate = next((p for p in _CALL.findall(expected) if p in OF_PREDICATE or p == "same_grid"), None)
        if predicate is not None:
            return ("grid_mismatch" if predicate == "same_grid" else OF_PREDICATE[predicate]), True
        pointed = cause_of_words(f"{error.get('message', '')} {found}")
        if code != "no_plan" and pointed not in _OF_DATA:  # these list whatever is in the folder, in many words
            pointed = None
        return pointed or "data_missing", pointed is not None
    if code == "data_not_found" and "file does not exist" in str(error.get("message", "")):
        return "file_missing", True
    if code == "data_not_found":
        damaged = cause_of_words(found)  # a folder may hold files and nothing that can be read
        return (damaged, True) if damaged in OF_FILES else ("data_missing", True)
    if code == "unreadable_data":
        return cause_of_file(_told(error)), True
    if code in OF_CODE:
        return OF_CODE[code], True
    return cause_of_words(_told(error)) or "unknown", False


def _broken_promise(case: Examination) -> Diagnosis:
    shown = Evidence(
        str(case.error.get("expected") or "effect"), "to hold", str(case.error.get("found") or ""), "checked"
    )
    return Diagnosis("broken_promise", case.node.id, case.node.id, (), "", (shown,), "likely", ("tool_defect",))


def _node_behind(trace: Trace, demand: Quality) -> Node:
    """The node whose result a quality condition is about."""
    for value in demand.values.values():
        for reference in references(value):
            if isinstance(reference, FromNode):
                return trace.plan.workflow.node(reference.node)
    return trace.plan.workflow.nodes[-1]


def _told(error: Mapping[str, Any]) -> str:
    return ": ".join(str(error[name]) for name in ("message", "found") if error.get(name))


def _advised(diagnosis: Diagnosis, hint: str = "") -> Diagnosis:
    """With what a user can do: the option that says what was found of a file, else what is known of the cause."""
    if diagnosis.advice:
        return diagnosis
    facts = _SAYS.get(diagnosis.cause, ())
    files = str(diagnosis.found.get("files") or PurePath(diagnosis.file).name)
    if diagnosis.file and diagnosis.found.get("choices"):
        lines = ready_lines(files, diagnosis.found["choices"])
        which = "say which of them it is" if len(diagnosis.found["choices"]) > 1 else "if that is what it is, say it"
        return replace(diagnosis, advice=f"{which}: {lines}")
    if diagnosis.file and facts and all(fact in diagnosis.found for fact in facts):
        said = {fact: diagnosis.found[fact] for fact in facts}
        lines = ready_lines(files, [said])
        return replace(diagnosis, advice=f"if that is so, say it: {lines}")
    return replace(diagnosis, advice=hint or CAUSES[diagnosis.cause].advice)
