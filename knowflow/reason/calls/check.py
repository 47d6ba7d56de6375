"""The check of one flat call before it is made: tool, argument names, types, files, lengths, places, conditions."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import PurePosixPath
from typing import Any

from knowflow.graph.arguments import as_typed, place_problems, value_problems
from knowflow.ground.report import Problem, Problems
from knowflow.model.condition import Call as Predicate
from knowflow.model.condition import Compare, Expression, Name, walk
from knowflow.model.evaluate import evaluate
from knowflow.model.tool import VALUE_TYPES, Parameter, ToolSchema
from knowflow.reason.calls.call import Call, KnownFiles, Result, texts_in, unwrapped
from knowflow.reason.calls.tool_names import nearest_tools

FILE_TYPES = ("raster", "raster_series", "band_set", "vector", "table")


def check_call(call: Call, tools: Mapping[str, ToolSchema], known: KnownFiles) -> tuple[Problem, ...]:
    """Everything that is wrong with a call and can be seen without making it; the first problem weighs most.

    Outputs must be named, as in calls without a workflow. Whether files are on one grid, in the right unit and so on is
    the matter of a plan, which reads their headers.
    """
    schema = tools.get(call.tool)
    if schema is None:
        near = nearest_tools(call, tools)
        hint = f"did you mean {' or '.join(near[:3])}?" if near else "`knowflow tools list` lists them"
        return (Problem("unknown_tool", "a tool that exists", repr(call.tool), hint),)
    problems = Problems(_name_problems(call, schema))
    for name, value in call.arguments.items():
        parameter = schema.parameters.get(name)
        if parameter is not None:
            problems.extend(_form_problems(value, parameter, f"{call.tool}.{name}"))
    problems.extend(_file_problems(call, schema, known))
    plain = {name: unwrapped(value) for name, value in call.arguments.items()}
    problems.extend(_parallel_problems(call.tool, plain, schema))
    problems.extend(place_problems(schema, plain, call.tool))
    problems.extend(_condition_problems(plain, schema, call.tool))
    return tuple(problems)


def is_file_parameter(parameter: Parameter) -> bool:
    return parameter.role == "input" and parameter.type in FILE_TYPES


def _name_problems(call: Call, schema: ToolSchema) -> list[Problem]:
    problems = []
    for name, parameter in schema.parameters.items():
        needed = parameter.required or parameter.role == "output"
        if needed and call.arguments.get(name, ...) in (..., None) and not (name in call.arguments and not needed):
            what = "a file to write" if parameter.role == "output" else f"a {parameter.artifact_type}"
            where = f"{call.tool}.{name}"
            problems.append(Problem("missing_argument", f"{what} for {name!r}", "nothing", where=where))
    for name in call.arguments:
        if name not in schema.parameters:
            expected = f"one of {', '.join(schema.parameters)}"
            problems.append(Problem("unknown_argument", expected, repr(name), where=call.tool))
    return problems


def _form_problems(value: Any, parameter: Parameter, where: str) -> list[Problem]:
    """What is wrong with the form of a value, whatever it names."""
    if value is None or isinstance(value, Result):
        return []
    if parameter.role == "output" or is_file_parameter(parameter) or parameter.type == "path":
        return _path_problems(value, parameter, where)
    if parameter.type == "list" and parameter.items == "number" and isinstance(unwrapped(value), str):
        title = "a list of numbers"
        return [
            Problem("wrong_type", title, f"a text: {value!r}", where=where),
            Problem("not_numbers", title, repr(value), where=where),
        ]
    return value_problems(as_typed(value, parameter.type), parameter, where)


def _path_problems(value: Any, parameter: Parameter, where: str) -> list[Problem]:
    texts = isinstance(value, (list, tuple)) and all(isinstance(item, (str, Result)) for item in value)
    many = parameter.type == "raster_series" or (parameter.produces == "raster_series" and parameter.role == "output")
    if parameter.keyed_by is not None:
        fits, expected = isinstance(value, Mapping) and "value" not in value, "a mapping of bands to files"
    elif many:
        fits = texts or (isinstance(value, str) and parameter.single)
        expected = "a list of files"
    elif parameter.type == "path" and parameter.role == "input":
        fits, expected = isinstance(value, str), "a path"
    else:
        fits, expected = isinstance(value, str) or texts, "a file, or a list of files, one per scene"
    if fits and isinstance(value, str) and unwrapped(value) is not value:
        fits = False
    return [] if fits else [Problem("wrong_type", expected, repr(value), where=where)]


def _file_problems(call: Call, schema: ToolSchema, known: KnownFiles) -> list[Problem]:
    """Files and folders that are read and not there; every name once, the first ones named."""
    problems = []
    for name, value in call.arguments.items():
        parameter = schema.parameters.get(name)
        if parameter is None or parameter.role == "output" or value is None:
            continue
        if parameter.type == "path":
            problems += _folder_problems(value, known, f"{call.tool}.{name}")
        elif is_file_parameter(parameter):
            texts = texts_in(unwrapped(value))
            missing = [text for text in texts if known.has_file(text) is False]
            if missing:
                more = f", and {len(missing) - 1} more" if len(missing) > 1 else ""
                found = f"{missing[0]!r}{more}"
                where = f"{call.tool}.{name}"
                problems.append(Problem("unknown_file", "a file that is there", found, where=where))
    return problems


def _folder_problems(value: Any, known: KnownFiles, where: str) -> list[Problem]:
    plain = unwrapped(value)
    if not isinstance(plain, str):
        return []
    if PurePosixPath(plain).suffix:
        absent, code, expected = known.has_file(plain) is False, "unknown_file", "a file that is there"
    else:
        absent, code, expected = known.has_folder(plain) is False, "unknown_folder", "a folder that is there"
    return [Problem(code, expected, repr(plain), where=where)] if absent else []


def _parallel_problems(tool: str, plain: Mapping[str, Any], schema: ToolSchema) -> list[Problem]:
    """Lists that stand for scenes in parallel, and the outputs for them, that are not equally long."""
    counts = {
        name: len(value)
        for name, value in plain.items()
        if isinstance(value, (list, tuple)) and name in schema.parameters and _one_per_scene(schema.parameters[name])
    }
    series = {
        name: len(value)
        for name, value in plain.items()
        if isinstance(value, (list, tuple)) and name in schema.inputs and schema.inputs[name].type == "raster_series"
    }
    many = [n for n, p in schema.parameters.items() if p.role == "output" and p.produces == "raster_series"]
    if many and series:
        counts = series | {name: len(plain[name]) for name in many if isinstance(plain.get(name), (list, tuple))}
    if len(set(counts.values())) < 2:
        return []
    found = ", ".join(f"{name}: {count}" for name, count in counts.items())
    return [Problem("length_mismatch", "lists of one length, one item per scene", found, where=tool)]


def _one_per_scene(parameter: Parameter) -> bool:
    if parameter.role == "output":
        return parameter.produces != "raster_series"
    return parameter.type in ("raster", "vector") and parameter.keyed_by is None


def _condition_problems(plain: Mapping[str, Any], schema: ToolSchema, where: str) -> list[Problem]:
    """Preconditions over lengths and numbers alone that are false."""
    environment: dict[str, Any] = {}
    for name, parameter in schema.inputs.items():
        environment[name] = as_typed(plain.get(name, parameter.default), parameter.type)
    problems = []
    for text, expression in schema.parsed_preconditions:
        if not _of_plain_values(expression, schema, environment):
            continue
        verdict = evaluate(expression, environment)
        if verdict.truth is False:
            problems.append(Problem(_code(expression, text), text, verdict.because, where=where))
    return problems


def _of_plain_values(expression: Expression, schema: ToolSchema, environment: Mapping[str, Any]) -> bool:
    """Whether a condition can be judged without reading a file: lengths of known lists, and plain values."""
    for part in walk(expression):
        if isinstance(part, Predicate) and (part.name != "length" or not _listed(part, environment)):
            return False
        if isinstance(part, Name) and isinstance(environment.get(part.name), (Result, Mapping)):
            return False
    named = [part.name for part in walk(expression) if isinstance(part, Name)]
    return all(_is_plain(schema.inputs[name], environment.get(name)) for name in named if name in schema.inputs)


def _is_plain(parameter: Parameter, value: Any) -> bool:
    return isinstance(value, (list, tuple)) or (parameter.type in VALUE_TYPES and isinstance(value, (int, float)))


def _listed(part: Predicate, environment: Mapping[str, Any]) -> bool:
    return all(isinstance(a, Name) and isinstance(environment.get(a.name), (list, tuple)) for a in part.args)


def _code(expression: Expression, text: str) -> str:
    """What a false condition over plain values is called."""
    if isinstance(expression, Compare):
        lengths = [p for p in (expression.left, expression.right) if isinstance(p, Predicate) and p.name == "length"]
        if len(lengths) == 2:
            return "length_mismatch"
        if lengths:
            return "too_few_items"
        if expression.op == "!=" and text.rstrip().endswith(("0", "0.0")):
            return "zero_division"
    return "precondition"


def named(problems: Collection[Problem]) -> tuple[str, ...]:
    """The codes of problems, each once, in order."""
    return tuple(dict.fromkeys(problem.code for problem in problems))
