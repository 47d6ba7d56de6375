"""How each form of a date in a name is read: the spans that it may mean, the likelier first."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Iterator, Mapping
from datetime import date, timedelta
from functools import cache
from types import MappingProxyType

from knowflow.ground.regex import regex
from knowflow.reason.inventory.month_words import ANY_MONTH, DEKAD, DOUBTFUL_MONTHS, MONTH_WORDS
from knowflow.reason.inventory.spans import Span, joined, year_span

_MEASURED_FROM = 1970  # nobody shortens the years of older images
_NUMBERS = regex(r"\d+")
_DAY_FIRST = regex(r"\d(?:u|uur|uhr)$", re.IGNORECASE)  # who tells hours so writes the day before the month
_WORD = regex("|".join([ANY_MONTH, *sorted(DOUBTFUL_MONTHS, key=len, reverse=True)]), re.IGNORECASE)
_TWO_WORDS = regex(rf"({ANY_MONTH})[^A-Za-z]*(?:(?:to|until|bis)[^A-Za-z]*)?({ANY_MONTH})", re.IGNORECASE)
_PART_WORD = regex(rf"de[kc]ad[a-z]*|{DEKAD}", re.IGNORECASE)
_PENTAD = regex(r"(?<![a-z])p(?:entad)?[-_ ]?[1-6]", re.IGNORECASE)


def _day(year: int | str, month: int | str, day: int | str, clock: str = "") -> Span | None:
    try:
        found = date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return None
    parts = [clock[place : place + 2] for place in range(0, 6, 2)]
    time = f"T{':'.join(part or '00' for part in parts)}" if clock else ""
    return Span(found + time, found)


def _month(year: int | str, month: int | str, months: int = 1) -> Span:
    last = int(month) + months - 1
    return Span(f"{year}-{int(month):02d}-01", f"{year}-{last:02d}-{monthrange(int(year), last)[1]}")


def _ymd(text: str) -> Iterator[Span | None]:
    digits = _digits(text)
    yield _day(digits[:4], digits[4:6], digits[6:8], digits[8:14])


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
        yield from (_month(year, one) for one in ((number,) if number else DOUBTFUL_MONTHS[text[:-4].casefold()]))
    yield year_span(year)


def _dmy(text: str) -> Iterator[Span | None]:
    digits = _digits(text)
    one, other, year, clock = digits[:2], digits[2:4], digits[4:8], digits[8:14]
    yield _day(year, other, one, clock)
    if not _DAY_FIRST.search(text):
        yield _day(year, one, other, clock)


def _dmy_apart(text: str) -> Iterator[Span | None]:
    one, other, year = _NUMBERS.findall(text)
    yield _day(year, other, one)
    yield _day(year, one, other)


def _by_signs(text: str) -> Iterator[Span | None]:
    """Year, month and day, each before the sign of it."""
    year, month, *day = _NUMBERS.findall(text)
    yield _day(year, month, day[0]) if day else _month(year, month)


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
    digits, word = _digits(text), _WORD.search(_PART_WORD.sub(" ", text))
    if word is not None:
        place, *_, year = sorted(_NUMBERS.findall(text), key=len)
        full = int(year) if len(year) == 4 else _full_year(year)
        month, place = _month(full, MONTH_WORDS[word[0].casefold()]), int(place)
    elif text[0].isalpha() and len(_NUMBERS.findall(text)[0]) < 4:
        month, place = _month(digits[3:], digits[1:3]), int(digits[0])
    elif len(_NUMBERS.findall(text)[0]) == 2:
        month, place = _month(digits[2:6], digits[:2]), int(digits[6])
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


def _worded(text: str) -> Iterator[Span | None]:
    """A month, and days of it, each told to be that: ``2019 month01 day 11-20``."""
    numbers = _NUMBERS.findall(text)
    year, month, *days = numbers if len(numbers[0]) == 4 else reversed(numbers)
    spans = [_day(year, month, day) for day in days]
    if not spans:
        yield _month(year, month)
    elif (first := spans[0]) and (last := spans[-1]) and first.first <= last.first:
        yield joined(first, last)


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
    found = _TWO_WORDS.search(text)
    if found is None:
        return
    first, last = (MONTH_WORDS[word.casefold()] for word in found.groups())
    year = int(_digits(text))
    yield Span(_month(year - (first > last), first).first, _month(year, last).last)
    if first > last:
        yield Span(_month(year, last).first, _month(year, first).last)


def read_named(text: str) -> Iterator[Span | None]:
    """A month by its name, with its year before or behind it."""
    word = _WORD.search(text)
    name = word[0].casefold() if word else ""
    months = (MONTH_WORDS[name],) if name in MONTH_WORDS else DOUBTFUL_MONTHS[name]
    numbers = _NUMBERS.findall(text)
    year = next(one for one in numbers if len(one) == 4)
    day = next((one for one in numbers if len(one) < 4), None)
    for number in months:
        yield _month(year, number) if day is None else _day(year, number, day)


def _short_year(text: str) -> Iterator[Span | None]:
    """A month by its name before the last two digits of its year; with two numbers behind it (``JUL08_22``) the day
    of the year that the other is, or the month of the first one."""
    word = _WORD.search(text)
    *day, year = _NUMBERS.findall(text)
    full = _full_year(year)
    if word is not None and _MEASURED_FROM <= full <= _this_year():
        name = word[0].casefold()
        for number in (MONTH_WORDS[name],) if name in MONTH_WORDS else DOUBTFUL_MONTHS[name]:
            yield _day(full, number, day[0]) if day else _month(full, number)
        if day and text[0].isalpha() and _full_year(day[0]) <= _this_year():
            yield _month(_full_year(day[0]), number)


def _doubtful(text: str) -> Iterator[Span | None]:
    """A month by a word that is another, too, with its year, or with nothing of it."""
    months = DOUBTFUL_MONTHS[text[: text.index(_digits(text)[0])].rstrip("-_ ").casefold()]
    year = int(_digits(text)) if len(_digits(text)) == 4 else _full_year(_digits(text))
    if _MEASURED_FROM <= year <= _this_year():
        yield from (_month(year, one) for one in months)
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
    """Six digits: year and month, month and year, or the last two of a year with month and day before or behind; where
    nothing else is possible with the month before the day."""
    found: list[Span | None] = []
    if text[2:4] in ("19", "20") and "01" <= text[:2] <= "12" and _MEASURED_FROM <= int(text[2:]) <= _this_year():
        found.append(_month(text[2:], text[:2]))
    by_month = text[:2] in ("19", "20") and "01" <= text[4:] <= "12"
    if by_month and int(text[:4]) >= _MEASURED_FROM:
        found.append(_month(text[:4], text[4:]))
    found.append(day_of_six(text, "ymd"))
    found += [] if by_month else [day_of_six(text, "dmy")]
    yield from found if any(found) or by_month else (day_of_six(text, "mdy"),)


def day_of_six(digits: str, order: str) -> Span | None:
    """The day of six digits in an order (``ymd``, ``dmy``, ``mdy``); None where they are none, or one to come."""
    parts = {letter: digits[2 * place : 2 * place + 2] for place, letter in enumerate(order)}
    year = _full_year(parts["y"])
    found = _day(year, parts["m"], parts["d"]) if _MEASURED_FROM <= year <= _this_year() else None
    return found if found is not None and found.last <= date.today().isoformat() else None


def _digits(text: str) -> str:
    return "".join(_NUMBERS.findall(text))


READERS: Mapping[str, Callable[[str], Iterator[Span | None]]] = MappingProxyType(
    {
        "ymd": _ymd,
        "doy": _doy,
        "doy_first": _doy_first,
        "dotted": _dotted,
        "dmy": _dmy,
        "dmy_apart": _dmy_apart,
        "by_signs": _by_signs,
        "short_dmy": _short_dmy,
        "short_days": _short_days,
        "part": _part,
        "nth_part": _nth_part,
        "worded_year": _worded_year,
        "years": _years,
        "worded": _worded,
        "dekad": _dekad,
        "days": _days,
        "months": _named_months,
        "named": read_named,
        "nymd": read_named,
        "short_year": _short_year,
        "doubtful": _doubtful,
        "week": _week,
        "quarter": _quarter,
        "month": _months,
        "six": _six,
        "short": _short,
    }
)
"""The reader of each form."""
