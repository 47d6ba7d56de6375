"""Language models, where one is configured: optional, bounded, recorded, and never trusted.

Nothing here imports `openai` before a model is asked, and nothing outside needs a model to work.
"""

from __future__ import annotations

from pathlib import Path

from knowflow.reason.llm.budget import Budget, Budgeted, Limits
from knowflow.reason.llm.conversation import (
    Answer,
    LanguageModel,
    LanguageModelAnswerError,
    LanguageModelBudgetError,
    LanguageModelError,
    LanguageModelTimeoutError,
    Message,
    ToolCall,
    ToolSpec,
)
from knowflow.reason.llm.quoting import FENCES_EXPLAINED, abbreviated, fenced
from knowflow.reason.llm.records import Recorded, Replayed
from knowflow.reason.llm.secrets import keys_of
from knowflow.reason.llm.settings import Settings, Status, settings, status
from knowflow.reason.llm.structured import Asked, Refused, asked, json_in

__all__ = [
    "FENCES_EXPLAINED",
    "Answer",
    "Asked",
    "Budget",
    "LanguageModel",
    "LanguageModelAnswerError",
    "LanguageModelBudgetError",
    "LanguageModelError",
    "LanguageModelTimeoutError",
    "Limits",
    "Message",
    "Recorded",
    "Refused",
    "Settings",
    "Status",
    "ToolCall",
    "ToolSpec",
    "abbreviated",
    "asked",
    "fenced",
    "json_in",
    "language_model",
    "settings",
    "status",
]


def language_model(
    given: Settings | None = None, *, record: Path | None = None, purpose: str = "", budget: Budget | None = None
) -> Recorded | None:
    """The configured language model, within its budget and recorded in a file; None where none is configured.

    ``budget`` is one that is shared with other conversations of the same run (default: one of its own).

    Raises:
        DocumentError: the settings are not valid.
        UnreadableDataError: the file of recorded exchanges cannot be read.
        LanguageModelError: one is configured, but the `openai` package is not installed.
    """
    chosen = settings() if given is None else given
    if not chosen.configured:
        return None
    spending = budget or Budget(chosen.limits)
    model: LanguageModel
    if chosen.replay is not None:
        model = Replayed(chosen.replay)
    else:
        from knowflow.reason.llm.endpoint import Endpoint

        model = Endpoint(chosen, lambda: spending.seconds_left)
    bounded = Budgeted(model, spending)
    return Recorded(bounded, record, keys=keys_of(chosen.api_key, chosen.base_url), purpose=purpose)
