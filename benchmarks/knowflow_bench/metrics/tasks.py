"""How well tasks are carried out from the question to the result.

Sources: CangLing-KnowFlow for TSR, FPA, NTC, NI and the accuracies of steps; RSMem for token efficiency and experience
density; GeoEvolver for the reward of a variant.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from knowflow_bench.metrics.problems import require


@dataclass(frozen=True, slots=True)
class TaskOutcome:
    """One task: is the final result right, was it with the first workflow, tool calls made, times a person stepped in.

    ``first_pass`` implies ``right``.
    """

    right: bool
    first_pass: bool
    tool_calls: int = 0
    interventions: int = 0


@dataclass(frozen=True, slots=True)
class StepOutcome:
    """One step: is what it put out well-formed, is its tool right, are its arguments (None: the tool is wrong)."""

    well_formed: bool
    tool_right: bool
    arguments_right: float | None = None


@dataclass(frozen=True, slots=True)
class StepAccuracy:
    """InstAcc, ToolAcc, ArgAcc and their mean."""

    inst_acc: float
    tool_acc: float
    arg_acc: float

    @property
    def overall(self) -> float:
        return (self.inst_acc + self.tool_acc + self.arg_acc) / 3


def tsr(outcomes: Sequence[TaskOutcome]) -> float:
    """TSR: the share of tasks whose final result is right, in meaning and number."""
    return _share([outcome.right for outcome in outcomes])


def fpa(outcomes: Sequence[TaskOutcome]) -> float:
    """FPA: the share of tasks that are right with the first workflow, unrepaired."""
    return _share([outcome.right and outcome.first_pass for outcome in outcomes])


def ntc(outcomes: Sequence[TaskOutcome]) -> float:
    """NTC: tool calls per task."""
    return _mean([outcome.tool_calls for outcome in outcomes])


def ni(outcomes: Sequence[TaskOutcome]) -> float:
    """NI: times a person had to step in, per task."""
    return _mean([outcome.interventions for outcome in outcomes])


def step_accuracy(steps: Sequence[StepOutcome]) -> StepAccuracy:
    """InstAcc and ToolAcc over all steps, ArgAcc over those whose tool is right (0 where there is none)."""
    judged = [step.arguments_right for step in steps if step.tool_right and step.arguments_right is not None]
    return StepAccuracy(
        _share([step.well_formed for step in steps]),
        _share([step.tool_right for step in steps]),
        sum(judged) / len(judged) if judged else 0.0,
    )


def token_efficiency(accuracy: float, tokens: int) -> float:
    """Acc / log10(total tokens); at least two tokens, for of one the logarithm is 0."""
    require(tokens > 1, "more than one token", str(tokens))
    return accuracy / math.log10(tokens)


def experience_density(accuracy: float, reflection_tokens: int, tokens: int) -> float:
    """ED = Acc (1 - tokens of reflection / all tokens)."""
    require(tokens > 0, "at least one token", str(tokens))
    require(0 <= reflection_tokens <= tokens, f"tokens of reflection in 0..{tokens}", str(reflection_tokens))
    return accuracy * (1.0 - reflection_tokens / tokens)


def variant_reward(
    success: float, confidence: float, length: int, alpha: float = 1.0, beta: float = 0.1, penalty: float = 0.01
) -> float:
    """r = alpha s + beta gamma - lambda |t|: what chooses among variants (GeoEvolver leaves the weights open)."""
    return alpha * success + beta * confidence - penalty * length


def _share(held: Sequence[bool]) -> float:
    require(len(held) > 0, "at least one case")
    return sum(held) / len(held)


def _mean(numbers: Sequence[int]) -> float:
    require(len(numbers) > 0, "at least one case")
    return sum(numbers) / len(numbers)
