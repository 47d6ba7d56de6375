"""Words in brackets behind a noun that name the same again: ``backscatter (gamma nought, linear power)``, ``soil pH
(water)``. They say which quantity is meant, and nothing else; of what they do not name they are never left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace

from knowflow.ground.quantities import quantity_kinds
from knowflow.knowledge.reading_words import words_of
from knowflow.question.reading.chart import Entity

_RADAR, _DECIBELS = "radar", "_db"
_JOINED = 2  # less what is named twice costs: nothing else is meant by it
_BETWEEN = frozenset({"of", "in", "the"})


def named_twice(words: Sequence[str], found: Sequence[Entity]) -> Iterator[Entity]:
    """Quantities with the brackets behind them that name the same."""
    notes = {start: words.index(")", start) for start, word in enumerate(words) if word == "(" and ")" in words[start:]}
    for one in found if notes else ():
        end = notes.get(one.end, 0)
        if one.symbol == "QUANTITY" and end and _names(one, words, end, found):
            yield replace(one, end=end + 1, cost=one.cost - _JOINED)


def _names(one: Entity, words: Sequence[str], end: int, found: Sequence[Entity]) -> bool:
    """Whether all that stands up to the closing bracket names the quantity, alone or with the noun before it."""
    said = _bag(words[one.start : one.end]) | _bag(words[one.end + 1 : end])
    kind = quantity_kinds().get(one.value.kind)
    if kind is not None and any(_bag(words_of(name)) == said for name in kind.synonyms):
        return True
    reached = {one.end + 1}
    for start in range(one.end + 1, end):
        if start in reached:
            reached |= {other.end for other in found if other.start == start and _is_name(other, one.value.kind)}
    return end in reached and end > one.end + 1


def _is_name(other: Entity, kind: str) -> bool:
    if other.symbol == "SCALE":
        own = quantity_kinds().get(kind)
        scale = "decibel" if kind.endswith(_DECIBELS) else "linear"
        return own is not None and own.family == _RADAR and other.value == scale
    return other.symbol == "QUANTITY" and other.value.kind == kind


def _bag(words: Sequence[str]) -> Set[str]:
    return frozenset(words) - _BETWEEN
