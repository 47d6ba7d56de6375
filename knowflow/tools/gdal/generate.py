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
from knowflow.tools.gdal.files import FILE_WORK, ORIGINAL, FileWork

# decided by us: files are made anew, in the formats that all our tools write
_OURS = re.compile(
    "(output-|input-)?(format|open-option)|(layer-)?creation-option|overwrite(-layer)?|append|update|upsert"
    "|output-string|return-code|num-threads|group-transactions|optimization|skip-errors|absolute-path"
    "|external|auxiliary|resume|parallel-method"
)
# folders of files whose format is for the user to choose -> the one that is taken else
_FORMATS: Mapping[tuple[str, ...], str] = {("raster", "tile"): "PNG", ("vector", "partition"): "GPKG"}
# where GDAL would mark missing numbers by 0, which is a number
_NODATA_OF: Mapping[tuple[str, ...], str] = {("vector", "grid"): " --nodata nan"}
# GDAL lets many vectors be named for all algorithms, but only these make one thing of several
_OF_MANY_VECTORS = frozenset({("vector", "concat"), ("vector", "index")})
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
    fixed = _NODATA_OF.get(path[:2], "")
    served = {
        name: argument
        for name, argument in described.items()
        if not _OURS.fullmatch(name) and not (fixed and name == "nodata")
    }
    work = FILE_WORK.get(path)
    parameters = {
        parameter_name(name): _parameter(argument, path)
        for name, argument in served.items()
        if work is None or name != work.argument
    }
    if work is not None:
        parameters |= _file_parameters(path, work)
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
        "run": f"gdal:{' '.join(path)}{fixed}" + ("" if work is None else f" --{work.argument} {{output}}"),
        "isolate": "process",
        "cost": 2.0,
        "insertable": False,
        "source": str(usage.get("url", "")),
    }
    if not outputs:
        document["returns"] = {"type": "text", "title": "what GDAL says"}
    return ToolSchema.model_validate(document)


def _file_parameters(path: tuple[str, ...], work: FileWork) -> dict[str, dict[str, Any]]:
    """What a tool takes and gives where the algorithm itself changes a file, or writes a folder."""
    output: dict[str, Any] = {"type": "path", "role": "output", "produces": "report", "default": "archive.zip"}
    if work.way == "copy":
        original = {"type": "raster", "title": "raster of which a changed copy is made"}
        return {ORIGINAL: original, "output": {**output, "produces": "raster", "default": None}}
    output["title"] = "ZIP archive of what is written"
    if path not in _FORMATS:
        return {"output": output}
    chosen = {"type": "string", "default": _FORMATS[path], "title": "format of the files, by GDAL's name"}
    return {"output_format": chosen, "output": output}


def _parameter(argument: Mapping[str, Any], path: tuple[str, ...]) -> dict[str, Any]:
    """A parameter, as it could be written in a schema."""
    kind: str = argument["type"]
    if kind.startswith("dataset"):
        return _dataset(argument, path)
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
    parameter["type"] = _SCALARS.get(kind) or _text_type(argument["name"], path)
    limits = {"minimum": argument.get("min_value"), "maximum": argument.get("max_value")}
    return {**parameter, **limits, "choices": choices}


def _text_type(name: str, path: tuple[str, ...]) -> str:
    if name.endswith("crs"):
        return "crs"
    return "path" if path[0] in ("vsi", "dataset") and name in ("filename", "source", "input") else "string"


def _default(argument: Mapping[str, Any]) -> Any:
    """GDAL's default; NaN, which no document can hold, is left to GDAL."""
    value = argument.get("default")
    if isinstance(value, float) and not math.isfinite(value):
        return None
    is_list = str(argument["type"]).endswith("_list")
    return [value] if is_list and value is not None and not isinstance(value, list) else value


def _dataset(argument: Mapping[str, Any], path: tuple[str, ...]) -> dict[str, Any]:
    """A file that is read or written. What may be a raster or a vector is a raster, but zones are polygons."""
    kinds = argument["dataset_type"]
    zones = argument["name"] == "zones" and "vector" in kinds
    vector = zones or not any(kind.endswith("raster") for kind in kinds)
    title, optional = str(argument["description"]), not argument["required"]
    if "dataset" in argument.get("output_flags", ()):
        return {"type": "path", "role": "output", "produces": "vector" if vector else "raster", "title": title}
    many = argument.get("max_count", 1) != 1
    if set(kinds) <= {"raster", "multidim_raster"} and "multidim_raster" in kinds:  # arrays are no artifacts here
        return {"type": "strings" if many else "path", "optional": optional, "title": f"{title} (Zarr, netCDF...)"}
    if not many or (vector and path not in _OF_MANY_VECTORS):
        return {"type": "vector" if vector else "raster", "optional": optional, "title": title}
    if vector:
        return {"type": "strings", "optional": optional, "title": f"{title} (file names)"}
    return {"type": "raster_series", "optional": optional, "title": title}
