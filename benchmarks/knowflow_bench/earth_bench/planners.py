"""The planners that the benchmark can ask."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from knowflow.ground.errors import KnowFlowError
from knowflow.model.tool import ToolSchema
from knowflow_bench.earth_bench.questions import Prediction, Question, Regime, read_questions
from knowflow_bench.parity import Call

if TYPE_CHECKING:
    from knowflow.reason.llm import Recorded
    from knowflow.reason.llm.case import Case
    from knowflow.reason.llm.planning import Helped

PlannerName = Literal["knowflow", "react", "llm"]
Planner = Callable[[Question], Prediction]
NO_HELP = "none"
"""What a language model did that was asked and of no help."""


def planner_of(name: PlannerName, tools: Mapping[str, ToolSchema], llm: Recorded | None) -> Planner:
    """The planner of a name; ``llm`` is what the baselines ask, and KnowFlow where it would abstain.

    Raises:
        PlanningError: a baseline was asked for, and no language model is configured.
    """
    if name == "knowflow":
        return by_knowledge() if llm is None else with_help(llm)
    from knowflow_bench.earth_bench.baselines import one_shot, react, required

    return react(required(llm), tools) if name == "react" else one_shot(required(llm), tools)


def configured(questions: Path, regime: Regime) -> Recorded | None:
    """The configured language model, with the budget of one run for each question of a file; None without one."""
    from knowflow.reason.llm import Budget, Limits, language_model, settings

    chosen = settings()
    if not chosen.configured:
        return None
    number, limits = len(read_questions(questions, regime)), chosen.limits
    whole = Limits(limits.calls * number, limits.tokens * number, limits.seconds * number)
    return language_model(chosen, purpose="earth-bench", budget=Budget(whole))


def by_knowledge(ask: Callable[[Case], Helped] | None = None) -> Planner:
    """KnowFlow's own planner: templates over the names of the files, without a language model.

    ``ask`` is put every question that has no plan otherwise.
    """
    from knowflow.service.planning_calls import plan_calls

    def plan(question: Question) -> Prediction:
        begun = time.perf_counter()
        try:
            planned = plan_calls(question.text, question.folder, question.files, ask=ask)
        except KnowFlowError as error:
            found = f": {error.found}" if error.found else ""
            return Prediction(seconds=time.perf_counter() - begun, cause=error.code, message=f"{error.message}{found}")
        except Exception as error:  # a defect of the planner costs its question, and is reported as what it is
            spent = time.perf_counter() - begun
            return Prediction(seconds=spent, cause=f"defect: {type(error).__name__}", message=str(error))
        spent = time.perf_counter() - begun
        calls = tuple(Call(c.name, c.input, None) for c in planned.calls)
        return Prediction(calls, planned.templates, spent, help="" if planned.help is None else planned.help.stage)

    return plan


def with_help(llm: Recorded) -> Planner:
    """KnowFlow's own planner, which asks a language model where it would abstain."""
    from knowflow.ground.resources import state_home
    from knowflow.service.language_model import help_to_plan

    plan = by_knowledge(partial(help_to_plan, home=state_home(), model=llm))

    def told(question: Question) -> Prediction:
        before = len(llm.exchanges)
        found = plan(question)
        asked = llm.exchanges[before:]
        tokens = sum(int(one["tokens"]) for one in asked)
        return replace(found, tokens=tokens, help=found.help or (NO_HELP if asked else ""))

    return told
