"""Landsat metadata (``*_MTL.json``, ``.txt`` or ``.xml``): scale and offset of every band.

Level 2 states them for reflectance and temperature. Level 1 states those of top-of-atmosphere reflectance without the
sun's height, so both are divided by the sine of the sun's elevation, and those of radiance for thermal bands, with the
constants K1 and K2 that turn radiance into brightness temperature. Collection 1 has the same keys in groups of other
names.
Source: Landsat 8-9 Collection 2 Level 1 data format control book, LSDS-1822, section 4; of Collection 1 LSDS-809.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from knowflow.ground.errors import UnreadableDataError
from knowflow.ground.json_text import json_value
from knowflow.model.facts import Facts, Origin
from knowflow.reason.inventory.band_names import canonical_sensor
from knowflow.reason.inventory.dates import iso_datetime

METADATA = re.compile(r"(?P<product>L[COTE](?:0[4-9]_|[4-8]).+)_MTL\.(json|txt|xml)", re.IGNORECASE)
ALONE = re.compile(r".*MTL(?:[ (_-].*)?\.(?:json|txt|xml)", re.IGNORECASE)
"""What a renamed copy is called."""
Groups = Mapping[str, Mapping[str, str]]

_ATTRIBUTES = ("PRODUCT_METADATA", "IMAGE_ATTRIBUTES")
_LEVEL1 = ("RADIOMETRIC_RESCALING", "LEVEL1_RADIOMETRIC_RESCALING")
_CONSTANTS = ("THERMAL_CONSTANTS", "TIRS_THERMAL_CONSTANTS", "LEVEL1_THERMAL_CONSTANTS")
_REFLECTIVE = 7  # bands of reflectance at the surface
_RADIANCE_UNIT = "W m-2 sr-1 um-1"


def read_mtl(path: Path) -> Groups:
    """Group -> key -> text. Raises ``UnreadableDataError`` for a file that is not Landsat metadata."""
    readers = {".json": _from_json, ".xml": _from_xml, ".txt": _from_text}
    try:
        groups = readers[path.suffix.casefold()](path.read_bytes().decode("utf-8-sig"))
    except (OSError, ValueError, ElementTree.ParseError, AttributeError) as error:
        raise _unreadable(path, str(error)) from error
    if not _of(groups, _ATTRIBUTES):
        raise _unreadable(path, f"the groups {', '.join(list(groups)[:5]) or 'none'}")
    return groups


def mtl_facts(groups: Groups, name: Mapping[str, str], source: str) -> Facts:
    """What the metadata say of one file of the product; ``name`` holds the groups of its name (layer, band, level)."""
    attributes = _of(groups, _ATTRIBUTES)
    clouds = _number(attributes.get("CLOUD_COVER"))
    spacecraft = attributes.get("SPACECRAFT_ID")
    day, time = attributes.get("DATE_ACQUIRED", ""), attributes.get("SCENE_CENTER_TIME", "")
    facts = Facts.of(
        Origin.DECLARED,
        source,
        datetime=iso_datetime(f"{day}T{time.strip(chr(34))[:8]}" if time else day),
        cloud_fraction=None if clouds is None or clouds < 0 else clouds / 100,
        sensor=canonical_sensor(spacecraft) if spacecraft else None,
        sun_elevation=_number(attributes.get("SUN_ELEVATION")),
        sun_azimuth=_number(attributes.get("SUN_AZIMUTH")),
    )
    layer, band = name.get("layer", "").upper(), name.get("band", "").upper().removeprefix("B")
    of_surface = groups.get("LEVEL2_SURFACE_REFLECTANCE_PARAMETERS")
    renamed = "level" not in name and layer.removeprefix("B") == band
    if renamed and of_surface and band.isdigit() and int(band) <= _REFLECTIVE:
        kind = Facts.of(Origin.DECLARED, source, quantity="surface_bidirectional_reflectance", unit="1")
        return _scaled(of_surface, f"REFLECTANCE_{{}}_BAND_{band}", source).over(kind).over(facts)
    if layer.startswith("SR_B"):
        said = groups.get("LEVEL2_SURFACE_REFLECTANCE_PARAMETERS", {})
        return _scaled(said, f"REFLECTANCE_{{}}_BAND_{band}", source).over(facts)
    if layer.startswith("ST_B"):
        said = groups.get("LEVEL2_SURFACE_TEMPERATURE_PARAMETERS", {})
        return _scaled(said, f"TEMPERATURE_{{}}_BAND_{layer}", source).over(facts)
    level = name.get("level") or attributes.get("DATA_TYPE", "")
    if band and layer.removeprefix("B") == band and level.upper().startswith("L1"):
        return _level1(groups, band, source).over(facts)
    return facts


def _level1(groups: Groups, band: str, source: str) -> Facts:
    said, constants = _of(groups, _LEVEL1), _of(groups, _CONSTANTS)
    k1, k2 = (_number(constants.get(f"{name}_CONSTANT_BAND_{band}")) for name in ("K1", "K2"))
    if k1 is not None and k2 is not None:
        thermal = Facts.of(
            Origin.DECLARED, source, quantity="toa_radiance", unit=_RADIANCE_UNIT, thermal_constants=(k1, k2)
        )
        return thermal.over(_scaled(said, f"RADIANCE_{{}}_BAND_{band}", source))
    elevation = _number(_of(groups, _ATTRIBUTES).get("SUN_ELEVATION"))
    facts = _scaled(said, f"REFLECTANCE_{{}}_BAND_{band}", source)
    if elevation is None or elevation <= 0 or "scale" not in facts:
        return Facts()
    height = math.sin(math.radians(elevation))
    return Facts.of(
        Origin.DECLARED,
        f"{source}, sun elevation {elevation:g} degrees",
        quantity="toa_bidirectional_reflectance",
        unit="1",
        scale=facts.value("scale") / height,
        offset=facts.value("offset", 0.0) / height,
    )


def _of(groups: Groups, names: tuple[str, ...]) -> dict[str, str]:
    """What groups say together, whatever a collection calls them."""
    return {key: value for name in names for key, value in groups.get(name, {}).items()}


def _scaled(said: Mapping[str, str], pattern: str, source: str) -> Facts:
    scale, offset = (_number(said.get(pattern.format(word))) for word in ("MULT", "ADD"))
    return Facts.of(Origin.DECLARED, source, scale=scale, offset=offset)


def _from_json(text: str) -> Groups:
    (root,) = json_value(text).values()
    return {group: {key: str(value) for key, value in values.items()} for group, values in root.items()}


def _from_xml(text: str) -> Groups:
    root = ElementTree.fromstring(text)
    return {group.tag: {item.tag: (item.text or "").strip() for item in group} for group in root}


def _from_text(text: str) -> Groups:
    """The Object Description Language that the text form is written in: ``GROUP = X``, ``KEY = VALUE``."""
    groups: dict[str, dict[str, str]] = {}
    open_groups: list[str] = []
    for line in text.splitlines():
        key, equals, value = (part.strip() for part in line.partition("="))
        if not equals:
            continue
        if key == "GROUP":
            open_groups.append(value)
        elif key == "END_GROUP":
            open_groups = open_groups[:-1]
        elif open_groups:
            groups.setdefault(open_groups[-1], {})[key] = value.strip('"')
    return groups


def _number(text: Any) -> float | None:
    try:
        return float(text)
    except (TypeError, ValueError):
        return None


def _unreadable(path: Path, found: str) -> UnreadableDataError:
    return UnreadableDataError(
        f"{path.name} cannot be read",
        where=str(path),
        expected="the metadata of a Landsat product",
        found=found,
        hint="download the product's MTL file again",
    )
