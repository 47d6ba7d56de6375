"""Whose bands they are and at which level, where names do not tell: by what lies beside them, and by the size of their
pixels.

Bands of a folder that are called B04, B8A and B12, and alike beside, are of the one sensor that has such bands. A scene
classification is made together with reflectance at the surface; bands of one folder come from one processing; and below
a camera that sees centimetres there is no atmosphere to speak of.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePath

from knowflow.ground.bands import band, sensor_bands, sensors_with
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Origin
from knowflow.reason.inventory.band_names import missions, pixel_of, with_band_facts
from knowflow.reason.inventory.evidence import Candidate
from knowflow.reason.inventory.layers import Open

_SURFACE, _AT_TOP = "surface_bidirectional_reflectance", "toa_bidirectional_reflectance"
_LEVELS = frozenset({_SURFACE, _AT_TOP})
_MADE_WITH = {"scene_classification": _SURFACE}
_DIGITS = re.compile(r"\d+")
_OF_LIGHT = frozenset({*_LEVELS, "toa_radiance", "surface_radiance"})
_NANOMETRES = re.compile(r"(?<![^_ -])([3-9]\d\d|1\d{3}|2[0-4]\d\d)(?:nm)?(?![^_ -])", re.IGNORECASE)
_NEAR_NM = 4.0
_SENTINEL_2 = "sentinel-2"
_OF_LEVEL = {"L2A": _SURFACE, "L1C": _AT_TOP}  # of Sentinel-2
_OF_CAMERAS_BELOW = 0.3  # m
_NOT_OF_LIGHT = frozenset({"vv", "vh", "hh", "hv", "lwir", "lwir11", "lwir12"})


def with_sensors(artifacts: Iterable[Artifact]) -> tuple[Artifact, ...]:
    """The artifacts, with the sensor of bands in one folder that do not tell it, where only one has all of them."""
    listed = tuple(artifacts)
    folders: dict[PurePath, list[Artifact]] = {}
    for item in listed:
        if item.type == "raster" and item.path is not None:
            folders.setdefault(PurePath(item.path).parent, []).append(item)
    found: dict[int, tuple[str, str]] = {}
    for items in folders.values():
        bands = [item for item in items if "band" in item.facts and "sensor" not in item.facts]
        beside = next((item for item in items if item.fact("quantity") == "scene_classification"), None)
        for item in bands:
            known = band(_SENTINEL_2, str(item.fact("band"))) is not None
            if known and beside is not None:
                found[id(item)] = _SENTINEL_2, f"{PurePath(str(beside.path)).name} beside it"
            elif known and item.fact("level") in _OF_LEVEL:
                found[id(item)] = _SENTINEL_2, f"a band at level {item.fact('level')}"
        alike: dict[str, list[Artifact]] = {}
        for item in bands:
            alike.setdefault(_shape(item), []).append(item)
        for some in alike.values():
            sensors = _sensors_of(some)
            if len(sensors) == 1:
                said = sensors[0], "the names of the bands in the folder"
                found |= {id(item): said for item in some if id(item) not in found}
    named = (_of_sensor(item, *found[id(item)]) if id(item) in found else item for item in listed)
    return tuple(_of_wavelength(item) if item.type == "raster" else item for item in named)


def _of_wavelength(item: Artifact) -> Artifact:
    """A raster of reflectance with the band of its sensor of which its name tells the wavelength: ``rhos_492``."""
    told = {name for name in ("band", "bands") if name in item.facts}
    bands = sensor_bands(str(item.fact("sensor"))) if item.fact("quantity") in _OF_LIGHT and not told else ()
    numbers = [float(text) for text in _NANOMETRES.findall(PurePath(str(item.path)).stem)] if bands else []
    near = {one.name: text for text in numbers for one in bands if abs((one.centre or 0) - text) <= _NEAR_NM}
    if len(near) != 1:
        return item
    ((name, length),) = near.items()
    source = f"the wavelength of {length:g} nm in its name"
    return item.with_facts(with_band_facts(item.facts.put("band", name, Origin.ASSUMED, source)))


def _shape(item: Artifact) -> str:
    """The name of a file without its band and its numbers."""
    stem = PurePath(str(item.path)).stem.casefold().replace(str(item.fact("band")).casefold(), "")
    return _DIGITS.sub("#", stem)


def _sensors_of(bands: list[Artifact]) -> tuple[str, ...]:
    """The sensors that have bands of these names, and of the size of the finest where several have."""
    names, pixels = [str(item.fact("band")) for item in bands], [pixel_of(item.facts) for item in bands]
    sensors = missions(sensors_with(names))
    if len(sensors) < 2 or None in pixels:
        return sensors
    return missions(sensors_with(names, min(size for size in pixels if size is not None)))


def _of_sensor(item: Artifact, sensor: str, why: str) -> Artifact:
    return item.with_facts(with_band_facts(item.facts.put("sensor", sensor, Origin.ASSUMED, why)))


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
    own = _OF_LEVEL.get(str(item.fact("level"))) if str(item.fact("sensor")).startswith(_SENTINEL_2) else None
    if own is not None:
        return _put(item, own, f"a band of Sentinel-2 at level {item.fact('level')}")
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
    size = pixel_of(item.facts)
    return size is not None and size <= _OF_CAMERAS_BELOW
