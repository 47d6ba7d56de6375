"""Expressions that many readers of a text are made of."""

from __future__ import annotations

import re
from collections.abc import Iterable

from knowflow.ground.regex import regex
from knowflow.knowledge.words import MONTHS, SHORT_MONTHS

YEAR = r"(?:19|20)\d\d"
"""The years that there can be data of."""
MONTH = rf"(?:{'|'.join([*MONTHS, *sorted(SHORT_MONTHS, key=len, reverse=True)])})"
"""Months in full and shortened."""

GREATEST, LEAST = "highest|largest|greatest|biggest", "lowest|smallest|least"
"""The most and the least of any quantity; how else it may be the most is authored: ``superlatives``."""

COLOUR_MAPS = (
    *("viridis", "plasma", "inferno", "magma", "cividis", "jet", "hot", "coolwarm", "turbo", "rainbow", "terrain"),
    *("seismic", "spectral", "gray"),
)
"""Palettes by names that mean little else beside colours."""


def any_of(*alternatives: str) -> re.Pattern[str]:
    """What fits one of several expressions, in whatever case."""
    return regex("|".join(alternatives), re.IGNORECASE)


def one_of(phrases: Iterable[str]) -> str:
    """Any of several phrases as one expression: the longest first, blanks of any width; of no phrases nothing fits."""
    longest_first = sorted(phrases, key=lambda phrase: (-len(phrase), phrase))
    found = (r"\s+".join(map(re.escape, phrase.split())) for phrase in longest_first)
    return rf"(?:{'|'.join(found) or '(?!)'})"
