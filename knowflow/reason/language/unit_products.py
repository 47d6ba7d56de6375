"""Units that are made of others, as they are written: "mol/m2", "nW cm-2 sr-1", "micrograms per cubic metre".

The lexicon spells single units, and of the products only the most common ones; the rest are read here by their parts,
so that no part is taken for the whole: "mol/m2" is neither moles nor an area.
"""

from __future__ import annotations

import re

from knowflow.ground.regex import regex
from knowflow.ground.units import known, normalise

_SIGN = r"(?:[pnuµμmcdhkMG]?(?:mol|sr|Pa|[WJgmsKNtlL])|ha|h)"
_POWER = r"(?:\^?[23])?(?!\w)"
_WORD = (
    r"(?:nano|micro|milli|centi|kilo|mega)?(?:mole|gram|watt|joule|tonne|met(?:re|er)|lit(?:re|er)|steradian|molecule|"
    r"hectare)s?\b"
)
_NEXT = rf"\s+per\s+(?:(?:square|cubic)\s+)?(?:{_WORD}|(?-i:{_SIGN}{_POWER}))"
PRODUCT = (
    rf"(?-i:{_SIGN}{_POWER}(?:\s?/\s?{_SIGN}{_POWER})+|{_SIGN}{_POWER}(?:[ .·*]{{0,2}}{_SIGN}\^?-[1-4](?!\w))+)|"
    rf"(?:{_WORD}|(?-i:{_SIGN}{_POWER}))(?:{_NEXT})+"
)
"""A product of units, as an expression without groups that heeds the case of signs."""
_PRODUCT = regex(rf"(?<![\w./]){PRODUCT}", re.IGNORECASE)


def unit_product(text: str) -> str | None:
    """The canonical spelling of a text that is such a unit and nothing else."""
    return normalise(text) if _PRODUCT.fullmatch(text) and known(text) else None
