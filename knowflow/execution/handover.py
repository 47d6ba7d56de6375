"""From artifacts to the keyword arguments a tool function takes, and from what it returns to an artifact."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from knowflow.ground.errors import EffectError
from knowflow.ground.units import convert
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Facts, Origin
from knowflow.model.tool import Parameter, ToolSchema

_SUFFIXES = {
    "raster": ".tif",
    "band_set": ".tif",
    "vector": ".gpkg",
    "table": ".csv",
    "report": ".html",
    "text": ".txt",
    "model": ".onnx",
}


def output_paths(schema: ToolSchema, folder: Path) -> dict[str, Path]:
    """A file name for each output file of a tool; a ``default`` such as ``.png`` or ``map.png`` chooses the suffix."""
    paths = {}
    for name, parameter in schema.parameters.items():
        if parameter.role == "output":
            said = str(parameter.default or "")
            suffix = said[said.rfind(".") :] if "." in said else _SUFFIXES.get(parameter.produces, "")
            paths[name] = folder / f"{name}{suffix}"
    return paths


def keyword_arguments(schema: ToolSchema, arguments: Mapping[str, Any], outputs: Mapping[str, Path]) -> dict[str, Any]:
    """The call of a tool's function: artifacts in the shapes it takes, values plain and in the parameter's unit.

    Raises:
        UnitError: a scalar's unit does not measure what the parameter's unit does.
    """
    call: dict[str, Any] = {}
    for name, parameter in schema.parameters.items():
        if parameter.role == "output":
            call[name] = outputs[name]
        else:
            value = arguments.get(name)
            call[name] = parameter.default if value is None else _handed(value, parameter)
    return call


def _handed(value: Any, parameter: Parameter) -> Any:
    if parameter.with_facts and isinstance(value, Artifact):
        return _parts(value) if parameter.artifact_type == "list" else value
    match parameter.artifact_type:
        case "band_set":
            return bands_of(value)
        case "raster_series":
            return value.items if isinstance(value, Artifact) else tuple(value)
        case "raster" | "vector" | "table" | "report" | "model":
            return value
        case "list" | "numbers" | "strings":
            return _plain_list(value, parameter.unit)
        case "integer":
            return int(_plain(value, parameter.unit))
        case _:
            return _plain(value, parameter.unit)


def bands_of(value: Artifact) -> Mapping[str, Artifact]:
    """Rasters by common band name; one multi-band file is taken apart into its bands."""
    if value.members:
        return value.members
    names = value.fact("bands") or ()
    return {
        name: replace(value, band=index, facts=value.facts.without(("bands", "count")))
        for index, name in enumerate(names, start=1)
    }


def _plain(value: Any, unit: str | None) -> Any:
    """The value of a scalar or text; a number in ``unit`` where both units are known."""
    if not isinstance(value, Artifact):
        return value
    plain, own = value.value, value.fact("unit")
    if unit is None or own is None or isinstance(plain, bool) or not isinstance(plain, (int, float)):
        return plain
    return convert(plain, own, unit)


def _plain_list(value: Any, unit: str | None) -> list[Any]:
    if not isinstance(value, Artifact):
        return [_plain(item, unit) for item in value]
    return [_plain(item, unit) for item in _parts(value)]


def _parts(value: Artifact) -> tuple[Artifact, ...]:
    """The scalars of a list, each with what is known of all."""
    return value.items or tuple(replace(value, type="scalar", value=item) for item in value.value)


def returned_artifact(schema: ToolSchema, value: Any, predicted: Artifact) -> Artifact:
    """What a function returned as an artifact with the facts that the tool's effects imply.

    Raises:
        EffectError: it did not return what the schema says.
    """
    assert schema.returns is not None
    kind = schema.returns.type
    plain = value.tolist() if hasattr(value, "tolist") else value
    fits = {
        # what has a unit is a number; of words only those are answers that no unit was promised for
        "scalar": isinstance(plain, (int, float, bool)) or (isinstance(plain, str) and "unit" not in predicted.facts),
        "list": isinstance(plain, (list, tuple)),
        "table": isinstance(plain, (list, tuple)) and all(isinstance(row, Mapping) for row in plain),
        "text": isinstance(plain, str),
    }[kind]
    if not fits:
        raise EffectError(
            f"{schema.tool} returned something else than its schema says",
            expected=kind,
            found=f"{type(plain).__name__}: {str(plain)[:80]}",
        )
    if kind == "table":
        plain = tuple(dict(row) for row in plain)
    elif kind == "list":
        plain = tuple(plain)
    return replace(predicted, value=_python(plain), facts=_counted(predicted.facts, kind, plain))


def _python(value: Any) -> Any:
    """numpy's numbers as Python's, all the way down."""
    if hasattr(value, "tolist"):
        return _python(value.tolist())
    if isinstance(value, Mapping):
        return {str(name): _python(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return tuple(_python(item) for item in value)
    return value


def _counted(facts: Facts, kind: str, value: Any) -> Facts:
    """How long a list or table is can be counted."""
    if kind not in ("list", "table"):
        return facts
    facts = facts.put("length", len(value), Origin.MEASURED, "counted")
    if kind == "table" and value:
        facts = facts.put("features", len(value), Origin.MEASURED, "counted")
        facts = facts.put("fields", tuple(map(str, value[0])), Origin.MEASURED, "read")
    return facts
