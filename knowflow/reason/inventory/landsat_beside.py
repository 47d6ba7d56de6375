"""Bands of Landsat whose names tell neither sensor nor level, beside a temperature of the surface of the same day.

Who keeps ``ST_B10`` of a day and calls the other bands of it ``B4`` and ``B5`` has them of the same scene: surface
temperature is made for scenes of level 2 alone, in which the numbers of all bands are of one scale. A band of quality
lies in scenes of level 1 as well, and tells no level.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath

from knowflow.ground.regex import regex
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Fact, Origin
from knowflow.reason.inventory.band_names import pixel_of, with_band_facts
from knowflow.reason.inventory.glance import looks
from knowflow.reason.inventory.names import layer_facts

_LEVEL, _SENSOR = "L2SP", "landsat-8-9-oli-tirs"
_STORED = "uint16"
_BEGIN = 5_000.0  # most numbers of Landsat are above it, by its offset, and those of other sensors below
_AT_SURFACE = regex(r"B[1-7]")  # those of the sensor of which there is reflectance at the surface

_Scene = tuple[PurePath, str, float | None]


def with_landsat_beside(artifacts: Iterable[Artifact]) -> tuple[Artifact, ...]:
    """The artifacts, bands without sensor and quantity as surface reflectance where the surface temperature of Landsat
    Collection 2 lies beside them, of the same day; *assumed*, and told."""
    listed = tuple(artifacts)
    temperatures = (one for one in listed if one.fact("level") == _LEVEL and one.fact("sensor") == _SENSOR)
    scenes = {_scene(one): PurePath(str(one.path)).name for one in temperatures if one.fact("datetime") is not None}
    bands = [one for one in listed if scenes and _is_open(one, scenes)]
    alike = {key for key, look in looks(bands).items() if look.middle > _BEGIN}
    return tuple(_of_scene(one, scenes[_scene(one)]) if id(one) in alike else one for one in listed)


def _scene(item: Artifact) -> _Scene:
    """The folder and moment of a band, and the size of its pixels: those of another sensor are of another."""
    return PurePath(str(item.path)).parent, str(item.fact("datetime")), pixel_of(item.facts)


def _is_open(item: Artifact, scenes: Iterable[_Scene]) -> bool:
    untold = item.type == "raster" and not any(name in item.facts for name in ("sensor", "quantity", "scale"))
    stored = item.fact("dtype") == _STORED and _AT_SURFACE.fullmatch(str(item.fact("band"))) is not None
    return untold and stored and _scene(item) in scenes


def _of_scene(item: Artifact, beside: str) -> Artifact:
    """A band as the layer that Landsat Collection 2 has of it."""
    source = f"usual for bands beside {beside}, of the same day: Landsat Collection 2 at level 2"
    told = layer_facts(f"SR_{item.fact('band')}", _STORED).facts
    facts = item.facts.put("sensor", _SENSOR, Origin.ASSUMED, source)
    for name in ("quantity", "unit", "scale", "offset", "nodata", "level"):
        known: Fact | None = told.get(name)
        if known is not None and name not in facts:
            facts = facts.put(name, known.value, Origin.ASSUMED, source)
    return item.with_facts(with_band_facts(facts))
