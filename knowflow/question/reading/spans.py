"""Times between two others, before and after one, and days that another time completes: functions of the rules."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from knowflow.question.times import Times, of_year


def in_order(a: Times, b: Times) -> tuple[Times, Times]:
    """Two times between which something changed: the earlier one first."""
    a = of_year(a, b)
    return (b, a) if a.first and b.first and b.first < a.first else (a, b)


def from_to(a: Times, b: Times) -> tuple[Times, Times]:
    return of_year(a, b), b


def day_of(day: tuple[int, int], when: Times) -> Times | None:
    """A day without its year, or its month, of those of another single day: ``5 and 20 July 2021``."""
    if when.first is None or when.first != when.last:
        return None
    try:
        one = when.first.replace(day=day[0], month=day[1] or when.first.month)
    except ValueError:
        return None
    return Times(one, one)


def day_and(day: tuple[int, int], when: Times) -> tuple[Times, Times] | None:
    """``from 1 December to 1 March 2022``: the day before the other, which may be of the year before."""
    first = day_of(day, when)
    if first is not None and first.first and when.first and first.first > when.first:
        first = day_of(day, Times(*2 * (when.first.replace(year=when.first.year - 1, day=1),)))
    return None if first is None else (first, when)


def from_day(day: tuple[int, int], when: Times) -> Times | None:
    two = day_and(day, when)
    return None if two is None else span(*two)


def span(first: Times, last: Times) -> Times | None:
    """From the first day of one time to the last of another; a month without a year is of that of the other, and two
    months without one are of any."""
    if first == Times(month=first.month) and last == Times(month=last.month) and 0 < first.month < last.month:
        return Times(month=first.month, until=last.month)
    first = of_year(first, last)
    if first.first is None or last.last is None or first.first > last.last:
        return None
    return Times(first.first, last.last)


def end_of_year(when: Times) -> Times | None:
    """``the end of 2020``: its last month."""
    whole = when.first and when.last and (when.first.year, when.first.month, when.last.month) == (when.last.year, 1, 12)
    return Times(when.last.replace(day=1, month=12), when.last) if whole and when.last else None


def since(when: Times) -> Times | None:
    return Times(when.first, None) if when.first else None


def after(when: Times) -> Times | None:
    return Times(when.last + timedelta(days=1), None) if when.last else None


def until(when: Times) -> Times | None:
    return Times(None, when.last) if when.last else None


def before(when: Times) -> Times | None:
    return Times(None, when.first - timedelta(days=1)) if when.first else None


def than(first: Times, last: Times) -> tuple[Times, Times]:
    """``in June than in August 2022``: two times, a month without its year of that of the other."""
    return (of_year(first, last), last)


def day_than(day: tuple[int, int], when: Times) -> tuple[Times, Times] | None:
    first = day_of(day, when)
    return None if first is None else (first, when)


def adjoining(first: Times, last: Times) -> Times | None:
    """Two times of which the second follows the first, as one."""
    first = of_year(first, last)
    follows = first.last is not None and last.first is not None and first.last + timedelta(days=1) == last.first
    return Times(first.first, last.last) if follows else None


def in_the_year(months: Times, year: Times) -> Times | None:
    """``the March to May season of 2019``: months of any year as those of one."""
    return of_year(months, year) if months.first is None and _is_year(year) else None


def said_twice(one: Times, other: Times) -> Times | None:
    """``the long rains (March-May)``: months with the same months in brackets, of the year that either tells."""
    for dated, months in ((one, other), (other, one)):
        first, last = dated.first, dated.last
        told = months == dated or (first and last and (first.month, last.month) == (months.month, months.until))
        if told and (first is None or last is None or first.year == last.year or months == dated):
            return dated
    return None


def same_part(part: Times, year: Times) -> Times | None:
    """``those of 2018`` beside the rains of March to May 2019: the same part of that year."""
    if not _is_year(year) or part.first is None or part.last is None or year.first is None:
        return None
    same = part.last.year - part.first.year < 1 and not _is_year(part)
    return part.years_later(year.first.year - part.first.year) if same else None


def so_many(number: float, grain: str, when: Times) -> Times | None:
    """``over the four days 1 to 4 October``: as many as there are."""
    if when.first is None or when.last is None:
        return None
    months = 12 * (when.last.year - when.first.year) + when.last.month - when.first.month + 1
    held = {"date": (when.last - when.first).days + 1, "month": months, "year": when.last.year - when.first.year + 1}
    return when if held.get(grain) == number else None


def grain_of(when: Times) -> str | None:
    """``year``, ``month`` or ``date``, where a time is one."""
    text = str(when)
    return {4: "year", 7: "month", 10: "date"}.get(len(text)) if text[:4].isdigit() and "/" not in text else None


def also(first: Times, last: Times) -> tuple[Times, Times] | None:
    """Two times of a list, a month without its year of that of the other; a year behind a part of a year would have
    the same part, which has to be told."""
    return None if _is_year(last) and not _is_year(first) else (of_year(first, last), last)


def also_each(first: Times, others: tuple[Times, ...]) -> tuple[Times, ...] | None:
    two = also(first, others[0])
    return None if two is None else (two[0], *others)


def _is_year(when: Times) -> bool:
    return len(str(when)) == len("2021")


def _ends(when: Times | tuple[Times, Times]) -> tuple[date | None, date | None]:
    first, last = when if isinstance(when, tuple) else (when, when)
    return first.first, last.last


def with_its_end(when: Any, also: Times) -> Any:
    """``since 2016 (2016 included)``: what has that time at one of its ends anyway."""
    first, last = _ends(when)
    at_the_end = also.first is not None and (first == also.first or (last is not None and last == also.last))
    return when if at_the_end else None


def of_so_many(when: Any, number: float, grain: str) -> Any:
    """``from 2019 to 2021 (all three years)``."""
    first, last = _ends(when)
    whole = grain == "year" and first is not None and last is not None
    return when if whole and last.year - first.year + 1 == number else None  # type: ignore[union-attr]  # as told
