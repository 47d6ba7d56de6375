"""What the files of a folder tell about each other: whether a word in their names is a place, and what a file may hold
whose name says nothing that is known.

A word that stands for a region (``delta_NDVI_2016-07-01``) may as well be a mark, a product or whoever made the file.
It tells regions apart where the ground differs; where two files of one layer and moment lie on the same ground, it
tells versions apart. Where neither is so, files of one product with the word and without it are one series, and the
word is no region: the word that most of them have is that of all, any other is dropped.
"""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import PurePath
from typing import TypeAlias

from knowflow.model.artifact import Artifact
from knowflow.model.facts import Origin
from knowflow.reason.inventory.evidence import Candidate, Clue, weigh
from knowflow.reason.inventory.grouping import layer_of, product_of
from knowflow.reason.inventory.lore import load_lore
from knowflow.reason.inventory.name_dates import dates_in

Box: TypeAlias = "tuple[float, float, float, float]"
_SAME_GROUND = 0.5  # share of the ground of two extents that both have
_MOST_COMPARED = 32  # versions of one ground; a word of each file's own tells nothing
_HINT = 0.4  # what a word that others have counts: it makes a candidate
_NAME_WORD = re.compile(r"[^\W\d_]{2,}")
_SAYS_NOTHING = frozenset({"plain", "link", "months"})
_NEAR = tuple((right, up) for right in (-1, 0, 1) for up in (-1, 0, 1))


@dataclass(slots=True)
class _Word:
    """The files whose names have a word where a region may stand, on one ground; None: those without such a word."""

    word: str | None
    box: Box
    members: list[int] = field(default_factory=list)
    told: set[Hashable] = field(default_factory=set)  # of which bands and moments they are


@dataclass(slots=True)
class _Ground:
    """Words that lie on one ground, and what they tell together."""

    box: Box
    words: list[_Word]
    told: set[Hashable]


def with_regions_settled(artifacts: Iterable[Artifact]) -> tuple[Artifact, ...]:
    """The artifacts, with a region only where it tells ground or versions apart.

    What nobody knows the place of keeps what its name says. One pass over the files, whatever their number.
    """
    listed = list(artifacts)
    alike: dict[Hashable, list[int]] = {}
    for place, item in enumerate(listed):
        if item.type == "raster" and item.fact("crs") is not None and item.fact("bounds") is not None:
            alike.setdefault((item.fact("crs"), product_of(item)), []).append(place)
    for places in alike.values():
        if len({listed[place].fact("region") for place in places}) > 1:
            for words in _one_ground(_words(listed, places)):
                _settle(listed, words)
    return tuple(listed)


def _words(listed: list[Artifact], places: Iterable[int]) -> list[_Word]:
    """Each word with its files, on every ground that it has; those of most files first."""
    words: dict[Hashable, _Word] = {}
    for place in places:
        item = listed[place]
        region, box = item.fact("region"), tuple(item.fact("bounds"))
        found = words.setdefault((region, box), _Word(region, box))
        found.members.append(place)
        found.told.add((layer_of(item), item.fact("datetime")))
    return sorted(words.values(), key=lambda one: (-len(one.members), one.word is not None, one.word or "", one.box))


def _one_ground(words: list[_Word]) -> Iterator[list[_Word]]:
    """Words on the same ground, together where they tell no layer and moment twice."""
    side = max(max(abs(east - west), abs(north - south)) for west, south, east, north in (one.box for one in words))
    cells: dict[tuple[int, int], list[_Ground]] = {}
    for one in words:
        column, row = _cell(one.box, side or 1.0)
        near = (found for right, up in _NEAR for found in cells.get((column + right, row + up), ()))
        same = (found for found in islice(near, _MOST_COMPARED) if found.told.isdisjoint(one.told))
        home = next((found for found in same if _shared(found.box, one.box) >= _SAME_GROUND), None)
        if home is None:
            cells.setdefault((column, row), []).append(_Ground(one.box, [one], set(one.told)))
        else:
            home.words.append(one)
            home.told |= one.told
    return (found.words for cell in cells.values() for found in cell if len(found.words) > 1)


def _cell(box: Box, side: float) -> tuple[int, int]:
    west, south, east, north = box
    return math.floor((west + east) / 2 / side), math.floor((south + north) / 2 / side)


def _shared(one: Box, other: Box) -> float:
    """The ground that both extents have, of all that they have."""
    west, south, east, north = (
        max(one[0], other[0]),
        max(one[1], other[1]),
        min(one[2], other[2]),
        min(one[3], other[3]),
    )
    both = max(0.0, east - west) * max(0.0, north - south)
    whole = sum((box[2] - box[0]) * (box[3] - box[1]) for box in (one, other)) - both
    return both / whole if whole > 0 else float(one == other)


def _settle(listed: list[Artifact], words: list[_Word]) -> None:
    counts: dict[str | None, int] = {}
    for one in words:
        counts[one.word] = counts.get(one.word, 0) + len(one.members)
    if len(counts) < 2:
        return
    most = max(counts, key=lambda word: counts[word])
    region = most if 2 * counts[most] > sum(counts.values()) else None
    for one in words:
        for place in one.members if one.word != region else ():
            facts = listed[place].facts.without(("region",))
            if region is not None:
                said = f"other files of the same ground; {one.word or 'no word'!r} in its name tells none apart"
                facts = facts.put("region", region, Origin.DERIVED, said)
            listed[place] = listed[place].with_facts(facts)


def candidates_by_siblings(artifacts: Iterable[Artifact]) -> dict[tuple[str, int | None], tuple[Candidate, ...]]:
    """What rasters of unknown quantity may hold by their siblings, by path and band: the quantity of the files whose
    names share a word with theirs, where all files with that word are of one. One pass over the files."""
    rasters = [item for item in artifacts if item.type == "raster" and item.path is not None]
    unknown = [item for item in rasters if item.fact("quantity") is None]
    kinds: dict[str, dict[str, list[str]]] = {}
    for item in rasters if unknown else ():
        if (quantity := item.fact("quantity")) is not None:
            for word in _name_words(item):
                kinds.setdefault(word, {}).setdefault(str(quantity), []).append(PurePath(str(item.path)).name)
    found = {}
    for item in unknown:
        words: dict[str, list[str]] = {}
        for word in sorted(_name_words(item)):
            if len(quantities := kinds.get(word, {})) == 1:
                words.setdefault(next(iter(quantities)), []).append(word)
        if words:
            clues = (
                Clue("quantity", kind, _said_by(some, kinds[some[0]][kind]), _HINT) for kind, some in words.items()
            )
            _, found[str(item.path), item.band] = weigh(clues)
    return found


def _said_by(words: Iterable[str], files: list[str]) -> str:
    named = " and ".join(repr(word) for word in words)
    return f"{named} in its name, as in that of {files[0]}" + (f" and {len(files) - 1} more" if files[1:] else "")


def _name_words(item: Artifact) -> set[str]:
    """The words of a name without those of its dates, and those that say nothing wherever they stand."""
    rest, known = dates_in(PurePath(str(item.path)).stem)[0], load_lore().vocabulary
    words = {word.casefold() for word in _NAME_WORD.findall(rest)}
    return {word for word in words if word not in known or known[word].kind not in _SAYS_NOTHING}
