"""The language model in the service of runs and plans, where one is configured; everything works without."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from knowflow.execution.run_store import run_folder
from knowflow.graph.check import WorkflowCheck
from knowflow.ground.errors import KnowFlowError
from knowflow.ground.json_text import json_text
from knowflow.model.plan import Plan
from knowflow.model.repair import Failure, Proposer
from knowflow.model.tool import ToolSchema
from knowflow.model.trace import Trace
from knowflow.reason.llm import Budget, LanguageModelError, Recorded, language_model, settings
from knowflow.reason.llm.reading import ReadByModel

RECORD = "llm.jsonl"
READING_RECORD = "reading-exchanges.jsonl"
_PATIENCE_S = 20.0  # a plan does not wait longer for reasons that decide nothing


def record_of(run_id: str, home: Path) -> Path:
    """Where the exchanges of a run are kept, one JSON object a line; `KNOWFLOW_LLM_REPLAY` answers from such a file."""
    return run_folder(run_id, home) / RECORD


def proposer(home: Path, tools: Mapping[str, ToolSchema], *, memory: bool = True) -> Proposer | None:
    """Who proposes repairs where no knowledge applies, with a budget for one run; None where none is configured.
    Without ``memory`` it is told nothing of earlier attempts.

    Raises:
        DocumentError, UnreadableDataError, LanguageModelError: one is configured, but not so that it could be asked.
    """
    chosen = settings()
    model = language_model(chosen, purpose="repair")
    if model is None:
        return None
    from knowflow.reason.llm.proposer import LanguageModelProposer

    record = partial(record_of, home=home)
    return LanguageModelProposer(
        model, tools, attempts=chosen.attempts, record_of=record, advice=partial(_advice, home, memory)
    )


def _advice(home: Path, memory: bool, failure: Failure) -> tuple[list[str], list[str]]:
    """What experts and earlier attempts say of the question of a run that failed."""
    from knowflow.service.advice import advice

    trace = failure.trace
    found = advice(trace.plan_before(trace.repairs[0]) if trace.repairs else trace.plan, home, memory=memory)
    return [f"{task}: {text}" for task, text in found.guidance], [one.sentence() for one in found.earlier]


def explained(
    plan: Plan, check: WorkflowCheck, tools: Mapping[str, ToolSchema], home: Path
) -> tuple[WorkflowCheck, tuple[str, ...]]:
    """The check with what a language model says of the edges that the symbols leave open; itself without one.

    Nothing is decided by it: see :mod:`knowflow.reason.llm.entailment`.
    """
    from knowflow.reason.llm.entailment import Entailments, undecided
    from knowflow.reason.llm.entailment import explained as with_judgements

    if next(undecided(check, plan.workflow, tools), None) is None:
        return check, ()
    folder = home / "llm"
    try:
        chosen = settings()
        limits = replace(chosen.limits, seconds=min(chosen.limits.seconds, _PATIENCE_S))
        record = folder / "entailment-exchanges.jsonl"
        model = language_model(chosen, record=record, purpose="entailment", budget=Budget(limits))
    except KnowFlowError as error:
        return check, (f"the language model was not asked about edges: {error.message}",)
    if model is None or not chosen.entailment:
        return check, ()
    return with_judgements(check, plan.workflow, tools, Entailments(model, folder / "entailment.jsonl"))


def reading_model(home: Path) -> Recorded:
    """The language model that is asked how a question is to be read, its exchanges kept in the home folder.

    Raises:
        LanguageModelError: none is configured, or one that cannot be asked.
        DocumentError, UnreadableDataError: one is configured, but not validly.
    """
    model = language_model(settings(), record=home / "llm" / READING_RECORD, purpose="reading")
    if model is None:
        raise LanguageModelError(
            "no language model is configured",
            expected="an OpenAI-compatible endpoint",
            found="none",
            hint="set KNOWFLOW_LLM_BASE_URL or OPENAI_API_KEY (docs/llm.md); `knowflow doctor` shows what is in force",
        )
    return model


def keep_exchanges(trace: Trace, by: ReadByModel, home: Path) -> Trace:
    """A run with the exchanges by which its question was read, in its trace and in its record, from which they can be
    replayed."""
    with record_of(trace.run_id, home).open("a", encoding="utf-8") as record:
        record.writelines(json_text(one) + "\n" for one in by.exchanges)
    return replace(trace, exchanges=(*by.exchanges, *trace.exchanges))
