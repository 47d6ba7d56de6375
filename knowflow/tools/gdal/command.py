"""The ``run: gdal:...`` line of a tool schema: which algorithm, and where each of its arguments comes from.

``gdal:raster slope --input {dem} --unit degree`` names an algorithm, gives two arguments and leaves the others to the
parameters of the tool: a parameter serves the argument of its own name (``max_distance`` is ``--max-distance``) unless
the line mentions it. Values are literal text, ``{parameter}``, or something of a raster's grid: ``{like.crs}``,
``{like.bounds}`` (west, south, east, north), ``{like.size}`` (columns, rows), ``{like.resolution}``. ``{raster.valid}``
is a raster that tells where another has data.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from knowflow.ground.errors import KnowFlowError, ToolError
from knowflow.ground.report import Problem, Problems
from knowflow.model.condition import names
from knowflow.model.tool import Parameter, ToolSchema
from knowflow.tools.gdal.algorithms import arguments_of
from knowflow.tools.gdal.files import FILE_WORK, ORIGINAL

GRID_WORDS = ("crs", "bounds", "size", "resolution", "valid")
_PLACEHOLDER = re.compile(r"\{([a-z_][a-z0-9_]*)(?:\.([a-z]+))?\}\Z", re.IGNORECASE)
_SCALARS = frozenset(
    {"number", "integer", "string", "boolean", "quantity", "unit", "crs", "date", "path", "scalar", "text"}
)
_LISTS = frozenset({"numbers", "strings", "bbox", "list"})
_FILES = frozenset({"raster", "vector", "table"})
# GDAL's type of an argument -> the types of parameters that can serve it
_SERVED_BY: Mapping[str, frozenset[str]] = {
    "boolean": frozenset({"boolean"}),
    "integer": frozenset({"integer"}),
    "real": frozenset({"number", "integer", "scalar"}),
    "string": _SCALARS,
    "integer_list": frozenset({"integer", "numbers", "list"}),
    "real_list": frozenset({"number", "integer", "scalar", "numbers", "bbox", "list"}),
    "string_list": _SCALARS | _LISTS,
    "dataset": _FILES | {"string", "path"},
    "dataset_list": _FILES | {"raster_series", "band_set", "strings", "string", "path"},
}


_SUBSYNTAX = "its steps are a language of their own, whose types and conditions nobody could check; a workflow does it"
_DESTRUCTIVE = "it removes or renames files: what it did could neither be repeated nor be taken back"
_INCOMPLETE = "GDAL keeps it inside of pipelines only, without input and output"
# beginnings of algorithm paths that no tool may run -> why
NOT_TOOLS: Mapping[tuple[str, ...], str] = {
    ("pipeline",): _SUBSYNTAX,
    ("raster", "pipeline"): _SUBSYNTAX,
    ("vector", "pipeline"): _SUBSYNTAX,
    ("dataset", "delete"): _DESTRUCTIVE,
    ("dataset", "rename"): _DESTRUCTIVE,
    ("vsi", "delete"): _DESTRUCTIVE,
    ("vsi", "move"): _DESTRUCTIVE,
    ("vector", "geom"): _INCOMPLETE,
    ("convert",): "it stands for `raster convert`, `vector convert` or `mdim convert`",
    ("info",): "it stands for `raster info`, `vector info` or `mdim info`",
}


@dataclass(frozen=True, slots=True)
class Placeholder:
    """The value of a parameter, or a word about its grid."""

    parameter: str
    word: str | None = None


@dataclass(frozen=True, slots=True)
class Command:
    """A parsed ``run`` line: the algorithm, its arguments by GDAL's names, and parameters that serve none."""

    path: tuple[str, ...]
    arguments: Mapping[str, str | bool | Placeholder]
    unserved: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


def parameter_name(argument: str) -> str:
    """The name of the parameter that serves an argument: ``max-distance`` as ``max_distance``, ``3d`` as ``arg_3d``."""
    name = argument.replace("-", "_").lower()
    return name if name.isidentifier() else f"arg_{name}"


@lru_cache(maxsize=512)
def parse_line(run: str) -> tuple[tuple[str, ...], tuple[tuple[str, str | bool], ...]]:
    """The algorithm path and the (argument, text) pairs of a ``run`` line; a bare ``--flag`` is True."""
    words = shlex.split(run.removeprefix("gdal:"))
    path: list[str] = []
    while words and not words[0].startswith("--"):
        path.append(words.pop(0))
    pairs: list[tuple[str, str | bool]] = []
    while words:
        name, equals, text = words.pop(0).removeprefix("--").partition("=")
        if equals:
            pairs.append((name, text))
        elif words and not words[0].startswith("--"):
            pairs.append((name, words.pop(0)))
        else:
            pairs.append((name, True))
    return tuple(path), tuple(pairs)


def algorithm_of(schema: ToolSchema) -> tuple[str, ...] | None:
    """The algorithm behind a tool, or None where it is not one of GDAL's."""
    return parse_line(schema.run)[0] if schema.run.startswith("gdal:") else None


def not_a_tool(path: tuple[str, ...]) -> str | None:
    """Why an algorithm cannot be a tool, or None where it can: tools read their inputs and write new files."""
    return next((why for start, why in NOT_TOOLS.items() if path[: len(start)] == start), None)


def command_of(schema: ToolSchema) -> Command:
    """Which argument each parameter serves.

    Raises:
        ToolError: GDAL is not there, or has no such algorithm, or one that cannot be a tool.
    """
    path, pairs = parse_line(schema.run)
    why = not_a_tool(path)
    if why is not None:
        raise ToolError(
            f"gdal {' '.join(path)} cannot be a tool: {why}",
            expected="an algorithm that reads its inputs and writes a new file",
            found=" ".join(path),
        )
    described = arguments_of(path)
    arguments: dict[str, str | bool | Placeholder] = {}
    mentioned = set()
    for name, text in pairs:
        match = _PLACEHOLDER.match(text) if isinstance(text, str) else None
        arguments[name] = text if match is None else Placeholder(match[1], match[2])
        if match is not None:
            mentioned.add(match[1])
    by_parameter = {parameter_name(name): name for name in described}
    work = FILE_WORK.get(path)
    if work is not None and work.way == "copy":
        mentioned.add(ORIGINAL)
    unserved = []
    for parameter in schema.parameters:
        if parameter in mentioned:
            continue
        argument = by_parameter.get(parameter)
        if argument is None or argument in arguments:
            unserved.append(parameter)
        else:
            arguments[argument] = Placeholder(parameter)
    unknown = tuple(name for name in arguments if name not in described)
    return Command(path, arguments, tuple(unserved), unknown)


def check_binding(schema: ToolSchema) -> list[Problem]:
    """Everything in which a tool schema disagrees with GDAL's own description of the algorithm it names."""
    try:
        command = command_of(schema)
    except ValueError as error:
        return [_problem("bad_value", "a command line", f"{schema.run!r} ({error})")]
    except KnowFlowError as error:
        return [_problem("no_algorithm", error.expected or "an algorithm", error.found or error.message, error.hint)]
    described = arguments_of(command.path)
    problems = Problems()
    for name in command.unknown:
        problems.add(_problem("unknown_argument", f"one of {', '.join(sorted(described))}", f"--{name}"))
    meanings = {name for _, effect in schema.parsed_sets for name in names(effect)}
    for parameter in command.unserved:
        if parameter in meanings:  # it says what the result means, which is no business of GDAL's
            continue
        hint = f"name it in the run line: --argument {{{parameter}}}"
        problems.add(_problem("unserved_parameter", "an argument that takes it", repr(parameter), hint, parameter))
    for name, value in command.arguments.items():
        if name in described:
            problems.extend(_argument_problems(schema, described[name], value))
    for name, argument in described.items():
        if argument["required"] and name not in command.arguments:
            problems.add(_problem("missing_argument", f"a value for --{name}", "none"))
    return list(problems)


def _argument_problems(
    schema: ToolSchema, described: Mapping[str, Any], value: str | bool | Placeholder
) -> list[Problem]:
    name, kind = described["name"], described["type"]
    if not isinstance(value, Placeholder):
        return _literal_problems(described, value)
    parameter = schema.parameters.get(value.parameter)
    if parameter is None:
        return [_problem("unknown_parameter", f"one of {', '.join(schema.parameters)}", repr(value.parameter))]
    where = value.parameter
    if value.word is not None:
        if value.word in GRID_WORDS and parameter.artifact_type == "raster":
            return []
        return [_problem("bad_value", f"a raster and one of {', '.join(GRID_WORDS)}", value.word, "", where)]
    if parameter.role == "output":
        return _output_problems(described, parameter, where)
    problems = []
    if parameter.artifact_type not in _SERVED_BY[kind]:
        problems.append(_problem("wrong_type", f"--{name} takes {kind}", parameter.artifact_type, "", where))
    elif parameter.artifact_type in ("raster", "vector") and kind.startswith("dataset"):
        taken = described["dataset_type"]
        if parameter.artifact_type not in taken:
            problems.append(
                _problem("wrong_type", f"--{name} takes {' or '.join(taken)}", parameter.artifact_type, "", where)
            )
    return problems + _value_problems(described, parameter, where)


def _output_problems(described: Mapping[str, Any], parameter: Parameter, where: str) -> list[Problem]:
    """What is no raster or vector (tiles, arrays, archives) is delivered as a file of its own kind, a report."""
    kind = described["type"]
    if kind not in ("dataset", "dataset_list", "string"):
        return [_problem("wrong_type", kind, "an output", "", where)]
    if kind == "dataset" and parameter.produces not in ("report", *described["dataset_type"]):
        return [_problem("wrong_type", " or ".join(described["dataset_type"]), parameter.produces, "", where)]
    return []


def _literal_problems(described: Mapping[str, Any], value: str | bool) -> list[Problem]:
    name, choices = described["name"], described.get("choices")
    if isinstance(value, bool) != (described["type"] == "boolean") and value not in ("true", "false"):
        return [_problem("wrong_type", f"--{name} takes {described['type']}", repr(value))]
    if choices and value not in choices:
        return [_problem("bad_choice", f"one of {', '.join(choices)}", f"--{name} {value}")]
    return []


def _value_problems(described: Mapping[str, Any], parameter: Parameter, where: str) -> list[Problem]:
    """Choices, default and limits that GDAL would not take."""
    problems = []
    offered = [*parameter.choices]
    if parameter.default is not None:
        offered += parameter.default if isinstance(parameter.default, (list, tuple)) else [parameter.default]
    choices = described.get("choices")
    refused = [item for item in offered if choices and item not in choices]
    if refused:
        problems.append(_problem("bad_choice", f"one of {', '.join(choices or ())}", repr(refused), "", where))
    low, high = described.get("min_value"), described.get("max_value")
    if low is not None and parameter.minimum is not None and parameter.minimum < low:
        problems.append(_problem("out_of_range", f"a minimum of at least {low:g}", f"{parameter.minimum:g}", "", where))
    if high is not None and parameter.maximum is not None and parameter.maximum > high:
        problems.append(_problem("out_of_range", f"a maximum of at most {high:g}", f"{parameter.maximum:g}", "", where))
    return problems


def _problem(code: str, expected: str, found: str, hint: str | None = None, parameter: str = "") -> Problem:
    return Problem(code, expected, found, hint or "", where=f"parameters.{parameter}" if parameter else "run")
