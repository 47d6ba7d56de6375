"""Times as CF counts them: so many units since a moment, by one of its calendars. https://cfconventions.org (4.4)"""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta

_SINCE = re.compile(
    r"\s*(?P<unit>[a-z]+)\s+since\s+(?P<day>-?\d{1,4}-\d{1,2}-\d{1,2})"
    r"(?:[T\s]+(?P<clock>\d{1,2}:\d{1,2}(?::\d{1,2})?)(?:\.\d*)?)?\s*(?P<zone>Z|UTC|GMT|[+-]\d{1,2}:?\d{0,2})?\s*",
    re.IGNORECASE,
)
_SECONDS = {
    **dict.fromkeys(("second", "seconds", "sec", "secs", "s"), 1),
    **dict.fromkeys(("minute", "minutes", "min", "mins"), 60),
    **dict.fromkeys(("hour", "hours", "hr", "hrs", "h"), 3600),
    **dict.fromkeys(("day", "days", "d"), 86400),
}
_WITHOUT_LEAP_DAYS = frozenset({"noleap", "365_day"})
_OF_NATURE = frozenset({"", "standard", "gregorian", "proleptic_gregorian"})
_GREGORIAN = date(1582, 10, 15)


def moment(value: str, units: str, calendar: str = "") -> str | None:
    """A time in ISO 8601 (UTC, to the second; the day alone at midnight), or None where it is none.

    Calendars: standard (from 1582 on), proleptic Gregorian, and the one without leap days. Of others nobody can say
    which day a date is in ours; months and years are no units of time in CF.
    """
    found = _SINCE.fullmatch(units)
    if found is None or (seconds := _SECONDS.get(found["unit"].casefold())) is None:
        return None
    kind = calendar.strip().casefold()
    try:
        start = _start(found)
        passed = timedelta(seconds=float(value) * seconds)
        if kind in _WITHOUT_LEAP_DAYS:
            time = _without_leap_days(start, passed)
        elif kind not in _OF_NATURE or (kind != "proleptic_gregorian" and start.date() < _GREGORIAN):
            return None
        else:
            time = start + passed
    except (ValueError, OverflowError):
        return None
    time += timedelta(microseconds=500_000)  # to the nearest second: days as fractions have few digits
    text = time.replace(microsecond=0).isoformat()
    return text.removesuffix("T00:00:00")


def _start(found: re.Match[str]) -> datetime:
    year, month, day = (int(part) for part in found["day"].rsplit("-", 2))
    hours, minutes, seconds = (*(int(part) for part in (found["clock"] or "0:0").split(":")), 0)[:3]
    start = datetime(year, month, day, hours, minutes, seconds)
    zone = found["zone"] or "Z"
    if zone[0] not in "+-":
        return start
    hour, minute = zone[1:3].rstrip(":"), zone[3:].lstrip(":")
    ahead = timedelta(hours=int(hour), minutes=int(minute or 0))
    return start - ahead if zone[0] == "+" else start + ahead


def _without_leap_days(start: datetime, passed: timedelta) -> datetime:
    """Every year has 365 days: counted from 1 January of a year without a 29th of February."""
    began = (start.replace(year=2001) - datetime(2001, 1, 1)) + passed
    years, rest = divmod(began, timedelta(days=365))
    return (datetime(2001, 1, 1) + rest).replace(year=start.year + years)
