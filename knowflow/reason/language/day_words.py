"""Days that are told in words: "the first of June", "the twenty-second of July", "from the beginning of May"."""

from __future__ import annotations

import calendar
import re

_ONES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
_TEENS = ("tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth")
_ROUND = {20: "twentieth", 30: "thirtieth"}
_DAYS = {
    **{word: number for number, word in enumerate((*_ONES, *_TEENS, "eighteenth", "nineteenth"), start=1)},
    **{word: number for number, word in _ROUND.items()},
    **{f"twenty-{word}": number for number, word in enumerate(_ONES, start=21)},
    "thirty-first": 31,
}
_MONTH = "|".join(name for name in calendar.month_name if name)
_SPOKEN = "|".join(sorted((word.replace("-", "[- ]") for word in _DAYS), key=len, reverse=True))
_DAY_OF = re.compile(
    rf"(?<!\ba )(?<!\bone )(?<!\btwo )\b(?:the\s+)?(?P<day>{_SPOKEN})\s+(?:day\s+)?of\s+(?={_MONTH})", re.IGNORECASE
)
_MONTH_THE = re.compile(
    rf"\b(?P<month>{_MONTH})\s+(?:the\s+)?(?P<day>{_SPOKEN})\b(?!\s+(?:half|week|days?))", re.IGNORECASE
)
_OPENS = re.compile(
    rf"\b(?P<from>from|since)\s+(?:the\s+)?(?:beginning|start|outset)\s+of\s+(?={_MONTH}|\d)", re.IGNORECASE
)
_CLOSES = re.compile(rf"\b(?P<to>to|until|till)\s+(?:the\s+)?end\s+of\s+(?={_MONTH}|\d)", re.IGNORECASE)


_YEAR_BEFORE = re.compile(
    rf"\b(?P<month>{_MONTH})\s+(?:(?:a|one)\s+year\s+(?:before|earlier)|(?:of\s+)?the\s+(?:year\s+before|previous\s+year))\b",
    re.IGNORECASE,
)
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")


def with_days(text: str) -> str:
    """The text with days of months as numbers, periods without "the beginning of" and "the end of", and "March a year
    before" with its year, which is counted from the year named before it."""
    text = _YEAR_BEFORE.sub(_a_year_before, text)
    text = _DAY_OF.sub(lambda match: f"{_number(match['day'])} ", text)
    text = _MONTH_THE.sub(lambda match: f"{match['month']} {_number(match['day'])}", text)
    text = _OPENS.sub(lambda match: f"{match['from']} ", text)
    return _CLOSES.sub(lambda match: f"{match['to']} ", text)


def _number(word: str) -> int:
    return _DAYS[re.sub(r"\s+", "-", word.lower())]


def _a_year_before(match: re.Match[str]) -> str:
    named = _YEAR.findall(match.string, 0, match.start())
    return f"{match['month']} {int(named[-1]) - 1}" if named else match.group()
