"""Data of places that lie apart: one answer over all of them is told with the places."""

from __future__ import annotations

from knowflow.model import geo
from knowflow.model.artifact import Artifact
from knowflow.model.plan import Plan
from knowflow.reason.regions import places_of

_MOST = 3


def places_apart(plan: Plan) -> tuple[str, ...]:
    """That what a plan takes lies in places that do not touch."""
    taken = (places_of(leaf for leaf in item.leaves() if leaf.type == "raster") for item in plan.inputs.values())
    places = next((places for places in taken if len(places) > 1), None)
    if places is None:
        return ()
    told = f"the data lie in {len(places)} places that do not touch, taken together"
    return (f"{told}: {_told(places)}; --aoi takes one of them",)


def _told(places: list[tuple[geo.Box, Artifact]]) -> str:
    told = [f"{raster.name} ({_middle(box)})" for box, raster in places]
    return ", ".join(told[:_MOST]) + (f" and {len(told) - _MOST} more" if len(told) > _MOST else "")


def _middle(box: geo.Box) -> str:
    east, north = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return f"{abs(north):.2f}° {'N' if north >= 0 else 'S'}, {abs(east):.2f}° {'E' if east >= 0 else 'W'}"
