"""Tool schemas for all of GDAL's algorithms, made from GDAL's own description of them.

What GDAL says is typed: arguments with defaults, limits and choices become parameters. What it cannot say, nobody
invents: a generated tool asserts nothing of quantity or unit, preserves nothing, and is never inserted by a planner.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from knowflow.model.tool import ToolSchema
from knowflow.tools.gdal.algorithms import algorithms, arguments_of, describe
from knowflow.tools.gdal.command import algorithm_of, not_a_tool, parameter_name

# decided by us: files are made anew, in the formats that all our tools write
_OURS = re.compile(
    "(output-|input-)?(format|open-option)|(layer-)?creation-option|overwrite(-layer)?|append|update|upsert"
    "|output-string|return-code|num-threads|group-transactions|optimization|skip-errors|absolute-path"
)
_SCALARS: Mapping[str, str] = {"boolean": "boolean", "integer": "integer", "real": "number"}


def generated_name(path: tuple[str, ...]) -> str:
    """``("raster", "fill-nodata")`` as ``gdal_raster_fill_nodata``."""
    return "_".join(("gdal", *path)).replace("-", "_")


def generated_schemas(authored: Iterable[ToolSchema] = ()) -> dict[str, ToolSchema]:
    """Schemas by name of the algorithms that work on data and that no authored tool runs."""
    covered = {algorithm_of(schema) for schema in authored}
    listed = [path for path in algorithms() if path not in covered and not_a_tool(path) is None]
    return {generated_name(path): generated_schema(path) for path in listed}


@lru_cache(maxsize=256)
def generated_schema(path: tuple[str, ...]) -> ToolSchema:
    """The schema of one algorithm.

    Raises:
        ToolError: there is no such algorithm.
    """
    usage, described = describe(path), arguments_of(path)
    served = {name: argument for name, argument in described.items() if not _OURS.fullmatch(name)}
    parameters = {parameter_name(name): _parameter(argument) for name, argument in served.items()}
    outputs = {name: parameter for name, parameter in parameters.items() if parameter.get("role") == "output"}
    title, _, more = str(usage["description"]).partition(". ")
    document: dict[str, Any] = {
        "tool": generated_name(path),
        "title": title.rstrip("."),
        "description": more,
        "kit": "gdal",
        "layers": (1, 2, 3),
        "parameters": parameters,
        "effects": {"sets": [f"scaled({name})" for name, output in outputs.items() if output["produces"] == "raster"]},
        "run": f"gdal:{' '.join(path)}",
        "isolate": "process",
        "cost": 2.0,
        "insertable": False,
        "source": str(usage.get("url", "")),
    }
    if "output-string" in described or not outputs:
        document["returns"] = {"type": "text", "title": "what GDAL says"}
    return ToolSchema.model_validate(document)


def _parameter(argument: Mapping[str, Any]) -> dict[str, Any]:
    """A parameter, as it could be written in a schema."""
    kind: str = argument["type"]
    if kind.startswith("dataset"):
        return _dataset(argument)
    parameter: dict[str, Any] = {
        "title": str(argument["description"]),
        "optional": not argument["required"],
        "default": _default(argument),
    }
    choices = tuple(dict.fromkeys(argument.get("choices", ())))
    if kind.endswith("_list"):
        parameter["type"] = "strings" if kind == "string_list" else "numbers"
        if choices:
            parameter["title"] += f" (of {', '.join(choices)})"
        return parameter
    parameter["type"] = _SCALARS.get(kind) or ("crs" if argument["name"].endswith("crs") else "string")
    limits = {"minimum": argument.get("min_value"), "maximum": argument.get("max_value")}
    return {**parameter, **limits, "choices": choices}


def _default(argument: Mapping[str, Any]) -> Any:
    """GDAL's default; NaN, which no document can hold, is left to GDAL."""
    value = argument.get("default")
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _dataset(argument: Mapping[str, Any]) -> dict[str, Any]:
    """A file that is read or written. What may be a raster or a vector is a raster, but zones are polygons."""
    kinds = argument["dataset_type"]
    zones = argument["name"] == "zones" and "vector" in kinds
    vector = zones or not any(kind.endswith("raster") for kind in kinds)
    title, optional = str(argument["description"]), not argument["required"]
    if "dataset" in argument.get("output_flags", ()):
        return {"type": "path", "role": "output", "produces": "vector" if vector else "raster", "title": title}
    if argument.get("max_count", 1) == 1:
        return {"type": "vector" if vector else "raster", "optional": optional, "title": title}
    if vector:
        return {"type": "strings", "optional": optional, "title": f"{title} (file names)"}
    return {"type": "raster_series", "optional": optional, "title": title}
