"""From the slots of a goal to the parameters of a template."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from knowflow.ground.errors import PlanningError, UnitError
from knowflow.ground.quantities import quantity_kind
from knowflow.ground.units import compatible, convert, known
from knowflow.model.goal import FIRST, LAST, Period, QueryGoal, Threshold
from knowflow.model.plan import Assumption
from knowflow.model.template import Template, TemplateParameter
from knowflow.model.workflow import Given
from knowflow.reason.builder import Bound
from knowflow.reason.parameter_values import is_water, refuse_impossible, unit_of

# Slots that change what is asked: a template that cannot take one of them answers another question.
ESSENTIAL_SLOTS = frozenset(
    {
        *("threshold", "share_threshold", "conditions", "comparison", "group_by", "percentile", "top", "count_of"),
        *("over_dates", "drop", "coefficients", "facing"),
    }
)
_ALIASES: Mapping[str, str] = {
    "method": "algorithm",
    "first": "comparison.0",
    "second": "comparison.1",
    "other": "quantities.1",
}


@dataclass(frozen=True, slots=True)
class Filled:
    """Parameters that the goal bound, the slots used up, and what was taken for granted."""

    parameters: Mapping[str, Bound]
    used: frozenset[str]
    assumptions: tuple[Assumption, ...]


def slot_of(name: str, parameter: TemplateParameter) -> str:
    """The slot that fills a parameter: as declared, else by the parameter's name."""
    return parameter.slot or _ALIASES.get(name, name)


def fill(template: Template, goal: QueryGoal) -> Filled:
    """Bind a template's parameters from the goal.

    Raises:
        PlanningError: a value is of the wrong unit or type, or outside of what its quantity can be.
    """
    parameters: dict[str, Bound] = {}
    used: set[str] = set()
    assumptions: list[Assumption] = []
    said: dict[str, str] = {}
    for name, parameter in template.parameters.items():
        slot = slot_of(name, parameter)
        value = _slot_value(goal, slot)
        if value is None:
            continue
        value, note = _as_parameter(value, name, parameter, parameters)
        if value is None:
            continue
        used.add(slot.partition(".")[0])
        parameters[name] = _bound(value)
        said[name] = goal.slots[found].words if (found := slot.partition(".")[0]) in goal.slots else str(value)
        assumptions += _assumed(goal, slot, name, parameter, value, note)
    refuse_impossible(template, goal, parameters, said)
    return Filled(parameters, frozenset(used), tuple(assumptions))


def asked_period(goal: QueryGoal) -> Period | None:
    """The period of the question; a single day is a period too."""
    period = goal.value("period")
    if isinstance(period, Period):
        return period
    days = tuple(goal.value("dates", ()))
    return Period(days[0], days[0]) if len(days) == 1 and goal.value("comparison") is None else None


def refuse_without_base(template: Template, goal: QueryGoal, filled: Filled) -> None:
    """Refuse a template that would tell the whole of what is asked per unit of another quantity.

    Raises:
        PlanningError: with that quantity.
    """
    base = goal.value("per_quantity")
    if base is None or "per_quantity" in filled.used or "per_capita" in template.answers:
        return
    from knowflow.reason.language.product_words import per_quantity

    if per_quantity(goal.text) is not None:
        raise PlanningError(
            f"no plan tells this per unit of {quantity_kind(str(base)).title.lower()}",
            where="question",
            expected=f"a quantity compared per unit of {base} between two times or places, with data of both",
            found=f"what would be told as a whole: {', '.join(template.answers)}",
            hint="ask for each of the two totals by itself",
        )


def refuse_foreign_unit(goal: QueryGoal) -> None:
    """Refuse a question that wants its answer ``in`` a unit that was not understood as one of what is asked.

    Raises:
        PlanningError: with the word.
    """
    for word in goal.leftover:
        if re.search(rf"\bin {re.escape(word)}\b", goal.text) and known(word):
            raise PlanningError(
                f"the answer cannot be given in {word}",
                expected="a unit of what is asked, such as ha or km2 for an area",
                found=word,
                hint="ask for another unit, or leave it out to get the usual one",
            )


def _bound(value: Any) -> Bound:
    return Bound(Given(value), value)


def _slot_value(goal: QueryGoal, slot: str) -> Any:
    head, _, index = slot.partition(".")
    value = goal.value(head)
    if head == "period":
        return asked_period(goal)
    if head == "algorithm" and value is None and goal.value("feature") is not None:
        return goal.value("index")  # "water by MNDWI": the index is the way to tell water from land
    if head == "side" and value is None:
        threshold = goal.value("threshold")
        return threshold.side if isinstance(threshold, Threshold) else None
    if head == "upper":
        return _upper_end(goal.value("threshold"))
    if head == "limits" and index and value:
        numbers = [number for one in value for number in (one.value, one.upper) if number is not None]
        end = min(numbers) if index == "low" else max(numbers)
        return replace(value[0], value=end, upper=None)
    if head == "conditions" and index.startswith("bands "):
        return _as_bands(goal, tuple(index.split()[1:]))
    if slot == "threshold.conditions":
        return ((0, _in_own_unit(str(goal.value("quantity")), value), str(value.side)),) if value is not None else None
    if index.startswith("place "):
        return _place_among(value, index)
    if head == "conditions" and "." in index:
        place, _, part = index.partition(".")
        quantity, limit = value[int(place)] if value and int(place) < len(value) else (None, None)
        if part.startswith("place "):
            return _place_among(quantity, part)
        side = None if limit is None else limit.side
        return {"quantity": quantity, "limit": limit, "upper": _upper_end(limit), "side": side}[part]
    if index == "side" and isinstance(value, Threshold):
        return value.side
    if index == "upper" and isinstance(value, Threshold):
        return _upper_end(value)
    if index and isinstance(value, (tuple, list)):
        return value[int(index)] if int(index) < len(value) else None
    return None if index else value


def _upper_end(limit: Any) -> Threshold | None:
    """The upper one of two limits, by itself."""
    if not isinstance(limit, Threshold) or limit.upper is None:
        return None
    return replace(limit, value=limit.upper, upper=None)


def _place_among(value: Any, listed: str) -> int | None:
    """The place, from 0, of a quantity among those listed: the band that holds it, where a file holds several."""
    layers = listed.split()[1:]
    return layers.index(value) if value in layers else None


def _as_bands(goal: QueryGoal, layers: tuple[str, ...]) -> tuple[tuple[int, float, str], ...] | None:
    """The limits on quantities that are bands of one file: each as the band's place, the limit and its side."""
    threshold = goal.value("threshold")
    every = [(str(goal.value("quantity")), threshold)] if isinstance(threshold, Threshold) else []
    every += list(goal.value("conditions") or ())
    if len(every) < 2 or any(name not in layers for name, _ in every):
        return None
    places = sorted((layers.index(name), _in_own_unit(name, limit), str(limit.side)) for name, limit in every)
    return tuple(places)


def _in_own_unit(quantity: str, limit: Threshold) -> float:
    """A limit in the unit that the quantity is kept in."""
    unit = quantity_kind(quantity).unit
    return limit.value if limit.unit is None or unit is None else convert(limit.value, limit.unit, unit)


def _as_parameter(value: Any, name: str, parameter: TemplateParameter, bound: Mapping[str, Bound]) -> tuple[Any, str]:
    """A slot's value as the parameter takes it, with a note on what was assumed; None where it does not fit."""
    unit = unit_of(parameter, bound)
    if isinstance(value, Threshold):
        _refuse_relative(value, name)
        number = value.value
        if value.unit is None or unit is None:
            return number, f"no unit was said: taken as {unit}" if unit not in (None, "1") else ""
        if not compatible(value.unit, unit):
            if is_water(parameter, bound) and compatible(value.unit, "mm"):
                return float(convert(convert(number, value.unit, "mm"), "kg m-2", unit)), "1 mm of water is 1 kg m-2"
            raise PlanningError(
                f"the limit {value.value:g} {value.unit} does not fit",
                where=name,
                expected=f"a value in {unit}",
                found=value.unit,
            )
        return float(convert(number, value.unit, unit)), ""
    if parameter.type == "unit":
        try:
            fits = unit is None or compatible(str(value), unit)
        except UnitError:
            fits = False
        return (value, "") if fits else (None, "")
    if parameter.choices and value not in parameter.choices:
        if value == "between":
            expected = " or ".join(map(str, parameter.choices))
            raise PlanningError("a limit on both sides does not fit", where=name, expected=expected, found=str(value))
        return None, ""
    if isinstance(value, tuple):
        return tuple(_plain_period(one) for one in value), ""
    return _plain_period(value), ""


def _plain_period(value: Any) -> Any:
    if not isinstance(value, Period):
        return value
    if value.start == value.end:
        return value.start
    return f"{'..' if value.start == FIRST else value.start}/{'..' if value.end == LAST else value.end}"


def _assumed(
    goal: QueryGoal, slot: str, name: str, parameter: TemplateParameter, value: Any, note: str
) -> list[Assumption]:
    found = goal.slots.get(slot.partition(".")[0])
    if found is not None and found.default:
        because = found.note or f"what {found.words!r} stands for"
        return [Assumption(parameter.title or name, value, "default", because)]
    return [Assumption(parameter.title or name, value, "assumed", note)] if note else []


def _refuse_relative(limit: Threshold, name: str) -> None:
    if limit.relative_to is not None:
        raise PlanningError(
            f"a limit relative to the {limit.relative_to} is not supported",
            where=name,
            expected="a limit as a number",
            found=f"{limit.value:g} % of the {limit.relative_to}",
            hint=f"ask for the {limit.relative_to} first, then for what lies beyond that number",
        )
