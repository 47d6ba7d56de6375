"""A language model as a second reader: it returns a question as an expression, held to the laws of any reading.

What does not hold goes back with all reasons, a few times; what cannot be carried out on the data as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from knowflow.ground.report import Problem
from knowflow.question.operators import Expression, Number, walk
from knowflow.question.reading.readings import Reading
from knowflow.reason.llm.conversation import LanguageModelAnswerError, LanguageModelError
from knowflow.reason.llm.quoting import shortened
from knowflow.reason.llm.reading_answer import ReadingAnswer, Told, reading_of, schema
from knowflow.reason.llm.reading_request import Asking, request_of
from knowflow.reason.llm.records import Recorded
from knowflow.reason.llm.structured import asked

T = TypeVar("T")

ORIGIN = "language model"
_LONGEST = 300


class NoReadingError(LanguageModelError):
    """A language model was asked how a question is to be read, and gave no reading that holds."""

    code = "llm_no_reading"


@dataclass(frozen=True, slots=True)
class ReadByModel:
    """How a language model read a question, and every exchange. ``expression`` is what it read.

    ``refused`` are the reasons for which answers before it were sent back. ``agrees`` says that its words read alike;
    ``guided`` are the numbers in it that experts told, and not the question.
    """

    reading: Reading
    expression: Expression
    model: str
    refused: tuple[tuple[Problem, ...], ...] = ()
    tokens: int = 0
    exchanges: tuple[Mapping[str, Any], ...] = ()
    agrees: bool = False
    guided: tuple[float, ...] = ()

    def sentence(self) -> str:
        """What it did, in one line."""
        calls = len(self.exchanges)
        answers = f"{calls} answer{'' if calls == 1 else 's'}"
        refused = f", {len(self.refused)} of them refused" if self.refused else ""
        read = "read the question alike" if self.agrees else "read the question"
        return f"a language model ({self.model}) {read}: {answers}{refused}, {self.tokens:,} tokens"

    def to_json(self) -> dict[str, Any]:
        """What it did, without the words of the exchanges."""
        return {
            "model": self.model,
            "agrees": self.agrees,
            "calls": len(self.exchanges),
            "refused": [[problem.to_json() for problem in reasons] for reasons in self.refused],
            "tokens": self.tokens,
            "reading": self.reading.to_json(),
        }


@dataclass(frozen=True, slots=True)
class Found(Generic[T]):
    """A reading of a language model, and what was made of it."""

    by: ReadByModel
    made: T


def read_by_model(asking: Asking, model: Recorded, made: Callable[[Reading], T], attempts: int) -> Found[T]:
    """The reading of a question by a language model, of which ``made`` makes something, or raises why it cannot.

    Raises:
        NoReadingError: it gave none that holds; ``problems`` say why.
        LanguageModelError: it could not be asked.
    """
    before = len(model.exchanges)
    request = request_of(asking, schema(asking.of_features))
    told = Told(asking.data, request.numbers)

    def accept(answer: ReadingAnswer) -> tuple[Reading, Expression, T] | str:
        if answer.expression is None and answer.cannot:
            return answer.cannot
        reading = reading_of(asking.question, answer, told)
        (expression,) = reading.candidates()
        return reading, expression, made(reading)

    try:
        found = asked(
            model,
            request.messages,
            ReadingAnswer,
            accept,
            attempts=attempts,
            schema=schema(asking.of_features),
            forgetful=True,
        )
    except LanguageModelAnswerError as error:
        raise NoReadingError(
            "a language model gave no reading that holds", found=error.found, problems=error.problems
        ) from error
    if isinstance(found.value, str):
        says = shortened(" ".join(found.value.split()), _LONGEST)
        raise NoReadingError("a language model does not read it either", found=f"it says: {says}")
    reading, expression, result = found.value
    refused = tuple(one.problems for one in found.refused)
    exchanges = tuple(model.exchanges[before:])
    stated = {part.value for _, part in walk(expression) if isinstance(part, Number)}
    guided = tuple(one for one in dict.fromkeys(request.numbers) if one in stated and f"{one:g}" not in asking.question)
    by = ReadByModel(reading, expression, model.name, refused, found.tokens, exchanges, guided=guided)
    return Found(by, result)
