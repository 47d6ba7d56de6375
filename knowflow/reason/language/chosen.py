"""One of several that a question begins with: "Of the dates in 2022, which one was ...", "Of these means, the highest".

What stands first says of what one is wanted: of dates, or of numbers. What follows says whether it is the date itself
or its value, and which way the most of it lies.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from knowflow.ground.kept import kept
from knowflow.reason.language.movements import compared, superlative_way
from knowflow.reason.language.superlatives import superlatives
from knowflow.reason.language.turns import DATED

_OF_SEVERAL = re.compile(
    r"(?:^|[.?!:;]\s+)\W{0,9}(?:out\s+)?(?:of|among|amongst|from)\s+(?:(?:all|these|those|the|our|my)\s+){0,3}"
    r"(?P<group>[^,;:?!]{3,80}?),\s*(?P<rest>[^.;?!]+)",
    re.IGNORECASE,
)
_DATES = re.compile(rf"^(?:[\w-]+\s+){{0,2}}?{DATED}s\b", re.IGNORECASE)
_MEANS = re.compile(
    rf"^(?:[\w-]+\s+){{0,1}}?(?:averages|means|mean values|average values)\b.*\b{DATED}s\b", re.IGNORECASE
)
_VALUE = re.compile(
    r"\b(?:which|what|the)\s+(?:[\w-]+\s+){0,2}?(?:value|number|figure)\b|\bhow\s+(?:high|low|large|small|much|many)\b",
    re.IGNORECASE,
)
_ONE = re.compile(
    rf"\b(?:which|what|the)\s+one\b|\b(?:which|what)\s+{DATED}\b|^\s*which\s+(?:is|was|ha[ds]|saw)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Chosen:
    """Whether the date is wanted or the value, and the extreme that it is of, with their place."""

    wanted: Literal["date", "value"]
    extreme: Literal["maximum", "minimum"]
    first: int
    words: str


def chosen(text: str) -> Chosen | None:
    """What is wanted of the dates, or of the means of dates, that a sentence begins with; None where nothing is."""
    for match in _OF_SEVERAL.finditer(text):
        dates, means = _DATES.search(match["group"]), _MEANS.search(match["group"])
        value = means or _VALUE.search(match["rest"])
        if not (means or dates) or not (value or _ONE.search(match["rest"])):
            continue
        most = _most().search(match["rest"])
        way = superlative_way(match["rest"])
        told = None if most else compared(text, match.start("rest"), match.end("rest"))
        if most is None and told is None:
            continue
        down = (way is not None and way[0] == "down") if most else (told is not None and told.way == "down")
        first = match.start("rest") + most.start() if most else told.first if told else 0
        words = most.group() if most else told.words if told else ""
        return Chosen("value" if value else "date", "minimum" if down else "maximum", first, words)
    return None


@kept()
def _most() -> re.Pattern[str]:
    return re.compile(rf"\b{superlatives()}\b", re.IGNORECASE)
