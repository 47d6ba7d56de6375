"""The range of a quantity's values: "the elevation range", "between the highest and the lowest elevation"."""

from __future__ import annotations

import re

from knowflow.reason.language.reading import Reading
from knowflow.reason.language.subjects import Asked

# "in the range", "within a range" and "the range 0.2 to 0.4" tell limits
RANGE = re.compile(
    r"(?<!in the )(?<!in a )(?<!in )(?<!the )(?<!a )\b(?P<range>range|amplitude)\b(?!(?: (?:of|from|between))? [\d-])"
    r"|\b(?:the|a)\s+(?P<its>range)\s+(?:of|in)\s+(?![\d-])",
    re.IGNORECASE,
)
_ENDS = {"difference", "maximum", "minimum"}


def with_range(reading: Reading) -> tuple[Asked, ...]:
    """What is asked, as the range of values where it is told by that word or by its ends and their distance."""
    if {"group_by", "over_dates"} & reading.slots.keys() or reading.limits or len(reading.times.spans) > 1:
        return reading.asked
    asked = {one.operation: one for one in reading.asked}
    if asked.keys() == _ENDS:
        return (Asked("range", "statistic", asked["difference"].first, asked["difference"].words),)
    told = RANGE.search(reading.text) if asked.keys() <= {"area"} else None
    if told is None:
        return reading.asked
    name = "range" if told["range"] else "its"
    reading.understood.append(told.span(name))
    return (Asked("range", "statistic", told.start(name), told[name]),)
