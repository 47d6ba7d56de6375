"""A folder of data as the planner sees it."""

from __future__ import annotations

from knowflow.model.artifact import Artifact
from knowflow.model.goal import Period
from knowflow.reason.inventory import Inventory


class Folder:
    """Candidates for a template's inputs out of an inventory."""

    def __init__(self, inventory: Inventory) -> None:
        self._inventory = inventory

    def candidates(
        self, kind: str, quantity: tuple[str, ...], bands: tuple[str, ...], period: Period | None
    ) -> tuple[Artifact, ...]:
        inventory = self._inventory if period is None else self._inventory.between(period.start, period.end)
        return inventory.candidates(kind, quantity, bands)

    def summary(self) -> str:
        """What is in the folder, in one line."""
        return self._inventory.summary()
