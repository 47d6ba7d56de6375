"""Single layers grouped into the scenes and series they belong to."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Hashable, Iterable
from functools import lru_cache
from pathlib import PurePath
from typing import Any

from knowflow.model.artifact import Artifact, band_set, series
from knowflow.model.facts import Facts, Origin
from knowflow.reason.inventory.name_dates import dates_in
from knowflow.reason.inventory.names import name_facts

_SATELLITE = re.compile(r"(sentinel-[123])[a-d]$")
_DATE_ON = re.compile(r"(?:^|(?<=[_ -]))(?:19|20)\d\d?.*$|(?<=[_ -])[12]\d{0,2}$")
_EDGES = " _-.:"
_PAUSES = ",.;:()[]"
_WORDS = re.compile(r"[^\W_]+")
TELLING_APART = ("quantity", "level", "daynight", "polarisation", "orbit", "statistic", "height", "slice", "surface")
"""Facts by which rasters are of different layers, whatever else they have in common: they are never one series."""


def scenes_of(rasters: Iterable[Artifact]) -> tuple[Artifact, ...]:
    """Band sets: layers of one sensor, region, moment and quantity, by band; of a band given twice the finest."""
    groups: dict[Hashable, list[Artifact]] = {}
    for raster in rasters:
        if _band_key(raster) is not None:
            groups.setdefault(_scene_key(raster), []).append(raster)
    return tuple(_scene(members) for members in groups.values())


def series_of(items: Iterable[Artifact]) -> tuple[Artifact, ...]:
    """Series of dated rasters or band sets that differ in nothing but date and grid, in date order.

    Where two would share a date, what names say beside their dates tells series apart, then folders. What shares no
    date and says no more than one mission and level is a series, too, beside that of each: names say more or less, and
    nobody misses a date. So are single rasters of several missions, but not their bands, which see the ground in other
    ways.
    """
    groups: dict[Hashable, list[Artifact]] = {}
    together: dict[Hashable, list[Artifact]] = {}
    for item in items:
        if item.fact("datetime") is not None:
            groups.setdefault(_series_key(item), []).append(item)
            together.setdefault(_looser_key(item), []).append(item)
    found: list[list[Artifact]] = []
    for group in groups.values():
        found += _split(group, (_layer_name, _wording, _folder))
    found += [group for group in together.values() if _told_more_or_less(group)]
    return tuple(
        series(tuple(sorted(group, key=lambda item: (item.fact("datetime"), item.name))), _series_name(group))
        for group in found
    )


def _scene_key(raster: Artifact) -> Hashable:
    moment = raster.fact("datetime")
    # without a date only the name tells one acquisition from another
    place = (_folder(raster), _without_band(raster)) if moment is None else None
    own = raster.path if raster.band is not None else None
    return (own, moment, place, raster.fact("region"), *product_of(raster))


def product_of(raster: Artifact) -> tuple[Hashable, ...]:
    """What the bands of one scene have in common, whatever its moment and ground."""
    return (mission_of(raster), *(raster.fact(name) for name in TELLING_APART if name != "polarisation"))


def _series_key(item: Artifact) -> tuple[Hashable, ...]:
    """What the items of a series have in common; the mission and the type first."""
    return (*layer_of(item), item.fact("region"))


def layer_of(item: Artifact) -> tuple[Hashable, ...]:
    """What files of one layer have in common, whatever their date, ground and resolution; the mission first."""
    return (
        mission_of(item),
        bool(item.members),
        item.type,
        _bands_told(item),
        *(item.fact(name) for name in TELLING_APART),
    )


def _looser_key(item: Artifact) -> Hashable:
    """What the items of a series have in common but for mission and level, which a name may leave out."""
    said = tuple(item.fact(name) for name in (*TELLING_APART, "region") if name != "level")
    return (bool(item.members), item.type, _bands_told(item), *said)


def _bands_told(item: Artifact) -> Hashable:
    """What a raster says of its bands; a description without its date, month or season (``snow depth 2025-01-20``,
    ``chlorophyll, spring mean``), which would tell its dates apart."""
    band = None if item.members else item.fact("band")
    if band is None or item.fact("bands"):
        return None if item.members else item.fact("bands")
    moment = item.fact("datetime")
    if moment is None:
        return " ".join(str(band).split())
    words = dates_in(str(band))[0].split()
    return " ".join(word for word in words if word != str(moment)[:4] and not _is_of_time(word.strip(_PAUSES)))


@lru_cache(maxsize=4096)
def _is_of_time(word: str) -> bool:
    """Whether a word names months and nothing else: ``spring``, ``January``."""
    return {token.kind for token in name_facts(f"{word}.tif", None).tokens} == {"months"}


def _told_more_or_less(group: list[Artifact]) -> bool:
    """Whether items of a known quantity differ in what they say of mission and level alone, and share no date."""
    missions, levels = {mission_of(item) for item in group}, {item.fact("level") for item in group}
    days = [str(item.fact("datetime"))[:10] for item in group]
    if len(missions) + len(levels) < 3 or group[0].fact("quantity") is None or len(set(days)) < len(days):
        return False
    of_bands = any(item.members or _band_key(item) for item in group)
    return len(levels - {None}) < 2 and (not of_bands or len(missions - {None}) < 2)


def mission_of(item: Artifact) -> str | None:
    """Satellites of one mission carry one sensor: their scenes make one series."""
    sensor = item.fact("sensor")
    return None if sensor is None else _SATELLITE.sub(r"\1", str(sensor))


def _band_key(raster: Artifact) -> str | None:
    bands = raster.fact("bands")
    return str(bands[0]) if isinstance(bands, tuple) and len(bands) == 1 else None


def _scene(members: list[Artifact]) -> Artifact:
    by_band: dict[str, Artifact] = {}
    for member in sorted(members, key=_finest_first):
        by_band.setdefault(str(_band_key(member)), member)
    ordered = {name: by_band[name] for name in sorted(by_band, key=lambda name: _wavelength(by_band[name]))}
    bands = Facts.of(Origin.DECLARED, "bands of the scene", bands=tuple(ordered))
    return band_set(ordered, _common_name(list(ordered.values())), bands)


def _finest_first(raster: Artifact) -> tuple[Any, ...]:
    resolution = raster.fact("resolution")
    stated = re.search(r"_(\d\d)m\.", PurePath(raster.path or "").name)
    return (resolution[0] if resolution else float(stated[1]) if stated else 0.0, raster.name)


def _wavelength(raster: Artifact) -> tuple[float, str]:
    return (raster.fact("wavelength") or 1e9, raster.name)


def _split(group: list[Artifact], tellers: tuple[Callable[[Artifact], Hashable], ...]) -> list[list[Artifact]]:
    """The group, told apart by the first teller that has to, until no date occurs twice or no teller is left."""
    dates = [item.fact("datetime") for item in group]
    if len(set(dates)) == len(dates) or not tellers:
        return [group]
    parts: dict[Hashable, list[Artifact]] = {}
    for item in group:
        parts.setdefault(tellers[0](item), []).append(item)
    if len(parts) == len(group) > len(set(dates)) > 1:  # a name of each file's own tells no series
        parts = {None: group}
    return [part for one in parts.values() for part in _split(one, tellers[1:])]


def _layer_name(item: Artifact) -> Hashable:
    return str(item.fact("layer") or "").casefold()


def _wording(item: Artifact) -> Hashable:
    """The name of a file without its dates: ``wind_10m`` and ``wind_100m``, ``ndvi`` and ``ndvi_final``."""
    leaf = next(item.leaves())
    rest, _ = dates_in(PurePath(leaf.path or leaf.name).stem)
    year = str(leaf.fact("datetime"))[:4]  # years alone are no dates to whoever reads words
    return tuple(word for word in _WORDS.findall(rest.casefold()) if word != year)


def _folder(item: Artifact) -> str:
    leaf = next(item.leaves())
    return str(PurePath(leaf.path or "").parent)


def _without_band(raster: Artifact) -> str:
    own = raster.fact("band") or ""
    return raster.name.replace(str(own), "") if own else raster.name


def _series_name(items: list[Artifact]) -> str:
    """What its names have in common without the date, and the band of single-band series."""
    stem = _DATE_ON.sub("", _common_name(items)).strip(_EDGES) if len(items) > 1 else items[0].name
    band = None if items[0].members or len(items) == 1 else _band_key(items[0])
    return " ".join(part for part in (stem or str(items[0].fact("quantity") or ""), band) if part) or items[0].name


def _common_name(items: list[Artifact]) -> str:
    """What the names begin with, shortened to whole words: the scene or layer they are parts of."""
    names = [item.name for item in items]
    if len(names) == 1:
        return names[0]
    same = itertools.takewhile(lambda letters: len(set(letters)) == 1, zip(*names, strict=False))
    prefix = "".join(letters[0] for letters in same)
    if any(len(name) > len(prefix) and name[len(prefix)].isalnum() for name in names):
        prefix = re.sub(r"[A-Za-z0-9]+$", "", prefix)
    return prefix.strip(_EDGES) or str(items[0].fact("quantity") or names[0])
