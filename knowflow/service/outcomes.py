"""What is handed back of a plan that was only made, of a run that ended, and of a question that was refused."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from knowflow.ground.errors import KnowFlowError
from knowflow.model.plan import Plan
from knowflow.model.trace import Trace
from knowflow.model.workflow import Workflow
from knowflow.question.times import times
from knowflow.service.results import PlanResult, RunResult, Status

if TYPE_CHECKING:
    from knowflow.service.presenter import Presenter


def result_of_plan(planned: PlanResult) -> RunResult:
    """What a dry run hands back."""
    plan = planned.plan
    return RunResult(
        query=plan.query,
        status="planned",
        assumptions=plan.assumptions,
        inserted=plan.inserted_nodes,
        nodes=tuple({"id": node.id, "tool": node.tool, "status": "planned"} for node in plan.workflow.nodes),
        notes=planned.notes,
    )


def result_of(trace: Trace, notes: Sequence[str] = ()) -> RunResult:
    """What a run that ended, however it ended, hands back."""
    from knowflow.service.deliver import answer_of, told_of

    answer = answer_of(trace)
    status: Status = "failed" if trace.status == "running" else trace.status
    values = {
        name: told_of(name, artifact, trace)
        for name, artifact in trace.told.items()
        if artifact.is_value or artifact.type == "table"
    }
    parts = {name: values[name]["value"] if name in values else None for name in trace.plan.parts}
    return RunResult(
        query=trace.plan.query,
        status=status,
        answer=(_table(parts) or answer.value) if status == "completed" else None,
        unit=_unit_of_all(values, parts) if parts else answer.unit,
        outputs=trace.delivered,
        assumptions=trace.plan.assumptions,
        inserted=trace.plan.inserted_nodes,
        repairs=len(trace.repairs),
        diagnoses=tuple(diagnosis.to_json() for diagnosis in trace.diagnoses),
        nodes=tuple(_node_line(trace, node.id, node.tool) for node in trace.plan.workflow.nodes),
        run_id=trace.run_id,
        report=trace.report,
        ui=trace.ui,
        error=trace.error,
        notes=tuple(dict.fromkeys((*notes, *trace.notes))),
        values=values,
        understood=dict(trace.plan.understood.get("question") or {}).get("words"),
        trace=trace,
    )


def _table(parts: Mapping[str, Any]) -> Any:
    """What a question with parts is answered by: a row for each where all are one value at a time."""
    rows = parts and all(times(name) is not None and isinstance(value, int | float) for name, value in parts.items())
    return [{"time": name, "value": value} for name, value in parts.items()] if rows else parts


def _unit_of_all(values: Mapping[str, Mapping[str, Any]], parts: Iterable[str]) -> str | None:
    """The unit that all parts are told in."""
    units = {values[name].get("unit") if name in values else None for name in parts}
    return units.pop() if len(units) == 1 else None


def _node_line(trace: Trace, node: str, tool: str) -> dict[str, Any]:
    record = trace.record(node)
    return {"id": node, "tool": tool, "status": record.status, "seconds": record.seconds}


def refused(query: str, error: KnowFlowError, planned: PlanResult | None) -> RunResult:
    """What a question gets that cannot be run: nothing was computed."""
    from knowflow.reason.repair.diagnose import diagnose_refusal

    plan = None if planned is None else planned.plan
    return RunResult(
        query=query,
        status="refused",
        error=error.to_json() | {"exit_code": error.exit_code},
        diagnoses=(diagnose_refusal(error.to_json()).to_json(),),
        assumptions=() if plan is None else plan.assumptions,
        inserted=() if plan is None else plan.inserted_nodes,
        nodes=()
        if plan is None
        else tuple({"id": node.id, "tool": node.tool, "status": "pending"} for node in plan.workflow.nodes),
        notes=() if planned is None else planned.notes,
    )


def with_report(result: RunResult, planned: PlanResult | None, home: Path, presenter: Presenter | None) -> RunResult:
    """What was refused before a run, with a page that tells why; the next one takes its place. It may not be written:
    then there is none."""
    if presenter is None:
        return result
    plan = Plan(result.query, "", Workflow()) if planned is None else planned.plan
    trace = Trace("", plan, "refused", error=result.error, started=time.time())
    with suppress(OSError):
        return replace(result, report=str(presenter.report(trace, home / "refused" / "report.html")))
    return result
