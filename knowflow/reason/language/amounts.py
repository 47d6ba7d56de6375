"""Parts of a unit that are told in words: "half a kilometre", "three quarters of a degree"."""

from __future__ import annotations

import re

from knowflow.ground.kept import kept
from knowflow.ground.regex import regex
from knowflow.knowledge.lexicon import lexicon
from knowflow.reason.language.fractions import PARTS
from knowflow.reason.language.patterns import one_of


def with_parts(text: str) -> str:
    """The text with parts in digits: ``"half a kilometre"`` -> ``"0.5 kilometre"``, ``"half cloudy"`` in percent."""
    text = _parts().sub(lambda match: f"{_part(match):g} {match['unit']}", text)
    return _cloudy().sub(lambda match: f"{100 * _part(match):g} % ", text)


def _part(match: re.Match[str]) -> float:
    return PARTS[" ".join(match["part"].lower().split())]


@kept()
def _cloudy() -> re.Pattern[str]:
    """A part of a scene that is under cloud: "more than half cloudy"."""
    return regex(
        rf"\b(?P<part>{one_of(PARTS)})\s+(?=(?:cloudy|clouded|overcast|(?:covered|hidden)\s+by\s+cloud)\b)",
        re.IGNORECASE,
    )


@kept()
def _parts() -> re.Pattern[str]:
    """A part right before the name of one unit; letters and marks of units have digits before them anyway."""
    named = {phrase for entry in lexicon().units for phrase in entry.phrases if re.fullmatch(r"[a-z]{4,}.*", phrase)}
    return regex(rf"\b(?P<part>{one_of(PARTS)})\s+(?:of\s+)?(?:an?|one)\s+(?P<unit>{one_of(named)})\b", re.IGNORECASE)
