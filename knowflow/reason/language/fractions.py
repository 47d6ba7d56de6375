"""Parts of an area told in words, as percentages: "at least half of the area", "over two thirds of the pixels"."""

from __future__ import annotations

import re

_PERCENT = {
    "half": 50,
    "a half": 50,
    "one half": 50,
    "a third": 33.33,
    "one third": 33.33,
    "one-third": 33.33,
    "two thirds": 66.67,
    "two-thirds": 66.67,
    "a quarter": 25,
    "one quarter": 25,
    "one-quarter": 25,
    "three quarters": 75,
    "three-quarters": 75,
    "a fifth": 20,
    "one fifth": 20,
    "a tenth": 10,
    "one tenth": 10,
}
_WORDS = "|".join(sorted(map(re.escape, _PERCENT), key=len, reverse=True))
PART = rf"(?:{_WORDS}|\d+(?:\.\d+)?\s*(?:%|percent\b))"
_TOLD = re.compile(
    rf"\b(?P<part>{_WORDS})\s+(?:of\s+)?"
    r"(?=(?:the\s+|its\s+|all\s+)?(?:[\w-]+\s+){0,2}?(?:area|pixels?|region|scene|land|image|basin|city)\b)",
    re.IGNORECASE,
)
_HOW_BIG_A_PART = re.compile(
    r"\b(?:how\s+(?:big|large|great|high|small)|(?:the\s+)?(?:size|extent)\s+of)\s+(?:(?:is|was|are|were)\s+)?(?:the|an?)\s+"
    r"(?:\w+\s+)?(?P<share>shares?|fractions?|portions?|proportions?|percentages?|parts?)\b",
    re.IGNORECASE,
)


def percent_of(part: str) -> float:
    """How many percent a part is: ``"half"`` -> 50, ``"10 %"`` -> 10."""
    words = " ".join(part.lower().split())
    return float(_PERCENT[words]) if words in _PERCENT else float(re.split(r"%|percent", words)[0])


def with_percent(text: str) -> str:
    """The text with parts of an area as percentages."""
    return _TOLD.sub(lambda match: f"{_PERCENT[match['part'].lower()]}% of ", text)


def asked_share(text: str) -> re.Match[str] | None:
    """ "How big a portion", "how large was the fraction", "the size of the part": a share, and no area."""
    return _HOW_BIG_A_PART.search(text)
