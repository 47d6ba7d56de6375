"""The check of a node's arguments against its tool's parameters: names, types, places, choices, limits, units."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

from knowflow.ground.indices import spectral_indices
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.report import Problem
from knowflow.ground.spelling import did_you_mean
from knowflow.ground.units import compatible, known
from knowflow.model.artifact import ARTIFACT_TYPES, Artifact
from knowflow.model.geo import is_crs
from knowflow.model.tool import Parameter, ToolSchema
from knowflow.model.workflow import Given, Node

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
    "model": (str,),
}
# what a value type is called where its name alone does not say enough
_TITLES: Mapping[str, str] = {
    "numbers": "a list of numbers",
    "strings": "a list of texts",
    "bbox": "a bbox: west, south, east, north",
    "date": "a date (ISO 8601), such as 2022-07-01",
    "crs": "a CRS, such as EPSG:32633",
    "model": "a model: the name of a registered one, or a file",
    "integer": "an integer",
}
_LONGEST_NUMBER = 400  # characters; no number that is written in more was meant as one
# the artifacts that can stand for a value type, where not each of scalar, text and list can
_CARRIERS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("number", "integer", "boolean"), ("scalar",)),
    **dict.fromkeys(("numbers", "strings", "bbox"), ("list",)),
}


def _numeric(value: Any) -> bool:
    whole = isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, float) or (whole and _finite(value))


def _row_of(length: int, item: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, (tuple, list)) and len(value) == length and all(map(item, value))


def _band_condition(value: Any) -> bool:
    return (
        isinstance(value, (tuple, list))
        and len(value) == 3
        and isinstance(value[0], int)
        and _numeric(value[1])
        and isinstance(value[2], str)
    )


# what an item of a list is called, and whether a value is one; a number may be missing
_ITEMS: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    "number": ("a number", lambda value: value is None or _numeric(value)),
    "integer": ("an integer", lambda value: _numeric(value) and isinstance(value, int)),
    "text": ("a text", lambda value: isinstance(value, str)),
    "box": ("a box of four numbers", _row_of(4, _numeric)),
    "point": ("a point of two numbers", _row_of(2, _numeric)),
    "pair": ("a pair of integers", _row_of(2, lambda value: _numeric(value) and isinstance(value, int))),
    "band_condition": ("[band, threshold, 'above' or 'below']", _band_condition),
}


def argument_problems(node: Node, schema: ToolSchema, arguments: Mapping[str, Any]) -> list[Problem]:
    """All problems of a node's arguments; ``arguments`` are resolved, defaults included."""
    problems = name_problems(node, schema, [name for name, value in arguments.items() if value is not None])
    for name, parameter in schema.inputs.items():
        value = arguments.get(name)
        if value is not None:
            problems.extend(value_problems(value, parameter, f"{node.id}.{name}"))
    return problems + place_problems(schema, arguments, node.id)


def authored_problems(node: Node, schema: ToolSchema) -> list[Problem]:
    """What can be said of a node's arguments without its inputs: names, missing ones, and the literal values."""
    literals = {name: value.value for name, value in node.args.items() if isinstance(value, Given)}
    given = [name for name in node.args if literals.get(name, ...) is not None]
    problems = name_problems(node, schema, given)
    for name, literal in literals.items():
        if name in schema.inputs and literal is not None:
            problems.extend(value_problems(literal, schema.inputs[name], f"{node.id}.{name}"))
    return problems


def name_problems(node: Node, schema: ToolSchema, given: Collection[str]) -> list[Problem]:
    """Arguments that the tool does not take, and required ones that are not among the given."""
    problems = []
    for name in node.args:
        if name not in schema.inputs:
            hint = did_you_mean(name, schema.inputs, f"see `knowflow tools show {schema.tool}`", most=1)
            expected = f"one of {', '.join(schema.inputs)}"
            problems.append(Problem("unknown_argument", expected, repr(name), hint, where=node.id))
    for name, parameter in schema.inputs.items():
        if parameter.required and name not in given:
            expected = f"a {parameter.artifact_type} for {name!r}"
            problems.append(Problem("missing_argument", expected, "nothing", where=f"{node.id}.{name}"))
    return problems


def value_problems(value: Any, parameter: Parameter, where: str) -> list[Problem]:
    """All problems of one value for one parameter."""
    if isinstance(value, Artifact):
        return _artifact_problems(value, parameter, where)
    problem = type_problem(value, parameter.artifact_type, where)
    if problem is not None:
        return [problem]
    if isinstance(value, (tuple, list)):
        return item_problems(value, parameter, where) + [
            problem
            for index, item in enumerate(value)
            if not isinstance(item, Artifact)
            for problem in _word_problems(item, parameter, f"{where}[{index}]")
            + _limit_problems(item, parameter, where)
        ]
    return _word_problems(value, parameter, where) + _limit_problems(value, parameter, where)


def type_problem(value: Any, wanted: str, where: str = "") -> Problem | None:
    """That a plain value is of another type than is wanted; None where it is of that."""
    if _is_a(wanted, value):
        return None
    return Problem("wrong_type", type_title(wanted), f"{value!r} ({type(value).__name__})", where=where)


def as_typed(value: Any, wanted: str) -> Any:
    """A number, an integer or a truth that is written as a text, as what it says; all else as it is."""
    if not isinstance(value, str) or len(value) > _LONGEST_NUMBER:
        return value
    if wanted == "boolean":
        return {"true": True, "false": False}.get(value.strip().casefold(), value)
    if wanted in ("number", "integer") and "_" not in value:  # Python's own way to group digits
        with suppress(ValueError):
            return int(value) if wanted == "integer" else float(value)
    return value


def type_title(wanted: str) -> str:
    """What a value of a type is called in errors."""
    return _TITLES.get(wanted, f"a {wanted}")


def item_problems(values: Sequence[Any], parameter: Parameter, where: str) -> list[Problem]:
    """Items of a list that are not what the parameter's ``items`` says; one problem for all of a kind."""
    if parameter.items is None:
        return []
    title, fits = _ITEMS[parameter.items]
    wrong = [index for index, item in enumerate(values) if not isinstance(item, Artifact) and not fits(item)]
    if not wrong:
        return []
    more = f", and {len(wrong) - 1} more" if len(wrong) > 1 else ""
    code = "not_numbers" if parameter.items == "number" else "wrong_type"
    return [Problem(code, f"{title} at each place", f"{values[wrong[0]]!r}{more}", where=f"{where}[{wrong[0]}]")]


def place_problems(schema: ToolSchema, arguments: Mapping[str, Any], where: str) -> list[Problem]:
    """Places (``index_of``) that the list they count into does not have; negative ones count from its end."""
    problems = []
    for name, parameter in schema.inputs.items():
        length = None if parameter.index_of is None else _length(arguments.get(parameter.index_of))
        if length is None:
            continue
        for place in _places(arguments.get(name)):
            if not -length <= place < length:
                expected = f"a place in {parameter.index_of}, which has {length}: 0 to {length - 1}"
                found = str(place)
                problems.append(Problem("index_out_of_range", expected, found, where=f"{where}.{name}"))
    return problems


def _places(value: Any) -> list[int]:
    """Every integer of a place, a list of places or a list of pairs of them."""
    if isinstance(value, (tuple, list)):
        return [place for item in value for place in _places(item)]
    return [value] if isinstance(value, int) and not isinstance(value, bool) else []


def _length(value: Any) -> int | None:
    """How many items there are; None where that is not known yet."""
    if isinstance(value, Artifact):
        if value.type == "raster_series":
            return len(value.items) or None
        value = value.value
    return len(value) if isinstance(value, (tuple, list)) else None


def _is_a(wanted: str, value: Any) -> bool:
    """Whether a plain value is of a parameter's type; numbers are finite."""
    python_type: Any = _PYTHON_TYPES.get(wanted, ())
    if not isinstance(value, python_type):
        return False
    if isinstance(value, bool):
        return wanted in ("boolean", "scalar")
    match wanted:
        case "number" | "integer":
            return _finite(value)
        case "numbers":
            return all(_is_a("number", item) for item in value)
        case "strings":
            return all(isinstance(item, str) for item in value)
        case "bbox":
            return len(value) == 4 and all(_is_a("number", item) for item in value)
        case "date":
            return _is_date(value)
        case "crs":
            return value == "auto" or is_crs(value)
    return True


def _finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer beyond all floating-point numbers
        return False


def _is_date(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _artifact_problems(value: Artifact, parameter: Parameter, where: str) -> list[Problem]:
    wanted = parameter.artifact_type
    if wanted not in ARTIFACT_TYPES:
        if value.type not in _CARRIERS.get(wanted, ("scalar", "text", "list")):
            return [Problem("wrong_type", type_title(wanted), f"a {value.type}", where=where)]
        return _unit_problems(value, parameter, where)
    if value.type != wanted:
        hint = "use for_each to run the step once per item" if value.type == "raster_series" else ""
        return [Problem("wrong_type", f"a {wanted}", f"a {value.type}", hint, where=where)]
    return []


def _unit_problems(value: Artifact, parameter: Parameter, where: str) -> list[Problem]:
    unit = value.fact("unit")
    if parameter.unit is None or unit is None or (known(unit) and compatible(unit, parameter.unit)):
        return []
    return [Problem("unit", f"a number in {parameter.unit}", f"one in {unit}", where=where)]


def _word_problems(value: Any, parameter: Parameter, where: str) -> list[Problem]:
    """A value outside the choices or the catalogue of its parameter."""
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
    return problems


def _limit_problems(value: Any, parameter: Parameter, where: str) -> list[Problem]:
    """A number below the minimum or above the maximum."""
    if not isinstance(value, (int, float)) or not (isinstance(value, float) or _finite(value)):
        return []
    problems = []
    if parameter.minimum is not None and not value >= parameter.minimum:
        problems.append(Problem("out_of_range", f"at least {parameter.minimum:g}", f"{value:g}", where=where))
    if parameter.maximum is not None and not value <= parameter.maximum:
        problems.append(Problem("out_of_range", f"at most {parameter.maximum:g}", f"{value:g}", where=where))
    return problems


def _is_quantity(name: str) -> bool:
    return name.casefold() in quantity_kinds()


def _unknown(expected: str, found: str, catalogue: Mapping[str, object], where: str) -> Problem:
    return Problem("bad_value", expected, repr(found), did_you_mean(found, catalogue), where)
