"""Words that restrict nothing where a question is restricted, authored in ``pkb/restrictions/*.yaml``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from pydantic import Field

from knowflow.ground.errors import DocumentError
from knowflow.ground.report import Problem, Problems
from knowflow.knowledge.documents import authored
from knowflow.knowledge.words import stem
from knowflow.model.tool import Document

_FILES = "restrictions/**/*.yaml"
_HARMLESS = ("extents", "times", "idle", "degrees")


class RestrictionFile(Document):
    """One file of words, by what they say beside a preposition, a thing or a verb."""

    restrictions: str = Field(pattern=r"^[a-z][a-z0-9_]*$", description="name of the list")
    extents: tuple[str, ...] = Field((), description="nouns that name the whole of the data or what it is told of")
    times: tuple[str, ...] = Field((), description="parts of time")
    idle: tuple[str, ...] = Field((), description="what says how much, how surely or for whom")
    degrees: tuple[str, ...] = Field((), description="adverbs that do so; any other says how something came about")
    occasions: tuple[str, ...] = Field((), description="what happened at a time; only as a cause they matter")
    daytimes: tuple[str, ...] = Field((), description="hours of the day, which no data are asked for")


@dataclass(frozen=True, slots=True)
class RestrictionWords:
    """Stems: ``harmless`` ones change neither place nor time nor kind, ``occasions`` only name a time, ``daytimes`` are
    hours of the day."""

    harmless: frozenset[str]
    occasions: frozenset[str]
    daytimes: frozenset[str]


@lru_cache(maxsize=1)
def restriction_words() -> RestrictionWords:
    """The words of all layers.

    Raises:
        DocumentError: a file is not valid; all its problems are listed.
    """
    problems = check_restrictions()
    if problems:
        raise DocumentError("the words of restrictions are not valid", problems=problems)
    files = tuple(one.model for one in authored(_FILES, RestrictionFile, Problems()))
    return RestrictionWords(
        harmless=_stems(word for file in files for name in _HARMLESS for word in getattr(file, name)),
        occasions=_stems(word for file in files for word in file.occasions),
        daytimes=_stems(word for file in files for word in file.daytimes),
    )


def check_restrictions() -> tuple[Problem, ...]:
    """Everything that is wrong with the lists: form, several words in one, a word that is harmless and an hour.

    Lists of all layers are read as one; of two files that do not fit, the stronger one is told.
    """
    problems = Problems()
    every = tuple(authored(_FILES, RestrictionFile, problems))
    for place, one in enumerate(every):
        weaker = every[place + 1 :]
        hours = _stems(word for other in (one, *weaker) for word in other.model.daytimes)
        harmless = _stems(word for other in weaker for name in _HARMLESS for word in getattr(other.model, name))
        for name in (*_HARMLESS, "occasions", "daytimes"):
            for number, word in enumerate(getattr(one.model, name)):
                if not word.isalpha():
                    problems.add(one.document.problem((name, number), "not_a_word", "one word in letters", repr(word)))
                elif stem(word) in (harmless if name == "daytimes" else hours):
                    problems.add(one.document.problem((name, number), "two_meanings", "a word of one list", repr(word)))
    return tuple(problems)


def _stems(words: Iterable[str]) -> frozenset[str]:
    return frozenset(stem(word) for word in words)
