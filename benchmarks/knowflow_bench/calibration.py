"""How well retrieval does on labelled questions, and the threshold that follows from it.

Questions are authored in ``benchmarks/evaluation/*.yaml``: those with a card must find it, others must be refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from pydantic import Field

from knowflow.ground.errors import DocumentError
from knowflow.knowledge.retrieval import Index
from knowflow.model.goal import QueryGoal
from knowflow.model.tool import Document
from knowflow_bench.authored import loaded

EvaluationSet = Literal["paraphrases", "unrelated", "held_out"]
FOLDS = 5
_STEPS = np.arange(0.05, 1.0, 0.005)


class Question(Document):
    """A question with the card it means (None: it means none) and cards that would do as well."""

    query: str = Field(min_length=3)
    card: str | None = None
    also: tuple[str, ...] = ()
    hard: bool = Field(False, description="unrelated, but sounds like Earth observation")


class QuestionFile(Document):
    """One file of labelled questions."""

    evaluation: EvaluationSet
    questions: tuple[Question, ...] = Field(min_length=1)


@dataclass(frozen=True, slots=True)
class Answered:
    """What retrieval ranked first for a question, and whether that (or one of the first three) is right."""

    question: Question
    card: str
    score: float
    right: bool
    in_three: bool


@dataclass(frozen=True, slots=True)
class Quality:
    """Figures at one threshold; shares of 1.

    ``accuracy``: related questions whose first card is right, whatever its score; ``answered_right``: those that also
    reach the threshold. Abstention is the class to be found: its precision is the share of refusals that were due, its
    recall the share of unrelated questions that were refused.
    """

    threshold: float
    accuracy: float
    accuracy_in_three: float
    answered_right: float
    abstention_precision: float
    abstention_recall: float
    related: int
    unrelated: int


def questions(*sets: EvaluationSet) -> tuple[Question, ...]:
    """The labelled questions of these sets; raises ``DocumentError`` with all problems."""
    files = list(loaded("evaluation/**/*.yaml", QuestionFile))
    problems = [problem for one in files for problem in one.problems]
    if problems:
        raise DocumentError("the labelled questions are not valid", problems=problems)
    models = [one.model for one in files if one.model is not None]
    return tuple(question for model in models if model.evaluation in sets for question in model.questions)


def answer(
    index: Index, asked: Sequence[Question], read: Callable[[str], str | QueryGoal] = str
) -> tuple[Answered, ...]:
    """What the index ranks first for each question; ``read`` is how the question is understood before."""
    found = []
    for question in asked:
        query = read(question.query)
        found_by_index = index.retrieve(query, 3)
        hits = (*found_by_index.hits, *found_by_index.near_misses)[:3]
        wanted = {question.card, *question.also} - {None}
        ids = [hit.id for hit in hits]
        score = hits[0].score if hits and not found_by_index.foreign else 0.0
        found.append(
            Answered(question, ids[0] if ids else "", score, bool(wanted & set(ids[:1])), bool(wanted & set(ids)))
        )
    return tuple(found)


def quality(answers: Sequence[Answered], threshold: float) -> Quality:
    """The figures of these answers at a threshold."""
    related = [one for one in answers if one.question.card is not None]
    unrelated = [one for one in answers if one.question.card is None]
    refused = [one for one in answers if one.score < threshold]
    due = [one for one in refused if one.question.card is None]
    return Quality(
        threshold,
        _share(one.right for one in related),
        _share(one.in_three for one in related),
        _share(one.right and one.score >= threshold for one in related),
        len(due) / len(refused) if refused else 1.0,
        len(due) / len(unrelated) if unrelated else 1.0,
        len(related),
        len(unrelated),
    )


def best_threshold(answers: Sequence[Answered]) -> float:
    """The threshold with the best mean of related questions kept and unrelated ones refused; the lowest of equals."""
    related = [one.score for one in answers if one.question.card is not None]
    unrelated = [one.score for one in answers if one.question.card is None]
    balance = [_share(s >= step for s in related) + _share(s < step for s in unrelated) for step in _STEPS]
    return round(float(_STEPS[int(np.argmax(balance))]), 3)


def cross_validate(answers: Sequence[Answered], folds: int = FOLDS) -> Quality:
    """Figures on questions that did not take part in choosing the threshold, summed over all folds.

    Only the threshold is chosen per fold; the threshold given back is that of all answers.
    """
    parts = [answers[start::folds] for start in range(folds)]
    shifted: list[Answered] = []
    for number, part in enumerate(parts):
        rest = [one for other, answered in enumerate(parts) if other != number for one in answered]
        threshold = best_threshold(rest)
        shifted.extend(Answered(one.question, one.card, one.score - threshold, one.right, one.in_three) for one in part)
    return replace(quality(shifted, 0.0), threshold=best_threshold(answers))


def _share(values: Iterable[bool | np.bool_]) -> float:
    listed = [bool(value) for value in values]
    return sum(listed) / len(listed) if listed else 0.0
