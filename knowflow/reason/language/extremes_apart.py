"""Two extreme days of one series told apart: "how much higher is the LST of the warmest day than the coldest"."""

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
_OF_ANY = re.compile(r"(?:high|low|large|small|great|big)", re.IGNORECASE)
_OF_TEMPERATURE = re.compile(r"(?:warm|hot|cool|cold)", re.IGNORECASE)


def extremes_apart(text: str, quantity: str) -> bool:
    """Whether the highest and the lowest day of a quantity are compared, and not another quantity on these days."""
    both = _opposites(text)
    thermal = "temperature" in quantity
    return bool(both) and all(_OF_ANY.match(one) or (thermal and _OF_TEMPERATURE.match(one)) for one in both)


def extremes_of_another(text: str, quantity: str) -> str:
    """The words of two days that are extreme in temperature, where another quantity is compared on them."""
    both = _opposites(text)
    if "temperature" in quantity or not both or not all(_OF_TEMPERATURE.match(one) for one in both):
        return ""
    return " and ".join(both)


def one_extreme_twice(text: str) -> bool:
    """Whether the same extreme of two places is told apart: "the wettest day in A than the wettest day in B"."""
    found = _APART.search(text)
    return found is not None and found["one"].lower() == found["other"].lower()


def _opposites(text: str) -> tuple[str, ...]:
    """The superlatives of two days that are told apart, where one is the opposite of the other."""
    found = _APART.search(text)
    both = () if found is None else (found["one"], found["other"])
    ways = [way[0] for said in both if (way := superlative_way(said)) is not None]
    return both if sorted(ways) == ["down", "up"] else ()
