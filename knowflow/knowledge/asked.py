"""How people have asked for a template: authored wordings, and which templates a new question is like by its words.

Retrieval says what a question is about, the language says what it wants; both know words one by one. The wordings show
how these stand together, and a linear reader of all of them tells the likeness of a question that nobody has asked yet.
"""

from __future__ import annotations

import calendar
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from knowflow.ground.errors import DocumentError
from knowflow.ground.report import Problem, Problems
from knowflow.knowledge.authored_words import Phrase
from knowflow.knowledge.documents import authored
from knowflow.model.tool import Document

Array = NDArray[np.float64]
_FILES = "asked/**/*.yaml"
_RIDGE = 0.1
# a question is worded like those for a template that is as likely, and so much likelier than any other
_LIKE = 0.25
_AHEAD = 0.08
_PART = 4  # letters: what words have in common that are formed from one another
_MONTHS = "|".join(name.lower() for name in (*calendar.month_name[1:], *calendar.month_abbr[1:]))
# what one question has another of: which month, year or number it is tells nothing of what is asked
_PLACEHOLDERS = (
    (re.compile(rf"\b(?:{_MONTHS}|sept)\b"), " _month_ "),
    (re.compile(r"\b(?:19|20)\d\d\b"), " _year_ "),
    (re.compile(r"\d+(?:\.\d+)?"), " _number_ "),
)
_WORD = re.compile(r"[a-z_']+|[%°<>|?]")


class AskedFile(Document):
    """One file of wordings, by the template that answers them."""

    asked: str = Field(pattern=r"^[a-z][a-z0-9_]*$", description="name of the list")
    wordings: dict[str, tuple[Phrase, ...]] = Field(
        description="questions, by the name of the template that answers them"
    )


class Likeness:
    """Which templates a question is like: ridge regression over words, pairs of words and parts of words.

    One against all others, with targets 1 and 0, solved in the dual form: Saunders, Gammerman and Vovk (1998), Ridge
    regression learning algorithm in dual variables, eq. 8. Features are weighed by how rare they are.
    """

    def __init__(self, wordings: Mapping[str, Sequence[str]]) -> None:
        from scipy.sparse import csr_array

        self._templates = tuple(sorted(name for name, texts in wordings.items() if texts))
        texts = [(name, frozenset(_features(text))) for name in self._templates for text in wordings[name]]
        common = Counter(feature for _, features in texts for feature in features)
        kept = sorted(feature for feature, number in common.items() if number > 1)
        self._places = {feature: place for place, feature in enumerate(kept)}
        self._rarity = np.array([np.log((1 + len(texts)) / (1 + common[feature])) + 1 for feature in kept])
        self._unseen = float(np.log(1 + len(texts)) + 1)
        rows = [self._row(features & self._places.keys()) for _, features in texts]
        starts = np.cumsum([0, *(len(places) for places, _ in rows)])
        shape = (len(rows), len(kept))
        parts = [np.concatenate([row[part] for row in rows] or [np.empty(0)]) for part in (1, 0)]
        matrix = csr_array((parts[0], parts[1].astype(np.int64), starts), shape=shape)
        wanted = np.array([name for name, _ in texts])[:, None] == np.array(self._templates)[None]
        gram = (matrix @ matrix.T).toarray() + _RIDGE * np.eye(len(rows))
        self._weights: Array = matrix.T @ np.linalg.solve(gram, wanted.astype(np.float64))

    def of(self, text: str) -> dict[str, float]:
        """The likeness of a question to those that ask for each template: about 1 where it is one of them, 0 if not."""
        places, values = self._row(frozenset(_features(text)))
        scores = values @ self._weights[places] if self._templates else np.empty(0)
        return {name: float(score) for name, score in zip(self._templates, scores, strict=True)}

    def nearest(self, text: str) -> str | None:
        """The template that questions worded like this one ask for; None where that is not clear."""
        ranked = sorted(self.of(text).items(), key=lambda item: -item[1])
        if not ranked or ranked[0][1] < _LIKE:
            return None
        return ranked[0][0] if len(ranked) == 1 or ranked[0][1] - ranked[1][1] >= _AHEAD else None

    def _row(self, features: Collection[str]) -> tuple[NDArray[np.int64], Array]:
        """The known features of a text and their weights; with all features of it they are of length 1."""
        places = np.array(sorted(self._places[one] for one in features if one in self._places), dtype=np.int64)
        values = self._rarity[places]
        strange = (len(features) - len(places)) * self._unseen**2  # unlike everything
        return places, values / np.sqrt(values @ values + strange) if len(places) else values


@lru_cache(maxsize=1)
def likeness() -> Likeness:
    """The reader of all wordings on the search path.

    Raises:
        DocumentError: a file is not valid; all its problems are listed.
    """
    problems = Problems()
    said: dict[str, tuple[str, str]] = {}
    for one in authored(_FILES, AskedFile, problems):
        for template, texts in one.model.wordings.items():
            for text in texts:  # a stronger layer tells what a wording means
                said.setdefault(_plain(text), (template, text))
    if problems.errors:
        raise DocumentError("the wordings are not valid", problems=problems.errors)
    wordings: dict[str, list[str]] = {}
    for template, text in said.values():
        wordings.setdefault(template, []).append(text)
    return Likeness(wordings)


def check_asked(templates: Collection[str]) -> tuple[Problem, ...]:
    """Everything that is wrong with the wordings: form, templates that there are not, one wording for two templates.

    A wording of a stronger layer replaces that of a weaker one.
    """
    problems = Problems()
    seen: dict[str, tuple[str, str]] = {}
    for one in authored(_FILES, AskedFile, problems):
        for template, texts in one.model.wordings.items():
            if template not in templates:
                expected, hint = "a template that exists", "see `knowflow templates list`"
                problems.add(one.document.problem(("wordings", template), "unknown_template", expected, template, hint))
            for number, text in enumerate(texts):
                other, layer = seen.setdefault(_plain(text), (template, one.layer))
                if other != template and layer == one.layer:
                    place, found = ("wordings", template, number), f"also {other}"
                    problems.add(one.document.problem(place, "two_meanings", "a wording of one template", found))
    return tuple(problems)


def _plain(text: str) -> str:
    return " ".join(text.lower().split())


def _features(text: str) -> Iterator[str]:
    plain = text.lower()
    for pattern, placeholder in _PLACEHOLDERS:
        plain = pattern.sub(placeholder, plain)
    words = ["^", *_WORD.findall(plain), "$"]
    yield from words
    yield from (f"{first} {second}" for first, second in pairwise(words))
    yield from (f"{first} _ {second}" for first, second in zip(words, words[2:], strict=False))
    for word in words:
        if len(word) > _PART and not word.startswith("_"):
            yield from (word[start : start + _PART] for start in range(len(word) - _PART + 1))
