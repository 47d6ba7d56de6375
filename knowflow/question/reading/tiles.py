"""Tiles by which a question names its data: ``of tile N46 E010``, ``in the tile T32UPU``, ``of h18v04``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from knowflow.knowledge.words import Token
from knowflow.question.reading.chart import Entity
from knowflow.question.reading.vocabulary import DataWords

_SAID = ("tile", "tiles", "granule", "quad")
_CORNER = re.compile(r"([ns])[ _]?0*(\d{1,2})(?:[ _]00)?[ _]?([ew])[ _]?0*(\d{1,3})(?:[ _]00)?")
_POSITION = re.compile(r"longitude (-?)0*(\d{1,3}) latitude (-?)0*(\d{1,2})")
"""How a corner is spelt in sentences, where its letters tell a place."""
_MGRS = re.compile(r"t?(\d\d[a-z]{3})")
_SINUSOIDAL = re.compile(r"h0*(\d{1,2})[ _]?v0*(\d{1,2})")
_BETWEEN = re.compile(r"(?<=[0-9a-z])[-_ ](?=[0-9a-z])")
_MOST_WORDS = 4


def tile_code(text: str) -> str:
    """A tile as it is compared, however it is written: ``N46_00_E010_00``, ``n46e010`` and ``N46 E010`` are one."""
    said = text.strip().lower()
    if (place := _POSITION.fullmatch(said)) is not None:
        west, east, south, north = place.groups()
        said = f"{'s' if south else 'n'}{north}{'w' if west else 'e'}{east}"
    for known, form in ((_CORNER, "{}{}{}{}"), (_MGRS, "{}"), (_SINUSOIDAL, "h{}v{}")):
        found = known.fullmatch(said)
        if found is not None:
            return form.format(*found.groups())
    return _BETWEEN.sub("_", said).replace(" ", "_")


def tiles_said(text: str, kept: Sequence[Token], words: Sequence[str], data: DataWords) -> Iterator[Entity]:
    """The tiles of the data that a text names; without a word for tiles those whose codes are no words or numbers."""
    for start in range(len(words)) if data.tiles else ():
        called = words[start] in _SAID
        first = start + called
        for end in range(first + 1, min(first + _MOST_WORDS, len(words)) + 1):
            code = tile_code(text[kept[first].start : kept[end - 1].end])
            coded = words[first] != "longitude" and not (code.isalpha() or code.replace("_", "").isdigit())
            if code in data.tiles and (called or coded):
                yield Entity("TILE", start, end, code)
