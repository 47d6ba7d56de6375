"""Keys of time: which period a day lies in, how long it is, and how much of it the dates cover."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from itertools import pairwise

import numpy as np

from knowflow.testing.interpreter.values import Key

YEAR = 365.25
COVERED = 0.8
_OF_SEASON = (12, 3, 6, 9)  # the first month of each


def key_of(day: date, grain: str) -> Key:
    """The period of a grain that a day lies in. A season is of the year of its last month."""
    match grain:
        case "date":
            return day
        case "week":
            return tuple(day.isocalendar())[:2]
        case "month":
            return day.year, day.month
        case "season":
            return day.year + (day.month == 12), day.month % 12 // 3
        case "year":
            return day.year
        case "month_of_year":
            return day.month
    raise ValueError(grain)


def all_months(days: Sequence[date]) -> bool:
    """Whether all are the first of a month, or hardly two dates that follow each other (a fifth of them) lie more than
    31 days apart."""
    if {day.day for day in days} == {1}:
        return True
    gaps = [(b - a).days for a, b in pairwise(sorted(set(days)))]
    return bool(gaps) and any(gap <= 31 for gap in gaps) and sum(gap <= 31 for gap in gaps) >= 0.8 * len(gaps)


def span(key: Key, grain: str) -> tuple[date, date]:
    """The first and the last day of a period."""
    match grain:
        case "date":
            return key, key
        case "week":
            first = date.fromisocalendar(key[0], key[1], 1)
            return first, first + timedelta(days=6)
        case "month":
            return _months(key[0], key[1], 1)
        case "season":
            return _months(key[0] - (key[1] == 0), _OF_SEASON[key[1]], 3)
        case "year":
            return date(key, 1, 1), date(key, 12, 31)
    raise ValueError(grain)


def _months(year: int, month: int, number: int) -> tuple[date, date]:
    end = year * 12 + month - 1 + number
    return date(year, month, 1), date(end // 12, end % 12 + 1, 1) - timedelta(days=1)


def middle(key: Key, grain: str) -> float:
    """The middle of a period in days (a date: its day)."""
    first, last = span(key, grain)
    return (first.toordinal() + last.toordinal()) / 2


def months_of(days: Sequence[float]) -> list[tuple[int, int]]:
    """The year and the month of each day."""
    found = [date.fromordinal(int(day)) for day in days]
    return [(day.year, day.month) for day in found]


def tells_seasons(days: Sequence[float], pairs: bool) -> bool:
    """Whether days are of several seasons, and suffice to hold each month against the same month of other years.

    They are of one where 62 days of the year hold all of them. They suffice where those of months that several years
    have are two more than these months and a slope; with ``pairs``, where a month meets itself in another year five
    times.
    """
    fractions = sorted(day_of_year(date.fromordinal(int(day))) + day % 1 for day in days)
    circle = [*fractions, fractions[0] + YEAR]
    if max(b - a for a, b in pairwise(circle)) >= YEAR - 62:
        return False
    years: dict[int, list[int]] = {}
    for year, month in months_of(days):
        years.setdefault(month, []).append(year)
    if pairs:
        return sum(len(set(one)) * (len(set(one)) - 1) // 2 for one in years.values()) >= 5
    several = [one for one in years.values() if len(set(one)) > 1]
    return sum(map(len, several)) - len(several) - 1 >= 2


def day_of_year(day: date) -> float:
    """Which day of the year it is, of a year of 365.25 days."""
    return day.timetuple().tm_yday / date(day.year, 12, 31).timetuple().tm_yday * YEAR


def steps(keys: Sequence[Key], grain: str) -> tuple[list[float], float]:
    """The days from each key to the next, and the usual ones: their median."""
    middles = [middle(key, grain) for key in keys]
    gaps = [b - a for a, b in pairwise(middles)]
    return gaps, float(np.median(gaps)) if gaps else 0.0


def covered(key: Key, grain: str, days: Sequence[date], step: float) -> float:
    """The share of a period that lies within half a usual step of a date."""
    first, last = span(key, grain)
    inside = np.arange(first.toordinal(), last.toordinal() + 1)
    near = np.abs(inside[:, None] - np.array([day.toordinal() for day in days])[None, :]).min(axis=1)
    return float((near <= step / 2).mean())


def adjacent(a: Key, b: Key, grain: str, usual: float) -> bool:
    """Whether no key is missing between two: periods that touch, dates at most 1.5 usual steps apart."""
    if grain == "date":
        return bool((b - a).days <= 1.5 * usual)
    return span(a, grain)[1] + timedelta(days=1) == span(b, grain)[0]
