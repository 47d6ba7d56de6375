"""Numbers that stand where a date stands and are none: "30 February", "2016-13-01", "in 1816", "the 13th month".

Passed over, the rest of the date would be answered for: a month instead of a day, all dates instead of a year. Such a
question is asked back, with what was found and what is expected.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from knowflow.ground.regex import regex
from knowflow.knowledge.words import MONTHS, ORDINAL_WORDS, SHORT_MONTHS
from knowflow.model.goal import Ambiguity
from knowflow.reason.language.clauses import Span, within
from knowflow.reason.language.date_atoms import GOES_ON, SEASONS
from knowflow.reason.language.patterns import MONTH, YEAR

_STARTS_WITH_MONTH = regex(rf"(?P<month>{MONTH})\b\.?,?\s*(?:(?:of|in)\s+)?(?P<year>{YEAR})?", re.IGNORECASE)
_ENDS_WITH_MONTH = regex(rf"\b(?P<month>{MONTH})\b\.?$", re.IGNORECASE)
_DATED = regex(rf"\d|\b(?:{MONTH}|{'|'.join(SEASONS)})s?\b", re.IGNORECASE)
# a number before a noun counts it: "in May 1500 hectares burned"
_STOPS = rf"(?=\s*(?:$|[,.;:?!)]|(?:{GOES_ON}|are|did|has|had|on|where|over|for|by)\b))"
_OF_OTHERS = regex(
    r"\b(?:bands?|channels?|path|row|tile|zone|level|top|version|class|type|sentinel|landsat)[\s-]+"
    r"(?:\d+\s*(?:-|to|and|,)\s*)*$",
    re.IGNORECASE,
)
_ON = regex(r"\b(?:on|from|since|until|till|between|before|after|by|dated)\s+(?:the\s+)?$", re.IGNORECASE)
_DAY_BEFORE = regex(r"(?<![\w.,])(?P<n>\d{1,3})(?P<th>st|nd|rd|th)?\s+(?:of\s+)?$", re.IGNORECASE)
_DAY_AFTER = regex(
    rf"\s+(?:the\s+)?(?P<n>\d{{1,2}})(?P<th>st|nd|rd|th)?(?!\w)(?![.,]\d)(?:{_STOPS}|(?=,?\s+{YEAR}\b))"
    rf"(?:,?\s+(?P<year>{YEAR})\b)?",
    re.IGNORECASE,
)
_TIED_AFTER = regex(r"[-–/._]\d{1,4}(?:[-–/._]\d{1,4})*(?!\w)")
_TIED_BEFORE = regex(r"(?<![\w.])(?:\d{1,6}[-–/.]){1,2}$")
_YEAR_AFTER = regex(
    rf",?\s+(?:(?:of|in)\s+)?(?:the\s+year\s+)?(?P<n>\d{{3,6}}(?:\.\d+)?|['’]\d\d)(?![\w%]){_STOPS}", re.IGNORECASE
)
_YEAR_JOINED = regex(
    r"\s*(?:-|–|\b(?:to|until|till|and|or|vs\.?|versus|than|with))\s*(?:in\s+|of\s+)?(?:the\s+year\s+)?"
    rf"(?P<n>\d{{4,6}})(?![\w%]){_STOPS}",
    re.IGNORECASE,
)
_LOOSE = regex(
    rf"\b(?:(?:in|during|since|until|till)\s+(?P<n>\d{{3,6}}(?:\.\d+)?|['’]\d\d)"
    rf"|(?<!\bper )(?<!\beach )(?<!\bevery )(?<!\ba )(?<!\bone )\byear\s+(?P<year>[+-]?\d+))(?![\w%]){_STOPS}",
    re.IGNORECASE,
)
_WHOLE = regex(
    r"(?<![\w.])(?P<date>\d{3,6}([-/.])\d{1,2}\2\d{1,2}|\d{1,2}([-/.])\d{1,2}\3\d{3,6}"
    rf"|{YEAR}\d{{4}}"
    r"|(?<=\bon )\d{1,2}([./])\d{1,2}\4\d\d|(?<=\bfrom )\d{1,2}([./])\d{1,2}\5\d\d)(?![\w]|[.,-]\d)"
)
_PART_OF = regex(
    rf"\b(?P<n>\d{{1,2}}(?:st|nd|rd|th)|{'|'.join(ORDINAL_WORDS)}|last|final|middle)\s+"
    r"(?:half|third|quarter|month|week|dekad|decade|fortnight|(?:ten|10)\s+days)\s+(?:of|in)\s+(?:the\s+year\s+)?$",
    re.IGNORECASE,
)
_BACKWARDS = regex(r"(?<![\w.,])(?P<n>\d{1,2})\s*[-–]\s*$")
_REACH = 60  # characters before a date in which what belongs to it stands
_PARTS = "its months or dates, such as 'from January to June 2016' or '2016-05-01 to 2016-05-10'"
_AS_WRITTEN = "a date such as 2016-05-31, 31 May 2016, May 2016 or 2016, of a year from 1900 to 2099"


@dataclass(frozen=True, slots=True)
class _NoDate:
    """Where it stands, with the date that it belongs to; ``odd`` is the place of the number that was not read."""

    first: int
    past: int
    odd: int
    why: str = "is no date"
    hint: str = _AS_WRITTEN


def no_dates(text: str, dates: Sequence[Span], taken: Sequence[Span]) -> tuple[Ambiguity, ...]:
    """What no date is though it stands like one; ``dates`` are the characters of those that were read, ``taken`` of
    whatever else was understood."""
    found: dict[Span, Ambiguity] = {}
    for one in (*_days(text, dates), *_beside(text, dates), *_alone(text)):
        if not within(one.odd, (*dates, *taken, *found)):
            words = text[one.first : one.past].strip(" ,.")
            found[one.first, one.past] = Ambiguity("period", words, (), why=one.why, hint=one.hint)
    return tuple(found.values())


def _days(text: str, dates: Sequence[Span]) -> Iterator[_NoDate]:
    """Days that their month does not have: "30 February 2016", "April 31", "0 May 2016"."""
    for first, past in dates:
        month = _STARTS_WITH_MONTH.match(text, first, past)
        day = _DAY_BEFORE.search(text, max(0, first - _REACH), first)
        if month and day and not _OF_OTHERS.search(text, max(0, day.start() - _REACH), day.start()):
            told = (
                0 < int(day["n"]) <= 31
                or day["th"]
                or month["year"]
                or _ON.search(text, max(0, day.start() - _REACH), day.start())
            )
            if told:
                yield _NoDate(day.start(), month.end(), day.start("n"), *_of_month(month["month"], month["year"]))
        month = _ENDS_WITH_MONTH.search(text, first, past)
        day = _DAY_AFTER.match(text, past) if month else None
        if month and day:
            told = (
                0 < int(day["n"]) <= 31 or day["th"] or day["year"] or _ON.search(text, max(0, first - _REACH), first)
            )
            if told:
                yield _NoDate(first, day.end(), day.start("n"), *_of_month(month["month"], day["year"]))


def _of_month(name: str, year: str | None) -> tuple[str, str]:
    number = MONTHS.get(name.lower()) or SHORT_MONTHS[name.lower().rstrip(".")]
    days = calendar.monthrange(int(year or 2000), number)[1]
    month = calendar.month_name[number] + (f" {year}" if year else "")
    return (
        f"is no date: {month} has {'at most ' if number == 2 and not year else ''}{days} days",
        f"1 to {days} {month}",
    )


def _beside(text: str, dates: Sequence[Span]) -> Iterator[_NoDate]:
    """Numbers tied to a date that were not read with it: "2016-13-01", "2016/17", "May 1816", "2016 and 20166"."""
    for first, past in dates:
        if not _DATED.search(text, first, past):
            continue
        has_year = re.search(rf"{YEAR}$", text[first:past]) is not None
        tied = _TIED_AFTER.match(text, past) if has_year else _YEAR_AFTER.match(text, past)
        if tied:
            yield _NoDate(first, tied.end(), tied.end() - len(tied.group().lstrip(" ,-–/._")))
        joined = _YEAR_JOINED.match(text, past) if has_year else None
        if joined:
            yield _NoDate(joined.start("n"), joined.end(), joined.start("n"))
        before = _TIED_BEFORE.search(text, max(0, first - _REACH), first)
        if before and re.match(YEAR, text[first:past]):
            yield _NoDate(before.start(), past, before.start())
        turned = _BACKWARDS.search(text, max(0, first - _REACH), first)
        if (
            turned
            and re.match(r"\d{1,2}(?!\d)", text[first:past])
            and not _OF_OTHERS.search(text, max(0, turned.start() - _REACH), turned.start())
        ):
            why = "runs backwards, or is no date"
            yield _NoDate(turned.start(), past, turned.start("n"), why, "the earlier day first")
        part = _PART_OF.search(text, max(0, first - _REACH), first)
        if part:
            yield _NoDate(part.start(), past, part.start("n"), "is a part of a time that is told by no dates", _PARTS)


def _alone(text: str) -> Iterator[_NoDate]:
    """Years of no data, and whole dates that do not exist: "in 1816", "on 20160230"."""
    for match in _WHOLE.finditer(text):
        yield _NoDate(*match.span(), match.start())
    for match in _LOOSE.finditer(text):
        group = "n" if match["n"] else "year"
        yield _NoDate(*match.span(group), match.start(group), "is no year that there can be data of")
