"""What was planned against what the expert did: every metric for every question, and why a plan is not the expert's."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, median
from typing import Any

from knowflow_bench import metrics
from knowflow_bench.earth_bench.questions import Prediction, Question
from knowflow_bench.metrics.origins import is_output
from knowflow_bench.metrics.values import given, references


@dataclass(frozen=True, slots=True)
class Score:
    """The metrics of one question, and the causes for which it is not the expert's plan (none: it is)."""

    tao: float
    tio: float
    tio_lcs: float
    tem: float
    param: float
    param_bound: float
    eff: float
    precision: float
    weighted: float
    same_set: bool
    same_order: bool
    same_calls: bool
    causes: tuple[str, ...] = ()
    invented: tuple[str, ...] = field(default=())


def score(question: Question, prediction: Prediction, known_tools: Callable[[str], bool]) -> Score:
    """The metrics of a prediction; one without calls (an abstention) scores zero in all."""
    ours, theirs = prediction.tools, question.expert_tools
    return Score(
        tao=metrics.tao(ours, theirs),
        tio=metrics.tio(ours, theirs),
        tio_lcs=metrics.tio_lcs(ours, theirs),
        tem=metrics.tem(ours, theirs),
        param=metrics.param(prediction.calls, question.expert),
        param_bound=metrics.param_bound(prediction.calls, question.expert),
        eff=metrics.eff(ours, theirs),
        precision=metrics.precision(ours, theirs),
        weighted=metrics.weighted_sequence(prediction.calls, question.expert),
        same_set=metrics.any_order(ours, theirs),
        same_order=metrics.in_order(ours, theirs),
        same_calls=metrics.exact_match(prediction.calls, question.expert),
        causes=tuple(causes(question, prediction)),
        invented=tuple(invented(question, prediction, known_tools)),
    )


def report(scored: Sequence[tuple[Question, Prediction, Score]], family: Callable[[Question], str]) -> dict[str, Any]:
    """All metrics over the questions, by modality and by family; failures by cause; what each template serves."""
    serves = Counter(template for _, prediction, _ in scored for template in dict.fromkeys(prediction.templates))
    return {
        **summary(scored),
        "plan_ms_p95": round(percentile([prediction.seconds * 1000 for _, prediction, _ in scored], 95), 3),
        "by_modality": grouped(scored, lambda question: question.modality),
        "by_family": grouped(scored, family),
        "causes": dict(Counter(cause for _, _, found in scored for cause in found.causes).most_common()),
        "templates": dict(serves.most_common()),
        "templates_of_one_question": sorted(template for template, number in serves.items() if number == 1),
        "invented": sorted({name for _, _, found in scored for name in found.invented}),
        "questions": [line(question, prediction, found) for question, prediction, found in scored],
    }


def summary(scored: Sequence[tuple[Question, Prediction, Score]]) -> dict[str, Any]:
    """Means over questions; of the efficiency the median (and the mean as ``eff_mean``)."""
    scores = [found for _, _, found in scored]

    def mean(name: str) -> float:
        return round(fmean(float(getattr(found, name)) for found in scores), 4)

    return {
        "n": len(scores),
        **{name: mean(name) for name in ("tao", "tio", "tio_lcs", "tem", "param", "param_bound")},
        "eff": round(median(found.eff for found in scores), 4),
        "eff_mean": mean("eff"),
        "precision": mean("precision"),
        "abstained": round(sum(not prediction.calls for _, prediction, _ in scored) / len(scores), 4),
        "ao": mean("same_set"),
        "io": mean("same_order"),
        "em": mean("same_calls"),
        "ws": mean("weighted"),
        "tri": round(metrics.tri((prediction.tools, question.expert_tools) for question, prediction, _ in scored), 4),
        **({"tokens": tokens} if (tokens := sum(prediction.tokens for _, prediction, _ in scored)) else {}),
    }


def grouped(
    scored: Sequence[tuple[Question, Prediction, Score]], key: Callable[[Question], str]
) -> dict[str, dict[str, Any]]:
    """The summary of each group, by name."""
    groups: dict[str, list[tuple[Question, Prediction, Score]]] = {}
    for item in scored:
        groups.setdefault(key(item[0]), []).append(item)
    return {name: summary(items) for name, items in sorted(groups.items())}


def line(question: Question, prediction: Prediction, found: Score) -> dict[str, Any]:
    """What was asked and what was planned."""
    return {
        "id": question.id,
        "modality": question.modality,
        "asked": question.text,
        "planned": shortened(prediction.tools),
        "expert": shortened(question.expert_tools),
        "templates": list(prediction.templates),
        **{name: round(getattr(found, name), 4) for name in ("tao", "tio", "tem", "param", "param_bound", "precision")},
        "eff": round(found.eff, 4),
        "causes": list(found.causes),
        **({"message": prediction.message} if prediction.message else {}),
    }


def shortened(tools: Iterable[str]) -> list[str]:
    """A sequence of tools with repetitions counted: ``ndti x20``."""
    runs: list[tuple[str, int]] = []
    for tool in tools:
        if runs and runs[-1][0] == tool:
            runs[-1] = (tool, runs[-1][1] + 1)
        else:
            runs.append((tool, 1))
    return [tool if number == 1 else f"{tool} x{number}" for tool, number in runs]


def causes(question: Question, prediction: Prediction) -> Iterable[str]:
    """Why a plan is not the expert's, in words that can be counted."""
    ours, theirs = prediction.tools, question.expert_tools
    if not ours:
        yield f"abstained: {prediction.cause or 'no calls'}"
    elif ours != theirs:
        yield from _of_tools(ours, theirs)
    else:
        yield from _of_arguments(prediction, question)


def _of_tools(ours: Sequence[str], theirs: Sequence[str]) -> Iterable[str]:
    lacking, extra = set(theirs) - set(ours), set(ours) - set(theirs)
    for tool in sorted(lacking):
        yield f"tool not used: {tool}"
    for tool in sorted(extra):
        yield f"tool the expert did not use: {tool}"
    if lacking or extra:
        return
    if Counter(ours) == Counter(theirs):
        yield "other order"
    elif theirs[: len(ours)] == ours:
        yield "ends before the expert"
    elif ours[: len(theirs)] == theirs:
        yield "goes on after the expert"
    else:
        yield "other number of calls"


def _of_arguments(prediction: Prediction, question: Question) -> Iterable[str]:
    """Which parameters differ, each once: output paths, inputs, values."""
    seen = set()
    for at, (call, expert) in enumerate(zip(prediction.calls, question.expert, strict=True)):
        if metrics.same_call(call, expert, question.expert[:at]):
            continue
        theirs = given(expert.arguments)
        for name in sorted({*given(call.arguments), *theirs}):
            one, other = metrics.Call(call.tool, _only(call.arguments, name), None), _only(expert.arguments, name)
            if not metrics.same_call(one, metrics.Call(expert.tool, other, None), question.expert[:at]):
                seen.add(f"other output path: {call.tool}" if is_output(name) else f"other value: {call.tool}.{name}")
    yield from sorted(seen)


def _only(arguments: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {name: arguments[name]} if name in arguments else {}


def invented(question: Question, prediction: Prediction, known_tools: Callable[[str], bool]) -> Iterable[str]:
    """Tools that do not exist, files that are neither given nor written by an earlier call, results of no call."""
    there = {f"{question.folder}/{name}" for name in question.files} | {question.folder}
    written: set[str] = set()
    for at, call in enumerate(prediction.calls):
        if not known_tools(call.tool):
            yield f"tool {call.tool}"
        for name, value in call.arguments.items():
            if is_output(name):
                continue
            for path in paths(value):
                if path not in there and not any(path == out or path.endswith(f"/{out}") for out in written):
                    yield f"file {path}"
            yield from (f"result {place} in call {at}" for place in references(value) if not 0 <= place < at)
        written.update(path for name, value in call.arguments.items() if is_output(name) for path in texts(value))


def paths(value: Any) -> Iterable[str]:
    """The texts in an argument that name files or folders."""
    return (text for text in texts(value) if "/" in text or text.lower().endswith((".tif", ".png", ".jpg")))


def texts(value: Any) -> Iterable[str]:
    """All texts in an argument."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from texts(item)


def percentile(numbers: Sequence[float], percent: float) -> float:
    """The smallest of the numbers that at least so many percent of them do not exceed."""
    ordered = sorted(numbers)
    return ordered[max(0, math.ceil(percent / 100 * len(ordered)) - 1)]
