"""At which level reflectance is, where names do not tell: by what lies beside it, and by the size of its pixels.

A scene classification is made together with reflectance at the surface; bands of one folder come from one processing;
and below a camera that sees centimetres there is no atmosphere to speak of.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath

from knowflow.model.artifact import Artifact
from knowflow.model.facts import Origin
from knowflow.model.ground_lengths import pixel_on_ground
from knowflow.reason.inventory.evidence import Candidate
from knowflow.reason.inventory.layers import Open

_SURFACE, _AT_TOP = "surface_bidirectional_reflectance", "toa_bidirectional_reflectance"
_LEVELS = frozenset({_SURFACE, _AT_TOP})
_MADE_WITH = {"scene_classification": _SURFACE}
_OF_CAMERAS_BELOW = 0.3  # m
_NOT_OF_LIGHT = frozenset({"vv", "vh", "hh", "hv", "lwir", "lwir11", "lwir12"})


def with_levels(artifacts: Iterable[Artifact], left: Open) -> tuple[Artifact, ...]:
    """The artifacts, with the reflectance that bands of light without a quantity are of by what is known of others in
    their folder, or by their pixels; *assumed*, and told."""
    listed = tuple(artifacts)
    folders: dict[PurePath, dict[str, str]] = {}
    for item in listed:
        known = item.known("quantity")
        quantity = None if known is None or known.origin is Origin.USER else str(known.value)
        if item.type == "raster" and quantity in (*_LEVELS, *_MADE_WITH):
            told = folders.setdefault(PurePath(str(item.path)).parent, {})
            told.setdefault(_MADE_WITH.get(quantity, quantity), PurePath(str(item.path)).name)
    return tuple(_with_level(item, folders, left.get((str(item.path), item.band), ())) for item in listed)


def _with_level(item: Artifact, folders: dict[PurePath, dict[str, str]], open_: Iterable[Candidate]) -> Artifact:
    bands = {str(one) for one in item.fact("bands") or ()}
    if item.type != "raster" or "quantity" in item.facts or not bands or bands & _NOT_OF_LIGHT:
        return item
    if str(item.fact("dtype")) in ("uint8", "int8") or str(item.fact("unit") or "1") != "1":
        return item
    told = folders.get(PurePath(str(item.path)).parent, {})
    if len(told) == 1:
        ((level, file),) = told.items()
        return _put(item, level, f"{file} beside it")
    possible = {str(one.value) for one in open_ if one.fact == "quantity" and one.value in _LEVELS}
    if not told and possible == _LEVELS and "refl" in str(item.path).casefold() and _seen_from_near(item):
        return _put(item, _SURFACE, "reflectance seen from near the ground, by the size of its pixels")
    return item


def _put(item: Artifact, level: str, why: str) -> Artifact:
    facts = item.facts.put("quantity", level, Origin.ASSUMED, why)
    return item.with_facts(facts if "unit" in facts else facts.put("unit", "1", Origin.ASSUMED, why))


def _seen_from_near(item: Artifact) -> bool:
    crs, transform, shape = (item.fact(name) for name in ("crs", "transform", "shape"))
    if crs is None or transform is None or shape is None:
        return False
    return max(pixel_on_ground(crs, transform, shape)) <= _OF_CAMERAS_BELOW
