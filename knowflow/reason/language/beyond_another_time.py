"""Limits on how far one time lies beyond another: "the mean of 2022 surpasses that of 2014 by more than 5", "at least 4
higher in May than in April".

They are limits on a change. Which of the two times is the later one, tells whether it is a rise or a fall.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from knowflow.ground.kept import kept
from knowflow.ground.regex import regex
from knowflow.reason.language.dates import times
from knowflow.reason.language.limits import direction_of
from knowflow.reason.language.movements import MovedBy, Way, comparative_words

_LEAST = r"(?:more\s+than|over|at\s+least|above|no\s+less\s+than|>)"
_N = r"(?P<n>\d+(?:\.\d+)?|\.\d+)(?![\d.]*\d)\s*(?P<percent>%|percent\b)?"
_SAME = r"(?:(?:that|those|the|its|their|one|mean|average|value|level|map)\s+){1,4}(?:of|in|from|on|during|for)\b"
_UNIT = r"(?:\s*(?!(?:in|than|above|below)\b)[a-z°]+)"
_INSIDE = r"(?:[^.?!;]|\.\d)"


@dataclass(frozen=True, slots=True)
class Beyond:
    """Such a limit: how far the time that is told first lies above (up) or below the other; ``rises`` tells whether
    that is a rise from the earlier to the later one."""

    told: MovedBy
    rises: bool


def beyond_another_time(text: str) -> Beyond | None:
    """The first such limit of a text that has a time on either side of what compares them."""
    for pattern in _patterns():
        for match in pattern.finditer(text):
            at = match.start("than") if "than" in match.groupdict() else match.start()
            earlier_first = _earlier_first(text, at, match.end())
            if earlier_first is None:
                continue
            way: Way = "down" if _is_less(match) else "up"
            moved = MovedBy(way, float(match["n"]), bool(match["percent"]), True, *match.span(), match.group())
            return Beyond(moved, (way == "up") != earlier_first)
    return None


def _is_less(match: re.Match[str]) -> bool:
    said = match.groupdict()
    more = said.get("more")
    return bool(said.get("less")) or (more is not None and comparative_words()[more.lower()] == "down")


def _earlier_first(text: str, at: int, past: int) -> bool | None:
    """Whether the time that is named last before a place is earlier than the next one; None where there are not two
    that differ."""
    spans = [span for span in times(text).spans if span.period is not None]
    before = [span.period for span in spans if span.first < at]
    after = [span.period for span in spans if span.first >= at]
    one, other = (before[-1] if before else None), (after[0] if after else None)
    if one is None or other is None or one.start == other.start:
        return None
    return one.start < other.start


def _goes(comparative: str) -> Way | None:
    """Where a comparative that names a quantity goes for that: a higher dryness index is drier, less rain is, too."""
    side = direction_of(f"{comparative} than")
    return None if side.quantity is None else "up" if side.value == "above" else "down"


@kept()
def _patterns() -> tuple[re.Pattern[str], ...]:
    """What compares two times and by how much ("exceeds that of ... by more than 5"), and how much more the one has
    ("more than 5 higher ... than"); what is up for one quantity and down for another is left to its reader."""
    plain = [one for one, way in comparative_words().items() if _goes(one) in (None, way)]
    more = "|".join(sorted(map(re.escape, plain), key=len, reverse=True))
    exceeds = r"exceed\w*|surpass\w*|outstrip\w*|above|over|(?:greater|more)\s+than"
    less = (
        r"(?P<less>(?:f[ae]ll\w*|stay\w*|remain\w*|is|was|are|were)\s+short\s+of|undercut\w*|below|under|less\s+than)"
    )
    return (
        regex(
            rf"\b(?:{less}|(?P<more>{more})\s+than|{exceeds})\s+{_SAME}{_INSIDE}*?\bby\s+{_LEAST}\s*{_N}", re.IGNORECASE
        ),
        regex(
            rf"\b{_LEAST}\s*{_N}{_UNIT}?\s+(?P<more>{more})\b{_INSIDE}*?\b(?P<than>than)\b",
            re.IGNORECASE,
        ),
        regex(rf"\b{_LEAST}\s*{_N}{_UNIT}?\s+(?:(?P<less>below|under)|above|over)\s+{_SAME}", re.IGNORECASE),
    )
