"""The lexical terms of the hybrid score: which words of a query occur in title, keywords and definition of an entry.

Overlap is counted in units, a phrase of the lexicon or a single content word; a unit occurs in a text when the text has
its words or means the same by the lexicon. K_K: all units of the keyword occur; K_T: at least half of the title's, and
two that rest on different words of the query (or all); K_C: half of the query's units, and two, occur in the
definition. Several keywords that rest on the same words of the query count once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from knowflow.knowledge.embedding import Concepts, concepts_of
from knowflow.knowledge.lexicon import lexicon
from knowflow.knowledge.words import clean, tokens

TITLE_WEIGHT, KEYWORD_WEIGHT, CONTENT_WEIGHT = 0.2, 0.08, 0.1

_Name = TypeVar("_Name", int, str)
_Numbers = NDArray[np.intp]
_Flags = NDArray[np.bool_]


class Worded(Protocol):
    """What has a title, keywords and a definition."""

    @property
    def title(self) -> str: ...
    @property
    def keywords(self) -> tuple[str, ...]: ...
    @property
    def content(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Term:
    """One term of a score and the words that matched."""

    name: Literal["cosine", "title", "keywords", "content"]
    value: float
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Unit:
    """A phrase of the lexicon or a content word: its stems, what it asks and what it is about."""

    words: str
    stems: frozenset[str]
    asks: frozenset[str] = frozenset()
    about: frozenset[str] = frozenset()

    def occurs(self, stems: frozenset[str], concepts: frozenset[str]) -> bool:
        """Whether a text of these stems and concepts has the words, or means the same in both respects."""
        if self.stems <= stems:
            return True
        meant = (self.asks, self.about)
        return any(meant) and all(not names or bool(names & concepts) for names in meant)

    def supports(self, other: Unit) -> bool:
        """Whether this unit of the query is a reason for that unit of an entry to occur."""
        if not self.stems.isdisjoint(other.stems):
            return True
        return not (self.asks.isdisjoint(other.asks) and self.about.isdisjoint(other.about))


@dataclass(frozen=True, slots=True)
class Heard:
    """A text as units, with all their stems and concepts."""

    units: tuple[Unit, ...]
    stems: frozenset[str]
    concepts: frozenset[str]

    @classmethod
    def of(cls, text: str) -> Heard:
        units = units_of(text)
        stems = frozenset(one for unit in units for one in unit.stems)
        return cls(units, stems, frozenset(one for unit in units for one in unit.asks | unit.about))

    def evidence(self, part: Unit) -> frozenset[int]:
        """The numbers of the units on which the occurrence of a unit of an entry rests; empty: it does not occur."""
        if not part.occurs(self.stems, self.concepts):
            return frozenset()
        return frozenset(number for number, unit in enumerate(self.units) if unit.supports(part))


@dataclass(frozen=True, slots=True)
class Overlap:
    """The overlap of one query with all entries: which units occur, on which words of the query they rest."""

    heard: Heard
    evidence: Mapping[int, frozenset[int]]
    title: _Flags
    keywords: _Numbers
    content: _Flags

    @property
    def scores(self) -> NDArray[np.float64]:
        """The lexical part of the score of every entry."""
        found: NDArray[np.float64] = (
            TITLE_WEIGHT * self.title + KEYWORD_WEIGHT * self.keywords + CONTENT_WEIGHT * self.content
        )
        return found


class LexicalIndex:
    """The words of many entries, turned round: from units to the titles, keywords and definitions that have them."""

    def __init__(self, entries: Sequence[Worded]) -> None:
        self._entries = tuple(entries)
        numbers: dict[Unit, int] = {}

        def numbered(text: str) -> tuple[int, ...]:
            return tuple(numbers.setdefault(unit, len(numbers)) for unit in units_of(text))

        self._titles = tuple(numbered(entry.title) for entry in entries)
        listed = [(number, words) for number, entry in enumerate(entries) for words in entry.keywords]
        keywords = [(number, words, numbered(words)) for number, words in listed]
        self._keywords = tuple((number, words, parts) for number, words, parts in keywords if parts)
        self._units = tuple(numbers)
        self._title_sizes = np.array([len(title) for title in self._titles], dtype=np.intp)
        self._keyword_sizes = np.array([len(parts) for _, _, parts in self._keywords], dtype=np.intp)
        self._keyword_entries = np.array([number for number, _, _ in self._keywords], dtype=np.intp)
        self._in_titles = _postings(self._titles)
        self._in_keywords = _postings([parts for _, _, parts in self._keywords])
        contents = [Heard.of(entry.content) for entry in entries]
        self._in_contents = _postings([one.stems | one.concepts for one in contents])
        self._by_stem = _postings([unit.stems for unit in self._units])
        self._by_concept = _postings([unit.asks | unit.about for unit in self._units])
        self._known = frozenset(self._by_stem) | {stem for one in contents for stem in one.stems}

    def knows(self, stems: Iterable[str]) -> bool:
        """Whether any entry has any of these stems."""
        return not self._known.isdisjoint(stems)

    def overlap(self, heard: Heard) -> Overlap:
        """How the words of a query overlap with those of every entry."""
        near = {number for stem in heard.stems for number in self._by_stem.get(stem, ())}
        near.update(number for name in heard.concepts for number in self._by_concept.get(name, ()))
        evidence = {int(number): found for number in near if (found := heard.evidence(self._units[number]))}
        return Overlap(
            heard,
            MappingProxyType(evidence),
            self._title_flags(evidence, len(heard.units)),
            self._keyword_counts(evidence),
            self._content_flags(heard),
        )

    def terms(self, number: int, overlap: Overlap) -> tuple[Term, ...]:
        """The lexical terms of one entry with the words behind them."""
        found: list[Term] = []
        if overlap.title[number]:
            words = tuple(self._units[unit].words for unit in self._titles[number] if unit in overlap.evidence)
            found.append(Term("title", TITLE_WEIGHT, words))
        if overlap.keywords[number]:
            first, past = np.searchsorted(self._keyword_entries, [number, number + 1])
            occurring = [k for k in range(first, past) if all(p in overlap.evidence for p in self._keywords[k][2])]
            kept = tuple(self._keywords[k][1] for k in self._distinct(occurring, overlap.evidence))
            found.append(Term("keywords", KEYWORD_WEIGHT * len(kept), kept))
        if overlap.content[number]:
            content = Heard.of(self._entries[number].content)
            units = [unit for unit in overlap.heard.units if unit.occurs(content.stems, content.concepts)]
            found.append(Term("content", CONTENT_WEIGHT, tuple(unit.words for unit in units)))
        return tuple(found)

    def _title_flags(self, evidence: Mapping[int, frozenset[int]], units: int) -> _Flags:
        count = np.zeros(len(self._entries), dtype=np.intp)
        rests_on = np.zeros((units, len(self._entries)), dtype=np.bool_)
        for number, reasons in evidence.items():
            titles = self._in_titles.get(number)
            if titles is not None:
                count[titles] += 1
                for reason in reasons:
                    rests_on[reason, titles] = True
        enough = np.minimum(2, self._title_sizes)
        found: _Flags = (count > 0) & (2 * count >= self._title_sizes) & (count >= enough)
        flags: _Flags = found & (rests_on.sum(axis=0) >= enough)
        return flags

    def _keyword_counts(self, evidence: Mapping[int, frozenset[int]]) -> _Numbers:
        count = np.zeros(len(self._keywords), dtype=np.intp)
        for number in evidence:
            keywords = self._in_keywords.get(number)
            if keywords is not None:
                count[keywords] += 1
        occurring = np.flatnonzero((count > 0) & (count == self._keyword_sizes))
        totals = np.bincount(self._keyword_entries[occurring], minlength=len(self._entries))
        several: dict[int, list[int]] = {}
        for keyword in occurring[totals[self._keyword_entries[occurring]] > 1]:
            several.setdefault(int(self._keyword_entries[keyword]), []).append(int(keyword))
        for entry, keywords_of_entry in several.items():
            totals[entry] = len(self._distinct(keywords_of_entry, evidence))
        return totals.astype(np.intp)

    def _distinct(self, keywords: Sequence[int], evidence: Mapping[int, frozenset[int]]) -> list[int]:
        """The keywords, without those that rest on words of the query on which another rests already."""
        reasons = [
            (frozenset[int]().union(*(evidence[part] for part in self._keywords[keyword][2])), keyword)
            for keyword in keywords
        ]
        reasons.sort(key=lambda item: -len(item[0]))
        kept: list[tuple[frozenset[int], int]] = []
        for rests_on, keyword in reasons:
            if not any(rests_on <= other for other, _ in kept):
                kept.append((rests_on, keyword))
        return [keyword for _, keyword in kept]

    def _content_flags(self, heard: Heard) -> _Flags:
        count = np.zeros(len(self._entries), dtype=np.intp)
        for unit in heard.units:
            found = self._with_all(unit.stems)
            if unit.asks or unit.about:
                meant = [self._with_any(names) for names in (unit.asks, unit.about) if names]
                found = found | np.logical_and.reduce(meant)
            count += found
        flags: _Flags = (count >= 2) & (2 * count >= len(heard.units))
        return flags

    def _with_all(self, names: Iterable[str]) -> _Flags:
        found = np.ones(len(self._entries), dtype=np.bool_)
        for name in names:
            found &= self._with_any((name,))
        return found

    def _with_any(self, names: Iterable[str]) -> _Flags:
        found = np.zeros(len(self._entries), dtype=np.bool_)
        for name in names:
            places = self._in_contents.get(name)
            if places is not None:
                found[places] = True
        return found


def units_of(text: str) -> tuple[Unit, ...]:
    """The phrases and content words of a text, once each."""
    known = lexicon()
    cleaned = known.written_out(clean(text))
    pieces = [piece for piece in tokens(cleaned) if piece.kind != "number"]
    found: dict[str, Unit] = {}
    spoken: set[int] = set()
    for mention in known.scan(cleaned, pieces):
        meant: Concepts = concepts_of(cleaned, pieces, mention)
        if meant.names:
            spoken.update(range(mention.first, mention.past))
            parts = frozenset(p.stem for p in pieces[mention.first : mention.past] if p.stem not in known.function)
            unit = Unit(mention.words, parts, frozenset(meant.asks), frozenset(meant.about))
            found.setdefault(mention.words.lower(), unit)
    for index, piece in enumerate(pieces):
        plain = piece.kind == "word" and piece.stem not in known.common and len(piece.text) > 1
        if index not in spoken and plain and piece.text.isalpha():
            found.setdefault(piece.stem, Unit(piece.text, frozenset({piece.stem})))
    return tuple(unit for unit in found.values() if unit.stems)


def _postings(texts: Sequence[Iterable[_Name]]) -> dict[_Name, _Numbers]:
    """For every name the numbers of the texts that have it, ascending."""
    found: dict[_Name, list[int]] = {}
    for number, names in enumerate(texts):
        for name in set(names):
            found.setdefault(name, []).append(number)
    return {name: np.array(numbers, dtype=np.intp) for name, numbers in found.items()}
