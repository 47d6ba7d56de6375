"""Times that are told by others: "from the beginning of May", "March a year before"."""

from __future__ import annotations

import re

from knowflow.knowledge.words import MONTHS, NUMBER_WORDS
from knowflow.reason.language.patterns import YEAR

_MONTH = "|".join(MONTHS)
_OPENS = re.compile(
    rf"\b(?P<from>from|since)\s+(?:the\s+)?(?:beginning|start|outset)\s+of\s+(?={_MONTH}|\d)", re.IGNORECASE
)
_CLOSES = re.compile(rf"\b(?P<to>to|until|till)\s+(?:the\s+)?end\s+of\s+(?={_MONTH}|\d)", re.IGNORECASE)
_YEAR_BEFORE = re.compile(
    rf"\b(?P<month>{_MONTH})\s+(?:(?:a|one)\s+year\s+(?:before|earlier)|(?:of\s+)?the\s+(?:year\s+before|previous\s+year))\b",
    re.IGNORECASE,
)
_SAME_YEAR = re.compile(
    rf"\b(?P<month>{_MONTH})\s+(?:of|in)\s+(?:(?:the|that)\s+(?:very\s+)?same|that|the\s+said)\s+year\b", re.IGNORECASE
)
_YEAR = re.compile(rf"\b{YEAR}\b")
_ENDS_OF_YEAR = re.compile(
    rf"\b(?P<end>first|last)\s+(?P<count>{'|'.join(NUMBER_WORDS)}|[2-9]|1[01])\s+months\s+(?:of|in)\s+"
    rf"(?:the\s+year\s+)?(?P<year>{YEAR})\b",
    re.IGNORECASE,
)


def with_plain_periods(text: str) -> str:
    """The text with periods without "the beginning of" and "the end of", "the first two months of 2023" by their names,
    "March a year before" and "March of the same year" with their year, which is told by the year named before them."""
    text = _SAME_YEAR.sub(_of_that_year, _YEAR_BEFORE.sub(_a_year_before, text))
    text = _ENDS_OF_YEAR.sub(_by_their_names, text)
    text = _OPENS.sub(lambda match: f"{match['from']} ", text)
    return _CLOSES.sub(lambda match: f"{match['to']} ", text)


def _a_year_before(match: re.Match[str]) -> str:
    named = _YEAR.findall(match.string, 0, match.start())
    return f"{match['month']} {int(named[-1]) - 1}" if named else match.group()


def _of_that_year(match: re.Match[str]) -> str:
    named = _YEAR.findall(match.string, 0, match.start())
    return f"{match['month']} {named[-1]}" if named else match.group()


def _by_their_names(match: re.Match[str]) -> str:
    count = NUMBER_WORDS.get(match["count"].lower()) or int(match["count"])
    names = [name.capitalize() for name in MONTHS]
    months = names[:count] if match["end"].lower() == "first" else names[-count:]
    return f"months from {months[0]} to {months[-1]} {match['year']}"
