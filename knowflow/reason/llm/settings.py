"""Which language model is asked, if any: from the environment, then the user's own settings file, then defaults.

A project's folder has no say here: it may come from somebody else, and the key must not go where it points.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError
from pydantic_core import ErrorDetails

from knowflow.ground.errors import DocumentError
from knowflow.ground.report import Problem
from knowflow.ground.resources import user_root
from knowflow.knowledge.documents import load_model
from knowflow.model.tool import Document
from knowflow.reason.llm.budget import Limits

SETTINGS_FILE = "llm.yaml"
OPENAI_URL = "https://api.openai.com/v1"
OPENAI_MODEL = "gpt-5-mini"
_OFF = ("off", "no", "false", "0")


class BudgetDocument(Document):
    """What one run may spend."""

    calls: int = Field(20, ge=0)
    tokens: int = Field(200_000, ge=0)
    seconds: float = Field(300.0, ge=0)


class SettingsDocument(Document):
    """The settings file, ``llm.yaml`` in the user's folder."""

    enabled: bool = True
    base_url: str = Field("", description="of any OpenAI-compatible endpoint; empty: OpenAI's own")
    api_key: str = Field("", description="better in the environment (KNOWFLOW_LLM_API_KEY, OPENAI_API_KEY)")
    model: str = Field("", description="empty: the first that the endpoint lists")
    temperature: float | None = Field(None, ge=0, le=2, description="empty: the endpoint's own")
    timeout: float = Field(120.0, gt=0, description="seconds for one answer, tries included")
    retries: int = Field(2, ge=0, le=10, description="after 429, 5xx and lost connections")
    attempts: int = Field(3, ge=1, le=10, description="answers asked for before it is given up")
    answer_tokens: int = Field(4000, ge=16, description="the most that one answer may have")
    entailment: bool = Field(True, description="ask it where the symbols cannot tell whether an edge holds")
    budget: BudgetDocument = Field(default_factory=lambda: BudgetDocument.model_validate({}))


# environment variable -> key of the file; of several for one key the first that is set wins
_VARIABLES: tuple[tuple[str, str], ...] = (
    ("KNOWFLOW_LLM", "enabled"),
    ("KNOWFLOW_LLM_BASE_URL", "base_url"),
    ("OPENAI_BASE_URL", "base_url"),
    ("KNOWFLOW_LLM_API_KEY", "api_key"),
    ("OPENAI_API_KEY", "api_key"),
    ("KNOWFLOW_LLM_MODEL", "model"),
    ("OPENAI_MODEL", "model"),
    ("KNOWFLOW_LLM_TEMPERATURE", "temperature"),
    ("KNOWFLOW_LLM_TIMEOUT", "timeout"),
    ("KNOWFLOW_LLM_RETRIES", "retries"),
    ("KNOWFLOW_LLM_ATTEMPTS", "attempts"),
    ("KNOWFLOW_LLM_ANSWER_TOKENS", "answer_tokens"),
    ("KNOWFLOW_LLM_ENTAILMENT", "entailment"),
    ("KNOWFLOW_LLM_CALLS", "budget.calls"),
    ("KNOWFLOW_LLM_TOKENS", "budget.tokens"),
    ("KNOWFLOW_LLM_SECONDS", "budget.seconds"),
)
REPLAY_VARIABLE = "KNOWFLOW_LLM_REPLAY"


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything there is to say about the language model. ``replay`` is a file of recorded exchanges that stands for
    it. The key is in no representation and no record.
    """

    enabled: bool = True
    base_url: str = ""
    api_key: str = field(default="", repr=False)
    model: str = ""
    temperature: float | None = None
    timeout: float = 120.0
    retries: int = 2
    attempts: int = 3
    answer_tokens: int = 4000
    entailment: bool = True
    limits: Limits = field(default_factory=Limits)
    replay: Path | None = None

    @property
    def configured(self) -> bool:
        """There is somebody to ask: a recording, an endpoint of one's own, or a key for OpenAI's."""
        return self.enabled and (self.replay is not None or bool(self.base_url or self.api_key))

    @property
    def endpoint(self) -> str:
        return self.base_url or OPENAI_URL


def settings(environment: Mapping[str, str] | None = None, folder: Path | None = None) -> Settings:
    """The settings in force.

    Raises:
        DocumentError: the settings file, or a variable of the environment, is not valid; every problem is listed.
    """
    found = dict(os.environ if environment is None else environment)
    data = _from_file((user_root() if folder is None else folder) / SETTINGS_FILE)
    for variable, key in reversed(_VARIABLES):
        text = found.get(variable, "").strip()
        if text:
            _put(data, key, text.casefold() not in _OFF if key in ("enabled", "entailment") else text)
    try:
        document = SettingsDocument.model_validate(data)
    except ValidationError as error:
        problems = [_problem(one) for one in error.errors(include_url=False)]
        raise DocumentError("the settings of the language model are not valid", problems=problems) from None
    replay = found.get(REPLAY_VARIABLE, "").strip()
    return Settings(
        **{name: value for name, value in document if name != "budget"},
        limits=Limits(document.budget.calls, document.budget.tokens, document.budget.seconds),
        replay=Path(replay) if replay else None,
    )


def _from_file(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    loaded = load_model(path, SettingsDocument)
    if loaded.model is None or loaded.problems:
        raise DocumentError(
            "the settings of the language model are not valid",
            where=str(path),
            expected="a settings file as docs/llm.md shows it",
            problems=loaded.problems,
        )
    return loaded.model.model_dump(exclude_unset=True)


def _put(data: dict[str, Any], key: str, value: object) -> None:
    outer, _, inner = key.partition(".")
    if inner:
        data[outer] = {**data.get(outer, {}), inner: value}
    else:
        data[outer] = value


def _problem(error: ErrorDetails) -> Problem:
    key = ".".join(map(str, error["loc"]))
    variable = next((name for name, known in _VARIABLES if known == key), key)
    return Problem("bad_value", error["msg"], repr(error.get("input")), where=variable)


@dataclass(frozen=True, slots=True)
class Status:
    """Whether the language model will be asked, in words; ``ok`` is false where it was configured and cannot be."""

    on: bool
    ok: bool
    says: str
    hint: str = ""


def status(given: Settings) -> Status:
    """What ``knowflow doctor`` says of the language model. Nothing is asked, no key is shown."""
    if not given.enabled:
        return Status(False, True, "switched off")
    if given.replay is not None:
        there = given.replay.is_file()
        hint = "" if there else f"{REPLAY_VARIABLE} names the file of recorded exchanges"
        return Status(there, there, f"replays {given.replay}{'' if there else ', which does not exist'}", hint)
    installed = importlib.util.find_spec("openai") is not None
    if not given.configured:
        return Status(False, True, "none configured; nothing needs it" if installed else "not installed; not needed")
    if not installed:
        return Status(False, False, "configured, but the openai package is missing", "pip install 'knowflow[llm]'")
    limits = given.limits
    model = given.model or (OPENAI_MODEL if not given.base_url else "the first that is listed")
    spend = f"a run may spend {limits.calls} calls, {limits.tokens} tokens, {limits.seconds:g} s"
    key = "with a key" if given.api_key else "without a key"
    return Status(True, True, f"{model} at {shown_address(given.endpoint)}, {key}; {spend}")


def shown_address(url: str) -> str:
    """An address without what may be secret in it: user, password, query."""
    scheme, slashes, rest = url.partition("://")
    place, _, _ = rest.partition("?")
    host, at, after = place.partition("/")
    return f"{scheme}{slashes}{host.rpartition('@')[2]}{at}{after}" if slashes else url.partition("?")[0]
