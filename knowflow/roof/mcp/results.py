"""What calls give back, as types: clients are told them as JSON Schemas, and may hold results against these.

More may stand in a result than is named here: only what a client can rely on is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import (
    Any,
    NotRequired,  # those of typing are read by pydantic from Python 3.12 on
)

from pydantic import TypeAdapter
from typing_extensions import TypedDict

from knowflow.service.results import Status

Object = dict[str, Any]


class Error(TypedDict):
    """Why there is no result: what was expected, what was found and what to do."""

    code: str
    message: str
    where: str | None
    expected: str | None
    found: str | None
    hint: str | None
    problems: list[Object]
    instead: list[str]


class Answer(TypedDict):
    """How a run ended. ``answer`` is a number, a text or rows, of a question with parts these by name."""

    query: str
    understood: NotRequired[str]
    status: Status
    answer: Any
    unit: str | None
    values: dict[str, Object]
    outputs: dict[str, str]
    nodes: list[Object]
    inserted_nodes: list[str]
    assumptions: list[str]
    repairs: int
    notes: list[str]
    run_id: str | None
    report: str | None
    error: NotRequired[Error | None]


class Edited(TypedDict):
    """What a change of a run does; unless it was a dry run with all that is told of an answer."""

    status: Status
    edit: Object
    answer: NotRequired[Any]
    unit: NotRequired[str | None]
    run_id: NotRequired[str | None]
    error: NotRequired[Error | None]


class Reading(TypedDict):
    """How a question is read; ``expression`` is null where nothing was taken."""

    question: str
    algebra: int
    expression: Any
    understood_as: str | None
    unit: str | None
    parts: list[Object]
    unread: list[str]
    alike: list[Object]
    others: list[Object]
    instead: list[str]


class Planned(TypedDict):
    """A checked plan, with the reasons for each edge, what nobody knows, and what it will cost."""

    query: str
    title: str
    template: str
    understood: Object
    inputs: dict[str, Object]
    nodes: list[Object]
    edges: list[Object]
    outputs: Object
    assumptions: list[Object]
    missing: list[Object]
    problems: list[Object]
    estimate: dict[str, float]
    notes: list[str]


class Checked(TypedDict):
    """All problems, of which there may be none."""

    problems: list[Object]


class Explained(TypedDict):
    """The record of a run, and what is said of its repairs."""

    run: Object
    explained: Object


class Suggested(TypedDict):
    """Questions by topic."""

    topics: dict[str, list[str]]


class Held(TypedDict):
    """What a folder holds."""

    root: str
    groups: list[Object]
    layers: list[Object]
    left_out: list[Object]
    unknown: list[Object]
    unreadable: list[Object]
    disagreements: list[str]


class Templates(TypedDict, total=False):
    """All templates, those that were found, or the document of one."""

    templates: list[Object]
    found: list[Object]
    template: str


class Remembered(TypedDict, total=False):
    """All that was learned, or the document of one thing."""

    memory: list[Object]
    problems: list[Object]
    name: str


def schema_of(gives: Any) -> Mapping[str, Any]:
    """The JSON Schema of a result: of that type, or an error in its place.

    >>> sorted(schema_of(Checked)["properties"])
    ['error', 'problems']
    """
    return or_error(TypeAdapter(gives).json_schema())


def or_error(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """The JSON Schema of an object, or of an error in its place."""
    error = TypeAdapter(Error).json_schema()
    needed = schema.get("required", [])
    kept = {name: part for name, part in schema.items() if name not in ("required", "title", "description")}
    properties = {"error": error, **schema.get("properties", {})}
    return {**kept, "properties": properties, "anyOf": [{"required": needed}, {"required": ["error"]}]}
