"""The dates that a question means: a span of days, a season or a month of every year, a season of one year."""

from __future__ import annotations

import calendar
import re
from dataclasses import dataclass, replace
from datetime import date, timedelta

SEASONS = ("winter", "spring", "summer", "autumn")
MONTHS = tuple(name.lower() for name in calendar.month_name)[1:]
FORMS = (
    "2017, 2017-06, 2017-06-15, 2017-06-01/2017-08-31, ../2017-05-31, 2017-06-01/.., june, april-september, summer or "
    "summer 2017"
)

ANY_YEAR = 1800
"""The year that stands for any, of months that are of none: those of a climatology."""

_DAY = re.compile(r"(\d{4})(?:-(\d{2}))?(?:-(\d{2}))?\Z")


@dataclass(frozen=True, slots=True)
class Times:
    """Days from ``first`` to ``last`` (both included, None: open), or those of months or a season.

    ``month`` is 1 to 12, of every year, ``until`` a later one up to which the others are meant as well; ``season`` one
    of ``SEASONS``, of every year or of ``year``. A winter belongs to the year of its January (south of the equator
    summer does), and the seasons follow the hemisphere.
    """

    first: date | None = None
    last: date | None = None
    month: int = 0
    season: str = ""
    year: int = 0
    until: int = 0

    def holds(self, day: date, south: bool = False) -> bool:
        """Whether a day is one of them."""
        if self.month:
            return self.month <= day.month <= (self.until or self.month)
        if self.season:
            return season_of(day, south) == self.season and self.year in (0, season_year(day))
        return (self.first is None or day >= self.first) and (self.last is None or day <= self.last)

    def years_later(self, n: int) -> Times | None:
        """The same time ``n`` years later; None of one that is of no year."""
        if self.season and self.year:
            return replace(self, year=self.year + n)
        ends = [one and _years_later(one, n) for one in (self.first, self.last)]
        return replace(self, first=ends[0], last=ends[1]) if any(ends) else None

    def __str__(self) -> str:
        """The shortest text that ``times`` reads as these dates."""
        if self.month:
            return "-".join(MONTHS[one - 1] for one in (self.month, self.until) if one)
        if self.season:
            return f"{self.season} {self.year}" if self.year else self.season
        if self.first is not None and self.last is not None:
            for text in (f"{self.first:%Y}", f"{self.first:%Y-%m}", str(self.first)):
                if _span(text) == (self.first, self.last):
                    return text
        return f"{self.first or '..'}/{self.last or '..'}"


def times(text: str) -> Times | None:
    """The dates that a text names, as in ``FORMS``; None where it names none."""
    words = text.strip().lower().split()
    months = [MONTHS.index(one) + 1 for one in words[0].split("-") if one in MONTHS] if len(words) == 1 else []
    if months and len(months) == len(words[0].split("-")):
        return Times(month=months[0], until=months[-1] * (len(months) > 1)) if _ascend(months) else None
    if words and words[0] in SEASONS and len(words) <= 2:
        year = words[1] if len(words) == 2 else "0"
        return Times(season=words[0], year=int(year)) if year.isdigit() and len(year) in (1, 4) else None
    first, slash, last = text.strip().partition("/")
    start, end = _span(first), _span(last if slash else first)
    if (start is None and first != "..") or (end is None and last != "..") or first == last == "..":
        return None
    found = Times(start and start[0], end and end[1])
    return None if found.first and found.last and found.first > found.last else found


def of_year(first: Times, last: Times) -> Times:
    """A month, or a season, without its year is of that of the other time: ``between May and June 2019``."""
    year = last.year or (last.first.year if last.first and last.last and last.first.year == last.last.year else 0)
    if first.season and not first.year and year:
        return Times(season=first.season, year=year)
    if not first.month or first.first or last.first is None or last.last is None or last.first.year != last.last.year:
        return first
    until = first.until or first.month
    following = date(last.first.year + until // 12, until % 12 + 1, 1)
    return Times(date(last.first.year, first.month, 1), following - timedelta(days=1))


def _ascend(months: list[int]) -> bool:
    return len(months) == 1 or (len(months) == 2 and months[0] < months[1])


def season_of(day: date, south: bool) -> str:
    """The meteorological season that a day lies in."""
    return SEASONS[(day.month % 12 // 3 + (2 if south else 0)) % 4]


def season_year(day: date) -> int:
    """The year that the season of a day is counted to: December belongs to the next."""
    return day.year + (day.month == 12)


def _years_later(day: date, n: int) -> date:
    """The last of a month stays the last of it."""
    last = calendar.monthrange(day.year, day.month)[1] == day.day
    there = calendar.monthrange(day.year + n, day.month)[1]
    return date(day.year + n, day.month, there if last else min(day.day, there))


def _span(text: str) -> tuple[date, date] | None:
    """First and last day of a year, a month or a day."""
    match = _DAY.match(text)
    if match is None:
        return None
    year, month, day = (int(part) if part else 0 for part in match.groups())
    try:
        first = date(year, month or 1, day or 1)
    except ValueError:
        return None
    if day:
        return first, first
    after = date(year + (month in (0, 12)), month % 12 + 1 if month else 1, 1) if year < 9999 else date.max
    return first, after - timedelta(days=1)
