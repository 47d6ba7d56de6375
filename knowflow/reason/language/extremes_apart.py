"""Two extreme days of one series: told apart ("how much higher is the LST of the warmest day than the coldest"), or
beside each other ("name the wettest and the driest day")."""

from __future__ import annotations

import re

from knowflow.reason.language.movements import superlative_way

_DAY = r"(?:day|date|night|scene|image|acquisition|overpass)"
_THAN = r"(?:than|above|below|over|under|from|exceed\w*|surpass\w*)"
_APART = re.compile(
    r"\b(?:by\s+how\s+much|how\s+(?:much|far|many\s+\w+))\b[^.;?]*"
    rf"\b(?P<one>\w{{2,}}est)\s+(?:\w+\s+)?{_DAY}\b[^.;?]*\b{_THAN}\b[^.;?]*\b(?P<other>\w{{2,}}est)\b",
    re.IGNORECASE,
)
_OF_ANY = re.compile(r"(?:high|low|large|small|great|big|maxim|minim)", re.IGNORECASE)
_OF_TEMPERATURE = re.compile(r"(?:warm|hot|cool|cold)", re.IGNORECASE)
# what is the most or the least of other quantities
_OF_OTHERS = {
    "precipitation": re.compile(r"(?:wet|dry|dri)", re.IGNORECASE),
    "night_lights": re.compile(r"(?:bright|dim|dark)", re.IGNORECASE),
    "ndvi": re.compile(r"(?:green|least\s+green|brown)", re.IGNORECASE),
    "tvdi": re.compile(r"(?:wet|dry|dri)", re.IGNORECASE),
}
_EXTREME = r"(?:(?<!at )least\s+\w+|\w{2,}est|maxim(?:um|a)|minim(?:um|a))"
# "the NDVI on the hottest and on the coldest day"
_ON_BOTH = re.compile(
    rf"\bon\s+the\s+(?P<one>\w{{2,}}est)\s+(?:{_DAY}\s+)?and\s+(?:on\s+)?(?:the\s+)?(?P<other>\w{{2,}}est)\s+{_DAY}s?\b",
    re.IGNORECASE,
)
_MAXIMUM_OR_MINIMUM = re.compile(r"m(?:ax|in)im", re.IGNORECASE)
_BESIDE = re.compile(
    rf"\b(?P<one>{_EXTREME})\b[^.;?]*?(?:,|\b(?:and|or|as\s+well\s+as|plus)\b)[^.;?]*?\b(?P<other>{_EXTREME})\b",
    re.IGNORECASE,
)


def extremes_apart(text: str, quantity: str) -> bool:
    """Whether the highest and the lowest day of a quantity are compared, and not another quantity on these days."""
    both = _opposites(_APART.search(text))
    return bool(both) and all(_is_of(quantity, one) for one in both)


def extremes_beside(text: str, quantity: str) -> tuple[str, ...]:
    """The words of the highest and the lowest of a quantity that are asked for beside each other, as they are told."""
    both = _opposites(_BESIDE.search(text))
    return both if all(_is_of(quantity, one) for one in both) else ()


def extremes_of_another(text: str, quantity: str) -> str:
    """The words of two days that are extreme in temperature, where another quantity is asked for on them."""
    every = (_opposites(one.search(text)) for one in (_APART, _ON_BOTH))
    both = next((one for one in every if one and all(map(_OF_TEMPERATURE.match, one))), ())
    return "" if "temperature" in quantity else " and ".join(both)


def one_extreme_twice(text: str) -> bool:
    """Whether the same extreme of two places is told apart: "the wettest day in A than the wettest day in B"."""
    found = _APART.search(text)
    return found is not None and found["one"].lower() == found["other"].lower()


def is_lowest(words: str) -> bool:
    """Whether such words are those of the lowest: "driest", "minimum", "least green"."""
    if _MAXIMUM_OR_MINIMUM.match(words):
        return words.lower().startswith("min")
    way = superlative_way(words)
    return way is not None and way[0] == "down"


def _is_of(quantity: str, extreme: str) -> bool:
    """Whether words tell the most or the least of a quantity: "warmest" does of temperatures, "highest" of any."""
    own = _OF_TEMPERATURE if "temperature" in quantity else _OF_OTHERS.get(quantity)
    return _OF_ANY.match(extreme) is not None or (own is not None and own.match(extreme) is not None)


def _opposites(found: re.Match[str] | None) -> tuple[str, ...]:
    """The superlatives of two days, where one is the opposite of the other."""
    both = () if found is None else (found["one"], found["other"])
    return both if sorted(map(is_lowest, both)) == [False, True] else ()
