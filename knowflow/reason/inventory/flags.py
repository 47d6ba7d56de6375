"""Flags that products hold among the numbers of a layer: in a snow cover of MODIS or VIIRS 250 is cloud.

Such a layer is a quality band as well, of the same file: by its flags clouds are told.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from knowflow.model.artifact import Artifact
from knowflow.model.facts import Origin

_QUALITY = frozenset({"qa_bits", "scene_classification"})
_OF_NUMBERS = ("quantity", "unit", "scale", "offset", "nodata", "valid_range", "described", "classes", "bands")


def with_flags(artifacts: Iterable[Artifact]) -> tuple[Artifact, ...]:
    """The artifacts, and each layer that holds flags once more, as a quality band."""
    return tuple(one for item in artifacts for one in _both(item))


def _both(item: Artifact) -> Iterator[Artifact]:
    yield item
    flagged = item.type == "raster" and item.fact("marking") is not None and "int" in str(item.fact("dtype"))
    if flagged and item.fact("quantity") not in _QUALITY:
        facts = item.facts.without(_OF_NUMBERS)
        facts = facts.put("quantity", "qa_bits", Origin.DECLARED, "flags among the numbers of the product")
        facts = facts.put("unit", "1", Origin.DECLARED, "flags are pure numbers")
        yield Artifact(item.type, facts, f"{item.name} (flags)", item.path, item.band)
