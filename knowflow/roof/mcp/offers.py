"""What a client can call: a name, a description, the JSON Schema of its arguments, and the function behind it.

Made of Python functions: the docstring describes the tool, annotations say what each argument is, in the wording of the
command line where that has the option, too.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

from pydantic import ConfigDict, Field, ValidationError, create_model

from knowflow.ground.errors import PlanningError
from knowflow.ground.report import Problem
from knowflow.roof.mcp.results import schema_of

if TYPE_CHECKING:
    from pydantic import BaseModel

    from knowflow.roof.mcp.jobs import Job


@dataclass(frozen=True, slots=True)
class Offer:
    """One tool for clients. ``call`` gets the arguments as the client gave them and returns plain data, which fits the
    JSON Schema ``gives``.

    ``looks_only``: it changes nothing and writes nothing but what is kept for speed.
    """

    name: str
    title: str
    description: str
    arguments: Mapping[str, Any]
    call: Callable[[Mapping[str, Any], Job], Any]
    gives: Mapping[str, Any]
    looks_only: bool = False


def offer_of(function: Callable[..., Any], gives: Any, *, looks_only: bool = False) -> Offer:
    """A function ``(job, ...)`` as a tool that gives back what a type of results says: paths among its arguments are
    those that the job allows."""
    text = inspect.getdoc(function) or ""
    model = _model_of(function)

    def call(given: Mapping[str, Any], job: Job) -> Any:
        arguments = _valid(model, given)
        return function(job, **{name: _allowed(value, job) for name, value in arguments.items()})

    title = text.partition("\n")[0].rstrip(".")
    return Offer(function.__name__, title, text, _schema_of(model), call, schema_of(gives), looks_only)


def _model_of(function: Callable[..., Any]) -> type[BaseModel]:
    """The arguments of a function, but for its first, as a model."""
    hints = get_type_hints(function, include_extras=True)
    fields: dict[str, Any] = {}
    for name, parameter in list(inspect.signature(function).parameters.items())[1:]:
        said = [one if isinstance(one, str) else getattr(one, "help", None) for one in get_args(hints[name])[1:]]
        default = ... if parameter.default is parameter.empty else parameter.default
        fields[name] = (hints[name], Field(default, description=next(filter(None, said), None)))
    return create_model(function.__name__, __config__=ConfigDict(extra="forbid"), **fields)


def _schema_of(model: type[BaseModel]) -> dict[str, Any]:
    schema = model.model_json_schema()
    for one in schema.get("properties", {}).values():
        one.pop("title", None)
    return {name: part for name, part in schema.items() if name != "title"}


def _valid(model: type[BaseModel], given: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return dict(model.model_validate(dict(given)))
    except ValidationError as error:
        problems = [
            Problem("bad_argument", *_told(one), where=".".join(map(str, one["loc"])))
            for one in error.errors(include_url=False)
        ]
        raise PlanningError(
            f"the arguments do not fit {model.__name__}",
            expected=", ".join(model.model_fields),
            found=", ".join(given) or "none",
            problems=problems,
        ) from None


def _told(error: Mapping[str, Any]) -> tuple[str, str]:
    """What was expected of an argument, and what was found."""
    if error["type"] == "missing":
        return "a value", "none"
    if error["type"] == "extra_forbidden":
        return "an argument that the tool has", repr(error["input"])
    return error["msg"], repr(error.get("input"))


def _allowed(value: Any, job: Job) -> Any:
    """An argument with its paths as the user's folders have them."""
    if isinstance(value, Path):
        return job.roots.allowed(value)
    if isinstance(value, list):
        return [_allowed(item, job) for item in value]
    return value
