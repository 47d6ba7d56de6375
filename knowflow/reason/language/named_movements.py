"""Movements that a question asks for by naming them: "where did NDVI soar", "what was the slump of NDVI"."""

from __future__ import annotations

import re

from knowflow.ground.kept import kept
from knowflow.knowledge.lexicon import lexicon
from knowflow.reason.language.movements import Movement, movements

# the verb that moves is that of the question: "where did the area that fell dry ..." asks something else
_WHERE = re.compile(
    r"\bwhere\s+(?:did|has|have|had)\s+(?:(?!\b(?:that|which|who|where|when)\b)[^.?!;])*", re.IGNORECASE
)


def named_movement(text: str) -> Movement | None:
    """The movement of which a text asks where it was, or which it names as what is wanted."""
    asked = [match.span() for match in _WHERE.finditer(text)]
    nouns = {match.start("noun") for match in _nouns().finditer(text)}
    every = movements(text)
    return next(
        (one for one in every if one.first in nouns or any(first <= one.first < past for first, past in asked)), None
    )


@kept()
def _nouns() -> re.Pattern[str]:
    """Nouns of movement with what moved, or with the times: "the uptick of NDVI", "its slump between"; and none
    with a time before it, as in "in the fall of 2019"."""
    nouns = "|".join(sorted({noun for entry in lexicon().movements for noun in entry.nouns}))
    return re.compile(
        r"(?<!\bin )(?<!\bduring )(?<!\bbefore )(?<!\bafter )(?<!\bfor )(?<!\bover )(?<!\bsince )"
        rf"\b(?:the|its|an?|any)\s+(?:[\w-]+\s+)?(?P<noun>{nouns})s?\s+(?:of|in|from|between)\b",
        re.IGNORECASE,
    )
