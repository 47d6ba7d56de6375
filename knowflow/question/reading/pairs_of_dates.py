"""Layers that are of two dates, as interferograms are: ``of the pair 2019-07-04 to 2019-07-16``. Of pairs that overlap
only the one of these two dates is meant, and no mean of those between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from knowflow.question.operators import Expression, Quantity, with_children
from knowflow.question.reading.chart import Entity
from knowflow.question.reading.order import Thing
from knowflow.question.reading.restricted import during
from knowflow.question.reading.spans import day_and
from knowflow.question.reading.vocabulary import PAIR, TILE
from knowflow.question.times import Times

_CALLED = ("pair", "interferogram", "image pair", "scene pair", "date pair")
_OPENING = ("of", "from", "between")
_JOINING = ("to", "and", "until", "-", "/", "with")


def pairs_said(words: Sequence[str], times: Iterable[Entity]) -> Iterator[Entity]:
    """The pairs of dates that are called so."""
    days: dict[int, list[Entity]] = {}
    for one in times:
        single = isinstance(one.value, Times) and one.value.first == one.value.last is not None
        if one.symbol == "DAY" or (one.symbol == "TIME" and single):
            days.setdefault(one.start, []).append(one)
    for start in range(len(words)):
        at = next((start + len(name.split()) for name in _CALLED if _says(words, start, name)), None)
        if at is not None:
            at += at < len(words) and words[at] in _OPENING
            yield from _pairs_at(words, start, at, days)


def _says(words: Sequence[str], at: int, name: str) -> bool:
    spoken = name.split()
    return list(words[at : at + len(spoken)]) == spoken


def _pairs_at(words: Sequence[str], start: int, at: int, days: dict[int, list[Entity]]) -> Iterator[Entity]:
    for one in days.get(at, ()):
        if one.end < len(words) and words[one.end] in _JOINING:
            for other in days.get(one.end + 1, ()):
                two = _in_order(one, other)
                if two is not None:
                    yield Entity("PAIR_OF_DATES", start, other.end, two)


def _in_order(one: Entity, other: Entity) -> Times | None:
    """From the first of two days to the other, of which the first may have its month and year."""
    if other.symbol != "TIME":
        return None
    two = (one.value, other.value) if one.symbol == "TIME" else day_and(one.value, other.value)
    if two is None or two[0].first is None or two[1].first is None or two[0].first >= two[1].first:
        return None
    return Times(two[0].first, two[1].first)


def of_pair(thing: Thing, when: Times) -> Thing | None:
    """``the coherence of the pair 4 to 16 July 2019``."""
    of_time = during(thing, when)
    return of_time and _with_fact(of_time, (PAIR, str(when)))


def of_tile(thing: Thing, code: str) -> Thing | None:
    """``the elevation of tile N46 E010``."""
    return _with_fact(thing, (TILE, code))


def _with_fact(thing: Thing, fact: tuple[str, str]) -> Thing | None:
    x = having(thing.x, fact)
    return None if x == thing.x else replace(thing, x=x)


def having(x: Expression, fact: tuple[str, str]) -> Expression:
    """A question of data that have a fact, of whatever quantity they are."""
    if isinstance(x, Quantity):
        return x if fact[0] in dict(x.having) else replace(x, having=(*x.having, fact))
    return with_children(x, lambda part: having(part, fact))
