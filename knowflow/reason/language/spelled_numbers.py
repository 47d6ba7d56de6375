"""Numbers that are written out, in digits: "three hundred and thirty kelvin", "the ninetieth percentile", "1,500 m".

A number counts as one where a unit, a percentile or a month says of what it is: "one of the two" stays as it is. No
library reads them so: the one that is kept up, text2num, takes "between one hundred and two hundred" for 102 and 100.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from decimal import Decimal

from knowflow.ground.kept import kept
from knowflow.ground.regex import regex
from knowflow.knowledge.lexicon import lexicon
from knowflow.knowledge.words import MONTHS, NUMBER_WORDS, ORDINAL_WORDS

_ONES = {"one": 1} | {word: number for word, number in NUMBER_WORDS.items() if number < 10}
_TEENS = {"ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16} | {
    "seventeen": 17, "eighteen": 18, "nineteen": 19
}  # fmt: skip
_TENS = dict(
    zip(("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"), range(20, 100, 10), strict=True)
)
_NOTHING = {"zero": 0, "nought": 0, "naught": 0}
_SMALL = _ONES | _TEENS | _TENS | _NOTHING
_SCALES = {"thousand": 1_000, "million": 1_000_000}
_ORDINALS = {**ORDINAL_WORDS, **{f"{word[:-1]}ieth": number for word, number in _TENS.items()}} | {
    f"{word}-{one}": number + place
    for word, number in _TENS.items()
    for one, place in list(ORDINAL_WORDS.items())[:9]
}  # fmt: skip


def _of(words: Iterable[str]) -> str:
    return "|".join(sorted(words, key=lambda word: (-len(word), word)))


_GAP = r"[\s-]+"
_BELOW_100 = rf"(?:(?:{_of(_TENS)})(?:[\s-](?:{_of(_ONES)}))?|{_of(_TEENS)}|{_of(_ONES)}|{_of(_NOTHING)})"
_BELOW_1000 = rf"(?:(?:{_of(_ONES | _TEENS)}|a){_GAP}hundred(?:{_GAP}(?:and{_GAP})?{_BELOW_100})?|{_BELOW_100})"
_WHOLE = _BELOW_1000
for _scale in _SCALES:  # what follows a thousand or a million is less: "between one thousand and two thousand" are two
    _WHOLE = rf"(?:(?:{_BELOW_1000}|half\s+a|a){_GAP}{_scale}(?:{_GAP}(?:and{_GAP})?{_WHOLE})?|{_WHOLE})"
_ORDINAL = rf"(?:{_of(_ORDINALS).replace('-', '[- ]')}|\d{{1,2}}(?:st|nd|rd|th))"
_LIMITING = (
    r"(?:\b(?:than|above|below|under|over|beneath|exceed(?:s|ed|ing)?|reach(?:es|ed|ing)?|between|least|most)\b"
    r"|[<>=≤≥])"
)
_THOUSANDS = regex(r"(?<![\d.,])[1-9]\d{0,2}(?:,\d{3})+(?![\d,])")
# behind such words "minus" is the sign of a number, and takes nothing away
_SIGN = regex(
    rf"(?:{_LIMITING}|\b(?:from|to|and|or|at|of|is|was|are|were|by)\b)\s*(?P<sign>minus\s+)(?P<n>\d*\.?\d+)",
    re.IGNORECASE,
)
_NONE = regex(rf"{_LIMITING}\s+(?P<n>{_of(_NOTHING)})\b", re.IGNORECASE)
_DAYS = regex(
    rf"(?:\bthe\s+)?\b{_ORDINAL}(?:\s*(?:,|\b(?:and|or|to|until|till|through)\b|&|-)\s*(?:the\s+)?{_ORDINAL})+"
    rf"(?P<of>\s+of\s+)(?={_of(MONTHS)}\b)",
    re.IGNORECASE,
)
_ONE_DAY = regex(rf"(?:\bthe\s+)?\b(?P<n>{_ORDINAL})\b", re.IGNORECASE)
_UPTO = regex(r"\s+(?:to|until|till|through)\s+|\s*-\s*", re.IGNORECASE)


def in_digits(text: str) -> str:
    """The text with its numbers in digits, without marks between thousands."""

    def change(pattern: re.Pattern[str], read: Callable[[re.Match[str]], str]) -> None:
        nonlocal text
        text = pattern.sub(read, text)

    change(_THOUSANDS, lambda match: match.group().replace(",", ""))
    change(_NONE, lambda match: f"{_before(match, 'n')}0")
    change(_DAYS, _days)
    for pattern in _measured():  # of two that belong together the second goes first: "between two and three kelvin"
        change(pattern, lambda match: _value(match["n"]))
    for pattern in _percentiles():
        change(pattern, lambda match: f"{_ordinal(match['n'])}th")
    change(_SIGN, lambda match: f"{_before(match, 'sign')}-{match['n']}")
    return text


def _before(match: re.Match[str], group: str) -> str:
    return match.string[match.start() : match.start(group)]


@kept()
def _units() -> str:
    """The units of the lexicon and what counts as one, to the end of the word."""
    spelled = {phrase for entry in lexicon().units for phrase in (*entry.phrases, *entry.exact)}
    return rf"(?:{_of(re.escape(phrase) for phrase in spelled)}|per\s+cent|percentage\s+points?|times)(?!\w)"


@kept()
def _measured() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """A number before a unit, and one before another number that has a unit."""
    units = _units()
    number = rf"\b(?P<n>{_WHOLE}(?:\s+and\s+a\s+half)?)"
    return (
        regex(rf"{number}(?=[\s-]+{units})", re.IGNORECASE),
        regex(rf"{number}(?=\s+(?:and|to|or)\s+\d+(?:\.\d+)?[\s-]+{units})", re.IGNORECASE),
    )


@kept()
def _percentiles() -> tuple[re.Pattern[str], re.Pattern[str]]:
    spoken = rf"\b(?P<n>{_of(_ORDINALS).replace('-', '[- ]')})"
    return (
        regex(rf"{spoken}(?=[\s-]+percentiles?\b)", re.IGNORECASE),
        regex(rf"{spoken}(?=\s+(?:and|to|minus)\s+(?:the\s+)?\d+th[\s-]+percentiles?\b)", re.IGNORECASE),
    )


def _days(match: re.Match[str]) -> str:
    """ "the third and the ninth of " -> "3 and 9 ", "the first to the thirtieth of " -> "1 to 30 "."""
    days = match.group()[: match.start("of") - match.start()]
    plain = _ONE_DAY.sub(lambda day: str(_ordinal(day["n"])), days)
    return f"{_UPTO.sub(' to ', plain)} "


def _ordinal(words: str) -> int:
    digits = re.match(r"\d+", words)
    return int(digits.group()) if digits else _ORDINALS["-".join(words.lower().split())]


def _value(words: str) -> str:
    """The digits of a number: ``"three hundred and thirty"`` -> ``"330"``, ``"zero point one five"`` -> ``"0.15"``."""
    whole, _, after = words.lower().replace("-", " ").partition(" point ")
    total, part, scale = Decimal(0), Decimal(0), 1
    for word in whole.split():
        if word in _SCALES:
            scale = _SCALES[word]
            total, part = total + (part or 1) * scale, Decimal(0)
        elif word == "hundred":
            part = (part or 1) * Decimal(100)
        elif word == "half":  # of one, and in "a million and a half" of a million
            part += Decimal(scale) / 2
        elif word not in ("and", "a"):
            part += Decimal(_SMALL.get(word, word))
    decimals = "".join(str(_SMALL[word]) for word in after.split())
    return f"{(total + part).normalize():f}" + (f".{decimals}" if decimals else "")
