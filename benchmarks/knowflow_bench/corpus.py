"""Sentences with the expressions that they ask, written by hand: ``benchmarks/corpus/*.yaml``.

A hash of the sentence decides which part it is of: the open one is looked at as rules are written, of the sealed one
only the figures are shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from pydantic import Field

from knowflow.ground.errors import DocumentError
from knowflow.ground.report import Problem
from knowflow.knowledge.documents import Loaded
from knowflow.model.tool import Document
from knowflow.question.check import check
from knowflow.question.form import expression_of
from knowflow.question.operators import Expression
from knowflow.question.reading.vocabulary import DataWords
from knowflow_bench.authored import loaded

FILES = "corpus/**/*.yaml"
_SEALED = 3
"""One sentence in so many is sealed."""


class Names(Document):
    """The names that the data of a file's questions bring."""

    classes: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    objects: tuple[str, ...] = ()
    dates: tuple[date, ...] = ()


class Sentence(Document):
    """A question, and the expression that it asks; none where it is to be asked back."""

    question: str
    asks: str | dict[str, Any] | None = None
    unit: str | None = Field(None, description="the unit that the answer is to be told in")


class CorpusFile(Document):
    """Questions about one folder of data."""

    corpus: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    data: Names = Names()
    questions: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """A sentence of the corpus: what it asks, None where it is to be asked back, in which unit, of which data."""

    question: str
    expression: Expression | None
    unit: str | None
    data: DataWords
    part: Literal["open", "sealed"]


def corpus() -> tuple[Asked, ...]:
    """All sentences.

    Raises:
        DocumentError: a file is not valid; every problem is listed.
    """
    files = list(loaded(FILES, CorpusFile))
    wrong = [problem for one in files for problem in _problems(one)]
    if wrong:
        raise DocumentError("the corpus is not valid", problems=wrong)
    return tuple(asked for one in files if one.model is not None for asked in _sentences(one.model))


def check_corpus(paths: Sequence[Path] = ()) -> list[Problem]:
    """Everything that is wrong with these files, or with the whole corpus, with file and line."""
    return [problem for one in loaded(FILES, CorpusFile, paths) for problem in _problems(one)]


def _problems(one: Loaded[CorpusFile]) -> Iterator[Problem]:
    yield from one.problems
    seen: set[str] = set()
    for number, sentence in enumerate(one.model.questions if one.model is not None else ()):
        place = ("questions", number)
        if sentence.question in seen:
            yield one.document.problem(place, "duplicate_name", "each question once", sentence.question)
        seen.add(sentence.question)
        if sentence.asks is None:
            continue
        expression, faults = expression_of(sentence.asks)
        for fault in faults:
            yield one.document.problem((*place, "asks"), fault.code, fault.expected, fault.found, fault.hint)
        for misfit in check(expression).misfits if expression is not None else ():
            yield one.document.problem((*place, "asks"), "does_not_fit", misfit.expected, misfit.found, misfit.hint)


def _sentences(file: CorpusFile) -> Iterator[Asked]:
    data = DataWords(
        classes=MappingProxyType(file.data.classes), objects=file.data.objects, dates=tuple(sorted(file.data.dates))
    )
    for one in file.questions:
        expression = None if one.asks is None else expression_of(one.asks)[0]
        sealed = int(sha256(one.question.encode()).hexdigest(), 16) % _SEALED == 0
        yield Asked(one.question, expression, one.unit, data, "sealed" if sealed else "open")
