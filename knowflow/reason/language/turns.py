"""Turns of phrase that change what the words in them mean: rates, losses, means of which the largest is wanted."""

from __future__ import annotations

import re
from dataclasses import dataclass

from knowflow.ground.kept import kept
from knowflow.ground.regex import regex
from knowflow.knowledge.words import MONTHS
from knowflow.reason.language.distance import asks_for_distance
from knowflow.reason.language.fitted_slopes import slope_of_a_fit
from knowflow.reason.language.movements import asks_for_movement, asks_for_speed, compared
from knowflow.reason.language.patterns import MONTH, YEAR
from knowflow.reason.language.superlatives import superlatives

EVENTS = frozenset({"flood", "burned"})
"""Features that are what an event left: they lie between two dates."""
DRY_IS_HIGH = frozenset({"tvdi"})
"""Quantities that are high where it is dry."""
_DAYS_OF = regex(rf"(?:days|dates|months|years) of\b|day of (?:{'|'.join(MONTHS)}|\d)", re.IGNORECASE)
_ANY_DAY = regex(r"\b(?:average|typical|ordinary|normal|usual|mean|each|every|any|per)\s+$", re.IGNORECASE)
_KIND_OF = regex(
    rf"\b(?P<which>which|what)\s+(?P<year>{YEAR})\s+(?P<kind>dates?|days?|months?|scenes?|images?)\b",
    re.IGNORECASE,
)
_BY_HOW_MUCH = regex(
    r"\b(?:by how much|how (?:much|many \w+) (?:more|less|fewer)|how many (?:more|fewer|less))\b|"
    r"\bhow much\b.*\b(?:exceed|surpass)\w*\b",
    re.IGNORECASE,
)
# what comes down in a measure of its own moves no value: "how much rain fell"
_FALLING = regex(
    r"\b(?:rain|snow|water|hail|precipitation)(?:fall)?\s+(?:has\s+|have\s+|had\s+)?f[ae]ll", re.IGNORECASE
)
_OF_TWO = regex(
    r"(?:^|[.;:?!]\s+)\W{0,9}(?:[\w']+\s+){0,5}?(?P<asks>was|is|were|are|did|had|has|which|what|whether|if)\b(?P<rest>[^.;?!]*)",
    re.I,
)
_THESE_TWO = regex(r"^\s*(?:(?:one\s+)?of\s+(?:the(?:se|m)?(?:\s+two)?|those)|one)\b", re.IGNORECASE)
_OR = regex(r"\bor\b(?!\s+(?:more|less|above|below)\b)", re.IGNORECASE)
DATED = "(?:date|day|night|month|season|year|scene|image)"
"""What a time series has one value of; other words for these are written as these before a text is read."""
# a date that something is told of, and a word that this is the most or the least there is
_THE_DATE = regex(
    rf"\b(?:the|which|what|that)\s+(?:[\w-]+\s+){{0,3}}?{DATED}s?\s+(?:(?:in|of)\s+(?:the\s+year\s+)?(?:{MONTH}\s+)?\d{{4}}\s+)?"
    r"(?:when|where|that|whose|with|of|(?:in|on|at|during) which|show(?:s|ed|ing)?|ha(?:s|d|ve)|saw|sees|was|is|"
    r"were|the|it|its|our|my|(?-i:[A-Z]{2,}\d?))\b",
    re.IGNORECASE,
)
# "the one with the lowest mean; its date is enough", "the highest mean of all scenes - just the date"
_DATE_ALONE = regex(
    rf"\b(?:its|the|their|whose)\s+{DATED}s?\s+(?:alone|only|suffices?|"
    r"(?:is|will\s+be|would\s+be)\s+(?:enough|sufficient|all|fine)|(?:will|would)\s+(?:do|suffice))\b|"
    r"\b(?:only|just)\s+(?:(?:need|want|give|tell)\s+(?:me\s+)?)?(?:its|the|their)\s+"
    rf"{DATED}\b(?=\s*(?:[.?!,;]|$))",
    re.IGNORECASE,
)
_SLOPE = regex(
    r"\b(?:slope|gradient)s?\b[^.;?]*\b(?:per|a|each|every)\s+(?:year|annum|decade)\b|"
    r"\b(?:per|a|each|every)\s+(?:year|annum|decade)\s+(?:is|was)\s+(?:the|its)\s+(?:slope|gradient)\b|"
    r"\bslope\s+of\s+(?:an?|the|its)\s+(?:[\w-]+\s+)?(?:line|fit|regression)\b|"
    r"\b(?:yearly|annual|temporal)\s+(?:slope|gradient)\b|\bslope\s+(?:over|in)\s+time\b|"
    r"\bregress\w*\b[^.;?]*\b(?:on|against|over)\s+(?:the\s+)?(?:years?|time|dates?)\b",
    re.IGNORECASE,
)
_SHARE_OF_DATES = regex(
    r"\b(?:share|fraction|proportion|portion|percentage|per\s?cent)\s+of\s+(?:the\s+|all\s+)?"
    r"(?:dates|days|nights|scenes|acquisitions|observations)\b",
    re.IGNORECASE,
)
_HOW_MANY_OF = regex(
    r"(?:^|[.?!]\s)\W{0,9}(?:\w+\s+)?(?P<noun>pixels|patches|lakes|dates|days|nights|scenes|images)\b[^?]*[:;,]\s*"
    r"(?:how many(?:\s+(?:of\s+(?:them|those|these)|are|is|were|was|have|do|altogether|in\s+(?:all|total))\b[^?.]*)?|"
    r"what\s+(?:is|was)\s+their\s+number|(?:the(?:ir)?\s+)?(?:number|count)(?:\s+of(?:\s+(?:them|these|those))?)?)"
    r"\s*[?.]?\s*$",
    re.IGNORECASE,
)
_GROUND = r"(?:terrain|relief|mountains?|hills?|ridge|range|landscape|area|region|massif)"
_GETS = regex(
    r"\bhow (?:(?P<most>high|hot|warm|green|bright|steep|wet|hazy)|(?P<least>cold|cool|low|dark))\s+"
    r"(?:do|does|did|can|could|has|have)\b.*\b(?:get|got|gets|become|became|go|rise|reach|been|gotten)\b|"
    rf"\b(?:(?P<most_of>top|peak|crest|summit)|(?P<least_of>bottom|foot))\s+of\s+(?:the|this|our|my)\s+(?:\w+\s+)?{_GROUND}\b",
    re.IGNORECASE,
)
_PATCHES = r"(?:area|patche?|zone|spot|region|block|lake|pond|field|stand|cluster|body|bodie)"
_LARGEST_PLACE = regex(
    rf"\b(?:largest|biggest)\s+(?:[\w-]+\s+){{0,2}}{_PATCHES}\b|"
    rf"\b{_PATCHES}s\b.*\b(?:largest|biggest)\s+(?:(?:of|among)\s+(?:them|these|those|all)|one)\b|"
    # "of all the lakes, what area does the biggest have"
    rf"\b(?:of|among)\s+(?:all\s+)?(?:the|these|those|our|my)\s+(?:[\w-]+\s+){{0,2}}?{_PATCHES}s\b(?:[^.?!]|\.(?=\d))*\bthe\s+(?:largest|biggest)\b"
    r"(?=\s*(?:one\s*)?(?:has|have|had|is|was|measures?|cover|occup|take|[?.,]|$))",
    re.IGNORECASE | re.DOTALL,
)
_APART = regex(
    r"\b(?:individual|separate|distinct|connected|contiguous|isolated|disconnected|detached)\s+(?:[\w-]+\s+){0,2}?"
    rf"(?!(?:{DATED}|pixel)s\b)\w+s\b|"
    r"\b(?:that|which)\s+do(?:es)?\s+not\s+(?:touch|meet|join|border|adjoin)\b(?:\s+(?:one\s+another|each\s+other))?",
    re.IGNORECASE,
)
_COUNTS = regex(
    r"\b(?:how many|number of|count(?: of|\s*\(\*\)(?: of)?)?|tally of)[\s(]\s*(?:of\s+)?(?:the\s+|all\s+|that\s+)?"
    rf"(?:[\w-]+\s+){{0,2}}?(?:(?P<dates>(?:{DATED}|occasion|time)s?)|(?P<pixels>pixels?))(?!\s+of\s+the\s+area)\b",
    re.IGNORECASE,
)
_ONE_PLACE = regex(r"est\s+(?:spot|place|point|part|area)$", re.IGNORECASE)
# "I mean the median" takes no mean, "drop the cloudy pixels" asks for no change
_SAID = regex(
    r"\b(?:I|we|you)\s+(?=mean\b)|(?:^|[.;:!?]\s)\s*(?:please\s+)?(?=drop\s+(?:the|all|any|every)\b)", re.IGNORECASE
)
_REFERS = regex(r"\b(?:these|those|them)\b", re.IGNORECASE)
_BEFORE = regex(r"\b(?P<most>largest|biggest|greatest|top|most)?(?P<least>smallest)?\s+$", re.IGNORECASE)
_SEVERAL = regex(rf"{DATED}s\s+(?:with|that|when|of)\b", re.IGNORECASE)
_COUNTS_NOT = regex(r"\b(?:not|n't|never|should|must)\s+(?:be\s+)?$", re.IGNORECASE)
_THE_AREA = regex(r"\b(?:the|this|that|our|my)\s+(?:whole\s+|entire\s+|study\s+)?$", re.IGNORECASE)
_AREA_OF = regex(
    r"area\s*(?:of\b|where\b|with\b|that\b|which\b|cover\w+|under\b|above\b|below\b|over\b|in\s+(?:ha|km|hect|square)|[(,:?]|$)",
    re.IGNORECASE,
)
_TABLE = regex(
    r"\b(?:table|csv|spreadsheet|list|columns)\b[^.?;:]{0,20}?(?::|\bwith(?:\s+the)?\s+columns\b:?)\s*"
    r"(?P<columns>[^.?;:]+,[^.?;:]+)",
    re.IGNORECASE,
)
# "print date and average NDVI"; "the date and the highest value" asks for one of each
_PRINTED = regex(
    r"\b(?:print|list|write|output|tabulate)\s+(?:me\s+|out\s+)?(?:the\s+)?(?P<first>[a-z]+)\s+and\s+"
    r"(?P<second>(?:[\w-]+\s*){1,5})",
    re.IGNORECASE,
)
_DECIBEL = regex(r"(?<![A-Za-z])dB(?![A-Za-z])|\bdecibels?\b")


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


def largest_place(text: str) -> Turn | None:
    """ "The largest hot area" is one of several, not all of them."""
    match = _LARGEST_PLACE.search(text)
    return None if match is None else Turn("largest_patches", match.start(), match.end(), match.group())


def counts(text: str) -> Turn | None:
    """ "Count of warm nights", "how many of the dates" count dates; "COUNT(pixel)", "number of hot pixels" pixels."""
    match = _COUNTS.search(text)
    if match is None:
        return None
    return Turn("dates" if match["dates"] else "pixels", match.start(), match.end(), match.group())


def apart(text: str) -> Turn | None:
    """ "Individual lakes", "connected hot patches" are patches that stand apart from each other."""
    match = _APART.search(text)
    return None if match is None else Turn("patches", match.start(), match.end(), match.group())


def one_place(words: str) -> bool:
    """Whether "the hottest spot" is said of one place."""
    return _ONE_PLACE.search(words) is not None


def extreme_of(text: str, place: int) -> Turn | None:
    """ "The largest fire radiative power": the statistic of the quantity that is named at a place."""
    match = _BEFORE.search(text, max(0, place - 12), place)
    if match is None or not (match["most"] or match["least"]):
        return None
    which = "maximum" if match["most"] else "minimum"
    return Turn(which, match.start(), place, match.group().strip())


def days_of(text: str, place: int) -> bool:
    """Whether "days of March", or "day of" after "on an average", begins at a place, which asks for no day."""
    return _DAYS_OF.match(text, place) is not None or _ANY_DAY.search(text[:place]) is not None


def with_years(text: str) -> str:
    """ "Which 2023 date" is a date of that year."""
    return _KIND_OF.sub(lambda match: f"{match['which']} {match['kind']} of {match['year']}", text)


def by_how_much(text: str) -> Turn | None:
    """ "By how much did it rise", "how far apart are they" ask for a difference, whatever the verb."""
    moved = asks_for_movement(text) if _FALLING.search(text) is None else None
    found = _BY_HOW_MUCH.search(text)
    if found is not None:
        return Turn("difference", found.start(), found.end(), found.group())
    one = moved or asks_for_distance(text)
    return None if one is None else Turn("difference", one.first, one.past, one.words)


def date_of_most(text: str) -> Turn | None:
    """ "The wettest day", "the most turbid date", "which of these days got the most rain" ask for a date."""
    match = _dates_of_most().search(text)
    dated = _THE_DATE.search(text)
    if match is None and dated is not None and _extremes().search(text, dated.start()):
        match = dated
    if match is None and _extremes().search(text) is not None:
        match = _DATE_ALONE.search(text)
    return None if match is None else Turn("extreme_date", match.start(), match.end(), match.group())


def columns(text: str) -> tuple[str, ...]:
    """The columns of a table as somebody writes its head: "date | mean NDVI", "a table: district, area"."""
    ruled = text.split("|") if len(text.split("|")) in (2, 3, 4) and "||" not in text else []
    listed = _TABLE.search(text)
    printed = _PRINTED.search(text) if listed is None and _extremes().search(text) is None else None
    found = ruled or (re.split(r"[,;]", listed["columns"]) if listed is not None else [])
    found = found or (list(printed.groups()) if printed is not None else [])
    return tuple(column.strip(" .?!") for column in found)


def slope_in_time(text: str) -> Turn | None:
    """ "NDVI slope per year", "the slope of a line fitted to it" is how fast it changes, and no slope of the ground."""
    match = _SLOPE.search(text) or slope_of_a_fit(text)
    return None if match is None else Turn("trend", match.start(), match.end(), match.group())


def counts_not(text: str, place: int) -> bool:
    """Whether "count" at a place says that something is left out, and asks for no number."""
    return _COUNTS_NOT.search(text[:place]) is not None


def is_said(text: str, place: int) -> bool:
    """Whether "mean" or "drop" at a place is what somebody means, or tells to leave out."""
    return any(match.end() == place for match in _SAID.finditer(text))


def refers(words: str) -> bool:
    """Whether words speak of what was told before: "the largest of those averages"."""
    return _REFERS.search(words) is not None


def is_several(words: str) -> bool:
    """Whether "scenes with", "dates with" speak of several dates, and ask for none of them."""
    return _SEVERAL.match(words) is not None


def is_the_place(text: str, place: int) -> bool:
    """Whether "the area" at a place is where the question is about, and not how large something is."""
    return _THE_AREA.search(text[:place]) is not None and _AREA_OF.match(text, place) is None


def which_of_two(text: str) -> Turn | None:
    """ "Was May or June warmer" asks for the one of two in which it was."""
    for asked in _OF_TWO.finditer(text):
        grown = compared(text, asked.start("rest"), asked.end("rest"))
        told = _THESE_TWO.search(asked["rest"]) is not None and _OR.search(text[: asked.start()]) is not None
        if grown is not None and (told or _OR.search(asked["rest"])):
            return Turn("minimum" if grown.way == "down" else "maximum", grown.first, grown.past, grown.words)
    return None


def gets(text: str) -> Turn | None:
    """ "How high does the terrain get" asks for the highest value."""
    return _most_or_least(_GETS.search(text))


def share_of_dates(text: str) -> Turn | None:
    """ "On what share of the dates" asks how often, and nothing of the area."""
    found = _SHARE_OF_DATES.search(text)
    return None if found is None else Turn("dates", found.start(), found.end(), found.group())


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
