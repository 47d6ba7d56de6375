"""Files whose numbers may be stored by a scale that nothing tells: they count as they are, which is told."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from knowflow.model.artifact import Artifact
from knowflow.model.plan import Plan
from knowflow.reason.inventory import Inventory
from knowflow.reason.inventory.layers import Perhaps, perhaps
from knowflow.service.alike import shown


def open_scales(plan: Plan, inventory: Inventory) -> Iterator[str]:
    """What is to be told of whole numbers that a plan takes as they stand, and products store by a scale."""
    taken = {(leaf.path, leaf.band) for item in plan.inputs.values() for leaf in item.leaves()}
    listed = [item for item in inventory.rasters if item.fact("scale") is None and (item.path, item.band) in taken]
    by_kind: dict[str, list[Artifact]] = {}
    for item in listed:
        by_kind.setdefault(str(item.fact("quantity")).replace("_", " "), []).append(item)
    for kind, items in by_kind.items():
        found = [one for one in perhaps(items, inventory.open, ()) if one.candidate.fact == "scale"]
        if found:
            yield _told(kind, found, items, Path(inventory.root))


def _told(kind: str, found: list[Perhaps], items: list[Artifact], root: Path) -> str:
    first = next(item for item in items if any(str(item.path) in file for file in found[0].files))
    more = len({file for one in found for file in one.files}) - 1
    named = shown(first, root) + (f" and {more} more" if more else "")
    scales = " or ".join(dict.fromkeys(f"{one.candidate.value:g}" for one in found))
    line = f"{named}; if it is {scales}: {found[0].assume}"
    return f"no scale is told of whole numbers of {kind}, which count as they are: {line}"
