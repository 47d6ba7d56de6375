"""Comparatives without a number: "2016 was greener than 2015" names a quantity, and asks how it differs."""

from __future__ import annotations

from collections.abc import Sequence

from knowflow.knowledge.phrases import Mention
from knowflow.knowledge.words import Token
from knowflow.reason.language.limits import Limit
from knowflow.reason.language.subjects import Asked, Subject


def comparatives(mentions: Sequence[Mention], limits: Sequence[Limit], pieces: Sequence[Token]) -> tuple[Subject, ...]:
    """The quantities that comparatives outside limits speak of, as usual readings."""
    found = []
    for mention in mentions:
        meaning = mention.of("direction")
        first, past = pieces[mention.first].start, pieces[mention.past - 1].end
        if meaning is None or meaning.entry.quantity is None:
            continue
        if not any(limit.first < past and first < limit.past for limit in limits):
            note = f"{mention.words!r} is read so where no other quantity is named"
            found.append(Subject(meaning.entry.quantity, first, past, mention.words, 0, note=note))
    return tuple(found)


def with_difference(asked: tuple[Asked, ...], compared: Sequence[Subject]) -> tuple[Asked, ...]:
    """What is asked; where nothing else is, the difference between what a comparative compares, before and after it."""
    if asked or not compared:
        return asked
    return (Asked("difference", "analysis", 0, compared[0].words),)
