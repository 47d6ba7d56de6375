"""What came of one question, as a value that can be counted."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from knowflow.model.workflow import Given, Node
from knowflow.service.results import RunResult
from knowflow_bench.metrics import StepOutcome, TaskOutcome
from knowflow_bench.tasks.judge import Verdict
from knowflow_bench.tasks.task_file import Case, Unanswerable, Use

UNANSWERABLE = "unanswerable"
_RAN = ("done", "cached", "failed")

_NO_PLAN = {"no_method": "no_plan", "not_compiled": "no_plan"}  # why there is none, said more closely


@dataclass(frozen=True, slots=True)
class Outcome:
    """One wording of one case: what was asked, what came of it, and whether that is right."""

    sub_domain: str
    task: str
    level: str
    wording: int
    asked: str
    status: str
    right: bool
    confident_and_wrong: bool
    scored: TaskOutcome
    wrong_data: tuple[str, ...] = ()
    template: str = ""
    expected: str = ""
    found: str = ""
    error: str = ""
    repairs: int = 0
    seconds: float = 0.0
    steps: tuple[StepOutcome, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "sub_domain": self.sub_domain,
            "task": self.task,
            "level": self.level,
            "wording": self.wording,
            "asked": self.asked,
            "status": self.status,
            "right": self.right,
            "first_pass": self.scored.first_pass,
            "repairs": self.repairs,
            "interventions": self.scored.interventions,
            "tool_calls": self.scored.tool_calls,
            "wrong_data": list(self.wrong_data),
            "template": self.template,
            "expected": self.expected,
            "found": self.found,
            "error": self.error,
            "seconds": round(self.seconds, 3),
        }


def outcome_of(
    where: tuple[str, str, str, int, str],
    case: Case,
    result: RunResult,
    verdict: Verdict | None,
    helped: int,
    seconds: float,
) -> Outcome:
    """The outcome of a question that has an answer; ``verdict`` is None where nothing was answered."""
    right = verdict is not None and verdict.right
    first = right and helped == 0 and result.repairs == 0
    sub_domain, task, level, wording, asked = where
    return Outcome(
        sub_domain=sub_domain,
        task=task,
        level=level,
        wording=wording,
        asked=asked,
        status=result.status,
        right=right,
        confident_and_wrong=verdict is not None and not verdict.right,
        scored=TaskOutcome(right, first, _calls(result), helped),
        wrong_data=case.wrong,
        template="" if result.trace is None else result.trace.plan.template,
        expected="" if verdict is None else verdict.expected,
        found="" if verdict is None else verdict.found,
        error=_reason(result.error),
        repairs=result.repairs,
        seconds=seconds,
        steps=tuple(_step(use, result) for use in case.uses),
    )


def refusal_of(sub_domain: str, question: Unanswerable, result: RunResult, seconds: float) -> Outcome:
    """The outcome of a question without an answer: right is to refuse it with the true reason."""
    said = json.dumps(result.error, default=str).lower()
    code = "" if result.error is None else str(result.error.get("code", ""))
    named = {code, _NO_PLAN.get(code, code)} & {*question.codes}
    reason = bool(named) and (not question.says or any(word.lower() in said for word in question.says))
    answered = result.status == "completed"
    right = reason and not answered
    return Outcome(
        sub_domain=sub_domain,
        task=question.because,
        level=UNANSWERABLE,
        wording=0,
        asked=question.ask,
        status=result.status,
        right=right,
        confident_and_wrong=answered,
        scored=TaskOutcome(right, right, _calls(result), 0),
        expected=f"{' or '.join(question.codes)}, with one of: {', '.join(question.says) or 'any words'}",
        found=f"{result.answer!r} {result.unit or ''}".strip() if answered else code,
        error=_reason(result.error),
        seconds=seconds,
    )


def _calls(result: RunResult) -> int:
    """The tools that were called: each node that came to run, and once more for each call that a repair made good."""
    if result.trace is None:
        return 0
    ran = [node for node in result.trace.plan.workflow.nodes if result.trace.record(node.id).status in _RAN]
    return len(ran) + result.repairs


def _reason(error: Mapping[str, Any] | None) -> str:
    if error is None:
        return ""
    parts = [str(error[name]) for name in ("code", "where", "message", "expected", "found") if error.get(name)]
    return ": ".join(parts)[:400]


def _step(use: Use, result: RunResult) -> StepOutcome:
    """A step of the right workflow, looked for in the plan that was run."""
    nodes = () if result.trace is None else result.trace.plan.workflow.nodes
    found = [node for node in nodes if node.tool in use.tools]
    if not found or result.trace is None:
        return StepOutcome(result.status == "completed", False)
    best = max(found, key=lambda node: _arguments(use, node))
    return StepOutcome(result.trace.record(best.id).ready, True, _arguments(use, best))


def _arguments(use: Use, node: Node) -> float:
    """The share of the arguments that a node gives as it should; 1 where none are told."""
    if not use.with_:
        return 1.0
    return sum(_same(node.args.get(name), value) for name, value in use.with_.items()) / len(use.with_)


def _same(given: Any, expected: Any) -> bool:
    value = given.value if isinstance(given, Given) else None
    value = getattr(value, "value", value)
    if isinstance(expected, (int, float)) and not isinstance(expected, bool):
        return isinstance(value, (int, float)) and math.isclose(value, expected, rel_tol=1e-9)
    if isinstance(expected, str) and isinstance(value, str):  # NDVI is ndvi
        return value.casefold() == expected.casefold()
    return bool(value == expected)
