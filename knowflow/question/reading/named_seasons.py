"""Parts of a year by their names: those that the notes of the data tell, and runs of the first letters of months:
``the kiremt of 2021``, ``OND 2019``, ``DJF 2021/22``."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterator, Sequence
from datetime import date

from knowflow.knowledge.words import Token
from knowflow.question.reading.chart import Entity
from knowflow.question.reading.vocabulary import SeasonNamed
from knowflow.question.times import Times

_LETTERS = "JFMAMJJASOND"
_FEWEST, _MOST = 3, 6  # letters of months
_SEASON = "season"
_FALLING = ("rain", "rains")
_YEARS = range(1900, 2101)


def seasons_named(kept: Sequence[Token], words: Sequence[str], told: Sequence[SeasonNamed]) -> Iterator[Entity]:
    """The spans of months that words name, with the year before or behind them. What is called rains names the months
    without that word as well, which says what is measured: the wettest short rains."""
    across = {months for _, months in told if months[0] > months[1]}
    if len(across) == 1:  # 2020/21, the season 2020/21: of the only one that lies in two years
        yield from (Entity("SPAN", *one) for one in _bare(words, across.pop()))
    for start, end, months in (*_letters(kept), *_told(words, told)):
        for first, last, when in _in_years(words, start, end, months):
            yield Entity("SPAN", first, last, when)
        ascending = months[0] < months[1]
        if ascending and end - start > 1 and words[end - 1] in _FALLING:
            yield Entity("SPAN", start, end - 1, Times(month=months[0], until=months[1]))


def _letters(kept: Sequence[Token]) -> Iterator[tuple[int, int, tuple[int, int]]]:
    for at, word in enumerate(kept):
        found = (_LETTERS * 2).find(word.text) if _FEWEST <= len(word.text) <= _MOST else -1
        if found >= 0:
            yield at, at + 1, (found % 12 + 1, (found + len(word.text) - 1) % 12 + 1)


def _told(words: Sequence[str], told: Sequence[SeasonNamed]) -> Iterator[tuple[int, int, tuple[int, int]]]:
    for name, months in told:
        for start in range(len(words) - len(name) + 1):
            if tuple(words[start : start + len(name)]) == name:
                yield start, start + len(name), months


def _in_years(words: Sequence[str], start: int, end: int, months: tuple[int, int]) -> Iterator[tuple[int, int, Times]]:
    """Months of any year, of the one that is told beside them, or across the two that are."""
    first, last = months
    behind = end + (words[end : end + 1] == ["of"])
    if first > last:
        second = _second_year(words, behind)
        if second is not None:
            yield start, second[0], _across(second[1], months)
        before = _second_year(words, start - 3) if start >= 3 else None
        if before is not None:
            yield start - 3, end, _across(before[1], months)
        return
    yield start, end, Times(month=first, until=last)
    if _is_year(words, behind):
        yield start, behind + 1, _of_one(int(words[behind]), months)
    if start and _is_year(words, start - 1):
        yield start - 1, end, _of_one(int(words[start - 1]), months)


def _bare(words: Sequence[str], months: tuple[int, int]) -> Iterator[tuple[int, int, Times]]:
    """Two years that follow each other, with or without ``season`` beside them."""
    for at in range(len(words)):
        second = _second_year(words, at) if words[at + 1 : at + 2] == ["/"] else None
        if second is not None:
            end, when = second[0], _across(second[1], months)
            yield at, end, when
            if words[end : end + 1] == [_SEASON]:
                yield at, end + 1, when
            behind = at - (words[at - 1 : at] == ["of"])
            if behind and words[behind - 1] == _SEASON:
                yield behind - 1, end, when


def _across(second: int, months: tuple[int, int]) -> Times:
    return Times(date(second - 1, months[0], 1), _end_of(second, months[1]))


def _of_one(year: int, months: tuple[int, int]) -> Times:
    return Times(date(year, months[0], 1), _end_of(year, months[1]))


def _end_of(year: int, month: int) -> date:
    return date(year, month, monthrange(year, month)[1])


def _is_year(words: Sequence[str], at: int) -> bool:
    return at < len(words) and len(words[at]) == 4 and words[at].isdigit() and int(words[at]) in _YEARS


def _second_year(words: Sequence[str], at: int) -> tuple[int, int] | None:
    """Where two years end that follow each other (``2021/22``, ``2021-2022``), and the second."""
    if not _is_year(words, at) or words[at + 1 : at + 2] not in (["/"], ["-"]) or at + 2 >= len(words):
        return None
    following = str(int(words[at]) + 1)
    return (at + 3, int(following)) if words[at + 2] in (following, following[2:]) else None
