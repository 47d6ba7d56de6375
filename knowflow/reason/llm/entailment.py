"""Whether the effects of a tool entail a precondition of the next, where the symbols cannot tell.

The answer explains an edge; it decides nothing: the condition is checked on what was measured when the plan runs, and
what nobody knows still has to be said by the user. Answers are kept by content and asked for once.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from knowflow.graph.check import WorkflowCheck
from knowflow.graph.justify import Justification
from knowflow.ground.errors import KnowFlowError
from knowflow.ground.json_text import json_text, json_value
from knowflow.model.condition import names
from knowflow.model.facts import PIXEL_FACTS
from knowflow.model.tool import Document, ToolSchema
from knowflow.model.workflow import Edge, Workflow
from knowflow.reason.llm.conversation import LanguageModel, Message
from knowflow.reason.llm.failure_context import tool_summary
from knowflow.reason.llm.quoting import FENCES_EXPLAINED, fenced
from knowflow.reason.llm.structured import asked

Tools = Mapping[str, ToolSchema]

_TASK = """\
You judge whether, in a workflow over Earth-observation data, what one tool makes true entails what the next tool needs.
`yes` only where it follows from what the tools are said to do; `no` where it is false or would often be; else
`cannot_tell`.
"""
_VERSION = 1
_ATTEMPTS = 2
_MOST_QUESTIONS = 6


class EntailmentAnswer(Document):
    """The judgement."""

    entails: Literal["yes", "no", "cannot_tell"]
    because: str = Field(description="one sentence")


@dataclass(frozen=True, slots=True)
class Question:
    """An edge and a precondition of its target of which the symbols say neither that it holds nor that it does not."""

    edge: Edge
    source: ToolSchema
    target: ToolSchema
    condition: str

    def to_json(self) -> dict[str, Any]:
        return {
            "first": tool_summary(self.source),
            "output": self.edge.output or self.source.primary_output,
            "next": tool_summary(self.target),
            "parameter": self.edge.param,
            "condition": self.condition,
        }


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the language model said; ``truth`` None: it cannot tell either."""

    question: Question
    truth: bool | None
    because: str


class Entailments:
    """Asks, and keeps the answers in a file by the content of the question and the name of the model."""

    def __init__(self, model: LanguageModel, cache: Path) -> None:
        self._model = model
        self._cache = cache
        self._known = dict(_read(cache))

    def judge(self, question: Question) -> Judgement:
        """One judgement.

        Raises:
            LanguageModelError: there is none.
        """
        content = question.to_json()
        key = _key(content, self._model.name)
        found = self._known.get(key)
        if found is None:
            conversation = (
                Message("system", f"{_TASK}\n{FENCES_EXPLAINED}"),
                Message("user", f"{fenced('edge', content)}\n\nDoes the first tool's output meet the condition?"),
            )
            found = asked(self._model, conversation, EntailmentAnswer, _itself, attempts=_ATTEMPTS).value
            self._known[key] = found
            self._keep(key, found, content)
        truth = {"yes": True, "no": False}.get(found.entails)
        return Judgement(question, truth, found.because)

    def _keep(self, key: str, answer: EntailmentAnswer, content: Mapping[str, Any]) -> None:
        line = {"key": key, **answer.model_dump(), "condition": content["condition"], "model": self._model.name}
        self._cache.parent.mkdir(parents=True, exist_ok=True)
        with self._cache.open("a", encoding="utf-8") as cache:
            cache.write(json_text(line) + "\n")


def _itself(answer: EntailmentAnswer) -> EntailmentAnswer:
    return answer


def _key(content: Mapping[str, Any], model: str) -> str:
    text = json.dumps([_VERSION, model, content], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _read(cache: Path) -> Iterator[tuple[str, EntailmentAnswer]]:
    """The answers in a cache; a line that is damaged is as if it were not there."""
    try:
        lines = cache.read_text(encoding="utf-8").splitlines()
    except OSError:
        return
    for line in lines:
        try:
            data = json_value(line)
            yield data["key"], EntailmentAnswer(entails=data["entails"], because=data["because"])
        except (ValueError, KeyError, TypeError):
            continue


def undecided(check: WorkflowCheck, workflow: Workflow, tools: Tools) -> Iterator[Question]:
    """The preconditions on edges that the check left open, and that not only the pixels will tell; each once."""
    seen: set[tuple[str, str, str, str, str]] = set()
    for justification in check.edges:
        edge = justification.edge
        source, target = tools[workflow.node(edge.source).tool], tools[workflow.node(edge.target).tool]
        verdicts = dict(check.nodes[edge.target].preconditions)
        for text, condition in target.parsed_preconditions:
            verdict = verdicts[text]
            missing = {gap.fact for gap in verdict.missing if gap.place and gap.place[0] == edge.param}
            if verdict.truth is not None or edge.param not in names(condition) or not missing - set(PIXEL_FACTS):
                continue
            content = (source.tool, edge.output, target.tool, edge.param, text)
            if content not in seen:
                seen.add(content)
                yield Question(edge, source, target, text)


def explained(
    check: WorkflowCheck, workflow: Workflow, tools: Tools, entailments: Entailments, most: int = _MOST_QUESTIONS
) -> tuple[WorkflowCheck, tuple[str, ...]]:
    """The check with the language model's reasons at the edges that it says hold, and what it doubts, in words.

    A model that cannot be asked leaves the check as it is; that, too, is said.
    """
    judgements: list[Judgement] = []
    notes: list[str] = []
    for number, question in enumerate(undecided(check, workflow, tools)):
        if number == most:
            break
        try:
            judgements.append(entailments.judge(question))
        except KnowFlowError as error:
            notes.append(f"the language model was not asked about edges: {error.message}")
            break
    for one in judgements:
        if one.truth is False:
            edge = one.question.edge
            notes.append(
                f"the language model doubts that {edge.source} gives {edge.target}.{edge.param} what it needs "
                f"({one.question.condition}): {one.because}"
            )
    edges = tuple(_with_reasons(each, judgements, workflow, tools) for each in check.edges)
    return replace(check, edges=edges), tuple(notes)


def _with_reasons(
    justification: Justification, judgements: Sequence[Judgement], workflow: Workflow, tools: Tools
) -> Justification:
    edge = justification.edge
    found = (workflow.node(edge.source).tool, edge.output, workflow.node(edge.target).tool, edge.param)
    said = tuple(
        (f"language model: {one.because}", one.question.condition)
        for one in judgements
        if one.truth
        and found
        == (one.question.source.tool, one.question.edge.output, one.question.target.tool, one.question.edge.param)
    )
    return replace(justification, reasons=(*justification.reasons, *said)) if said else justification
