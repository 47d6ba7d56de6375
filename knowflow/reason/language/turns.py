"""Turns of phrase that change what the words in them mean: rates, losses, means of which the largest is wanted."""

from __future__ import annotations

import re
from dataclasses import dataclass

from knowflow.reason.language.movements import asks_for_speed, moved_by

EVENTS = frozenset({"flood", "burned"})
"""Features that are what an event left: they lie between two dates."""
OF_EVENTS = frozenset({"dnbr", "rdnbr"})
"""Quantities that are differences of two images by their definition."""
DRY_IS_HIGH = frozenset({"tvdi"})
"""Quantities that are high where it is dry."""
_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
_DAYS_OF = re.compile(rf"days? of (?:{_MONTHS}|\d)", re.IGNORECASE)
_COUNTS_AS = re.compile(r"count(?:s|ed)? (?:as|for)\b", re.IGNORECASE)
_THAN = re.compile(
    rf"(?P<day>\d{{1,2}}(?:st|nd|rd|th)?\s+(?:{_MONTHS}))(?=\s+than\s+(?:(?:on|in|at|the|of)\s+){{0,2}}"
    rf"\d{{1,2}}(?:st|nd|rd|th)?\s+(?:{_MONTHS})\s+(?P<year>(?:19|20)\d\d)\b)",
    re.IGNORECASE,
)
_KIND_OF = re.compile(
    r"\b(?P<which>which|what)\s+(?P<year>(?:19|20)\d\d)\s+(?P<kind>dates?|days?|months?|scenes?|images?)\b",
    re.IGNORECASE,
)
_BY_HOW_MUCH = re.compile(
    r"\b(?:by how much|how far (?:did|does|do|has|have)|how much (?:more|less|fewer))\b|"
    r"\bhow much\b.*\b(?:exceed\w*|surpass\w*|r[io]se|rise[ns]?|f[ae]ll|drop\w*|climb\w*)\b",
    re.IGNORECASE,
)
_WHICH_OF_TWO = re.compile(
    r"^\s*(?:was|is|were|are|which\b.*)\b.*\bor\b.*\b(?:(?P<most>warmer|hotter|greener|wetter|brighter|higher|larger|"
    r"cloudier|snowier|whiter|hazier|more \w+)|(?P<least>cooler|colder|darker|lower|smaller|clearer|drier|less \w+))\b|"
    r"^\s*which\b.*\b(?:(?P<most_first>warmer|hotter|greener|wetter|brighter|higher|larger|cloudier|snowier|hazier)|"
    r"(?P<least_first>cooler|colder|darker|lower|smaller|clearer|drier))\b.*\bor\b",
    re.IGNORECASE,
)
_DATED = "(?:date|day|night|month|season|year|scene|image)"
_DATE_OF_MOST = re.compile(
    rf"\b(?:most|least)\s+\w+\s+{_DATED}s?\b(?![\s-]+(?:mean|average))|"
    rf"\b(?!(?:lat|earli|near)est\b)\w{{3,}}est\s+{_DATED}s?\b(?![\s-]+(?:mean|average))|"
    rf"\bwhich (?:one )?of (?:these|those|the|my|our|all)(?: the)?(?: \w+)? {_DATED}s\b",
    re.IGNORECASE,
)
_HOW_MANY_OF = re.compile(
    r"^\W*(?:\w+\s+)?(?P<noun>pixels|patches|lakes|dates|days|nights|scenes|images)\b[^?]*[:;,]\s*how many\s*\?",
    re.IGNORECASE,
)
_GETS = re.compile(
    r"\bhow (?:(?P<most>high|hot|warm|green|bright|steep|wet|hazy)|(?P<least>cold|cool|low|dark))\s+"
    r"(?:do|does|did|can|could|has|have)\b.*\b(?:get|got|gets|become|became|go|rise|reach|been|gotten)\b",
    re.IGNORECASE,
)
_ONE_IMAGE = re.compile(
    r"\b(?:in)?to\s+(?:one|a single)\s+(?:[\w-]+\s+){0,3}(?:image|picture|map|composite|mosaic)\b|"
    r"\b(?:one|a single)\s+(?:[\w-]+\s+){0,3}(?:image|picture|map)\s+(?:made\s+)?(?:from|of|out of)\s+all\b",
    re.IGNORECASE,
)
_LARGEST_PLACE = re.compile(
    r"\b(?:largest|biggest)\s+(?:[\w-]+\s+){0,2}(?:area|patch|zone|spot|region|block|lake|field|stand)\b", re.IGNORECASE
)
_BEFORE = re.compile(r"\b(?P<most>largest|biggest|greatest|top|most)?(?P<least>smallest)?\s+$", re.IGNORECASE)
_DECIBEL = re.compile(r"(?<![A-Za-z])dB(?![A-Za-z])|\bdecibels?\b")


@dataclass(frozen=True, slots=True)
class Turn:
    """What a turn of phrase says, with its place."""

    value: str | float
    first: int
    past: int
    words: str


def rate(text: str) -> Turn | None:
    """ "By how many kelvin per year did it rise" asks how fast, not how far."""
    moved = asks_for_speed(text)
    return None if moved is None else Turn("trend", moved.first, moved.past, moved.words)


def fell_by(text: str) -> Turn | None:
    """ "NDVI fell by more than 0.3" is a limit on the change of a quantity, not on the quantity."""
    fell = next((one for one in moved_by(text) if one.way == "down" and one.limit and not one.percent), None)
    return None if fell is None else Turn(fell.value, fell.first, fell.past, fell.words)


def one_image(text: str) -> Turn | None:
    """ "All dates into one median image" asks for an image, not for a number."""
    match = _ONE_IMAGE.search(text)
    return None if match is None else Turn("composite", match.start(), match.end(), match.group())


def largest_place(text: str) -> Turn | None:
    """ "The largest hot area" is one of several, not all of them."""
    match = _LARGEST_PLACE.search(text)
    return None if match is None else Turn("largest_patches", match.start(), match.end(), match.group())


def extreme_of(text: str, place: int) -> Turn | None:
    """ "The largest fire radiative power": the statistic of the quantity that is named at a place."""
    match = _BEFORE.search(text, max(0, place - 12), place)
    if match is None or not (match["most"] or match["least"]):
        return None
    which = "maximum" if match["most"] else "minimum"
    return Turn(which, match.start(), place, match.group().strip())


def days_of(text: str, place: int) -> bool:
    """Whether "days of March" begins at a place, which asks for no day."""
    return _DAYS_OF.match(text, place) is not None


def counts_as(text: str, place: int) -> bool:
    """Whether "counts as" begins at a place, which says what something is and counts nothing."""
    return _COUNTS_AS.match(text, place) is not None


def with_years(text: str) -> str:
    """ "On 20 July than on 5 July 2021": the year is that of both days; "which 2023 date": a date of that year."""
    text = _KIND_OF.sub(lambda match: f"{match['which']} {match['kind']} of {match['year']}", text)
    return _THAN.sub(lambda match: f"{match['day']} {match['year']}", text)


def by_how_much(text: str) -> Turn | None:
    """ "By how much did it rise" asks for a difference, whatever the verb."""
    match = _BY_HOW_MUCH.search(text)
    return None if match is None else Turn("difference", match.start(), match.end(), match.group())


def date_of_most(text: str) -> Turn | None:
    """ "The wettest day", "the most turbid date", "which of these days got the most rain" ask for a date."""
    match = _DATE_OF_MOST.search(text)
    return None if match is None else Turn("extreme_date", match.start(), match.end(), match.group())


def which_of_two(text: str) -> Turn | None:
    """ "Was May or June warmer" asks for the one of two in which it was."""
    return _most_or_least(_WHICH_OF_TWO.search(text))


def gets(text: str) -> Turn | None:
    """ "How high does the terrain get" asks for the highest value."""
    return _most_or_least(_GETS.search(text))


def how_many_of(text: str) -> Turn | None:
    """ "Pixels above 305 K: how many?" counts what the sentence begins with."""
    match = _HOW_MANY_OF.search(text)
    if match is None:
        return None
    value = {"pixel": "pixels", "patche": "patches", "lake": "patches"}.get(match["noun"].lower().rstrip("s"), "dates")
    return Turn(value, match.start(), match.end(), match.group())


def _most_or_least(match: re.Match[str] | None) -> Turn | None:
    said = {} if match is None else {name: words for name, words in match.groupdict().items() if words}
    if match is None or not said:
        return None
    name, words = next(iter(said.items()))
    return Turn("maximum" if name.startswith("most") else "minimum", match.start(name), match.end(name), words)


def in_decibels(text: str) -> bool:
    """Whether the text speaks of decibels."""
    return _DECIBEL.search(text) is not None
