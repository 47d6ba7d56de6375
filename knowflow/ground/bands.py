"""What a sensor's bands are called, and where in the spectrum they lie.

The tables are authored (``pkb/bands/*.yaml``). Common names are STAC's (eo extension), except that the three red edges
and the second green are told apart: rededge1..3, green1; radar channels are called by polarisation. A band without a
common name (MODIS 5, ASTER 12) is known by its own name only. Centre wavelengths are nominal, in nm. A sensor that
counts its bands as the usual ones do, and is rare, is ``only_told``: its bands are read where something tells it, and
no names of bands do.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType, UnionType

from knowflow.ground.errors import DocumentError
from knowflow.ground.kept import kept
from knowflow.ground.report import Problem, Problems
from knowflow.ground.resources import resources
from knowflow.ground.yamldoc import Document, load

COMMON_NAMES: tuple[str, ...] = (
    *("coastal", "blue", "green", "green1", "yellow", "red", "pan", "rededge1", "rededge2", "rededge3"),
    *("nir", "nir08", "nir09", "cirrus", "swir16", "swir22", "lwir", "lwir11", "lwir12"),
    *("vv", "vh", "hh", "hv"),
)
# other people's words for the same bands, as `_plain` compares them (green05, rededge071..078 are STAC 2)
_SYNONYMS: Mapping[str, str] = MappingProxyType(
    {
        "coastalaerosol": "coastal",
        "green5": "green1",
        "rededge71": "rededge1",
        "rededge75": "rededge2",
        "rededge78": "rededge3",
        "panchromatic": "pan",
        "nearinfrared": "nir",
        "narrownir": "nir08",
        "nirnarrow": "nir08",
        "watervapour": "nir09",
        "watervapor": "nir09",
        "swir1": "swir16",
        "swir2": "swir22",
    }
)
# bands that may stand in for another, best first: close enough that formulas are used with either
_SUBSTITUTES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"nir": ("nir08",), "nir08": ("nir",), "lwir": ("lwir11", "lwir12"), "lwir11": ("lwir",)}
)
_ALIKE = 0.02  # by how much a pixel's side on the ground may differ from the nominal one
_SENSOR_KEYS = frozenset({"sensor", "title", "aliases", "source", "only_told", "bands"})
_BAND_KEYS = frozenset({"name", "common", "centre", "resolution", "aliases"})


@dataclass(frozen=True, slots=True)
class Band:
    """One band of a sensor: ``centre`` in nm (None for radar), ``resolution`` in m at nadir."""

    sensor: str
    name: str
    common_name: str | None
    centre: float | None
    resolution: float
    aliases: tuple[str, ...] = ()
    only_told: bool = False


def band(sensor: str, name: str) -> Band | None:
    """The band of that name (or alias, or common name) of a sensor; None when sensor or band is not known.

    Spelling is forgiving: ``"S2A"``, ``"sentinel-2a"``; ``"B4"``, ``"B04"``, ``"b04"``.
    """
    table = _tables().get(_plain(sensor))
    return None if table is None else table.get(_plain(name))


def sensor_bands(sensor: str) -> tuple[Band, ...]:
    """All bands of a sensor in its own order; empty when the sensor is not known."""
    table = _tables().get(_plain(sensor), {})
    return tuple(dict.fromkeys(table.values()))


def sensors_with(names: Sequence[str], pixel: float | None = None) -> tuple[str, ...]:
    """The sensors that have bands of all these names of their own; where ``pixel`` (m) is given, those of them that see
    one of these bands at that size, if any does.

    Names that count from 1 (``B1, B2, B3``) are those of any file: no sensor is told by them.
    """
    plain = [_plain(name) for name in names]
    if len(set(plain)) < 2 or all(re.fullmatch(rf"b(and)?{n}", name) for n, name in enumerate(plain, start=1)):
        return ()
    found: dict[str, list[Band]] = {}
    for table in _tables().values():
        bands = [table.get(name) for name in plain]
        own = [one for one, name in zip(bands, plain, strict=True) if one and _plain(one.common_name or "") != name]
        if len(own) == len(plain) and not own[0].only_told:
            found[own[0].sensor] = own
    sizes = {sensor: [one.resolution for one in own] for sensor, own in found.items()}
    seen = [sensor for sensor in sizes if pixel and any(abs(size / pixel - 1) < _ALIKE for size in sizes[sensor])]
    return tuple(seen or found)


def common_name(name: str) -> str | None:
    """The common name of a band whose sensor is not known; None where sensors disagree (``"B4"``) or none has it."""
    plain = _plain(name)
    if plain in COMMON_NAMES:
        return plain
    if plain in _SYNONYMS:
        return _SYNONYMS[plain]
    meanings = {table[plain].common_name for table in _tables().values() if plain in table}
    return meanings.pop() if len(meanings) == 1 else None


def called_twice(text: str) -> str | None:
    """The name of a band before, or in brackets behind, words that say the same: ``B08 near infrared``, ``red (B04)``.
    None where a text is no such pair, or the two are not of one band of any sensor."""
    words = re.sub(r"[()\[\]:,/_-]", " ", text).split()
    for at in range(1, len(words)):
        for code, told in ((words[:at], words[at:]), (words[at:], words[:at])):
            name, common = " ".join(code), common_name(" ".join(told))
            tables = _tables().values() if common and any(letter.isdigit() for letter in name) else ()
            if any((one := table.get(_plain(name))) and one.common_name == common for table in tables):
                return name
    return None


@kept()
def sensor_spellings() -> Mapping[str, str]:
    """Every name and alias of a sensor as authored, with the sensor's own name."""
    found: dict[str, str] = {}
    for resource in resources("pkb", "bands/**/*.yaml"):
        data = load(resource.path).data
        for entry in data if isinstance(data, list) else []:
            for spelling in (entry["sensor"], *entry.get("aliases", ())):
                found.setdefault(str(spelling), str(entry["sensor"]))
    return MappingProxyType(found)


def substitutes(common: str) -> tuple[str, ...]:
    """Common names of bands that may stand in for this one, best first; using one is worth telling the user."""
    return _SUBSTITUTES.get(common, ())


def validate_bands() -> tuple[Problem, ...]:
    """Everything that is wrong with the band tables, with file and line."""
    problems = Problems()
    for resource in resources("pkb", "bands/**/*.yaml"):
        problems.extend(_check(load(resource.path)))
    return tuple(problems)


@kept()
def _tables() -> Mapping[str, Mapping[str, Band]]:
    """Sensor spelling -> band spelling -> band; the stronger layer's sensor wins whole."""
    problems = validate_bands()
    if problems:
        raise DocumentError("the band tables are not valid", problems=problems)
    tables: dict[str, Mapping[str, Band]] = {}
    for resource in resources("pkb", "bands/**/*.yaml"):
        data = load(resource.path).data
        for entry in data if isinstance(data, list) else []:
            table = _table(entry)
            for spelling in (entry["sensor"], *entry.get("aliases", ())):
                tables.setdefault(_plain(spelling), table)
    return MappingProxyType(tables)


def _table(entry: dict[str, object]) -> Mapping[str, Band]:
    """The bands of one authored sensor under all their spellings; its own names win over common names."""
    listed = entry["bands"]
    bands = [
        Band(
            sensor=str(entry["sensor"]),
            name=item["name"],
            common_name=item.get("common"),
            centre=item.get("centre"),
            resolution=item["resolution"],
            aliases=tuple(item.get("aliases", ())),
            only_told=bool(entry.get("only_told", False)),
        )
        for item in (listed if isinstance(listed, list) else [])
    ]
    table: dict[str, Band] = {}
    for one in bands:
        for spelling in (one.name, *one.aliases):
            table.setdefault(_plain(spelling), one)
    for one in bands:
        if one.common_name:
            table.setdefault(_plain(one.common_name), one)
    for synonym, common in _SYNONYMS.items():
        if common in table:
            table.setdefault(synonym, table[common])
    return MappingProxyType(table)


@lru_cache(maxsize=1024)
def _plain(name: str) -> str:
    """A name as `_plain` compares them (green05, rededge071..078 are STAC 2), band numbers without leading zeros."""
    letters = re.sub(r"[^a-z0-9+]", "", name.casefold())
    return re.sub(r"(?<![0-9])0+(?=[0-9])", "", letters)


def _check(document: Document) -> Problems:
    problems = Problems(document.problems)
    if document.problems:
        return problems
    if not isinstance(document.data, list):
        problems.add(document.problem((), "wrong_type", "a list of sensors", type(document.data).__name__))
        return problems
    for index, entry in enumerate(document.data):
        if not isinstance(entry, dict):
            problems.add(document.problem((index,), "wrong_type", "a mapping with 'sensor'", repr(entry)))
            continue
        _check_keys(document, (index,), entry, _SENSOR_KEYS, {"sensor": str, "title": str, "bands": list}, problems)
        listed = entry.get("bands")
        for number, item in enumerate(listed if isinstance(listed, list) else []):
            path = (index, "bands", number)
            if not isinstance(item, dict):
                problems.add(document.problem(path, "wrong_type", "a mapping with 'name'", repr(item)))
                continue
            _check_keys(document, path, item, _BAND_KEYS, {"name": str, "resolution": int | float}, problems)
            common = item.get("common")
            if common is not None and common not in COMMON_NAMES:
                expected = f"one of {', '.join(COMMON_NAMES)}"
                problems.add(document.problem((*path, "common"), "unknown_name", expected, repr(common)))
            centre = item.get("centre")
            if centre is not None and not (isinstance(centre, int | float) and 300 <= centre <= 20_000):
                expected = "a wavelength in nm, 300..20000"
                problems.add(document.problem((*path, "centre"), "out_of_range", expected, repr(centre)))
    return problems


def _check_keys(
    document: Document,
    path: tuple[str | int, ...],
    entry: Mapping[str, object],
    allowed: frozenset[str],
    required: Mapping[str, type | UnionType],
    problems: Problems,
) -> None:
    for key in entry:
        if key not in allowed:
            expected = f"one of {', '.join(sorted(allowed))}"
            problems.add(document.problem((*path, key), "unknown_key", expected, repr(key)))
    for key, kind in required.items():
        if not isinstance(entry.get(key), kind):
            problems.add(document.problem((*path, key), "missing_field", f"'{key}'", repr(entry.get(key))))
    aliases = entry.get("aliases", [])
    if not (isinstance(aliases, list) and all(isinstance(alias, str) for alias in aliases)):
        problems.add(document.problem((*path, "aliases"), "wrong_type", "a list of names", repr(aliases)))
