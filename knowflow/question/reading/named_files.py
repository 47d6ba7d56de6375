"""Which of the files at hand a question is to be answered of, where it says so by their names: ``in the gridded data``,
``of the schoolyard picture``, ``in the level table``.

What is left of the question is read, and has to be of these files and of no other: of a quantity that another file
holds as well nobody knows which is meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from knowflow.ground.kept import kept
from knowflow.knowledge.reading_words import words_of, words_of_files
from knowflow.knowledge.words import stem
from knowflow.question.operators import Expression, Polygons, Quantity, walk
from knowflow.question.reading.vocabulary import DataWords, HeldFile
from knowflow.question.typing_of_features import are_rows

_YEAR = re.compile(r"(?:19|20)\d\d")


@dataclass(frozen=True, slots=True)
class _Words:
    """Words for files of maps, of tables and of either, and what a phrase with one of them looks like."""

    rasters: frozenset[str]
    tables: frozenset[str]
    either: frozenset[str]
    phrase: re.Pattern[str]


@kept()
def _words() -> _Words:
    listed = words_of_files()
    rasters, tables, either = (
        frozenset(word for one in listed for word in getattr(one, kind)) for kind in ("rasters", "tables", "either")
    )
    before, what = (
        "|".join(map(re.escape, sorted(some, key=len, reverse=True)))
        for some in ({word for one in listed for word in one.before}, rasters | tables | either)
    )
    phrase = rf"\s*\b(?P<how>{before})\s+(?:the|our|my)\s+(?P<words>(?:[^\W_][\w.-]*\s+){{0,3}})(?P<what>{what})\b"
    return _Words(rasters, tables, either, re.compile(phrase, re.IGNORECASE))


def without_files(question: str, data: DataWords) -> Iterator[tuple[str, tuple[HeldFile, ...]]]:
    """The ways of a question without a phrase that names files, each with these."""
    for said in _words().phrase.finditer(question):
        words = [*words_of(said["words"]), said["what"].casefold()]
        years = [word for word in words if _YEAR.fullmatch(word)]
        files = _called(words, data.files)
        if files and len(years) < 2:
            ground = " of the area" if said["how"].casefold() == "of" and not years else ""
            when = f" in {years[0]}" if years else ""
            yield f"{question[: said.start()]}{ground}{when}{question[said.end() :]}".strip(), files


def _called(words: Sequence[str], files: Sequence[HeldFile]) -> tuple[HeldFile, ...]:
    """The files that all words are of; none where nothing else than data is said."""
    known = _words()
    own = [word for word in words if not _YEAR.fullmatch(word) and word not in known.either]
    found = list(files) if own or len(own) < len(words) - 1 else []
    for word in own:
        if word in known.rasters | known.tables:
            named = [one for one in found if stem(word) in one.words]
            found = named if named else [one for one in found if (one.table is not None) == (word in known.tables)]
        else:
            found = [one for one in found if stem(word) in one.words]
    return tuple(found)


def is_of_files(x: Expression, chosen: Sequence[HeldFile], files: Sequence[HeldFile]) -> bool:
    """Whether what is asked is of some files alone, and not what others hold as well."""
    kinds = {part.kind for _, part in walk(x) if isinstance(part, Quantity)}
    rows = {part.layer for _, part in walk(x) if isinstance(part, Polygons) and are_rows(part)}
    tables = {one.table for one in chosen if one.table is not None}
    if tables:
        return len(tables) == len(chosen) and not kinds and bool(rows) and rows <= tables
    own, other = ({one.kind for one in some} for some in (chosen, [one for one in files if one not in chosen]))
    held = kinds & (own | other)
    return not rows and bool(kinds) and held.isdisjoint(other) and (bool(held) or own.isdisjoint(other))
