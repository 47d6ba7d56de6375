"""Single dates and parts of years as they stand in a sentence: "5 July", "summer 2021", "Q3", "the 20th"."""

from __future__ import annotations

import calendar
import datetime as dt
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from knowflow.ground.regex import regex
from knowflow.knowledge.words import MONTHS, NUMBER_WORDS, ORDINAL_WORDS, SHORT_MONTHS
from knowflow.model.goal import Period
from knowflow.reason.language.patterns import MONTH, YEAR

SEASONS = {"spring": (3, 4, 5), "summer": (6, 7, 8), "autumn": (9, 10, 11), "fall": (9, 10, 11), "winter": (12, 1, 2)}

_FOUR_DIGITS = rf"(?P<y>{YEAR})"
_YEAR = _FOUR_DIGITS + r"(?![\d.]*\d)"
_MONTH = rf"(?P<m>{MONTH})\b\.?"
_DAY = r"(?P<d>\d{1,2})(?!\d)(?:st|nd|rd|th)?"
_SPOKEN_DAY = (  # "the first of June", "July the fourth"
    r"(?P<d>" + "|".join(sorted((re.sub("-", "[- ]", word) for word in ORDINAL_WORDS), key=len, reverse=True)) + r")\b"
)
_PLACES = ("first", "second", "third", "fourth")
_PART_OF_YEAR = r"(?:first|second|last|final)\s+half|(?:first|second|third|fourth|last|final)\s+quarter"
_UPTO = r"(?:\s*(?:-|to)\s*(?P<d2>\d{1,2})(?!\d)(?:st|nd|rd|th)?(?!\s*-?\s*\d))?"
_ANY_SEASON = "|".join(SEASONS)
_SEASON = rf"(?P<s>{_ANY_SEASON})s?\b"
PART_OF_MONTH = r"(?P<part>early|mid|late|(?:beginning|start|middle|end)\s+of)"
_THIRDS = {"early": (1, 10), "beginning": (1, 10), "start": (1, 10), "mid": (11, 20), "middle": (11, 20)}
_REST = (21, 31)
_TO_PART = regex(r"\b(?:early|mid|late|beginning|start|middle)\s*(?:-|to|and|or)\s*(?:the\s+)?$")
_UNITS_AFTER = r"(?!\s*(?:m|km|mm|cm|k|ha|%|°|meters?|metres?|kelvin|degrees?|pixels?|feet|ft|km2|m2|hectares?)\b)"
# how a sentence goes on behind a time
GOES_ON = "and|or|to|until|till|than|with|versus|vs|was|were|is|but|in|compared|from"
# "the 5th and the 20th" are days, "the 2nd half", "the 90th percentile" and "the 3rd largest" are not
_NO_RANK = rf"(?=\s*(?:$|[,.;:?!)&-]|(?:{GOES_ON})\b))"
_LISTED = (  # "5 and 20 July"
    r"(?=(?:\s*(?:,|and|&|or|vs\.?|versus)\s*(?:the\s+)?[123]?\d(?:st|nd|rd|th)?){1,31}\s+(?:of\s+)?" + MONTH + r"\b)"
)
_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, regex(pattern, re.IGNORECASE))
    for kind, pattern in (
        ("day", _FOUR_DIGITS + r"(?P<sep>[-/_.])(?P<mm>\d{1,2})(?P=sep)(?P<d>\d{1,2})(?!\d)"),
        ("day", _FOUR_DIGITS + r"(?P<mm>0[1-9]|1[0-2])(?P<d>0[1-9]|[12]\d|3[01])(?!\d)"),
        ("numeric", r"(?P<a>\d{1,2})[./](?P<b>\d{1,2})[./]" + _FOUR_DIGITS + r"(?!\d)"),
        ("month", _FOUR_DIGITS + r"-(?P<mm>0[1-9]|1[0-2])(?![-\d])"),
        ("day", _DAY + _UPTO + r"\s+(?:of\s+)?" + _MONTH + r"(?:,?\s+(?:of\s+|in\s+)?" + _YEAR + r")?"),
        ("day", _MONTH + r"\s+(?:the\s+)?" + _DAY + _UPTO + r"(?:(?:\s*,\s*|\s+(?:of\s+|in\s+)?)" + _YEAR + r")?"),
        ("spoken", r"(?:the\s+)?" + _SPOKEN_DAY + r"(?:\s+day)?\s+of\s+" + _MONTH
                   + r"(?:,?\s+(?:of\s+|in\s+)?" + _YEAR + r")?"),
        ("spoken", _MONTH + r"\s+(?:the\s+)?" + _SPOKEN_DAY
                   + r"(?:(?:\s*,\s*|\s+(?:of\s+|in\s+)?)" + _YEAR + "|" + _NO_RANK + ")"),
        ("part", r"(?:the\s+)?" + PART_OF_MONTH + r"[-\s]+" + _MONTH + r"(?:\s+of|\s+in|,)?\s+" + _YEAR),
        ("month", _MONTH + r"(?:\s+of|\s+in|,)?\s+" + _YEAR + r"(?!-\d\d-)"),  # "on January 2024-01-18"
        ("season", _SEASON + r"(?:\s+of|\s+in|,)?(?:\s+the\s+year)?\s+" + _YEAR + r"(?:/(?P<y2>\d{2,4}))?"),
        ("season", _YEAR + r"\s+" + _SEASON),
        ("month", _YEAR + r"\s+" + _MONTH + r"(?!\s+\d)"),
        ("quarter", r"Q(?P<q>[1-4])(?:\s+of)?,?\s+" + _YEAR),
        ("quarter", _YEAR + r"[-\s]?Q(?P<q>[1-4])\b"),
        ("quarter", r"(?:the\s+)?(?P<part_of_year>" + _PART_OF_YEAR + r")\s+of\s+(?:the\s+year\s+)?" + _YEAR),
        ("quarter", r"Q(?P<q>[1-4])\b"),
        ("decade", r"(?P<y>(?:19|20)\d0)s\b"),
        ("ordinal", r"(?P<d>[12]?\d|3[01])(?:st|nd|rd|th)?" + _LISTED),
        ("ordinal", r"(?P<d>[12]?\d|3[01])(?:st|nd|rd|th)\b" + _NO_RANK),
        ("relative", r"(?:the\s+)?(?:last|past|previous)\s+(?:(?P<n>\d+|" + "|".join(NUMBER_WORDS) + r")\s+)?"
                     r"(?P<unit>day|week|month|year|decade|" + _ANY_SEASON + r")s?\b"),
        ("relative", r"(?P<this>this|the current)\s+(?P<unit>month|year|" + _ANY_SEASON + r")\b"),
        ("year", _YEAR + _UNITS_AFTER),
        ("month", _MONTH),
        ("season", _SEASON),
    )
)  # fmt: skip
_UNSURE = frozenset({"may", "march", "mar", "fall", "spring"})
_BEFORE_UNSURE = regex(
    r"(?:\b(?:in|during|of|and|to|for|from|between|early|late|mid|until|every|each|since|,|-|vs)|-)\s*$"
)
# "March or June 2023": what is named with a month is one, though a sentence begins with it
_BESIDE_MONTH = regex(r"\s*(?:or|and|&|vs\.?|versus|,|/)\s*" + _MONTH, re.IGNORECASE)
_RISES = regex(r"\b(?:rises?|rising|rose|climbs?|grows?|ups?)\s+(?:and|or)\s+$")  # "rises and falls" is no autumn
_DAY_FIRST = regex(r"\d{1,2}(?!\d)")
_BAND_NUMBERS = regex(r"\bbands?\s+(?:\d+\s*(?:-|to|and|,)\s*)*$")  # "bands 10-12 of April 13"
_PART = regex(r"\b(?:a|one|two)\s+$")  # "a third of March"
_NOT_A_YEAR = regex(
    r"(?:above|exceed\w*|below|at least|at most|[<>=≥≤]"
    r"|(?:greater|higher|larger|more|less|lower|smaller|fewer|steeper|warmer) than)\s*$"
)
_APPOSITION = regex(r"(?<=[^\W\d_])\s*\([^()]*\)")


@dataclass(frozen=True, slots=True)
class Atom:
    """One of them with its place; what it leaves open (the year, the month) other dates of the sentence may tell."""

    first: int
    past: int
    kind: Literal["day", "month", "season", "quarter", "year", "fixed"]
    year: int | None = None
    months: tuple[int, ...] = ()
    day: int | None = None
    last_day: int | None = None
    fixed: Period | None = None


def atoms(text: str, today: dt.date | None) -> Iterator[Atom]:
    """The dates of a text in order."""
    position = 0
    while position < len(text):
        if position and text[position - 1].isalnum():
            position += 1
            continue
        atom = _atom_at(text, position, today)
        if atom is not None:
            yield atom
        position = atom.past if atom is not None else position + 1


def without_appositions(text: str, found: Sequence[Atom]) -> list[Atom]:
    """Atoms without those that say again, in brackets, what the atom before them said: "summer (June-August)"."""
    again = [match.span() for atom in found if atom.kind == "season" and (match := _APPOSITION.match(text, atom.past))]
    return [atom for atom in found if not any(first <= atom.first < past for first, past in again)]


def _atom_at(text: str, position: int, today: dt.date | None) -> Atom | None:
    for kind, pattern in _PATTERNS:
        match = pattern.match(text, position)
        if match is None or not _plausible(text, kind, match):
            continue
        if kind == "numeric":
            return _numeric(match)
        atom = _relative(match, today) if kind == "relative" else _plain_atom(kind, match)
        if atom is not None:
            return atom
    return None


def _plausible(text: str, kind: str, match: re.Match[str]) -> bool:
    """Whether a word that has another meaning, or a number, stands where a date stands."""
    before = text[: match.start()].lower()
    groups = match.groupdict()
    if kind == "year":
        return not _NOT_A_YEAR.search(before)
    if kind == "day" and _DAY_FIRST.match(match.group()) and _BAND_NUMBERS.search(before):
        return False
    if kind == "part":
        return not _TO_PART.search(before)  # "early to mid July" is no third of it
    if kind == "ordinal":
        return match.group().isdigit() or re.search(r"\bthe\s+$|\band\s+$", before) is not None
    if kind == "spoken" and _PART.search(before):
        return False
    if kind in ("month", "season", "spoken") and not groups.get("y"):
        word = (groups.get("m") or groups.get("s") or "").lower()
        if word == "fall" and _RISES.search(before):
            return False
        beside = match.group()[0].isupper() and _BESIDE_MONTH.match(text, match.end()) is not None
        if word in _UNSURE and not beside and not _BEFORE_UNSURE.search(before):
            return word in ("may", "march") and match.group()[0].isupper() and bool(before.strip())
    return True


def _plain_atom(kind: str, match: re.Match[str]) -> Atom | None:
    groups = match.groupdict()
    year = int(groups["y"]) if groups.get("y") else None
    first, past = match.span()
    if kind == "decade" and year is not None:
        return Atom(first, past, "fixed", fixed=Period(f"{year}-01-01", f"{year + 9}-12-31"))
    if kind == "quarter" and groups.get("part_of_year"):
        return Atom(first, past, "quarter", year, _months_of_part(*groups["part_of_year"].lower().split()))
    if kind == "quarter":
        start = 3 * int(groups["q"]) - 2
        return Atom(first, past, "quarter", year, (start, start + 1, start + 2))
    if kind == "season":
        if groups.get("y2") and year is not None:
            year += 1
        return Atom(first, past, "season", year, SEASONS[groups["s"].lower()])
    if kind == "year":
        return Atom(first, past, "year", year)
    if kind == "ordinal":
        return Atom(first, past, "day", day=int(groups["d"]))
    month = int(groups["mm"]) if groups.get("mm") else _month(groups["m"])
    if not 1 <= month <= 12:
        return None
    if kind == "month":
        return Atom(first, past, "month", year, (month,))
    longest = calendar.monthrange(year or 2000, month)[1]
    if kind == "part":
        start, end = _THIRDS.get(groups["part"].split()[0].lower(), _REST)
        return Atom(first, past, "day", year, (month,), start, min(end, longest))
    day, last = _day(groups["d"]), int(groups["d2"]) if groups.get("d2") else None
    if not 1 <= day <= longest or (last is not None and not day <= last <= longest):
        return None
    return Atom(first, past, "day", year, (month,), day, last)


def _months_of_part(place: str, unit: str) -> tuple[int, ...]:
    """The months of "first half" or "last quarter"."""
    count = 6 if unit == "half" else 3
    which = 12 // count - 1 if place in ("last", "final") else _PLACES.index(place)
    return tuple(range(count * which + 1, count * which + count + 1))


def _day(said: str) -> int:
    return int(said) if said.isdigit() else ORDINAL_WORDS[re.sub(r"\s+", "-", said.lower())]


def _month(name: str) -> int:
    return MONTHS.get(name.lower()) or SHORT_MONTHS[name.lower()]


def _numeric(match: re.Match[str]) -> Atom | None:
    """``31.12.2021`` and ``12/31/2021`` have one reading; ``03/04/2021`` has two and is left open."""
    a, b, year = int(match["a"]), int(match["b"]), int(match["y"])
    readings = [(a, b)] if a > 12 else [(b, a)] if b > 12 else [(a, b), (b, a)]
    dates = sorted({f"{year}-{month:02d}-{day:02d}" for day, month in readings if _exists(year, month, day)})
    if not dates:
        return None
    if len(dates) > 1:
        return Atom(*match.span(), "fixed")
    day = dt.date.fromisoformat(dates[0])
    return Atom(*match.span(), "day", day.year, (day.month,), day.day)


def _exists(year: int, month: int, day: int) -> bool:
    return 1 <= month <= 12 and 1 <= day <= calendar.monthrange(year, month)[1]


def _relative(match: re.Match[str], today: dt.date | None) -> Atom | None:
    """``last year``, ``the past three months``, ``this summer``, counted from today."""
    now = today or dt.date.today()
    groups, (first, past) = match.groupdict(), match.span()
    unit, this = groups["unit"].lower(), bool(groups.get("this"))
    if unit in SEASONS:
        return Atom(first, past, "season", now.year if this else now.year - 1, SEASONS[unit])
    if this:
        return (
            Atom(first, past, "year", now.year)
            if unit == "year"
            else Atom(first, past, "month", now.year, (now.month,))
        )
    said = groups.get("n")
    if said is None and unit == "year":
        return Atom(first, past, "year", now.year - 1)
    if said is None and unit == "month":
        before = now.replace(day=1) - dt.timedelta(days=1)
        return Atom(first, past, "month", before.year, (before.month,))
    count = 1 if said is None else NUMBER_WORDS.get(said.lower()) or int(said)
    days = {"day": 1.0, "week": 7.0, "month": 30.4375, "year": 365.25, "decade": 3652.5}[unit] * count
    if days >= (now - dt.date.min).days:
        return None
    start = now - dt.timedelta(days=round(days))
    return Atom(first, past, "fixed", fixed=Period(start.isoformat(), now.isoformat()))
