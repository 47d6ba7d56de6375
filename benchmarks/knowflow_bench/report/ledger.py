"""What was first met: figures of questions and faults that nobody had seen, which cannot be measured again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import Field, field_validator, model_validator

from knowflow.ground.errors import DocumentError
from knowflow.ground.yamldoc import load
from knowflow.model.tool import Document


class Sealed(Document):
    """A set that nobody who worked on the engine could have known: its file, and when it was written."""

    digest: str = Field(pattern=r"^[0-9a-f]{64}$", description="SHA-256 of the set, as the bench tells it")
    written: str = Field(description="the moment, in ISO 8601 with its time zone; the revision is older")

    @field_validator("written")
    @classmethod
    def _is_moment(cls, value: str) -> str:
        if datetime.fromisoformat(value).tzinfo is None:
            raise ValueError("a moment with its time zone, as 2026-11-23T10:00Z")
        return value


class FirstMet(Document):
    """A set when the engine met it for the first time, and what it scored then."""

    set: str
    date: str
    revision: str = Field("", description="of the engine; empty where nobody wrote it down")
    n: int | None = None
    figures: dict[str, str] = Field(min_length=1)
    source: str
    page: str = ""
    sealed: Sealed | None = None

    @model_validator(mode="after")
    def _of_a_revision(self) -> FirstMet:
        if self.sealed is not None and not self.revision:
            raise ValueError("what is sealed was first met at a revision")
        return self


class _Ledger(Document):
    first_met: tuple[FirstMet, ...]


def ledger(path: Path) -> tuple[FirstMet, ...]:
    """The entries of a ledger, in order."""
    content: Any = load(path).data
    return _Ledger.model_validate(content).first_met


def require_older(met: Sequence[FirstMet], made: Callable[[str], float]) -> None:
    """That a sealed set is younger than the revision that met it; ``made`` tells when a revision was, in seconds.

    Raises:
        DocumentError: who made the revision may have known the set.
    """
    for one in met:
        if one.sealed is None:
            continue
        begun, written = made(one.revision), datetime.fromisoformat(one.sealed.written)
        if begun >= written.timestamp():
            raise DocumentError(
                "a sealed set was first met by a revision that is not older",
                where=one.set,
                expected=f"a revision from before {one.sealed.written}",
                found=f"{one.revision}, of {datetime.fromtimestamp(begun, UTC).isoformat(timespec='minutes')}",
            )
