"""What passes between a failed run and whoever may repair it: failures, proposals, and replies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from knowflow.model.diagnosis import Diagnosis
from knowflow.model.edit import Edit
from knowflow.model.plan import Plan
from knowflow.model.tool import ToolSchema
from knowflow.model.trace import Refusal, Repaired, Trace


@dataclass(frozen=True, slots=True)
class Failure:
    """A node that failed, as a proposer sees it. ``candidates`` are tools that may help, the likeliest first."""

    trace: Trace
    node: str
    diagnosis: Diagnosis
    candidates: tuple[ToolSchema, ...] = ()

    @property
    def plan(self) -> Plan:
        return self.trace.plan


@dataclass(frozen=True, slots=True)
class Proposal:
    """Edits that may help, and why. Without edits it is an answer that cannot be used; ``because`` says why not."""

    edits: tuple[Edit, ...]
    because: str
    lossy: str = ""
    tokens: int = 0
    exchanges: tuple[Mapping[str, Any], ...] = ()


class Proposer(Protocol):
    """Somebody who proposes repairs where no knowledge applies."""

    def propose(self, failure: Failure, refused: Sequence[Refusal]) -> Proposal | None:
        """Edits for a failure; ``refused`` are those proposed before, with reasons. None: nothing (more) to propose."""
        ...


@dataclass(frozen=True, slots=True)
class Reply:
    """What became of a failure: an edited plan with the record of the repair, or only the diagnosis."""

    diagnosis: Diagnosis
    plan: Plan | None = None
    repaired: Repaired | None = None
    refused: tuple[Refusal, ...] = ()
    exchanges: tuple[Mapping[str, Any], ...] = ()
