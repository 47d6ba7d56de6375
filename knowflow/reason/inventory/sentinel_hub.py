"""Requests to Sentinel Hub beside the files that answer them (``request.json`` and ``response.tiff``): which bands or
index, of which data and day.

Source: https://docs.sentinel-hub.com/api/latest/evalscript/v3/ and https://sentinelhub-py.readthedocs.io
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from knowflow.ground.bands import band as sensor_band
from knowflow.ground.json_text import json_value
from knowflow.model.facts import Facts, Origin
from knowflow.reason.inventory.dates import iso_datetime

_LARGEST = 1_000_000
_SURFACE, _AT_TOP = "surface_bidirectional_reflectance", "toa_bidirectional_reflectance"
# kinds of data: the sensor, and the quantity of its bands
_DATA: Mapping[str, tuple[str, str]] = {
    "sentinel-2-l2a": ("sentinel-2", _SURFACE),
    "sentinel-2-l1c": ("sentinel-2", _AT_TOP),
    "sentinel-1-grd": ("sentinel-1", "gamma0"),
    "landsat-ot-l1": ("landsat-8", _AT_TOP),
    "landsat-ot-l2": ("landsat-8", _SURFACE),
}
_LAYERS: Mapping[str, Mapping[str, Any]] = {
    "SCL": {"quantity": "scene_classification", "unit": "1"},
    "CLD": {"quantity": "cloud_probability", "unit": "%"},
    "CLP": {"quantity": "cloud_probability", "unit": "1", "scale": 1 / 255},
    "DEM": {"quantity": "elevation", "unit": "m"},
    "dataMask": {"quantity": "valid_mask", "unit": "1"},
}
_NORMALISED: Mapping[tuple[str, str], str] = {
    ("nir", "red"): "ndvi",
    ("nir08", "red"): "ndvi",
    ("green", "nir"): "ndwi",
    ("nir", "swir16"): "ndmi",
    ("nir08", "swir16"): "ndmi",
    ("nir", "swir22"): "nbr",
    ("nir08", "swir22"): "nbr",
}
_RETURNED = re.compile(r"return\s*\[(?P<list>[^\]]*)\]")
_BAND = re.compile(r"\w+\.(?P<name>\w+)")
_DIFFERENCE = re.compile(r"\(\w+\.(\w+)-\w+\.(\w+)\)/\(\w+\.(\w+)\+\w+\.(\w+)\)")
_UNITS = re.compile(r"units\s*:\s*\[?\s*['\"](?P<name>\w+)")


def read_request(path: Path) -> Mapping[str, Any] | None:
    """What is asked for in a JSON file; None where it holds no such request."""
    try:
        data = json_value(path.read_bytes()) if path.stat().st_size <= _LARGEST else None
    except (OSError, ValueError):
        return None
    inner = data.get("request", data) if isinstance(data, dict) else {}
    payload = inner.get("payload", inner) if isinstance(inner, dict) else {}
    asked = payload.get("input") if isinstance(payload, dict) else None
    listed = asked.get("data") if isinstance(asked, dict) else None
    whole = isinstance(listed, list) and listed and isinstance(listed[0], dict)
    return payload if whole and isinstance(payload.get("evalscript"), str) else None


def request_facts(request: Mapping[str, Any], band: int | None, source: str) -> Facts:
    """What a request says of its answer, or of one band (from 1) of it."""
    asked, script = request["input"]["data"][0], request["evalscript"]
    sensor, quantity = _DATA.get(str(asked.get("type")), (None, None))
    found = _told_of(_period(asked), sensor, source)
    returned = _RETURNED.findall(script)
    values = [one.strip() for one in returned[-1].split(",")] if len(set(returned)) == 1 else []
    place = (band or 1) - 1
    if place >= len(values) or (band is None and len(values) > 1):
        return found
    named = _BAND.fullmatch(values[place])
    if named is None:
        index = _index(values[place], sensor)
        return found if index is None else Facts.of(Origin.DECLARED, source, quantity=index, unit="1").over(found)
    name = named["name"]
    if name in _LAYERS:
        return Facts.of(Origin.DECLARED, source, **_LAYERS[name]).over(found)
    said = Facts.of(Origin.DECLARED, source, band=name)
    return _of_band(str(quantity), asked, script, source).over(said).over(found) if quantity else found


def _period(asked: Mapping[str, Any]) -> tuple[str, str] | None:
    chosen = asked.get("dataFilter")
    times = chosen.get("timeRange") if isinstance(chosen, dict) else None
    ends = [iso_datetime(str(times.get(name))) for name in ("from", "to")] if isinstance(times, dict) else []
    return (ends[0][:10], ends[1][:10]) if len(ends) == 2 and ends[0] and ends[1] else None


def _told_of(period: tuple[str, str] | None, sensor: str | None, source: str) -> Facts:
    if sensor is None or period is None:  # heights have no date, whatever is asked
        return Facts.of(Origin.DECLARED, source, sensor=sensor)
    day = period[0] if period[0] == period[1] else None
    return Facts.of(Origin.DECLARED, source, sensor=sensor, datetime=day, span=None if day else period)


def _of_band(quantity: str, asked: Mapping[str, Any], script: str, source: str) -> Facts:
    """The quantity of the bands of some data in the unit that is asked for."""
    unit = _UNITS.search(script)
    if unit is not None and unit["name"] == "BRIGHTNESS_TEMPERATURE":
        return Facts.of(Origin.DECLARED, source, quantity="toa_brightness_temperature", unit="K")
    if quantity == "gamma0":
        told = f"{asked.get('processing')} {script}".upper()
        quantity = "sigma0" if "SIGMA0" in told else "gamma0"
        if "BETA0" in told or "LOG" in told or "DECIBEL" in told:
            return Facts()
    if unit is not None and unit["name"] not in ("REFLECTANCE", "LINEAR_POWER"):
        return Facts()
    return Facts.of(Origin.DECLARED, source, quantity=quantity, unit="1")


def _index(text: str, sensor: str | None) -> str | None:
    """The index that a normalised difference of two bands is."""
    found = _DIFFERENCE.fullmatch(text.replace(" ", ""))
    if found is None or sensor is None or found.groups()[:2] != found.groups()[2:]:
        return None
    bands = [one.common_name if (one := sensor_band(sensor, name)) is not None else None for name in found.groups()[:2]]
    return _NORMALISED.get((str(bands[0]), str(bands[1])))
