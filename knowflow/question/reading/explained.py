"""Words that nothing knows and that what follows explains, in brackets or behind ``i.e.``: a superlative by a measure
that is the most, any other by a condition or by the name of a quantity. What they mean is told, so they are read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from knowflow.question.reading.chart import Entity

STRANGE = ("UNKNOWN", "SUPERLATIVE")
"""Symbols of such words."""


def explained(words: Sequence[str], found: Sequence[Entity]) -> Iterator[Entity]:
    """``the murkiest in August (highest mean chlorophyll)``, ``favourable breeding area (NDVI above 0.2)``."""
    spoken = {place for one in found for place in range(one.start, one.end)}
    scopes = {one.start: one.end for one in found if one.symbol == "SCOPE"}
    notes = {one.start for one in found if one.symbol in ("namely", "open")}
    last = max(notes, default=-1)
    start = 0
    for at in range(len(words) + 1):
        if at < len(words) and at not in spoken:
            if at < last and words[at].endswith("est"):
                yield Entity("SUPERLATIVE", at, at + 1, words[at])
            continue
        if start < at and notes & {at, scopes.get(at, at)}:
            yield Entity("UNKNOWN", start, at, " ".join(words[start:at]))
        start = at + 1
