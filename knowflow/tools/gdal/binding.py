"""Tools that GDAL carries out: arguments in, algorithm, results out in the form that every tool of ours delivers."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from knowflow.ground.errors import ToolError
from knowflow.model import geo
from knowflow.model.artifact import Artifact
from knowflow.model.condition import Call, Name
from knowflow.model.tool import ToolSchema
from knowflow.tools.context import check_cancelled, report_progress
from knowflow.tools.gdal import algorithms
from knowflow.tools.gdal.command import Command, Placeholder, command_of
from knowflow.tools.gdal.inputs import Desk, grid_of, paths, validity_path
from knowflow.tools.gdal.outputs import deliver_raster, deliver_vector, vector_format
from knowflow.tools.raster.source import handles

_ALGORITHM_SHARE = 0.8  # of the progress; the rest is writing the result with its statistics
_SCRATCH_OPTIONS = ["TILED=YES", "BIGTIFF=IF_SAFER"]


@dataclass(frozen=True, slots=True)
class _Result:
    """One output: where GDAL writes it, and where it is delivered."""

    name: str
    scratch: Path
    path: Path
    kind: str


def bind(schema: ToolSchema) -> Callable[..., str | None]:
    """The function behind a tool with ``run: gdal:...``; it takes the tool's parameters by name.

    It returns the algorithm's text where the schema says that it returns something. It raises ``ToolError`` with
    GDAL's own message, ``NoSpaceError`` or ``RunInterruptedError``; no output is then left.

    Raises:
        ToolError: GDAL is not there, or has no such algorithm.
    """
    command = command_of(schema)

    def tool(**arguments: Any) -> str | None:
        return _carry_out(schema, command, arguments)

    tool.__name__ = schema.tool
    tool.__doc__ = schema.title
    return tool


def _carry_out(schema: ToolSchema, command: Command, arguments: Mapping[str, Any]) -> str | None:
    check_cancelled()
    _require_metres(schema, arguments)
    outputs = [name for name, parameter in schema.parameters.items() if parameter.role == "output"]
    beside = Path(arguments[outputs[0]]).parent if outputs else None
    with tempfile.TemporaryDirectory(prefix=".gdal-", dir=beside) as folder, handles() as opened:
        inputs = Path(folder) / "inputs"
        inputs.mkdir()
        desk = Desk(inputs, opened)
        results = [_result(schema, name, Path(arguments[name]), Path(folder)) for name in outputs]
        values = _values(schema, command, arguments, results, desk)
        answer = algorithms.run(command.path, values, _progress)
        _refuse_inaccurate(schema, answer.warnings)
        for result in results:
            if result.kind == "raster":
                deliver_raster(schema, result.name, result.scratch, result.path, arguments)
            else:
                deliver_vector(result.scratch, result.path)
    report_progress(1.0)
    return None if schema.returns is None else desk.with_originals(answer.text or "")


def _refuse_inaccurate(schema: ToolSchema, warnings: tuple[str, ...]) -> None:
    """What GDAL only warns of, and computes nevertheless, is not a result."""
    for warning in warnings:
        if "not square" in warning:
            raise ToolError(
                f"{schema.tool} needs square pixels", found=warning, hint="reproject to a grid of square pixels first"
            )


def _progress(share: float) -> None:
    report_progress(share * _ALGORITHM_SHARE)
    check_cancelled()


def _result(schema: ToolSchema, name: str, path: Path, folder: Path) -> _Result:
    kind = schema.parameters[name].produces
    suffix = ".tif" if kind == "raster" else path.suffix or ".gpkg"
    return _Result(name, folder / f"{name}{suffix}", path, kind)


def _values(
    schema: ToolSchema, command: Command, arguments: Mapping[str, Any], results: list[_Result], desk: Desk
) -> dict[str, Any]:
    """The algorithm's arguments. Its own defaults are left to it, so that arguments that exclude each other do not."""
    described = algorithms.arguments_of(command.path)
    written = {result.name: str(result.scratch) for result in results}
    values: dict[str, Any] = {}
    for name, given in command.arguments.items():
        if not isinstance(given, Placeholder):
            values[name] = _literal(given, described[name]["type"])
        elif given.parameter in written:
            values[name] = written[given.parameter]
        elif arguments.get(given.parameter) is not None:
            value = _value(arguments[given.parameter], given, described[name]["type"], desk)
            if value != described[name].get("default"):
                values[name] = value
    defaults = {"creation-option": _SCRATCH_OPTIONS, "output-format": "GTiff"}
    if results and results[0].kind != "raster":
        defaults = {"output-format": vector_format(results[0].path)}
    if results:
        values.update({name: value for name, value in defaults.items() if name in described and name not in values})
    return values


def _literal(text: str | bool, kind: str) -> Any:
    if isinstance(text, bool) or kind == "boolean":
        return text not in (False, "false")
    items: list[Any] = text.split(",") if kind.endswith("_list") else [text]
    if kind.startswith(("integer", "real")):
        items = [float(item) for item in items]
    return items if kind.endswith("_list") else items[0]


def _value(value: Any, given: Placeholder, kind: str, desk: Desk) -> Any:
    """What an argument gets from a parameter's value."""
    if given.word is not None:
        return _of_grid(value, given, desk)
    if kind == "dataset_list":
        return list(paths(value, given.parameter, desk))
    if kind == "dataset":
        return next(paths(value, given.parameter, desk))
    return list(value) if isinstance(value, tuple) else value


def _of_grid(value: Any, given: Placeholder, desk: Desk) -> Any:
    if given.word == "valid":
        return validity_path(value, given.parameter, desk)
    grid = grid_of(value, given.parameter, desk)
    if given.word == "crs":
        return geo.crs_of(grid.require_crs(given.parameter)).to_wkt()
    if given.word == "size":
        return [grid.shape[1], grid.shape[0]]
    a, b, _, d, e, _ = grid.transform[:6]
    if (b, d) != (0.0, 0.0) or a <= 0 or e >= 0:
        raise ToolError(
            f"the grid of {given.parameter} is rotated, which this algorithm cannot write",
            expected="rows from north to south, columns from west to east",
            found=str(grid),
            hint="reproject it first",
        )
    return list(grid.bounds) if given.word == "bounds" else [a, -e]


def _require_metres(schema: ToolSchema, arguments: Mapping[str, Any]) -> None:
    """Lengths reach GDAL in units of the CRS: a tool that takes or gives metres needs a CRS in metres.

    Holds for the rasters that must be projected, where a parameter is in m.
    """
    if not any(parameter.unit == "m" for parameter in schema.inputs.values()):
        return
    for _, condition in schema.parsed_preconditions:
        match condition:
            case Call(name="projected", args=(Name(name=name),)) if isinstance(arguments.get(name), Artifact):
                crs = arguments[name].fact("crs")
                factor = 1.0 if crs is None else geo.crs_of(crs).axis_info[0].unit_conversion_factor
                if factor != 1.0:
                    raise ToolError(
                        f"{schema.tool} works in metres",
                        expected="a CRS in metres",
                        found=f"{crs}, in {geo.crs_of(crs).axis_info[0].unit_name}",
                        hint=f"reproject {name} to a CRS in metres, such as its UTM zone",
                    )
