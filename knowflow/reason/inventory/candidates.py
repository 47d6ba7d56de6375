"""Which of a folder's data could serve an input of a template, best first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from knowflow.ground.bands import substitutes
from knowflow.ground.quantities import quantity_kinds
from knowflow.model.artifact import Artifact, series
from knowflow.model.facts import Facts, Origin
from knowflow.reason.inventory.grouping import scenes_of, series_of

FAMILY = "family:"


def candidates_among(
    artifacts: Iterable[Artifact], type: str, quantity: tuple[str, ...] = (), bands: tuple[str, ...] = ()
) -> tuple[Artifact, ...]:
    """Artifacts of a type that hold one of the quantities (kinds or ``family:NAME``; none: any), best first.

    With ``bands`` (common names) rasters are of such a band, and band sets and series hold sets of exactly these bands;
    a band that is missing is replaced by the one that may stand in for it, which its facts say as *assumed*. Earlier
    quantities go before later ones, long series before short ones, clear scenes before cloudy ones, new before old.
    Items of a series may lie on different grids. Band sets whose quantity nobody knows come last: what uses them names
    the missing fact.
    """
    listed = tuple(artifacts)
    if type in ("vector", "table"):
        return tuple(item for item in listed if item.type == type and _rank(item, quantity) is not None)
    rasters = tuple(item for item in listed if item.type == "raster")
    if type == "raster":
        return _best_first(_of_band(rasters, bands), quantity)
    if type == "band_set":
        return _best_first(_with_bands(scenes_of(rasters), bands), quantity, unknown_too=bool(bands))
    if type == "raster_series":
        if bands:
            return _series(_with_bands(scenes_of(rasters), bands), quantity, unknown_too=True)
        return _series(rasters, quantity)
    return ()


def _series(items: tuple[Artifact, ...], quantity: tuple[str, ...], unknown_too: bool = False) -> tuple[Artifact, ...]:
    """Series of several dates, then, for want of better, of a single raster."""
    found = _best_first(series_of(items), quantity, unknown_too)
    undated = tuple(item for item in items if item.fact("datetime") is None)
    return found + tuple(series((item,), item.name) for item in _best_first(undated, quantity, unknown_too))


def _best_first(
    items: Iterable[Artifact], quantity: tuple[str, ...], unknown_too: bool = False
) -> tuple[Artifact, ...]:
    ranked = []
    for item in items:
        rank = _rank(item, quantity)
        if rank is None and unknown_too and item.fact("quantity") is None:
            rank = len(quantity)
        if rank is not None:
            ranked.append(((rank, is_of_several(item), -len(item.items), _clouds(item)), item))
    # newest first, then by name; the sort below is stable
    ranked.sort(key=lambda pair: pair[1].name)
    ranked.sort(key=lambda pair: _newest(pair[1]), reverse=True)
    ranked.sort(key=lambda pair: pair[0])
    return tuple(item for _, item in ranked)


def _rank(item: Artifact, quantity: tuple[str, ...]) -> int | None:
    """The place of the item's quantity among those wanted; None where it is none of them."""
    if not quantity:
        return 0
    found = item.fact("quantity")
    kind = quantity_kinds().get(str(found).casefold()) if found is not None else None
    for place, wanted in enumerate(quantity):
        if wanted.startswith(FAMILY):
            if kind is not None and kind.family == wanted.removeprefix(FAMILY):
                return place
        elif found is not None and str(found).casefold() == wanted.casefold():
            return place
    return None


def is_of_several(item: Artifact) -> bool:
    """Whether it is a file of several bands of which nothing says which one is meant."""
    several = any(leaf.band is None and (leaf.fact("count") or 1) > 1 for leaf in item.leaves())
    return several and not item.fact("bands")


def _clouds(item: Artifact) -> float:
    found = item.fact("cloud_fraction")
    return 0.0 if found is None else float(found)


def _newest(item: Artifact) -> str:
    last = item.items[-1] if item.items else item
    return str(last.fact("datetime") or "")


def _of_band(rasters: tuple[Artifact, ...], bands: tuple[str, ...]) -> tuple[Artifact, ...]:
    if not bands:
        return rasters
    return tuple(item for item in rasters if any(name in (item.fact("bands") or ()) for name in bands))


def _with_bands(scenes: tuple[Artifact, ...], bands: tuple[str, ...]) -> tuple[Artifact, ...]:
    """Scenes that have all the bands, reduced to them."""
    if not bands:
        return scenes
    return tuple(reduced for scene in scenes if (reduced := _reduced(scene, bands)) is not None)


def _reduced(scene: Artifact, bands: tuple[str, ...]) -> Artifact | None:
    members: dict[str, Artifact] = {}
    for name in bands:
        found = _member(scene.members, name)
        if found is None:
            return None
        members[name] = found
    facts = scene.facts.put("bands", tuple(members), Origin.DECLARED, "bands of the scene that are needed")
    return replace(scene, members=members, facts=facts)


def _member(members: Mapping[str, Artifact], name: str) -> Artifact | None:
    if name in members:
        return members[name]
    for other in substitutes(name):
        if other in members:
            stand_in = members[other]
            said: dict[str, Any] = {"bands": (name,)}
            facts = Facts.of(Origin.ASSUMED, f"{other} stands in for {name}", **said).over(stand_in.facts)
            return stand_in.with_facts(facts)
    return None
