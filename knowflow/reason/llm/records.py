"""Exchanges with a language model on disk: every prompt and answer, one JSON object a line; and answers out of them.

A record holds what was asked (messages, schema, tools), a digest of that, and the answer or the error; no address with
a password, no header, no key. :class:`Replayed` answers from such a file without network, key or `openai`.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from knowflow.ground.errors import UnreadableDataError
from knowflow.ground.json_text import json_text, json_value
from knowflow.reason.llm.conversation import (
    REMEMBERED,
    Answer,
    LanguageModel,
    LanguageModelError,
    LanguageModelTimeoutError,
    Message,
    Schema,
    ToolSpec,
)
from knowflow.reason.llm.secrets import Scrubber

RECORD_FORMAT = 1


def request_json(
    messages: Sequence[Message], schema: Schema | None, tools: Sequence[ToolSpec] | None
) -> dict[str, Any]:
    """A request as it is recorded."""
    return {
        "messages": [message.to_json() for message in messages],
        "schema": None if schema is None else dict(schema),
        "tools": None if tools is None else [tool.to_json() for tool in tools],
    }


def digest(request: Mapping[str, Any]) -> str:
    """What identifies a request: the same words, schema and tools, whatever is remembered of earlier attempts."""
    said = [one for one in request["messages"] if not str(one.get("content") or "").startswith(REMEMBERED)]
    text = json.dumps({**request, "messages": said}, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


class Recorded:
    """A language model whose every exchange is kept in a file.

    ``path`` may change between calls (a run has its own file); None writes none. ``purpose`` says what for.
    ``exchanges`` are those of this object, as they are written.
    """

    def __init__(self, model: LanguageModel, path: Path | None, *, keys: Sequence[str] = (), purpose: str = "") -> None:
        self._model = model
        self._hide = Scrubber(*keys)
        self.path = path
        self.purpose = purpose
        self.exchanges: list[dict[str, Any]] = []

    @property
    def name(self) -> str:
        return self._model.name

    def complete(
        self, messages: Sequence[Message], schema: Schema | None = None, tools: Sequence[ToolSpec] | None = None
    ) -> Answer:
        begun = time.time()
        clock = time.perf_counter()
        result: dict[str, Any] = {"error": {"code": "interrupted", "message": "there was no answer"}}
        try:
            answer = Answer.from_json(self._hide(self._model.complete(messages, schema, tools).to_json()))
            result = {"answer": answer.to_json()}
            return answer
        except LanguageModelError as error:
            result = {"error": error.to_json()}
            raise
        finally:
            self._keep(request_json(messages, schema, tools), result, begun, time.perf_counter() - clock)

    def _keep(self, request: dict[str, Any], result: dict[str, Any], begun: float, seconds: float) -> None:
        line = {
            "exchange": RECORD_FORMAT,
            "purpose": self.purpose,
            "model": self.name,
            "at": begun,
            "seconds": round(seconds, 3),
            "tokens": int(result.get("answer", {}).get("tokens", 0)),
            "digest": digest(request),
            "request": request,
            **result,
        }
        kept = self._hide(line)
        self.exchanges.append(kept)
        if self.path is not None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a", encoding="utf-8") as record:
                record.write(json_text(kept) + "\n")


@dataclass(frozen=True, slots=True)
class Exchange:
    """One line of a record. Without a ``digest`` it answers whatever is asked."""

    digest: str = ""
    answer: Answer | None = None
    error: Mapping[str, Any] = field(default_factory=dict)


def read_exchanges(path: Path) -> tuple[Exchange, ...]:
    """The exchanges of a record, in order.

    Raises:
        UnreadableDataError: it is not there, or not a record.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise UnreadableDataError("the recorded exchanges cannot be read", where=str(path), found=str(error)) from error
    lines = [(number, line) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
    return tuple(_exchange(line, f"{path}:{number}") for number, line in lines)


def _exchange(line: str, where: str) -> Exchange:
    try:
        data = json_value(line)
        if "answer" not in data and "error" not in data:
            raise ValueError("neither an answer nor an error")
        answer = None if data.get("answer") is None else Answer.from_json(data["answer"])
        return Exchange(str(data.get("digest", "")), answer, dict(data.get("error") or {}))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UnreadableDataError(
            "the recorded exchanges cannot be read",
            where=where,
            expected='a JSON object with "answer" or "error"',
            found=f"{type(error).__name__}: {error}",
        ) from error


class Replayed:
    """Answers out of a record: those of the same request in the order they were given, then those for any request.

    The same request asked more often than it was recorded gets its last answer again.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._by_digest: dict[str, list[Exchange]] = {}
        for exchange in read_exchanges(path):
            self._by_digest.setdefault(exchange.digest, []).append(exchange)

    @property
    def name(self) -> str:
        return f"recorded exchanges ({self._path.name})"

    def complete(
        self, messages: Sequence[Message], schema: Schema | None = None, tools: Sequence[ToolSpec] | None = None
    ) -> Answer:
        wanted = digest(request_json(messages, schema, tools))
        exchange = self._next(wanted) or self._next("")
        if exchange is None:
            raise LanguageModelError(
                "this was never asked when the exchanges were recorded",
                where=str(self._path),
                expected=f"an exchange with the digest {wanted[:12]}",
                found=f"{sum(len(each) for each in self._by_digest.values())} others",
                hint="record it again: a run keeps its exchanges in llm.jsonl beside its trace",
            )
        if exchange.answer is None:
            kind = LanguageModelTimeoutError if exchange.error.get("code") == "llm_timeout" else LanguageModelError
            texts: dict[str, Any] = {name: exchange.error.get(name) for name in ("where", "expected", "found", "hint")}
            raise kind(str(exchange.error.get("message", "the language model could not be asked")), **texts)
        return exchange.answer

    def _next(self, wanted: str) -> Exchange | None:
        waiting = self._by_digest.get(wanted)
        if not waiting:
            return None
        return waiting.pop(0) if len(waiting) > 1 or not wanted else waiting[0]
