"""Sentences with the expressions that they ask, written by hand: ``pkb/corpus/*.yaml``.

A hash of the sentence decides which part it is of: the open one is looked at as rules are written, of the sealed one
only the figures are shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from types import MappingProxyType
from typing import Literal

from knowflow.ground.errors import DocumentError
from knowflow.ground.report import Problem, Problems
from knowflow.knowledge.corpus_file import FILES, CorpusFile
from knowflow.knowledge.documents import Authored, authored
from knowflow.question.check import check
from knowflow.question.form import expression_of
from knowflow.question.operators import Expression
from knowflow.question.reading.vocabulary import DataWords

_SEALED = 3
"""One sentence in so many is sealed."""


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
    problems = Problems()
    files = list(authored(FILES, CorpusFile, problems))
    wrong = [*problems.errors, *(problem for one in files for problem in _problems(one))]
    if wrong:
        raise DocumentError("the corpus is not valid", problems=wrong)
    return tuple(asked for one in files for asked in _sentences(one.model))


def check_corpus() -> Iterator[Problem]:
    """Everything that is wrong with the corpus, with file and line."""
    problems = Problems()
    files = list(authored(FILES, CorpusFile, problems))
    yield from problems.errors
    for one in files:
        yield from _problems(one)


def _problems(one: Authored[CorpusFile]) -> Iterator[Problem]:
    seen: set[str] = set()
    for number, sentence in enumerate(one.model.questions):
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
