"""What the service shows and does not draw itself: the roof hands in an implementation."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from knowflow.execution.action import Exhibit
from knowflow.model.trace import Trace
from knowflow.service.results import PlanResult


class Presenter(Protocol):
    """Draws plans and runs."""

    def plan_exhibits(self, planned: PlanResult) -> Sequence[Exhibit]:
        """What a run shows when it starts: the plan and its drawing."""
        ...

    def repair_exhibits(self, trace: Trace) -> Sequence[Exhibit]:
        """What a run shows as soon as it was repaired: the last repair of its trace."""
        ...

    def result_exhibits(self, trace: Trace) -> Sequence[Exhibit]:
        """What a run shows when it has ended: the answer, maps, the report's address."""
        ...

    def report(self, trace: Trace, destination: Path) -> Path:
        """Write the self-contained report of a run."""
        ...

    def styles(self, trace: Trace) -> Sequence[Path]:
        """Write how the delivered maps are to look beside them; the files."""
        ...
