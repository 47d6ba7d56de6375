"""How high places lie: by the ground there, where nothing else of them is high."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from knowflow.knowledge.reading_words import words_of
from knowflow.question.operators import Expression, Polygons, Quantity
from knowflow.question.reading.chart import Entity
from knowflow.question.reading.order import Thing
from knowflow.question.reading.restricted import within
from knowflow.question.reading.vocabulary import DataWords

_HIGH = frozenset({"height", "elevation", "altitude", "high"})
_IS = ("is", "are", "was", "were")
_LIES = ("lie", "lies", "lay", "lying", "situated", "located")
_PLACES = frozenset(
    {"city", "town", "village", "settlement", "place", "site", "hut", "pass", "peak", "summit", "mountain", "capital"}
)
"""What lies on the ground and is not high itself, as a tower is, and trees are."""


_ENDS = {"lowest": "minimum", "highest": "maximum"}
_SPOTS = ("pixel", "pixels", "cell", "cells", "point", "points", "spot", "patch")


@dataclass(frozen=True, slots=True)
class HowHigh:
    """Asks how high a place lies; ``layers``: of those files alone, whose features are not high themselves."""

    layers: tuple[str | None, ...] | None = None


def how_high(words: Sequence[str], found: Sequence[Entity], data: DataWords) -> Iterator[Entity]:
    """``how high is Quito``, ``at what altitude does it lie``: the ground, where the data tell no other heights."""
    numbers = (word for layer in data.features for name, _, _ in layer.numbers for word in words_of(name))
    kinds = (word for kind in data.quantities - {"elevation"} for word in kind.split("_"))
    if "elevation" in data.quantities and _HIGH.isdisjoint((*numbers, *kinds)):
        own = tuple(layer.name for layer in data.features if not _PLACES.isdisjoint(layer.called))
        for one in found:
            if one.symbol == "how_high":
                plain = words[one.start : one.end][:2] == ["how", "high"] and words[one.end - 1] in _IS
                up = "up" in words[one.start : one.end]
                yield Entity("HOW_HIGH", one.start, one.end, HowHigh(own if plain and not up else None))


def lies_so(words: Sequence[str]) -> Iterator[int]:
    """Where it is said that something lies highest or lowest, and not what is highest there."""
    for at, (verb, word) in enumerate(pairwise(words), 1):
        if verb in _LIES and word in ("highest", "lowest") and words[at + 1 : at + 2] in ([], ["on"], ["in"], ["at"]):
            yield at


def lowest_of(words: Sequence[str], found: Sequence[Entity]) -> Iterator[Entity]:
    """``the lowest snow pixel``: how high it lies, of ground that is no lower or higher by itself."""
    for one in found:
        before, behind = words[max(one.start - 1, 0)], words[one.end : one.end + 1]
        if one.symbol == "GROUND" and before in _ENDS and behind and behind[0] in _SPOTS and one.start:
            yield Entity("END_OF", one.start - 1, one.end + 1, (_ENDS[before], one.value), -2)


def end_of(end: tuple[str, Expression]) -> Thing | None:
    """How high the lowest or highest of some ground lies."""
    of = within(Thing(Quantity("elevation")), end[1])
    return None if of is None else replace(of, statistic="minimum" if end[0] == "minimum" else "maximum")


def lying(words: Sequence[str], found: Sequence[Entity]) -> list[Entity]:
    """Entities with what lies highest on average as that of the ground, and of nothing else."""
    there = {(at, at + 1) for at in lies_so(words) if words[at + 1 : at + 3] == ["on", "average"]}
    kept = [one for one in found if (one.start, one.end) not in there]
    return [*kept, *(Entity("RANKED", start, end, ("elevation", words[start])) for start, end in there)]


def without_distances(words: Sequence[str], found: Sequence[Entity]) -> Iterator[Entity]:
    """Entities but for levels whose number is how far it is: ``over 200 m from a park``."""
    units = {one.start: one.end for one in found if one.symbol == "UNIT"}
    far = {one.start for one in found if one.symbol == "NUM" and _is_from(words, units.get(one.end))}
    yield from (one for one in found if one.symbol != "LEVEL" or one.end not in far)


def _is_from(words: Sequence[str], at: int | None) -> bool:
    return at is not None and words[at : at + 1] in (["from"], ["away"])


def height_of(asked: HowHigh, place: Expression) -> Thing | None:
    """How high a place lies."""
    layers = {place.layer} if isinstance(place, Polygons) else {""}
    fits = asked.layers is None or layers <= {*asked.layers}
    return within(Thing(Quantity("elevation")), place) if fits else None
