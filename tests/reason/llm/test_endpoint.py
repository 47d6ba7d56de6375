"""The client against a real local server: what it sends, what it makes of what comes back, and that it always ends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from knowflow.ground.waiting import listening
from knowflow.reason.llm import (
    LanguageModelError,
    LanguageModelTimeoutError,
    Message,
    Settings,
    ToolCall,
    ToolSpec,
)
from knowflow.reason.llm.conversation import compact
from knowflow.reason.llm.endpoint import Endpoint
from knowflow_bench.openai_server import MODEL, Reply, openai_server

pytest.importorskip("openai")

ASK = (Message("system", "You answer."), Message("user", "What is 6 times 7?"))
SHAPE = {"title": "Product", "type": "object", "properties": {"value": {"type": "integer"}}, "required": ["value"]}
SOON = {"retry-after-ms": "1"}


def endpoint(url: str, **changes: Any) -> Endpoint:
    return Endpoint(Settings(base_url=url, api_key="sk-test-0123456789", **changes))


def test_an_answer_comes_with_its_json_and_the_tokens_that_were_counted() -> None:
    with openai_server({"value": 42}) as server:
        answer = endpoint(server.url, model="m").complete(ASK, SHAPE)
    assert (answer.data, answer.tokens, answer.finish) == ({"value": 42}, 100, "stop")
    sent = server.requests[0]
    assert sent["model"] == "m"
    assert [turn["role"] for turn in sent["messages"]] == ["system", "user"]
    assert sent["response_format"]["json_schema"]["schema"] == SHAPE
    assert server.keys == ["sk-test-0123456789"]


def test_without_a_named_model_the_first_that_the_endpoint_lists_is_asked() -> None:
    with openai_server("forty-two") as server:
        model = endpoint(server.url)
        answer = model.complete(ASK)
    assert (answer.text, answer.data) == ("forty-two", None)
    assert server.requests[0]["model"] == model.name == MODEL
    assert "response_format" not in server.requests[0]


@pytest.mark.parametrize(
    ("refused", "left"),
    [
        ("json_schema", {"type": "json_object"}),
        ("json_schema json_object", None),
    ],
)
def test_a_server_that_refuses_a_form_of_answer_is_asked_in_a_simpler_one_and_told_the_schema(
    refused: str, left: Any
) -> None:
    def say(body: Mapping[str, Any]) -> Reply:
        form = body.get("response_format", {}).get("type", "text")
        return Reply(f"{form} is not supported", status=400) if form in refused.split() else Reply('{"value": 42}')

    with openai_server(say=say) as server:
        model = endpoint(server.url, model="m")
        assert model.complete(ASK, SHAPE).data == {"value": 42}
        before = len(server.requests)
        assert model.complete(ASK, SHAPE).data == {"value": 42}
    assert len(server.requests) == before + 1, "what was refused once is not tried again"
    assert server.requests[-1].get("response_format") == left
    assert compact(SHAPE) in server.requests[-1]["messages"][-1]["content"]


def test_parameters_that_a_server_refuses_are_left_out() -> None:
    def say(body: Mapping[str, Any]) -> Reply:
        if "temperature" in body:
            return Reply("temperature does not support 0 with this model", status=400)
        if "max_tokens" in body:
            return Reply("use max_completion_tokens instead of max_tokens", status=400)
        return Reply("fine")

    with openai_server(say=say) as server:
        assert endpoint(server.url, model="m", temperature=0.0).complete(ASK).text == "fine"
    assert server.requests[-1]["max_completion_tokens"] == 4000


def test_a_server_that_refuses_everything_is_an_error_and_not_asked_for_ever() -> None:
    with openai_server(Reply("no", status=400)) as server, pytest.raises(LanguageModelError) as caught:
        endpoint(server.url, model="m").complete(ASK, SHAPE)
    assert caught.value.code == "llm"
    assert len(server.requests) == 3


def test_a_rate_limit_is_waited_for_and_a_server_error_tried_again() -> None:
    replies = (Reply("slow down", 429, SOON), Reply("oh", 503, SOON), Reply("there"))
    with openai_server(*replies) as server:
        assert endpoint(server.url, model="m").complete(ASK).text == "there"
    assert len(server.requests) == 3


def test_a_rate_limit_that_stays_is_an_error_after_so_many_tries() -> None:
    with openai_server(Reply("slow down", 429, SOON)) as server, pytest.raises(LanguageModelError, match="RateLimit"):
        endpoint(server.url, model="m", retries=3).complete(ASK)
    assert len(server.requests) == 4


@pytest.mark.parametrize("reply", [Reply(silent=True), Reply(drip=True)], ids=["silent", "dripping"])
def test_a_server_that_never_ends_its_answer_is_given_up_in_time(reply: Reply) -> None:
    with openai_server(reply) as server, pytest.raises(LanguageModelTimeoutError) as caught:
        endpoint(server.url, model="m", timeout=0.3, retries=0).complete(ASK)
    assert caught.value.code == "llm_timeout"


def test_a_user_who_wants_to_stop_does_not_wait_for_the_model() -> None:
    def stop() -> None:
        raise KeyboardInterrupt

    with openai_server(Reply(silent=True)) as server, listening(stop), pytest.raises(KeyboardInterrupt):
        endpoint(server.url, model="m", timeout=30.0).complete(ASK)


def test_nobody_at_the_address_is_an_error_with_the_address() -> None:
    with openai_server("x") as server:
        url = server.url
    with pytest.raises(LanguageModelError) as caught:
        endpoint(url, model="m", retries=0).complete(ASK)
    assert caught.value.where == url


@pytest.mark.parametrize(
    "raw", [b"<html>not found</html>", b'{"choices": []}', b"[]", b"null", b'{"choices": [{"message": null}]}']
)
def test_what_is_not_a_completion_is_an_error_and_no_traceback(raw: bytes) -> None:
    with openai_server(Reply(raw=raw)) as server, pytest.raises(LanguageModelError):
        endpoint(server.url, model="m", retries=0).complete(ASK)


def test_a_key_that_the_server_quotes_is_not_in_the_error() -> None:
    said = "Incorrect API key provided: sk-test-0123456789. Header: Bearer sk-other-123456"
    with openai_server(Reply(said, 401)) as server, pytest.raises(LanguageModelError) as caught:
        endpoint(server.url, model="m").complete(ASK)
    assert "[key]" in str(caught.value)
    assert "0123456789" not in str(caught.value)
    assert "sk-other" not in str(caught.value)
    assert "sk-test" not in repr(caught.value.to_json())


def test_tools_are_offered_and_calls_come_back_with_their_arguments() -> None:
    tool = ToolSpec("look", "Looks.", {"type": "object", "properties": {"at": {"type": "string"}}})
    calls = (("look", '{"at": "b4"}'), ("look", "not json"))
    with openai_server(Reply("", tool_calls=calls, finish="tool_calls")) as server:
        model = endpoint(server.url, model="m")
        answer = model.complete(ASK, tools=(tool,))
        assert answer.tool_calls == (ToolCall("call_0", "look", {"at": "b4"}), ToolCall("call_1", "look", None))
        said = Message("assistant", "", answer.tool_calls[:1])
        model.complete((*ASK, said, Message("tool", "a band", answers="call_0")), tools=(tool,))
    assert server.requests[0]["tools"][0]["function"]["name"] == "look"
    turns = server.requests[1]["messages"]
    assert turns[2]["tool_calls"][0]["id"] == turns[3]["tool_call_id"] == "call_0"


def test_tokens_that_nobody_counted_are_estimated() -> None:
    with openai_server(Reply("word " * 700, tokens=None)) as server:
        assert 700 <= endpoint(server.url, model="m").complete(ASK).tokens <= 1500
