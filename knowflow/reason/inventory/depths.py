"""Layers of the ground that the names of files tell by their depths: ``clay_0-5cm``, ``soc_5_15cm``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from knowflow.ground.quantities import quantity_kinds
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Origin
from knowflow.reason.inventory.names import plain_stem

_DEPTH = re.compile(r"(?<!\d)(\d{1,3})[-_](\d{1,3})[ _-]?cm(?![a-z])", re.IGNORECASE)
_SOIL = "soil"
_UNTIL = 30  # cm: where the topsoil ends at the latest


def with_depths(artifacts: Iterable[Artifact]) -> tuple[Artifact, ...]:
    """The artifacts, those of the soil with the depths (fact ``height``) that the names of their files tell."""
    return tuple(map(_of_depth, artifacts))


def _of_depth(item: Artifact) -> Artifact:
    kind = quantity_kinds().get(str(item.fact("quantity")))
    of_soil = kind is not None and _SOIL in (kind.family, *kind.name.split("_"))
    told = _DEPTH.search(plain_stem(str(item.path))) if of_soil else None
    if told is None or int(told[1]) >= int(told[2]):
        return item
    depth = f"{int(told[1])}-{int(told[2])} cm"
    return item.with_facts(item.facts.put("height", depth, Origin.DECLARED, f"file name ({told[0]!r})"))


def spoken_depths(height: str) -> Iterator[str]:
    """What people call a depth: ``0-5 cm``, ``0 to 5 cm``, and of what begins at the surface ``top 5 cm``, ``topsoil``.

    >>> list(spoken_depths("5-15 cm"))
    ['5-15 cm', '5 to 15 cm']
    """
    told = _DEPTH.fullmatch(height)
    if told is None:
        return
    yield from (f"{told[1]}-{told[2]} cm", f"{told[1]} to {told[2]} cm")
    if int(told[1]) == 0:
        yield from (f"top {told[2]} cm", f"upper {told[2]} cm", f"uppermost {told[2]} cm", f"first {told[2]} cm")
        yield from (("topsoil", "top soil", "surface soil") if int(told[2]) <= _UNTIL else ())
