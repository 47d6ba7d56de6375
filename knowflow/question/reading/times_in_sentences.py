"""What words of time stand for in a sentence, with the dates and the events that the data have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from datetime import date
from itertools import pairwise

from knowflow.ground.columns import is_day
from knowflow.ground.quantities import quantity_kinds
from knowflow.question.reading.chart import Entity
from knowflow.question.reading.entities import SEVERAL
from knowflow.question.reading.periods_of_days import said_periods
from knowflow.question.reading.said_lengths import said_lengths
from knowflow.question.reading.said_times import (
    all_of,
    periods,
    said_all,
    said_dates,
    said_days,
    said_days_of_year,
    said_either_way,
    said_ends,
    said_months,
    said_of_data,
    said_pairs,
    said_spans,
    said_times,
    years_apart,
)
from knowflow.question.reading.vocabulary import AFTER, BEFORE, DataWords
from knowflow.question.times import Times

_WEEKLY = 10  # days
_END = ["end", "of"]
_WEATHER = "atmosphere"  # the family of what is measured all the time


def times_of(words: Sequence[str], found: Sequence[Entity], data: DataWords) -> Iterator[Entity]:
    """Times, all of those that the data have, and times that begin or end on the days of these."""
    told = list(_times_told(words, found, data))
    yield from told
    both = (one for one in told if one.symbol == "ALL_OF" and words[one.start] == "both")
    yield from (replace(one, symbol="BOTH_OF") for one in both)
    yield from said_periods(words, told, data.dates)
    lengths = said_lengths(words, (one for one in told if one.symbol == "TIME"))
    yield from (Entity("TIME", start, end, when, cost) for start, end, when, cost in lengths)


def _times_told(words: Sequence[str], found: Sequence[Entity], data: DataWords) -> Iterator[Entity]:
    of_data = list(said_of_data(words, data.dates))
    yield from (Entity("TIME", start, end, when) for start, end, when in of_data)
    yield from (Entity("ITS_MONTH", start, start + 1, when) for start, when in said_months(words, data.dates))
    told = said_either_way(words, _days_told(data)) if "/" in words else ()
    yield from (Entity("TIME", start, end, when) for start, end, when in told)
    for start, end, when in said_times(words):
        yield Entity("TIME", start, end, when)
        if words[max(start - 2, 0) : start] == ["night", "to"] and when.first == when.last:
            yield Entity("TIME", start - 1, end, when)
    without_year = said_days_of_year(words, data.dates, _days_told(data))
    yield from (Entity("TIME", start, end, when, 1) for start, end, when in without_year)
    yield from (Entity("TIME", one[0], one[1], one[2]) for one in _ends_of_years(words, data.dates))
    ends = list(said_ends(words, data.dates))
    yield from (Entity("TIME", start, end, when, 1) for start, end, when in ends)
    held = periods(data.dates)
    for one in found:
        if one.symbol == "EVERY" and one.value != "date" and 1 < held["date"] == held.get(one.value):
            yield replace(one, symbol="EVERY_ONE")
    years = {day.year for day in data.dates}
    if len(years) == 1 < len(data.dates):  # the annual rainfall, of the year that there is
        year = Times(date(min(years), 1, 1), date(min(years), 12, 31))
        yield from (replace(one, symbol="TIME", value=year, cost=1) for one in found if _is_of_year(one))
        yield from (replace(one, symbol="whole_time", value=None) for one in found if _is_the_year(one, words))
    known = {(start, end) for start, end, _ in of_data}
    yield from (Entity("SPAN", a, b, when, int((a, b) in known)) for a, b, when in said_spans(words))
    for start, end, two in years_apart(words, data.years.values()):
        yield Entity("TWO", start, end, two)
    mapped = {years for years in data.years.values() if len(years) > 1}
    if len(mapped) == 1:
        yield from (Entity("ALL_OF", start, start + 2, "year") for start in all_of(words, len(mapped.pop())))
    kinds = {one.value.kind for one in found if one.symbol == "QUANTITY"}
    held_of_it = {number for kind, number in data.maps.items() if kind in kinds}
    for start, end, number in said_dates(words):
        if number in held_of_it:
            if words[end - 1] != "day":  # the three-day sum, which is none of the days
                yield Entity("ALL_OF", start, end, "date")
            yield Entity("OF_ALL", start, end, None)
    for start, end, grain in said_all(words, data.dates):
        yield Entity("ALL_EVERY" if words[end - 1].endswith(("ly", "annual")) else "ALL_OF", start, end, grain)
    yield from (Entity("PAIR", start, end, pair) for start, end, pair in said_pairs(words))
    named = {start for start, _, _ in ends}  # the first date, not the first of a month
    yield from (Entity("DAY", start, end, day) for start, end, day in said_days(words) if start not in named)


def _ends_of_years(words: Sequence[str], dates: Sequence[date]) -> Iterator[tuple[int, int, Times]]:
    """``at the end of 2020``, of data that are of years: what they tell of that year."""
    if dates and all((day.month, day.day) == (1, 1) for day in dates):
        ends = (
            (start, end, when) for start, end, when in said_times(words) if words[max(start - 2, 0) : start] == _END
        )
        yield from ((start - 2, end, when) for start, end, when in ends if len(str(when)) == len("2020"))


_DEKADS, _THIRDS = frozenset({"dekad", "dekads", "dekadal"}), (10, 11)


def _days_told(data: DataWords) -> Set[date]:
    """The days of the data, and of the rows of tables."""
    told = (day for layer in data.features if layer.days is not None for day in layer.days[1] if is_day(day))
    return {*data.dates, *map(date.fromisoformat, told)}


def around_events(words: Sequence[str], found: Sequence[Entity], data: DataWords) -> Iterator[Entity]:
    """``before the fire``, ``the post-fire image``: the day of the layers that are called so."""
    if data.events:
        for one in found:
            at = one.start - (2 if words[max(one.start - 1, 0)] == "-" else 1)
            word = words[at] if at >= 0 else ""
            if one.symbol == "event" and (said := _time_of_event(one, found, data)) is not None:
                yield replace(one, start=said)  # the August 2021 fire, which lies between them
            if one.symbol == "event" and word in (*BEFORE, *AFTER):
                day = data.events[word in AFTER]
                yield Entity("TIME", at, one.end, Times(day, day))


def _time_of_event(event: Entity, found: Sequence[Entity], data: DataWords) -> int | None:
    """Where a time begins that stands before an event, and in which it may have been by the data."""
    before, after = data.events
    for one in found:
        if one.symbol == "TIME" and one.end == event.start and isinstance(one.value, Times):
            first, last = one.value.first, one.value.last
            if first is not None and last is not None and first <= after and last >= before:
                return one.start
    return None


def are_of_periods(data: DataWords) -> bool:
    """Whether data are of weeks or months, and some of them are sums or rates of these; an image is of its day, where
    not all of them are of the first of a month."""
    days = sorted({*data.dates})
    if len(days) < SEVERAL or min(b - a for a, b in pairwise(days)).days <= _WEEKLY:
        return False
    if all(one.day == 1 for one in days) and _are_monthly(days):
        return True
    kinds = [quantity_kinds()[kind] for kind in data.quantities if kind in quantity_kinds()]
    return any(kind.accumulates or kind.family == _WEATHER for kind in kinds)


def _are_monthly(days: Sequence[date]) -> bool:
    return len(days) > SEVERAL and min(b - a for a, b in pairwise(days)).days in range(28, 32)


def is_each_day(one: Entity, words: Sequence[str], data: DataWords) -> bool:
    """``per day``, ``daily``: of data of longer times it is no date, and of data of months none is one: ``how many
    days``. 30 days are a length of time."""
    last, before = words[one.end - 1], words[max(one.start - 1, 0)]
    if one.value != "date" or one.symbol not in ("GRAIN", "EVERY") or before.isdigit():
        return False
    each = words[one.start] == "daily" or (last == "day" and before in ("per", "each", "every"))
    return each or (last in ("day", "days") and _are_monthly(sorted({*data.dates})))


def is_no_dekad(one: Entity, words: Sequence[str], data: DataWords) -> bool:
    """``the wettest dekad``: a date of data that are of the thirds of months, and of no others."""
    if one.symbol not in ("GRAIN", "EVERY") or one.value != "date" or words[one.start] not in _DEKADS:
        return False
    days = sorted({*data.dates})
    lengths = sorted((b - a).days for a, b in pairwise(days))
    return len(lengths) < SEVERAL or lengths[len(lengths) // 2] not in _THIRDS


def is_one_season(found: Sequence[Entity], data: DataWords) -> bool:
    """Whether what is named was seen in one season alone: of growing, of heat, of storms."""
    named = {one.value.kind for one in found if one.symbol == "QUANTITY"} & data.quantities or data.quantities
    held = {kind for kind in named if data.maps.get(kind, 0) > 1}
    return bool(held) and held <= data.seasonal


def _is_of_year(one: Entity) -> bool:
    return (one.symbol, one.value) == ("EVERY", "year")


def _is_the_year(one: Entity, words: Sequence[str]) -> bool:
    """``over the year``: all of it, where there is one."""
    before = words[one.start - 1] if one.start else ""
    return (one.symbol, one.value) == ("GRAIN", "year") and before in ("in", "over", "of", "during", "throughout")


def is_of_season(one: Entity) -> bool:
    return (one.symbol, one.value) == ("EVERY", "season")
