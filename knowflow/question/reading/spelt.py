"""Names of the data as people write them: with other accents, and of words that mean nothing by themselves."""

from __future__ import annotations

from collections.abc import Sequence, Set

from knowflow.knowledge.reading_words import reading_words
from knowflow.knowledge.things import plain_name
from knowflow.knowledge.words import Token


def as_spelt(words: Sequence[str], named: Set[str]) -> list[str]:
    """Words as the data spell them, where they have other accents, and say nothing else: ``alcaldías``."""
    accented, said = {plain_name(one): one for one in named if not one.isascii()}, reading_words()

    def spelt(word: str) -> str:
        if word in named or word in said.nothing or (word,) in said.phrases:
            return word
        plain = word if word.isascii() else plain_name(word)
        return accented.get(plain, plain if plain in named else word)

    return list(map(spelt, words))


def within_names(every: Sequence[Token], whole: Set[tuple[str, ...]]) -> Set[int]:
    """Where words begin that mean nothing by themselves, and are of names that are said whole: Can Tho."""
    said, nothing = [one.text.lower() for one in every], reading_words().nothing
    found: set[int] = set()
    for name in whole:
        if len(name) > 1 and not nothing.isdisjoint(name):
            for at in range(len(said) - len(name) + 1):
                if tuple(said[at : at + len(name)]) == name:
                    found |= {one.start for one in every[at : at + len(name)]}
    return found
