"""Dates as files write them, in ISO 8601: ``2022-06-01`` or ``2022-06-01T10:00:31`` (UTC)."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import UTC, date, datetime, timedelta

from knowflow.ground.errors import KnowFlowError

_YEAR, _MONTH, _DAY = r"(?:19|20)\d{2}", r"(?:0[1-9]|1[0-2])", r"(?:0[1-9]|[12]\d|3[01])"
# what a date looks like inside a file name; alternatives from long to short
DATE_PATTERN = rf"{_YEAR}-{_MONTH}-{_DAY}|{_YEAR}_{_MONTH}_{_DAY}|{_YEAR}{_MONTH}{_DAY}"
_DAY_OF = re.compile(rf"({_YEAR})[-_:/]?({_MONTH})[-_:/]?({_DAY})")
_CLOCK = re.compile(r"(\d{2}):?(\d{2})(?::?(\d{2})(?:[.,]\d+)?)?\s*(Z|[+-]\d{2}:?\d{2})?")
_MONTH_OF = re.compile(rf"({_YEAR})[-_]({_MONTH})")
_DAY_OF_YEAR = re.compile(rf"({_YEAR})(\d{{3}})")


def iso_datetime(text: str) -> str | None:
    """The date or moment that a text states, in ISO 8601; None where it states none or an impossible one.

    A month or a year alone means its first day. A time zone is converted to UTC.
    """
    text = text.strip().strip('"')
    found = _DAY_OF.match(text)
    if found is None:
        return _coarse(text)
    try:
        day = date(*(int(part) for part in found.groups()))
    except ValueError:
        return None
    rest = text[found.end() :].lstrip("T_ ")
    if not rest:
        return day.isoformat()
    clock = _CLOCK.fullmatch(rest)
    if clock is None:
        return None
    hours, minutes, seconds, zone = clock.groups()
    try:
        moment = datetime(day.year, day.month, day.day, int(hours), int(minutes), int(seconds or 0))
        if zone and zone != "Z":
            offset = datetime.strptime(zone.replace(":", ""), "%z").utcoffset() or timedelta()
            moment = moment.replace(tzinfo=UTC).replace(tzinfo=None) - offset
    except ValueError:
        return None
    return moment.isoformat()


def days_of(text: str) -> tuple[str, str] | None:
    """First and last day of the year or month that a text states in the place of a day; None of any other text."""
    said = text.strip().strip('"')
    first = iso_datetime(said)
    if first is None or re.fullmatch(rf"{_YEAR}(?:[-_]{_MONTH})?", said) is None:
        return None
    year, month = first[:4], first[5:7]
    last = f"{year}-12-31" if len(said) == len(year) else f"{year}-{month}-{monthrange(int(year), int(month))[1]}"
    return first, last


def told_time(moment: str, span: tuple[str, str] | None) -> str:
    """A date as wide as it is told: ``2019``, ``2019-07``, ``2019-07-11/2019-07-20``, or the moment."""
    if span is None or not span[0] <= moment[:10] <= span[1]:
        return moment
    whole = (span[0][:4], span[0][:7])
    return next((text for text in whole if days_of(text) == tuple(span)), "/".join(span))


def _coarse(text: str) -> str | None:
    month = _MONTH_OF.fullmatch(text)
    if month:
        return f"{month[1]}-{month[2]}-01"
    day = _DAY_OF_YEAR.fullmatch(text)
    if day:
        number = int(day[2])
        last = 366 if date(int(day[1]), 12, 31).timetuple().tm_yday == 366 else 365
        if not 1 <= number <= last:
            return None
        return (date(int(day[1]), 1, 1) + timedelta(days=number - 1)).isoformat()
    return f"{text}-01-01" if re.fullmatch(_YEAR, text) else None


class PeriodError(KnowFlowError):
    """A period is not two dates in order."""

    code = "period"


def period_of(given: str | tuple[str | None, str | None] | None) -> tuple[str | None, str | None]:
    """Start and end of a period, inclusive; ``"A/B"``, ``"A/.."``, ``"../B"`` or a single date, month or year.

    Raises ``PeriodError`` for text that is no period.
    """
    if given is None:
        return None, None
    ends = given if isinstance(given, tuple) else tuple(given.split("/")) if "/" in given else (given, given)
    if len(ends) != 2:
        raise _no_period(given)
    start, end = (_end(given, text) for text in ends)
    # what begins later than the end does: compared at the precision of the coarser one
    if start is not None and end is not None and start[: len(end)] > end[: len(start)]:
        raise _no_period(given, "the start after the end")
    return start, end


def _end(given: object, text: str | None) -> str | None:
    """One end of a period; a year or month stays one, so that an end means the whole of it."""
    text = (text or "").strip()
    if text in ("", ".."):
        return None
    moment = iso_datetime(text)
    if moment is None:
        raise _no_period(given, text)
    return moment[: len(text)] if re.fullmatch(rf"{_YEAR}(-{_MONTH})?", text) else moment


def _no_period(given: object, found: str | None = None) -> PeriodError:
    return PeriodError(
        f"{given!r} is not a period",
        expected="two dates in order, as 2020-01-01/2020-12-31; '..' for an open end",
        found=found or repr(given),
    )


def within(moment: str, start: str | None, end: str | None) -> bool:
    """Whether an ISO moment lies in a span of days or moments, both ends inclusive (an end day counts whole)."""
    if start is not None and moment[: len(start)] < start:
        return False
    return end is None or moment[: len(end)] <= end
