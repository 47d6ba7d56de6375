"""A language model behind any OpenAI-compatible endpoint, asked for one answer at a time and never waited for longer.

Endpoints differ in what they take: JSON Schema, JSON without one, or neither; one or the other name for the longest
answer; a temperature or none. What an endpoint refuses is left out of the next request, and remembered.
"""

from __future__ import annotations

import importlib
import ipaddress
import json
import math
import threading
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from types import ModuleType
from typing import Any, TypeVar
from urllib.parse import urlsplit

from knowflow.ground.json_text import json_value
from knowflow.ground.waiting import hear
from knowflow.reason.llm.conversation import (
    Answer,
    LanguageModelError,
    LanguageModelTimeoutError,
    Message,
    Schema,
    ToolCall,
    ToolSpec,
    compact,
    estimated_tokens,
)
from knowflow.reason.llm.secrets import Scrubber, keys_of
from knowflow.reason.llm.settings import OPENAI_MODEL, Settings, shown_address
from knowflow.reason.llm.structured import json_in

T = TypeVar("T")

_TURN_S = 0.2
_MOST_REFUSALS = 6
_NO_KEY = "none"  # the client insists on one; servers of one's own ignore it


class Endpoint:
    """The model that the settings name. ``patience`` says how many seconds may still be waited in all.

    Raises:
        LanguageModelError: the `openai` package is not installed.
    """

    def __init__(self, settings: Settings, patience: Callable[[], float] = lambda: math.inf) -> None:
        self._settings = settings
        self._patience = patience
        self._hide = Scrubber(*keys_of(settings.api_key, settings.base_url))
        self._openai = _package()
        self._model = settings.model or ("" if settings.base_url else OPENAI_MODEL)
        self._forms = ["json_schema", "json_object", "text"]
        self._longest = "max_completion_tokens" if not settings.base_url else "max_tokens"
        self._left_out: set[str] = set()

    @property
    def name(self) -> str:
        return self._hide.text(self._model) or "unnamed model"

    def complete(
        self, messages: Sequence[Message], schema: Schema | None = None, tools: Sequence[ToolSpec] | None = None
    ) -> Answer:
        """One answer within the time-out of the settings, retries included.

        Raises:
            LanguageModelTimeoutError, LanguageModelError: there was none; the error holds no key.
        """
        seconds = min(self._settings.timeout, self._patience())
        client = self._client()
        try:
            return _within(seconds, lambda: self._asked(client, messages, schema, tools))
        except TimeoutError:
            raise self._too_late(seconds) from None
        finally:
            client.close()

    def _client(self) -> Any:
        settings = self._settings
        # what is on this machine is not asked for through a proxy
        http = self._openai.DefaultHttpxClient(trust_env=False) if _is_local(settings.endpoint) else None
        return self._openai.OpenAI(
            api_key=settings.api_key or _NO_KEY,
            base_url=settings.endpoint,
            timeout=settings.timeout,
            max_retries=settings.retries,
            http_client=http,
        )

    def _asked(
        self, client: Any, messages: Sequence[Message], schema: Schema | None, tools: Sequence[ToolSpec] | None
    ) -> Answer:
        openai = self._openai
        try:
            if not self._model:
                self._model = self._first_listed(client)
            for _ in range(_MOST_REFUSALS):
                try:
                    completion = client.chat.completions.create(**self._request(messages, schema, tools))
                    return self._answer(completion, messages, schema, tools)
                except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                    if not self._simplify(str(error), schema is not None):
                        raise
        except openai.APITimeoutError:
            raise self._too_late(self._settings.timeout) from None  # what caused it may hold the headers
        except openai.OpenAIError as error:
            raise self._failed(error) from None
        except (ValueError, TypeError, AttributeError) as error:  # the client does not check what it is sent
            raise self._no_answer(f"{type(error).__name__}: {error}") from None
        raise self._failed(RuntimeError("it refuses every form of request"))

    def _first_listed(self, client: Any) -> str:
        listed = [str(model.id) for model in client.models.list()]
        if not listed:
            raise LanguageModelError(
                "the endpoint lists no model",
                where=shown_address(self._settings.endpoint),
                hint="KNOWFLOW_LLM_MODEL names one",
            )
        return listed[0]

    def _request(
        self, messages: Sequence[Message], schema: Schema | None, tools: Sequence[ToolSpec] | None
    ) -> dict[str, Any]:
        form = self._forms[0]
        turns = [_turn(message) for message in messages]
        request: dict[str, Any] = {"model": self._model, "messages": turns}
        if schema is not None:
            if self._settings.base_url:  # a server may pass over what it does not know, instead of refusing it
                turns[-1] = {**turns[-1], "content": f"{turns[-1]['content']}\n\n{_told(schema)}"}
            if form == "json_schema":
                named = {"name": _schema_name(schema), "schema": dict(schema), "strict": False}
                request["response_format"] = {"type": form, "json_schema": named}
            elif form == "json_object":
                request["response_format"] = {"type": form}
        if tools:
            request["tools"] = [{"type": "function", "function": tool.to_json()} for tool in tools]
        if self._settings.temperature is not None:
            request["temperature"] = self._settings.temperature
        request[self._longest] = self._settings.answer_tokens
        return {name: value for name, value in request.items() if name not in self._left_out}

    def _simplify(self, refusal: str, structured: bool) -> bool:
        """Leave out, from now on, what the endpoint refuses; False where it does not say, and nothing can be."""
        told = refusal.casefold()
        if "max_tokens" in told and "max_completion_tokens" in told:
            other = "max_completion_tokens" if self._longest == "max_tokens" else "max_tokens"
            if other not in self._left_out:
                self._left_out.add(self._longest)
                self._longest = other
                return True
        for name in ("temperature", self._longest):
            if name in told and name not in self._left_out:
                self._left_out.add(name)
                return True
        if structured and len(self._forms) > 1:
            self._forms.pop(0)
            return True
        return False

    def _answer(
        self,
        completion: Any,
        messages: Sequence[Message],
        schema: Schema | None,
        tools: Sequence[ToolSpec] | None,
    ) -> Answer:
        choices = getattr(completion, "choices", None)
        if not choices:
            raise self._no_answer(str(completion))
        message = choices[0].message
        text = self._hide.text(message.content or getattr(message, "refusal", None) or "")
        calls = tuple(self._call(one) for one in message.tool_calls or () if getattr(one, "function", None) is not None)
        usage = getattr(completion, "usage", None)
        counted: Any = getattr(usage, "total_tokens", None)
        own = Message("assistant", text, calls)
        tokens = (
            counted
            if isinstance(counted, int) and counted >= 0 and self._hide(counted) == counted
            else estimated_tokens((*messages, own), schema, tools)
        )
        data = json_in(text) if schema is not None else None
        answer = Answer(text, data, calls, tokens, str(choices[0].finish_reason or "stop"))
        return Answer.from_json(self._hide(answer.to_json()))

    def _call(self, one: Any) -> ToolCall:
        try:
            arguments = json_value(self._hide.text(one.function.arguments or "{}"))
        except ValueError:
            arguments = None
        return ToolCall(str(one.id), str(one.function.name), arguments if isinstance(arguments, dict) else None)

    def _no_answer(self, found: str) -> LanguageModelError:
        return LanguageModelError(
            "the endpoint sent something else than an answer",
            where=shown_address(self._settings.endpoint),
            expected="a chat completion with a message",
            found=self._hide.error(found)[:200],
        )

    def _failed(self, error: Exception) -> LanguageModelError:
        return LanguageModelError(
            "the language model could not be asked",
            where=shown_address(self._settings.endpoint),
            expected=f"an answer of {self.name}",
            found=self._hide.error(f"{type(error).__name__}: {error}")[:400],
            hint="`knowflow doctor` shows the settings; KNOWFLOW_LLM=off goes on without it",
        )

    def _too_late(self, seconds: float) -> LanguageModelTimeoutError:
        return LanguageModelTimeoutError(
            "the language model did not answer in time",
            where=shown_address(self._settings.endpoint),
            expected=f"an answer within {seconds:g} s",
            found="none",
            hint="KNOWFLOW_LLM_TIMEOUT sets how long to wait",
        )


def _package() -> ModuleType:
    try:
        return importlib.import_module("openai")
    except ImportError:
        raise LanguageModelError(
            "the openai package is not installed",
            expected="it, to ask a language model",
            found="no module named openai",
            hint="pip install 'knowflow[llm]'",
        ) from None


def _within(seconds: float, work: Callable[[], T]) -> T:
    """What ``work`` returns, or TimeoutError: the client's own time-out begins anew with every byte that arrives."""
    done: SimpleQueue[tuple[T | None, BaseException | None]] = SimpleQueue()

    def run() -> None:
        try:
            done.put((work(), None))
        except BaseException as error:
            done.put((None, error))

    threading.Thread(target=run, name="language model", daemon=True).start()
    left = seconds
    while left > 0:
        hear()
        turn = min(_TURN_S, left)  # a thread that blocks in C does not always hear of Ctrl-C
        left -= turn
        try:
            result, error = done.get(timeout=turn)
        except Empty:
            continue
        if error is not None:
            raise error
        return result  # type: ignore[return-value]  # without an error there is one
    raise TimeoutError


def _is_local(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _turn(message: Message) -> dict[str, Any]:
    turn: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        turn["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": json.dumps(call.arguments or {})},
            }
            for call in message.tool_calls
        ]
    if message.answers:
        turn["tool_call_id"] = message.answers
    return turn


def _schema_name(schema: Schema) -> str:
    title = str(schema.get("title", "answer"))
    return "".join(c if c.isalnum() and c.isascii() else "_" for c in title)[:60] or "answer"


def _told(schema: Schema) -> str:
    return f"Answer with one JSON object and nothing else. It must fit this JSON Schema:\n{compact(schema)}"
