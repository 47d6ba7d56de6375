"""A language model as the second reader of a question: where its words are not read, or beside them.

What it reads is planned, checked and told like any reading; where both read, and not alike, none is taken.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from knowflow.ground.errors import KnowFlowError, NotUnderstoodError, PlanningError
from knowflow.ground.report import Problem
from knowflow.model.plan import Assumption
from knowflow.model.template import Template
from knowflow.question.form import to_data
from knowflow.question.normal import equal
from knowflow.question.operators import ALGEBRA, Expression
from knowflow.question.reading.asking import question_of
from knowflow.question.reading.reader import read_by_rules
from knowflow.question.reading.readings import Reading
from knowflow.question.reading.vocabulary import DataWords
from knowflow.question.words import in_words
from knowflow.reason.llm import LanguageModelError, Recorded, settings
from knowflow.reason.llm.failure_context import without_folders
from knowflow.reason.llm.reading import ORIGIN, ReadByModel, read_by_model
from knowflow.reason.llm.reading_request import Asking
from knowflow.reason.llm.structured import problems_of
from knowflow.service.language_model import reading_model
from knowflow.service.request import Found, Request


class SecondReader:
    """Reads questions with a language model; ``carried_out`` makes the plan of a reading, or raises why not."""

    def __init__(self, home: Path, templates: Mapping[str, Template], carried_out: Callable[[Reading], Found]) -> None:
        self._home, self._templates, self._carried_out = home, templates, carried_out

    def found(self, request: Request, words: DataWords, by_words: Callable[[], Found]) -> Found:
        """The plan of a question, read by its words, by the model, or by both.

        Raises:
            NotUnderstoodError, PlanningError: there is none, or both read it differently.
            LanguageModelError: both are to read, and none is configured.
        """
        _refuse_template(request)
        model = reading_model(self._home) if request.llm == "always" else None
        try:
            found = by_words()
        except (NotUnderstoodError, PlanningError) as error:
            if error.instead:  # it is asked back which of several is meant: only the user can say
                raise
            try:
                other, by = self._read(request.query, words, model, problems_of(error))
            except KnowFlowError as none:
                error.problems = (*error.problems, *_why(none))
                raise error from none
            return told(other, by)
        return found if model is None else self._compared(found, request.query, words, model)

    def _read(
        self, question: str, words: DataWords, model: Recorded | None, unread: Sequence[Problem] = ()
    ) -> tuple[Found, ReadByModel]:
        """The plan of what the model reads, and how it read.

        Raises:
            KnowFlowError: it could not be asked, or read nothing that these data can carry out.
        """
        reasons = tuple(without_folders([str(one) for one in unread]))
        asking = Asking(question, words, self._templates, reasons)
        found = read_by_model(asking, model or reading_model(self._home), self._made, settings().attempts)
        return found.made, found.by

    def _made(self, reading: Reading) -> Found:
        try:
            return self._carried_out(reading)
        except KnowFlowError as error:  # what goes back to the model names files, and does not locate them
            texts = ([one.code, one.expected, one.found, one.hint, one.where] for one in problems_of(error))
            problems = [Problem(*without_folders(one)) for one in texts]
            raise PlanningError("these data do not carry it out", problems=problems) from error

    def _compared(self, found: Found, question: str, words: DataWords, model: Recorded) -> Found:
        """What was found by the words, where the model reads the same, or gives no reading.

        Raises:
            NotUnderstoodError: it reads something else; both are told.
        """
        try:
            _, by = self._read(question, words, model)
        except LanguageModelError as error:
            note = f"the language model was asked for its reading, too, and gave none: {error.message}"
            return replace(found, notes=(*found.notes, f"{note}: {error.found}" if error.found else note))
        if equal(found.expression, by.expression):
            agrees = replace(by, agrees=True)
            return replace(found, by_model=agrees, notes=(*found.notes, agrees.sentence()))
        raise differ(found, by.expression, words)


def read_with_model(
    home: Path, templates: Mapping[str, Template], by_words: Reading, words: DataWords | None
) -> Reading:
    """How a language model reads a question beside its words, without a plan of it; both, where these differ.

    Raises:
        LanguageModelError: none is configured; or neither the words nor the model give a reading.
    """
    model, one = reading_model(home), by_words.expression
    asking = Asking(by_words.question, words, templates, (*by_words.unread, *by_words.apart))
    try:
        by = read_by_model(asking, model, lambda _: None, settings().attempts).by
    except LanguageModelError as error:
        if one is None:
            raise
        return replace(by_words, by=f"its words alone: {error.message}")
    name = f"a language model ({model.name})"
    if one is None:
        return replace(by.reading, by=name)
    if equal(one, by.expression):
        return replace(by_words, by=f"its words, and by {name} alike")
    both = (one, by.expression)
    return replace(by_words, expression=None, parts=(), alike=both, by=f"its words, then by {name}")


def told(found: Found, by: ReadByModel) -> Found:
    """A plan of what the model read, with that said among what is assumed."""
    words = "; ".join(dict.fromkeys(f"“{part.words}”" for part in by.reading.parts if part.at is not None))
    because = f"{by.model} read it of {words}; check what it read"
    what = Assumption("what is asked", in_words(by.expression), ORIGIN, because)
    guided = (
        Assumption("number", one, ORIGIN, "experts of such questions say it; the question does not")
        for one in by.guided
    )
    return replace(found, by_model=by, plan=replace(found.plan, assumptions=(what, *guided, *found.plan.assumptions)))


def differ(found: Found, other: Expression, words: DataWords) -> NotUnderstoodError:
    """That the words of a question and a language model say different things, with what to paste for each."""
    one = found.expression
    by_words = in_words(one)
    first = _to_paste(one, words)
    second = _to_paste(other, words)
    error = NotUnderstoodError(
        "the question is read in two ways, and none of them is taken",
        where="question",
        expected=f"by its words: {by_words}",
        found=f"by the language model: {in_words(other)}",
        hint="ask for the one that is meant, as it is told here, or without --llm always",
        problems=[
            Problem("by_words", by_words, "read by its words", f"ask: {first}"),
            Problem("by_model", in_words(other), "read by the language model", f"ask: {second}"),
        ],
    )
    error.instead = tuple(one for one in (first, second) if one.endswith("?"))
    return error


def _to_paste(expression: Expression, words: DataWords) -> str:
    """A question that reads as an expression; where none is known, the expression as the text of a question file."""
    question = question_of(expression)
    again = None if question is None else read_by_rules(question, words).expression
    if question is not None and again is not None and equal(again, expression):
        return question
    return f"a file question.yaml with {json.dumps({'algebra': ALGEBRA, 'question': to_data(expression)})}"


def _refuse_template(request: Request) -> None:
    if request.template is not None:
        raise PlanningError(
            "a template that is named says what is done",
            expected="--template, or --llm",
            found=f"--template {request.template} beside --llm {request.llm}",
            hint="leave one of them out",
        )


def _why(error: KnowFlowError) -> tuple[Problem, ...]:
    """Why a language model was of no help, in the problems of a refusal."""
    found = f"{error.message}: {error.found}" if error.found else error.message
    own = Problem("language_model", error.expected or "a reading by a language model", found, error.hint or "")
    return (own, *error.problems)
