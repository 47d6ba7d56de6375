"""Values of template parameters: their unit, what ``--set`` says as they take it, limits that no value can be like."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from knowflow.graph.arguments import type_problem, type_title
from knowflow.ground.errors import PlanningError, UnitError
from knowflow.ground.quantities import quantity_kind, quantity_kinds
from knowflow.ground.units import change_unit, compatible, convert, known, normalise
from knowflow.model.goal import QueryGoal, Side, Threshold
from knowflow.model.template import Template, TemplateParameter
from knowflow.reason.builder import Bound
from knowflow.reason.language.possible_limits import DIFFERENCES, impossible_limit

_TRUTHS: Mapping[str, bool] = {
    **dict.fromkeys(("true", "yes", "1"), True),
    **dict.fromkeys(("false", "no", "0"), False),
}


def unit_of(parameter: TemplateParameter, bound: Mapping[str, Bound]) -> str | None:
    """The unit of a parameter's numbers; None where it has none, or its quantity is not bound."""
    if not _is_of_quantity(parameter):
        return parameter.unit
    quantity = _quantity(parameter, bound)
    if quantity is None:
        return None
    kind = quantity_kind(quantity)
    unit = parameter.units.get(kind.name, kind.unit)
    return change_unit(unit) if _is_change(parameter) else unit


def unit_of_limits(parameter: TemplateParameter, bound: Mapping[str, Bound]) -> str | None:
    """For a parameter that is a unit ``of(QUANTITY)``: the unit in which numbers ``of(QUANTITY)`` are bound."""
    return unit_of(parameter, bound) if parameter.type == "unit" and _is_of_quantity(parameter) else None


def is_water(parameter: TemplateParameter, bound: Mapping[str, Bound]) -> bool:
    """The parameter is an amount of water per area, which may be told as a depth."""
    quantity = _quantity(parameter, bound)
    return quantity is not None and quantity_kind(quantity).water


def given_value(value: Any, parameter: TemplateParameter, bound: Mapping[str, Bound], name: str) -> Any:
    """A ``--set`` value as the parameter takes it.

    Raises:
        PlanningError, UnknownNameError: it does not fit.
    """
    taken = _read(value, parameter, bound, name)
    if parameter.type == "quantity":
        spelt = [one for one in (str(taken), str(taken).casefold()) if one in quantity_kinds()]
        return spelt[0] if spelt else quantity_kind(str(taken)).name
    if parameter.type == "unit":
        wanted = unit_of(parameter, bound)
        if not known(str(taken)) or (wanted is not None and not compatible(str(taken), wanted)):
            raise _misfit(name, value, "a unit" if wanted is None else f"a unit of the same kind as {wanted}")
        return normalise(str(taken))
    problem = type_problem(taken, parameter.type)
    if problem is not None:
        raise _misfit(name, value, problem.expected)
    numbers = taken if isinstance(taken, (list, tuple)) else (taken,)
    if not all(math.isfinite(one) for one in numbers if isinstance(one, float)):
        raise _misfit(name, value, "a number")
    return taken


def refuse_impossible(
    template: Template, goal: QueryGoal, parameters: Mapping[str, Bound], said: Mapping[str, str]
) -> None:
    """Refuse a limit outside of what its quantity can be, wherever it was said; ``said`` has the words of each.

    Raises:
        PlanningError: with what the quantity can be.
    """
    differs = bool(DIFFERENCES & {*(goal.value("operations") or ()), *template.answers})
    for name, parameter in template.parameters.items():
        if parameter.type != "number" or name not in parameters or not str(parameter.unit).startswith("of("):
            continue
        kind = quantity_kinds().get(_quantity(parameter, parameters) or "")
        if kind is None:
            continue
        kind = replace(kind, range=parameter.ranges.get(kind.name, kind.range))
        limit = Threshold(parameters[name].known, unit_of(parameter, parameters), _side(template, parameters, name))
        found = impossible_limit(limit, kind, said[name], differs)
        if found is not None:
            raise PlanningError(found[0], where=name, expected=found[1], found=f"{limit.value:g} {limit.unit}")


def _quantity(parameter: TemplateParameter, bound: Mapping[str, Bound]) -> str | None:
    """The quantity that a unit ``of(QUANTITY)`` or ``change_of(QUANTITY)`` is of."""
    quantity = bound.get(str(parameter.unit).partition("(")[2].rstrip(")"))
    return None if quantity is None else str(quantity.known)


def _is_of_quantity(parameter: TemplateParameter) -> bool:
    return str(parameter.unit).startswith("of(") or _is_change(parameter)


def _is_change(parameter: TemplateParameter) -> bool:
    return str(parameter.unit).startswith("change_of(")


def _side(template: Template, parameters: Mapping[str, Bound], name: str) -> Side:
    """The side of a limit; of an end of several, and where nothing says it, within both ends."""
    side = parameters["side"].known if "side" in parameters else None
    if side is None and "side" in template.parameters:
        side = template.parameters["side"].default
    sides: Mapping[Any, Side] = {"above": "above", "below": "below"}
    return sides.get(side, "between") if name == "threshold" else "between"


def _read(value: Any, parameter: TemplateParameter, bound: Mapping[str, Bound], name: str) -> Any:
    """A ``--set`` value: numbers as such or with a unit (``305 K``), true/false, else the text itself."""
    if parameter.type == "string" and isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(value)  # a year
    if not isinstance(value, str):
        return value
    try:
        match parameter.type:
            case "number":
                return _number(value, unit_of(parameter, bound), _is_change(parameter))
            case "integer":
                return int(value)
            case "boolean":
                return _TRUTHS[value.casefold()]
            case "numbers":
                return tuple(float(part) for part in value.replace(";", ",").split(","))
            case "strings":
                return tuple(part.strip() for part in value.split(","))
            case _:
                return value
    except (ValueError, KeyError, UnitError):
        unit = unit_of(parameter, bound) if parameter.type == "number" else None
        expected = type_title(parameter.type) if unit in (None, "1") else f"a number in {unit}"
        raise _misfit(name, value, expected) from None


def _number(text: str, unit: str | None, difference: bool) -> float:
    head, _, tail = text.strip().partition(" ")
    if tail and unit is None:
        raise ValueError(text)
    return float(convert(float(head), tail, str(unit), difference=difference)) if tail else float(head)


def _misfit(name: str, value: Any, expected: str) -> PlanningError:
    message, found = f"--set {name}={value!s:.60} does not fit", f"{value!r:.60}"
    return PlanningError(message, where=name, expected=expected, found=found)
