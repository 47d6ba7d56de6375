"""What tells two runs apart: the question, the data, what was taken for granted, the steps, and how they ended."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from knowflow.memory.replay import Forms
from knowflow.model.trace import Trace

_DIGITS = 12


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing in which two runs differ: ``before`` is of the first, ``after`` of the second; None: it has none."""

    what: str
    before: str | None
    after: str | None

    def to_json(self) -> dict[str, Any]:
        return {"what": self.what, "before": self.before, "after": self.after}


def differences(one: Trace, other: Trace) -> tuple[Difference, ...]:
    """All differences of two runs; where a step computes the same, its id and the paths before it do not matter."""
    return tuple(_differences(one, other))


def _differences(one: Trace, other: Trace) -> Iterator[Difference]:
    for what, before, after in (
        ("question", one.plan.query, other.plan.query),
        ("read as", one.plan.title, other.plan.title),
        ("template", one.plan.template, other.plan.template),
        ("status", one.status, other.status),
        ("answer", _answer(one), _answer(other)),
        ("version", one.version, other.version),
    ):
        if before != after:
            yield Difference(what, before or None, after or None)
    yield from _apart("file", _files(one), _files(other))
    yield from _apart("assumed", _assumed(one), _assumed(other))
    yield from _apart("step", _steps(one, other), _steps(other, one))
    yield from _apart("repair", _repairs(one), _repairs(other))
    yield from _apart("failure", _failures(one), _failures(other))


def _apart(what: str, one: Mapping[str, str], other: Mapping[str, str]) -> Iterator[Difference]:
    for name in dict.fromkeys((*one, *other)):
        if one.get(name) != other.get(name):
            yield Difference(f"{what} {name}", one.get(name), other.get(name))


def _answer(trace: Trace) -> str:
    answer = trace.answer
    if answer is None:
        return ""
    return f"{answer.value} {answer.fact('unit') or ''}".strip() if answer.value is not None else answer.type


def _files(trace: Trace) -> Mapping[str, str]:
    """The files that were read, by name, with the beginning of the digest of their content."""
    leaves = (leaf.path for one in trace.plan.inputs.values() for leaf in one.leaves() if leaf.path)
    return {PurePath(path).name: trace.digests.get(path, "not read")[:_DIGITS] for path in leaves}


def _assumed(trace: Trace) -> Mapping[str, str]:
    return {one.what: f"{'' if one.statement else f'{one.value} '}({one.origin})" for one in trace.plan.assumptions}


def _steps(trace: Trace, other: Trace) -> Mapping[str, str]:
    """The steps of a run that the other one does not have, under whichever id: by id, with the tool."""
    own, theirs = (Forms(run.plan, lambda path, run=run: _content(path, run)) for run in (trace, other))  # type: ignore[misc]
    same = {theirs.of(node.id) for node in other.plan.workflow.nodes}
    forms = {node.id: own.of(node.id) for node in trace.plan.workflow.nodes}
    nodes = trace.plan.workflow.by_id
    return {name: f"{nodes[name].tool} {form[:_DIGITS]}" for name, form in forms.items() if form not in same}


def _content(path: str, trace: Trace) -> str:
    """What a file held when it was read; of one that was not, its name."""
    return trace.digests.get(path) or PurePath(path).name


def _repairs(trace: Trace) -> Mapping[str, str]:
    return _numbered(f"{one.by}: {one.sentence}" for one in trace.repairs)


def _failures(trace: Trace) -> Mapping[str, str]:
    return {one.failed or one.node: one.cause for one in trace.diagnoses}


def _numbered(texts: Iterable[str]) -> Mapping[str, str]:
    return {str(number): text for number, text in enumerate(texts, start=1)}
