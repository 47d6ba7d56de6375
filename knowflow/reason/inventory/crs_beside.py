"""The CRS of vectors that tell none, by the rasters that their coordinates lie on."""

from __future__ import annotations

from collections.abc import Sequence

from knowflow.model.artifact import Artifact
from knowflow.model.facts import Origin

_SOURCE = "its coordinates lie on the rasters of the folder, which are in it"


def with_crs_beside(artifacts: Sequence[Artifact]) -> tuple[Artifact, ...]:
    """The artifacts, vectors of unknown CRS with that of the rasters where all that they lie on share one."""
    if all(item.type != "vector" or item.fact("crs") is not None for item in artifacts):
        return tuple(artifacts)
    grounds = {
        (str(item.fact("crs")), tuple(item.fact("bounds")))
        for item in artifacts
        if item.type == "raster" and item.fact("crs") is not None and item.fact("bounds") is not None
    }
    return tuple(_placed(item, grounds) for item in artifacts)


def _placed(item: Artifact, grounds: set[tuple[str, tuple[float, ...]]]) -> Artifact:
    bounds = item.fact("bounds")
    if item.type != "vector" or item.fact("crs") is not None or bounds is None:
        return item
    west, south, east, north = bounds
    found = {
        crs
        for crs, (left, low, right, high) in grounds
        if west < right and left < east and south < high and low < north
    }
    return item if len(found) != 1 else item.with_facts(item.facts.put("crs", found.pop(), Origin.ASSUMED, _SOURCE))
