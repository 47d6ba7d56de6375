"""JSON in whatever a model writes, and answers asked for again until they fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from knowflow.ground.errors import PlanningError
from knowflow.reason.llm import Answer, LanguageModelAnswerError, LanguageModelBudgetError, Message, asked, json_in


class Sum(BaseModel):
    value: int


class Scripted:
    """Says these texts in turn, and keeps what it was asked."""

    name = "scripted"

    def __init__(self, *texts: str) -> None:
        self._texts = list(texts)
        self.asked: list[Sequence[Message]] = []

    def complete(self, messages: Sequence[Message], schema: Any = None, tools: Any = None) -> Answer:
        self.asked.append(tuple(messages))
        if not self._texts:
            raise LanguageModelBudgetError("spent")
        text = self._texts.pop(0)
        return Answer(text, json_in(text), tokens=10)


@pytest.mark.parametrize(
    "text",
    [
        '{"value": 1}',
        'Sure!\n```json\n{"value": 1}\n```\nHope it helps.',
        'The answer is {"value": 1}, I think.',
        '<think>{"value": 2} or not?</think>{"value": 1}',
        '\n\n {"value": 1}',
        'I considered [1, 2] first. {"value": 1}',
    ],
)
def test_json_is_found_wherever_it_stands(text: str) -> None:
    assert json_in(text) == {"value": 1}


@pytest.mark.parametrize("text", ["", "no", "42", '"text"', "{", "{'value': 1}", "[" * 100_000, "}{" * 1000])
def test_where_there_is_no_json_none_is_found(text: str) -> None:
    assert json_in(text) is None


@given(st.text(max_size=300))
def test_whatever_the_text_an_object_is_found_or_nothing(text: str) -> None:
    assert isinstance(json_in(text), dict | None)


def test_a_refused_answer_goes_back_with_all_reasons() -> None:
    model = Scripted("what?", '{"value": "x"}', '{"value": 3}', '{"value": 4}')

    def even(found: Sum) -> int:
        if found.value % 2:
            raise PlanningError("odd", expected="an even number", found=str(found.value))
        return found.value

    found = asked(model, [Message("user", "a number")], Sum, even, attempts=4)
    assert (found.value, found.tokens, len(found.refused)) == (4, 40, 3)
    last = model.asked[-1]
    assert [turn.role for turn in last] == ["user", *("assistant", "user") * 3]
    assert "not_json" in last[2].content
    assert "valid integer" in last[4].content
    assert "an even number" in last[6].content


def test_it_is_given_up_after_so_many_answers() -> None:
    with pytest.raises(LanguageModelAnswerError) as caught:
        asked(Scripted("a", "b", "c"), [Message("user", "?")], Sum, lambda found: found, attempts=2)
    assert caught.value.found == "2 answers refused"


def test_a_budget_spent_between_answers_still_tells_what_was_wrong_with_the_last() -> None:
    with pytest.raises(LanguageModelAnswerError) as caught:
        asked(Scripted("a"), [Message("user", "?")], Sum, lambda found: found, attempts=3)
    assert caught.value.problems[0].code == "not_json"
    with pytest.raises(LanguageModelBudgetError):
        asked(Scripted(), [Message("user", "?")], Sum, lambda found: found)
