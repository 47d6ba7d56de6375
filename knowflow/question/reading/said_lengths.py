"""Times told by a day and how long they are: ``the 16 days from 2020-06-09``, ``the dekad starting 11 May 2020``.

Composites are dated by their first day, so that questions of one name it so. The day that is told is counted.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta

from knowflow.knowledge.words import NUMBER_WORDS
from knowflow.question.reading.chart import Entity
from knowflow.question.times import Times

_DAYS = {"day": 1, "days": 1, "week": 7, "weeks": 7}
PARTS_OF_MONTH = {
    **dict.fromkeys(("dekad", "dekade", "decade", "decad"), 10),
    **dict.fromkeys(("pentad", "pentade"), 5),
}
"""How many days the parts have that months are cut into; the last part has what is left of its month."""
_PERIOD = ("period", "interval", "window", "composite", "span", "compositing")
_FROM = ("from", "starting", "beginning", "commencing", "started", "began", "starts", "begins", "begun")
_UP_TO = ("ending", "ended", "ends")
_AGAIN = frozenset(("to", "until", "till", "through", "up", "-", "and"))
"""Words that go on with a later day, of which the one before is not the whole: ``the three days from 1 May to 3 May``.
"""


def said_lengths(words: Sequence[str], times: Iterable[Entity]) -> Iterator[tuple[int, int, Times, int]]:
    """Times that begin or end on one of the days told, each with its words and what that day costs."""
    days: dict[int, list[Entity]] = {}
    for one in times:
        if isinstance(one.value, Times) and one.value.first is not None and one.value.first == one.value.last:
            days.setdefault(one.start, []).append(one)
    for start in range(len(words)) if days else ():
        found = _length_at(words, start)
        if found is None:
            continue
        length, at = found
        onwards, at = _way_at(words, at)
        for day in days.get(at, ()) if onwards is not None else ():
            first = day.value.first
            when = _so_long(first, length, onwards) if first is not None and onwards is not None else None
            if when is not None and not _AGAIN.intersection(words[day.end : day.end + 1]):
                yield start, day.end, when, day.cost


def part_of_month(which: int, length: int, year: int, month: int) -> Times | None:
    """The third dekad of a month, the sixth pentad, or the last one (-1): the last goes up to the end of the month."""
    parts = 30 // length
    which = parts if which == -1 else which
    if not 1 <= which <= parts:
        return None
    last = monthrange(year, month)[1] if which == parts else which * length
    return Times(date(year, month, (which - 1) * length + 1), date(year, month, last))


def _length_at(words: Sequence[str], start: int) -> tuple[str | int, int] | None:
    """How long a time is that is told at a word, in days or as what it is a part of months, and where that ends."""
    word = words[start]
    if word in PARTS_OF_MONTH or word == "week":
        return (word if word in PARTS_OF_MONTH else 7), _past(words, start + 1, _PERIOD)
    number = NUMBER_WORDS.get(word, int(word) if word.isdigit() and len(word) < 4 else 0)
    at = _past(words, start + 1, ("-",))
    if number < 1 or at >= len(words) or words[at] not in _DAYS:
        return None
    return number * _DAYS[words[at]], _past(words, at + 1, _PERIOD)


def _way_at(words: Sequence[str], at: int) -> tuple[bool | None, int]:
    """Whether a time goes on from a day, or up to it; None where neither is said."""
    at = _past(words, at, ("that", "which"))
    if at >= len(words) or words[at] not in (*_FROM, *_UP_TO):
        return None, at
    return words[at] in _FROM, _past(words, _past(words, at + 1, ("on", "with", "at")), ("the",))


def _past(words: Sequence[str], at: int, skipped: Sequence[str]) -> int:
    return at + 1 if at < len(words) and words[at] in skipped else at


def _so_long(day: date, length: str | int, onwards: bool) -> Times | None:
    """So many days; of a part of a month the one that begins or ends on that day, and none where no part does."""
    if isinstance(length, int):
        other = timedelta(days=length - 1)
        return Times(day, day + other) if onwards else Times(day - other, day)
    each = PARTS_OF_MONTH[length]
    parts = (part_of_month(which + 1, each, day.year, day.month) for which in range(30 // each))
    return next((part for part in parts if part and day == (part.first if onwards else part.last)), None)


def years_between(one: Times, other: Times) -> float | None:
    """The years from the beginning of one time to that of a later one."""
    first, last = one.first, other.first
    if first is None or last is None or first >= last:
        return None
    whole = (first.month, first.day) == (last.month, last.day)
    return float(last.year - first.year) if whole else (last - first).days / 365.25
