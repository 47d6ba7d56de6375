"""Baselines for whoever has a language model: the same questions, files and tools, and nothing of our knowledge.

``one_shot`` writes the whole plan at once. ``react`` thinks, calls a tool, sees what comes of it and goes on (Yao et
al. 2023, https://arxiv.org/abs/2210.03629). Neither is told what a check of ours would find; what a model answers is
its prediction, and what it cannot answer is an abstention.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pydantic import Field

from knowflow.ground.errors import KnowFlowError, PlanningError
from knowflow.model.tool import Document, Parameter, ToolSchema
from knowflow.reason.llm import FENCES_EXPLAINED, LanguageModel, LanguageModelError, Message, ToolSpec, fenced
from knowflow.reason.llm.structured import typed
from knowflow_bench.earth_bench.observations import FILES, observed
from knowflow_bench.earth_bench.pack import pack
from knowflow_bench.earth_bench.questions import Prediction, Question
from knowflow_bench.parity import Call

M = TypeVar("M", bound=LanguageModel)

MAX_TURNS = 40
_HIDDEN = ("compat",)
_JSON_TYPES: Mapping[str, str] = {"number": "number", "integer": "integer", "boolean": "boolean", "list": "array"}

RULES = """You plan analyses of Earth-observation data with the given tools only. Paths of input files are the folder,
a slash and the name. A tool that takes one file per parameter also takes parallel lists of files, one for each scene.
Where an argument is a result that only exists when a call is made, write {"from": k} for the result of call k (the
first call is 0), or {"from": k, "item": j} for the j-th item of it, j from 0."""
ONE_SHOT = 'Answer with the complete list of calls, in order, as JSON: {"calls": [{"name": ..., "input": {...}}]}.'
REACT = """Think about the next step, then call one tool; you are shown what comes of it. When the question can be
answered from what you have, answer in words without calling a tool."""


class PlannedCall(Document):
    """One call as a model writes it."""

    name: str
    input: dict[str, Any] = Field(default_factory=dict)


class WholePlan(Document):
    """All calls, in order."""

    calls: tuple[PlannedCall, ...]


@dataclass
class _Record:
    """What a conversation came to so far."""

    begun: float = field(default_factory=time.perf_counter)
    calls: list[Call] = field(default_factory=list)
    tokens: int = 0

    def prediction(self, error: KnowFlowError | None = None) -> Prediction:
        return Prediction(
            tuple(self.calls),
            seconds=time.perf_counter() - self.begun,
            cause=error.code if error is not None else "" if self.calls else "no calls",
            message="" if error is None else error.message,
            tokens=self.tokens,
        )


def required(llm: M | None) -> M:
    """The language model that is to be asked.

    Raises:
        PlanningError: none is configured.
    """
    if llm is None:
        raise PlanningError(
            "this needs a language model, and none is configured",
            expected="an OpenAI-compatible endpoint",
            found="none",
            hint="set KNOWFLOW_LLM_BASE_URL, KNOWFLOW_LLM_API_KEY and KNOWFLOW_LLM_MODEL",
        )
    return llm


def one_shot(llm: LanguageModel, tools: Mapping[str, ToolSchema]) -> Callable[[Question], Prediction]:
    """Plans written at once; an answer of another shape is an abstention."""
    catalogue = fenced("tools", [f"{spec.name}: {spec.description} {spec.parameters}" for spec in specs(tools)])
    told = f"{RULES}\n{FENCES_EXPLAINED}\n{ONE_SHOT}\n{catalogue}"

    def plan(question: Question) -> Prediction:
        record = _Record()
        messages = [Message("system", told), Message("user", _asked(question))]
        try:
            answer = llm.complete(messages, WholePlan.model_json_schema())
            record.tokens = answer.tokens
            whole = typed(answer, WholePlan)
        except LanguageModelError as error:
            return record.prediction(error)
        record.calls = [Call(call.name, call.input, None) for call in whole.calls]
        return record.prediction()

    return plan


def react(
    llm: LanguageModel, tools: Mapping[str, ToolSchema], max_turns: int = MAX_TURNS
) -> Callable[[Question], Prediction]:
    """Thought, action, observation, until the model answers in words, ``max_turns`` are over or it cannot be asked:
    what it called until then is its prediction."""
    offered = specs(tools)

    def plan(question: Question) -> Prediction:
        record = _Record()
        messages = [Message("system", f"{RULES}\n{FENCES_EXPLAINED}\n{REACT}"), Message("user", _asked(question))]
        for _ in range(max_turns):
            try:
                answer = llm.complete(messages, None, offered)
            except LanguageModelError as error:
                return record.prediction(error)
            record.tokens += answer.tokens
            if not answer.tool_calls:
                break
            messages.append(Message("assistant", answer.text, answer.tool_calls))
            for asked in answer.tool_calls:
                call = Call(asked.name, asked.arguments or {}, None)
                seen = observed(call, len(record.calls), question, tools)
                record.calls.append(call)
                messages.append(Message("tool", seen, answers=asked.id))
        return record.prediction()

    return plan


def specs(tools: Mapping[str, ToolSchema]) -> Sequence[ToolSpec]:
    """The tools of the benchmark as a language model is told of them."""
    return [
        ToolSpec(name, f"{schema.title}. {schema.description}", _schema(schema))
        for name, schema in sorted(pack(tools).items())
    ]


def _schema(schema: ToolSchema) -> dict[str, Any]:
    """A JSON Schema; references stand wherever a value may, so that the types are only told."""
    shown = {name: parameter for name, parameter in schema.parameters.items() if name not in _HIDDEN}
    return {
        "type": "object",
        "properties": {name: {"description": _told(parameter)} for name, parameter in shown.items()},
        "required": [name for name, parameter in shown.items() if parameter.required or parameter.role == "output"],
        "additionalProperties": False,
    }


def _told(parameter: Parameter) -> str:
    if parameter.role == "output":
        kind = "list of paths to write" if parameter.produces == "raster_series" else "path to write"
    elif parameter.type == "raster_series":
        kind = "list of paths"
    elif parameter.type in FILES:
        kind = "path, or list of paths for several scenes"
    else:
        kind = _JSON_TYPES.get(parameter.type, "string")
    told = [parameter.title, kind]
    if parameter.choices:
        told.append(f"one of {', '.join(map(str, parameter.choices))}")
    if parameter.default is not None:
        told.append(f"default {parameter.default}")
    return "; ".join(filter(None, told))


def _asked(question: Question) -> str:
    return f"{question.text}\n{fenced('folder', question.folder)}\n{fenced('files', list(question.files))}"
