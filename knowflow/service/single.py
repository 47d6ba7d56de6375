"""One tool as a plan of one node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from knowflow.execution.handover import bands_of
from knowflow.graph.arguments import as_typed, type_title
from knowflow.ground.errors import DataNotFoundError, PlanningError
from knowflow.ground.files import in_place_of_file
from knowflow.ground.json_text import json_value
from knowflow.model.artifact import Artifact, band_set, series
from knowflow.model.plan import Plan
from knowflow.model.tool import Parameter, ToolSchema
from knowflow.model.workflow import FromInput, FromNode, Given, Node, Value, Workflow
from knowflow.reason.calls import KnownFiles
from knowflow.reason.calls.arguments import renamed
from knowflow.reason.calls.file_names import matches
from knowflow.reason.inventory import Assumption, parse_assumptions, read_dates, read_file

_LIKELY = 3
"""So many files are named for one that is not there."""


def plan_of_tool(schema: ToolSchema, arguments: Mapping[str, str], assume: Sequence[str] = ()) -> Plan:
    """A plan that runs one tool; files become artifacts, several files (comma-separated) a series.

    Band sets are given as ``red=FILE,nir=FILE``, or as one file whose bands are named.

    Raises:
        PlanningError: an argument does not exist or does not fit.
        DataNotFoundError, UnreadableDataError: a file cannot be used.
    """
    assumptions = parse_assumptions(assume)
    inputs: dict[str, Artifact] = {}
    args: dict[str, Value] = {}
    _refuse_unknown(schema, arguments)
    for name, text in arguments.items():
        parameter = schema.inputs[name]
        if parameter.is_artifact and parameter.type not in ("scalar", "list", "text", "model"):
            inputs[name] = _artifact(name, text, parameter, assumptions)
            args[name] = FromInput(name)
        else:
            args[name] = Given(_value(name, text, parameter))
    layer = schema.layers[0]
    node = Node(schema.tool, schema.tool, args, layer, schema.title)
    outputs: dict[str, Value] = {name: FromNode(node.id, name) for name in schema.outputs}
    if "value" in outputs:
        outputs = {"answer": outputs.pop("value"), **outputs}
    return Plan(f"tool {schema.tool}", "", Workflow((node,)), inputs, dict(arguments), outputs, title=schema.title)


def plain_arguments(schema: ToolSchema, arguments: Mapping[str, str]) -> dict[str, Value]:
    """Numbers and texts that are given to a tool, as it takes them.

    Raises:
        PlanningError: an argument does not exist or does not fit.
    """
    _refuse_unknown(schema, arguments)
    return {name: Given(_value(name, text, schema.inputs[name])) for name, text in arguments.items()}


def _refuse_unknown(schema: ToolSchema, arguments: Mapping[str, str]) -> None:
    """Refuse names that the tool does not take, before any file is looked for."""
    unknown = [name for name in arguments if name not in schema.inputs]
    if not unknown:
        return
    meant = renamed(schema, arguments)
    hints = [f"{name}: did you mean {meant[name]}?" for name in unknown if name in meant]
    raise PlanningError(
        f"{schema.tool} has no parameter {' and no '.join(map(repr, unknown))}",
        expected=f"one of {', '.join(schema.inputs)}",
        found=", ".join(unknown),
        hint=" ".join(hints) or f"`knowflow tools show {schema.tool}` lists them",
    )


def _artifact(name: str, text: str, parameter: Parameter, assumptions: tuple[Assumption, ...]) -> Artifact:
    if parameter.artifact_type == "band_set":
        if "=" not in text:
            return band_set(_bands_in(_file(text, assumptions), name), name)
        pairs = [part.partition("=") for part in text.split(",")]
        return band_set({band.strip(): _file(path, assumptions) for band, _, path in pairs}, name)
    if parameter.artifact_type == "raster_series":
        files = [item for part in text.split(",") for item in read_dates(_path(part), assumptions)]
        return series(tuple(sorted(files, key=lambda item: str(item.fact("datetime") or item.name))), name)
    if "," in text:
        raise PlanningError(f"{name} takes one file", expected="one file", found=f"{text.count(',') + 1}")
    return _file(text, assumptions)


def _bands_in(file: Artifact, name: str) -> Mapping[str, Artifact]:
    """The bands of one file of several, by the names that it gives them."""
    found = bands_of(file)
    if not found:
        raise PlanningError(
            f"the bands of {name} have no names",
            where=file.path,
            expected="a file whose bands are named, or red=FILE,nir=FILE",
            found="none",
            hint="say them: --assume bands=red,green,blue",
        )
    return found


def _file(text: str, assumptions: tuple[Assumption, ...]) -> Artifact:
    return read_file(_path(text), assumptions)


def _path(text: str) -> Path:
    """The file that is there; ``DataNotFoundError`` names those that may be meant."""
    path = Path(text.strip())
    other = in_place_of_file(path)
    if other is not None:
        there = KnownFiles(on_disk=True).beside(str(path))
        near = matches(str(path), there)[:_LIKELY] if there else ()
        raise DataNotFoundError(
            "the file does not exist",
            where=text.strip() or None,
            expected="a file",
            found="an empty text" if not text.strip() else other,
            hint=f"did you mean {' or '.join(near)}?" if near else "files are given with their path",
        )
    return path.resolve()


def _value(name: str, text: str, parameter: Parameter) -> Any:
    if parameter.type in ("string", "quantity", "unit", "crs", "date", "path", "text", "model"):
        return text
    if parameter.type == "strings" and not text.lstrip().startswith("["):
        return tuple(item.strip() for item in text.split(","))
    typed = as_typed(text, parameter.type)
    if typed is not text:
        return typed
    bare = parameter.type in ("numbers", "bbox", "list")
    for written in (f"[{text}]", text) if bare and not text.lstrip().startswith("[") else (text, f"[{text}]"):
        try:
            value = json_value(written)
        except ValueError:
            continue
        if not bare or isinstance(value, list):
            return tuple(value) if isinstance(value, list) else value
    raise PlanningError(
        f"{name} does not fit",
        where=name,
        expected=type_title(parameter.type),
        found=repr(text),
        hint='texts stand in quotes: ["2021-06-01", "2021-07-01"]' if parameter.type == "list" else None,
    )
