"""The check of a node's arguments against its tool's parameters: names, types, choices, limits, units."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from knowflow.ground.indices import spectral_indices
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.report import Problem
from knowflow.ground.units import compatible, known
from knowflow.model.artifact import ARTIFACT_TYPES, Artifact
from knowflow.model.tool import Parameter, ToolSchema
from knowflow.model.workflow import Node

_PYTHON_TYPES: Mapping[str, tuple[type, ...]] = {
    "number": (int, float),
    "integer": (int,),
    "string": (str,),
    "boolean": (bool,),
    "quantity": (str,),
    "unit": (str,),
    "crs": (str,),
    "date": (str,),
    "path": (str,),
    "bbox": (tuple, list),
    "numbers": (tuple, list),
    "strings": (tuple, list),
    "mapping": (dict,),
    "list": (tuple, list),
    "text": (str,),
    "scalar": (int, float, str, bool),
}


def argument_problems(node: Node, schema: ToolSchema, arguments: Mapping[str, Any]) -> list[Problem]:
    """All problems of a node's arguments; ``arguments`` are resolved, defaults included."""
    problems = []
    for name in node.args:
        if name not in schema.inputs:
            close = difflib.get_close_matches(name, schema.inputs, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"see `knowflow tools show {schema.tool}`"
            problems.append(
                Problem("unknown_argument", f"one of {', '.join(schema.inputs)}", repr(name), hint, where=node.id)
            )
    for name, parameter in schema.inputs.items():
        where = f"{node.id}.{name}"
        value = arguments.get(name)
        if value is None:
            if parameter.required:
                problems.append(
                    Problem("missing_argument", f"a {parameter.artifact_type} for {name!r}", "nothing", where=where)
                )
        else:
            problems.extend(value_problems(value, parameter, where))
    return problems


def value_problems(value: Any, parameter: Parameter, where: str) -> list[Problem]:
    """All problems of one value for one parameter."""
    if isinstance(value, Artifact):
        return _artifact_problems(value, parameter, where)
    wanted = parameter.artifact_type
    python_types = _PYTHON_TYPES.get(wanted)
    if python_types is None or not isinstance(value, python_types) or (isinstance(value, bool) and wanted != "boolean"):
        return [Problem("wrong_type", f"a {wanted}", f"{value!r} ({type(value).__name__})", where=where)]
    return _range_problems(value, parameter, where)


def _artifact_problems(value: Artifact, parameter: Parameter, where: str) -> list[Problem]:
    wanted = parameter.artifact_type
    if wanted not in ARTIFACT_TYPES:
        if value.type not in ("scalar", "text", "list"):
            return [Problem("wrong_type", f"a {wanted}", f"a {value.type}", where=where)]
        return _unit_problems(value, parameter, where)
    if value.type != wanted:
        hint = "use for_each to run the step once per item" if value.type == "raster_series" else ""
        return [Problem("wrong_type", f"a {wanted}", f"a {value.type}", hint, where=where)]
    return []


def _unit_problems(value: Artifact, parameter: Parameter, where: str) -> list[Problem]:
    unit = value.fact("unit")
    if parameter.unit is None or unit is None or compatible(unit, parameter.unit):
        return []
    return [Problem("unit", f"a number in {parameter.unit}", f"one in {unit}", where=where)]


def _range_problems(value: Any, parameter: Parameter, where: str) -> list[Problem]:
    problems = []
    if parameter.choices and value not in parameter.choices:
        choices = ", ".join(map(str, parameter.choices))
        problems.append(Problem("bad_value", f"one of {choices}", repr(value), where=where))
    if parameter.choices_from == "spyndex" and str(value).casefold() not in spectral_indices():
        problems.append(_unknown("a spectral index of the spyndex catalogue", str(value), spectral_indices(), where))
    if (parameter.choices_from == "quantities" or parameter.type == "quantity") and not _is_quantity(str(value)):
        problems.append(_unknown("a quantity kind", str(value), quantity_kinds(), where))
    if parameter.type == "unit" and not known(str(value)):
        problems.append(Problem("unit", "a unit such as km2, ha, m2, K, degC", repr(value), where=where))
    for limit, word, broken in (
        (parameter.minimum, "at least", lambda number, bound: number < bound),
        (parameter.maximum, "at most", lambda number, bound: number > bound),
    ):
        if limit is not None and isinstance(value, (int, float)) and broken(value, limit):
            problems.append(Problem("out_of_range", f"{word} {limit:g}", f"{value:g}", where=where))
    return problems


def _is_quantity(name: str) -> bool:
    return name.casefold() in quantity_kinds()


def _unknown(expected: str, found: str, catalogue: Mapping[str, object], where: str) -> Problem:
    close = difflib.get_close_matches(found.casefold(), catalogue, n=3)
    return Problem("bad_value", expected, repr(found), f"did you mean {' or '.join(close)}?" if close else "", where)
