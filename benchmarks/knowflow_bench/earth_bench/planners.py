"""The planners that the benchmark can ask."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from knowflow.ground.errors import KnowFlowError
from knowflow.model.tool import ToolSchema
from knowflow_bench.earth_bench.questions import Prediction, Question, Regime, read_questions
from knowflow_bench.parity import Call

if TYPE_CHECKING:
    from knowflow.reason.llm import Recorded

PlannerName = Literal["knowflow", "react", "llm"]
Planner = Callable[[Question], Prediction]


def planner_of(name: PlannerName, tools: Mapping[str, ToolSchema], llm: Recorded | None) -> Planner:
    """The planner of a name; ``llm`` is what the baselines ask.

    Raises:
        PlanningError: a baseline was asked for, and no language model is configured.
    """
    if name == "knowflow":
        return by_knowledge()
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


def by_knowledge() -> Planner:
    """KnowFlow's own planner: templates over the names of the files, without a language model."""
    from knowflow.service.planning_calls import plan_calls

    def plan(question: Question) -> Prediction:
        begun = time.perf_counter()
        try:
            planned = plan_calls(question.text, question.folder, question.files)
        except KnowFlowError as error:
            found = f": {error.found}" if error.found else ""
            return Prediction(seconds=time.perf_counter() - begun, cause=error.code, message=f"{error.message}{found}")
        except Exception as error:  # a defect of the planner costs its question, and is reported as what it is
            spent = time.perf_counter() - begun
            return Prediction(seconds=spent, cause=f"defect: {type(error).__name__}", message=str(error))
        spent = time.perf_counter() - begun
        calls = tuple(Call(c.name, c.input, None) for c in planned.calls)
        return Prediction(calls, planned.templates, spent)

    return plan
