"""Superlatives: "the largest", "muddiest", "most", as patterns; words that only end like them are none."""

from __future__ import annotations

import re

from knowflow.ground.kept import kept
from knowflow.knowledge.inflection import superlative
from knowflow.knowledge.lexicon import lexicon

# adjectives that say which way no value moves by themselves, or that no quantity is told by
_OTHERS = (
    *("bleak", "broad", "bold", "busy", "calm", "coarse", "crisp", "dense", "dull", "faint", "fast", "few", "fierce"),
    *("fine", "firm", "fresh", "full", "grand", "grave", "grey", "hard", "harsh", "keen", "lush", "mild", "moist"),
    *("new", "old", "pale", "poor", "pure", "quick", "rare", "rich", "ripe", "scarce", "severe", "sharp", "slight"),
    *("slow", "soft", "stark", "tight", "tough", "young"),
)
# "muddiest", "rainiest": formed of any adjective in -y; "wettest", "grimmest": of any whose last letter is doubled
_FORMED = r"(?!priest|earliest)[a-z]{2,}iest|[a-z]*[aeiou](?:bb|dd|gg|mm|nn|tt)est"
_MOST = r"(?<!\bat )(?<!\bat the )(?:most|least)"
_PLACED = ("near", "close", "late", "early", "simple")


@kept()
def superlatives() -> str:
    """Every superlative of an amount as one pattern without groups, to be put between ends of words.

    "At least" is none, and neither is what tells a time or a way: "latest", "nearest".
    """
    known = {one for entry in lexicon().movements for one in entry.adjectives}
    words = sorted(re.escape(superlative(one)) for one in {*known, *_OTHERS} - set(_PLACED))
    return rf"(?:{'|'.join(words)}|{_FORMED}|worst|{_MOST})"


@kept()
def ranks() -> str:
    """Superlatives of any kind, times and ways among them: what has a second and a third one."""
    return rf"(?:{superlatives()}|{'|'.join(map(superlative, _PLACED))}|farthest|furthest|best)"
