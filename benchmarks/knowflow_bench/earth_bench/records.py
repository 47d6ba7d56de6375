"""How far the experts' records can be followed: some of their calls cannot be made as they are recorded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from statistics import fmean
from typing import Any

from knowflow.model.tool import ToolSchema
from knowflow_bench.earth_bench.questions import Prediction, Question
from knowflow_bench.earth_bench.scoring import Score, paths
from knowflow_bench.metrics.origins import is_output
from knowflow_bench.metrics.values import given


@dataclass(frozen=True, slots=True)
class Stop:
    """The first call of a record (``call``, from 0) that cannot be made as it is written, and why."""

    call: int
    cause: str
    found: str


def stop(question: Question, tools: Mapping[str, ToolSchema]) -> Stop | None:
    """Where a record stops to be one that its tools allow.

    That is a tool that does not exist, a call without an input that its tool needs (it has those of another tool), or
    an argument of files none of which was given or written before. Files are told by their names: folders that
    records mix up, one wrong name among many, and outputs called otherwise than the tool does stop nothing.
    """
    there = set(question.files)
    for at, call in enumerate(question.expert):
        if call.tool not in tools:
            return Stop(at, "tool that does not exist", call.tool)
        arguments = given(call.arguments)
        inputs = {name: value for name, value in arguments.items() if not is_output(name)}
        needed = [name for name, parameter in tools[call.tool].parameters.items() if parameter.required]
        if lacking := [name for name in needed if name not in inputs]:
            return Stop(at, "call without an input that its tool needs", f"{call.tool}.{lacking[0]}")
        for name, value in inputs.items():
            read = _files(value)
            if read and there.isdisjoint(read):
                return Stop(at, "files that were neither given nor written", f"{call.tool}.{name}: {read[0]}")
        there.update(file for name, value in arguments.items() if is_output(name) for file in _files(value))
    return None


def _files(value: Any) -> list[str]:
    """The names of the files in an argument, without their folders."""
    return [path.name for path in map(PurePosixPath, paths(value)) if path.suffix]


def records(scored: Sequence[tuple[Question, Prediction, Score]], tools: Mapping[str, ToolSchema]) -> dict[str, Any]:
    """What is left to be met in the records.

    ``tem_within_reach`` is the TEM if every record were met up to its stop, and no less than it is met now (names of
    tools can agree past it), over all questions and ``by_modality``; ``stops`` are the records that stop, ``causes``
    how many do so for what.
    """
    found = [(question, stop(question, tools), score) for question, _, score in scored]

    def reach(questions: Iterable[tuple[Question, Stop | None, Score]]) -> float:
        return round(fmean(_reach(*item) for item in questions), 4)

    return {
        "tem_within_reach": reach(found),
        "by_modality": {
            modality: reach(item for item in found if item[0].modality == modality)
            for modality in sorted({question.modality for question, _, _ in found})
        },
        "causes": dict(Counter(end.cause for _, end, _ in found if end is not None).most_common()),
        "stops": [
            {"id": question.id, "call": end.call, "of": len(question.expert), "cause": end.cause, "found": end.found}
            for question, end, _ in found
            if end is not None
        ],
    }


def _reach(question: Question, end: Stop | None, score: Score) -> float:
    return 1.0 if end is None else max(score.tem, end.call / len(question.expert))
