"""The published way of calling: file names and numbers in, a number or a list out, in one step and without a plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from knowflow.ground.errors import ToolError
from knowflow.model.artifact import Artifact
from knowflow.model.tool import Parameter, ToolSchema
from knowflow.tools.registry import bind

PACK = "earth_agent"
_RUN = f"python:knowflow.tools.{PACK}."


def belongs(schema: ToolSchema) -> bool:
    """Whether a tool is one of the pack."""
    return schema.run.startswith(_RUN)


def call(schema: ToolSchema, arguments: Mapping[str, Any], compat: bool = False) -> Any:
    """Carry out a published call and return what the published tool returns.

    A tool that takes one file per parameter may be given parallel lists of them: it is then run for each scene. Tools
    that write files return where they wrote them. ``compat`` asks for the published numbers where those are known to be
    wrong. Nothing is checked that only a plan can check.

    Raises:
        ToolError: an argument is lacking or unknown, or the tool cannot do its work.
    """
    given = {name: _typed(value, schema.parameters.get(name)) for name, value in arguments.items()}
    _require_names(schema, given)
    if compat and "compat" in schema.parameters:
        given.setdefault("compat", True)
    single = [name for name, parameter in schema.parameters.items() if _one_file(parameter)]
    many = {name: given[name] for name in single if isinstance(given.get(name), (list, tuple))}
    if not many:
        return _once(schema, given)
    lengths = {name: len(files) for name, files in many.items()}
    if len(set(lengths.values())) > 1:
        raise ToolError(
            "the lists of files have different lengths",
            expected="one file per scene in each list",
            found=", ".join(f"{name}: {length}" for name, length in lengths.items()),
        )
    scenes = [dict(zip(many, row, strict=True)) for row in zip(*many.values(), strict=True)]
    return [_once(schema, {**given, **scene}) for scene in scenes]


def _require_names(schema: ToolSchema, given: Mapping[str, Any]) -> None:
    unknown = [name for name in given if name not in schema.parameters]
    lacking = [
        name
        for name, parameter in schema.parameters.items()
        if name not in given and (parameter.required or parameter.role == "output")
    ]
    if unknown or lacking:
        raise ToolError(
            f"the arguments do not fit {schema.tool}",
            expected=", ".join(schema.parameters),
            found=", ".join(given) or "none",
            hint="; ".join(
                f"{word}: {', '.join(names)}" for word, names in (("unknown", unknown), ("lacking", lacking)) if names
            ),
        )


def _one_file(parameter: Parameter) -> bool:
    if parameter.role == "output":
        return parameter.produces != "raster_series"
    return parameter.type == "raster" and parameter.keyed_by is None


def _typed(value: Any, parameter: Parameter | None) -> Any:
    """A number that is written as text, as a number."""
    if parameter is not None and parameter.type in ("number", "integer") and isinstance(value, str):
        try:
            return float(value) if parameter.type == "number" else int(value)
        except ValueError:
            raise ToolError("this is not a number", expected=f"a {parameter.type}", found=repr(value)) from None
    return value


def _once(schema: ToolSchema, given: Mapping[str, Any]) -> Any:
    result = bind(schema)(**given)
    written = [given[name] for name, parameter in schema.parameters.items() if parameter.role == "output"]
    if written:
        return _saved(written[0])
    return SHAPES[schema.tool](result) if schema.tool in SHAPES else result


def _saved(output: Any) -> Any:
    if isinstance(output, (str, Path, Artifact)):
        return f"Result saved at {output}"
    return [_saved(item) for item in output]


def _extremes(table: Sequence[Mapping[str, Any]]) -> dict[str, list[float]]:
    return {row["which"]: [row["first"], row["second"], row["distance"]] for row in table}


def _columns(table: Sequence[Mapping[str, Any]]) -> dict[str, list[float]]:
    return {name: [row[name] for row in table] for name in table[0]}


def _period(text: str) -> int | str:
    return int(text) if text.isdigit() else text


# what a workflow carries as a table or a text, in the shape the published tool returns
SHAPES: Mapping[str, Callable[[Any], Any]] = {
    "centroid_distance_extremes": _extremes,
    "stl_decompose": _columns,
    "detect_seasonality_acf": _period,
}
