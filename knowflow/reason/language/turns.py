"""Turns of phrase that change what the words in them mean: rates, losses, means of which the largest is wanted."""

from __future__ import annotations

import re
from dataclasses import dataclass

from knowflow.ground.kept import kept
from knowflow.ground.regex import regex
from knowflow.knowledge.words import MONTHS
from knowflow.reason.language.distance import asks_for_distance
from knowflow.reason.language.movements import asks_for_movement
from knowflow.reason.language.patterns import MONTH
from knowflow.reason.language.superlatives import superlatives

EVENTS = frozenset({"flood", "burned"})
"""Features that are what an event left: they lie between two dates."""
DRY_IS_HIGH = frozenset({"tvdi"})
"""Quantities that are high where it is dry."""
_DAYS_OF = regex(rf"(?:days|dates|months|years) of\b|day of (?:{'|'.join(MONTHS)}|\d)", re.IGNORECASE)
_ANY_DAY = regex(r"\b(?:average|typical|ordinary|normal|usual|mean|each|every|any|per)\s+$", re.IGNORECASE)
_BY_HOW_MUCH = regex(
    r"\b(?:by how much|how (?:much|many \w+) (?:more|less|fewer)|how many (?:more|fewer|less))\b|"
    r"\bhow much\b.*\b(?:exceed|surpass)\w*\b",
    re.IGNORECASE,
)
# what comes down in a measure of its own moves no value: "how much rain fell"
_FALLING = regex(
    r"\b(?:rain|snow|water|hail|precipitation)(?:fall)?\s+(?:has\s+|have\s+|had\s+)?f[ae]ll", re.IGNORECASE
)
DATED = "(?:date|day|night|month|season|year|scene|image)"
"""What a time series has one value of; other words for these are written as these before a text is read."""
# a date that something is told of, and a word that this is the most or the least there is
_THE_DATE = regex(
    rf"\b(?:the|which|what|that)\s+(?:[\w-]+\s+){{0,3}}?{DATED}s?\s+(?:(?:in|of)\s+(?:the\s+year\s+)?(?:{MONTH}\s+)?\d{{4}}\s+)?"
    r"(?:when|where|that|whose|with|of|(?:in|on|at|during) which|show(?:s|ed|ing)?|ha(?:s|d|ve)|saw|sees|was|is|"
    r"were|the|it|its|our|my|(?-i:[A-Z]{2,}\d?))\b",
    re.IGNORECASE,
)
_REFERS = regex(r"\b(?:these|those|them)\b", re.IGNORECASE)
_THE_AREA = regex(r"\b(?:the|this|that|our|my)\s+(?:whole\s+|entire\s+|study\s+)?$", re.IGNORECASE)
_AREA_OF = regex(
    r"area\s*(?:of\b|where\b|with\b|that\b|which\b|cover\w+|under\b|above\b|below\b|over\b|in\s+(?:ha|km|hect|square)|[(,:?]|$)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Turn:
    """What a turn of phrase says, with its place."""

    value: str | float
    first: int
    past: int
    words: str


def days_of(text: str, place: int) -> bool:
    """Whether "days of March", or "day of" after "on an average", begins at a place, which asks for no day."""
    return _DAYS_OF.match(text, place) is not None or _ANY_DAY.search(text[:place]) is not None


def by_how_much(text: str) -> Turn | None:
    """ "By how much did it rise", "how far apart are they" ask for a difference, whatever the verb."""
    moved = asks_for_movement(text) if _FALLING.search(text) is None else None
    found = _BY_HOW_MUCH.search(text)
    if found is not None:
        return Turn("difference", found.start(), found.end(), found.group())
    one = moved or asks_for_distance(text)
    return None if one is None else Turn("difference", one.first, one.past, one.words)


def date_of_most(text: str) -> Turn | None:
    """ "The wettest day", "the dates of the maximum", "which of these days got the most rain" ask for a date."""
    match = _dates_of_most().search(text)
    dated = _THE_DATE.search(text)
    if match is None and dated is not None and _extremes().search(text, dated.start()):
        match = dated
    return None if match is None else Turn("extreme_date", match.start(), match.end(), match.group())


def refers(words: str) -> bool:
    """Whether words speak of what was told before: "the largest of those averages"."""
    return _REFERS.search(words) is not None


def is_the_place(text: str, place: int) -> bool:
    """Whether "the area" at a place is where the question is about, and not how large something is."""
    return _THE_AREA.search(text[:place]) is not None and _AREA_OF.match(text, place) is None


@kept()
def _extremes() -> re.Pattern[str]:
    highest = r"peak(?:s|ed)?|crest(?:s|ed)?|culminat\w+|climax\w*|maxim\w+|minim\w+|record"
    return regex(rf"\b(?:{superlatives()}|{highest})\b", re.IGNORECASE)


@kept()
def _dates_of_most() -> re.Pattern[str]:
    most, no_mean = superlatives(), r"(?![\s-]+(?:mean|average))"
    return regex(
        rf"\b(?<!\bat )(?:most|least)\s+\w+\s+{DATED}s?\b{no_mean}|\b{most}\s+{DATED}s?\b{no_mean}|"
        rf"\bwhich (?:one )?of (?:these|those|the|my|our|all)(?: the)?(?: \w+){{0,3}}? {DATED}s\b|"
        rf"\b{most} of (?:these|those|the|my|our|all)(?: the)?(?: \w+){{0,3}}? {DATED}s\b|"
        rf"\bof (?:these|those|the|my|our|all)(?: the)?(?: \w+){{0,3}}? {DATED}s,? "
        rf"which(?! (?:value|number|figure)\b)(?: one| {DATED})?\b[^.;?]*\b{most}\b|"
        rf"\bwhich {DATED} (?:is|was|ha[sd]|shows?|showed)\s+(?:the\s+)?{most}\b",
        re.IGNORECASE,
    )
