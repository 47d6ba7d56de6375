"""Which task card a question is about: hybrid score, explained term by term, and abstention below a threshold.

Score(q, s) = cos(v_q, v_s) + 0.2 K_T(q, title) + 0.08 sum_j K_K(q, keyword_j) + 0.1 K_C(q, content), K = 0 or 1 (RSMem,
eq. 1); ``knowflow.knowledge.lexical`` says when words overlap.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from pydantic import Field

from knowflow.ground.errors import DocumentError
from knowflow.ground.kept import kept
from knowflow.ground.kept_values import between_runs
from knowflow.knowledge.cards import TaskCard, load_cards
from knowflow.knowledge.documents import strongest
from knowflow.knowledge.embedding import ConceptEmbedding, Vector
from knowflow.knowledge.lexical import Heard, LexicalIndex, Term
from knowflow.knowledge.lexicon import lexicon
from knowflow.knowledge.store import Entry, vectors
from knowflow.knowledge.words import MONTHS, SHORT_MONTHS, clean, stem, tokens
from knowflow.model.goal import QueryGoal
from knowflow.model.template import Template
from knowflow.model.tool import Document

_UNTOPICAL_SLOTS = ("region", "period", "dates", "months", "bands")
_MONTHS = frozenset(stem(name) for name in (*MONTHS, *SHORT_MONTHS)) - {
    "may",
    "march",
    "mar",
}
_NEAR_MISSES = 3
_COMPARING = frozenset({"change", "percent_change", "difference", "trend"})


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


class Index:
    """Entries ready to be searched: their vectors and their words; immutable after construction."""

    def __init__(self, entries: Sequence[Entry], matrix: Vector, embedding: ConceptEmbedding, threshold: float) -> None:
        self.threshold = threshold
        self._embedding = embedding
        self._matrix = matrix
        self._entries = tuple(entries)
        self._words = LexicalIndex(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def retrieve(self, query: str | QueryGoal, k: int = 5) -> Retrieval:
        """The ``k`` best entries whose score reaches the threshold, from best to worst.

        A question that names nothing on the ground and uses words that no entry has is refused whatever its score.
        """
        text = query if isinstance(query, str) else query.text
        about = topic(query)
        heard = Heard.of(about)
        ranked = self._rank(about, heard, max(k, _NEAR_MISSES) + _NEAR_MISSES)
        foreign = () if _names_quantity(query) else self._foreign(heard)
        hits = () if foreign else tuple(hit for hit in ranked if hit.score >= self.threshold)[:k]
        rest = tuple(hit for hit in ranked if hit not in hits)
        return Retrieval(text, self.threshold, hits, rest[:_NEAR_MISSES], foreign)

    def rank(self, query: str | QueryGoal, k: int) -> tuple[Hit, ...]:
        """The ``k`` entries of the highest score, whatever it is; equal scores in the order of their ids."""
        about = topic(query)
        return self._rank(about, Heard.of(about), k)

    def _foreign(self, heard: Heard) -> tuple[str, ...]:
        """The words that no entry has, where nothing else says what the question is about; empty for all others."""
        if any(unit.about for unit in heard.units):
            return ()
        plain = [unit for unit in heard.units if not unit.asks]
        unknown = tuple(unit.words for unit in plain if not self._words.knows(unit.stems))
        return unknown if 2 * len(unknown) >= len(plain) else ()

    def _rank(self, text: str, heard: Heard, k: int) -> tuple[Hit, ...]:
        if not self._entries:
            return ()
        overlap = self._words.overlap(heard)
        # not by BLAS: its threads wait for one another on a busy machine, 15 ms for what takes 0.2 ms here
        cosines = np.einsum("ij,j->i", self._matrix, self._embedding.embed(text))
        scores = cosines + overlap.scores
        least = np.partition(scores, -k)[-k] if k < len(scores) else scores.min()
        near = np.flatnonzero(scores >= least)
        order = sorted(near, key=lambda number: (-scores[number], self._entries[number].id))[:k]
        return tuple(
            Hit(
                self._entries[number].id,
                self._entries[number].title,
                float(scores[number]),
                (Term("cosine", float(cosines[number])), *self._words.terms(int(number), overlap)),
            )
            for number in order
        )


def _names_quantity(query: str | QueryGoal) -> bool:
    """Whether a question names a quantity, or a thing on the ground that stands for one: then it is about the Earth."""
    if not isinstance(query, QueryGoal):
        return False
    if "quantity" not in query.slots:
        by = query.value("group_by")
        return by in ("class", "class_in_zone") or (by is not None and query.value("class") is not None)
    return not query.slots["quantity"].default or query.value("feature") is not None


def retrieve(query: str | QueryGoal, k: int = 5) -> Retrieval:
    """The task cards that a question is about, best first; none (``abstained``) when no card is near enough."""
    return card_index().retrieve(query, k)


@kept()
@between_runs
def card_index() -> Index:
    """The index of all task cards, with the calibrated threshold; its vectors come from the store's snapshot."""
    embedding = ConceptEmbedding()
    entries = tuple(card_entry(card) for card in load_cards())
    return Index(entries, vectors("cards", entries, embedding), embedding, calibration().threshold)


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
    """The query without what is no matter of its kind: motives, regions, dates, numbers, names of places."""
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
    text = known.written_out(text)
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


@kept()
def calibration() -> Calibration:
    """The calibrated threshold; raises ``DocumentError`` when the file is missing or not valid."""
    found, problems = strongest("retrieval.yaml", Calibration)
    if found is None:
        raise DocumentError(
            "the threshold of retrieval is missing",
            expected="pkb/retrieval.yaml",
            hint="write it again: python benchmarks/retrieval.py --calibrate",
            problems=problems,
        )
    return found


def explain(hit: Hit) -> str:
    """A hit in one line: ``0.71 = 0.33 cosine + 0.20 title (water, trend) + ...``."""
    parts = [
        f"{term.value:.2f} {term.name}" + (f" ({', '.join(term.words)})" if term.words else "") for term in hit.terms
    ]
    return f"{hit.score:.2f} = {' + '.join(parts)}"
