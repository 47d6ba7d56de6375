"""Every exchange is kept, without keys, and answers again offline."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from knowflow.ground.errors import UnreadableDataError
from knowflow.reason.llm import (
    Budget,
    LanguageModelBudgetError,
    LanguageModelError,
    LanguageModelTimeoutError,
    Limits,
    Message,
    Settings,
    language_model,
)
from knowflow_bench.openai_server import Reply, openai_server

pytest.importorskip("openai")

KEY = "sk-very-secret-0123456789"
ASK = (Message("user", "What is 6 times 7?"),)
OTHER = (Message("user", f"And my key is {KEY}, what now?"),)
SHAPE = {"type": "object"}


def asked(settings: Settings, record: Path | None = None, limits: Limits | None = None) -> Any:
    model = language_model(settings, record=record, budget=None if limits is None else Budget(limits))
    assert model is not None
    return model


def test_exchanges_are_kept_one_to_a_line_and_answer_again_without_the_server(tmp_path: Path) -> None:
    record = tmp_path / "run" / "llm.jsonl"
    with openai_server('{"value": 42}', "Keep it to yourself.") as server:
        model = asked(Settings(base_url=server.url, api_key=KEY, model="m"), record)
        first, second = model.complete(ASK, SHAPE), model.complete(OTHER)
    lines = [json.loads(line) for line in record.read_text().splitlines()]
    assert [line["answer"]["text"] for line in lines] == [first.text, second.text]
    assert lines[0]["request"]["messages"][0]["content"] == "What is 6 times 7?"
    assert lines[0]["request"]["schema"] == SHAPE
    assert model.exchanges == lines
    again = asked(Settings(replay=record))
    assert again.complete(OTHER) == second, "found by what is asked, not by the order"
    assert again.complete(ASK, SHAPE) == first
    assert again.complete(ASK, SHAPE) == first


def test_no_key_is_in_a_record_even_where_the_server_or_a_prompt_quotes_it(tmp_path: Path) -> None:
    record = tmp_path / "llm.jsonl"
    with openai_server(Reply(f"bad key {KEY}", 401)) as server:
        model = asked(Settings(base_url=server.url, api_key=KEY, model="m"), record)
        with pytest.raises(LanguageModelError):
            model.complete(OTHER)
    assert "very-secret" not in record.read_text()
    assert "very-secret" not in repr(Settings(api_key=KEY))


def test_what_was_never_asked_before_cannot_be_replayed(tmp_path: Path) -> None:
    record = tmp_path / "llm.jsonl"
    with openai_server("42") as server:
        asked(Settings(base_url=server.url, model="m"), record).complete(ASK)
    with pytest.raises(LanguageModelError, match="never asked"):
        asked(Settings(replay=record)).complete(OTHER)


def test_an_answer_without_a_digest_answers_whatever_is_asked_once(tmp_path: Path) -> None:
    record = tmp_path / "llm.jsonl"
    record.write_text('{"answer": {"text": "one"}}\n{"answer": {"text": "two"}}\n{"error": {"code": "llm_timeout"}}\n')
    model = asked(Settings(replay=record))
    assert [model.complete(ASK).text, model.complete(OTHER).text] == ["one", "two"]
    with pytest.raises(LanguageModelTimeoutError):
        model.complete(ASK)
    with pytest.raises(LanguageModelError, match="never asked"):
        model.complete(ASK)


def test_a_time_out_is_recorded_and_replayed_as_one(tmp_path: Path) -> None:
    record = tmp_path / "llm.jsonl"
    with openai_server(Reply(silent=True)) as server:
        settings = Settings(base_url=server.url, model="m", timeout=0.2, retries=0)
        with pytest.raises(LanguageModelTimeoutError):
            asked(settings, record).complete(ASK)
    with pytest.raises(LanguageModelTimeoutError):
        asked(Settings(replay=record)).complete(ASK)


@pytest.mark.parametrize(
    "content", ["not json\n", "[1]\n", '{"neither": 1}\n', '{"answer": "text"}\n', '{"answer": 3}\n']
)
def test_a_damaged_record_is_named_with_its_line(tmp_path: Path, content: str) -> None:
    record = tmp_path / "llm.jsonl"
    record.write_text('{"answer": {"text": "one"}}\n' + content)
    with pytest.raises(UnreadableDataError) as caught:
        asked(Settings(replay=record))
    assert caught.value.where == f"{record}:2"


def test_a_record_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UnreadableDataError):
        asked(Settings(replay=tmp_path / "none.jsonl"))


@pytest.mark.parametrize(
    ("limits", "calls", "word"),
    [(Limits(calls=2), 2, "calls"), (Limits(tokens=205), 2, "tokens"), (Limits(seconds=0), 0, "seconds")],
)
def test_a_budget_ends_the_conversation(limits: Limits, calls: int, word: str) -> None:
    with openai_server("fine") as server:
        model = asked(Settings(base_url=server.url, model="m"), limits=limits)
        for _ in range(calls):
            model.complete(ASK)
        with pytest.raises(LanguageModelBudgetError, match=word):
            model.complete(ASK)
    assert len(server.requests) == calls


def test_a_request_that_no_longer_fits_is_not_sent() -> None:
    with openai_server("fine") as server:
        model = asked(Settings(base_url=server.url, model="m"), limits=Limits(tokens=500))
        with pytest.raises(LanguageModelBudgetError):
            model.complete((Message("user", "x" * 10_000),))
    assert server.requests == []


def test_no_answer_is_waited_for_longer_than_the_budget_lasts() -> None:
    with openai_server(Reply(silent=True)) as server:
        settings = Settings(base_url=server.url, model="m", timeout=60.0, retries=0)
        with pytest.raises(LanguageModelTimeoutError) as caught:
            asked(settings, limits=Limits(seconds=0.3)).complete(ASK)
    assert caught.value.expected == "an answer within 0.3 s"


def test_seconds_are_counted_whether_there_was_an_answer_or_not() -> None:
    clock = iter(range(100))
    budget = Budget(Limits(seconds=1.5), clock=lambda: float(next(clock)))
    with openai_server(Reply("no", 401)) as server:
        model = language_model(Settings(base_url=server.url, model="m"), budget=budget)
        assert model is not None
        for _ in range(2):
            with pytest.raises(LanguageModelError):
                model.complete(ASK)
        with pytest.raises(LanguageModelBudgetError, match="seconds"):
            model.complete(ASK)


def test_without_key_and_endpoint_there_is_no_model_and_openai_is_not_imported() -> None:
    assert language_model(Settings()) is None
    assert language_model(Settings(enabled=False, api_key=KEY, base_url="http://localhost")) is None
    code = "import sys, knowflow.reason.llm as llm, knowflow.reason.llm.proposer, knowflow.reason.llm.entailment;"
    code += "assert llm.language_model(llm.settings({})) is None; assert 'openai' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
