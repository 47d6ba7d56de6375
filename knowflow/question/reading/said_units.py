"""Units that are written of several: ``µmol/m2``, ``W m-2``, ``m3/m3``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from knowflow.ground.units import known, normalise
from knowflow.knowledge.words import Token

_ONE = r"[°µμ]?[A-Za-z]+(?:\^?[23])?"
_OF_SEVERAL = re.compile(rf"{_ONE}(?:/{_ONE})+|{_ONE}(?: {_ONE})*(?: [A-Za-z]+\^?-[1-9])+")
_MOST_WORDS = 8


def said_units(text: str, words: Sequence[Token]) -> Iterator[tuple[int, int, str]]:
    """The units of several parts in a text, each with the words that it is written in, as ``normalise`` spells it."""
    for start, first in enumerate(words):
        for end in range(start + 2, min(start + _MOST_WORDS, len(words)) + 1):
            said = text[first.start : words[end - 1].end]
            if _OF_SEVERAL.fullmatch(said) and known(said):
                yield start, end, normalise(said)
