"""Parts of a unit that are told in words: "half a kilometre", "three quarters of a degree"."""

from __future__ import annotations

import re

from knowflow.ground.kept import kept
from knowflow.knowledge.lexicon import lexicon
from knowflow.reason.language.fractions import PARTS
from knowflow.reason.language.patterns import one_of


def with_parts(text: str) -> str:
    """The text with parts of a unit in digits: ``"half a kilometre"`` -> ``"0.5 kilometre"``."""
    return _parts().sub(lambda match: f"{PARTS[' '.join(match['part'].lower().split())]:g} {match['unit']}", text)


@kept()
def _parts() -> re.Pattern[str]:
    """A part right before the name of one unit; letters and marks of units have digits before them anyway."""
    named = {phrase for entry in lexicon().units for phrase in entry.phrases if re.fullmatch(r"[a-z]{4,}.*", phrase)}
    return re.compile(
        rf"\b(?P<part>{one_of(PARTS)})\s+(?:of\s+)?(?:an?|one)\s+(?P<unit>{one_of(named)})\b", re.IGNORECASE
    )
