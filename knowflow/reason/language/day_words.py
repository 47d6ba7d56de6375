"""Times that are told by others: "from the beginning of May", "March of the same year", "the same date in 2020"."""

from __future__ import annotations

import re

from knowflow.ground.regex import regex
from knowflow.knowledge.words import MONTHS, NUMBER_WORDS
from knowflow.reason.language.dates import times
from knowflow.reason.language.patterns import YEAR

_MONTH = "|".join(MONTHS)
_OPENS = regex(rf"\b(?P<from>from|since)\s+(?:the\s+)?(?:beginning|start|outset)\s+of\s+(?={_MONTH}|\d)", re.IGNORECASE)
_CLOSES = regex(rf"\b(?P<to>to|until|till)\s+(?:the\s+)?end\s+of\s+(?={_MONTH}|\d)", re.IGNORECASE)
_SAME_YEAR = regex(
    rf"\b(?P<month>{_MONTH})\s+(?:of|in)\s+(?:(?:the|that)\s+(?:very\s+)?same|that|the\s+said)\s+year\b", re.IGNORECASE
)
_YEAR = regex(rf"\b{YEAR}\b")
# "the same date a year before", "the same weeks of 2019", "than a year earlier"
_EARLIER, _LATER = r"(?:before|earlier|previously|prior)", r"(?:after|later|on|afterwards)"
_YEARS_OFF = (
    rf"(?:(?P<count>an?|one|{'|'.join(NUMBER_WORDS)}|\d)\s+years?\s+(?:{_EARLIER}|(?P<later>{_LATER}))|"
    r"(?:(?:of|in|from|during)\s+)?the\s+(?:(?:previous|preceding|prior)\s+year|year\s+before|"
    r"(?P<next>(?:following|next)\s+year|year\s+after)))(?!\s+(?:the|an?|this|that|its?)\b)"
)
_SAME_TIME = regex(
    r"\b(?:the\s+)?(?:very\s+)?same\s+(?:\w+\s+)?(?:date|day|week|fortnight|month|season|period|time|part|stretch)s?\s+"
    rf"(?:{_YEARS_OFF}|(?:of|in)\s+(?:the\s+year\s+)?(?P<year>{YEAR})\b)",
    re.IGNORECASE,
)
_THAN_BEFORE = regex(rf"\b(?P<led>(?:than|with|from|and)\s+){_YEARS_OFF}", re.IGNORECASE)


def with_plain_periods(text: str) -> str:
    """The text with periods without "the beginning of" and "the end of", "March of the same year" with the
    year named before it, and "the same date a year before" as the date that it is."""
    text = _THAN_BEFORE.sub(_years_off, _SAME_TIME.sub(_years_off, text))
    text = _SAME_YEAR.sub(_of_that_year, text)
    text = _OPENS.sub(lambda match: f"{match['from']} ", text)
    return _CLOSES.sub(lambda match: f"{match['to']} ", text)


def _years_off(match: re.Match[str]) -> str:
    """The time named last before, or else next after, so many years off; as it is where nothing tells the year."""
    told = [(span.first, span.words) for span in times(match.string).spans if len(_YEAR.findall(span.words)) == 1]
    before = [words for place, words in told if place < match.start()]
    words = (before[-1:] or [words for place, words in told if place >= match.end()][:1] or [""])[0]
    said = match.groupdict()
    if not words or (said.get("year") and words.isdigit()):
        return match.group()
    count = str(said.get("count") or "one").lower()
    years = 1 if count in ("a", "an", "one") else NUMBER_WORDS.get(count) or int(count)
    off = years if said["later"] or said["next"] else -years
    moved = _YEAR.sub(lambda year: said.get("year") or str(int(year.group()) + off), words)
    return str(said.get("led") or "") + moved


def _of_that_year(match: re.Match[str]) -> str:
    named = _YEAR.findall(match.string, 0, match.start())
    return f"{match['month']} {named[-1]}" if named else match.group()
