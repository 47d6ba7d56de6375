"""Tools that GDAL carries out: arguments in, algorithm, results out in the form that every tool of ours delivers."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from knowflow.ground.errors import ToolError
from knowflow.model import geo
from knowflow.model.artifact import Artifact
from knowflow.model.tool import ToolSchema
from knowflow.tools.context import check_cancelled, report_progress
from knowflow.tools.gdal import algorithms
from knowflow.tools.gdal.command import Command, Placeholder, command_of, parameter_name
from knowflow.tools.gdal.files import FILE_WORK, ORIGINAL, FileWork, deliver_archive, destination
from knowflow.tools.gdal.inputs import Desk, copy_raster, grid_of, paths, validity_path
from knowflow.tools.gdal.outputs import deliver_file, deliver_raster, name_originals, vector_format
from knowflow.tools.raster.grid import Grid
from knowflow.tools.raster.source import handles

_ALGORITHM_SHARE = 0.8  # of the progress; the rest is writing the result with its statistics
_SQUARE = 1e-3  # relative difference of width and height up to which a pixel counts as square
_VIEWSHED = ("raster", "viewshed")
_SCRATCH_OPTIONS = ["TILED=YES", "BIGTIFF=IF_SAFER"]


@dataclass(frozen=True, slots=True)
class _Result:
    """One output: where GDAL writes it, and where it is delivered."""

    name: str
    scratch: Path
    path: Path
    kind: str  # raster, vector or table; file: as it is; folder: as an archive


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
    outputs = [name for name, parameter in schema.parameters.items() if parameter.role == "output"]
    beside = Path(arguments[outputs[0]]).parent if outputs else None
    if beside is not None:
        beside.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".gdal-", dir=beside) as folder, handles() as opened:
        inputs = Path(folder) / "inputs"
        inputs.mkdir()
        desk = Desk(inputs, opened)
        work = FILE_WORK.get(command.path)
        results = [_result(schema, name, Path(arguments[name]), Path(folder), work) for name in outputs]
        if work is not None and work.way == "copy":
            copy_raster(arguments[ORIGINAL], ORIGINAL, desk, results[0].scratch, work.whole)
        values = _values(schema, command, arguments, results, desk)
        rasters = [name for name, value in arguments.items() if isinstance(value, Artifact) and value.type == "raster"]
        grids = {name: grid_of(arguments[name], name, desk) for name in rasters}
        if command.path == _VIEWSHED:
            _require_inside(schema, values.get("position", ()), grids)
        answer = algorithms.run(command.path, values, _progress)
        _refuse_inaccurate(schema, answer.warnings, grids)
        for result in results:
            _deliver(schema, result, arguments, desk)
    report_progress(1.0)
    return None if schema.returns is None else desk.with_originals(answer.text or "")


def _deliver(schema: ToolSchema, result: _Result, arguments: Mapping[str, Any], desk: Desk) -> None:
    if result.kind == "raster":
        deliver_raster(schema, result.name, result.scratch, result.path, arguments)
    elif result.kind == "folder":
        deliver_archive(result.scratch, result.path)
    else:
        if result.kind == "vector":
            name_originals(result.scratch, desk)
        deliver_file(result.scratch, result.path)


def _refuse_inaccurate(schema: ToolSchema, warnings: tuple[str, ...], grids: Mapping[str, Grid]) -> None:
    """What GDAL only warns of, and computes nevertheless, is not a result: distances over pixels that are not square.

    It counts a pixel's height as its width; where they differ by 0.1 % at most, so does no distance more.
    """
    for warning in warnings:
        for name, grid in grids.items():
            width, height = grid.pixel_size
            if "not square" in warning and abs(height / width - 1) > _SQUARE:
                raise ToolError(
                    f"{schema.tool} needs square pixels",
                    found=f"{name} has pixels of {width:g} x {height:g}",
                    hint=f"reproject {name} to a grid of square pixels first",
                )


def _require_inside(schema: ToolSchema, position: Sequence[float], grids: Mapping[str, Grid]) -> None:
    """GDAL takes an observer anywhere; one who stands outside is a mistake, such as longitude and latitude for UTM."""
    if len(position) < 2:
        return  # GDAL says so itself
    x, y = float(position[0]), float(position[1])
    for name, grid in grids.items():
        west, south, east, north = grid.bounds
        if not (west <= x <= east and south <= y <= north):
            raise ToolError(
                f"the position is outside of {name}",
                expected=f"x from {west:.8g} to {east:.8g} and y from {south:.8g} to {north:.8g}, in {grid.crs}",
                found=f"{x:.8g}, {y:.8g}",
                hint=f"give the position for {schema.tool} in the CRS of {name}",
            )


def _progress(share: float) -> None:
    report_progress(share * _ALGORITHM_SHARE)
    check_cancelled()


def _result(schema: ToolSchema, name: str, path: Path, folder: Path, work: FileWork | None) -> _Result:
    kind: str = schema.parameters[name].produces
    if work is not None and work.way != "copy":
        kind = work.way
    elif work is not None and work.whole:
        return _Result(name, folder / f"{name}.tif", path, "file")
    suffix = {"raster": ".tif", "folder": ""}.get(kind, path.suffix or ".gpkg")
    return _Result(name, folder / f"{name}{suffix}", path, kind)


def _values(
    schema: ToolSchema, command: Command, arguments: Mapping[str, Any], results: list[_Result], desk: Desk
) -> dict[str, Any]:
    """The algorithm's arguments. Its own defaults are left to it, so that arguments that exclude each other do not."""
    described = algorithms.arguments_of(command.path)
    work = FILE_WORK.get(command.path)
    written = {result.name: str(result.scratch) for result in results}
    values: dict[str, Any] = {}
    if work is not None:
        source = None if work.source is None else arguments[parameter_name(work.source)]
        written = {result.name: str(destination(work, result.scratch, source)) for result in results}
        values.update(work.fixed)
    for name, given in command.arguments.items():
        if not isinstance(given, Placeholder):
            values[name] = _literal(given, described[name]["type"])
        elif given.parameter in written:
            values[name] = written[given.parameter]
        elif arguments.get(given.parameter) is not None:
            value = _value(arguments[given.parameter], given, described[name]["type"], desk)
            is_flag = described[name]["type"] == "boolean"
            default = described[name].get("default", False if is_flag else None)
            if value not in (default, [default]):
                values[name] = value
    defaults: dict[str, Any] = {}
    if results and results[0].kind == "raster":
        defaults = {"creation-option": _SCRATCH_OPTIONS, "output-format": "GTiff"}
    elif results and results[0].kind == "vector":
        defaults = {"output-format": vector_format(results[0].path)}
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
