"""Spans of days, as names of files tell them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

_LONGEST_SPAN = 366  # days of which the middle may stand for all of them


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


def joined(first: Span, last: Span) -> Span | None:
    """The span from one date to another of the same width; None where they are no ends of one."""
    if last.first < first.first or (first.days > 1) != (last.days > 1):
        return None
    return first if first.first[:10] == last.first[:10] else Span(first.first[:10], last.last)


def year_span(year: int | str) -> Span:
    return Span(f"{year}-01-01", f"{year}-12-31")
