"""Dates and spans of time in a sentence: a small grammar, no guessing.

Seasons are the meteorological ones of the northern hemisphere; a winter is called after the year of its January.
"""

from __future__ import annotations

import calendar
import datetime as dt
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from knowflow.ground.regex import regex
from knowflow.model.goal import FIRST, LAST, Period
from knowflow.reason.language.date_atoms import Atom, atoms, without_appositions

_PART_OF = r"(?:the\s+)?(?:(?:early|mid|late)[- ]+)?"
_RANGE = regex(rf"\s*(?:-|to|until|till|through|thru|up to|/)\s*{_PART_OF}", re.IGNORECASE)
_AND = regex(rf"\s*(?:and|&)\s*{_PART_OF}", re.IGNORECASE)
_LIST = regex(
    r"\s*,?\s*(?:,|and|or|&|vs\.?|versus|against|with|to|(?:as\s+)?compared\s+(?:to|with)|than)\s*"
    r"(?:(?:in|of|from|for|during|that|between|the|same|on|once|then|again)\s+)*",
    re.IGNORECASE,
)
_OPENED = regex(rf"\b(between|from)\s+{_PART_OF}(?:(?:year|month|summer)s?\s+)?$", re.IGNORECASE)
_AFTER = regex(
    r"\b(since|after|starting|onwards? from|later than)\s+(?:in\s+|from\s+)?(?:the\s+)?(?:year\s+)?$", re.IGNORECASE
)
_UNTIL = regex(
    r"\b(until|till|up to|before|prior to|earlier than)\s+(?:the\s+)?(?:end of\s+)?(?:year\s+)?$", re.IGNORECASE
)
_AROUND = regex(
    r"\bbefore\s+(?:and|vs\.?|versus)\s+after\s+(?:the\s+)?(?:\w+\s+){0,3}(?:of|on|in|from)?\s*$", re.IGNORECASE
)
_OF_EVENT = regex(r"\s+(?!(?:and|or|in|on|of|to|until|than|for|at|by|with|the|a|an)\b)[a-z]{3,}", re.IGNORECASE)
_ONWARDS = regex(
    r"\s*(?:(?:scenes?|images?|acquisitions?|dates?|overpass|pictures?|data)\s+)?(?:onwards?|and (?:later|after))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Span:
    """One span of time: a period, or months of any year; ``ends`` are the two things a range runs ``between``.

    A range that is told ``backwards`` names the later end first; where it lies ``between`` the two, that is the same
    span, and ``ends`` are in time order.
    """

    first: int
    past: int
    words: str
    period: Period | None
    months: tuple[int, ...] = ()
    single_day: bool = False
    ends: tuple[Period, Period] | None = None
    seasonal: bool = False
    between: bool = False
    backwards: bool = False


@dataclass(frozen=True, slots=True)
class Times:
    """All spans of a sentence in order, and every place where a date stands."""

    spans: tuple[Span, ...] = ()
    heard: tuple[tuple[int, int], ...] = ()


def times(text: str, today: dt.date | None = None) -> Times:
    """The spans of time that a cleaned text names; ``today`` is what "last year" counts from (default: the clock)."""
    every = list(atoms(text, today))
    placed = _in_their_month(without_appositions(text, every))
    years = {atom.year for atom in placed if atom.year is not None}
    spans: list[Span] = []
    for chain in _chains(text, placed):
        spans.extend(_spans(text, _in_the_year(_with_years(text, chain), years)))
    heard = [(atom.first, atom.past) for atom in every] + [(span.first, span.past) for span in spans]
    return Times(tuple(_share_year(spans)), tuple(heard))


def month_period(year: int, month: int) -> Period:
    last = calendar.monthrange(year, month)[1]
    return Period(f"{year:04d}-{month:02d}-01", f"{year:04d}-{month:02d}-{last:02d}")


def hull(periods: Sequence[Period]) -> Period:
    """The shortest period that holds all of them."""
    return Period(min(period.start for period in periods), max(period.end for period in periods))


def _chains(text: str, atoms: Sequence[Atom]) -> Iterator[list[Atom]]:
    """Atoms that "to", "and", "," and the like join into one expression."""
    chain: list[Atom] = []
    for atom in atoms:
        if chain:
            gap = text[chain[-1].past : atom.first]
            if not (_RANGE.fullmatch(gap) or _LIST.fullmatch(gap)):
                yield chain
                chain = []
        chain.append(atom)
    if chain:
        yield chain


def _with_years(text: str, chain: list[Atom]) -> list[Atom]:
    """Years and months carried along a chain: "June to August 2021", "July of 2015 and 2023"."""
    found = list(chain)
    for index in range(len(found) - 2, -1, -1):
        here, following = found[index], found[index + 1]
        if here.year is None and following.year is not None and here.kind != "fixed" and following.kind != "year":
            year = following.year
            if (
                _is_range(text, here, following)
                and here.months
                and following.months
                and here.months[0] > following.months[-1]
            ):
                year -= 1
            found[index] = replace(here, year=year)
    for index in range(1, len(found)):
        here, previous = found[index], found[index - 1]
        listed = not _is_range(text, previous, here) or previous.months
        if here.kind == "year" and previous.kind in ("month", "season", "quarter", "day") and listed:
            if previous.year is None:
                found[index - 1] = replace(previous, year=here.year)
            found[index] = replace(previous, first=here.first, past=here.past, year=here.year)
        elif here.year is None and here.kind not in ("fixed", "year") and previous.year is not None:
            turned = _is_range(text, previous, here) and bool(previous.months) and previous.months[0] > here.months[-1]
            found[index] = replace(here, year=previous.year + turned)  # "from December 2016 to February"
    return found


def _in_their_month(atoms: Sequence[Atom]) -> list[Atom]:
    """ "The images of the 5th and of the 20th" are of the one month that is named; else such days are no dates."""
    months = {(atom.months, atom.year) for atom in atoms if len(atom.months) == 1}
    named = {month for month, _ in months}
    years = {year for _, year in months if year is not None}
    month, year = (next(iter(named)) if len(named) == 1 else ()), (next(iter(years)) if len(years) == 1 else None)
    settled = [atom if atom.months or atom.day is None else replace(atom, months=month, year=year) for atom in atoms]
    return [atom for atom in settled if atom.months or atom.day is None]


def _in_the_year(chain: Sequence[Atom], years: Collection[int]) -> list[Atom]:
    """Days without a year are of the one year that is named: "The fire came in August 2020. Since 1 August"."""
    year = next(iter(years)) if len(years) == 1 else None
    return [replace(atom, year=year) if atom.kind == "day" and atom.year is None else atom for atom in chain]


def _is_range(text: str, a: Atom, b: Atom) -> bool:
    gap = text[a.past : b.first]
    if _RANGE.fullmatch(gap):
        return (
            bool(_OPENED.search(text[: a.first]))
            or not re.search(r"\bcompar\w+[^.]*$", text[: a.first], re.IGNORECASE)
            or "to" not in gap
        )
    return _AND.fullmatch(gap) is not None and _is_between(text, a)


def _is_between(text: str, a: Atom) -> bool:
    opened = _OPENED.search(text[: a.first])
    return opened is not None and opened[1].lower() == "between"


def _spans(text: str, chain: Sequence[Atom]) -> Iterator[Span]:
    index = 0
    previous: tuple[Atom, Atom] | None = None
    while index < len(chain):
        here = chain[index]
        if index + 1 < len(chain) and _is_range(text, here, chain[index + 1]):
            yield _range(text, here, chain[index + 1])
            previous = (here, chain[index + 1])
            index += 2
            continue
        if previous is not None and text[here.first : here.past].isdigit() and previous[0].months and here.year:
            year = here.year  # "June-July of 2020 and 2021": the same months again
            again = _range(text, replace(previous[0], year=year), replace(previous[1], year=year))
            yield replace(again, first=here.first, past=here.past, words=text[here.first : here.past])
        else:
            yield _single(text, here)
        index += 1


def _range(text: str, a: Atom, b: Atom) -> Span:
    words = text[a.first : b.past]
    seasonal = "season" in (a.kind, b.kind)
    start, end = _period(a), _period(b)
    if start is not None and end is not None:
        backwards, between = end.end < start.start, _is_between(text, a)
        ends = (end, start) if backwards and between else (start, end)
        whole = hull(ends) if backwards else Period(start.start, max(start.end, end.end))
        return Span(
            *(a.first, b.past, words, whole), ends=ends, seasonal=seasonal, between=between, backwards=backwards
        )
    if a.months and b.months:
        months = [a.months[0]]
        while months[-1] != b.months[-1]:
            months.append(months[-1] % 12 + 1)
        return Span(a.first, b.past, words, None, tuple(months), seasonal=seasonal, between=True)
    return Span(a.first, b.past, words, start or end)


def _single(text: str, atom: Atom) -> Span:
    before, words = text[: atom.first], text[atom.first : atom.past]
    period = _period(atom)
    if period is None:
        return Span(atom.first, atom.past, words, None, atom.months, seasonal=atom.kind == "season")
    around = _AROUND.search(before)
    since, until = _AFTER.search(before), _UNTIL.search(before)
    onwards = _ONWARDS.match(text, atom.past)
    if around:
        ends = (Period(FIRST, _shift(period.start, -1)), Period(period.start, LAST))
        return Span(around.start(), atom.past, text[around.start() : atom.past], None, ends=ends)
    if since or onwards:
        of_event = since is not None and _OF_EVENT.match(text, atom.past) and since.group().lower().endswith("the ")
        whole = since is None or of_event or since[1].lower() not in ("after", "later than")
        start = period.start if whole else _shift(period.end, 1)
        first, past = since.start() if since else atom.first, onwards.end() if onwards else atom.past
        return Span(first, past, text[first:past], Period(start, LAST))
    if until:
        exclusive = until[1].lower() in ("before", "prior to", "earlier than")
        end = _shift(period.start, -1) if exclusive else period.end
        return Span(until.start(), atom.past, text[until.start() : atom.past], Period(FIRST, end))
    single_day = atom.kind == "day" and atom.last_day is None
    two = (Period(period.start, period.start), Period(period.end, period.end)) if atom.last_day is not None else None
    return Span(atom.first, atom.past, words, period, single_day=single_day, ends=two, seasonal=atom.kind == "season")


def _shift(day: str, days: int) -> str:
    return (dt.date.fromisoformat(day) + dt.timedelta(days=days)).isoformat()


def _period(atom: Atom) -> Period | None:
    """The period of an atom whose year is known."""
    if atom.fixed is not None:
        return atom.fixed
    year = atom.year
    if year is None:
        return None
    if atom.kind == "year":
        return Period(f"{year}-01-01", f"{year}-12-31")
    if atom.kind == "day" and atom.day is not None:
        month = atom.months[0]
        last = min(atom.last_day or atom.day, calendar.monthrange(year, month)[1])
        return Period(f"{year}-{month:02d}-{min(atom.day, last):02d}", f"{year}-{month:02d}-{last:02d}")
    first_year = year - 1 if atom.months[0] > atom.months[-1] else year
    return Period(month_period(first_year, atom.months[0]).start, month_period(year, atom.months[-1]).end)


def _with_year_of_next(spans: Sequence[Span]) -> list[Span]:
    found = list(spans)
    for place, (here, after) in enumerate(pairwise(spans)):
        lone = here.period is None and len(here.months) == 1 and here.ends is None and not here.seasonal
        month = after.period if after.period is not None and len(after.words.split()) > 1 else None
        if lone and month is not None and month.start[:7] == month.end[:7]:
            found[place] = replace(here, period=month_period(int(month.start[:4]), here.months[0]))
    return found


def _share_year(spans: Sequence[Span]) -> Iterator[Span]:
    """A lone year elsewhere in the sentence dates months that have none: "In 2023 ... of July".

    So does that of the next month: "between the dry March and the wet September 2022".
    """
    spans = _with_year_of_next(spans)
    years = [span for span in spans if span.period is not None and span.words.strip().isdigit()]
    undated = [span for span in spans if span.period is None and span.months and span.ends is None]
    if len(years) != 1 or not undated or years[0].period is None:
        yield from spans
        return
    year = int(years[0].period.start[:4])
    for span in spans:
        if span is years[0]:
            continue
        if span in undated:
            first_year = year - 1 if span.months[0] > span.months[-1] else year
            period = Period(month_period(first_year, span.months[0]).start, month_period(year, span.months[-1]).end)
            two = month_period(first_year, span.months[0]), month_period(year, span.months[-1])
            ends = two if span.between and not span.seasonal else None
            yield replace(span, period=period, ends=ends, words=f"{span.words}, {year}")
        else:
            yield span
