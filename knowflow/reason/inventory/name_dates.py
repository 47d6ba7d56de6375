"""Dates as people and producers write them into names of files, in every usual form, with what remains of the name.

A date is a span of days, as wide as it is told: ``2018-09`` is all of September. What may be read in two ways
(``03-04-2018``, ``201211``) has several spans, the likelier first, and is decided elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from knowflow.ground.regex import regex
from knowflow.reason.inventory.date_readers import READERS, read_named
from knowflow.reason.inventory.month_words import ANY_MONTH as _NAMED
from knowflow.reason.inventory.month_words import BEFORE_A_YEAR, DEKAD, DOUBTFUL_MONTHS, without_accents
from knowflow.reason.inventory.spans import Span, joined

DATE_MARK = "\x01"
"""What stands for a date in the rest of a name."""
_ONE_MONTH = 31  # days
_LONGEST_SPAN = 366  # days of which the middle may stand for all of them

_YEAR, _MONTH, _DAY = r"(?:19|20)\d\d", r"(?:0[1-9]|1[0-2])", r"(?:0[1-9]|[12]\d|3[01])"
_MONTH_NUMBER, _DAY_NUMBER = r"(?:1[0-2]|0?[1-9])", r"(?:[12]\d|3[01]|0?[1-9])"
_HOUR = r"(?:[01]\d|2[0-3])"
_CLOCK = (
    rf"(?:(?![_ -]{_YEAR}[-_.]{_MONTH}[-_.]{_DAY})"
    r"[T_ -]?T?(?:[01]\d|2[0-3])[-:.]?[0-5]\d(?:[-:.]?[0-5]\d)?(?:[.,]\d+)?Z?(?![0-9A-Za-z])"
    rf"|T{_HOUR}Z?(?![0-9A-Za-z])|[_ -]?{_HOUR}(?:h|hrs?|u|uur|uhr|z|utc)(?![0-9A-Za-z]))?(?!\d|k?m(?![a-z]))"
)
_ANY_NAMED = "|".join([_NAMED, *sorted(DOUBTFUL_MONTHS, key=len, reverse=True)])
_END, _ALONE = r"(?![0-9A-Za-z])", r"(?<![0-9A-Za-z])"
_LAST = rf"{_YEAR}(?!\d|[-_.]{_MONTH}[-_.]{_DAY}(?!\d))"  # a year behind the rest of its date, none that begins another
_UNTIL = r"[-_ ]?(?:-|to|until|bis)[-_ ]?"
PARTS = rf"dk|dkd|dek|dekad|dekade|dekada|dekaden|decade|decada|{DEKAD}|pentad"
"""A pattern of the words for parts of a month."""
_PART = rf"(?:d|p|{PARTS})"
NTH = r"e|er|ere|eme|ma|a|o|st|nd|rd|th|\."
_WEEK = (
    r"(?:kw|wk|week|woche|semaine|semana|sem|sett|settimana|saptamana|tydzien|tyden|tyzden|tjedan|teden|uge|uke|vecka|hafta"
    r"|viikko)"
)
_MONTH_WORD = (
    r"(?:month|mes|mois|monat|mese|maand|miesiac|mesic|mesiac|mesec|mjesec|maned|manad|luna|kuukausi|ay|honap|bulan"
    r"|thang)"
)
_DAY_WORD = r"(?:days?|dias?|jours?|tage?|giorn[io]|dag(?:en)?|dni|den|dan|dzien|zi(?:ua|le)?|gun|nap|hari)"
_WORDED_DAYS = rf"(?:[-_. ]{_DAY_WORD}[-_ ]?{_DAY_NUMBER}(?:{_UNTIL}{_DAY_NUMBER})?)?"
# what a number before a year may belong to, and is no month then: the level, part or scale of something
_OF_A_PART = "".join(
    rf"(?<!{word}[-_ ])"
    for word in ("band", "tile", "zone", "part", "level", "layer", "bio", "spi", "spei", "site", "plot", "run")
)
_NO_SPAN = rf"(?!-{_YEAR}(?!\d))"  # and of a month of many years there is no day: 07_1981-2010
# from the most telling to the least; before a date may stand a letter (A2018273, E2020), never a digit
_DATE = regex(
    rf"(?<!\d)(?:(?P<ymd>{_YEAR}(?P<_a>[-_. ]?){_MONTH}(?P=_a){_DAY}{_CLOCK}|{_YEAR}{_MONTH}{_DAY}{_HOUR}(?!\d)"
    rf"|{_YEAR}[m_-]{_MONTH}{_DAY}(?!\d)|{_ALONE}y{_YEAR}[-_]?m{_MONTH}[-_]?d{_DAY}{_END})"
    rf"|(?P<doy>{_YEAR}(?:[-_. ]?doy[-_. ]?)?[0-3]\d\d{_CLOCK})"
    rf"|(?P<doy_first>doy[-_. ]?[0-3]\d\d[-_. ]{_LAST})"
    rf"|(?P<dotted>(?<!\d\.){_DAY_NUMBER}\.{_MONTH_NUMBER}\.{_YEAR}{_CLOCK})"
    rf"|(?P<dmy>(?:{_DAY}(?P<_b>[-_ ]){_DAY}(?P=_b)|{_DAY}{_DAY}){_YEAR}{_CLOCK})"
    rf"|(?P<dmy_apart>{_ALONE}(?<!\d-)(?=\d-|\d\d-\d-){_DAY_NUMBER}-{_DAY_NUMBER}-{_LAST}(?![-_]{_YEAR}))"
    rf"|(?P<by_signs>{_YEAR}年{_MONTH_NUMBER}月(?:{_DAY_NUMBER}[日号])?)"
    rf"|(?P<short_dmy>{_ALONE}(?<!\d[-.])(?!\d\.){_DAY_NUMBER}(?P<_f>[-.])"
    rf"(?:{_MONTH_NUMBER}|(?<=-){_DAY_NUMBER})(?P=_f)\d\d{_END}(?![-.]\d))"
    rf"|(?P<part>{_YEAR}[-_. ]?{_MONTH}[-_. ]?{_PART}[-_ ]?[1-6]{_END}"
    rf"|{_ALONE}(?:{_NAMED})[-_. ]?{_YEAR}[-_. ]{_PART}[-_ ]?[1-6]{_END}"
    rf"|{_YEAR}[-_. ]?(?:{_NAMED})[-_. ]{_PART}[-_ ]?[1-6]{_END}"
    rf"|{_ALONE}{_PART}[-_ ]?[1-6][-_ ]?(?:{_NAMED})[-_. ]?{_LAST}"
    rf"|{_ALONE}(?:{_NAMED})(?:\d\d[-_. ]{_PART}[-_ ]?[1-6]{_END}(?![-_. ]{_YEAR})"
    rf"|[-_. ]{_PART}[-_ ]?[1-6][-_. ]{_LAST})"
    rf"|{_ALONE}{_PART}[-_ ]?[1-6][-_. ]{_MONTH}[-_. ]{_LAST}"
    rf"|{_ALONE}(?:dek|dekad|dekade|dekada|decade|decada|pentad)[-_. ]{_YEAR}(?P<_g>[-_.]?){_MONTH}(?P=_g)[1-6]{_END}"
    rf"|{_ALONE}{_MONTH}[-_. ]{_YEAR}[-_. ]{_PART}[-_ ]?[1-6]{_END})"
    rf"|(?P<nth_part>{_ALONE}[1-3](?:(?:{NTH})?[-_ ]?{_PART}|(?:{NTH})[-_ ]?dec)[-_ ]?(?:{_NAMED})[-_. ]?"
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
    rf"|(?P<short_year>{_ALONE}{_DAY_NUMBER}(?P<_e>[-_. ]?)(?:{_ANY_NAMED})(?P=_e)\d\d{_END}"
    rf"|{_ALONE}(?:{_NAMED})\d\d(?:[-_]\d\d)?{_END})"
    rf"|(?P<doubtful>{_ALONE}(?<!data[-_ ])"
    rf"(?:(?:{'|'.join(DOUBTFUL_MONTHS)})\d\d|(?:{'|'.join(BEFORE_A_YEAR)})[-_ ]{_LAST}){_END})"
    rf"|(?P<worded>{_YEAR}[-_. ]{_MONTH_WORD}[-_ ]?{_MONTH_NUMBER}{_WORDED_DAYS}{_END}(?!-\d)"
    rf"|{_ALONE}{_MONTH_WORD}[-_ ]?{_MONTH_NUMBER}[-_. ]{_LAST})"
    rf"|(?P<week>{_YEAR}[-_. ]?(?:w|{_WEEK})[-_ ]?[0-5]?\d{_END}"
    rf"|{_ALONE}{_WEEK}[-_ ]?[0-5]?\d[-_. ]{_LAST})"
    rf"|(?P<worded_year>{_ALONE}(?:ano|anno|jahr|year|yr|annee)[-_ ]?\d\d{_END})"
    rf"|(?P<years>{_ALONE}[789]\d-[0-3]\d{_END}(?!-))"
    rf"|(?P<quarter>{_YEAR}[-_. ]?q[1-4]{_END}|{_ALONE}q[1-4][-_. ]?{_LAST})"
    rf"|(?P<month>{_YEAR}[-_. ]{_MONTH}{_END}|{_ALONE}y{_YEAR}[-_]?m{_MONTH}{_END}"
    rf"|{_ALONE}(?:(?<!\d-){_MONTH}-|(?<!\d\.){_MONTH}\.){_YEAR}{_END}{_NO_SPAN}"
    rf"|(?<=[a-z][-_ ]){_OF_A_PART}{_MONTH}_{_YEAR}{_END}{_NO_SPAN}(?![-_]{_MONTH}{_END}))"
    rf"|(?P<six>\d{{6}}{_END})"
    rf"|(?P<short>{_YEAR}[-_.][0-3]\d\d{_END}|{_ALONE}[0-3]\d\d[-_.]{_YEAR}{_END}(?![-_]{_MONTH}{_END})|"
    rf"(?:{_ALONE}|(?<=[a-z]{{3}})(?<!band|tile|zone)(?<!sat|nel|utm|bio|pei|spi))"
    rf"{_MONTH}[_ ]{_YEAR}{_END}{_NO_SPAN}(?![-_]{_MONTH}{_END})"
    rf"|{_ALONE}(?!{_YEAR}){_DAY}{_MONTH}[-_]{_LAST}{_END}|{_YEAR}[-_]d(?:0[1-9]|[12]\d|3[0-6]){_END}"
    rf"|{_ALONE}(?:{'|'.join(BEFORE_A_YEAR)}){_YEAR}{_END}))",
    re.IGNORECASE,
)
# before a month that a date is some part of, nobody knows which: end of Dec 2019
_PARTLY = regex(r"(?<![a-z])(?:early|mid|late|end|begin|beginning)(?:[-_. ]of)?[-_. ]\Z", re.IGNORECASE)
_YEARLESS = regex(
    rf"{_ALONE}(?:{_DAY_NUMBER}[-_. ]?(?:{_NAMED})|(?:{_NAMED})[-_. ]?{_DAY}"
    rf"|(?:{_NAMED})[- ]?[1-9]){_END}(?![-_. ]?(?:19|20)\d\d)"
    rf"|(?<![0-9A-Za-z.]){_DAY_NUMBER}\. ?{_MONTH_NUMBER}\.(?=[ _-]|\Z)",
    re.IGNORECASE,
)
# when a file was made: the year, day, hour, minute and second of MODIS and VIIRS, and theirs behind a c
_MADE = regex(r"(?:[^0-9A-Za-z]?\d{13}|c\d{11,15})(?![0-9A-Za-z])", re.IGNORECASE)
_PAIRS = regex(r"\d\d-\d\d-\d\d")
_SEA = regex(
    rf"(?<![a-z])((?:del|do|el|al|ao)[-_. ]+)?mar(?![a-z])(?(1)|(?=[-_. ]{_YEAR}[-_.]{_MONTH}(?![0-9A-Za-z])))",
    re.IGNORECASE,
)
"""The sea, where it is called as March is shortened: behind its article, or before a year and the number of a month."""
_WORD = regex(rf"(?:{_ANY_NAMED})", re.IGNORECASE)
_TO = regex(r"(?:--?|[_. ]{1,2}|[-_. ]?(?:to|until|bis)[-_. ]?)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Dated:
    """What one date of a name may mean, the likeliest first; ``certain`` where nobody would read it otherwise, and the
    ``form`` in which it is written: ``mdy`` where it can only be the month that stands before the day. ``word`` is the
    month as it is written where that is a word of its own elsewhere, or what is written in three pairs of digits."""

    spans: tuple[Span, ...]
    certain: bool = True
    form: str = ""
    word: str = ""

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
        for span in _in_year(one.group(), year)
        if span is not None
    ]
    return _marked(stem, found)


def _in_year(text: str, year: str) -> Iterator[Span | None]:
    """A day that is told without its year (``15july``, ``24.5.``) in a year."""
    if text.endswith("."):
        return READERS["dotted"](f"{text.replace(' ', '')}{year}")
    return read_named(f"{text} {year}")


def _without_sea(stem: str) -> str:
    """A name in which the sea of Romance languages is no March: ``nivel_mar_2021_01``, ``temperatura del mar 2021``."""
    return _SEA.sub(lambda one: f"{one[1] or ''}sea", stem)


def _found(stem: str) -> Iterator[tuple[int, int, Dated]]:
    for found in _DATE.finditer(_without_sea(without_accents(stem))):
        text, kind = found.group(), str(found.lastgroup)
        if _MADE.match(stem, max(found.start() - 1, 0)):
            continue
        read = list(READERS[kind](text))
        spans = tuple(dict.fromkeys(span for span in read if span is not None))
        if spans:
            shortened = kind == "six" and spans[0].days == 1  # 180930 may be a number of anything
            form = _order_of(read) if kind in ("dmy", "dmy_apart", "short_dmy") else kind
            partly = spans[0].days > 1 and _PARTLY.search(stem, 0, found.start()) is not None
            certain = len(spans) == 1 and not shortened and not partly and kind != "doubtful"
            word = next((one.casefold() for one in _WORD.findall(text) if one.casefold() in DOUBTFUL_MONTHS), "")
            word = text if kind in ("six", "dmy_apart") or (kind == "short_dmy" and _PAIRS.fullmatch(text)) else word
            yield found.start(), found.end(), Dated(spans, certain, form, word)


def _order_of(read: Sequence[Span | None]) -> str:
    """Whether the day or the month stands first; of the fourth of the fourth nobody can tell."""
    if read[0] is None:
        return "mdy"
    return "" if read[0] in read[1:] else "dmy"
