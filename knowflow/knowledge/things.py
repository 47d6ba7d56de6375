"""What things are called in other languages: species, crops, land and features of ``pkb/things``.

A file that holds ``Fichte`` is asked of ``spruce``. Names are whole words; one that is under two things names none.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence

from pydantic import Field

from knowflow.ground.errors import DocumentError
from knowflow.ground.kept import kept
from knowflow.ground.report import Problem, Problems
from knowflow.knowledge.documents import authored
from knowflow.knowledge.reading_words import reading_words, words_of
from knowflow.model.tool import Document

_FILES = "things/**/*.yaml"
_SHORTEST = 3  # letters of a name that a question says
_THINGS = frozenset({"GROUND", "BODY", "SHARE_OF", "NAMED_KEY", "MEDIUM", "SUBSTANCE"})
_BESIDE = re.compile(r"[(/;]")


class Names(Document):
    """What one thing is called beside its English name."""

    en: tuple[str, ...] = Field((), description="other English names")
    said: tuple[str, ...] = Field((), description="names that only questions use of it")
    other: tuple[str, ...] = Field((), description="names in other languages")


class ThingsFile(Document):
    """One file of things, each under its English name, in groups."""

    things: dict[str, dict[str, Names]]


def check_things() -> tuple[Problem, ...]:
    """Everything that is wrong with the names of things, with file and line."""
    problems = Problems()
    for _ in authored(_FILES, ThingsFile, problems):
        pass
    return tuple(problems)


def other_names(name: str, whatever: bool = False) -> tuple[str, ...]:
    """The English names of a thing that is called otherwise; none of what is no thing that is known. Those alone that
    say nothing else in a question, unless ``whatever`` they say.

    >>> other_names("Zuckerrübe")[:2]
    ('sugar beet', 'sugar beets')
    """
    found: dict[str, None] = {}
    things = _things()
    for part in parts_of(name):
        thing = things.get(plain_name(part))
        found |= dict.fromkeys(() if thing is None else (thing, *_names()[thing].en, *_names()[thing].said))
    own = {plain_name(part) for part in (*parts_of(name), name)}
    return tuple(one for one in found if plain_name(one) not in own and (whatever or _may_be_said(one)))


def other_names_of_all(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The other names of things that are held together, each with the one that it is of; what is another name of two,
    or is the name of one, is none of another."""
    held = {plain_name(part) for name in names for part in (*parts_of(name), name)}
    found: dict[str, set[str]] = {}
    for name in dict.fromkeys(names):
        for other in other_names(name):
            found.setdefault(other, set()).add(name)
    yield from ((other, of.pop()) for other, of in found.items() if len(of) == 1 and plain_name(other) not in held)


def plain_name(name: str) -> str:
    """A name as names are compared: small letters without accents, words by one blank."""
    spelt = unicodedata.normalize("NFKD", name.replace("ß", "ss").replace("ł", "l").replace("ø", "o"))
    text = "".join(one for one in spelt if not unicodedata.combining(one)).casefold()
    return " ".join(re.findall(r"[^\W_]+", text))


def parts_of(name: str) -> list[str]:
    """``Fichte (spruce)`` is both."""
    return [part for part in (one.strip(" )") for one in _BESIDE.split(name)) if part]


def _may_be_said(name: str) -> bool:
    """Whether a name says nothing else in a question."""
    words = words_of(name)
    said = {symbol for symbol, _ in reading_words().phrases.get(words, ())}
    nothing = reading_words().nothing.issuperset(words)
    return len(name) >= _SHORTEST and not nothing and said <= _THINGS


@kept()
def _names() -> Mapping[str, Names]:
    """The names of each thing, one's own before the packaged; ``DocumentError`` for wrong ones."""
    problems = check_things()
    if problems:
        raise DocumentError("the names of things are not valid", problems=problems)
    files = (one.model.things for one in authored(_FILES, ThingsFile, Problems()))
    found: dict[str, Names] = {}
    for thing, names in (entry for groups in files for group in groups.values() for entry in group.items()):
        found.setdefault(thing, names)
    return found


@kept()
def _things() -> Mapping[str, str]:
    """The thing of each name that is of one alone."""
    found: dict[str, set[str]] = {}
    for thing, names in _names().items():
        for name in (thing, *names.en, *names.other):
            found.setdefault(plain_name(name), set()).add(thing)
    return {name: of.pop() for name, of in found.items() if len(of) == 1}
