"""Questions for the limit that a part of the area is beyond: "half of the terrain is steeper than how many degrees".

What 90 % of the area lies below is the 90th percentile; what a tenth of it exceeds is the 90th, too, and so is what its
hottest tenth lies above.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from knowflow.ground.kept import kept
from knowflow.ground.regex import regex
from knowflow.reason.language.fractions import PART, percent_of
from knowflow.reason.language.limits import direction_of, direction_words
from knowflow.reason.language.movements import superlative_way
from knowflow.reason.language.patterns import one_of
from knowflow.reason.language.superlatives import superlatives

_OF_AREA = r"\s+(?:of\s+)?(?:the\s+|its\s+|all\s+|my\s+|our\s+)?(?:[\w-]+\s+){0,3}?"
# what stands behind a rank without an article: "the hottest tenth"
_BARE = {name: f"a {name}" for name in ("half", "third", "quarter", "fifth", "tenth")}
_BARE |= {"half": "half", "decile": "a tenth", "quintile": "a fifth", "quartile": "a quarter"}
_DRY_OR_WET = regex(r"(?:dri|wett|moist)est", re.IGNORECASE)  # high or low, as the quantity has it
_ASKS = r"(?:how\s+\w+|what|which)\b"


@dataclass(frozen=True, slots=True)
class InverseShare:
    """The percentile that is asked for, with its place; ``quantity`` is what the comparative speaks of, ``ranked`` that
    its words rank the part ("the hottest tenth") and mean no extreme."""

    percentile: float
    quantity: str | None
    first: int
    past: int
    words: str
    ranked: bool = False


def inverse_share(text: str) -> InverseShare | None:
    """The percentile that a text asks for as the limit of a part of the area; None where it does not."""
    for pattern in _patterns():
        match = pattern.search(text)
        if match is not None:
            side, part = direction_of(match["side"]), percent_of(match["part"])
            percentile = part if side.value == "below" else round(100 - part, 2)
            return InverseShare(percentile, side.quantity, match.start(), match.end(), match.group())
    return _ranked_part(text)


def part_by_rank(text: str) -> str:
    """The words of a part that is told by its rank: "the hottest tenth"; empty where there is none."""
    told = _ranked().search(text)
    return "" if told is None else told.group()


def _ranked_part(text: str) -> InverseShare | None:
    """The limit of a part that is told by its rank: "above which LST does the hottest tenth lie", "the lower limit of
    the warmest 5 %", "what separates the coldest quarter from the rest"."""
    told = _ranked().search(text)
    way = None if told is None or _limit_asked().search(text) is None else superlative_way(told["most"])
    if told is None or way is None or _DRY_OR_WET.fullmatch(told["most"]):
        return None
    part = percent_of(_BARE.get(told["part"].lower(), told["part"]))
    percentile = round(100 - part, 2) if way[0] == "up" else part
    return InverseShare(percentile, None, told.start(), told.end(), told.group(), ranked=True)


@kept()
def _ranked() -> re.Pattern[str]:
    return regex(rf"\b(?:the|its|their)\s+(?P<most>{superlatives()})\s+(?P<part>{PART}|{one_of(_BARE)})(?!\w)", re.I)


@kept()
def _limit_asked() -> re.Pattern[str]:
    """What asks for a limit: "above which", "what LST marks", "how hot must a pixel be to belong to"."""
    value = rf"{_ASKS}\s+(?:[\w-]+\s+){{0,4}}?"
    return regex(
        rf"\b(?:{direction_words()}|from|beyond|down\s+to|up\s+to)\s+{_ASKS}"
        rf"|\b{value}(?:(?:is|are|was|were)\s+(?:only\s+)?(?:{direction_words()}|exceeded|reached|passed)"
        r"|marks?|marked|separates?|separated|divides?|bounds?|delimits?|cuts?\s+off|sets?\s+apart)\b"
        rf"|\b{value}(?:do|does|did)\b[^.?;]*\b(?:{direction_words()}|exceed|begins?|starts?|reach)\b"
        r"|\bhow\s+\w+\s+(?:must|does|do|has|have|need\w*)\b[^.?;]*\bto\s+(?:belong|be\s+(?:among|in|one)|count|rank)\b"
        r"|\b(?:lower|upper)\s+(?:limit|bound(?:ary)?|edge|end)\s+of\b|\b(?:threshold|cut-?off)\s+(?:of|for|to)\b",
        re.I,
    )


@kept()
def _patterns() -> tuple[re.Pattern[str], ...]:
    part, side = rf"(?P<part>{PART})", rf"(?P<side>{direction_words()})"
    return (
        regex(
            rf"\b{part}{_OF_AREA}(?:is|are|was|were|lies?|lay|has|have|had)\s+(?:[\w-]+\s+){{0,3}}?{side}\s+{_ASKS}",
            re.I,
        ),
        regex(rf"\b{side}\s+{_ASKS}[^.?;]*?\b(?:is|are|was|were|lies?|do|does|did|has|have)\s+{part}(?!\w)", re.I),
        regex(
            rf"\b(?:that|which)\s+{part}{_OF_AREA}(?:is|are|lies?|stays?|remains?|fall|reach)\s+{side}(?!\s*[\d+-])",
            re.I,
        ),
        regex(  # "the temperature that 10 % of the pixels exceed"
            rf"\b(?:that|which)\s+(?:only\s+)?{part}{_OF_AREA}{side}(?=\s*(?:[.,?;:(]|$|(?:on|in|at|by)\b))", re.I
        ),
        regex(rf"\b{side}\s+which\s+{part}(?!\w)", re.I),
        regex(  # "what height do three quarters of the pixels stay below"
            rf"\b(?:what|which)\s+(?:[\w-]+\s+){{1,4}}?(?:do|does|did|is|are)\s+{part}{_OF_AREA}"
            rf"(?:(?:lie|stay|remain|fall|reach)\s+)?{side}(?!\s*[\d+-])",
            re.I,
        ),
    )
