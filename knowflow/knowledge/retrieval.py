"""Which task card a question is about: hybrid score, explained term by term, and abstention below a threshold.

Score(q, s) = cos(v_q, v_s) + 0.2 K_T(q, title) + 0.08 sum_j K_K(q, keyword_j) + 0.1 K_C(q, content), K = 0 or 1 (RSMem,
eq. 1). Lexical overlap is counted in units, a phrase of the lexicon or a single content word; a unit occurs in the
query when the query has its words or means the same by the lexicon. K_K: all units of the keyword occur; K_T: at least
half of the title's, and two (or all); K_C: half of the query's units, and two, occur in the definition.
"""

from __future__ import annotations

import calendar
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from pydantic import Field

from knowflow.ground.errors import DocumentError
from knowflow.ground.report import Problems
from knowflow.ground.resources import resources
from knowflow.knowledge.cards import TaskCard, load_cards
from knowflow.knowledge.documents import load_model
from knowflow.knowledge.embedding import ConceptEmbedding, Concepts, Vector, concepts_of
from knowflow.knowledge.lexicon import lexicon
from knowflow.knowledge.store import Entry, vectors
from knowflow.knowledge.words import clean, stem, tokens
from knowflow.model.goal import QueryGoal
from knowflow.model.template import Template
from knowflow.model.tool import Document

TITLE_WEIGHT, KEYWORD_WEIGHT, CONTENT_WEIGHT = 0.2, 0.08, 0.1
_UNTOPICAL_SLOTS = ("region", "period", "dates", "months", "bands")
_MONTHS = frozenset(stem(name) for name in (*calendar.month_name[1:], *calendar.month_abbr[1:])) - {
    "may",
    "march",
    "mar",
}
_NEAR_MISSES = 3
_COMPARING = frozenset({"change", "percent_change", "difference", "trend"})


@dataclass(frozen=True, slots=True)
class Term:
    """One term of a score and the words of the entry that matched."""

    name: Literal["cosine", "title", "keywords", "content"]
    value: float
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Hit:
    """An entry (task card or template) with its score; the terms add up to it."""

    id: str
    title: str
    score: float
    terms: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Retrieval:
    """What was found: hits from best to worst, or none when the best stays under the threshold (abstained).

    ``near_misses`` are the best of those that did not make it; ``foreign`` are words that no card has, when they are
    the reason to abstain.
    """

    query: str
    threshold: float
    hits: tuple[Hit, ...] = ()
    near_misses: tuple[Hit, ...] = ()
    foreign: tuple[str, ...] = ()

    @property
    def abstained(self) -> bool:
        return not self.hits


class Calibration(Document):
    """The threshold and how it was found: figures of cross-validation, measured by ``benchmarks/retrieval.py``."""

    threshold: float = Field(description="lowest score of a hit")
    figures: dict[str, float] = Field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Unit:
    """A phrase of the lexicon or a content word, as compared."""

    words: str
    stems: frozenset[str]
    asks: frozenset[str] = frozenset()
    about: frozenset[str] = frozenset()

    def occurs(self, heard: _Heard) -> bool:
        """Whether the text has these words, or means the same by what it asks and what it is about."""
        if self.stems <= heard.stems:
            return True
        meant = (self.asks, self.about)
        return any(meant) and all(not names or bool(names & heard.concepts) for names in meant)

    def supports(self, other: _Unit) -> bool:
        """Whether this unit of the query is a reason for that unit of an entry to occur."""
        return not (
            self.stems.isdisjoint(other.stems)
            and self.asks.isdisjoint(other.asks)
            and self.about.isdisjoint(other.about)
        )


@dataclass(frozen=True, slots=True)
class _Heard:
    """A text as units, with all their stems and concepts."""

    units: tuple[_Unit, ...]
    stems: frozenset[str]
    concepts: frozenset[str]

    @classmethod
    def of(cls, text: str) -> _Heard:
        units = _units(text)
        stems = frozenset(one for unit in units for one in unit.stems)
        return cls(units, stems, frozenset(one for unit in units for one in unit.asks | unit.about))

    def evidence(self, part: _Unit) -> frozenset[int]:
        """The numbers of the units on which the occurrence of a unit of an entry rests; empty: it does not occur."""
        if not part.occurs(self):
            return frozenset()
        return frozenset(number for number, unit in enumerate(self.units) if unit.supports(part))


@dataclass(frozen=True, slots=True)
class _Indexed:
    """An entry with the numbers of its units in the index's vocabulary."""

    entry: Entry
    title: tuple[int, ...]
    keywords: tuple[tuple[str, tuple[int, ...]], ...]
    content: _Heard


class Index:
    """Entries ready to be searched: their vectors and their words; immutable after construction."""

    def __init__(self, entries: Sequence[Entry], matrix: Vector, embedding: ConceptEmbedding, threshold: float) -> None:
        self.threshold = threshold
        self._embedding = embedding
        self._matrix = matrix
        numbers: dict[_Unit, int] = {}
        self._entries = tuple(_indexed(entry, numbers) for entry in entries)
        self._units = tuple(numbers)
        self._known = {stem for one in self._entries for stem in one.content.stems}
        self._known |= {stem for unit in numbers for stem in unit.stems}

    def __len__(self) -> int:
        return len(self._entries)

    def retrieve(self, query: str | QueryGoal, k: int = 5) -> Retrieval:
        """The ``k`` best entries whose score reaches the threshold, from best to worst.

        A question that names nothing on the ground and uses words that no entry has is refused whatever its score.
        """
        text = query if isinstance(query, str) else query.text
        ranked = self.rank(query, max(k, _NEAR_MISSES) + _NEAR_MISSES)
        foreign = self.is_foreign(query)
        hits = () if foreign else tuple(hit for hit in ranked if hit.score >= self.threshold)[:k]
        rest = tuple(hit for hit in ranked if hit not in hits)
        return Retrieval(text, self.threshold, hits, rest[:_NEAR_MISSES], foreign)

    def is_foreign(self, query: str | QueryGoal) -> tuple[str, ...]:
        """The words that no entry has, where nothing else says what the question is about; empty for all others."""
        heard = _Heard.of(topic(query))
        if any(unit.about for unit in heard.units):
            return ()
        plain = [unit for unit in heard.units if not unit.asks]
        unknown = tuple(unit.words for unit in plain if unit.stems.isdisjoint(self._known))
        return unknown if 2 * len(unknown) >= len(plain) else ()

    def rank(self, query: str | QueryGoal, k: int) -> tuple[Hit, ...]:
        """The ``k`` entries of the highest score, whatever it is; equal scores in the order of their ids."""
        if not self._entries:
            return ()
        text = topic(query)
        heard = _Heard.of(text)
        evidence = [heard.evidence(unit) for unit in self._units]
        cosines = self._matrix @ self._embedding.embed(text)
        extras = [_lexical(one, heard, evidence) for one in self._entries]
        scores = cosines + np.array(extras, dtype=np.float64)
        order = sorted(range(len(scores)), key=lambda number: (-scores[number], self._entries[number].entry.id))[:k]
        return tuple(
            Hit(
                self._entries[number].entry.id,
                self._entries[number].entry.title,
                float(scores[number]),
                (Term("cosine", float(cosines[number])), *self._terms(self._entries[number], heard, evidence)),
            )
            for number in order
        )

    def _terms(self, one: _Indexed, heard: _Heard, evidence: Sequence[frozenset[int]]) -> tuple[Term, ...]:
        """The lexical terms of a score with the words behind them."""
        terms: list[Term] = []
        title = _title(one, evidence)
        if title:
            terms.append(Term("title", TITLE_WEIGHT, tuple(self._units[number].words for number in title)))
        keywords = _keywords(one, evidence)
        if keywords:
            terms.append(Term("keywords", KEYWORD_WEIGHT * len(keywords), keywords))
        content = _content(one, heard)
        if content:
            terms.append(Term("content", CONTENT_WEIGHT, tuple(unit.words for unit in content)))
        return tuple(terms)


def retrieve(query: str | QueryGoal, k: int = 5) -> Retrieval:
    """The task cards that a question is about, best first; none (``abstained``) when no card is near enough."""
    return card_index().retrieve(query, k)


@lru_cache(maxsize=1)
def card_index() -> Index:
    """The index of all task cards, with the calibrated threshold; its vectors come from the store's snapshot."""
    embedding = ConceptEmbedding()
    entries = tuple(card_entry(card) for card in load_cards())
    return Index(entries, vectors("cards", entries, embedding), embedding, calibration().threshold)


def template_index(templates: Sequence[Template]) -> Index:
    """An index of templates, searched like cards: for browsing, and for templates that no card names."""
    embedding = ConceptEmbedding()
    entries = tuple(template_entry(template) for template in templates)
    return Index(entries, vectors("templates", entries, embedding), embedding, calibration().threshold)


def card_entry(card: TaskCard) -> Entry:
    """A task card as it is searched; its examples count as content, its guidance does not."""
    keywords, examples = ", ".join(card.keywords), ". ".join(card.examples)
    parts = ((card.title, 0.5), (keywords, 1.0), (card.definition, 1.0), (examples, 0.4))
    return Entry(card.card, card.title, card.keywords, card.definition, parts)


def template_entry(template: Template) -> Entry:
    """A template as it is searched."""
    keywords = (*template.keywords, *template.answers)
    parts = ((template.title, 0.5), (", ".join(keywords), 1.0), (template.description, 1.0))
    return Entry(template.template, template.title, keywords, template.description, parts)


def topic(query: str | QueryGoal) -> str:
    """The query without what is no matter of its kind: regions, dates, numbers, names of places."""
    text = clean(query if isinstance(query, str) else query.text)
    if isinstance(query, QueryGoal):
        for slot in _UNTOPICAL_SLOTS:
            for words in query.slots[slot].words.split(", ") if slot in query.slots else ():
                text = text.replace(words, " ") if words else text
        quantity = query.slots.get("quantity")
        if quantity is not None and any(character.isdigit() for character in quantity.words):
            text += ", " + str(quantity.value).replace("_", " ")  # only a limit such as "above 1000 m" tells it
        if "comparison" in query.slots and not _COMPARING & set(query.value("operations", ())):
            text += ", compare"  # two periods or regions side by side ask for their difference
    known = lexicon()
    pieces = tokens(text)
    spoken = {index for mention in known.scan(text, pieces) for index in range(mention.first, mention.past)}
    gone = [
        piece
        for index, piece in enumerate(pieces)
        if piece.kind == "number"
        or (index not in spoken and piece.stem in _MONTHS)
        or (index > 0 and index not in spoken and piece.text[0].isupper() and not piece.text.isupper())
    ]
    for piece in reversed(gone):
        text = text[: piece.start] + " " + text[piece.end :]
    return " ".join(text.split())


@lru_cache(maxsize=1)
def calibration() -> Calibration:
    """The calibrated threshold; raises ``DocumentError`` when the file is missing or not valid."""
    problems = Problems()
    for resource in resources("pkb", "retrieval.yaml"):
        loaded = load_model(resource.path, Calibration)
        problems.extend(loaded.problems)
        if loaded.model is not None:
            return loaded.model
    raise DocumentError(
        "the threshold of retrieval is missing",
        expected="pkb/retrieval.yaml",
        hint="write it again: python benchmarks/retrieval.py --calibrate",
        problems=tuple(problems),
    )


def explain(hit: Hit) -> str:
    """A hit in one line: ``0.71 = 0.33 cosine + 0.20 title (water, trend) + ...``."""
    parts = [
        f"{term.value:.2f} {term.name}" + (f" ({', '.join(term.words)})" if term.words else "") for term in hit.terms
    ]
    return f"{hit.score:.2f} = {' + '.join(parts)}"


def _lexical(one: _Indexed, heard: _Heard, evidence: Sequence[frozenset[int]]) -> float:
    """The lexical part of a score."""
    title = TITLE_WEIGHT if _title(one, evidence) else 0.0
    content = CONTENT_WEIGHT if _content(one, heard) else 0.0
    return title + KEYWORD_WEIGHT * len(_keywords(one, evidence)) + content


def _title(one: _Indexed, evidence: Sequence[frozenset[int]]) -> tuple[int, ...]:
    """The units of the title that occur, when they are enough: half of them, and two that rest on different words."""
    found = tuple(number for number in one.title if evidence[number])
    enough = min(2, len(one.title))
    if not found or 2 * len(found) < len(one.title) or len(found) < enough:
        return ()
    return found if len(frozenset().union(*(evidence[number] for number in found))) >= enough else ()


def _keywords(one: _Indexed, evidence: Sequence[frozenset[int]]) -> tuple[str, ...]:
    """The keywords that occur in the query; several that rest on the same words of it count once."""
    occurring = [
        (frozenset().union(*(evidence[number] for number in parts)), words)
        for words, parts in one.keywords
        if all(evidence[number] for number in parts)
    ]
    if len(occurring) < 2:
        return tuple(words for _, words in occurring)
    occurring.sort(key=lambda item: -len(item[0]))
    kept: list[tuple[frozenset[int], str]] = []
    for rests_on, words in occurring:
        if not any(rests_on <= other for other, _ in kept):
            kept.append((rests_on, words))
    return tuple(words for _, words in kept)


def _content(one: _Indexed, heard: _Heard) -> tuple[_Unit, ...]:
    """The units of the query that occur in the definition, when they are enough: half of them, and two."""
    found = tuple(unit for unit in heard.units if unit.occurs(one.content))
    return found if len(found) >= 2 and 2 * len(found) >= len(heard.units) else ()


def _indexed(entry: Entry, numbers: dict[_Unit, int]) -> _Indexed:
    def numbered(text: str) -> tuple[int, ...]:
        return tuple(numbers.setdefault(unit, len(numbers)) for unit in _units(text))

    keywords = tuple((keyword, numbered(keyword)) for keyword in entry.keywords)
    filled = tuple((keyword, parts) for keyword, parts in keywords if parts)
    return _Indexed(entry, numbered(entry.title), filled, _Heard.of(entry.content))


def _units(text: str) -> tuple[_Unit, ...]:
    """The phrases and content words of a text, once each."""
    known = lexicon()
    cleaned = clean(text)
    pieces = [piece for piece in tokens(cleaned) if piece.kind != "number"]
    found: dict[str, _Unit] = {}
    spoken: set[int] = set()
    for mention in known.scan(cleaned, pieces):
        meant: Concepts = concepts_of(cleaned, pieces, mention)
        if meant.names:
            spoken.update(range(mention.first, mention.past))
            parts = frozenset(p.stem for p in pieces[mention.first : mention.past] if p.stem not in known.function)
            unit = _Unit(mention.words, parts, frozenset(meant.asks), frozenset(meant.about))
            found.setdefault(mention.words.lower(), unit)
    for index, piece in enumerate(pieces):
        if index not in spoken and piece.kind == "word" and piece.stem not in known.common and piece.text.isalpha():
            found.setdefault(piece.stem, _Unit(piece.text, frozenset({piece.stem})))
    return tuple(unit for unit in found.values() if unit.stems)
