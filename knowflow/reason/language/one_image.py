"""Words that want one image of all dates: "into one median image", "average the NDVI of all dates pixel by pixel"."""

from __future__ import annotations

import re

from knowflow.ground.regex import regex
from knowflow.reason.language.clauses import sentences
from knowflow.reason.language.turns import DATED, Turn

_DRAWN = r"(?:image|picture|map|composite|mosaic|raster|layer|scene)"
_AVERAGED = r"(?:mean|average|median|maximum|minimum)"
_ONE_IMAGE = regex(
    rf"\b(?:in)?to\s+(?:one|a single)\s+(?:[\w-]+\s+){{0,3}}{_DRAWN}\b|"
    rf"\b{_DRAWN}s\b[^.?;]*\b(?:in)?to\s+(?:just\s+|only\s+)?(?:a\s+single\s+one|a\s+single|one)\b(?=\s*(?:[.,;?]|$|by\b|with\b|using\b))|"
    rf"\b(?:one|a single)\s+(?:[\w-]+\s+){{0,3}}{_DRAWN}\b[^.?;]*\b(?:all|over|across|along)\s+(?:the\s+|of\s+the\s+)?"
    rf"(?:\w+\s+)?(?:{DATED}s|time)\b|"
    rf"\b(?:per[\s-]pixel|pixel[\s-]by[\s-]pixel|pixel[\s-]?wise)\s+(?:the\s+)?{_AVERAGED}\s+(?:of|over|across|along)\s+"
    rf"(?:time|(?:all\s+)?(?:the\s+)?{DATED}s)\b|"
    rf"\b(?:collaps|flatten|reduc)\w*\b[^.?;]*\b(?:over|along|across|in)\s+(?:time|the\s+{DATED}s)\b[^.?;]*\b{_DRAWN}\b",
    re.IGNORECASE,
)
# the parts of a sentence that wants a statistic of every pixel over time, in whatever order
_EVERY_PIXEL = regex(
    r"\b(?:at|for|of|in)\s+(?:each|every)\s+(?:single\s+)?pixel\b|\bpixel[\s-](?:by|for)[\s-]pixel\b|\bper[\s-]pixel\b|\bpixel[\s-]?wise\b",
    re.IGNORECASE,
)
_STATISTIC = regex(rf"\b(?:{_AVERAGED}|averag(?:e|es|ed|ing))\b", re.IGNORECASE)
_OVER_TIME = regex(
    rf"\b(?:over|across|along|through)\s+time\b|\b(?:all|over|across)\s+(?:(?:of\s+)?the\s+)?(?:\w+\s+)?{DATED}s\b",
    re.IGNORECASE,
)


def one_image(text: str) -> Turn | None:
    """ "All dates into one median image" asks for an image, not for a number."""
    match = _ONE_IMAGE.search(text)
    return None if match is None else Turn("composite", match.start(), match.end(), match.group())


def over_time_everywhere(text: str) -> Turn | None:
    """ "Average the NDVI of all dates pixel by pixel", "the median over time at each pixel": an image as well, where
    nothing else is asked of the pixels."""
    for first, past in sentences(text):
        part = text[first:past]
        where = _EVERY_PIXEL.search(part)
        if where is not None and _STATISTIC.search(part) and _OVER_TIME.search(part):
            return Turn("composite", first + where.start(), first + where.end(), where.group())
    return None
