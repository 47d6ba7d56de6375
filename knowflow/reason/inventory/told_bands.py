"""What the user says of the bands of one file: ``bands=[blue,green,red,nir]`` names them, ``dates=[...]`` dates them.

Dates are listed, or counted from one: ``2018-01-01/P1M`` begins there and steps by a month. A list is meant for files
of as many bands.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from pathlib import PurePath
from typing import TypeAlias

from knowflow.model.artifact import Artifact
from knowflow.model.facts import Origin
from knowflow.reason.inventory.dates import iso_datetime

OF_BANDS = ("bands", "dates")
_STEP = re.compile(r"P(\d+)([YMWD])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Stepped:
    """Dates at equal steps of months or of days, the first given."""

    start: date
    months: int = 0
    days: int = 0

    def dates(self, count: int) -> tuple[str, ...]:
        return tuple(self._after(number).isoformat() for number in range(count))

    def ends_in_time(self, count: int) -> bool:
        """Whether the last of so many dates is one that calendars know."""
        return self.start.year + (count * (self.months + self.days / 28)) / 12 < date.max.year

    def _after(self, steps: int) -> date:
        """Steps are counted from the start: a month after 31 January is its last day, two are 31 March."""
        years, month = divmod(self.start.month - 1 + steps * self.months, 12)
        year = self.start.year + years
        day = min(self.start.day, calendar.monthrange(year, month + 1)[1])
        return date(year, month + 1, day) + timedelta(days=steps * self.days)

    def __str__(self) -> str:
        step = f"{self.months}M" if self.months else f"{self.days}D"
        return f"{self.start.isoformat()}/P{step}"


Told: TypeAlias = "tuple[str, ...] | Stepped"
"""The names or dates of bands, in their order."""


def stepped(text: str) -> Stepped | None:
    """Dates as ``START/STEP`` tells them, the step in ISO 8601 (``P1Y``, ``P1M``, ``P2W``, ``P16D``); else None."""
    start, _, step = text.strip().strip("[]").partition("/")
    first, found = iso_datetime(start), _STEP.fullmatch(step.strip())
    if first is None or found is None or int(found[1]) == 0:
        return None
    number, begin = int(found[1]), date.fromisoformat(first[:10])
    match found[2].upper():
        case "Y":
            return Stepped(begin, months=12 * number)
        case "M":
            return Stepped(begin, months=number)
        case "W":
            return Stepped(begin, days=7 * number)
        case _:
            return Stepped(begin, days=number)


def fits(told: Told, count: int | None) -> bool:
    """Whether names or dates can be meant for a file of so many bands (None: nobody knows how many)."""
    if isinstance(told, Stepped):
        return count is None or (count > 1 and told.ends_in_time(count))
    return count is None or count == len(told)


def with_told(bands: Sequence[Artifact], told: Iterable[tuple[str, Told]], source: str) -> tuple[Artifact, ...]:
    """The bands of one file with what is told of them, facts of origin ``user``; none where nothing fits them."""
    known = {fact: value for fact, value in told if fits(value, len(bands))}
    if not known or len(bands) < 2:
        return ()
    return tuple(_told(band, number, known, len(bands), source) for number, band in enumerate(bands))


def _told(band: Artifact, number: int, known: dict[str, Told], count: int, source: str) -> Artifact:
    facts, words = band.facts, []
    for fact, value in known.items():
        word = (value.dates(count) if isinstance(value, Stepped) else value)[number]
        facts = facts.put("datetime" if fact == "dates" else "band", word, Origin.USER, source)
        words.append(word)
        if fact == "bands":  # as a description of the band in the file would be
            facts = facts.put("layer", word, Origin.DECLARED, source)
    stem = PurePath(band.path or band.name).stem
    return replace(band, facts=facts, name=f"{stem}:{' '.join(words)}")
