"""What the notes of a folder tell of a vector, as the words of questions: names of it, of its columns and values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from knowflow.ground.units import known, normalise
from knowflow.knowledge.phrases import key_of
from knowflow.knowledge.reading_words import reading_words, words_of
from knowflow.knowledge.words import NUMBER_WORDS
from knowflow.model.artifact import Artifact
from knowflow.question.reading.features import MONEY
from knowflow.question.reading.vocabulary import vocabulary
from knowflow.reason.inventory.columns_noted import COLUMN, LAYER, VALUE

_IN = re.compile(r"\s+in\s+(?!.*\sin\s)")
_NUMBER_OF = re.compile(r"^(?:the\s+)?(?:number|count|no\.?|total number)\s+of\s+(?:the\s+)?", re.IGNORECASE)
_NAME_OF = re.compile(
    r"^(?:the\s+)?(?:name|names|id|identifier|code|number|key)\s+of\s+(?:(?:the|each|an?)\s+)?", re.IGNORECASE
)
_PREPOSITION = re.compile(r"\s+(?:in|of|per|at|on|with|from|by|for|during|as|within)\s+")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_OF_ITSELF = frozenset({"name", "names", "id", "identifier", "code", "number", "label", "key"})
_BETWEEN = frozenset({"in", "of", "for", "by", "at", "on", "during", "per"})
_NOTICED = frozenset({"counted", "seen"})
_ARTICLES = frozenset({"the", "a", "an", "our", "their", "its", "my", "all", *NUMBER_WORDS})
_MOST_WORDS = 6
_OUTLINES = frozenset(
    word
    for one in ("outline", "border", "polygon", "limit", "perimeter", "footprint", "shape", "extent", "contour")
    for word in (one, f"{one}s")
) | {"boundary", "boundaries"}
"""What is drawn of features: ``glacier outlines`` are of glaciers."""
_OUTLINES_OF = re.compile(rf"^(?:the\s+)?(?:{'|'.join(sorted(_OUTLINES))})\s+of\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class NotedColumn:
    """A column as notes tell it: what it is called, each name as its words, the unit of its numbers, and of which year
    they are; ``whole`` are names of which no part is one."""

    names: tuple[tuple[str, ...], ...] = ()
    unit: str | None = None
    year: str | None = None
    whole: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class NotedWords:
    """All that notes tell of a vector: names of its features, its columns, and what values are called, each with the
    column and the value; ``said`` are the stems of all words behind its name."""

    features: tuple[tuple[str, ...], ...] = ()
    columns: tuple[tuple[str, NotedColumn], ...] = ()
    values: tuple[tuple[str, str, str], ...] = ()
    said: frozenset[str] = frozenset()

    def of(self, column: str) -> NotedColumn:
        """What they tell of a column."""
        return dict(self.columns).get(column, NotedColumn())


NOTHING_NOTED = NotedWords()


def noted_words(vector: Artifact) -> NotedWords:
    """What the notes in the folder of a vector tell of it."""
    features: dict[tuple[str, ...], None] = {}
    columns: dict[str, NotedColumn] = {}
    values: list[tuple[str, str, str]] = []
    for kind, column, written, called, beside in vector.fact("noted") or ():
        if kind == LAYER:
            features |= dict.fromkeys(_features_called(called))
        elif kind == COLUMN:
            before = columns.get(column, NotedColumn())
            name, unit = _apart(called)
            unit = unit or unit_said(beside) or before.unit
            year = _YEAR.search(name)
            names = (*before.names, *dict.fromkeys(noted_names(name)))
            columns[column] = replace(before, names=names, unit=unit, year=before.year if year is None else year[0])
        elif kind == VALUE and _is_word(called):
            values.append((column, written, called))
    return NotedWords(tuple(features), tuple(columns.items()), tuple(values))


def _features_called(called: str) -> Iterator[tuple[str, ...]]:
    """What features are called where a file is: ``glacier outlines``, ``boundaries of the six conservancies``; and by
    the last of their words, ``study districts``."""
    of = _OUTLINES_OF.sub("", called)
    if _PREPOSITION.search(of):
        return
    for words in noted_names(of):
        yield words
        drawn = words[:-1] if words[-1] in _OUTLINES else words
        if drawn:
            yield drawn
            if drawn[-1].endswith("s"):
                yield drawn[-1:]


def _apart(called: str) -> tuple[str, str | None]:
    """A name, and the unit that it ends in: ``age in years``."""
    parts = _IN.split(called, maxsplit=1)
    unit = unit_said(parts[1]) if len(parts) > 1 else None
    return (parts[0], unit) if unit is not None else (called, None)


def noted_names(called: str) -> Iterator[tuple[str, ...]]:
    """The names in what something is called, as their words: without what counts or names it, years, and what is said
    behind."""
    said = _NAME_OF.sub("", _NUMBER_OF.sub("", _YEAR.sub(" ", called).strip()))
    ends = (said[: match.start()] for match in _PREPOSITION.finditer(said))
    for one in (said, *ends):
        words = tuple(word for word in words_of(one) if word not in _ARTICLES)
        while words and (words[-1] in _OF_ITSELF or words[-1] in _BETWEEN):
            words = words[:-1]
        every = reading_words().phrases.get(words[:1], ())
        noticed = {symbol for symbol, _ in reading_words().phrases.get(words[-1:], ())} & _NOTICED if words else ()
        shorter = words[1:] if any(symbol == "EVERY" for symbol, _ in every) else ()
        for some in (words, shorter, words[:-1] if noticed else ()):  # cases registered
            if 0 < len(some) <= _MOST_WORDS and all(word[0].isalpha() for word in some):
                yield some


def _is_word(called: Any) -> bool:
    """Whether a value is called by words: not ``yes / no``."""
    words = words_of(str(called))
    return 0 < len(words) <= _MOST_WORDS and all(word.isalpha() or word == "-" for word in words)


def unit_said(text: str) -> str | None:
    """The unit that a text is, in signs or in words; of money a number.

    >>> unit_said("m3 per hectare"), unit_said("tonnes per hectare"), unit_said("years"), unit_said("thousand euros")
    ('m3 ha-1', 't ha-1', 'year', '1')
    """
    text = text.strip().rstrip(".")
    if not text:
        return None
    if any(text.casefold() in map(str.casefold, (name, *spoken)) for name, spoken in MONEY.items()):
        return "1"
    top, *below = re.split(r"\s+per\s+|/", text)
    units = [_one(part, alone=not below) for part in (top, *below)]
    if None in units:
        return None
    joined = " ".join([str(units[0]), *(_below(str(one)) for one in units[1:])])
    return normalise(joined) if known(joined) else None


def _one(part: str, alone: bool) -> str | None:
    """A unit in signs or words; ``alone`` a sign may be short for more than it says: ug of a cubic metre."""
    if not alone and known(part.strip()):
        return normalise(part.strip())
    every = (*vocabulary().exact.get(part.strip(), ()), *vocabulary().phrases.get(key_of(part), ()))
    found = next((str(value) for symbol, value in every if symbol == "UNIT"), None)
    return found or (part.strip() if part.strip() and known(part.strip()) else None)


def _below(unit: str) -> str:
    return f"{unit[:-1]}-{unit[-1]}" if unit[-1].isdigit() else f"{unit}-1"
