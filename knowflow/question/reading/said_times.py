"""The dates that words name: years, months, days, seasons, as they are written in sentences."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterable, Iterator, Sequence, Set
from datetime import date, timedelta
from itertools import pairwise

from knowflow.knowledge.words import MONTHS, NUMBER_WORDS, ORDINAL_WORDS, SHORT_MONTHS
from knowflow.question.reading.said_lengths import PARTS_OF_MONTH, part_of_month
from knowflow.question.times import SEASONS, Times, season_of, season_year, times

_YEARS = range(1900, 2101)
_COUNTED = frozenset(
    ("m", "metre", "metres", "meter", "meters", "mm", "cm", "km", "ft", "ha", "hectares", "people", "t", "tonnes")
)
"""What a number before it counts, which is no year then."""
_TO = ("to", "until", "till", "through", "-")
_TAKEN = ("composites", "flights", "surveys", "overpasses", "mosaics")
_PERIODS = {
    **dict.fromkeys(("years", "annual", "yearly"), "year"),
    **dict.fromkeys(("months", "monthly"), "month"),
    **dict.fromkeys(("dates", "scenes", "images", "acquisitions", "days", "daily", "maps", *_TAKEN), "date"),
}
_ENDS = {"first": 0, "earliest": 0, "oldest": 0, "last": -1, "latest": -1, "newest": -1, "final": -1, "recent": -1}
_ACQUISITIONS = (
    *("date", "day", "image", "scene", "acquisition", "overpass", "observation", "picture", "composite", "flight"),
)
_PARTS = ("first", "second", "third", "fourth", "last")
_THIRDS = {
    **dict.fromkeys(("early", "start", "beginning"), (1, 10)),
    **dict.fromkeys(("mid", "middle"), (11, 20)),
    **dict.fromkeys(("late", "end"), (21, 31)),
}
"""The days of parts of a month: mid July."""
_DAYS_OF = {"days": 1, "weeks": 7}
_FEASTS = {
    ("new", "year", "'s", "day"): (1, 1),
    ("new", "year", "'s", "eve"): (12, 31),
    ("christmas", "day"): (12, 25),
    ("christmas", "eve"): (12, 24),
}
_ALIKE = {"fall": "autumn"}


def said_times(words: Sequence[str]) -> Iterator[tuple[int, int, Times]]:
    """All dates that some of the words name, each with its first word and the one past its last: of ``April 2015-2020``
    and ``April of 2015-2020`` April and the years, and no April 2015."""
    for start in range(len(words)):
        for end in range(start + 1, min(start + 6, len(words)) + 1):
            years = start + 2 if words[start + 1 : start + 2] == ["of"] else start + 1
            if end == years + 1 and _month(words[start]) and _begin_years(words[years:]):
                continue
            found = _named([word for word in words[start:end] if word not in ("of", "the")])
            if found is not None and words[start] not in ("of", "the") and words[end - 1] not in ("of", "the"):
                yield start, end, found


def said_pairs(words: Sequence[str]) -> Iterator[tuple[int, int, tuple[Times, ...]]]:
    """The same part of several years: ``the summers of 2016 and 2017``; the earlier first."""
    for start in range(len(words)):
        for end in range(start + 4, min(start + 12, len(words)) + 1):
            said = [word for word in words[start:end] if word not in ("of", "and")]
            years = [word for word in said if _year(word)]
            part = said[: len(said) - len(years)]
            if len(years) < 2 or said[len(part) :] != years or words[end - 2] != "and" or not part:
                continue
            part = [part[0].removesuffix("s")] if len(part) == 1 and _season(part[0]) else part
            months = _months(part) if len(part) > 2 else None
            each = (_in_year(*months, int(year)) if months else _named([*part, year]) for year in years)
            found = sorted((one for one in each if one is not None), key=str)
            if len(found) == len(years):
                yield start, end, tuple(found)


def said_of_data(words: Sequence[str], dates: Sequence[date]) -> Iterator[tuple[int, int, Times]]:
    """``four summers``, where the data have that many; ``June and July``, where they are of one year."""
    years = {day.year for day in dates}
    for start in range(len(words) - 2) if len(years) == 1 else ():
        first, last = MONTHS.get(words[start], 0), MONTHS.get(words[start + 2], 0)
        apart = start + 3 == len(words) or not _year(words[start + 3])
        if first and last == first + 1 and words[start + 1] == "and" and apart:
            year = next(iter(years))
            yield start, start + 3, Times(date(year, first, 1), date(year, last, monthrange(year, last)[1]))
    yield from _parts_of_months(words, dates)
    yield from _so_many_dates(words, dates)
    for start, (word, behind) in enumerate(pairwise(words)):
        number = NUMBER_WORDS.get(word, int(word) if word.isdigit() and len(word) < 3 else 0)
        season = _season(behind) if behind.endswith("s") else ""
        if season and number:
            years = {season_year(day) for day in dates if season_of(day, south=False) == season}
            if len(years) == number:
                yield start, start + 2, Times(season=season)


def _so_many_dates(words: Sequence[str], dates: Sequence[date]) -> Iterator[tuple[int, int, Times]]:
    """``the three composites of 2020``, where the data have that many dates of it."""
    counted = [(start, number) for start, number, grain in _counted(words) if grain == "date"]
    for start, number in counted:
        for first, beyond, when in said_times(words) if words[start + 2 : start + 3] in (["of"], ["in"]) else ():
            held = [day for day in dates if when.holds(day)]
            if first == start + 3 and when.first is not None and len(held) == number:
                yield start, beyond, when


def said_months(words: Sequence[str], dates: Sequence[date]) -> Iterator[tuple[int, Times]]:
    """Months without their year, of the only one that the data have: ``since May``."""
    years = {day.year for day in dates}
    for start, (word, after) in enumerate(pairwise((*words, ""))) if len(years) == 1 else ():
        if _month(word) and not _year(after):
            yield start, _in_year(_month(word), _month(word), next(iter(years)))


def years_apart(
    words: Sequence[str], mapped: Iterable[Sequence[int]]
) -> Iterator[tuple[int, int, tuple[Times, Times]]]:
    """``over the twenty years`` that lie between the first and the last map of something: from one to the other."""
    ends = {(min(years), max(years)) for years in mapped if years}
    for start, number, grain in _counted(words):
        found = [(first, last) for first, last in ends if (grain, last - first) == ("year", number)]
        if len(found) == 1:
            yield start, start + 2, (_in_year(1, 12, found[0][0]), _in_year(1, 12, found[0][1]))


def _parts_of_months(words: Sequence[str], dates: Sequence[date]) -> Iterator[tuple[int, int, Times]]:
    """``mid June``, ``the last ten days of June``, of the only year that the sentence tells, or in which the data have
    dates of the month."""
    said = {int(word) for word, after in pairwise((*words, "")) if _year(word) and after not in _COUNTED}
    for start, word in enumerate(words):
        of_dekads = {word, *words[start + 1 : start + 2]} & PARTS_OF_MONTH.keys()
        for end in range(start + 2, min(start + 6, len(words) + 1)) if word in (*_THIRDS, *_PARTS) or of_dekads else ():
            month = _month(words[end - 1])
            if not month or (end < len(words) and _year(words[end])):
                continue
            only = said or {day.year for day in dates if day.month == month}
            told = [one for one in words[start:end] if one not in ("of", "the")]
            when = _named([*told, str(next(iter(only)))]) if len(only) == 1 else None
            if when is not None:
                yield start, end, when


def said_either_way(words: Sequence[str], dates: Set[date]) -> Iterator[tuple[int, int, Times]]:
    """``5/7/2021``, of which nobody knows which is the month: where the data have one of both days."""
    for start in range(len(words) - 4):
        match words[start : start + 5]:
            case [one, "/", other, "/", year] if _year(year) and one.isdigit() and other.isdigit():
                days = (_on(year, int(other), int(one)), _on(year, int(one), int(other)))
                held = {when for when in days if when is not None and when.first in dates}
                yield from ((start, start + 5, when) for when in held if len(held) == 1)


def said_ends(words: Sequence[str], dates: Sequence[date]) -> Iterator[tuple[int, int, Times]]:
    """The first or the last date that the data have: ``the latest image``, ``the most recent scene of 2017``, ``from
    the first to the last date``; ``dates`` ascend."""
    told = list(said_times(words))
    for start, word in enumerate(words):
        if word not in _ENDS:
            continue
        behind = words[start + 1 : start + 4]
        named = behind[:1] and behind[0] in _ACQUISITIONS
        if not named and not (len(behind) > 2 and behind[0] in (*_TO, "and") and behind[1] in _ENDS):
            continue
        begun = start - 1 if start and words[start - 1] == "most" else start
        end = start + 2 if named else start + 1
        yield from _at_end(begun, end, word, dates)
        for first, beyond, when in told if words[end : end + 1] in (["of"], ["in"]) else ():
            if first == end + 1:
                yield from _at_end(begun, beyond, word, [day for day in dates if when.holds(day)])


def _at_end(start: int, end: int, which: str, dates: Sequence[date]) -> Iterator[tuple[int, int, Times]]:
    if dates:
        day = dates[_ENDS[which]]
        yield start, end, Times(day, day)


def said_spans(words: Sequence[str]) -> Iterator[tuple[int, int, Times]]:
    """Months up to a later one: ``June to August 2021``, ``June, July and August``, of a year or of any."""
    for start in range(len(words)):
        for end in range(start + 3, min(start + 14, len(words) + 1)):
            found = _months(words[start:end])
            if found is not None:
                yield start, end, Times(month=found[0], until=found[1])
                behind = words[end : end + 2]
                year = next((one for one in behind if one != "of"), "")
                if _year(year):
                    yield start, end + 1 + behind.index(year), _in_year(*found, int(year))


def _begin_years(words: Sequence[str]) -> bool:
    """Whether words begin with two years and a dash between them."""
    first, dash, last = (*words[:3], "", "", "")[:3]
    return dash == "-" and _year(first) and _year(last) and first < last


def _months(words: Sequence[str]) -> tuple[int, int] | None:
    """The first and the last of months that are told one after the other, or by these two."""
    *front, joins, last = words
    numbers = [_month(month) for month in (*front, last)]
    listed = joins == "and" and numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    spanned = joins in _TO and len(numbers) == 2 and numbers[0] < numbers[1]
    return (numbers[0], numbers[-1]) if numbers[0] and (listed or spanned) else None


def _in_year(first: int, last: int, year: int) -> Times:
    return Times(date(year, first, 1), date(year, last, monthrange(year, last)[1]))


def periods(dates: Sequence[date]) -> dict[str, int]:
    """How many dates, months and years there are."""
    months = {(day.year, day.month) for day in dates}
    return {"year": len({day.year for day in dates}), "month": len(months), "date": len(set(dates))}


def said_all(words: Sequence[str], dates: Sequence[date]) -> Iterator[tuple[int, int, str]]:
    """As many dates or periods as the data have, which are all of them: ``the three years``, ``all 24``."""
    held = periods(dates)
    for start, number, grain in _counted(words):
        if number == held[grain]:
            yield start, start + 2, grain
    for start, (word, behind) in enumerate(pairwise(words)):
        if word == "all" and behind.isdigit() and int(behind) in held.values():
            yield start, start + 2, next(grain for grain, number in held.items() if number == int(behind))


def said_dates(words: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """Numbers of dates: ``the five days``, ``five-day``."""
    for start, number, grain in _counted(words):
        if grain == "date":
            yield start, start + 2, number
    for start, (word, behind) in enumerate(pairwise(words)):
        number = _number(word)
        if number > 1 and behind == "day":
            yield start, start + 2, number


def said_days_of_year(
    words: Sequence[str], dates: Sequence[date], days: Iterable[date] = ()
) -> Iterator[tuple[int, int, Times]]:
    """Days without their year, where the sentence tells one year alone, or the data have no other, or have that day in
    no other; ``days`` are those of their rows."""
    said = {int(word) for word, after in pairwise((*words, "")) if _year(word) and after not in _COUNTED}
    years = said or {day.year for day in dates}
    only = str(next(iter(years))) if len(years) == 1 else ""
    months = {(day.year, day.month) for day in dates}
    for start, end, (day, month) in said_days(words):
        if not month and len(months) == 1 and not words[start].isdigit():  # the 28th, of the only month that there is
            month = next(iter(months))[1]
        own = {one.year for one in (*dates, *days) if (one.day, one.month) == (day, month)}
        year = only or (str(own.pop()) if len(own) == 1 and not said else "")
        told = end < len(words) and (_year(words[end]) or words[end] in ("-", "."))
        found = _on(year, month, day) if month and year and not told else None
        if found is not None:
            yield start, end, found


def all_of(words: Sequence[str], years: int) -> Iterator[int]:
    """Where as many years, or maps of years, are told: ``the three years``, ``both maps``."""
    counted = (start for start, number, grain in _counted(words) if number == years and grain != "month")
    yield from (start for start in counted if words[start + 1] in ("years", "maps"))


def _counted(words: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    for start, (word, behind) in enumerate(pairwise(words)):
        number = 2 if word == "both" else _number(word)
        if number > 1 and behind in _PERIODS:
            yield start, number, _PERIODS[behind]


def said_days(words: Sequence[str]) -> Iterator[tuple[int, int, tuple[int, int]]]:
    """Days without their year, or without their month as well (0), which another time of the sentence has."""
    for start, word in enumerate(words):
        if _day(word):
            yield start, start + 1, (_day(word), 0)
        for end in range(start + 2, min(start + 4, len(words)) + 1):
            told = [one for one in words[start:end] if one not in ("of", "the")]
            if len(told) == 2 and (word, words[end - 1]) == (told[0], told[1]):
                day, month = told if _day(word) else reversed(told)
                if _day(day) and _month(month):
                    yield start, end, (_day(day), _month(month))


def _named(words: Sequence[str]) -> Times | None:
    feast = next((day for name, day in _FEASTS.items() if tuple(words[:-1]) == name and _year(words[-1])), None)
    if feast is not None:
        return _on(words[-1], *feast)
    match [word for word in words if word != "-"] if words and words[0] in _THIRDS else words:
        case [word] | ["year", word] if _year(word):
            return times(word)
        case [word] if month := _month(word) or MONTHS.get(word.removesuffix("s")):
            return Times(month=month)
        case [word] if _year(word[:-1]) and word.endswith("0s"):  # the 2010s
            return Times(date(int(word[:-1]), 1, 1), date(int(word[:-1]) + 9, 12, 31))
        case [word, "months", *rest] if _season(word):
            return _named([word, *rest])
        case ["winter", year, ("/" | "-"), last] if _year(year) and last in (
            f"{int(year) + 1}",
            f"{int(year) + 1}"[2:],
        ):
            return Times(season="winter", year=int(year) + 1)
        case [word, *rest] if season := _season(word):
            one = not rest or (_year(rest[-1]) and not word.endswith("s"))
            return times(" ".join([season, *rest])) if one else None
        case [third, month, year] if third in _THIRDS and _month(month) and _year(year):
            begin, end = _THIRDS[third]
            days = monthrange(int(year), _month(month))[1]
            return Times(date(int(year), _month(month), begin), date(int(year), _month(month), min(end, days)))
        case [which, part, month, year] if part in PARTS_OF_MONTH and _month(month) and _year(year):
            place = -1 if which == "last" else _day(which)
            return part_of_month(place, PARTS_OF_MONTH[part], int(year), _month(month)) if place else None
        case [part, which, month, year] if part in PARTS_OF_MONTH and which.isdigit() and _month(month) and _year(year):
            return part_of_month(int(which), PARTS_OF_MONTH[part], int(year), _month(month))
        case [which, *part, month, year] if which in _PARTS and part and _month(month) and _year(year):
            return _days_of_month(which, part, int(year), _month(month))
        case [which, *part, year] if which in _PARTS and _year(year) and (found := _part(which, part)):
            return _in_year(*found, int(year))
        case [year, "-", month] if _year(year) and len(month) == 2:
            return times(f"{year}-{month}")
        case [year, ("-" | "/") as mark, month, last, day] if mark == last and _year(year) and len(month + day) == 4:
            return times(f"{year}-{month}-{day}")
        case [day, "/", month, "/", year] if _year(year) and month.isdigit() and _day(day) > 12:
            return _on(year, int(month), _day(day))  # of 5/7/2021 nobody knows which is the month
        case [day_month, year] if _year(year) and day_month.count(".") == 1:
            first, second = day_month.split(".")
            known = first.isdigit() and second.isdigit()
            return _on(year, int(second), int(first)) if known else None
        case ["doy" | "day", number, year] if _year(year) and number.isdigit() and len(number) == 3:
            return _day_of_year(int(year), int(number))
        case [month, year] if _month(month) and _year(year):
            return times(f"{year}-{_month(month):02}")
        case [day, month, year] if _month(month) and _year(year) and _day(day):
            return _on(year, _month(month), _day(day))
        case [month, day, *marks, year] if _month(month) and _year(year) and _day(day) and not marks:
            return _on(year, _month(month), _day(day))
    return None


def _day_of_year(year: int, number: int) -> Times | None:
    """``day 257 of 2019``."""
    one = date(year, 1, 1) + timedelta(days=number - 1)
    return Times(one, one) if number and one.year == year else None


def _part(which: str, part: Sequence[str]) -> tuple[int, int] | None:
    """Months of a part of a year: ``first half``, ``last three months``."""
    if part == ["quarter"]:
        place = min(_PARTS.index(which), 3)
        return 3 * place + 1, 3 * place + 3
    number = 6 if part == ["half"] and which not in ("third", "fourth") else 0
    if len(part) == 2 and part[1] == "months" and which in ("first", "last"):
        number = _number(part[0])
    if not 0 < number < 12:
        return None
    return (1, number) if which == "first" else (13 - number, 12)


def _days_of_month(which: str, part: Sequence[str], year: int, month: int) -> Times | None:
    """``the last ten days of April``, ``the second week of May``."""
    days = monthrange(year, month)[1]
    at = 0 if which == "last" else _PARTS.index(which)
    match part:
        case ["week"]:
            begin, end = (days - 6, days) if which == "last" else (7 * at + 1, 7 * at + 7)
        case [number, ("days" | "weeks") as unit] if not at and 0 < (n := _number(number) * _DAYS_OF[unit]) < days:
            begin, end = (days - n + 1, days) if which == "last" else (1, n)
        case _:
            return None
    return Times(date(year, month, begin), date(year, month, end))


def _number(word: str) -> int:
    return NUMBER_WORDS.get(word, int(word) if word.isdigit() and len(word) < 4 else 0)


def _on(year: str, month: int, day: int) -> Times | None:
    try:
        one = date(int(year), month, day)
    except ValueError:
        return None
    return Times(one, one)


def _season(word: str) -> str:
    """The season that a word is: ``summer``, ``summers``."""
    one = word if word in SEASONS else word.removesuffix("s")
    return next((name for name in (one, _ALIKE.get(word, "")) if name in SEASONS), "")


def _year(word: str) -> bool:
    return len(word) == 4 and word.isdigit() and int(word) in _YEARS


def _month(word: str) -> int:
    return MONTHS.get(word, 0) or SHORT_MONTHS.get(word, 0)


def is_month(word: str) -> bool:
    """Whether a word names a month."""
    return bool(_month(word))


def _day(word: str) -> int:
    digits = word if word.isdigit() else word[:-2] if word[-2:] in ("st", "nd", "rd", "th") else ""
    number = int(digits) if digits.isdigit() else ORDINAL_WORDS.get(word, 0)
    return number if 1 <= number <= 31 else 0
