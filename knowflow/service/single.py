"""One tool as a plan of one node."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from knowflow.ground.errors import DataNotFoundError, PlanningError
from knowflow.model.artifact import Artifact, band_set, series
from knowflow.model.plan import Plan
from knowflow.model.tool import Parameter, ToolSchema
from knowflow.model.workflow import FromInput, FromNode, Given, Node, Value, Workflow
from knowflow.reason.inventory import apply_assumptions, parse_assumptions, read_artifact


def plan_of_tool(schema: ToolSchema, arguments: Mapping[str, str], assume: Sequence[str] = ()) -> Plan:
    """A plan that runs one tool; files become artifacts, several files (comma-separated) a series.

    Band sets are given as ``red=FILE,nir=FILE``.

    Raises:
        PlanningError: an argument does not exist or does not fit.
        DataNotFoundError, UnreadableDataError: a file cannot be used.
    """
    assumptions = parse_assumptions(assume)
    inputs: dict[str, Artifact] = {}
    args: dict[str, Value] = {}
    for name, text in arguments.items():
        parameter = schema.inputs.get(name)
        if parameter is None:
            raise PlanningError(
                f"{schema.tool} has no parameter {name!r}",
                expected=f"one of {', '.join(schema.inputs)}",
                found=name,
                hint=f"`knowflow tools show {schema.tool}` lists them",
            )
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


def _artifact(name: str, text: str, parameter: Parameter, assumptions: Any) -> Artifact:
    if parameter.artifact_type == "band_set":
        pairs = [part.partition("=") for part in text.split(",")]
        return band_set({band.strip(): _file(path, assumptions) for band, _, path in pairs}, name)
    files = [_file(part, assumptions) for part in text.split(",")]
    if parameter.artifact_type == "raster_series":
        return series(tuple(sorted(files, key=lambda item: str(item.fact("datetime") or item.name))), name)
    if len(files) != 1:
        raise PlanningError(f"{name} takes one file", expected="one file", found=f"{len(files)}")
    return files[0]


def _file(text: str, assumptions: Any) -> Artifact:
    path = Path(text.strip())
    if not path.is_file():
        raise DataNotFoundError("the file does not exist", where=str(path), expected="a file", found="nothing")
    return apply_assumptions(read_artifact(path.resolve()), assumptions)


def _value(name: str, text: str, parameter: Parameter) -> Any:
    if parameter.type in ("string", "quantity", "unit", "crs", "date", "path", "text", "model"):
        return text
    if parameter.type == "strings" and not text.lstrip().startswith("["):
        return tuple(item.strip() for item in text.split(","))
    try:
        value = json.loads(text if parameter.type not in ("numbers", "bbox", "list") else f"[{text.strip('[]')}]")
    except json.JSONDecodeError:
        raise PlanningError(
            f"{name} does not fit", expected=f"a {parameter.type}", found=repr(text), where=name
        ) from None
    return tuple(value) if isinstance(value, list) else value
