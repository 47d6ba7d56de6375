"""Positions in degrees, however they are written, as one way of saying them: ``longitude 23.4 latitude 57.8``."""

from __future__ import annotations

import re
from collections.abc import Callable

_DEGREES = (
    r"(?P<{0}>[+-]?\d{{1,3}}(?:\.\d+)?)(?:\s*(?:°|º|deg(?:rees?)?\b))?"
    r"(?:\s*(?P<{0}_minutes>\d{{1,2}}(?:\.\d+)?)\s*['′](?:\s*(?P<{0}_seconds>\d{{1,2}}(?:\.\d+)?)\s*(?:[\"″]|''))?)?"
)
_NORTH, _EAST = r"\s*(?P<{0}>(?i:north|south)|[NS])(?![^\W_])", r"\s*(?P<{0}>(?i:east|west)|[EW])(?![^\W_])"
_BEFORE = r"(?P<{0}>[{1}])\s*(?=\d)"
_LATITUDE, _LONGITUDE = r"(?i:lat(?:itude)?)\b", r"(?i:lon(?:g|gitude)?|lng)\b"
_IS, _NEXT = r"\s*(?:[:=]|(?i:of|is)\b)?\s*", r"\s*(?:[,;/]|(?i:and|by)\b)?\s*"
_Y, _X = _DEGREES.format("y"), _DEGREES.format("x")
_MAYBE = r"(?:{0})?"
_LAT = rf"{_LATITUDE}{_IS}{_Y}{_MAYBE.format(_NORTH.format('ns'))}"
_LON = rf"{_LONGITUDE}{_IS}{_X}{_MAYBE.format(_EAST.format('ew'))}"
_WAYS = (
    (rf"{_Y}{_NORTH.format('ns')}", rf"{_X}{_EAST.format('ew')}"),
    (rf"{_BEFORE.format('ns', 'NS')}{_Y}", rf"{_BEFORE.format('ew', 'EW')}{_X}"),
    (_LAT, _LON),
)
"""How a latitude and a longitude are written, each in either order."""
_POSITIONS = tuple(
    re.compile(rf"(?<![\w.]){one}{_NEXT}{other}(?!\.?\d)")
    for north, east in _WAYS
    for one, other in ((north, east), (east, north))
)
_PLACE = r"[A-Z][^\W\d_]+(?:[\s-]+(?:[A-Z][^\W\d_]+|city|town|village|station|site|centre|center|airport|harbour))*"
_CALLED = re.compile(
    rf"\b(?P<at>at|over|in|of|near|for|from|around|above)\s+(?:(?:the|central|downtown)\s+)*(?P<name>{_PLACE})\s*"
    r"(?:,|(?P<open>\())\s*(?P<point>longitude [-+\d.]+ latitude [-+]?\d+(?:\.\d+)?)(?(open)\))"
)
"""A position behind the name of its place: ``over central Milan, longitude 9.19 latitude 45.46``."""
_BACK = frozenset("sw")
_AROUND, _QUARTER, _SIXTY = 180.0, 90.0, 60.0


def with_positions(text: str) -> str:
    """A text with the positions that it tells in degrees written in the one way that they are read in.

    >>> with_positions("NDVI near 57.803 N, 23.403 E in May")
    'NDVI near longitude 23.403 latitude 57.803 in May'
    >>> with_positions("at 33°30'S 18.4°E"), with_positions("at lat 1.5, lon -70")
    ('at longitude 18.4 latitude -33.5', 'at longitude -70 latitude 1.5')
    """
    for position in _POSITIONS:
        text = position.sub(_in_one_way, text)
    return text


def without_their_names(text: str, is_known: Callable[[str], bool]) -> str:
    """A text with positions in the one way, without the names of places that they stand behind, of which no word means
    anything else.

    >>> without_their_names("NO2 at Milan city centre (longitude 9.2 latitude 45.5) in May", lambda word: False)
    'NO2 at longitude 9.2 latitude 45.5 in May'
    """
    return _CALLED.sub(lambda told: told[0] if _means(told["name"], is_known) else f"at {told['point']}", text)


def _means(name: str, is_known: Callable[[str], bool]) -> bool:
    return any(word[0].isupper() and is_known(word) for word in re.split(r"[\s-]+", name))


def _in_one_way(told: re.Match[str]) -> str:
    x, y = _degrees(told, "x", "ew"), _degrees(told, "y", "ns")
    possible = abs(float(x)) <= _AROUND and abs(float(y)) <= _QUARTER
    return f"longitude {x} latitude {y}" if possible else told[0]


def _degrees(told: re.Match[str], name: str, axis: str) -> str:
    """The degrees as they are written, or of so many minutes and seconds; with a minus to the south and the west."""
    said, minutes, seconds = told[name], told[f"{name}_minutes"], told[f"{name}_seconds"]
    if minutes:
        said = f"{float(said) + float(minutes) / _SIXTY + float(seconds or 0) / _SIXTY**2:.6f}".rstrip("0").rstrip(".")
    return f"-{said.lstrip('+')}" if (told[axis] or "")[:1].casefold() in _BACK and float(said) > 0 else said
