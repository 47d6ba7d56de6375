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


_TREND = r"(?:(?:long-term|linear|underlying)\s+)?trend(?:\s+(?:component|part|signal))?"
_BESIDE = r"\s+(?:and|from|plus|,)\s+(?:(?:a|an|the|its|their)\s+)?"
_PARTED = r"(?:separat|disentangl|isolat|split|remov|subtract)\w*"
_SEASONS = r"(?:(?:annual|yearly|seasonal|year-to-year)\s+(?:cycle|pattern|signal|component|part)|seasonality|season)s?"
TREND_AND_CYCLE = (
    r"\bstl\b",
    r"\bdecompos\w+",
    r"\bseparat\w+[^.;?]*\b(?:seasonal|trend)\b[^.;?]*\bcomponents?\b",
    rf"\b(?:split|separat|disentangl|break|broken?|brought|divid|resolv|part|partition)\w*\b[^.;?]*\b(?:into|in)\s+"
    rf"(?:(?:a|an|the|its|their)\s+)?(?:{_TREND}{_BESIDE}{_SEASONS}|{_SEASONS}{_BESIDE}{_TREND})\b",
    # the one parted from the other, in either order
    rf"\b{_PARTED}\b[^.;?]*\btrend\b[^.;?]*\bfrom\b[^.;?]*\b{_SEASONS}\b",
    rf"\b{_PARTED}\b[^.;?]*\b{_SEASONS}\b[^.;?]*\b(?:from|and)\b[^.;?]*\btrend\b",
)


def cycle_length(text: str) -> int | None:
    """The number of values of one cycle, where a text tells it."""
    found = _LENGTH.search(text)
    return None if found is None else int(found["values"] or found["length"])
