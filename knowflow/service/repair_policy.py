"""How far a run may be repaired, and what its plan may leave to a repair."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from knowflow.knowledge.memory_settings import database

if TYPE_CHECKING:
    from knowflow.model.repair import Proposer

# facts that a plan may lack when it starts: where pixels leave one factor only, a rule supplies it
PIXELS_MAY_TELL = ("scale", "offset")


@dataclass(frozen=True, slots=True)
class RepairPolicy:
    """How far a run may be repaired: at most ``max_repairs`` times; 0 means that failures are only diagnosed.

    ``proposer`` is asked where no knowledge applies; None: the language model, where one is configured. Without
    ``memory`` nothing counts that was learned from earlier runs, and nothing is learned from this one.
    """

    max_repairs: int = 8
    proposer: Proposer | None = None
    memory: bool = True


def remembers(home: Path, kind: str = "rules") -> bool:
    """Whether rules, or templates, were learned in a home folder, or may have been elsewhere: without importing what
    reads them."""
    return bool(database()) or any((home / "memory").glob(f"*/{kind}"))
