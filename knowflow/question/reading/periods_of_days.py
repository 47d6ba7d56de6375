"""Data of periods of days, as composites of 8 or 16 days are: what a period is called, and which one is meant."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from itertools import pairwise

from knowflow.knowledge.words import NUMBER_WORDS
from knowflow.question.reading.chart import Entity
from knowflow.question.times import Times

_LENGTHS = range(4, 17)  # days
_PERIODS = frozenset({"period", "periods", "interval", "intervals"})
_CALLED = _PERIODS | {"composite", "composites", "step", "steps", "image", "images"}
_ONE_OF = frozenset({"which", "what", "each", "every", "per", "one", "any", "no", "single", "by"})
_OF = frozenset({"of", "from", "starting", "beginning", "that", "starts", "begins", "on", "the"})
_BEGINS = frozenset({"of", "from", "starting", "beginning", "starts", "begins"})


def length_of_periods(dates: Sequence[date]) -> int:
    """Of how many days data are that are of so many each; 0 of others."""
    gaps = sorted((b - a).days for a, b in pairwise(sorted({*dates})))
    usual = gaps[len(gaps) // 2] if gaps else 0
    return usual if usual in _LENGTHS and 2 * gaps.count(usual) >= len(gaps) else 0


def said_periods(words: Sequence[str], found: Sequence[Entity], dates: Sequence[date]) -> Iterator[Entity]:
    """``in how many of the 8-day periods``, ``which period``; ``the period starting 10 June``, which is its day."""
    length = length_of_periods(dates)
    if not length:
        return
    days = {one.start: one for one in found if one.symbol == "TIME" and _is_day(one.value)}
    for at, word in enumerate(words):
        if word not in _CALLED:
            continue
        start = _counted(words, at, length)
        alone = word in _PERIODS and (word.endswith("s") or words[max(at - 1, 0)] in _ONE_OF)
        if start < at or alone:
            yield Entity("GRAIN", start, at + 1, "date")
        behind = at + 1
        while behind < len(words) and words[behind] in _OF:
            behind += 1
        if behind in days and (start < at or word in _PERIODS) and _BEGINS & {*words[at + 1 : behind]}:
            one = days[behind]
            yield Entity("TIME", start, one.end, one.value, one.cost)


def _counted(words: Sequence[str], at: int, length: int) -> int:
    """Where ``8-day`` begins in front of a word, of data of so many days; else where the word does."""
    if words[max(at - 1, 0)] != "day":
        return at
    start = at - 3 if words[max(at - 2, 0)] == "-" else at - 2
    told = words[start] if start >= 0 else ""
    return start if NUMBER_WORDS.get(told, int(told) if told.isdigit() else 0) == length else at


def _is_day(when: object) -> bool:
    return isinstance(when, Times) and when.first is not None and when.first == when.last
