"""What may be spent on a language model: calls, tokens, seconds. What is spent is spent, whatever came of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from knowflow.reason.llm.conversation import (
    Answer,
    LanguageModel,
    LanguageModelBudgetError,
    Message,
    Schema,
    ToolSpec,
    estimated_tokens,
)


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that one run may spend."""

    calls: int = 20
    tokens: int = 200_000
    seconds: float = 300.0


class Budget:
    """What is left of some limits. Not thread-safe: one conversation at a time."""

    def __init__(self, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        self.limits = limits
        self.calls = 0
        self.tokens = 0
        self.seconds = 0.0
        self._clock = clock

    @property
    def seconds_left(self) -> float:
        return max(0.0, self.limits.seconds - self.seconds)

    def require(self, tokens: int) -> None:
        """Refuse a request of about so many tokens that does not fit any more.

        Raises:
            LanguageModelBudgetError: it does not.
        """
        for what, spent, limit in (
            ("calls", self.calls + 1, self.limits.calls),
            ("tokens", self.tokens + tokens, self.limits.tokens),
        ):
            if spent > limit:
                raise _spent(what, f"{spent} with this request", limit)
        if self.seconds >= self.limits.seconds:
            raise _spent("seconds", f"{self.seconds:.1f}", self.limits.seconds)

    def charge(self, tokens: int, seconds: float) -> None:
        self.calls += 1
        self.tokens += tokens
        self.seconds += seconds

    def now(self) -> float:
        return self._clock()


def _spent(what: str, found: str, limit: float) -> LanguageModelBudgetError:
    return LanguageModelBudgetError(
        f"the {what} that may be spent on the language model are spent",
        expected=f"at most {limit:g} {what}",
        found=found,
        hint=f"KNOWFLOW_LLM_{what.upper()} sets how many; `knowflow doctor` shows them",
    )


class Budgeted:
    """A language model that is asked only while the budget lasts."""

    def __init__(self, model: LanguageModel, budget: Budget) -> None:
        self._model = model
        self.budget = budget

    @property
    def name(self) -> str:
        return self._model.name

    def complete(
        self, messages: Sequence[Message], schema: Schema | None = None, tools: Sequence[ToolSpec] | None = None
    ) -> Answer:
        expected = estimated_tokens(messages, schema, tools)
        self.budget.require(expected)
        begun, tokens = self.budget.now(), expected
        try:
            answer = self._model.complete(messages, schema, tools)
            tokens = answer.tokens
        finally:
            self.budget.charge(tokens, self.budget.now() - begun)
        return answer
