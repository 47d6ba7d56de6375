"""Which of two periods or regions is divided by the other: "divide the mean of the wet months by that of the dry ones",
"how many times the rain of Quito is that of Lima"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from knowflow.knowledge.words import stem
from knowflow.model.goal import Period
from knowflow.reason.language.dates import Span, times

_DIVIDED = re.compile(r"\bdivid\w*\s+(?P<what>[^.;?]*?)\s+by\s+(?P<by>[^.;?]*)", re.IGNORECASE)
_TIMES_THAT = re.compile(
    r"\btimes\s+(?:the|an?)\s[^.;?]*?\b(?:is|are|was|were)\s+(?:that|those)\s+(?:of|in|on|at)\b", re.IGNORECASE
)
_AS = re.compile(r"\b(?:than|as)\s+(?:(?:in|at|on|for|over|of|from|during|that|those|the)\s+)*$", re.IGNORECASE)
_RATIO_TO = re.compile(
    r"\b(?:ratio|quotient)\b[^.;?]*\b(?:to|over|and)\s+(?:that|those)\s+(?:(?:in|at|on|for|over|of|from|during|the)\s+)*$",
    re.IGNORECASE,
)
_WORD = re.compile(r"[a-z]{3,}")
# what both sides may be called by
_PLAIN = frozenset(map(stem, ("the", "that", "this", "one", "mean", "average", "value", "total", "sum", "number")))


def divisor_first(text: str, pair: tuple[Period, ...]) -> tuple[Period, ...]:
    """Two periods, the one that the other is divided by first; as they are where the text does not say which.

    A side of the division names its months, or is called as the period was when it was told ("the wet months").
    """
    if len(pair) != 2:
        return pair
    placed = {span.period: span.first for span in times(text).spans if span.period is not None}  # where it is told last
    if set(pair) <= placed.keys() and (base := multiplied(text, [placed[one] for one in pair])) is not None:
        return pair if base == 0 else pair[::-1]
    said = next(reversed(tuple(_DIVIDED.finditer(text))), None)
    if said is None:
        return pair
    named = [_named(text, said.span(side), pair) for side in ("what", "by")]
    if None not in named and named[0] != named[1]:
        return pair if named[1] == 0 else pair[::-1]
    what, by = said["what"].lower(), said["by"].lower()
    told = [_first_told(side, other, text[: said.start()].lower()) for side, other in ((what, by), (by, what))]
    if -1 in told or told[0] == told[1]:
        return pair
    in_text = _in_text(text, pair)
    return in_text[::-1] if told[0] < told[1] else in_text


def multiplied(text: str, told: Sequence[int]) -> int | None:
    """Of two that are told at these places, the one that the other is so many times of; None where it is not said so.

    "As much as in June", "how many times the rain of Quito is that of Lima", "the ratio of May to that of June".
    """
    last = (_AS, _RATIO_TO)
    compared = [place for place, at in enumerate(told) if at > 0 and any(one.search(text[:at]) for one in last)]
    if len(compared) == 1:
        return compared[0]
    return min(range(len(told)), key=lambda place: told[place]) if _TIMES_THAT.search(text) else None


def _named(text: str, side: tuple[int, int], pair: Sequence[Period]) -> int | None:
    """The place of the period that is told on a side of the division: itself, a part of it, or one of its months."""
    told = [span for span in times(text).spans if side[0] <= span.first < side[1]]
    for fits in (_is, _is_in, _is_of_month):
        found = [place for place, one in enumerate(pair) if any(fits(span, one) for span in told)]
        if len(found) == 1:
            return found[0]
    return None


def _is(span: Span, period: Period) -> bool:
    return span.period == period


def _is_in(span: Span, period: Period) -> bool:
    return span.period is not None and period.start <= span.period.start and span.period.end <= period.end


def _is_of_month(span: Span, period: Period) -> bool:
    first, last = (12 * int(end[:4]) + int(end[5:7]) - 1 for end in (period.start, period.end))
    return not {month % 12 + 1 for month in range(first, last + 1)}.isdisjoint(span.months)


def _first_told(side: str, other: str, before: str) -> int:
    """Where a word is told for the first time that only this side of the division is called by; -1 where nowhere."""
    own = [word for word in _WORD.findall(side) if word not in other and stem(word) not in _PLAIN]
    return min((place for word in own if (place := before.find(word)) >= 0), default=-1)


def _in_text(text: str, pair: tuple[Period, ...]) -> tuple[Period, ...]:
    """The two in the order in which they are told."""
    told = [span.period for span in times(text).spans if span.period in pair]
    return pair if not told or told[0] == pair[0] else pair[::-1]
