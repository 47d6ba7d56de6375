"""Words that nobody has authored, by those that they share their beginning with: ``transpiracja`` is transpiration, and
``wilgotn`` is short for moisture.

Much of the field's vocabulary is the same in many languages but for endings and spelling (c, k and z, ph and f, y and
i). A word means what all known words mean that it shares enough of its beginning with; nothing where these disagree.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence

from knowflow.ground.regex import regex
from knowflow.reason.inventory.month_words import without_accents

_SPELLINGS = (
    *(("ph", "f"), ("th", "t"), ("ck", "k"), ("qu", "k"), ("sch", "s"), ("ae", "a"), ("oe", "o"), ("ue", "u")),
    *(("c", "k"), ("q", "k"), ("z", "s"), ("x", "ks"), ("y", "i"), ("j", "i"), ("w", "v"), ("h", "")),
)
_TWICE = regex(r"(.)\1+")
_SHORTEST, _SHORTEST_BEGINNING, _SHORTEST_CUT = 7, 6, 5  # letters of a word, of what two share, and of what is cut off
_LEAST_SHARED = 0.6  # of the longer of two


def spelled_alike(word: str) -> str:
    """A word without what spelling alone makes of it in different languages."""
    found = without_accents(word).casefold()
    for one, other in _SPELLINGS:
        found = found.replace(one, other)
    return _TWICE.sub(r"\1", found)


def sorted_spellings(words: Iterable[tuple[str, str]]) -> Sequence[tuple[str, str]]:
    """Words with what each means, as ``meaning_alike`` looks them up."""
    return sorted({(spelled_alike(word), meaning) for word, meaning in words if len(word) > _SHORTEST_CUT})


def meaning_alike(word: str, known: Sequence[tuple[str, str]]) -> str | None:
    """What a word means by known words that begin as it does; None where there are none, or they do not agree."""
    own = spelled_alike(word)
    if len(own) < _SHORTEST_CUT:
        return None
    start = bisect_left(known, (own[:_SHORTEST_CUT],))
    cut: set[str] = set()
    alike: dict[str, int] = {}
    for spelling, meaning in known[start:]:
        if not spelling.startswith(own[:_SHORTEST_CUT]):
            break
        shared = _shared(own, spelling)
        if shared == len(own) < len(spelling):
            cut.add(meaning)
        if len(word) >= _SHORTEST and shared >= max(_SHORTEST_BEGINNING, _LEAST_SHARED * max(len(own), len(spelling))):
            alike[meaning] = max(shared, alike.get(meaning, 0))
    if alike:
        best = [meaning for meaning, shared in alike.items() if shared == max(alike.values())]
        return best[0] if len(best) == 1 else None
    return cut.pop() if len(cut) == 1 else None


def _shared(one: str, other: str) -> int:
    return next(
        (place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )
