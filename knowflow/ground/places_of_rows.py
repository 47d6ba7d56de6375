"""The columns of a table that say where each row is: of degrees, or of a map whose grid their names may tell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import Any, NamedTuple

EAST, NORTH = ("longitude", "lon", "lng", "long"), ("latitude", "lat")
"""What columns of degrees are called, in small letters."""
_LONGITUDES = frozenset(
    {*EAST, "longitud", "longitudine", "lengtegraad", "länge", "laenge", "längengrad", "laengengrad"}
)
_LATITUDES = frozenset({*NORTH, "latitud", "latitudine", "breedtegraad", "breite", "breitengrad"})
"""The same in other languages, and beside other words: ``decimalLongitude``, ``station_lon``, ``lat_wgs84``."""
_EAST = frozenset(
    {"x", "e", "easting", "eastings", "east", "est", "este", "ost", "rechtswert", "rechts", "utme", "utmx"}
)
_NORTH = frozenset({"y", "n", "northing", "northings", "north", "nord", "norte", "hochwert", "hoch", "utmn", "utmy"})
_ALONE = frozenset({"e", "n"})  # which may be nitrogen, or a count: only behind or before the name of a grid
_OF_PLACES = re.compile(
    r"coord\w*|koord\w*|pos|position|point|map|proj|utm|lambert|m|metres?|meters?|gps|wgs84|etrs|etrs89|gk|[1-6]\d[ns]?|1992|2000|epsg"
    r"|2[1-9]\d\d|[3-9]\d{3}|\d{5}"  # numbers of grids, and no years
)
_GRIDS = (
    (re.compile(r"l93|lambert93|rgf93"), "EPSG:2154"),
    (re.compile(r"lv95|ch1903\+?"), "EPSG:2056"),
    (re.compile(r"lv03"), "EPSG:21781"),
    (re.compile(r"osgb|osgb36|bng"), "EPSG:27700"),
    (re.compile(r"rdnew|rd"), "EPSG:28992"),
    (re.compile(r"sweref99tm|sweref"), "EPSG:3006"),
    (re.compile(r"puwg92|pl1992"), "EPSG:2180"),
    (re.compile(r"tm35fin"), "EPSG:3067"),
    (re.compile(r"laea|etrslaea"), "EPSG:3035"),
)
_ZONE = re.compile(r"utm(?P<zone>[1-9]|[1-5]\d|60)(?P<side>[ns])?")
_CODE = re.compile(r"(?:epsg)?(?P<code>32[67]\d\d|258\d\d|269\d\d|2154|27700|28992|3035|2056|21781|3857|31370)")
_TOGETHER = re.compile(r"(?<=\b[xyen])(?=[ck]oord)|(?<=[ck]oord)(?=[xyen]\b)")  # xcoord
_WORDS = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


class Places(NamedTuple):
    """The columns of easting and northing, and their CRS as far as their names tell it."""

    east: str
    north: str
    crs: str | None


def named_places(titles: Iterable[str]) -> Places | None:
    """The columns that are called as places are: degrees first, easting and northing of one grid else; None where none
    are, or more than two are alike.

    >>> named_places(["plot", "x_l93", "y_l93"])
    Places(east='x_l93', north='y_l93', crs='EPSG:2154')
    >>> named_places(["species", "decimalLatitude", "decimalLongitude"])
    Places(east='decimalLongitude', north='decimalLatitude', crs='EPSG:4326')
    >>> named_places(["sample", "X_1992", "Y_1992"])
    Places(east='X_1992', north='Y_1992', crs=None)
    """
    titles = [str(one) for one in titles]
    called = {one.strip().casefold(): one for one in titles}
    degrees = [next((called[one] for one in these if one in called), None) for these in (EAST, NORTH)]
    if degrees[0] is not None and degrees[1] is not None:
        return Places(degrees[0], degrees[1], "EPSG:4326")
    easts, norths = (_of_degrees(titles, axis) for axis in (_LONGITUDES, _LATITUDES))
    both = [rest for rest in easts if rest in norths]
    if len(both) == 1:
        return Places(easts[both[0]], norths[both[0]], "EPSG:4326")
    easts, norths = (dict(_of_axis(called, axis)) for axis in (_EAST, _NORTH))
    both = [rest for rest in easts if rest in norths]
    both = [rest for rest in both if rest != ("",)] if len(both) > 1 else both
    return Places(easts[both[0]], norths[both[0]], _grid(both[0])) if len(both) == 1 else None


def place_columns(columns: Mapping[str, Sequence[Any]]) -> tuple[str, str] | None:
    """The columns of numbers that say where each row is; None where none do.

    >>> place_columns({"station": ["A"], "Lon": ["15.1"], "Lat": ["46.0"]})
    ('Lon', 'Lat')
    """
    found = named_places(columns)
    if found is None or not columns[found.east]:
        return None
    there = (found.east, found.north)
    return there if all(_is_number(value) for name in there for value in columns[name]) else None


def _of_degrees(titles: Iterable[str], axis: frozenset[str]) -> dict[tuple[str, ...], str]:
    """The columns of degrees of an axis, by what else their names say."""
    found: dict[tuple[str, ...], str] = {}
    for name in titles:
        words = [word.casefold() for word in _WORDS.findall(_CAMEL.sub(" ", name))]
        rest = tuple(word for word in words if word not in axis)
        if len(rest) == len(words) - 1:
            found[rest] = name
    return found


def _of_axis(called: Mapping[str, str], axis: frozenset[str]) -> Iterable[tuple[tuple[str, ...], str]]:
    """The columns of an axis: what else their names say, as one word each, and the names."""
    for text, name in called.items():
        words = _WORDS.findall(_TOGETHER.sub(" ", text))
        own = [word for word in words if word in axis]
        rest = tuple(word for word in words if word not in own)
        if len(own) == 1 and all(_is_of_places(word) for word in rest) and (rest or own[0] not in _ALONE):
            yield rest or ("",), name


def _is_of_places(word: str) -> bool:
    shapes = (_OF_PLACES, _ZONE, _CODE, *(shape for shape, _ in _GRIDS))
    return any(shape.fullmatch(word) for shape in shapes)


def _grid(words: Iterable[str]) -> str | None:
    """The CRS that words of a column tell; None where they tell none, or a zone without its hemisphere."""
    for word in words:
        if (zone := _ZONE.fullmatch(word)) is not None and zone["side"]:
            return f"EPSG:{326 if zone['side'] == 'n' else 327}{int(zone['zone']):02}"
        if (code := _CODE.fullmatch(word)) is not None:
            return f"EPSG:{code['code']}"
        for shape, crs in _GRIDS:
            if shape.fullmatch(word):
                return crs
    return None


def _is_number(value: Any) -> bool:
    try:
        return isfinite(float(str(value).replace(",", ".")))
    except ValueError:
        return False
