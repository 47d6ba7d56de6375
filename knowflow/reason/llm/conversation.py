"""What is said to a language model and what it answers, whoever the model is and however it is reached."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol

from knowflow.ground.errors import EXIT_RUN_FAILED, KnowFlowError

Role = Literal["system", "user", "assistant", "tool"]
Schema = Mapping[str, Any]
_CHARACTERS_A_TOKEN = 3.5


class LanguageModelError(KnowFlowError):
    """The language model could not be asked, or did not answer."""

    code: ClassVar[str] = "llm"
    exit_code: ClassVar[int] = EXIT_RUN_FAILED


class LanguageModelTimeoutError(LanguageModelError):
    """The language model took longer than it may."""

    code = "llm_timeout"


class LanguageModelBudgetError(LanguageModelError):
    """What may be spent on the language model is spent."""

    code = "llm_budget"


class LanguageModelAnswerError(LanguageModelError):
    """The language model answered, but not what it was asked for; ``problems`` are those of its last answer."""

    code = "llm_answer"


REMEMBERED = "Earlier attempts at this question over such data, latest first."
"""How a message begins that tells of what happened before: it is no part of what a request is known by."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that the model asks for. ``arguments`` is None where what it wrote is not a JSON object."""

    id: str
    name: str
    arguments: Mapping[str, Any] | None

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "name": self.name,
            "arguments": None if self.arguments is None else dict(self.arguments),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ToolCall:
        return cls(str(data.get("id", "")), str(data["name"]), data.get("arguments"))


@dataclass(frozen=True, slots=True)
class Message:
    """One turn. A ``tool`` message answers the call ``answers`` of the assistant's message before it."""

    role: Role
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    answers: str = ""

    def to_json(self) -> dict[str, Any]:
        data: dict[str, Any] = {"role": self.role, "content": self.content}
        if self.tool_calls:
            data["tool_calls"] = [call.to_json() for call in self.tool_calls]
        if self.answers:
            data["answers"] = self.answers
        return data


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool that the model may ask to be called; ``parameters`` is the JSON Schema of its arguments."""

    name: str
    description: str
    parameters: Schema

    def to_json(self) -> dict[str, Any]:
        return {"name": self.name, "description": self.description, "parameters": dict(self.parameters)}


@dataclass(frozen=True, slots=True)
class Answer:
    """What the model said. ``data`` is the JSON that was asked for by a schema, None where there is none in the text;
    it is parsed, not validated. ``tokens`` counts both what was sent and what came back. ``finish`` is the endpoint's
    word for why it ended; ``length`` means that the text was cut off.
    """

    text: str
    data: Any = None
    tool_calls: tuple[ToolCall, ...] = ()
    tokens: int = 0
    finish: str = "stop"

    def to_json(self) -> dict[str, Any]:
        return {
            "text": self.text,
            "data": self.data,
            "tool_calls": [call.to_json() for call in self.tool_calls],
            "tokens": self.tokens,
            "finish": self.finish,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Answer:
        return cls(
            text=str(data.get("text", "")),
            data=data.get("data"),
            tool_calls=tuple(ToolCall.from_json(call) for call in data.get("tool_calls", ())),
            tokens=int(data.get("tokens", 0)),
            finish=str(data.get("finish", "stop")),
        )


class LanguageModel(Protocol):
    """Anything that answers a conversation."""

    @property
    def name(self) -> str:
        """Which model it is, for people."""
        ...

    def complete(
        self, messages: Sequence[Message], schema: Schema | None = None, tools: Sequence[ToolSpec] | None = None
    ) -> Answer:
        """The next turn. With a JSON Schema the answer's ``data`` is asked for in that shape.

        Raises:
            LanguageModelError: it cannot be reached, took too long, or what may be spent is spent.
        """
        ...


def compact(schema: Schema) -> str:
    """A schema as text, without a character that says nothing."""
    return json.dumps(schema, separators=(",", ":"))


def estimated_tokens(
    messages: Sequence[Message], schema: Schema | None = None, tools: Sequence[ToolSpec] | None = None
) -> int:
    """About how many tokens a request is, where nobody counted: a little more than there usually are in English."""
    length = sum(len(message.content) + len(json.dumps(message.to_json())) // 8 for message in messages)
    length += len(compact(schema)) if schema is not None else 0
    length += sum(len(json.dumps(tool.to_json())) for tool in tools or ())
    return round(length / _CHARACTERS_A_TOKEN)
