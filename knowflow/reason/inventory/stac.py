"""STAC items beside the files they describe: dates, bands, scale and unit of each asset.

Source: STAC 1.0 and 1.1 item specification with the eo, raster and proj extensions (https://github.com/stac-extensions).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from knowflow.ground.json_text import json_value
from knowflow.model.facts import Facts, Origin
from knowflow.reason.inventory.band_names import canonical_sensor
from knowflow.reason.inventory.crs import canonical_or_none
from knowflow.reason.inventory.dates import iso_datetime
from knowflow.reason.inventory.sentinel_safe import stored_by_baseline
from knowflow.reason.inventory.tags import unit_of

_LARGEST = 8_000_000
_BASELINE = re.compile(r"(\d\d)\.(\d\d)")


def read_item(path: Path) -> Mapping[str, Any] | None:
    """The STAC item in a JSON file; None where it is something else, or unreadable."""
    try:
        if path.stat().st_size > _LARGEST:
            return None
        data = json_value(path.read_bytes())
    except (OSError, ValueError):
        return None
    if isinstance(data, dict) and data.get("type") == "Feature" and "stac_version" in data:
        return data
    return None


def is_catalogue(path: Path) -> bool:
    """Whether a JSON file is a STAC catalogue or collection."""
    try:
        data = json_value(path.read_bytes()) if path.stat().st_size <= _LARGEST else None
    except (OSError, ValueError):
        return False
    return isinstance(data, dict) and "stac_version" in data and data.get("type") in ("Catalog", "Collection")


def assets_by_file(item: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """File name -> asset."""
    assets = item.get("assets")
    found: dict[str, Mapping[str, Any]] = {}
    for asset in assets.values() if isinstance(assets, dict) else ():
        if isinstance(asset, dict) and isinstance(asset.get("href"), str):
            found[PurePosixPath(asset["href"].split("?")[0]).name] = asset
    return found


def names_of(item: Mapping[str, Any]) -> str:
    """What an item and its collection are called, as folders that a file may lie in."""
    properties = _mapping(item.get("properties"))
    names = (item.get("collection"), properties.get("sentinel:product_id"), item.get("id"))
    return "/".join(name.replace("/", "_") for name in names if isinstance(name, str) and name)


def item_facts(item: Mapping[str, Any], asset: Mapping[str, Any], band: int | None, source: str) -> Facts:
    """What an item declares of one of its assets; ``band`` (1-based) of an asset with several."""
    properties = _mapping(item.get("properties"))
    described = _described_band(asset, band)
    said = {**properties, **asset, **described}
    clouds = _number(properties.get("eo:cloud_cover"))
    wavelength = _number(_first(said, "eo:center_wavelength", "center_wavelength"))
    unit = said.get("unit")
    platform = said.get("platform")
    common = _first(described, "eo:common_name", "common_name")
    level, orbit = _text(said.get("processing:level")), said.get("sat:orbit_state")
    scale, offset = (_number(_first(described, f"raster:{name}", name)) for name in ("scale", "offset"))
    if scale is None and offset is None and common is not None:
        scale, offset = _by_baseline(properties)
    return Facts.of(
        Origin.DECLARED,
        f"STAC item {source}",
        level=None if level is None else level.upper(),
        orbit=orbit if orbit in ("ascending", "descending") else None,
        datetime=_moment(properties),
        span=_span(properties),
        crs=_crs(said),
        scale=scale,
        offset=offset,
        nodata=_nodata(_first(said, "nodata", "raster:nodata")),
        unit=unit_of(unit) if isinstance(unit, str) else None,
        band=_text(described.get("name")) or _text(common),
        bands=(common,) if isinstance(common, str) else None,
        wavelength=None if wavelength is None else wavelength * 1000,
        classes=_classes(said.get("classification:classes")),
        sensor=canonical_sensor(platform) if isinstance(platform, str) else None,
        cloud_fraction=None if clouds is None else clouds / 100,
        sun_elevation=_number(properties.get("view:sun_elevation")),
        sun_azimuth=_number(properties.get("view:sun_azimuth")),
    )


def _by_baseline(properties: Mapping[str, Any]) -> tuple[float | None, float | None]:
    """The scale and offset of Sentinel-2 where an item tells the processing baseline, and not that it took them out."""
    told = _BASELINE.fullmatch(str(properties.get("s2:processing_baseline", "")))
    if told is None or properties.get("earthsearch:boa_offset_applied"):
        return None, None
    return stored_by_baseline(int(told[1]) * 100 + int(told[2]))


def placed(item: Mapping[str, Any], asset: Mapping[str, Any]) -> tuple[str | None, tuple[float, ...] | None]:
    """CRS and transform that an item declares of one of its assets; a transform only where the asset itself has it."""
    numbers = asset.get("proj:transform")
    listed = numbers if isinstance(numbers, list) and len(numbers) in (6, 9) else []
    known = [number for one in listed[:6] if (number := _number(one)) is not None]
    return _crs({**_mapping(item.get("properties")), **asset}), tuple(known) if len(known) == 6 else None


def _described_band(asset: Mapping[str, Any], band: int | None) -> Mapping[str, Any]:
    """The description of one band, of STAC 1.1 (``bands``) or of the older eo and raster extensions."""
    merged: dict[str, Any] = {}
    for name in ("eo:bands", "raster:bands", "bands"):
        listed = asset.get(name)
        if not isinstance(listed, list) or not listed:
            continue
        if band is None and len(listed) > 1:
            continue
        index = (band or 1) - 1
        if index < len(listed):
            merged |= _mapping(listed[index])
    return merged


def _moment(properties: Mapping[str, Any]) -> str | None:
    for name in ("datetime", "start_datetime"):
        text = properties.get(name)
        if isinstance(text, str):
            return iso_datetime(text)
    return None


def _span(properties: Mapping[str, Any]) -> tuple[str, str] | None:
    """The first and the last day of an item that is of several."""
    ends = [properties.get(name) for name in ("start_datetime", "end_datetime")]
    first, last = (iso_datetime(one) if isinstance(one, str) else None for one in ends)
    return None if first is None or last is None or first[:10] == last[:10] else (first[:10], last[:10])


def _crs(said: Mapping[str, Any]) -> str | None:
    code, epsg = said.get("proj:code"), said.get("proj:epsg")
    text = code if isinstance(code, str) else f"EPSG:{epsg}" if isinstance(epsg, int) else None
    return None if text is None else canonical_or_none(text)


def _first(said: Mapping[str, Any], *names: str) -> Any:
    return next((said[name] for name in names if said.get(name) is not None), None)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _classes(listed: Any) -> tuple[tuple[int, str], ...] | None:
    """The classes of the classification extension: a value and a name or description each."""
    found: dict[int, str] = {}
    for one in listed if isinstance(listed, list) else ():
        said = _mapping(one)
        number, name = _number(said.get("value")), _text(_first(said, "title", "description", "name"))
        if number is not None and number.is_integer() and name is not None:
            found[int(number)] = name
    return tuple(sorted(found.items())) or None


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _nodata(value: Any) -> float | None:
    return float("nan") if value == "nan" else _number(value)
