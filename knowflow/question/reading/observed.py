"""What a quantity was seen by, where that says nothing else than that a map of it is meant: ``satellite rain``, ``the
InSAR velocity``, ``lidar heights``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from knowflow.ground.quantities import quantity_kinds
from knowflow.question.operators import Quantity
from knowflow.question.reading.chart import Entity
from knowflow.question.reading.vocabulary import DataWords

_SEEN_BY: Mapping[str, tuple[str, ...]] = {
    "radar": ("sigma0", "gamma0", "displacement", "velocity_of_ground", "line_of_sight", "coherence", "ice_velocity"),
    "laser": ("elevation", "height"),
}
"""What the names of the kinds hold that are seen by one sort of instrument; a satellite sees all of them."""


def observed(found: Sequence[Entity], data: DataWords) -> Iterator[Entity]:
    """Quantities of which the data hold maps, with the word before them for what sees such ones."""
    before = {one.end: one for one in found if one.symbol == "OBSERVED"}
    for one in found if before else ():
        if one.symbol not in ("QUANTITY", "NAMED") or one.start not in before:
            continue
        kind = one.value.kind if isinstance(one.value, Quantity) else str(one.value)
        seen_by = _SEEN_BY.get(before[one.start].value, ("",))
        if kind in data.quantities - data.told and kind in quantity_kinds() and any(part in kind for part in seen_by):
            yield replace(one, start=before[one.start].start)
