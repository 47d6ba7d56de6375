"""Dates as people and producers write them into names of files, in every usual form, with what remains of the name.

A date is a span of days, as wide as it is told: ``2018-09`` is all of September. What may be read in two ways
(``03-04-2018``, ``201211``) has several spans, the likelier first, and is decided elsewhere.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from types import MappingProxyType

from knowflow.ground.regex import regex
from knowflow.reason.inventory.month_words import DOUBTFUL_MONTHS, MONTH_WORDS, without_accents

DATE_MARK = "\x01"
"""What stands for a date in the rest of a name."""
_ONE_MONTH = 31  # days
_LONGEST_SPAN = 366  # days of which the middle may stand for all of them
_TO_THE_HOUR = 10  # digits of a date with its hour
_MEASURED_FROM = 1970  # nobody shortens the years of older images

_YEAR, _MONTH, _DAY = r"(?:19|20)\d\d", r"(?:0[1-9]|1[0-2])", r"(?:0[1-9]|[12]\d|3[01])"
_MONTH_NUMBER, _DAY_NUMBER = r"(?:1[0-2]|0?[1-9])", r"(?:[12]\d|3[01]|0?[1-9])"
_CLOCK = (
    rf"(?:(?![_ -]{_YEAR}[-_.]{_MONTH}[-_.]{_DAY})"
    r"[T_ -]?T?(?:[01]\d|2[0-3])[-:.]?[0-5]\d(?:[-:.]?[0-5]\d)?(?:[.,]\d+)?Z?(?![0-9A-Za-z]))?(?!\d|k?m(?![a-z]))"
)
_HOUR = r"(?:[01]\d|2[0-3])"
_NAMED = "|".join(sorted(MONTH_WORDS, key=len, reverse=True))
_ANY_NAMED = "|".join([_NAMED, *DOUBTFUL_MONTHS])
_END, _ALONE = r"(?![0-9A-Za-z])", r"(?<![0-9A-Za-z])"
_LAST = rf"{_YEAR}(?!\d|[-_.]{_MONTH}[-_.]{_DAY}(?!\d))"  # a year behind the rest of its date, none that begins another
_UNTIL = r"[-_ ]?(?:-|to|until|bis)[-_ ]?"
_PART = r"(?:d|dk|dek|dekad|dekade|dekada|dekaden|decade|decada|p|pentad)"
_WEEK = (
    r"(?:kw|wk|week|woche|semaine|semana|sem|sett|settimana|saptamana|tydzien|tyden|tyzden|tjedan|teden|uge|uke|vecka|hafta"
    r"|viikko)"
)
# what a number before a year may belong to, and is no month then: the level, part or scale of something
_OF_A_PART = "".join(
    rf"(?<!{word}[-_ ])"
    for word in ("band", "tile", "zone", "part", "level", "layer", "bio", "spi", "spei", "site", "plot", "run")
)
# from the most telling to the least; before a date may stand a letter (A2018273, E2020), never a digit
_DATE = regex(
    rf"(?<!\d)(?:(?P<ymd>{_YEAR}(?P<_a>[-_. ]?){_MONTH}(?P=_a){_DAY}{_CLOCK}|{_YEAR}{_MONTH}{_DAY}{_HOUR}(?!\d)"
    rf"|{_YEAR}[m_-]{_MONTH}{_DAY}(?!\d))"
    rf"|(?P<doy>{_YEAR}(?:[-_. ]?doy[-_. ]?)?[0-3]\d\d{_CLOCK})"
    rf"|(?P<doy_first>doy[-_. ]?[0-3]\d\d[-_. ]{_LAST})"
    rf"|(?P<dotted>(?<!\d\.){_DAY_NUMBER}\.{_MONTH_NUMBER}\.{_YEAR}{_CLOCK})"
    rf"|(?P<dmy>(?:{_DAY}(?P<_b>[-_ ]){_DAY}(?P=_b)|{_DAY}{_DAY}){_YEAR}{_CLOCK})"
    rf"|(?P<dmy_apart>{_ALONE}(?<!\d[-_])(?=\d-|\d\d-\d-){_DAY_NUMBER}-{_DAY_NUMBER}-{_LAST}(?![-_]{_YEAR}))"
    rf"|(?P<short_dmy>{_ALONE}(?<!\d[-.])(?!\d\.){_DAY_NUMBER}(?P<_f>[-.])"
    rf"(?:{_MONTH_NUMBER}|(?<=-){_DAY_NUMBER})(?P=_f)\d\d{_END}(?![-.]\d))"
    rf"|(?P<part>{_YEAR}[-_. ]?{_MONTH}[-_. ]?{_PART}[-_ ]?[1-6]{_END}"
    rf"|{_ALONE}(?:{_NAMED})[-_. ]?{_YEAR}[-_. ]{_PART}[-_ ]?[1-6]{_END}"
    rf"|{_YEAR}[-_. ]?(?:{_NAMED})[-_. ]{_PART}[-_ ]?[1-6]{_END}"
    rf"|{_ALONE}{_PART}[-_ ]?[1-6][-_ ]?(?:{_NAMED})[-_. ]?{_LAST}"
    rf"|{_ALONE}{_PART}[-_ ]?[1-6][-_. ]{_MONTH}[-_. ]{_LAST})"
    rf"|(?P<nth_part>{_ALONE}[1-3](?:e|er|ere|eme|ma|a|o|st|nd|rd|th|\.)?[-_ ]?{_PART}[-_ ]?(?:{_NAMED})[-_. ]?"
    rf"(?:{_LAST}|\d\d{_END}))"
    rf"|(?P<dekad>{_YEAR}[-_. ]?(?:dk|dek|dekad)[-_ ]?\d\d?{_END}"
    rf"|{_ALONE}(?:dk|dek|dekad)[-_ ]?\d\d?[-_. ]{_LAST})"
    rf"|(?P<short_days>{_ALONE}(?!{_YEAR}){_DAY}{_MONTH}-{_DAY}{_MONTH}[-_]{_LAST})"
    rf"|(?P<days>{_ALONE}{_DAY_NUMBER}{_UNTIL}{_DAY_NUMBER}[-_. ]?(?:{_NAMED})[-_. ]?{_LAST})"
    rf"|(?P<months>(?<![a-z])(?:{_NAMED})(?:{_UNTIL}|[-_. ]?)(?:{_NAMED})[-_. ]?{_LAST}"
    rf"|{_YEAR}[-_. ]?(?:{_NAMED})(?:{_UNTIL}|[-_. ]?)(?:{_NAMED})(?![a-z0-9]))"
    rf"|(?P<named>{_ALONE}[1-9](?P<_c>[-_. ]?)(?:{_ANY_NAMED})(?P=_c){_LAST}"
    rf"|(?:(?<![a-z]){_DAY}[-_. ]?)?(?<![a-z])(?:{_NAMED})(?:{_LAST}|[-_. ]{_LAST}(?![-_]{_YEAR}(?!\d)))"
    rf"|(?<![a-z]){_DAY}(?P<_d>[-_. ]?)(?:{_ANY_NAMED})(?P=_d){_LAST}"
    rf"|{_ALONE}{_DAY_NUMBER}\. ?(?:{_NAMED}) {_LAST}"
    rf"|{_ALONE}[1-9](?:{_NAMED})[-_. ]{_LAST}"
    rf"|(?<![a-z])(?:{_NAMED})[-_. ]?{_DAY_NUMBER}[-_., ]{{1,2}}{_LAST}|{_ALONE}(?:{_ANY_NAMED}){_DAY}[-_]{_LAST})"
    rf"|(?P<nymd>{_YEAR}[-_. ]?(?:{_NAMED})(?![a-z])(?:[-_. ]?{_DAY}{_END})?)"
    rf"|(?P<short_year>{_ALONE}{_DAY_NUMBER}(?P<_e>[-_. ]?)(?:{_NAMED})(?P=_e)\d\d{_END}"
    rf"|{_ALONE}(?:{_NAMED})\d\d{_END})"
    rf"|(?P<doubtful>{_ALONE}(?<!data[-_ ])(?:{'|'.join(DOUBTFUL_MONTHS)})(?:\d\d|[-_ ]{_LAST}){_END})"
    rf"|(?P<week>{_YEAR}[-_. ]?(?:w|{_WEEK})[-_ ]?[0-5]?\d{_END}"
    rf"|{_ALONE}{_WEEK}[-_ ]?[0-5]?\d[-_. ]{_LAST})"
    rf"|(?P<worded_year>{_ALONE}(?:ano|anno|jahr|year|yr|annee)[-_ ]?\d\d{_END})"
    rf"|(?P<years>{_ALONE}[789]\d-[0-3]\d{_END}(?!-))"
    rf"|(?P<quarter>{_YEAR}[-_. ]?q[1-4]{_END}|{_ALONE}q[1-4][-_. ]?{_LAST})"
    rf"|(?P<month>{_YEAR}[-_. ]{_MONTH}{_END}|{_ALONE}(?:(?<!\d-){_MONTH}-|(?<!\d\.){_MONTH}\.){_YEAR}{_END}"
    rf"|(?<=[a-z][-_ ]){_OF_A_PART}{_MONTH}_{_YEAR}{_END}(?![-_]{_MONTH}{_END}))"
    rf"|(?P<six>\d{{6}}{_END})"
    rf"|(?P<short>{_YEAR}[-_.][0-3]\d\d{_END}|{_ALONE}[0-3]\d\d[-_.]{_YEAR}{_END}(?![-_]{_MONTH}{_END})|"
    rf"(?:{_ALONE}|(?<=[a-z]{{3}})(?<!band|tile|zone)(?<!sat|nel|utm|bio|pei|spi))"
    rf"{_MONTH}[_ ]{_YEAR}{_END}(?![-_]{_MONTH}{_END})"
    rf"|{_ALONE}(?!{_YEAR}){_DAY}{_MONTH}[-_]{_LAST}{_END}|{_YEAR}[-_]d(?:0[1-9]|[12]\d|3[0-6]){_END}"
    rf"|{_ALONE}(?:{'|'.join(DOUBTFUL_MONTHS)}){_YEAR}{_END}))",
    re.IGNORECASE,
)
# before a month that a date is some part of, nobody knows which: end of Dec 2019
_PARTLY = regex(r"(?<![a-z])(?:early|mid|late|end|begin|beginning)(?:[-_. ]of)?[-_. ]\Z", re.IGNORECASE)
_YEARLESS = regex(
    rf"{_ALONE}(?:{_DAY_NUMBER}[-_. ]?(?:{_NAMED})|(?:{_NAMED})[-_. ]?{_DAY}"
    rf"|(?:{_NAMED})[- ]?[1-9]){_END}(?![-_. ]?(?:19|20)\d\d)",
    re.IGNORECASE,
)
_NUMBERS = regex(r"\d+")
_WORD = regex(rf"(?:{_ANY_NAMED})", re.IGNORECASE)
_PENTAD = regex(r"(?<![a-z])p(?:entad)?[-_ ]?[1-6]", re.IGNORECASE)
_TO = regex(r"(?:--?|[_. ]{1,2}|[-_. ]?(?:to|until|bis)[-_. ]?)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Span:
    """Days from the first to the last, both inclusive, in ISO 8601; a moment has its time of day in ``first``."""

    first: str
    last: str

    @property
    def days(self) -> int:
        return (date.fromisoformat(self.last) - date.fromisoformat(self.first[:10])).days + 1

    @property
    def calendar(self) -> bool:
        """Whether it is a day, month or year of the calendar, which its first day stands for."""
        first, last = date.fromisoformat(self.first[:10]), date.fromisoformat(self.last)
        whole = first.day == 1 and (last + timedelta(days=1)).day == 1
        months = 12 * (last.year - first.year) + last.month - first.month
        return first == last or (whole and (months == 0 or (months == 11 and first.month == 1)))

    @property
    def moment(self) -> str | None:
        """The date that stands for the span: its first day where it is one of the calendar, else its middle; None for
        a span of years, which is of no date."""
        if self.calendar:
            return self.first
        if self.days > _LONGEST_SPAN:
            return None
        return (date.fromisoformat(self.first[:10]) + timedelta(days=(self.days - 1) // 2)).isoformat()

    def holds(self, other: Span) -> bool:
        return self.first[:10] <= other.first[:10] and other.last <= self.last


@dataclass(frozen=True, slots=True)
class Dated:
    """What one date of a name may mean, the likeliest first; ``certain`` where nobody would read it otherwise, and the
    ``form`` in which it is written: ``mdy`` where it can only be the month that stands before the day."""

    spans: tuple[Span, ...]
    certain: bool = True
    form: str = ""

    @property
    def day_of_year(self) -> bool:
        """Whether it may be a day of the year apart from its year (2018_273)."""
        return self.form == "short" and self.spans[0].days == 1

    @property
    def month_of_year(self) -> bool:
        """Whether it may be a month of the year apart from its year (09_2018)."""
        return self.form == "short" and len(self.spans) > 1 and 1 < self.spans[0].days <= _ONE_MONTH


def dates_in(stem: str) -> tuple[str, tuple[Dated, ...]]:
    """The name with a mark in the place of each date, and these dates; two with nothing but a dash, or ``to``, between
    them are the ends of one span. Years alone stay in the name: other numbers look like them."""
    return _marked(stem, list(_found(stem)))


def _marked(stem: str, found: list[tuple[int, int, Dated]]) -> tuple[str, tuple[Dated, ...]]:
    rest: list[str] = []
    dates: list[Dated] = []
    place, number = 0, 0
    while number < len(found):
        start, end, dated = found[number]
        following = found[number + 1] if number + 1 < len(found) else None
        if following is not None and _TO.fullmatch(stem, end, following[0]):
            whole = _both(dated, following[2])
            if whole is not None:
                end, dated, number = following[1], Dated((whole,)), number + 1
                if _made_later(stem, found, number):
                    end, number = found[number + 1][1], number + 1
        rest += [stem[place:start], DATE_MARK]
        dates.append(dated)
        place, number = end, number + 1
    return "".join([*rest, stem[place:]]), tuple(dates)


def _both(one: Dated, other: Dated) -> Span | None:
    """The span between two dates; of two that are shortened (230116-230128) the shortest of those that they may be."""
    if one.certain and other.certain:
        return joined(one.spans[0], other.spans[0])
    if not one.form == other.form == "six":
        return None
    pairs = (joined(first, last) for first in one.spans for last in other.spans if first.days == 1)
    spans = sorted((span for span in pairs if span is not None), key=lambda span: span.days)
    return spans[0] if spans and spans[0].days <= _LONGEST_SPAN else None


def _made_later(stem: str, found: list[tuple[int, int, Dated]], number: int) -> bool:
    """Whether behind the first and the last moment of an image stands, in the same form, the moment at which its file
    was made."""
    if number + 1 >= len(found):
        return False
    (_, end, last), (start, _, made) = found[number], found[number + 1]
    moments = [one.spans[0].first for one in (last, made)]
    return stem[end:start] == "_" and all("T" in one for one in moments) and moments[0] <= moments[1]


def has_days(stem: str) -> bool:
    """Whether a name tells days without their year (``15july``)."""
    return _YEARLESS.search(without_accents(stem)) is not None


def without_year(stem: str, year: str) -> tuple[str, tuple[Dated, ...]]:
    """The name with marks in the places of days that it tells without their year (``15july``), and these dates in that
    year; two with nothing but a dash, or ``to``, between them are the ends of one span."""
    found = [
        (one.start(), one.end(), Dated((span,)))
        for one in _YEARLESS.finditer(without_accents(stem))
        for span in _named(f"{one.group()} {year}")
        if span is not None
    ]
    return _marked(stem, found)


def joined(first: Span, last: Span) -> Span | None:
    """The span from one date to another of the same width; None where they are no ends of one."""
    if last.first < first.first or (first.days > 1) != (last.days > 1):
        return None
    return first if first.first[:10] == last.first[:10] else Span(first.first[:10], last.last)


def year_span(year: int | str) -> Span:
    return Span(f"{year}-01-01", f"{year}-12-31")


def day_span(text: str) -> Span:
    """A day, or a moment of it."""
    return Span(text, text[:10])


def _found(stem: str) -> Iterator[tuple[int, int, Dated]]:
    for found in _DATE.finditer(without_accents(stem)):
        text, kind = found.group(), str(found.lastgroup)
        read = list(_READERS[kind](text))
        spans = tuple(dict.fromkeys(span for span in read if span is not None))
        if spans:
            shortened = kind == "six" and spans[0].days == 1  # 180930 may be a number of anything
            form = ("mdy" if read[0] is None else "dmy") if kind in ("dmy", "dmy_apart", "short_dmy") else kind
            partly = spans[0].days > 1 and _PARTLY.search(stem, 0, found.start()) is not None
            certain = len(spans) == 1 and not shortened and not partly and kind != "doubtful"
            yield found.start(), found.end(), Dated(spans, certain, form)


def _day(year: int | str, month: int | str, day: int | str, clock: str = "") -> Span | None:
    try:
        found = date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return None
    parts = [clock[place : place + 2] for place in range(0, 6, 2)]
    time = f"T{':'.join(part or '00' for part in parts)}" if len(clock) >= 4 else ""
    return Span(found + time, found)


def _month(year: int | str, month: int | str, months: int = 1) -> Span:
    last = int(month) + months - 1
    return Span(f"{year}-{int(month):02d}-01", f"{year}-{last:02d}-{monthrange(int(year), last)[1]}")


def _ymd(text: str) -> Iterator[Span | None]:
    digits = _digits(text)
    yield _day(digits[:4], digits[4:6], digits[6:8], f"{digits[8:]}00" if len(digits) == _TO_THE_HOUR else digits[8:14])


def _doy(text: str) -> Iterator[Span | None]:
    digits = _digits(text)
    year, number = int(digits[:4]), int(digits[4:7])
    if 1 <= number <= (date(year + 1, 1, 1) - date(year, 1, 1)).days:
        found = date(year, 1, 1) + timedelta(days=number - 1)
        yield _day(found.year, found.month, found.day, digits[7:13])


def _doy_first(text: str) -> Iterator[Span | None]:
    yield from _doy(text[-4:] + _digits(text)[:3])


def _short(text: str) -> Iterator[Span | None]:
    """A year and a number beside it: a day or month of it, or the year alone and a number of something else."""
    *others, last = _NUMBERS.findall(text)
    number, year = (others[0] if others else "", last) if len(last) == 4 else (last, others[0])
    if len(number) == 3:
        yield from _doy(year + number)
    elif len(number) == 4:
        yield _day(year, number[2:], number[:2])
    elif text[-3:-2] in ("d", "D"):
        yield from _dekad(f"{year} {number}")
    else:
        yield _month(year, number or DOUBTFUL_MONTHS[text[:-4].casefold()])
    yield year_span(year)


def _dmy(text: str) -> Iterator[Span | None]:
    digits = _digits(text)
    one, other, year, clock = digits[:2], digits[2:4], digits[4:8], digits[8:14]
    yield _day(year, other, one, clock)
    yield _day(year, one, other, clock)


def _dmy_apart(text: str) -> Iterator[Span | None]:
    one, other, year = _NUMBERS.findall(text)
    yield _day(year, other, one)
    yield _day(year, one, other)


def _short_dmy(text: str) -> Iterator[Span | None]:
    """Day, month and the last two digits of a year, or month and day; with both digits of each, and no dots, the year
    may stand first."""
    one, other, last = _NUMBERS.findall(text)
    yield _day(_full_year(last), other, one)
    if "." not in text:
        yield _day(_full_year(last), one, other)
        if len(text) == len("18-09-30"):
            yield _day(_full_year(one), other, last)


@cache
def _this_year() -> int:
    """The year after which no image has been taken."""
    return date.today().year


def _full_year(digits: str) -> int:
    return int(digits) + (2000 if int(digits) < 50 else 1900)


def _short_days(text: str) -> Iterator[Span | None]:
    """From one day and month to another of a year."""
    first, last, year = _NUMBERS.findall(text)
    spans = [_day(year, one[2:], one[:2]) for one in (first, last)]
    if spans[0] and spans[1]:
        yield joined(spans[0], spans[1])


def _dotted(text: str) -> Iterator[Span | None]:
    """Dots stand between day, month and year in countries that write them in this order."""
    day, month, rest = text.split(".", 2)
    yield _day(rest[:4], month, day, _digits(rest[4:])[:6])


def _part(text: str) -> Iterator[Span | None]:
    """A dekad or pentad of a month: the last one ends with it."""
    digits = _digits(text)
    word = _WORD.search(text, text.index(digits[0])) if text[0].isalpha() else None
    if len(digits) == len("20181") and digits[:2] in ("19", "20"):
        month, place = _month(digits[:4], MONTH_WORDS[_WORD.findall(text)[0].casefold()]), int(digits[4])
    elif word is not None:
        month, place = _month(digits[1:5], MONTH_WORDS[word[0].casefold()]), int(digits[0])
    elif text[0].isalpha():
        month, place = _month(digits[3:], digits[1:3]), int(digits[0])
    else:
        month, place = _month(digits[:4], digits[4:6]), int(digits[6])
    days = 5 if _PENTAD.search(text) else 10
    if place * days <= 30:
        last = month.last if place * days == 30 else f"{month.last[:8]}{days * place:02d}"
        yield Span(f"{month.first[:8]}{days * (place - 1) + 1:02d}", last)


def _nth_part(text: str) -> Iterator[Span | None]:
    """A dekad by its place before the month: ``2e_decade_juil20``."""
    word = _WORD.findall(text)[-1]
    place, *_, year = _NUMBERS.findall(text)
    yield from _part(f"{year if len(year) == 4 else _full_year(year)}-{MONTH_WORDS[word.casefold()]:02d}-d{place}")


def _dekad(text: str) -> Iterator[Span | None]:
    """A dekad by its number in the year: three a month."""
    one, other = _NUMBERS.findall(text)
    year, number = (one, int(other)) if len(one) == 4 else (other, int(one))
    if 1 <= number <= 36:
        yield from _part(f"{year}-{(number + 2) // 3:02d}-d{(number - 1) % 3 + 1}")


def _days(text: str) -> Iterator[Span | None]:
    first, last, year = _NUMBERS.findall(text)
    word = _WORD.search(text)
    spans = [_day(year, MONTH_WORDS[word[0].casefold()], one) for one in (first, last)] if word else []
    if spans and spans[0] and spans[1]:
        yield joined(spans[0], spans[1])


def _named_months(text: str) -> Iterator[Span | None]:
    """From one month to another of a year; where they are in the other order it may have begun in the year before."""
    first, last = (MONTH_WORDS[word.casefold()] for word in _WORD.findall(text))
    year = int(_digits(text))
    yield Span(_month(year - (first > last), first).first, _month(year, last).last)
    if first > last:
        yield Span(_month(year, last).first, _month(year, first).last)


def _named(text: str) -> Iterator[Span | None]:
    """A month by its name, with its year before or behind it."""
    word = _WORD.search(text)
    name = word[0].casefold() if word else ""
    number = MONTH_WORDS.get(name) or DOUBTFUL_MONTHS[name]
    numbers = _NUMBERS.findall(text)
    year = next(one for one in numbers if len(one) == 4)
    day = next((one for one in numbers if len(one) < 4), None)
    yield _month(year, number) if day is None else _day(year, number, day)


def _short_year(text: str) -> Iterator[Span | None]:
    """A month by its name before the last two digits of its year."""
    word = _WORD.search(text)
    *day, year = _NUMBERS.findall(text)
    full = _full_year(year)
    if word is not None and _MEASURED_FROM <= full <= _this_year():
        number = MONTH_WORDS.get(word[0].casefold()) or DOUBTFUL_MONTHS[word[0].casefold()]
        yield _day(full, number, day[0]) if day else _month(full, number)


def _doubtful(text: str) -> Iterator[Span | None]:
    """A month by a word that is another, too, with its year, or with nothing of it."""
    word = DOUBTFUL_MONTHS[text[: text.index(_digits(text)[0])].rstrip("-_ ").casefold()]
    year = int(_digits(text)) if len(_digits(text)) == 4 else _full_year(_digits(text))
    if _MEASURED_FROM <= year <= _this_year():
        yield _month(year, word)
        if len(_digits(text)) == 4:
            yield year_span(year)


def _years(text: str) -> Iterator[Span | None]:
    """From one year to another by their last two digits: ``84-21``."""
    first, last = (_full_year(digits) for digits in _NUMBERS.findall(text))
    if first < last <= _this_year():
        yield Span(f"{first}-01-01", f"{last}-12-31")


def _worded_year(text: str) -> Iterator[Span | None]:
    """The last two digits of a year behind the word for one: ``ano05``."""
    year = _full_year(_digits(text))
    if _MEASURED_FROM <= year <= _this_year():
        yield year_span(year)


def _week(text: str) -> Iterator[Span | None]:
    one, other = _NUMBERS.findall(text)
    year, number = (one, other) if len(one) == 4 else (other, one)
    try:
        monday = date.fromisocalendar(int(year), int(number), 1)
    except ValueError:
        return
    yield Span(monday.isoformat(), (monday + timedelta(days=6)).isoformat())


def _quarter(text: str) -> Iterator[Span | None]:
    one, other = _NUMBERS.findall(text)
    year, number = (one, other) if len(one) == 4 else (other, one)
    yield _month(year, 3 * int(number) - 2, 3)


def _months(text: str) -> Iterator[Span | None]:
    one, other = _NUMBERS.findall(text)
    yield _month(one, other) if len(one) == 4 else _month(other, one)


def _six(text: str) -> Iterator[Span | None]:
    """Six digits: year and month, month and year, or the last two of a year with month and day before or behind."""
    if text[2:4] in ("19", "20") and "01" <= text[:2] <= "12" and _MEASURED_FROM <= int(text[2:]) <= _this_year():
        yield _month(text[2:], text[:2])
    if text[:2] in ("19", "20") and "01" <= text[4:] <= "12" and int(text[:4]) >= _MEASURED_FROM:
        yield _month(text[:4], text[4:])
    year = _full_year(text[:2])
    if _MEASURED_FROM <= year <= _this_year():
        yield _day(year, text[2:4], text[4:])
    if (
        not (text[:2] in ("19", "20") and "01" <= text[4:] <= "12")
        and _MEASURED_FROM <= _full_year(text[4:]) <= _this_year()
    ):
        yield _day(_full_year(text[4:]), text[2:4], text[:2])


def _digits(text: str) -> str:
    return "".join(_NUMBERS.findall(text))


_READERS: Mapping[str, Callable[[str], Iterator[Span | None]]] = MappingProxyType(
    {
        "ymd": _ymd,
        "doy": _doy,
        "doy_first": _doy_first,
        "dotted": _dotted,
        "dmy": _dmy,
        "dmy_apart": _dmy_apart,
        "short_dmy": _short_dmy,
        "short_days": _short_days,
        "part": _part,
        "nth_part": _nth_part,
        "worded_year": _worded_year,
        "years": _years,
        "dekad": _dekad,
        "days": _days,
        "months": _named_months,
        "named": _named,
        "nymd": _named,
        "short_year": _short_year,
        "doubtful": _doubtful,
        "week": _week,
        "quarter": _quarter,
        "month": _months,
        "six": _six,
        "short": _short,
    }
)
