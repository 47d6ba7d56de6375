"""The days before and after what happened, as the names of layers and the notes of a folder tell them."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from pathlib import PurePath

from knowflow.knowledge.reading_words import reading_words, words_of
from knowflow.knowledge.words import MONTHS
from knowflow.model.artifact import Artifact
from knowflow.question.reading.said_times import said_times
from knowflow.question.reading.vocabulary import AFTER, BEFORE

_LONGEST = 360  # days of what is no year
_SIDE = r"(?P<said>before|after|pre|post)"
_AT = (
    re.compile(rf"\b{_SIDE}\s*\((?P<day>[^()]*)\)", re.IGNORECASE),
    re.compile(rf"\b{_SIDE}\s*[=:]\s*(?P<day>[^(),;.\n]*\d[^(),;.\n]*)", re.IGNORECASE),
    re.compile(rf"(?P<day>[^(),;.\n]*\d[^(),;.\n=]*)=\s*(?:shortly\s+)?{_SIDE}\b", re.IGNORECASE),
)
"""``before (18 July)``, ``pre = 18 July``, ``18 July = before the fire``."""
_TOOK_PLACE = re.compile(
    r"\b(?P<event>[^\W\d_]+)\s+(?:took place|happened|occurred|(?:was|were) (?:done|carried out))\b"
    r"(?P<when>(?:[^.;]|\.(?!\s|$))*)",
    re.IGNORECASE,
)
_IS_OF = re.compile(
    r"(?:^|(?<=\n)|(?<=\.\s))(?P<event>[^\W\d_]+)\s*:\s*(?P<when>\d[^.;\n]*)"
    r"|\bthe (?P<this>[^\W\d_]+) (?:of|on) (?P<day>\d[^.,;\n()]*)",
    re.IGNORECASE,
)
"""``Fire: 3-13 August 2021``, ``before and after the fire of 17 June 2017``."""


def events_of(texts: Iterable[str], rasters: Iterable[Artifact]) -> tuple[date, ...]:
    """The day before and the day after what happened, by the names of layers or else by the texts of notes; none where
    these say several, or one."""
    listed = tuple(rasters)
    return _of_pairs(_named(listed)) or _of_pairs(_noted(texts, listed))


def _of_pairs(told: Iterable[tuple[str, date]]) -> tuple[date, ...]:
    found: tuple[set[date], set[date]] = (set(), set())
    for said, day in told:
        found[said in AFTER].add(day)
    return tuple(day for days in found for day in days) if [len(days) for days in found] == [1, 1] else ()


def _named(rasters: Iterable[Artifact]) -> Iterator[tuple[str, date]]:
    for item in rasters:
        words, day = name_words(item), _day_of(item)
        for said in (BEFORE, AFTER):
            if day is not None and any(_stands_by(one, said) for one in words):
                yield said[0], day


def _noted(texts: Iterable[str], rasters: Sequence[Artifact]) -> Iterator[tuple[str, date]]:
    """``before (18 July) and after (2 August)``, ``Dredging took place April - June 2022``: the days of images around
    the event."""
    days = sorted({day for one in rasters if (day := _day_of(one)) is not None})
    for text in texts:
        for told in (one for pattern in _AT for one in pattern.finditer(text)):
            yield from ((told["said"].casefold(), day) for day in days if _is_said(day, told["day"]))
        for event, when in _took_place(text):
            if ("event", None) in reading_words().phrases.get(words_of(event), ()):
                span = _span(when)
                yield from (("before", day) for day in days[::-1] if span and day < span[0])
                yield from (("after", day) for day in days if span and day > span[1])


def _took_place(text: str) -> Iterator[tuple[str, str]]:
    """What notes say that happened, each with its time."""
    yield from ((told["event"], told["when"]) for told in _TOOK_PLACE.finditer(text))
    yield from ((told["event"] or told["this"], told["when"] or told["day"]) for told in _IS_OF.finditer(text))


def _day_of(item: Artifact) -> date | None:
    moment = str(item.fact("datetime") or "")[:10]
    return date.fromisoformat(moment) if len(moment) == len("2022-07-05") else None


def _is_said(day: date, said: str) -> bool:
    """Whether a text is a day, its year told or not."""
    words = words_of(said)
    months = [MONTHS[word] for word in words if word in MONTHS]
    if day.isoformat() in said:
        return True
    if any(when.first == when.last == day for _, _, when in said_times(words)):
        return True
    numbers = {int(word) for word in words if word.isdigit()}
    return months == [day.month] and day.day in numbers and numbers <= {day.day, day.year}


def _span(said: str) -> tuple[date, date] | None:
    """The first and the last day of what a text tells: ``April - June 2022``."""
    words = words_of(said)
    years = {int(word) for word in words if len(word) == len("2022") and word.isdigit()}
    if len(years) != 1:
        return None
    year = years.pop()
    told = [(when.first, when.last) for _, _, when in said_times(words) if when.first and when.last]
    told = [one for one in told if one[0] == one[1]] or [one for one in told if (one[1] - one[0]).days < _LONGEST]
    if any(first == last for first, last in told):
        return min(told)[0], max(told)[1]
    months = [MONTHS[word] for word in words if word in MONTHS]
    told += [(date(year, one, 1), date(year, one, monthrange(year, one)[1])) for one in months]
    return (min(first for first, _ in told), max(last for _, last in told)) if told else None


def _stands_by(word: str, said: Sequence[str]) -> bool:
    """Whether a word of a name says before or after, by itself or of an event: ``pre``, ``prefire``."""
    rest = [word.removeprefix(one) for one in said if word.startswith(one)]
    return "" in rest or any(("event", None) in reading_words().phrases.get((one,), ()) for one in rest)


def name_words(item: Artifact) -> list[str]:
    """The words of the name of a layer's file, in small letters."""
    return PurePath(item.path or item.name).stem.lower().replace("-", "_").split("_")
