"""Authored YAML into typed documents; everything that is wrong becomes a problem with file and line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, RootModel, ValidationError

from knowflow.ground import yamldoc
from knowflow.ground.report import Problem, Problems
from knowflow.ground.resources import Layer, resources
from knowflow.ground.spelling import did_you_mean

M = TypeVar("M", bound=BaseModel)

_QUOTED = re.compile(r"'([^']*)'")

_EXPECTED: Mapping[str, str] = {
    "string_type": "text",
    "bool_type": "true or false",
    "int_type": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "int_parsing": "a whole number",
    "bool_parsing": "true or false",
    "finite_number": "a finite number",
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


@dataclass(frozen=True, slots=True)
class Authored(Generic[M]):
    """A valid document of the search path, with the layer that it is of."""

    layer: Layer
    document: yamldoc.Document
    model: M


def load_model(path: Path, model: type[M]) -> Loaded[M]:
    """Read a YAML file and validate it; a file that is not valid has problems and no model."""
    return validated(path, yamldoc.load(path), model)


def validated(path: Path, document: yamldoc.Document, model: type[M]) -> Loaded[M]:
    """As :func:`load_model`, of what was read from there."""
    if document.problems and document.data is None:
        return Loaded(path, document, None, document.problems)
    listed = issubclass(model, RootModel)
    if not isinstance(document.data, list if listed else dict):
        found = "an empty file" if document.data is None else f"a {type(document.data).__name__}"
        code, expected = ("not_a_list", "a list") if listed else ("not_a_mapping", "a mapping of keys to values")
        problem = document.problem((), code, expected, found)
        return Loaded(path, document, None, (*document.problems, problem))
    try:
        typed = model.model_validate(document.data, by_alias=True, by_name=False)  # `with:`, never `with_:`
        return Loaded(path, document, typed, document.problems)
    except ValidationError as error:
        wrong = tuple(_problems(document, error.errors(include_url=False), model))
        return Loaded(path, document, None, (*document.problems, *wrong))


def authored(pattern: str, model: type[M], problems: Problems) -> Iterator[Authored[M]]:
    """The valid documents of ``pkb`` on the search path, strongest layer first; ``problems`` gets all that is wrong."""
    for resource in resources("pkb", pattern):
        loaded = load_model(resource.path, model)
        problems.extend(loaded.problems)
        if loaded.model is not None:
            yield Authored(resource.layer, loaded.document, loaded.model)


def strongest(pattern: str, model: type[M]) -> tuple[M | None, tuple[Problem, ...]]:
    """The first valid document of ``pkb`` on the search path, and the problems of those before it."""
    problems: list[Problem] = []
    for resource in resources("pkb", pattern):
        loaded = load_model(resource.path, model)
        problems += loaded.problems
        if loaded.model is not None:
            return loaded.model, tuple(problems)
    return None, tuple(problems)


def _problems(document: yamldoc.Document, errors: Iterable[Any], model: type[BaseModel]) -> Iterator[Problem]:
    """One problem per place: a value that fits none of several types is one mistake, not one for each type."""
    values: dict[yamldoc.Key, tuple[list[str], Any]] = {}
    errors = tuple(errors)
    places = [tuple(error["loc"]) for error in errors]
    for error in errors:
        kind, loc = error["type"], tuple(error["loc"])
        if kind == "too_short" and any(other[: len(loc)] == loc != other for other in places):
            continue  # its items are there, and wrong: that is told of each
        if kind == "missing":
            path = (*_place(document, loc[:-1]), loc[-1])
            yield document.problem(path, "missing_key", f"the key {str(loc[-1])!r}", "nothing")
        elif kind == "extra_forbidden":
            otherwise = "see the JSON Schema (`knowflow check --write-schemas DIR`)"
            hint = did_you_mean(str(loc[-1]), _keys_of(model), otherwise, most=1)
            yield document.problem(_place(document, loc), "unknown_key", "a known key", repr(loc[-1]), hint)
        else:
            values.setdefault(_place(document, loc), ([], error.get("input")))[0].append(_expected(error))
    for path, (expected, found) in values.items():
        choices = [word for text in expected for word in _QUOTED.findall(text)]
        hint = did_you_mean(found, choices, most=1) if isinstance(found, str) else ""
        yield document.problem(path, "bad_value", " or ".join(dict.fromkeys(expected)), _short(found), hint)


def _place(document: yamldoc.Document, loc: tuple[str | int, ...]) -> yamldoc.Key:
    """The part of pydantic's location that is in the document: behind it come names of types."""
    length = len(loc)
    while length and loc[:length] not in document.lines:
        length -= 1
    return loc[:length]


def _expected(error: Any) -> str:
    if error["type"] == "literal_error":
        return f"one of {error['ctx']['expected']}"
    if error["type"] == "too_short":
        return f"at least {error['ctx']['min_length']} of them"
    if error["type"] == "string_pattern_mismatch":
        return f"text of the form {error['ctx']['pattern']}"
    return _EXPECTED.get(error["type"], str(error["msg"]).removeprefix("Value error, "))


@cache  # a schema takes longer to write than a document to read
def _keys_of(model: type[BaseModel]) -> tuple[str, ...]:
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
