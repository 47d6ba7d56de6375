"""Words by which a question is restricted, and words that restrict nothing there: ``pkb/restrictions/*.yaml``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pydantic import Field

from knowflow.ground import yamldoc
from knowflow.ground.errors import DocumentError
from knowflow.ground.kept import kept
from knowflow.ground.report import Problem, Problems
from knowflow.knowledge.authored_words import Words
from knowflow.knowledge.documents import authored
from knowflow.knowledge.words import stem
from knowflow.model.tool import Document

_FILES = "restrictions/**/*.yaml"
_HARMLESS = ("extents", "data", "times", "idle", "degrees")
_WORDS = (*_HARMLESS, "occasions", "daytimes", "purposes", "bodies")
_OPENINGS = ("leaves_out", "left_out", "beside", "causes")


class RestrictionFile(Document):
    """One file of words, by what they say beside a preposition, a thing or a verb; and of those that restrict."""

    restrictions: str = Field(pattern=r"^[a-z][a-z0-9_]*$", description="name of the list")
    leaves_out: tuple[Words, ...] = Field((), description="what stands before what an answer is to leave out")
    left_out: tuple[Words, ...] = Field((), description="what stands behind it: 'lakes not counted'")
    beside: tuple[Words, ...] = Field((), description="what stands before a thing and means what lies by it")
    causes: tuple[Words, ...] = Field((), description="what stands before what something comes from")
    extents: tuple[str, ...] = Field((), description="nouns that name the whole of the data or what it is told of")
    data: tuple[str, ...] = Field((), description="words for data themselves: files, layers, their form and make")
    times: tuple[str, ...] = Field((), description="parts of time")
    idle: tuple[str, ...] = Field((), description="what says how much, how surely or for whom")
    degrees: tuple[str, ...] = Field((), description="adverbs that do so; any other says how something came about")
    occasions: tuple[str, ...] = Field((), description="what happened at a time; only as a cause they matter")
    daytimes: tuple[str, ...] = Field((), description="hours of the day, which no data are asked for")
    purposes: tuple[str, ...] = Field((), description="what an answer may be for: 'the mean for the report'")
    bodies: tuple[str, ...] = Field((), description="who acts, named after a thing: 'the forest office'")


@dataclass(frozen=True, slots=True)
class RestrictionWords:
    """Stems and phrases that tell whether a question is restricted.

    Stems: ``harmless`` ones change neither place nor time nor kind, of which ``data`` speak of data themselves;
    ``occasions`` only name a time, ``daytimes`` are hours of the day, ``purposes`` what an answer is for,
    ``bodies`` who acts. Phrases: what
    ``leaves_out`` the words behind it, what says that those before it are ``left_out``, what lies ``beside`` the thing
    behind it, what tells of ``causes``.
    """

    harmless: frozenset[str]
    data: frozenset[str]
    occasions: frozenset[str]
    daytimes: frozenset[str]
    purposes: frozenset[str]
    bodies: frozenset[str]
    leaves_out: tuple[str, ...]
    left_out: tuple[str, ...]
    beside: tuple[str, ...]
    causes: tuple[str, ...]


@kept()
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
        data=_stems(word for file in files for word in file.data),
        occasions=_stems(word for file in files for word in file.occasions),
        daytimes=_stems(word for file in files for word in file.daytimes),
        purposes=_stems(word for file in files for word in file.purposes),
        bodies=_stems(word for file in files for word in file.bodies),
        **{name: _phrases(files, name) for name in _OPENINGS},
    )


def check_restrictions() -> tuple[Problem, ...]:
    """Everything that is wrong with the lists: form, several words in one, two meanings of a word or a phrase.

    Lists of all layers are read as one; of two files that do not fit, the stronger one is told.
    """
    problems = Problems()
    every = tuple(authored(_FILES, RestrictionFile, problems))
    for place, one in enumerate(every):
        weaker = every[place + 1 :]
        hours = _stems(word for other in (one, *weaker) for word in other.model.daytimes)
        harmless = _stems(word for other in weaker for name in _HARMLESS for word in getattr(other.model, name))
        for name in _WORDS:
            for number, word in enumerate(getattr(one.model, name)):
                if not word.isalpha():
                    problems.add(one.document.problem((name, number), "not_a_word", "one word in letters", repr(word)))
                elif stem(word) in (harmless if name == "daytimes" else hours):
                    problems.add(one.document.problem((name, number), "two_meanings", "a word of one list", repr(word)))
        problems.extend(_of_two_ways(one.document, one.model, [other.model for other in weaker]))
    return tuple(problems)


def _of_two_ways(
    document: yamldoc.Document, file: RestrictionFile, weaker: Sequence[RestrictionFile]
) -> Iterator[Problem]:
    """The phrases of a file that restrict in another way as well, there or in a weaker file."""
    for place, name in enumerate(_OPENINGS):
        others = {phrase for other in _OPENINGS[:place] for phrase in _phrases([file], other)}
        others |= {phrase for other in _OPENINGS if other != name for phrase in _phrases(weaker, other)}
        for number, phrase in enumerate(getattr(file, name)):
            if phrase.lower() in others:
                yield document.problem((name, number), "two_meanings", "a phrase of one list", repr(phrase))


def _phrases(files: Iterable[RestrictionFile], name: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(phrase.lower() for file in files for phrase in getattr(file, name)))


def _stems(words: Iterable[str]) -> frozenset[str]:
    return frozenset(stem(word) for word in words)
