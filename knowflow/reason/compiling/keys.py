"""Keys of time as text: which period a day lies in, from when to when it goes, and how much of it dates cover."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from itertools import pairwise
from statistics import median

from knowflow.question.times import ANY_YEAR, MONTHS, season_of, season_year

COVERED = 0.8
"""The share of a period that dates have to cover for it to count among trends and extremes of periods."""
_LONGEST_GAP = 1.5  # usual steps from one date to the next, beyond which one is missing
_FIRST_OF_SEASON = (12, 3, 6, 9)
_LONGEST_MONTH = 31  # days
_NEARLY_ALL = 0.8
_MONTH_OF_DATE = "month of date"


def period_of(day: str, grain: str, south: bool) -> str:
    """The name of the period of a grain that a day lies in."""
    one = date.fromisoformat(day)
    match grain:
        case "year":
            return day[:4]
        case "month":
            return day[:7]
        case "week":
            return "{}-W{:02}".format(*one.isocalendar()[:2])
        case "season":
            return f"{season_year(one)}-{1 + one.month % 12 // 3}-{season_of(one, south)}"
        case "month_of_year":
            return day[5:7]
    return day


def span(key: str, grain: str) -> tuple[date, date]:
    """The first and the last day of a period that has both."""
    match grain:
        case "year":
            return date(int(key), 1, 1), date(int(key), 12, 31)
        case "month":
            return _months(int(key[:4]), int(key[5:7]), 1)
        case "week":
            first = date.fromisocalendar(int(key[:4]), int(key[6:8]), 1)
            return first, first + timedelta(days=6)
        case "season":
            number = int(key[5])
            return _months(int(key[:4]) - (number == 1), _FIRST_OF_SEASON[number - 1], 3)
    one = date.fromisoformat(key)
    return one, one


def _months(year: int, month: int, number: int) -> tuple[date, date]:
    after = year * 12 + month - 1 + number
    return date(year, month, 1), date(after // 12, after % 12 + 1, 1) - timedelta(days=1)


def middles(keys: Sequence[str], grain: str) -> list[str]:
    """The middles of periods, as dates; of those with an even number of days noon."""
    found = [divmod(_middle(key, grain), 1) for key in keys]
    return [str(date.fromordinal(int(day))) + ("T12:00:00" if part else "") for day, part in found]


def _middle(key: str, grain: str) -> float:
    first, last = span(key, grain)
    return (first.toordinal() + last.toordinal()) / 2


def month_alone(key: str) -> str:
    """A key as it is told: of a month of no year its name."""
    return MONTHS[int(key[5:7]) - 1].title() if of_any_year(key) else key


def of_any_year(key: str) -> bool:
    """Whether a key is of a month of no year."""
    return key.startswith(f"{ANY_YEAR}-")


def joined(keys: Sequence[str], grain: str, usual: float) -> list[int]:
    """Of each key but the first, 1 where none is missing before it: periods touch, dates are near enough."""
    found = []
    for before, after in pairwise(keys):
        gap = (span(after, grain)[0] - span(before, grain)[1]).days
        found.append(int(gap <= _LONGEST_GAP * usual if grain == "date" else gap == 1))
    return found


def usual_step(keys: Sequence[str], grain: str = "date") -> float:
    """The days from a key to the next, as they usually are: their median."""
    gaps = [_middle(after, grain) - _middle(before, grain) for before, after in pairwise(keys)]
    return float(median(gaps)) if gaps else 1.0


Spans = Mapping[str, tuple[str, str]]
"""By the day of an image the first and the last day that it tells of: a month's, a year's."""


def thin_periods(days: Sequence[str], grain: str, south: bool, spans: Spans) -> frozenset[tuple[str, str]]:
    """The periods that dates cover too little: days within half a usual step of one, or of its span, are covered.

    A single date covers what there is; months of no year are always covered.
    """
    if grain == "month_of_year" or len(days) < 2:
        return frozenset()
    near = usual_step(days) / 2
    moments = [(day - near, day + near) for one in days for day in [date.fromisoformat(one).toordinal()]]
    moments += [(_ordinal(spans[one][0]), _ordinal(spans[one][1])) for one in days if one in spans]
    periods = {period_of(day, grain, south) for day in days}
    return frozenset((grain, key) for key in periods if _covered(key, grain, moments) < COVERED)


def _ordinal(day: str) -> int:
    return date.fromisoformat(day[:10]).toordinal()


def _covered(key: str, grain: str, known: Sequence[tuple[float, float]]) -> float:
    """The share of the days of a period that something is known of, from a day to another."""
    first, last = (one.toordinal() for one in span(key, grain))
    inside = range(first, last + 1)
    around = [(begin, end) for begin, end in known if begin <= last and first <= end]
    return sum(any(begin <= day <= end for begin, end in around) for day in inside) / len(inside)


def grain_of_departures(keys: Iterable[str], grain: str) -> str:
    """By what of other years keys are held against these: dates by their month where all are the first of one, or
    hardly any two that follow each other lie more than a month apart, else by their season."""
    if grain != "date":
        return grain
    days = sorted({date.fromisoformat(key[:10]) for key in keys})
    near = sum((b - a).days <= _LONGEST_MONTH for a, b in pairwise(days))
    of_months = all(day.day == 1 for day in days) or (near and near >= _NEARLY_ALL * (len(days) - 1))
    return _MONTH_OF_DATE if of_months else grain


def part_of_year(key: str, grain: str, south: bool = False) -> str:
    """The part of the year that a key lies in, which that of other years is compared with: a date its season."""
    match grain:
        case "year":
            return ""
        case "date":
            return period_of(key, "season", south)[5:]
        case _ if grain == _MONTH_OF_DATE:
            return key[5:7]
    return key[5:]


def year_of(key: str, grain: str) -> str:
    """The year that a key is counted to: a date to that of its season."""
    return period_of(key, "season", False)[:4] if grain == "date" else key[:4]
