"""Data of places that lie apart: one answer over all of them is told with the places."""

from __future__ import annotations

from collections.abc import Iterable

from knowflow.model import geo
from knowflow.model.artifact import Artifact
from knowflow.model.goal import Period, QueryGoal
from knowflow.model.plan import Plan

_NEAR = 0.02  # of its size: tiles that are cut beside each other are one place
_MOST = 3


def places_apart(plan: Plan, goal: QueryGoal | None) -> tuple[str, ...]:
    """That what a plan takes lies in places that do not touch."""
    compared = () if goal is None else goal.value("comparison") or ()
    if any(not isinstance(one, Period) for one in compared):  # two regions, each with a value
        return ()
    taken = (_places(leaf for leaf in item.leaves() if leaf.type == "raster") for item in plan.inputs.values())
    places = next((places for places in taken if len(places) > 1), None)
    if places is None:
        return ()
    told = f"the data lie in {len(places)} places that do not touch, taken together"
    return (f"{told}: {_told(places)}; --aoi takes one of them",)


def _places(rasters: Iterable[Artifact]) -> list[tuple[geo.Box, Artifact]]:
    """The extents, in degrees, that rasters make where those that overlap or touch are one, each with its first."""
    by_grid: dict[object, Artifact] = {}
    for raster in rasters:
        by_grid.setdefault(raster.fact("grid"), raster)
    found: list[tuple[geo.Box, Artifact]] = []
    for raster in by_grid.values():
        box = geo.lonlat_box(raster)
        if box is None or box[0] > box[2]:  # nobody knows where it lies, or across the antimeridian
            continue
        near = [place for place in found if geo.boxes_overlap(_wider(place[0]), box)]
        first = near[0][1] if near else raster
        west, south, east, north = zip(*(place for place, _ in near), box, strict=True)
        whole = min(west), min(south), max(east), max(north)
        at = found.index(near[0]) if near else len(found)
        found = [place for place in found if place not in near]
        found.insert(at, (whole, first))
    return found


def _wider(box: geo.Box) -> geo.Box:
    west, south, east, north = box
    wide, high = _NEAR * abs(east - west), _NEAR * (north - south)
    return west - wide, south - high, east + wide, north + high


def _told(places: list[tuple[geo.Box, Artifact]]) -> str:
    told = [f"{raster.name} ({_middle(box)})" for box, raster in places]
    return ", ".join(told[:_MOST]) + (f" and {len(told) - _MOST} more" if len(told) > _MOST else "")


def _middle(box: geo.Box) -> str:
    east, north = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return f"{abs(north):.2f}° {'N' if north >= 0 else 'S'}, {abs(east):.2f}° {'E' if east >= 0 else 'W'}"
