"""Units that are written of several: ``µmol/m2``, ``W m-2``, ``m3/m3``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from knowflow.ground.units import known, normalise
from knowflow.knowledge.words import Token

_ONE = r"[°µμ]?[A-Za-z]+(?:\^?[23])?"
_OF_SEVERAL = re.compile(rf"{_ONE}(?:/{_ONE})+|{_ONE}(?: {_ONE})*(?: [A-Za-z]+\^?-[1-9])+")
_MIXED = re.compile(r"[a-z]+[A-Z][A-Za-z]*|[GMT](?:W|J|Wh|Pa|t)")  # hPa, dS, MW: no word of a sentence
_EACH = re.compile(r" an? (?=(?:year|month|week|day|hour|minute|second)$)")
_MOST_WORDS = 8
_OF_AREA = {
    **{
        f"{word} {'metre' if uk else 'meter'}": f"m{power}"
        for word, power in (("square", 2), ("cubic", 3))
        for uk in (0, 1)
    },
    "square kilometre": "km2",
    "square kilometer": "km2",
    "hectare": "ha",
    "metre": "m",
    "meter": "m",
    "litre": "L",
    "second": "s",
    "hour": "hour",
    "yr": "year",
}


def said_units(text: str, words: Sequence[Token]) -> Iterator[tuple[int, int, str]]:
    """The units of several parts in a text, each with the words that it is written in, as ``normalise`` spells it."""
    for start, first in enumerate(words):
        if _MIXED.fullmatch(first.text) and known(first.text):
            yield start, start + 1, normalise(first.text)
        for end in range(start + 2, min(start + _MOST_WORDS, len(words)) + 1):
            said = _EACH.sub(" per ", text[first.start : words[end - 1].end])
            said = _spelled(said) if " per " in said else said
            if _OF_SEVERAL.fullmatch(said) and known(said):
                yield start, end, normalise(said)


def _spelled(said: str) -> str:
    """``mg per cubic metre`` as ``mg/m3``: each of its units as it is known."""
    top, _, below = said.partition(" per ")
    if top.startswith("degree"):  # which may be of an angle or of warmth
        return ""
    parts = (_OF_AREA.get(below, below), top)
    return f"{parts[1]}/{parts[0]}"
