"""An embedding that needs no network and no model: the same text gives the same vector, everywhere and always.

A text becomes weighted features (stems, pairs of stems, the lexicon's concepts for its phrases, and letter n-grams that
bring related words nearer); each is hashed (blake2b) with a sign into one of ``DIMENSIONS`` numbers, and the vector is
scaled to length 1, so that a dot product is a cosine. Rare features weigh more: their document frequencies were learnt
from the task cards and are frozen in ``pkb/embedding.json``, so that adding a card changes no other card's vector.

Source of the hashing: Weinberger et al. (2009), https://doi.org/10.1145/1553374.1553516
"""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import DocumentError
from knowflow.ground.indices import spectral_indices
from knowflow.ground.kept import kept
from knowflow.ground.resources import resources
from knowflow.knowledge.lexicon import lexicon
from knowflow.knowledge.phrases import Lexicon, Meaning, Mention
from knowflow.knowledge.words import Token, clean, tokens

DIMENSIONS: Final = 512
VERSION: Final = 1
NAME: Final = "knowflow_concepts"

_WORD_WEIGHT, _COMMON_WEIGHT, _PAIR_WEIGHT, _LETTERS_WEIGHT = 1.0, 0.2, 0.25, 0.2
_UNSURE = 0.3  # what a weak or merely usual reading counts, beside a plain one
_CONCEPT_WEIGHTS: Mapping[str, float] = MappingProxyType(
    {"operation": 2.0, "statistic": 1.5, "quantity": 2.2, "feature": 2.2, "group_by": 2.6, "count_of": 2.5, "side": 0.8}
)
# what an index of the catalogue shows, as the lexicon's classes call it
_INDEX_CLASSES: Mapping[str, str] = MappingProxyType(
    {
        "vegetation": "vegetation",
        "water": "water",
        "burn": "burned",
        "snow": "snow",
        "urban": "built_up",
        "soil": "bare",
    }
)
_OTHER_CONCEPT_WEIGHT = 1.2
_SHORTEST_WITH_LETTERS = 4
_UNHEARD = 1.6  # what a word that no card has counts more: it says that the question is about something else
_REPEATED = 0.3  # how much saying something again adds

Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Frequencies:
    """In how many of ``documents`` texts each feature occurs."""

    documents: int
    counts: Mapping[str, int]
    digest: str

    def weight(self, feature: str) -> float:
        """Smoothed inverse document frequency, 1 for a feature that every text has."""
        return math.log((1 + self.documents) / (1 + self.counts.get(feature, 0))) + 1.0


@dataclass(frozen=True, slots=True)
class Concepts:
    """What one phrase stands for: something to do (``asks``) and something on the ground or its measure (``about``)."""

    asks: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    sure: bool = True

    @property
    def names(self) -> tuple[str, ...]:
        return (*self.asks, *self.about)


def concepts_of(text: str, pieces: Sequence[Token], mention: Mention) -> Concepts:
    """The concepts of a phrase: ``operation:trend``, ``group_by:zone``; ``quantity:ndvi``, ``feature:snow``..."""
    asks: dict[str, None] = {}
    about: dict[str, None] = {}
    for meaning in mention.meanings:
        entry = meaning.entry
        if meaning.category == "setting":
            asks[f"{entry.slot}:{entry.value}"] = None
        elif meaning.category == "operation":
            asks[f"operation:{entry.value}"] = None
        elif meaning.category == "direction" and meaning.manner == "plain":
            asks[f"side:{entry.value}"] = None
        about.update(dict.fromkeys(_about(meaning)))
    counted = any(name.startswith(("operation:", "count_of:")) for name in asks)
    if counted and not about:
        inside = lexicon().inner(text, pieces, mention)
        about.update((name, None) for one in inside for meaning in one.meanings for name in _about(meaning))
    sure = all(meaning.manner == "plain" for meaning in mention.meanings)
    return Concepts(tuple(asks), tuple(about), sure)


def _about(meaning: Meaning) -> tuple[str, ...]:
    """What a meaning says of the ground; a feature stands for its quantity and its class too."""
    entry = meaning.entry
    found = [f"{meaning.category}:{entry.value}"] if meaning.category in ("quantity", "feature") else []
    index = spectral_indices().get(str(entry.value)) if meaning.category == "quantity" else None
    if index is not None and index.domain in _INDEX_CLASSES:
        found.append(f"class:{_INDEX_CLASSES[index.domain]}")
    found += [f"quantity:{entry.quantity}"] if entry.quantity is not None else []
    return (*found, f"class:{entry.class_}") if entry.class_ is not None else tuple(found)


def features(text: str) -> dict[str, float]:
    """Features of a text with their weights before document frequencies are applied."""
    known = lexicon()
    cleaned = known.written_out(clean(text))
    pieces = [piece for piece in tokens(cleaned) if piece.kind != "number"]
    words = [piece.stem for piece in pieces if piece.kind == "word" and piece.stem not in known.function]
    counts: Counter[str] = Counter(f"w:{word}" for word in words)
    counts.update(f"p:{a} {b}" for a, b in pairwise(words))
    found = {
        feature: _base_weight(feature, known) * (1 + _REPEATED * math.log(count)) for feature, count in counts.items()
    }
    for mention in known.scan(cleaned, pieces):
        meant = concepts_of(cleaned, pieces, mention)
        for names in (meant.asks, meant.about):
            for name in names:
                weight = _concept_weight(name, known) * (1.0 if meant.sure else _UNSURE) / math.sqrt(len(names))
                found[f"c:{name}"] = max(found.get(f"c:{name}", 0.0), weight)
    for word in dict.fromkeys(words):
        if len(word) >= _SHORTEST_WITH_LETTERS and word not in known.common:
            grams = _letters(word)
            for gram in grams:
                found[f"l:{gram}"] = found.get(f"l:{gram}", 0.0) + _LETTERS_WEIGHT / math.sqrt(len(grams))
    return found


def learn(texts: Iterable[str]) -> Frequencies:
    """Document frequencies of the words and concepts of a corpus; pairs and letters take a fixed weight."""
    counts: Counter[str] = Counter()
    number = 0
    for text in texts:
        number += 1
        counts.update(feature for feature in features(text) if feature[0] in "wc")
    return _frequencies(number, dict(sorted(counts.items())))


@kept()
def learnt() -> Frequencies:
    """The frozen frequencies; raises ``DocumentError`` when the file is missing or broken."""
    for resource in resources("pkb", "embedding.json"):
        try:
            data = json.loads(resource.path.read_text(encoding="utf-8"))
            return _frequencies(int(data["documents"]), {str(k): int(v) for k, v in data["frequencies"].items()})
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise DocumentError(
                "the frequencies of the embedding cannot be read",
                where=str(resource.path),
                found=str(error),
                hint="write them again: python benchmarks/retrieval.py --calibrate",
            ) from error
    raise DocumentError("the frequencies of the embedding are missing", expected="pkb/embedding.json")


class ConceptEmbedding:
    """The embedding; also a chromadb ``EmbeddingFunction`` (which chromadb recognises by its methods).

    ``digest`` names everything the vectors depend on, so that a store knows when to compute them again.
    """

    def __init__(self, frequencies: Frequencies | None = None) -> None:
        self._given = frequencies
        self._places: dict[str, tuple[int, float]] = {}

    @property
    def _frequencies(self) -> Frequencies:
        return learnt() if self._given is None else self._given

    @property
    def digest(self) -> str:
        return _digest(f"{NAME} {VERSION} {DIMENSIONS} {self._frequencies.digest} {_lexicon_digest()}")

    def embed(self, text: str) -> Vector:
        """The vector of a text, of length 1; zeros for a text without any word."""
        vector = np.zeros(DIMENSIONS, dtype=np.float64)
        for feature, weight in features(text).items():
            if feature[0] in "wc":
                weight *= self._frequencies.weight(feature)
            if feature[0] == "w" and feature not in self._frequencies.counts:
                weight *= _UNHEARD
            place, sign = self._place(feature)
            vector[place] += sign * weight
        length = float(np.linalg.norm(vector))
        return (vector / length if length else vector).astype(np.float32)

    def embed_parts(self, parts: Sequence[tuple[str, float]]) -> Vector:
        """The vector of a text in weighted parts, so that a long definition does not drown a short title."""
        total = np.zeros(DIMENSIONS, dtype=np.float64)
        for text, weight in parts:
            total += weight * self.embed(text)
        length = float(np.linalg.norm(total))
        return (total / length if length else total).astype(np.float32)

    def embed_all(self, texts: Sequence[str]) -> Vector:
        """Vectors of texts as rows, shape (len(texts), DIMENSIONS)."""
        if not texts:
            return np.zeros((0, DIMENSIONS), dtype=np.float32)
        return np.stack([self.embed(text) for text in texts])

    def _place(self, feature: str) -> tuple[int, float]:
        place = self._places.get(feature)
        if place is None:
            number = int.from_bytes(hashlib.blake2b(feature.encode(), digest_size=8).digest(), "big")
            place = self._places[feature] = ((number >> 1) % DIMENSIONS, 1.0 if number & 1 else -1.0)
        return place

    # chromadb's protocol of embedding functions
    def __call__(self, input: Sequence[str]) -> list[Vector]:
        return list(self.embed_all(list(input)))

    def embed_query(self, input: Sequence[str]) -> list[Vector]:
        return self(input)

    @staticmethod
    def name() -> str:
        return NAME

    def get_config(self) -> dict[str, Any]:
        return {"version": VERSION, "dimensions": DIMENSIONS}

    @staticmethod
    def build_from_config(config: Mapping[str, Any]) -> ConceptEmbedding:
        return ConceptEmbedding()

    def default_space(self) -> str:
        return "cosine"

    def supported_spaces(self) -> list[str]:
        return ["cosine", "l2", "ip"]

    def is_legacy(self) -> bool:
        return False

    @staticmethod
    def validate_config(config: Mapping[str, Any]) -> None:
        if config.get("version") != VERSION or config.get("dimensions") != DIMENSIONS:
            raise ValueError(f"expected version {VERSION} with {DIMENSIONS} dimensions, found {dict(config)}")

    def validate_config_update(self, old_config: Mapping[str, Any], new_config: Mapping[str, Any]) -> None:
        self.validate_config(new_config)


def _base_weight(feature: str, known: Lexicon) -> float:
    if feature[0] == "p":
        return _PAIR_WEIGHT
    return _COMMON_WEIGHT if feature[2:] in known.common else _WORD_WEIGHT


def _concept_weight(name: str, known: Lexicon) -> float:
    category, _, value = name.partition(":")
    if category == "operation" and known.operations[value].rank == "statistic":
        category = "statistic"
    return _CONCEPT_WEIGHTS.get(category, _OTHER_CONCEPT_WEIGHT)


def _letters(word: str) -> tuple[str, ...]:
    padded = f"#{word}#"
    return tuple(padded[start : start + size] for size in (3, 4) for start in range(len(padded) - size + 1))


def _frequencies(documents: int, counts: dict[str, int]) -> Frequencies:
    digest = _digest(json.dumps([documents, counts], sort_keys=True))
    return Frequencies(documents, MappingProxyType(counts), digest)


@kept()
def _lexicon_digest() -> str:
    """The lexicon as far as vectors depend on it: phrases with their concepts, and the words that count less."""
    known = lexicon()
    phrases = sorted(
        (" ".join(key), *(f"{m.category} {m.manner} {m.entry.slot} {m.entry.value} {_about(m)}" for m in meanings))
        for key, meanings in known.phrases.items()
    )
    read_as = sorted(known.reworded.read_as.items())
    return _digest(json.dumps([phrases, sorted(known.common), sorted(known.function), read_as]))


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
