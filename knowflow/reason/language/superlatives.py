"""Superlatives: "the largest", "muddiest", "most", as patterns; words that only end like them are none."""

from __future__ import annotations

import re

from knowflow.ground.inflection import superlative
from knowflow.ground.kept import kept
from knowflow.knowledge.lexicon import lexicon

# "muddiest", "rainiest": formed of any adjective in -y; "wettest", "grimmest": of any whose last letter is doubled
_FORMED = r"(?!priest|earliest)[a-z]{2,}iest|[a-z]*[aeiou](?:bb|dd|gg|mm|nn|tt)est"
_MOST = r"(?<!\bat )(?<!\bat the )(?:most|least)"
_PLACED = ("near", "close", "late", "early", "simple")


@kept()
def superlatives() -> str:
    """Every superlative of an amount as one pattern without groups, to be put between ends of words.

    "At least" is none, and neither is what tells a time or a way: "latest", "nearest".
    """
    known = lexicon()
    adjectives = {one for entry in known.movements for one in entry.adjectives} | known.ranked
    words = sorted(re.escape(superlative(one)) for one in adjectives - set(_PLACED))
    return rf"(?:{'|'.join(words)}|{_FORMED}|worst|{_MOST})"
