"""One summer or August compared with those of other years: "summer 2022 against the mean of summers 2018 to 2021".

What lies between the summers is no part of what it is compared with, and it is no part of the "other" ones itself.
"""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import replace
from itertools import pairwise

from knowflow.model.goal import FIRST, OTHERS, Period, Slot
from knowflow.reason.language.patterns import MONTH
from knowflow.reason.language.reading import Reading
from knowflow.reason.language.subjects import COMPARING

_OTHERS = re.compile(
    r"\b(?:(?P<before>previous|earlier|preceding|past|prior)|(?:other|remaining)(?:\s+\w+)?)\s+"
    rf"(?:years|(?:spring|summer|autumn|fall|winter|season|month|{MONTH})s)\b",
    re.IGNORECASE,
)
_AGAINST = re.compile(
    r"\b(?:against|versus|vs\.?|relative\s+to|(?:compared|in\s+comparison)\s+(?:to|with)|with\s+respect\s+to|from)\s",
    re.IGNORECASE,
)
_STANDARDISED = re.compile(r"\b(?:standard\w*|z[\s-]?scores?|sigmas?)\b", re.IGNORECASE)
_COMPARED = COMPARING | {"anomaly"}


def read_same_time_of_year(reading: Reading) -> None:
    """Restrict what is compared to the season or months of the time that is told, and name the other years.

    An anomaly from a time that is told is how far it is from the mean of that, where nothing speaks of deviations.
    """
    asked = {one.operation for one in reading.asked}
    if not asked & _COMPARED:
        return
    _other_years(reading)
    if "anomaly" in asked:
        _against_years(reading)
    compared = reading.slots["comparison"].value if "comparison" in reading.slots else ()
    if len(compared) != 2 or not all(isinstance(one, Period) for one in compared):
        return
    short, long = sorted(compared, key=lambda one: one.days)
    same = (
        long == OTHERS
        or _of_each_year(short, long)
        or ("anomaly" in asked and _is_of_years(long))
        or (long.start == FIRST and reading.slots["comparison"].default)
    )
    if same and short.days < 360 and short.start.endswith("-01"):
        reading.slots["months"] = Slot(_months(short), reading.slots["comparison"].words)
    if "anomaly" in asked and not _STANDARDISED.search(reading.text):
        names = ("difference" if one == "anomaly" else one for one in reading.slots["operations"].value)
        reading.slots["operations"] = replace(reading.slots["operations"], value=tuple(dict.fromkeys(names)))
        if reading.slots["operation"].value == "anomaly":
            reading.slots["operation"] = replace(reading.slots["operation"], value="difference")


def _other_years(reading: Reading) -> None:
    """The other, or the earlier, years as what the only time of the question is compared with."""
    found = _OTHERS.search(reading.text)
    if found is None:
        return
    spans = [one for one in reading.times.spans if one.past <= found.start() or found.end() <= one.first]
    told = {span.period: span for span in spans if span.period is not None}
    if len(told) != 1:
        return
    own = next(iter(told))
    base = Period(FIRST, _end_before(own.start)) if found["before"] else OTHERS
    note = "the same months of the other years" if own.days < 360 else ""
    reading.slots["comparison"] = Slot((base, own), f"{told[own].words}, {found.group()}", bool(note), note)
    reading.slots.pop("period", None)
    reading.understood.append(found.span())
    region = reading.slots.get("region")
    if region is not None and str(region.value) in found.group():
        del reading.slots["region"]  # "the other Augusts" are no place


def _against_years(reading: Reading) -> None:
    """The years that stand one after the other behind "against" as what the one time before them is compared with."""
    found = _AGAINST.search(reading.text)
    if found is None or "comparison" in reading.slots:
        return
    spans = [span for span in reading.times.spans if span.period is not None]
    own = [span for span in spans if span.past <= found.start()]
    base = [span for span in spans if found.end() <= span.first]
    if len(own) != 1 or not base or (of := own[0].period) is None:
        return
    years = [one for span in base if (one := span.period) is not None and (_is_of_years(one) or _same_days(one, of))]
    follow = all(int(one.end[:4]) + 1 == int(other.start[:4]) for one, other in pairwise(years))
    if len(years) == len(base) and follow:
        whole = Period(years[0].start, years[-1].end)
        words = ", ".join(span.words for span in (*own, *base))
        reading.slots["comparison"] = Slot((whole, of), words)
        reading.slots.pop("period", None)


def _is_of_years(period: Period) -> bool:
    return period.start.endswith("-01-01") and period.end.endswith("-12-31")


def _end_before(day: str) -> str:
    """The day before a month begins; of a day within one, the end of the year before."""
    first = dt.date.fromisoformat(day)
    return str(first - dt.timedelta(days=1)) if first.day == 1 else f"{first.year - 1:04d}-12-31"


def _of_each_year(short: Period, long: Period) -> bool:
    """Whether a longer time begins and ends as a shorter one does, years apart: "summers 2018 to 2021"."""
    return long.days > 366 and _same_days(short, long)


def _same_days(one: Period, other: Period) -> bool:
    return (one.start[5:], one.end[5:]) == (other.start[5:], other.end[5:])


def _months(period: Period) -> tuple[int, ...]:
    first, last = int(period.start[5:7]), int(period.end[5:7])
    return tuple(month % 12 + 1 for month in range(first - 1, last + 12 * (last < first)))
