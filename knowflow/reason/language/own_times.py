"""What is asked of one time and something else of another: "the mean NDVI in 2016 and the maximum in 2017".

One plan takes the dates of one time. That of both would be the answer to neither: such a question is asked back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from knowflow.model.goal import Ambiguity
from knowflow.reason.language.clauses import Span, within
from knowflow.reason.language.subjects import COMPARING, Asked, Subject

_MADE_OF_BOTH = COMPARING | {"correlation", "anomaly"}
_BESIDE = r"(?:[,;.?!]+|(?:[,;.?!]\s*)?\b(?:and|plus|as well as|but|then|while|whereas)\b)"
_NEXT = re.compile(rf"(?:\s+[\w'-]+){{0,4}}?\s*{_BESIDE}\s*(?:[\w'-]+\s+){{0,4}}", re.IGNORECASE)
_NEXT_TIME = re.compile(rf"\s*{_BESIDE}\s*(?:(?:in|of|for|on|during|over|from|between)\s+(?:the\s+)?)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Head:
    """What is asked, or of what, with its place."""

    first: int
    past: int
    name: str
    is_operation: bool


def own_times(
    text: str, asked: Sequence[Asked], subjects: Sequence[Subject], heard: Iterable[Span], told: Sequence[Span]
) -> tuple[Ambiguity, ...]:
    """The times that are those of something else than is asked before, to be asked back.

    ``heard`` are the places of all dates; ``told`` are sentences that ask nothing.
    """
    if _MADE_OF_BOTH & {one.operation for one in asked}:
        return ()
    times = _apart(place for place in heard if not within(place[0], told))
    heads = [_Head(one.first, one.first + len(one.words), one.operation, True) for one in asked]
    heads += [_Head(one.first, one.past, one.quantity, False) for one in subjects]
    heads = sorted((one for one in heads if not within(one.first, told)), key=lambda one: one.first)
    ends = [0, *(past for _, past in times)]
    starts = [*(first for first, _ in times), len(text)]
    between = [[head for head in heads if past <= head.first < first] for past, first in zip(ends, starts, strict=True)]
    found = []
    for place, (one, other) in enumerate(pairwise(times)):
        before, here, after = between[place : place + 3]
        if here and before and _NEXT.fullmatch(text, one[1], here[0].first):
            first, second = before, here
        elif here and after and not before and _NEXT_TIME.fullmatch(text, here[-1].past, other[0]):
            first, second = here, after
        else:
            continue
        words = text[slice(*one)], text[slice(*other)]
        if words[0].lower() != words[1].lower() and _is_something_else(first, second):
            why = f"is another time than {words[0]!r}, and one answer is for one of them"
            found.append(Ambiguity("period", words[1], (), why=why, hint="a question for each of them"))
    return tuple(found)


def _apart(places: Iterable[Span]) -> list[Span]:
    """The places of times in order, those that share characters as one."""
    found: list[Span] = []
    for first, past in sorted(places):
        if found and first < found[-1][1]:
            found[-1] = found[-1][0], max(past, found[-1][1])
        else:
            found.append((first, past))
    return found


def _is_something_else(one: Sequence[_Head], other: Sequence[_Head]) -> bool:
    """Whether other operations are asked of the one time than of the other, or of other quantities."""
    for kind in (True, False):
        first, second = ({head.name for head in heads if head.is_operation == kind} for heads in (one, other))
        if first and second - first:
            return True
    return False
