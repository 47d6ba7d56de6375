"""A folder of data as the compiler sees it: what the question restricts it to, and nothing else."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

from knowflow.ground.quantities import quantity_kinds
from knowflow.model.artifact import Artifact
from knowflow.model.goal import Period, QueryGoal
from knowflow.reason.inventory import Inventory
from knowflow.reason.inventory.candidates import candidates_among
from knowflow.reason.inventory.tiles import with_tiles_joined
from knowflow.reason.named_bands import of_named_bands
from knowflow.reason.regions import one_region

_CLASS_MAPS = frozenset({"land_cover_class", "class_label"})


class Folder:
    """Candidates for a template's inputs out of an inventory.

    A goal restricts files of several regions to the one that it names, what every band has to the bands that it names,
    and files of several statistics to the one that is asked for. Times are left to what reads the data.
    """

    def __init__(self, inventory: Inventory, goal: QueryGoal | None = None) -> None:
        self._inventory = inventory if goal is None else _of_statistic(_restricted(inventory, goal), goal)
        self._taken_for: dict[str, Period] = {}
        self._class_maps = () if goal is None or not _asks_within_classes(goal) else _class_maps(inventory)

    def candidates(
        self, kind: str, quantity: tuple[str, ...], bands: tuple[str, ...], period: Period | None
    ) -> tuple[Artifact, ...]:
        if period is None or kind == "vector":
            return self._inventory.candidates(kind, quantity, bands)
        inventory = self._inventory.between(period.start, period.end)
        of_then = tuple(item for item in inventory.artifacts if self._of(item, period))
        found = replace(inventory, artifacts=of_then).candidates(kind, quantity, bands)
        return found if found or kind != "raster" else self._of_another_time(quantity, bands, period)

    def _of_another_time(
        self, quantity: tuple[str, ...], bands: tuple[str, ...], period: Period
    ) -> tuple[Artifact, ...]:
        """The maps of classes that there are, nearest in time first, where another quantity is asked about: "the mean
        LST per land cover class in summer 2022" is of that summer, by the latest map of classes."""
        maps = candidates_among(with_tiles_joined(self._class_maps), "raster", quantity, bands)
        return tuple(sorted(maps, key=lambda item: _days_from(item, period)))

    def _of(self, artifact: Artifact, period: Period) -> bool:
        """Whether a file may be of a period. One without a date may be of any, but not of two that are compared:
        a change between a file and itself is none. What stays as it is is of all periods."""
        if artifact.fact("datetime") is not None:
            return True
        if _lasting(artifact):
            return True
        return self._taken_for.setdefault(f"{artifact.path} {artifact.band}", period) == period

    def summary(self) -> str:
        """What is in the folder, in one line."""
        return self._inventory.summary()


def asked_about(inventory: Inventory, goal: QueryGoal) -> tuple[Artifact, ...]:
    """The data that a question may mean: those of the regions and bands that it names."""
    return _restricted(inventory, goal).artifacts


def _asks_within_classes(goal: QueryGoal) -> bool:
    """Whether a question takes a map of classes only to tell ground apart: it asks about another quantity. What is
    compared between two times is then that quantity, on the same ground."""
    quantity = goal.value("quantity")
    return quantity is not None and _family(quantity) != "class"


def _class_maps(inventory: Inventory) -> tuple[Artifact, ...]:
    """Maps of land cover; what a scene is classified as (clouds, shadows) is of its own day."""
    return tuple(item for item in inventory.rasters if item.fact("quantity") in _CLASS_MAPS)


def _days_from(artifact: Artifact, period: Period) -> int:
    """How many days lie between a raster and a period."""
    moment = dt.date.fromisoformat(str(artifact.fact("datetime"))[:10]) if artifact.fact("datetime") else None
    if moment is None:
        return 0
    start, end = dt.date.fromisoformat(period.start), dt.date.fromisoformat(period.end)
    return max((start - moment).days, (moment - end).days, 0)


def _lasting(artifact: Artifact) -> bool:
    """It is a form of the ground, a class of it, or no raster."""
    return artifact.type != "raster" or _family(artifact.fact("quantity")) in ("terrain", "class")


def _family(quantity: str | None) -> str | None:
    kind = quantity_kinds().get(quantity or "")
    return None if kind is None else kind.family


def _of_statistic(inventory: Inventory, goal: QueryGoal) -> Inventory:
    """Of files that hold several statistics of what is asked about (daily means, maxima, minima) those of the one that
    is asked for, of several the last; where it is none of them those that name none."""
    asked = goal.value("quantity")
    of_it = [item for item in inventory.rasters if item.fact("quantity") == asked]
    there = {_statistic(item) for item in of_it}
    operations = [*reversed(goal.value("operations") or ()), goal.value("operation"), None]
    chosen = next((one for one in operations if one in there), "")
    if len(there) < 2 or chosen == "":
        return inventory
    left = {id(item) for item in of_it if _statistic(item) != chosen}
    return replace(inventory, artifacts=tuple(item for item in inventory.artifacts if id(item) not in left))


def _statistic(item: Artifact) -> str | None:
    """The statistic that a file holds; of what adds up a sum is the quantity itself, of a month or of a year."""
    statistic, kind = item.fact("statistic"), quantity_kinds().get(str(item.fact("quantity")))
    return None if statistic == "sum" and kind is not None and kind.accumulates else statistic


def _restricted(inventory: Inventory, goal: QueryGoal) -> Inventory:
    _, artifacts = one_region(inventory.artifacts, goal)
    return replace(inventory, artifacts=of_named_bands(goal, artifacts))
