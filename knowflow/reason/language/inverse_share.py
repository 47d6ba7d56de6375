"""Questions for the limit that a part of the area is beyond: "half of the terrain is steeper than how many degrees".

What 90 % of the area lies below is the 90th percentile; what a tenth of it exceeds is the 90th, too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from knowflow.ground.kept import kept
from knowflow.reason.language.fractions import PART, percent_of
from knowflow.reason.language.limits import direction_of, direction_words

_OF_AREA = r"\s+(?:of\s+)?(?:the\s+|its\s+|all\s+|my\s+|our\s+)?(?:[\w-]+\s+){0,3}?"
_ASKS = r"(?:how\s+\w+|what|which)\b"


@dataclass(frozen=True, slots=True)
class InverseShare:
    """The percentile that is asked for, with its place; ``quantity`` is what the comparative speaks of."""

    percentile: float
    quantity: str | None
    first: int
    past: int
    words: str


def inverse_share(text: str) -> InverseShare | None:
    """The percentile that a text asks for as the limit of a part of the area; None where it does not."""
    for pattern in _patterns():
        match = pattern.search(text)
        if match is not None:
            side, part = direction_of(match["side"]), percent_of(match["part"])
            percentile = part if side.value == "below" else round(100 - part, 2)
            return InverseShare(percentile, side.quantity, match.start(), match.end(), match.group())
    return None


@kept()
def _patterns() -> tuple[re.Pattern[str], ...]:
    part, side = rf"(?P<part>{PART})", rf"(?P<side>{direction_words()})"
    return (
        re.compile(
            rf"\b{part}{_OF_AREA}(?:is|are|was|were|lies?|lay|has|have|had)\s+(?:[\w-]+\s+){{0,3}}?{side}\s+{_ASKS}",
            re.I,
        ),
        re.compile(rf"\b{side}\s+{_ASKS}[^.?;]*?\b(?:is|are|was|were|lies?|do|does|did|has|have)\s+{part}(?!\w)", re.I),
        re.compile(
            rf"\b(?:that|which)\s+{part}{_OF_AREA}(?:is|are|lies?|stays?|remains?|fall|reach)\s+{side}(?!\s*[\d+-])",
            re.I,
        ),
        re.compile(rf"\b{side}\s+which\s+{part}(?!\w)", re.I),
        re.compile(  # "what height do three quarters of the pixels stay below"
            rf"\b(?:what|which)\s+(?:[\w-]+\s+){{1,4}}?(?:do|does|did|is|are)\s+{part}{_OF_AREA}"
            rf"(?:(?:lie|stay|remain|fall|reach)\s+)?{side}(?!\s*[\d+-])",
            re.I,
        ),
    )
