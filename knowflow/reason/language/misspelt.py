"""Words of a question that nothing explains, and the names of the domain that they may be misspelt from."""

from __future__ import annotations

import re
from collections.abc import Iterator

from knowflow.ground.indices import spectral_indices
from knowflow.ground.kept import kept
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.spelling import lookalikes
from knowflow.knowledge.lexicon import lexicon
from knowflow.knowledge.words import MONTHS
from knowflow.model.goal import QueryGoal
from knowflow.reason.language.restricting import Restriction

_LIKENESS = 0.75  # two letters of eight may be wrong, or two neighbours of four changed over
_SHORTEST = 4  # of names; a word in small letters is taken for a slip from six letters on: "high" is not "height"
_SHORTEST_WORD = 6
_BEFORE_NUMBER = re.compile(r"\b(?P<word>[a-z]{4,})\s+(?:than\s+)?-?\d[\d.,]*", re.IGNORECASE)
_BEFORE_YEAR = re.compile(
    r"\b(?:in|of|for|during|since|until|from|to|and)\s+(?P<word>[a-z]{4,})\.?,?\s+(?:19|20)\d\d\b", re.IGNORECASE
)


def misspelt(goal: QueryGoal) -> str:
    """Of the words that were not understood, the names that look like them, as a hint; empty where none does."""
    found = []
    for word in goal.leftover:
        long_enough = len(word) >= (_SHORTEST_WORD if word.islower() else _SHORTEST)
        close = lookalikes(word, _names(), likeness=_LIKENESS) if long_enough else []
        if close and word.lower() not in close:
            found.append(f"{word}: did you mean {' or '.join(close)}?")
    return " ".join(found)


def slips(goal: QueryGoal) -> Iterator[Restriction]:
    """Limits and months that a slip has made unreadable: "abvoe 500 m", "in Juli 2020"; the answer would be that to
    a wider question."""
    region = goal.slots.get("region")
    unread = {word.lower() for word in (*goal.leftover, *(() if region is None else region.words.split()))}
    for pattern, known, what in ((_BEFORE_NUMBER, _sides(), "a limit"), (_BEFORE_YEAR, tuple(MONTHS), "a month")):
        for match in pattern.finditer(goal.text):
            word = match["word"].lower()
            close = lookalikes(word, known, likeness=_LIKENESS) if word in unread else []
            if close and word not in close:
                names = " or ".join(one.title() if what == "a month" else one for one in close)
                words = match.group()[match.start("word") - match.start() :]
                yield Restriction(
                    words, (match["word"],), f"may be {what}, and is not read as one", f"did you mean {names}?"
                )


@kept()
def _sides() -> tuple[str, ...]:
    """The single words that stand before a limit: above, below, exceeds."""
    phrases = (phrase for entry in lexicon().directions for phrase in (*entry.phrases, *entry.weak))
    words = (phrase.removesuffix(" than") for phrase in phrases)
    return tuple(dict.fromkeys(word for word in words if word.isalpha() and len(word) >= _SHORTEST))


@kept()
def _names() -> tuple[str, ...]:
    """The short names of indices, and every longer word in the names and synonyms of quantities."""
    spoken = (text for kind in quantity_kinds().values() for text in (kind.name.replace("_", " "), *kind.synonyms))
    words = (word for text in spoken for word in text.split() if len(word) >= _SHORTEST and word.isalpha())
    return tuple(dict.fromkeys((*(index.short_name for index in spectral_indices().values()), *words)))
