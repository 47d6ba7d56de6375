"""Parts of an area told in words, as percentages: "at least half of the area", "over two thirds of the pixels"."""

from __future__ import annotations

import re

from knowflow.reason.language.patterns import one_of

_NAMED = {"half": 2, "third": 3, "quarter": 4, "fifth": 5, "tenth": 10}
_COUNTS = {"a": 1, "one": 1, "two": 2, "three": 3, "four": 4}
PARTS = {"half": 0.5} | {
    f"{count}{gap}{name}{'s' if many > 1 else ''}": many / whole
    for name, whole in _NAMED.items()
    for count, many in _COUNTS.items()
    for gap in " -"
    if many < whole
}
"""Parts of one that are told in words: "half", "a third", "two-thirds"."""
_WORDS = one_of(PARTS)
PART = rf"(?:{_WORDS}|\d+(?:\.\d+)?\s*(?:%|percent\b))"
_TOLD = re.compile(
    rf"\b(?P<part>{_WORDS})\s+(?:of\s+)?"
    r"(?=(?:the\s+|its\s+|all\s+)?(?:[\w-]+\s+){0,2}?(?:area|pixels?|region|scene|land|image|basin|city)\b)",
    re.IGNORECASE,
)
_HOW_BIG_A_PART = re.compile(
    r"\b(?:how\s+(?:big|large|great|high|small)|(?:the\s+)?(?:size|extent)\s+of)\s+(?:(?:is|was|are|were)\s+)?(?:the|an?)\s+"
    r"(?:(?!of\b|in\b)[\w-]+\s+){0,3}?(?P<share>shares?|fractions?|portions?|proportions?|percentages?|parts?)\b",
    re.IGNORECASE,
)


def percent_of(part: str) -> float:
    """How many percent a part is: ``"half"`` -> 50, ``"10 %"`` -> 10."""
    words = " ".join(part.lower().split())
    return float(_percent(words) if words in PARTS else re.split(r"%|percent", words)[0])


def with_percent(text: str) -> str:
    """The text with parts of an area as percentages."""
    return _TOLD.sub(lambda match: f"{_percent(' '.join(match['part'].lower().split()))}% of ", text)


def _percent(words: str) -> str:
    return f"{100 * PARTS[words]:.4g}"


def asked_share(text: str) -> re.Match[str] | None:
    """ "How big a portion", "how large was the dry fraction", "the size of the part": a share, and no area."""
    return _HOW_BIG_A_PART.search(text)
