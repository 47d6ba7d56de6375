"""Sudden falls of a series: rises are counted as spikes and shifts of the level are dated, but nothing tells falls."""

from __future__ import annotations

import re

from knowflow.reason.language.movements import movements
from knowflow.reason.language.statements import without_stated

_BEFORE = re.compile(r"\b(?:sudden|abrupt)(?:ly)?\s+(?:[\w-]+\s+){0,2}$", re.IGNORECASE)
_AFTER = re.compile(r"\s+(?:[\w-]+\s+)?(?:suddenly|abruptly)\b", re.IGNORECASE)
_FOUND = re.compile(
    r"\b(?:count|number of|how (?:many|often)|detect|find|identify|locate|list|spot|when|which|what (?:day|date))\b",
    re.IGNORECASE,
)


def sudden_falls(text: str) -> str:
    """The words of sudden falls that are to be counted or found, which no tool does: spikes are rises."""
    asking = without_stated(text)
    if _FOUND.search(asking) is None:
        return ""
    found = (one for one in movements(asking) if one.way == "down")
    sudden = (one for one in found if _BEFORE.search(asking[: one.first]) or _AFTER.match(asking, one.past))
    return next((one.words for one in sudden), "")
