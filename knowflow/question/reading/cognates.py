"""What files are called in a language near to that of the question: pastoral units, of ``unites_pastorales``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from itertools import permutations, takewhile
from typing import Any

from knowflow.knowledge.reading_words import words_of
from knowflow.knowledge.things import plain_name

Named = tuple[str, str, Any]
"""A name that the data bring, with the symbol and the value of it."""
_OF_FILES = frozenset(("NAMED_KEY", "SPOT_KEY"))
_LONGEST = 3  # words
_SHORTEST = 4  # letters
_ALIKE = 5
"""Letters that the beginnings of two words share, or four of them where that is most of the shorter one."""
_MOST = 0.75
_LEAST, _MOST_OF_SEVERAL = 3, 0.6
"""The same of each of several words, and of all together."""
_TWICE = re.compile(r"(.)\1")
_JOINING = frozenset(("de", "des", "du", "da", "do", "di", "del", "dei", "la", "le", "les", "el", "los", "las", "of"))


def cognates(words: Sequence[str], names: Sequence[Named], unknown: Set[int]) -> Iterator[Named]:
    """What words that nothing knows name: those of a name of the data, but for their ends and their order.

    ``unknown`` are the places of those words; a name of several words has one of them at least.
    """
    kinds = [(parts, one) for one in dict.fromkeys(names) if one[1] in _OF_FILES and (parts := _parts(one[0]))]
    for start, end in _spans(len(words), unknown):
        said = tuple(words[start:end])
        if all(word.isalpha() and len(word) >= _SHORTEST for word in said):
            for parts, (_, symbol, value) in kinds:
                if len(parts) == len(said) and parts != said and _same(said, parts):
                    yield " ".join(said), symbol, value


def _spans(length: int, unknown: Set[int]) -> Iterator[tuple[int, int]]:
    for start in range(length):
        for end in range(start + 1, min(length, start + _LONGEST) + 1):
            if not unknown.isdisjoint(range(start, end)):
                yield start, end


def _parts(name: str) -> tuple[str, ...]:
    parts = tuple(word for word in words_of(name) if word not in _JOINING)
    fits = 0 < len(parts) <= _LONGEST and all(word.isalpha() and len(word) >= _SHORTEST for word in parts)
    return parts if fits else ()


def _same(said: Sequence[str], parts: Sequence[str]) -> bool:
    return any(_alike(said, order) for order in permutations(parts))


def _alike(said: Sequence[str], parts: Sequence[str]) -> bool:
    """Whether words are the same in two languages, by how they begin.

    >>> _alike(["pastoral", "unit"], ["pastorales", "unidades"]), _alike(["content"], ["continents"])
    (True, False)
    """
    pairs = [(_plain(one), _plain(other)) for one, other in zip(said, parts, strict=True)]
    shared = [len([*takewhile(lambda two: two[0] == two[1], zip(a, b, strict=False))]) for a, b in pairs]
    if len(pairs) == 1 and shared[0] >= _ALIKE:
        return True
    least, most = (_LEAST, _MOST_OF_SEVERAL) if len(pairs) > 1 else (_SHORTEST, _MOST)
    return min(shared) >= least and sum(shared) >= most * sum(min(len(a), len(b)) for a, b in pairs)


def _plain(word: str) -> str:
    return _TWICE.sub(r"\1", plain_name(word))
