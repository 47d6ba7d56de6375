"""Numbers of a sentence that are no limits: percentiles, "the top 5", and the numbers of bands."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from knowflow.ground.kept import kept
from knowflow.ground.regex import regex
from knowflow.knowledge.words import NUMBER_WORDS
from knowflow.reason.language.limits import number
from knowflow.reason.language.superlatives import superlatives

_COUNT = r"(?P<n>\d{1,3}|" + "|".join(NUMBER_WORDS) + r")"
_COUNT_FIRST = _COUNT.replace("?P<n>", "?P<first>")
_PERCENTILE = regex(
    r"(?:(?<!\S)(?=-\d)|\b(?!-))(?:(?P<a>-?\d+(?:\.\d+)?)\s*(?:st|nd|rd|th)?[\s-]*(?:percentile|quantile)|"
    r"percentile\s+(?P<b>-?\d+(?:\.\d+)?)|p(?P<c>\d{2})|"
    r"(?P<named>upper quartile|lower quartile|third quartile|first quartile|top decile|bottom decile))(?!\w)",
    re.IGNORECASE,
)
_NAMED_PERCENTILES = {
    "upper quartile": 75.0,
    "third quartile": 75.0,
    "lower quartile": 25.0,
    "first quartile": 25.0,
    "top decile": 90.0,
    "bottom decile": 10.0,
}
_BAND_LIST = regex(
    r"\bbands?\s+((?:[a-z]{0,2}\d{1,2}a?)(?:\s*(?:,|and|-|/|,\s*and)\s*(?:[a-z]{0,2}\d{1,2}a?\b))*)(?![\w.])",
    re.IGNORECASE,
)
_BAND = regex(r"(?<!\w)(?:B\d{1,2}A?|b\d{2}|SR_B\d{1,2}|ST_B\d{1,2}|sur_refl_b\d{2}|QA_PIXEL)(?!\w)")


@dataclass(frozen=True, slots=True)
class Numeral:
    """The value of a slot with its words; ``spans`` are the characters that may be read as nothing else."""

    slot: str
    value: Any
    words: str
    spans: tuple[tuple[int, int], ...]


def numerals(text: str, taken: Sequence[tuple[int, int]]) -> tuple[Numeral, ...]:
    """The percentile, the count of the largest and the bands that are named; ``taken``: the characters of dates."""
    found: list[Numeral] = []
    percentile = _PERCENTILE.search(text)
    if percentile:
        said = percentile["a"] or percentile["b"] or percentile["c"]
        value = float(said) if said else _NAMED_PERCENTILES[percentile["named"].lower()]
        found.append(Numeral("percentile", value, percentile.group(), (percentile.span(),)))
    top = _top().search(text)
    if top:
        said = (top["n"] or top["first"]).lower()
        digits = re.search(r"\d+", top.group())
        spans = ((top.start() + digits.start(), top.start() + digits.end()),) if digits else ()
        found.append(Numeral("top", NUMBER_WORDS.get(said) or int(number(said)), top.group(), spans))
    bands = _bands(text, [*taken, *(span for numeral in found for span in numeral.spans)])
    return (*found, bands) if bands.value else tuple(found)


def _bands(text: str, taken: Sequence[tuple[int, int]]) -> Numeral:
    names: list[str] = []
    matches: list[re.Match[str]] = []
    for match in (*_BAND_LIST.finditer(text), *_BAND.finditer(text)):
        if not any(first <= match.start() < past for first, past in (*taken, *(other.span() for other in matches))):
            names += re.findall(r"[A-Za-z_]*\d{1,2}A?", match[1]) if match.re is _BAND_LIST else [match.group()]
            matches.append(match)
    words = ", ".join(match.group() for match in matches)
    return Numeral("bands", tuple(dict.fromkeys(names)), words, tuple(match.span() for match in matches))


@kept()
def _top() -> re.Pattern[str]:
    most = rf"(?!most\b|least\b){superlatives()}"  # "two most distant" says of what they are the most
    return regex(rf"(?<![\d.])\b(?:(?:top|{most})\s+{_COUNT}|{_COUNT_FIRST}\s+{most})\b(?!\s*[ckm]?m\b)", re.IGNORECASE)
