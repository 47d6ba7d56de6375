"""Authored YAML into typed documents; everything that is wrong becomes a problem with file and line."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from knowflow.ground import yamldoc
from knowflow.ground.report import Problem

M = TypeVar("M", bound=BaseModel)

_EXPECTED: Mapping[str, str] = {
    "missing": "a value",
    "string_type": "text",
    "bool_type": "true or false",
    "int_type": "a whole number",
    "float_type": "a number",
    "dict_type": "a mapping",
    "tuple_type": "a list",
    "list_type": "a list",
}


@dataclass(frozen=True, slots=True)
class Loaded(Generic[M]):
    """A document as authored, its typed form where it is valid, and what is wrong with it."""

    path: Path
    document: yamldoc.Document
    model: M | None
    problems: tuple[Problem, ...]


def load_model(path: Path, model: type[M]) -> Loaded[M]:
    """Read a YAML file and validate it; a file that is not valid has problems and no model."""
    document = yamldoc.load(path)
    if document.problems and document.data is None:
        return Loaded(path, document, None, document.problems)
    if not isinstance(document.data, dict):
        found = "an empty file" if document.data is None else f"a {type(document.data).__name__}"
        problem = document.problem((), "not_a_mapping", "a mapping of keys to values", found)
        return Loaded(path, document, None, (*document.problems, problem))
    try:
        typed = model.model_validate(document.data, by_alias=True, by_name=False)  # `with:`, never `with_:`
        return Loaded(path, document, typed, document.problems)
    except ValidationError as error:
        wrong = tuple(_problem(document, item, model) for item in error.errors(include_url=False))
        return Loaded(path, document, None, (*document.problems, *wrong))


def _problem(document: yamldoc.Document, error: Any, model: type[BaseModel]) -> Problem:
    path: yamldoc.Key = error["loc"]
    kind = error["type"]
    if kind == "missing":
        return document.problem(path, "missing_key", f"the key {str(path[-1])!r}", "nothing")
    if kind == "extra_forbidden":
        close = difflib.get_close_matches(str(path[-1]), _keys_of(model), n=1)
        hint = f"did you mean {close[0]!r}?" if close else "see the JSON Schema (`knowflow check --write-schemas DIR`)"
        return document.problem(path, "unknown_key", "a known key", repr(path[-1]), hint)
    expected = _EXPECTED.get(kind, str(error["msg"]).removeprefix("Value error, "))
    return document.problem(path, "bad_value", expected, _short(error.get("input")))


def _keys_of(model: type[BaseModel]) -> Iterable[str]:
    """The keys of a model and of the models inside it, as authored."""
    keys: dict[str, None] = {}
    stack: list[Any] = [model.model_json_schema(by_alias=True)]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            keys.update(dict.fromkeys(item.get("properties", {})))
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)
    return tuple(keys)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
