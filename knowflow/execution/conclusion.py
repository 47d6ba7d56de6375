"""How a run ended: its outputs, the quality its plan demands, and its status, worked out from the records."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from knowflow.execution.conditions import judge
from knowflow.graph.resolve import OutputOf, resolve
from knowflow.ground.errors import MissingFactError, NoNumberError, QualityError, RunInterruptedError
from knowflow.ground.json_text import strict
from knowflow.model.artifact import Artifact
from knowflow.model.condition import Call, Compare, Const, Expression, names, parse
from knowflow.model.evaluate import shares
from knowflow.model.facts import FACT_TITLES
from knowflow.model.literal import frozen
from knowflow.model.plan import Plan
from knowflow.model.trace import Check, NodeRecord, RunStatus, Trace
from knowflow.model.workflow import Value

ShareMet = tuple[str, int, int]  # a condition, how many of a series meet it, and of how many

_MOST_DATES = 8
_NUMBER = re.compile(r"\d[\d.e+-]*")
_MOST_TOLD = 4
_COMPARED = {">=": "at least", ">": "above", "<=": "at most", "<": "below", "==": "", "!=": "not"}


def concluded(trace: Trace, output_of: OutputOf) -> Trace:
    """The trace of a run in which nothing is left to do, with outputs, quality, status and error."""
    trace = replace(trace, records=_in_order_of_the_plan(trace))
    failed = [record for record in trace.records.values() if record.status == "failed"]
    outputs: dict[str, Artifact] = {}
    for name, value in trace.plan.outputs.items():
        artifact = _available(value, trace.plan, output_of)
        if artifact is not None:
            outputs[name] = artifact
    quality, shares_met = ((), ()) if failed else _quality(trace.plan, output_of)
    status: RunStatus = "completed"
    error: Mapping[str, Any] | None = None
    if failed:
        errors = [record.error or {} for record in failed]
        refused = all(error.get("code") == MissingFactError.code for error in errors)
        status, error = "refused" if refused else "failed", _caused(errors[0], failed[0].node, trace)
    missed = [check for check in quality if check.truth is False]
    if missed:
        status = "failed"
        error = QualityError(
            "the result is not as good as its template demands",
            expected="; ".join(check.condition for check in missed),
            found="; ".join(check.because for check in missed),
        ).to_json()
    ended = replace(
        trace,
        outputs={name: _of_numbers(artifact) for name, artifact in outputs.items()},
        quality=quality,
        status=status,
        error=error,
        finished=time.time(),
    )
    if status != "completed":
        return ended
    if _holds_no_number(ended.answer):
        return replace(ended, status="failed", error=_not_known(ended).to_json())
    notes = (*_usable(ended, shares_met), *_not_told(ended), *_doubts(ended), *_told(ended))
    return replace(ended, notes=(*ended.notes, *notes))


def _in_order_of_the_plan(trace: Trace) -> dict[str, NodeRecord]:
    """The records as the plan has its nodes, whichever was started or ended first: the same run tells the same."""
    nodes = (node.id for node in trace.plan.workflow.nodes)
    return {node: trace.records[node] for node in dict.fromkeys((*nodes, *trace.records)) if node in trace.records}


def _of_numbers(artifact: Artifact) -> Artifact:
    """An output in which what is not a number (NaN, infinity) is None: nobody knows it, and JSON has no word for it."""
    if artifact.type not in ("scalar", "list", "table"):
        return artifact
    items = tuple(_of_numbers(item) for item in artifact.items)
    return replace(artifact, value=frozen(strict(artifact.value)), items=items)


def _numbers(artifact: Artifact) -> Iterator[Any]:
    """The values of a scalar or a list, one by one; of what is neither nothing."""
    for leaf in artifact.leaves() if artifact.type in ("scalar", "list") else ():
        if leaf.type in ("scalar", "list"):
            yield from leaf.value if isinstance(leaf.value, (list, tuple)) else (leaf.value,)


def _holds_no_number(artifact: Artifact | None) -> bool:
    """Whether an answer in numbers has not one."""
    values = [] if artifact is None else list(_numbers(artifact))
    return bool(values) and all(value is None for value in values)


def _not_told(trace: Trace) -> Iterator[str]:
    """That some numbers of a list, or one beside the answer, are not known."""
    for name, artifact in trace.outputs.items():
        values = list(_numbers(artifact))
        unknown = sum(value is None for value in values)
        if unknown:
            yield f"{unknown} of {len(values)} numbers of {name} are not known: there is no data to tell them of"


def _not_known(trace: Trace) -> NoNumberError:
    """The error of an answer that is not a number, naming the first node that found none."""
    found = (
        record.node
        for record in trace.records.values()
        for artifact in record.outputs.values()
        if artifact.type == "scalar" and isinstance(artifact.value, float) and not math.isfinite(artifact.value)
    )
    node = next(found, None)
    what = "there is no data to tell it of" if node is None else f"{node} found no number"
    return NoNumberError(
        f"the answer is not known: {what}",
        where=node,
        expected="a number",
        found="not one pixel or value that is data" if node is None else f"no number from {node}",
        hint="look at the valid fractions of the rasters: `knowflow data`; take other dates, or a larger area",
    )


def _caused(error: Mapping[str, Any], node: str, trace: Trace) -> Mapping[str, Any]:
    """The error of a node, led by its cause where that is certain and lies before the node."""
    for diagnosis in trace.diagnoses:
        if diagnosis.failed == node and diagnosis.found.get("offered"):
            error = {**error, "hint": diagnosis.advice}
        before = diagnosis.failed == node and diagnosis.node != node
        if before and diagnosis.confidence == "certain" and diagnosis.evidence:
            shown = diagnosis.evidence[0]
            message = f"{diagnosis.title} ({shown.what}: {shown.found}); {error.get('message', '')}"
            return {**error, "message": message, "hint": diagnosis.advice or error.get("hint")}
    return error


def _doubts(trace: Trace) -> tuple[str, ...]:
    """What was doubtful of the files that were read; of a doubt about several files the first, and how many more."""
    checks = (one for record in trace.records.values() for one in record.checks if one.truth is None)
    alike: dict[str, list[str]] = {}
    for told in dict.fromkeys(one.because for one in checks if one.condition.startswith("plausible(")):
        file, _, words = told.partition(": ")
        alike.setdefault(_NUMBER.sub("", words.replace(file, "")), []).append(told)
    more = {
        told[0]: [f"so it is of {len(told) - 1} more file{'s' if told[2:] else ''}"] if told[1:] else []
        for told in alike.values()
    }
    return tuple(note for first, others in more.items() for note in (first, *others))


def _told(trace: Trace) -> tuple[str, ...]:
    """What the tools say of their results; where many say the like, the first."""
    checks = [one for record in trace.records.values() for one in record.checks if one.phase == "told"]
    by_tool: dict[str, list[str]] = {}
    for said, by in {one.because: one.condition for one in checks}.items():
        by_tool.setdefault(by, []).append(said)
    told: list[str] = []
    for tool, words in by_tool.items():
        told += words[:_MOST_TOLD]
        if words[_MOST_TOLD:]:
            told.append(f"{tool} says the like of {len(words) - _MOST_TOLD} more results")
    return tuple(told)


def _usable(trace: Trace, shares_met: Sequence[ShareMet]) -> Iterator[str]:
    """How many of how many dates meet what only a share of them has to; which have not one pixel with data, and so no
    part in the result."""
    empty, dates = _without_data(trace)
    for inner, met, of in dict.fromkeys(shares_met):
        if of - met > max(len(empty), _empty_of(trace, of)):
            yield f"{met} of {of} dates are usable: {inner}"
    if empty:
        more = f" and {len(empty) - _MOST_DATES} more" if empty[_MOST_DATES:] else ""
        named = ", ".join(empty[:_MOST_DATES]) + more
        yield f"{len(empty)} of {dates} dates do not count, as every pixel is cloud or no data: {named}"


def _empty_of(trace: Trace, many: int) -> int:
    """Of a series of so many images, how many have not one pixel with data; two of them may be of one date."""
    found: dict[str, list[bool]] = {}
    nodes = trace.plan.workflow.by_id
    for name, record in trace.records.items():
        for leaf in (leaf for one in record.outputs.values() for leaf in one.leaves()):
            share = leaf.fact("valid_fraction")
            if leaf.type == "raster" and share is not None and name in nodes:
                found.setdefault(nodes[name].tool, []).append(share == 0)
    return max((sum(shares) for shares in found.values() if len(shares) == many), default=0)


def _in_words(condition: Expression) -> str:
    """A condition of a fact as a reader takes it: "the share of pixels that are data is at least 2 %"."""
    match condition:
        case Compare(Call(name=name), op, Const(value=limit)) if name in FACT_TITLES and op in _COMPARED:
            told = f"{100 * limit:g} %" if name.endswith("_fraction") and not isinstance(limit, str) else f"{limit}"
            return f"the {FACT_TITLES[name]} is {f'{_COMPARED[op]} {told}'.strip()}"
    return str(condition)


def _without_data(trace: Trace) -> tuple[list[str], int]:
    """The dates of a series that have not one pixel with data, in order, and the number of all."""
    found: dict[str, bool] = {}
    for artifact in (one for record in trace.records.values() for one in record.outputs.values()):
        for leaf in artifact.leaves():
            date, share = str(leaf.fact("datetime") or "")[:10], leaf.fact("valid_fraction")
            if leaf.type == "raster" and date and share is not None:
                found[date] = found.get(date, False) or share > 0
    return sorted(date for date, data in found.items() if not data), len(found)


def _available(value: Value, plan: Plan, output_of: OutputOf) -> Artifact | None:
    """The artifact behind an output of the plan, or None where a node that it needs has no result."""
    try:
        found = resolve(value, plan.inputs, output_of)
    except KeyError:
        return None
    if isinstance(found, Artifact):
        return found
    return Artifact(type="list" if isinstance(found, (list, tuple)) else "scalar", value=found)


def _quality(plan: Plan, output_of: OutputOf) -> tuple[tuple[Check, ...], tuple[ShareMet, ...]]:
    """Each quality condition judged on the results, pixel facts measured where needed; and of those that only a share
    of a series has to meet, how many of how many do."""
    checks: list[Check] = []
    met: list[ShareMet] = []
    for demand in plan.quality:
        condition = parse(demand.condition)
        environment = {}
        for name in names(condition):
            value = demand.values.get(name, demand.values.get(name.removeprefix("$")))
            if value is not None:
                environment[name] = resolve(value, plan.inputs, output_of)
        verdict, known = judge(condition, environment)
        checks.append(Check("quality", demand.condition, verdict.truth, verdict.because))
        met += [(_in_words(inner), number, of) for inner, number, of in shares(condition, known)]
    return tuple(checks), tuple(met)


def message_of(trace: Trace) -> str:
    """One line that says how a run ended."""
    count = {
        status: sum(record.status == status for record in trace.records.values())
        for status in ("done", "cached", "failed", "skipped")
    }
    parts = [f"{count['done'] + count['cached']} of {len(trace.plan.workflow)} nodes have results"]
    if count["cached"]:
        parts.append(f"{count['cached']} from the cache")
    parts += [f"{count[status]} {status}" for status in ("failed", "skipped") if count[status]]
    message = f"{trace.status}: {', '.join(parts)}"
    if trace.error is not None and trace.status != "interrupted":
        where = f"{trace.error['where']}: " if trace.error.get("where") else ""
        message += f". {where}{trace.error.get('message', '')}"
    return message


def interrupted(trace: Trace) -> Trace:
    """The trace of a run that was stopped, as it can be resumed: what had not finished is pending."""
    records = {
        name: NodeRecord(name) if record.status == "running" else record for name, record in trace.records.items()
    }
    error = RunInterruptedError("stopped on request", hint=f"`knowflow runs resume {trace.run_id}` goes on from here")
    return replace(trace, status="interrupted", records=records, error=error.to_json(), finished=time.time())
