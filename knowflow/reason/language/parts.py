"""Two parts of a month or halves of a year: "early June (1-15) and late June", "the first and the last ten days"."""

from __future__ import annotations

import re
from typing import Any

from knowflow.model.goal import Period
from knowflow.reason.language.dates import month_period

_DAYS = re.compile(
    r"(?:\b(?:early|late|mid|first half|second half)[- ]+(?:of )?\w+\s*\(?|\()\s*(?:\w+\.?\s+)?"
    r"(?P<first>\d{1,2})\s*(?:[-–]|to)\s*(?:[a-z]+\.?\s+)?(?P<last>\d{1,2})(?!\d)\)?",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"\b(?P<place>first|second|middle|third|last|final)\s+(?P<unit>half|ten days|10 days|dekad|decade|third|week)\b"
    r"|\b(?P<word>early|mid|late)\b(?=[- ]\w+)",
    re.IGNORECASE,
)
_PLACES = {"early": "first", "mid": "second", "middle": "second", "late": "last", "third": "last", "final": "last"}
_THIRDS = {"first": (1, 10), "second": (11, 20), "last": (21, 31)}
_HALVES = {"first": (1, 15), "second": (16, 31), "last": (16, 31)}
_WEEKS = {"first": (1, 7), "second": (8, 14), "last": (25, 31)}


def parts_of(text: str, period: Any) -> tuple[Period, Period] | None:
    """The two parts of the period that a text speaks of; None where there are none, or it is longer than a year."""
    if not isinstance(period, Period) or period.start[:4] != period.end[:4]:
        return None
    named = list(dict.fromkeys(_name(match) for match in _NAMED.finditer(text)))
    if period.start[:7] != period.end[:7]:
        return _halves_of_year(period.start[:4]) if named == [("first", "half"), ("second", "half")] else None
    days = [(int(match["first"]), int(match["last"])) for match in _DAYS.finditer(text)]
    days = [(first, last) for first, last in days if 0 < first <= last <= 31]
    if len(days) != 2:
        days = _days_named(named)
    if len(days) != 2:
        return None
    end = int(month_period(int(period.start[:4]), int(period.start[5:7])).end[8:])
    one, other = (
        Period(f"{period.start[:8]}{first:02}", f"{period.start[:8]}{min(last, end):02}") for first, last in days
    )
    return one, other


def _name(match: re.Match[str]) -> tuple[str, str]:
    """The place of a part, and of how long parts it is one: ``half``, ``third`` or ``week``."""
    place = (match["place"] or match["word"]).lower()
    unit = (match["unit"] or "third").lower()
    return _PLACES.get(place, place), unit if unit in ("half", "week") else "third"


def _days_named(named: list[tuple[str, str]]) -> list[tuple[int, int]]:
    """The days of the parts of a month."""
    tables = {"half": _HALVES, "third": _THIRDS, "week": _WEEKS}
    return [tables[unit][place] for place, unit in named]


def _halves_of_year(year: str) -> tuple[Period, Period]:
    return Period(f"{year}-01-01", f"{year}-06-30"), Period(f"{year}-07-01", f"{year}-12-31")
