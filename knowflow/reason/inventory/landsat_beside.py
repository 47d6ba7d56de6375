"""Bands of Landsat whose names tell no level, and mostly no sensor, beside a temperature of the surface of that day.

Who keeps ``ST_B10`` of a day and calls the other bands of it ``B4`` and ``B5`` has them of the same scene: surface
temperature is made for scenes of level 2 alone, in which the numbers of all bands are of one scale. A band of quality
lies in scenes of level 1 as well, and tells no level. A temperature of the surface whose numbers can be those of
Landsat alone is one of level 2 whatever it is called, and so are bands that are called by their colours beside it;
those called by their numbers are where the folder has other scenes that tell the sensor, and no other one of Landsat.
Bits of quality of such a scene are those of Landsat.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import PurePath

from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.regex import regex
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Fact, Origin
from knowflow.reason.inventory.band_names import pixel_of, with_band_facts
from knowflow.reason.inventory.glance import looks
from knowflow.reason.inventory.names import layer_facts
from knowflow.reason.inventory.packings import packing_of

_LEVEL, _SENSOR = "L2SP", "landsat-8-9-oli-tirs"
_MISSION, _STORED = "landsat", "uint16"
_BEGIN = 5_000.0  # most numbers of Landsat are above it, by its offset, and those of other sensors below
_AT_SURFACE = regex(r"B[1-7]")  # those of the sensor of which there is reflectance at the surface
_COLOURS = frozenset({"coastal", "blue", "green", "red", "nir", "nir08", "swir16", "swir22"})  # of any Landsat
_OF_SURFACE = "surface_temperature"

_Scene = tuple[PurePath, str, float | None]


def with_landsat_beside(artifacts: Iterable[Artifact]) -> tuple[Artifact, ...]:
    """The artifacts, bands without sensor and quantity as surface reflectance where the surface temperature of Landsat
    Collection 2 lies beside them, of the same day; *assumed*, and told."""
    listed = tuple(artifacts)
    of_sensor = [one for one in listed if one.fact("sensor") == _SENSOR]
    named = [one for one in of_sensor if one.fact("level") == _LEVEL or one.fact("quantity") == _OF_SURFACE]
    only = all(one.fact("sensor") == _SENSOR for one in listed if str(one.fact("sensor")).startswith(_MISSION))
    only = only and bool(of_sensor)
    by_numbers = _by_numbers(listed, only=only)
    temperatures = [one for one in (*named, *by_numbers) if one.fact("datetime") is not None]
    scenes = {_scene(one): PurePath(str(one.path)).name for one in reversed(temperatures)}
    told = {_scene(one) for one in (*named, *(by_numbers if only else ()))}
    bands = [one for one in listed if scenes and _is_open(one, scenes, told)]
    alike = {key for key, look in looks(bands).items() if look.middle > _BEGIN}
    found = (_of_scene(one, scenes[_scene(one)], only=only) if id(one) in alike else one for one in listed)
    return tuple(_with_bits(one, scenes if only else {}) for one in found)


def _by_numbers(items: Iterable[Artifact], *, only: bool) -> list[Artifact]:
    """Temperatures of the surface whose numbers can be those of Landsat alone, beside bands of a colour, or of a number
    where the ``only`` sensor of Landsat is known."""
    listed = [one for one in items if one.type == "raster" and one.fact("dtype") == _STORED]
    coloured = {_scene(one) for one in listed if one.fact("band") in _COLOURS or (only and _at_surface(one))}
    open_ = [
        one
        for one in listed
        if one.fact("quantity") == _OF_SURFACE and one.fact("scale") is None and _scene(one) in coloured
    ]
    own = layer_facts("ST_B10", _STORED).facts
    kind = quantity_kinds()[_OF_SURFACE]
    found = {key: packing_of(look, kind, _STORED) for key, look in looks(open_).items()}
    packed = own.value("scale"), own.value("offset"), own.value("unit")
    return [one for one in open_ if (packing := found.get(id(one))) is not None and tuple(packing) == packed]


def _scene(item: Artifact) -> _Scene:
    """The folder and moment of a band, and the size of its pixels: those of another sensor are of another."""
    return PurePath(str(item.path)).parent, str(item.fact("datetime")), pixel_of(item.facts)


def _is_open(item: Artifact, scenes: Iterable[_Scene], told: Collection[_Scene]) -> bool:
    """Whether a band is of one of the scenes, by its number only of those that are ``told`` to be of that sensor."""
    untold = item.type == "raster" and not any(name in item.facts for name in ("quantity", "scale"))
    if not untold or item.fact("dtype") != _STORED or _scene(item) not in scenes:
        return False
    if "sensor" in item.facts and (item.fact("sensor") != _SENSOR or _scene(item) not in told):
        return False
    return item.fact("band") in _COLOURS or (_at_surface(item) and _scene(item) in told)


def _at_surface(item: Artifact) -> bool:
    return _AT_SURFACE.fullmatch(str(item.fact("band")).upper()) is not None


def _with_bits(item: Artifact, scenes: Mapping[_Scene, str]) -> Artifact:
    """Bits of quality of which no sensor is told, as those of the scene of Landsat that they are of."""
    untold = item.fact("quantity") == "qa_bits" and not any(name in item.facts for name in ("sensor", "marking"))
    if not untold or item.fact("dtype") != _STORED or _scene(item) not in scenes:
        return item
    source = f"bits of quality beside {scenes[_scene(item)]}, of the same day: Landsat Collection 2"
    return item.with_facts(item.facts.put("sensor", _SENSOR, Origin.ASSUMED, source))


def _of_scene(item: Artifact, beside: str, *, only: bool) -> Artifact:
    """A band as the layer that Landsat Collection 2 has of it; by its colour it may be of any of its sensors, but where
    all that the folder has of Landsat is of the ``only`` one."""
    source = f"usual for bands beside {beside}, of the same day: Landsat Collection 2 at level 2"
    coloured = item.fact("band") in _COLOURS
    told = layer_facts("SR_B4" if coloured else f"SR_{str(item.fact('band')).upper()}", _STORED).facts
    facts = item.facts
    if "sensor" not in facts and (only or not coloured):
        facts = facts.without(("bands",)).put("sensor", _SENSOR, Origin.ASSUMED, source)
    for name in ("quantity", "unit", "scale", "offset", "nodata", "level"):
        known: Fact | None = told.get(name)
        if known is not None and name not in facts:
            facts = facts.put(name, known.value, Origin.ASSUMED, source)
    return item.with_facts(with_band_facts(facts) if "sensor" in facts else facts)
