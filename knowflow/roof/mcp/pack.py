"""A pack of tools for clients that know it: published names, arguments and results, carried out by KnowFlow's tools."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from knowflow.knowledge.packs import load_pack
from knowflow.model.tool import Parameter, ToolSchema
from knowflow.roof.mcp.jobs import Job
from knowflow.roof.mcp.offers import Offer
from knowflow.roof.mcp.results import or_error

_FILES = ("raster", "raster_series", "band_set", "vector", "path")
_JSON: Mapping[str, Mapping[str, Any]] = {
    "number": {"type": "number"},
    "integer": {"type": "integer"},
    "boolean": {"type": "boolean"},
    "mapping": {"type": "object"},
    "list": {"type": "array"},
    "numbers": {"type": "array", "items": {"type": "number"}},
    "strings": {"type": "array", "items": {"type": "string"}},
}
_ITEMS: Mapping[str, Mapping[str, Any]] = {
    "number": {"type": "number"},
    "integer": {"type": "integer"},
    "text": {"type": "string"},
}


def pack_offers(
    name: str, tools: Mapping[str, ToolSchema], *, compat: bool = False, out: Path | None = None
) -> tuple[Offer, ...]:
    """The tools of a pack. ``compat``: with the published numbers where those are known to be wrong. ``out`` is the
    folder below which names of outputs that are not absolute are written (default: the first root).

    Raises:
        UnknownNameError: there is no such pack.
    """
    pack = load_pack(name, tools)
    calls = pack.pack.calls
    published = [one for one in tools if pack.belongs(one) and not (one in calls and calls[one].stands_for)]
    return tuple(_offer(tools[one], compat, out) for one in sorted(published))


def _offer(schema: ToolSchema, compat: bool, out: Path | None) -> Offer:
    def call(given: Mapping[str, Any], job: Job) -> Any:
        from knowflow.tools.earth_agent.calls import call as published

        result = published(schema, _placed(schema, given, job, out), compat)
        return {"result": _told(result, f"{job.roots.open[0]}/" if job.roots.open else "")}

    gives = or_error({"type": "object", "properties": {"result": {}}, "required": ["result"]})
    return Offer(schema.tool, schema.title, schema.description or schema.title, arguments_of(schema), call, gives)


def arguments_of(schema: ToolSchema) -> dict[str, Any]:
    """The JSON Schema of a tool's arguments, files by name; several scenes are lists of names."""
    needed = [
        name for name, one in schema.parameters.items() if one.required or (one.role == "output" and not one.optional)
    ]
    told = {name: _schema_of(one) for name, one in schema.parameters.items()}
    return {"type": "object", "properties": told, "required": needed, "additionalProperties": False}


def _schema_of(parameter: Parameter) -> dict[str, Any]:
    found: dict[str, Any]
    if parameter.type in _FILES:
        found = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}, {"type": "object"}]}
    else:
        found = dict(_JSON.get(parameter.type, {"type": "string"}))
    if parameter.type == "list" and parameter.items is not None:
        found["items"] = _ITEMS.get(parameter.items, {"type": "array"})
    limits = {"minimum": parameter.minimum, "maximum": parameter.maximum, "default": parameter.default}
    found |= {name: value for name, value in limits.items() if value is not None}
    if parameter.choices:
        found["enum"] = list(parameter.choices)
    if parameter.title:
        found["description"] = parameter.title
    return found


def _placed(schema: ToolSchema, given: Mapping[str, Any], job: Job, out: Path | None) -> dict[str, Any]:
    """The arguments with every file where it is allowed to be; what is None is not given."""

    def written(text: str) -> str:
        inside = out is None or Path(text).is_absolute() or job.roots.allowed(text).is_relative_to(out)
        return str(job.roots.allowed(text if inside else Path(out or "", text)))

    def read(text: str) -> str:
        return str(job.roots.allowed(text))

    found = {}
    for name, value in given.items():
        parameter = schema.parameters.get(name)
        if parameter is not None and value is None:
            continue
        files = parameter is not None and parameter.type in _FILES
        place = written if parameter is not None and parameter.role == "output" else read
        found[name] = _each_text(value, place) if files else value
    return found


def _each_text(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, (list, tuple)):
        return [_each_text(item, change) for item in value]
    return {key: _each_text(item, change) for key, item in value.items()} if isinstance(value, Mapping) else value


def _told(result: Any, root: str) -> Any:
    """What a tool returns, with files named as clients name them: from the first root on."""
    return _each_text(result, lambda text: text.replace(root, "")) if root else result
