"""Season and trend told apart, and how many values a cycle has: "23 composites make one year", "a period of 12"."""

from __future__ import annotations

import re

_VALUES = (
    r"(?:composites?|images?|scenes?|samples?|observations?|values?|maps?|dates?|files?|acquisitions?|(?:time )?steps?)"
)
_MAKE = r"(?:make|form|cover|span|are|fill|to|per|for|in|a|each)"
_ONE = r"(?:up|for|a|an|one|each|every|the|full|whole|annual|yearly|seasonal)"
_CYCLE = r"(?:year|cycle|season|period)"
_LENGTH = re.compile(
    rf"\b(?P<values>\d+)\s+(?:[\w-]+\s+)?{_VALUES}\s+{_MAKE}\s+(?:{_ONE}\s+)*{_CYCLE}\b"
    rf"|\b{_CYCLE}\s+(?:length\s+)?(?:has|have|of|is|with|takes|=|:)\s*(?P<length>\d+)\b"
    rf"(?!\s*(?:days?|weeks?|months?|years?)\b)",
    re.IGNORECASE,
)
_DAYS = {"day": 1.0, "week": 7.0, "month": 365.25 / 12, "year": 365.25}
_UNIT = "day|week|month|year"
_LASTING = re.compile(
    rf"\b(?:cycle|period)\s+(?:length\s+)?(?:has|have|of|is|with|takes|=|:)\s*(?P<number>\d+)[\s-]*(?P<unit>{_UNIT})s?\b"
    rf"|\b(?P<many>\d+)[\s-](?P<one>{_UNIT})[\s-](?:\w+\s+)?(?:cycle|period|seasonality)\b",
    re.IGNORECASE,
)
_WHEN = re.compile(r"\b(?:over|for|during|in|within|across|of)\s+(?:an?\s+|the\s+|this\s+)?$", re.IGNORECASE)

_TREND = r"(?:(?:long-term|linear|underlying)\s+)?trend(?:\s+(?:component|part|signal))?"
_BESIDE = r"\s+(?:and|from|plus|,)\s+(?:(?:a|an|the|its|their)\s+)?"
_PARTED = r"(?:separat|disentangl|isolat|split|remov|subtract)\w*"
_SEASONS = (
    r"(?:(?:annual|yearly|seasonal|year-to-year)\s+(?:[\w-]+\s+)?(?:cycle|pattern|signal|component|part|rhythm|swing|curve)"
    r"|seasonality|season)s?"
)
TREND_AND_CYCLE = (
    r"\bstl\b",
    r"\bdecompos\w+",
    r"\bseparat\w+[^.;?]*\b(?:seasonal|trend)\b[^.;?]*\bcomponents?\b",
    rf"\b(?:split|separat|disentangl|break|broken?|brought|divid|resolv|part|partition)\w*\b[^.;?]*\b(?:into|in)\s+"
    rf"(?:(?:a|an|the|its|their)\s+)?(?:{_TREND}{_BESIDE}{_SEASONS}|{_SEASONS}{_BESIDE}{_TREND})\b",
    # the one parted from the other, in either order
    rf"\b(?:tell|told|tak|took|set|keep|kept|pull)\w*\b(?=[^.;?]*\btrend\b)(?=[^.;?]*\b{_SEASONS}\b)[^.;?]*\bapart\b",
    rf"\b{_PARTED}\b[^.;?]*\btrend\b[^.;?]*\bfrom\b[^.;?]*\b{_SEASONS}\b",
    rf"\b{_PARTED}\b[^.;?]*\b{_SEASONS}\b[^.;?]*\b(?:from|and)\b[^.;?]*\btrend\b",
)


def cycle_length(text: str) -> int | None:
    """The number of values of one cycle, where a text tells it."""
    found = _LENGTH.search(text)
    return None if found is None else int(found["values"] or found["length"])


def cycle_days(text: str) -> float | None:
    """The days of one cycle that a text tells in a unit of time; "over a period of 12 months" tells none."""
    for found in _LASTING.finditer(text):
        if _WHEN.search(text[: found.start()]) is None:
            return int(found["number"] or found["many"]) * _DAYS[(found["unit"] or found["one"]).lower()]
    return None
