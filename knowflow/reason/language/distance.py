"""Two like things set beside each other, and how far they are from each other: a difference, whatever words bind them.

"How far apart are the two averages", "the gap between March and August", "how different were the two halves", "how far
does A depart from B", "|A - B|": a word of distance, and a word that sets things beside each other.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from knowflow.ground.inflection import plural, verb_forms
from knowflow.reason.language.clauses import parts
from knowflow.reason.language.patterns import any_of, one_of

_NOUNS = (
    *("difference", "gap", "contrast", "discrepancy", "disparity", "offset", "departure", "divergence", "deviation"),
    "comparison",
)
_VERBS = ("differ", "depart", "deviate", "diverge", "contrast", "compare")
# of one value from its own mean, or of places from each other: no difference of two things that are measured
_NOT_MEANT = r"(?<!standard )(?<!mean absolute )(?<!ormalized )(?<!ormalised )(?<!olari[sz]ation )(?<!requency )"
_FORMS = (*_NOUNS, *map(plural, _NOUNS), *(form for verb in _VERBS for form in verb_forms(verb)))
_WORDS = any_of(rf"{_NOT_MEANT}\b{one_of(_FORMS)}\b")
_BESIDE = re.compile(
    r"\b(?:between|among|both|two|either|apart|each other|one another|respectively|versus|vs\.?|against|than)\b|"
    r"\w/\w+\s+(?:gap|contrast|difference|comparison)",
    re.IGNORECASE,
)
# a word, and one somewhere behind it: in the same sentence, or without a comma between them
_IN_ORDER = tuple(
    (re.compile(first, re.IGNORECASE), re.compile(second, re.IGNORECASE))
    for first, second in ((r"\bfrom\b", r"\bto\b"), (r"\bfar\b", r"\bfrom\b"))
)
_UNPARTED = tuple(
    (re.compile(first, re.IGNORECASE), re.compile(second, re.IGNORECASE))
    for first, second in (
        (r"\b(?:depart|deviat|differ|diverg)\w*\s", r"\bfrom\b"),
        (r"\b(?:of|in)\s", r"\band\b"),
        (r"\band\b", r"\b(?:differ|compar)"),
    )
)
_COMMA = re.compile(r"[,;]")
_ABSOLUTE = re.compile(r"\|[^|]{2,80}?\s[-–−]\s[^|]{2,80}?\|")
_SYMBOL = re.compile(r"(?:Δ|∆)\s?(?!ε)\w+|\bdelta (?=LST|T\b|NDVI|temperature)")
_FAR = re.compile(
    r"\bhow\s+(?:far|wide|large|big|much|many\s+\w+)\b[^.?;]{0,80}?\b(?:apart|away\s+from|removed\s+from)\b"
    r"|\bhow\s+far\b[^.?;]{0,80}?\bfrom\b|\bhow\s+(?:very\s+)?different(?:ly)?\b|\bhow\s+(?:un)?like\b"
    r"|\bhow\s+(?:far|much|many\s+\w+)\s+(?:lie|lies|lay|are|is|were|was|stand|stands)\s+between\b"
    r"|\bwhat\s+(?:lies|lay|stands)\s+between\b"
    r"|\bby\s+how\s+much\b[^.?;]{0,80}?\b(?:more|less|larger|smaller|higher|lower)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Distance:
    """The word of distance with its place."""

    first: int
    past: int
    words: str


def distances(text: str) -> tuple[Distance, ...]:
    """The words of distance of a text, in order; whether two things stand beside each other is not asked."""
    matches = [match for pattern in (_ABSOLUTE, _SYMBOL, _FAR, _WORDS) for match in pattern.finditer(text)]
    found = {match.start(): Distance(match.start(), match.end(), match.group()) for match in matches}
    return tuple(found[first] for first in sorted(found))


@lru_cache(maxsize=32)
def asks_for_distance(text: str) -> Distance | None:
    """The word of distance of a text that sets two things beside each other; None where there is none."""
    found = distances(text)
    spans = [(first, past, _sets_beside(text[first:past])) for first, past in parts(text)] if found else []
    for one in found:
        if "|" in one.words or any(beside for first, past, beside in spans if first <= one.first < past):
            return one
    return None


def _sets_beside(sentence: str) -> bool:
    """Whether two things stand beside each other in a sentence."""
    if _BESIDE.search(sentence) or any(_follow(sentence, *both) for both in _IN_ORDER):
        return True
    return any(_follow(piece, *both) for piece in _COMMA.split(sentence) for both in _UNPARTED)


def _follow(text: str, first: re.Pattern[str], second: re.Pattern[str]) -> bool:
    match = first.search(text)
    return match is not None and second.search(text, match.end()) is not None
