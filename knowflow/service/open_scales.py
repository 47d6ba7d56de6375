"""Files whose numbers may be stored by a scale that nothing tells: they count as they are, which is told."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from knowflow.model.artifact import Artifact
from knowflow.model.plan import Plan
from knowflow.reason.inventory import Inventory
from knowflow.reason.inventory.layers import perhaps
from knowflow.service.alike import shown


def open_scales(plan: Plan, inventory: Inventory) -> Iterator[str]:
    """What is to be told of whole numbers that a plan takes as they stand, and products store by a scale."""
    taken = {(leaf.path, leaf.band) for item in plan.inputs.values() for leaf in item.leaves()}
    by_kind: dict[str, list[Artifact]] = {}
    for item in inventory.rasters:
        candidates = inventory.open.get((str(item.path), item.band), ())
        if (item.path, item.band) in taken and any(one.fact == "scale" for one in candidates):
            by_kind.setdefault(str(item.fact("quantity")).replace("_", " "), []).append(item)
    for kind, items in by_kind.items():
        found = [one for one in perhaps(items, inventory.open, ()) if one.candidate.fact == "scale"]
        more = f" and {len(items) - 1} more" if len(items) > 1 else ""
        scales = " or ".join(f"{one.candidate.value:g}" for one in found)
        line = f"{shown(items[0], Path(inventory.root))}{more}; if it is {scales}: {found[0].assume}"
        yield f"no scale is told of whole numbers of {kind}, which count as they are: {line}"
