"""What a language model adds to KnowFlow's own plans: figures with and without the plans that it made possible."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from knowflow_bench.earth_bench.planners import NO_HELP
from knowflow_bench.earth_bench.questions import Prediction, Question
from knowflow_bench.earth_bench.scoring import Score, score, summary

Scored = Sequence[tuple[Question, Prediction, Score]]


def without_help(prediction: Prediction) -> Prediction:
    """What the planner would have predicted without the model: where the model was asked, it abstains."""
    return replace(prediction, calls=(), templates=(), cause="not asked") if prediction.help else prediction


def gains(scored: Scored, known: Callable[[str], bool]) -> dict[str, Any]:
    """How often the model was asked, what came of it, what it cost, and the figures with and without its plans.

    ``of_its_plans`` are the figures of the questions that only the model gave a plan to; None where there are none.
    """
    asked = [item for item in scored if item[1].help]
    planned = [item for item in asked if item[1].help != NO_HELP]
    before = [
        (question, alone := without_help(prediction), score(question, alone, known) if prediction.help else found)
        for question, prediction, found in scored
    ]
    return {
        "asked": len(asked),
        "planned": len(planned),
        "by_stage": dict(Counter(prediction.help for _, prediction, _ in asked)),
        "tokens": sum(prediction.tokens for _, prediction, _ in asked),
        "with": summary(scored),
        "without": summary(before),
        "of_its_plans": summary(planned) if planned else None,
        "questions": [question.id for question, _, _ in asked],
    }
