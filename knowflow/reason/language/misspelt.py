"""Words of a question that nothing explains, and the names of the domain that they may be misspelt from."""

from __future__ import annotations

from knowflow.ground.indices import spectral_indices
from knowflow.ground.kept import kept
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.spelling import lookalikes
from knowflow.model.goal import QueryGoal

_LIKENESS = 0.75  # two letters of eight may be wrong, or two neighbours of four changed over
_SHORTEST = 4  # of names; a word in small letters is taken for a slip from six letters on: "high" is not "height"
_SHORTEST_WORD = 6


def misspelt(goal: QueryGoal) -> str:
    """Of the words that were not understood, the names that look like them, as a hint; empty where none does."""
    found = []
    for word in goal.leftover:
        long_enough = len(word) >= (_SHORTEST_WORD if word.islower() else _SHORTEST)
        close = lookalikes(word, _names(), likeness=_LIKENESS) if long_enough else []
        if close and word.lower() not in close:
            found.append(f"{word}: did you mean {' or '.join(close)}?")
    return " ".join(found)


@kept()
def _names() -> tuple[str, ...]:
    """The short names of indices, and every longer word in the names and synonyms of quantities."""
    spoken = (text for kind in quantity_kinds().values() for text in (kind.name.replace("_", " "), *kind.synonyms))
    words = (word for text in spoken for word in text.split() if len(word) >= _SHORTEST and word.isalpha())
    return tuple(dict.fromkeys((*(index.short_name for index in spectral_indices().values()), *words)))
