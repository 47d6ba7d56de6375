"""Dates and spans of time in a sentence: a small grammar, no guessing.

Seasons are the meteorological ones of the northern hemisphere; a winter is called after the year of its January.
"""

from __future__ import annotations

import calendar
import datetime as dt
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from knowflow.model.goal import Ambiguity, Period

FIRST, LAST = "0001-01-01", "9999-12-31"
SEASONS = {"spring": (3, 4, 5), "summer": (6, 7, 8), "autumn": (9, 10, 11), "fall": (9, 10, 11), "winter": (12, 1, 2)}
_MONTHS = {name.lower(): number for number, name in enumerate(calendar.month_name) if name}
_ABBREVIATIONS = {name[:3]: number for name, number in _MONTHS.items()} | {"sept": 9}
_NUMBER_WORDS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10}

_YEAR = r"(?P<y>(?:19|20)\d\d)(?![\d.]*\d)"
_MONTH = r"(?P<m>" + "|".join([*_MONTHS, "sept", *(name for name in _ABBREVIATIONS if name != "sept")]) + r")\b\.?"
_DAY = r"(?P<d>\d{1,2})(?!\d)(?:st|nd|rd|th)?"
_UPTO = r"(?:\s*(?:-|to)\s*(?P<d2>\d{1,2})(?!\d)(?:st|nd|rd|th)?(?!\s*-?\s*\d))?"
_SEASON = r"(?P<s>spring|summer|autumn|fall|winter)s?\b"
_UNITS_AFTER = r"(?!\s*(?:m|km|mm|cm|k|ha|%|°|meters?|metres?|kelvin|degrees?|pixels?|feet|ft|km2|m2|hectares?)\b)"
_NO_RANK = r"(?!\s*-?\s*(?:percentiles?|quantiles?|deciles?|quartiles?|century|largest|\w+est|order|floor|band)\b)"
_LISTED = (  # "5 and 20 July"
    r"(?=(?:\s*(?:,|and|&|or|vs\.?|versus)\s*(?:the\s+)?[123]?\d(?:st|nd|rd|th)?)+\s+(?:of\s+)?"
    + _MONTH.replace("?P<m>", "?:")
    + ")"
)
_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        ("day", r"(?P<y>(?:19|20)\d\d)(?P<sep>[-/_.])(?P<mm>\d{1,2})(?P=sep)(?P<d>\d{1,2})(?!\d)"),
        ("day", r"(?P<y>(?:19|20)\d\d)(?P<mm>0[1-9]|1[0-2])(?P<d>0[1-9]|[12]\d|3[01])(?!\d)"),
        ("numeric", r"(?P<a>\d{1,2})[./](?P<b>\d{1,2})[./](?P<y>(?:19|20)\d\d)(?!\d)"),
        ("month", r"(?P<y>(?:19|20)\d\d)-(?P<mm>0[1-9]|1[0-2])(?![-\d])"),
        ("day", _DAY + _UPTO + r"\s+(?:of\s+)?" + _MONTH + r"(?:,?\s+(?:of\s+|in\s+)?" + _YEAR + r")?"),
        ("day", _MONTH + r"\s+(?:the\s+)?" + _DAY + _UPTO + r"(?:(?:\s*,\s*|\s+(?:of\s+|in\s+)?)" + _YEAR + r")?"),
        ("month", _MONTH + r"(?:\s+of|\s+in|,)?\s+" + _YEAR),
        ("season", _SEASON + r"(?:\s+of|\s+in|,)?(?:\s+the\s+year)?\s+" + _YEAR + r"(?:/(?P<y2>\d{2,4}))?"),
        ("season", _YEAR + r"\s+" + _SEASON),
        ("month", _YEAR + r"\s+" + _MONTH + r"(?!\s+\d)"),
        ("quarter", r"Q(?P<q>[1-4])(?:\s+of)?,?\s+" + _YEAR),
        ("quarter", _YEAR + r"[-\s]?Q(?P<q>[1-4])\b"),
        ("quarter", r"Q(?P<q>[1-4])\b"),
        ("decade", r"(?P<y>(?:19|20)\d0)s\b"),
        ("ordinal", r"(?P<d>[12]?\d|3[01])(?:st|nd|rd|th)?" + _LISTED),
        ("ordinal", r"(?P<d>[12]?\d|3[01])(?:st|nd|rd|th)\b" + _NO_RANK),
        ("relative", r"(?:the\s+)?(?:last|past|previous)\s+(?:(?P<n>\d+|" + "|".join(_NUMBER_WORDS) + r")\s+)?"
                     r"(?P<unit>day|week|month|year|decade|spring|summer|autumn|fall|winter)s?\b"),
        ("relative", r"(?P<this>this|the current)\s+(?P<unit>month|year|spring|summer|autumn|fall|winter)\b"),
        ("year", _YEAR + _UNITS_AFTER),
        ("month", _MONTH),
        ("season", _SEASON),
    )
)  # fmt: skip
_UNSURE = frozenset({"may", "march", "mar", "fall", "spring"})
_BEFORE_UNSURE = re.compile(
    r"(?:\b(?:in|during|of|and|to|for|from|between|early|late|mid|until|every|each|since|,|-|vs)|-)\s*$"
)
_BAND_NUMBERS = re.compile(r"\bbands?\s+(?:\d+\s*(?:-|to|and|,)\s*)*$")  # "bands 10-12 of April 13"
_NOT_A_YEAR = re.compile(
    r"(?:above|exceed\w*|below|at least|at most|[<>=≥≤]"
    r"|(?:greater|higher|larger|more|less|lower|smaller|fewer|steeper|warmer) than)\s*$"
)
_PART_OF = r"(?:the\s+)?(?:(?:early|mid|late)[- ]+)?"
_RANGE = re.compile(rf"\s*(?:-|to|until|till|through|thru|up to|/)\s*{_PART_OF}", re.IGNORECASE)
_AND = re.compile(rf"\s*(?:and|&)\s*{_PART_OF}", re.IGNORECASE)
_LIST = re.compile(
    r"\s*,?\s*(?:,|and|or|&|vs\.?|versus|against|with|to|(?:as\s+)?compared\s+(?:to|with)|than)\s*"
    r"(?:(?:in|of|from|for|during|that|between|the|same|on|once|then|again)\s+)*",
    re.IGNORECASE,
)
_OPENED = re.compile(rf"\b(between|from)\s+{_PART_OF}(?:(?:year|month|summer)s?\s+)?$", re.IGNORECASE)
_AFTER = re.compile(
    r"\b(since|after|starting|onwards? from|later than)\s+(?:in\s+|from\s+)?(?:the\s+)?(?:year\s+)?$", re.IGNORECASE
)
_UNTIL = re.compile(
    r"\b(until|till|up to|before|prior to|earlier than)\s+(?:the\s+)?(?:end of\s+)?(?:year\s+)?$", re.IGNORECASE
)
_AROUND = re.compile(
    r"\bbefore\s+(?:and|vs\.?|versus)\s+after\s+(?:the\s+)?(?:\w+\s+){0,3}(?:of|on|in|from)?\s*$", re.IGNORECASE
)
_OF_EVENT = re.compile(r"\s+(?!(?:and|or|in|on|of|to|until|than|for|at|by|with|the|a|an)\b)[a-z]{3,}", re.IGNORECASE)
_APPOSITION = re.compile(r"(?<=[^\W\d_])\s*\([^()]*\)")
_ONWARDS = re.compile(r"\s*(?:onwards?|and (?:later|after))\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Span:
    """One span of time: a period, or months of any year; ``ends`` are the two things a range runs ``between``."""

    first: int
    past: int
    words: str
    period: Period | None
    months: tuple[int, ...] = ()
    single_day: bool = False
    ends: tuple[Period, Period] | None = None
    seasonal: bool = False
    between: bool = False


@dataclass(frozen=True, slots=True)
class Times:
    """All spans of a sentence in order, every place where a date stands, and what could not be decided."""

    spans: tuple[Span, ...] = ()
    heard: tuple[tuple[int, int], ...] = ()
    ambiguities: tuple[Ambiguity, ...] = ()


@dataclass(frozen=True, slots=True)
class _Atom:
    first: int
    past: int
    kind: Literal["day", "month", "season", "quarter", "year", "fixed"]
    year: int | None = None
    months: tuple[int, ...] = ()
    day: int | None = None
    last_day: int | None = None
    fixed: Period | None = None


def times(text: str, today: dt.date | None = None) -> Times:
    """The spans of time that a cleaned text names; ``today`` is what "last year" counts from (default: the clock)."""
    ambiguities: list[Ambiguity] = []
    every = list(_atoms(text, today, ambiguities))
    atoms = _without_appositions(text, every)
    spans: list[Span] = []
    atoms = _in_their_month(atoms)
    years = {atom.year for atom in atoms if atom.year is not None}
    for chain in _chains(text, atoms):
        spans.extend(_spans(text, _in_the_year(_with_years(text, chain), years)))
    heard = [(atom.first, atom.past) for atom in every] + [(span.first, span.past) for span in spans]
    return Times(tuple(_share_year(spans)), tuple(heard), tuple(ambiguities))


def month_period(year: int, month: int) -> Period:
    last = calendar.monthrange(year, month)[1]
    return Period(f"{year:04d}-{month:02d}-01", f"{year:04d}-{month:02d}-{last:02d}")


def hull(periods: Sequence[Period]) -> Period:
    """The shortest period that holds all of them."""
    return Period(min(period.start for period in periods), max(period.end for period in periods))


def _atoms(text: str, today: dt.date | None, ambiguities: list[Ambiguity]) -> Iterator[_Atom]:
    position = 0
    while position < len(text):
        if position and text[position - 1].isalnum():
            position += 1
            continue
        atom = _atom_at(text, position, today, ambiguities)
        if atom is not None:
            yield atom
        position = atom.past if atom is not None else position + 1


def _without_appositions(text: str, atoms: Sequence[_Atom]) -> list[_Atom]:
    """Atoms without those that say again, in brackets, what the atom before them said: "summer (June-August)"."""
    again = [match.span() for atom in atoms if atom.kind == "season" and (match := _APPOSITION.match(text, atom.past))]
    return [atom for atom in atoms if not any(first <= atom.first < past for first, past in again)]


def _atom_at(text: str, position: int, today: dt.date | None, ambiguities: list[Ambiguity]) -> _Atom | None:
    for kind, pattern in _PATTERNS:
        match = pattern.match(text, position)
        if match is None or not _plausible(text, kind, match):
            continue
        if kind == "numeric":
            return _numeric(match, ambiguities)
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
    if kind == "day" and _BAND_NUMBERS.search(before):
        return False
    if kind == "ordinal":
        return match.group().isdigit() or re.search(r"\bthe\s+$|\band\s+$", before) is not None
    if kind in ("month", "season") and not groups.get("y"):
        word = (groups.get("m") or groups.get("s") or "").lower()
        if word in _UNSURE and not _BEFORE_UNSURE.search(before):
            return word in ("may", "march") and match.group()[0].isupper() and bool(before.strip())
    return True


def _plain_atom(kind: str, match: re.Match[str]) -> _Atom | None:
    groups = match.groupdict()
    year = int(groups["y"]) if groups.get("y") else None
    first, past = match.span()
    if kind == "decade" and year is not None:
        return _Atom(first, past, "fixed", fixed=Period(f"{year}-01-01", f"{year + 9}-12-31"))
    if kind == "quarter":
        start = 3 * int(groups["q"]) - 2
        return _Atom(first, past, "quarter", year, (start, start + 1, start + 2))
    if kind == "season":
        if groups.get("y2") and year is not None:
            year += 1
        return _Atom(first, past, "season", year, SEASONS[groups["s"].lower()])
    if kind == "year":
        return _Atom(first, past, "year", year)
    if kind == "ordinal":
        return _Atom(first, past, "day", day=int(groups["d"]))
    month = int(groups["mm"]) if groups.get("mm") else _month(groups["m"])
    if not 1 <= month <= 12:
        return None
    if kind == "month":
        return _Atom(first, past, "month", year, (month,))
    day, last = int(groups["d"]), int(groups["d2"]) if groups.get("d2") else None
    longest = calendar.monthrange(year or 2000, month)[1]
    if not 1 <= day <= longest or (last is not None and not day <= last <= longest):
        return None
    return _Atom(first, past, "day", year, (month,), day, last)


def _month(name: str) -> int:
    return _MONTHS.get(name.lower()) or _ABBREVIATIONS[name.lower()]


def _numeric(match: re.Match[str], ambiguities: list[Ambiguity]) -> _Atom | None:
    """``31.12.2021`` and ``12/31/2021`` have one reading; ``03/04/2021`` has two and is left open."""
    a, b, year = int(match["a"]), int(match["b"]), int(match["y"])
    readings = [(a, b)] if a > 12 else [(b, a)] if b > 12 else [(a, b), (b, a)]
    dates = sorted({f"{year}-{month:02d}-{day:02d}" for day, month in readings if _exists(year, month, day)})
    if not dates:
        return None
    if len(dates) > 1:
        ambiguities.append(Ambiguity("dates", match.group(), tuple(dates)))
        return _Atom(*match.span(), "fixed")
    day = dt.date.fromisoformat(dates[0])
    return _Atom(*match.span(), "day", day.year, (day.month,), day.day)


def _exists(year: int, month: int, day: int) -> bool:
    return 1 <= month <= 12 and 1 <= day <= calendar.monthrange(year, month)[1]


def _relative(match: re.Match[str], today: dt.date | None) -> _Atom | None:
    """``last year``, ``the past three months``, ``this summer``, counted from today."""
    now = today or dt.date.today()
    groups, (first, past) = match.groupdict(), match.span()
    unit, this = groups["unit"].lower(), bool(groups.get("this"))
    if unit in SEASONS:
        return _Atom(first, past, "season", now.year if this else now.year - 1, SEASONS[unit])
    if this:
        return (
            _Atom(first, past, "year", now.year)
            if unit == "year"
            else _Atom(first, past, "month", now.year, (now.month,))
        )
    said = groups.get("n")
    if said is None and unit == "year":
        return _Atom(first, past, "year", now.year - 1)
    if said is None and unit == "month":
        before = now.replace(day=1) - dt.timedelta(days=1)
        return _Atom(first, past, "month", before.year, (before.month,))
    count = 1 if said is None else _NUMBER_WORDS.get(said.lower()) or int(said)
    days = {"day": 1.0, "week": 7.0, "month": 30.4375, "year": 365.25, "decade": 3652.5}[unit] * count
    if days >= (now - dt.date.min).days:
        return None
    start = now - dt.timedelta(days=round(days))
    return _Atom(first, past, "fixed", fixed=Period(start.isoformat(), now.isoformat()))


def _chains(text: str, atoms: Sequence[_Atom]) -> Iterator[list[_Atom]]:
    """Atoms that "to", "and", "," and the like join into one expression."""
    chain: list[_Atom] = []
    for atom in atoms:
        if chain:
            gap = text[chain[-1].past : atom.first]
            if not (_RANGE.fullmatch(gap) or _LIST.fullmatch(gap)):
                yield chain
                chain = []
        chain.append(atom)
    if chain:
        yield chain


def _with_years(text: str, chain: list[_Atom]) -> list[_Atom]:
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
            found[index] = replace(here, year=previous.year)
    return found


def _in_their_month(atoms: Sequence[_Atom]) -> list[_Atom]:
    """ "The images of the 5th and of the 20th" are of the one month that is named; else such days are no dates."""
    months = {(atom.months, atom.year) for atom in atoms if len(atom.months) == 1}
    named = {month for month, _ in months}
    years = {year for _, year in months if year is not None}
    month, year = (next(iter(named)) if len(named) == 1 else ()), (next(iter(years)) if len(years) == 1 else None)
    settled = [atom if atom.months or atom.day is None else replace(atom, months=month, year=year) for atom in atoms]
    return [atom for atom in settled if atom.months or atom.day is None]


def _in_the_year(chain: Sequence[_Atom], years: Collection[int]) -> list[_Atom]:
    """Days without a year are of the one year that is named: "The fire came in August 2020. Since 1 August"."""
    year = next(iter(years)) if len(years) == 1 else None
    return [replace(atom, year=year) if atom.kind == "day" and atom.year is None else atom for atom in chain]


def _is_range(text: str, a: _Atom, b: _Atom) -> bool:
    gap = text[a.past : b.first]
    if _RANGE.fullmatch(gap):
        return (
            bool(_OPENED.search(text[: a.first]))
            or not re.search(r"\bcompar\w+[^.]*$", text[: a.first], re.IGNORECASE)
            or "to" not in gap
        )
    opened = _OPENED.search(text[: a.first])
    return bool(_AND.fullmatch(gap) and opened and opened[1].lower() == "between")


def _spans(text: str, chain: Sequence[_Atom]) -> Iterator[Span]:
    index = 0
    previous: tuple[_Atom, _Atom] | None = None
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


def _range(text: str, a: _Atom, b: _Atom) -> Span:
    words = text[a.first : b.past]
    seasonal = "season" in (a.kind, b.kind)
    start, end = _period(a), _period(b)
    if start is not None and end is not None:
        return Span(
            a.first, b.past, words, Period(start.start, max(start.end, end.end)), ends=(start, end), seasonal=seasonal
        )
    if a.months and b.months:
        months = [a.months[0]]
        while months[-1] != b.months[-1]:
            months.append(months[-1] % 12 + 1)
        return Span(a.first, b.past, words, None, tuple(months), seasonal=seasonal, between=True)
    return Span(a.first, b.past, words, start or end)


def _single(text: str, atom: _Atom) -> Span:
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


def _period(atom: _Atom) -> Period | None:
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


def _share_year(spans: Sequence[Span]) -> Iterator[Span]:
    """A lone year elsewhere in the sentence dates months that have none: "In 2023 ... of July"."""
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
