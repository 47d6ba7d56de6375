"""Typed values from a language model: JSON found in whatever it wrote, validated, and asked for again with reasons."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from knowflow.ground.errors import KnowFlowError
from knowflow.ground.json_text import json_value
from knowflow.ground.report import Problem
from knowflow.reason.llm.conversation import (
    Answer,
    LanguageModel,
    LanguageModelAnswerError,
    LanguageModelBudgetError,
    Message,
    Schema,
)
from knowflow.reason.llm.quoting import fenced, shortened

M = TypeVar("M", bound=BaseModel)
T = TypeVar("T")

_THOUGHTS = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_FENCED = re.compile(r"```[A-Za-z0-9_-]*[ \t]*\n(.*?)```", re.DOTALL)
_MOST_STARTS = 50
_MOST_PROBLEMS = 12
_LONGEST_AGAIN = 2400


def json_in(text: str) -> Any:
    """The JSON object (or list) in a text: the text itself, what stands in a code fence, or the first that begins
    anywhere; None where there is none. What models think aloud before they answer is passed over.
    """
    said = _THOUGHTS.sub("", text).strip()
    for candidate in (said, *(found.strip() for found in _FENCED.findall(said))):
        try:
            data = json_value(candidate)
        except ValueError:
            continue
        if isinstance(data, (dict, list)):
            return data
    decoder = json.JSONDecoder()
    starts = [match.start() for match in re.finditer(r"[{\[]", said)]
    for start in starts[:_MOST_STARTS]:
        try:
            data, _ = decoder.raw_decode(said, start)
        except (ValueError, RecursionError):
            continue
        if data and (isinstance(data, dict) or isinstance(data[0], dict)):
            return data
    return None


@dataclass(frozen=True, slots=True)
class Refused:
    """An answer that was not accepted, and all reasons."""

    answer: Answer
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class Asked(Generic[T]):
    """What was accepted in the end, what was not before it, and the tokens that all of it took."""

    value: T
    refused: tuple[Refused, ...]
    tokens: int


def asked(
    model: LanguageModel,
    messages: Sequence[Message],
    shape: type[M],
    accept: Callable[[M], T],
    *,
    attempts: int = 3,
    schema: Schema | None = None,
    forgetful: bool = False,
) -> Asked[T]:
    """Ask for a value of a pydantic model, and make of it what is wanted with ``accept``.

    ``schema`` is what the model is told of its shape, where that is narrower than the pydantic model's own. Who is
    ``forgetful`` is told of the last answer alone, and of no more of it than fits a small context.

    An answer that is not JSON, does not fit the model, or that ``accept`` raises a :class:`KnowFlowError` for, goes
    back with all reasons, at most ``attempts`` times in all.

    Raises:
        LanguageModelAnswerError: no answer was accepted; ``problems`` are those of the last one.
        LanguageModelError: it could not be asked.
    """
    told = shape.model_json_schema(by_alias=True) if schema is None else schema
    conversation = list(messages)
    refused: list[Refused] = []
    tokens = 0
    for _ in range(max(1, attempts)):
        try:
            answer = model.complete(conversation, told)
        except LanguageModelBudgetError as error:
            if refused:  # what it said before is the better reason
                raise _not_accepted(refused, error.message) from error
            raise
        tokens += answer.tokens
        try:
            return Asked(accept(typed(answer, shape)), tuple(refused), tokens)
        except LanguageModelAnswerError as error:
            problems = error.problems
        except KnowFlowError as error:
            problems = problems_of(error)
        refused.append(Refused(answer, problems))
        said = shortened(answer.text, _LONGEST_AGAIN) if forgetful else answer.text
        before = list(messages) if forgetful else conversation
        conversation = [*before, Message("assistant", said), Message("user", correction(problems))]
    raise _not_accepted(refused, f"{len(refused)} answer{'' if len(refused) == 1 else 's'} refused")


def typed(answer: Answer, shape: type[M]) -> M:
    """The answer as a value of a pydantic model.

    Raises:
        LanguageModelAnswerError: it is not one; ``problems`` says everything that is wrong with it.
    """
    if answer.data is None:
        found = "an answer that was cut off" if answer.finish == "length" else f"{answer.text[:80]!r}"
        problem = Problem("not_json", "one JSON object", found, "answer with the JSON object only, and shorter")
        raise LanguageModelAnswerError("the answer is not JSON", problems=(problem,))
    try:
        return shape.model_validate(answer.data, by_alias=True, by_name=True)
    except ValidationError as error:
        raise LanguageModelAnswerError("the answer has another shape", problems=tuple(_wrong(error))) from error


def _wrong(error: ValidationError) -> Iterator[Problem]:
    for one in error.errors(include_url=False)[:_MOST_PROBLEMS]:
        place = ".".join(map(str, one["loc"])) or "the answer"
        found = repr(one.get("input"))
        yield Problem("shape", one["msg"], found if len(found) <= 80 else found[:79] + "…", where=place)


def problems_of(error: KnowFlowError) -> tuple[Problem, ...]:
    """All reasons of an error, itself where it lists none."""
    own = Problem(error.code, error.expected or "", error.found or error.message, error.hint or "", error.where or "")
    return error.problems or (own,)


def correction(problems: Sequence[Problem]) -> str:
    """What a model is told of an answer that was refused; the reasons quote data, and are fenced as such."""
    reasons = [shortened(str(problem), 400) for problem in problems[:_MOST_PROBLEMS]]
    return f"That was refused, for these reasons:\n{fenced('reasons', reasons)}\nAnswer again, all of them put right."


def _not_accepted(refused: Sequence[Refused], found: str) -> LanguageModelAnswerError:
    return LanguageModelAnswerError(
        "the language model gave no answer that could be used",
        found=found,
        problems=refused[-1].problems if refused else (),
    )
