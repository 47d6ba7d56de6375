"""What was first met: figures of questions and faults that nobody had seen, which cannot be measured again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import Field

from knowflow.ground.yamldoc import load
from knowflow.model.tool import Document


class FirstMet(Document):
    """A set when the engine met it for the first time, and what it scored then."""

    set: str
    date: str
    revision: str = Field("", description="of the engine; empty where nobody wrote it down")
    n: int | None = None
    figures: dict[str, str] = Field(min_length=1)
    source: str
    page: str = ""


class _Ledger(Document):
    first_met: tuple[FirstMet, ...]


def ledger(path: Path) -> tuple[FirstMet, ...]:
    """The entries of a ledger, in order."""
    content: Any = load(path).data
    return _Ledger.model_validate(content).first_met
