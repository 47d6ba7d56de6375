"""Files of several regions, told apart by their names, of which a question names one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from knowflow.ground.spelling import says
from knowflow.model import geo
from knowflow.model.artifact import Artifact
from knowflow.model.goal import QueryGoal
from knowflow.question.reading.tiles import tile_code

_NEAR = 0.02  # of its size: tiles that are cut beside each other are one place


def one_region(artifacts: tuple[Artifact, ...], goal: QueryGoal) -> tuple[str, tuple[Artifact, ...]]:
    """The region that a question names, and its files with those of no region that it has no files for; no name and all
    files where it names none or several, or where names that differ by date only tell where a file comes from."""
    regions = {str(item.fact("region")): None for item in artifacts if item.fact("region") is not None}
    named = [region for region in regions if says(goal.text, region)]
    tiles = {tile_code(region) for region in named}
    if len(tiles) != 1 or goal.value("span") == "regions":
        return "", artifacts
    same = {region for region in regions if _plain(named[0]) in _plain(region) or tile_code(region) in tiles}
    own = {_place_in_time(item) for item in artifacts if item.fact("region") in same}
    beside = [item for item in artifacts if item.fact("region") not in same]
    if not any(_place_in_time(item) in own for item in beside):
        return "", artifacts
    return named[0], tuple(
        item
        for item in artifacts
        if item.fact("region") in same or (item.fact("region") is None and _place_in_time(item) not in own)
    )


def of_named_region(goal: QueryGoal, inputs: Mapping[str, Artifact]) -> bool:
    """Whether the files that a plan takes are of the region that the question names."""
    found = {str(leaf.fact("region") or "") for item in inputs.values() for leaf in item.leaves()} - {""}
    region = goal.value("region")
    return len(found) == 1 and region is not None and says(str(region), next(iter(found)))


def places_of(rasters: Iterable[Artifact]) -> list[tuple[geo.Box, Artifact]]:
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


def _place_in_time(item: Artifact) -> tuple[str, str]:
    return (str(item.fact("layer")).casefold(), str(item.fact("datetime"))[:10])


def _plain(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))
