"""From a sensor's band name to its common name and wavelength, once the sensor is known."""

from __future__ import annotations

from knowflow.ground.bands import band, common_name, sensor_bands
from knowflow.model.facts import Fact, Facts, Origin


def canonical_sensor(text: str) -> str:
    """The name under which a sensor's bands are known (``LC08`` -> ``landsat-8-9-oli-tirs``), else the text itself."""
    bands = sensor_bands(text)
    return bands[0].sensor if bands else text


def with_band_facts(facts: Facts, own_name: str | None) -> Facts:
    """The facts with ``bands`` and ``wavelength`` of a single band that its producer calls ``own_name``.

    Where the sensor has no common name for it the band keeps its own; where the sensor is not known, only names that
    mean the same everywhere say anything. What is known already stays.
    """
    if own_name is None or "bands" in facts:
        return facts
    sensor = facts.get("sensor")
    found = None if sensor is None else band(str(sensor.value), own_name)
    if found is None:
        common = common_name(own_name)
        return facts if common is None else facts.put("bands", (common,), Origin.DECLARED, f"band name {own_name}")
    source = f"band {own_name} of {found.sensor}"
    facts = facts.put("bands", (found.common_name or found.name,), Origin.DECLARED, source)
    if found.centre is not None and "wavelength" not in facts:
        facts = facts.put("wavelength", found.centre, Origin.DECLARED, source)
    if found.common_name in ("vv", "vh", "hh", "hv") and "polarisation" not in facts:
        facts = facts.put("polarisation", found.common_name.upper(), Origin.DECLARED, source)
    return facts


def names_band(fact: Fact | None) -> str | None:
    """The band of a raster that has exactly one."""
    return str(fact.value[0]) if fact is not None and isinstance(fact.value, tuple) and len(fact.value) == 1 else None
