"""The figures of the benchmark over all outcomes, and what went wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from knowflow_bench import metrics
from knowflow_bench.tasks.outcome import UNANSWERABLE, Outcome


def report(outcomes: Sequence[Outcome], passed_over: int, seconds: float) -> dict[str, Any]:
    """Shares are in 0..1 (None where there was nothing to count); ``wrong_confident``, ``unanswerable`` and
    ``refused_rightly`` count questions. What was answered though it cannot be counts as confident and wrong."""
    asked = [one for one in outcomes if one.level != UNANSWERABLE]
    unanswerable = [one for one in outcomes if one.level == UNANSWERABLE]
    simple = [one for one in asked if one.level == "simple"]
    complex_ = [one for one in asked if one.level == "complex"]
    steps = [step for one in asked for step in one.steps]
    accuracy = metrics.step_accuracy(steps) if steps else None
    return {
        "n": len(asked),
        "tasks": len({(one.sub_domain, one.task) for one in asked}),
        "tsr_simple": _scored(metrics.tsr, simple),
        "tsr_complex": _scored(metrics.tsr, complex_),
        "fpa_simple": _scored(metrics.fpa, simple),
        "fpa_complex": _scored(metrics.fpa, complex_),
        "ntc": _scored(metrics.ntc, asked),
        "ni": _scored(metrics.ni, asked),
        "wrong_confident": sum(one.confident_and_wrong for one in outcomes),
        "unanswerable": len(unanswerable),
        "refused_rightly": sum(one.right for one in unanswerable),
        "refused_wrongly": sum(one.status == "refused" for one in asked),
        "failed": sum(one.status not in ("refused", "completed") for one in asked),
        "inst_acc": None if accuracy is None else round(accuracy.inst_acc, 4),
        "tool_acc": None if accuracy is None else round(accuracy.tool_acc, 4),
        "arg_acc": None if accuracy is None else round(accuracy.arg_acc, 4),
        "step_acc": None if accuracy is None else round(accuracy.overall, 4),
        "with_something_wrong": _share(asked, lambda one: bool(one.wrong_data)),
        "tsr_with_something_wrong": _share([one for one in asked if one.wrong_data], _right),
        "by_wrong": _by(asked, lambda one: one.wrong_data or ("nothing",)),
        "by_sub_domain": _by(asked, lambda one: (one.sub_domain,)),
        "passed_over": passed_over,
        "seconds": round(seconds, 1),
        "not_right": [one.to_json() for one in outcomes if not one.right],
        "outcomes": [one.to_json() for one in outcomes],
    }


def _right(one: Outcome) -> bool:
    return one.right


def _scored(metric: Callable[[Sequence[metrics.TaskOutcome]], float], outcomes: Sequence[Outcome]) -> float | None:
    return round(metric([one.scored for one in outcomes]), 4) if outcomes else None


def _share(outcomes: Sequence[Outcome], held: Callable[[Outcome], bool]) -> float | None:
    return round(sum(map(held, outcomes)) / len(outcomes), 4) if outcomes else None


def _by(outcomes: Sequence[Outcome], keys: Callable[[Outcome], Sequence[str]]) -> dict[str, dict[str, int]]:
    """How many of each kind, and how many of them are right."""
    counts: Counter[str] = Counter(key for one in outcomes for key in keys(one))
    right: Counter[str] = Counter(key for one in outcomes if one.right for key in keys(one))
    return {name: {"n": number, "right": right[name]} for name, number in sorted(counts.items())}
