"""Words of the field in any language, and the quantities that several of them name together, whatever their order:
``altezza media degli edifici`` and ``building_height_mean`` are of one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from knowflow.ground.kept import kept
from knowflow.reason.inventory.meanings import documents
from knowflow.reason.inventory.month_words import without_accents

WORDS, TOGETHER = "concepts", "together"
"""The parts of a document that hold words by their concept, and what several concepts name."""
_SHORTEST = 4  # letters of each part of a compound
_LINKS = ("", "s", "n", "en", "es")  # what may stand between them
_WORD = re.compile(r"[^\W\d_]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


def in_english(word: str) -> str:
    """The concept that a word says in any language; of a word that says none the word, in small letters."""
    plain = without_accents(word).casefold()
    return _english().get(plain, plain)


def concepts_in(text: str) -> Mapping[str, str]:
    """The concepts that the words of a text say, each with its word; compounds of two say both."""
    words = _WORD.findall(_CAMEL.sub(" ", text))
    return {concept: word for word in words for concept in _concepts_of(without_accents(word).casefold())}


@kept(4096)
def _concepts_of(word: str) -> tuple[str, ...]:
    """The concept of a word, or those of the two words that it is written of: wind + geschwindigkeit."""
    english = _english()
    if word in english:
        return (english[word],)
    for place in range(_SHORTEST, len(word) - _SHORTEST + 1):
        first, second = word[:place], word[place:]
        if second in english:
            for linked in _LINKS:
                if (
                    first.endswith(linked)
                    and (head := first.removesuffix(linked)) in english
                    and len(head) >= _SHORTEST
                ):
                    return english[head], english[second]
    return ()


def named_together(concepts: Iterable[str]) -> Mapping[str, frozenset[str]]:
    """The quantities that concepts name, each with those that name it: where several do, those of most concepts."""
    said = frozenset(concepts)
    found: dict[str, frozenset[str]] = {}
    for needed, quantity in _together().items():
        if needed <= said and len(needed) > len(found.get(quantity, ())):
            found[quantity] = needed
    most = max(map(len, found.values()), default=0)
    return {quantity: needed for quantity, needed in found.items() if len(needed) == most}


def named_with(text: str) -> frozenset[str]:
    """The quantities in whose names the concepts of a text occur, by themselves or with others."""
    said = concepts_in(text).keys()
    return frozenset(quantity for needed, quantity in _together().items() if needed & said)


@kept()
def _english() -> Mapping[str, str]:
    found: dict[str, str] = {}
    for concept, words in _parts(WORDS).items():
        for word in (concept, *words):
            found.setdefault(without_accents(str(word)).casefold(), str(concept))
    return found


@kept()
def _together() -> Mapping[frozenset[str], str]:
    return {frozenset(text.split()): str(quantity) for quantity, listed in _parts(TOGETHER).items() for text in listed}


def _parts(key: str) -> dict[str, Any]:
    """What the authored documents hold under a key, the strongest first."""
    found: dict[str, Any] = {}
    for document in documents():
        if isinstance(document.data, dict):
            for name, listed in (document.data.get(key) or {}).items():
                found.setdefault(str(name), listed)
    return found
