"""What is done value by value, key by key: limits, classes, logic and arithmetic, of maps and of numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from knowflow.ground.units import change_unit, compatible, convert, known
from knowflow.question.measures import are_areas, plainly
from knowflow.question.operators import And, Beyond, Calculate, Classify, IsClass, Not, Number, Or
from knowflow.question.types import Measure, Type
from knowflow.reason.builder import Bound
from knowflow.reason.compiling.made import Item, Keys, Made, Nodes, is_raster, meet, refuse

_QUANTITIES = {"difference": "difference", "percent_change": "relative_change", "ratio": "ratio"}
_OF_CHANGES = ("difference", "sum", "minimum", "maximum", "percent_change")


def beyond(e: Beyond, x: Made, limit: Made, upper: Made | None, own: Type, nodes: Nodes) -> Made:
    """Whether numbers lie on a side of one limit or between two."""
    measure = x.type.measure
    stated = limit.literal and (upper is None or upper.literal)
    made: dict[Keys, Item] = {}
    for key, one, than in meet(e, x, limit):
        other = None if upper is None else _at(upper, key, x)
        if upper is not None and other is None:
            continue
        bound = _compared(e, one, than, other, stated, measure, limit.type.measure, key, nodes)
        item = nodes.together(one, than, bound, "beyond", key)
        made[key] = item if other is None else nodes.together(item, other, bound, "beyond", key)
    return x.of(own, made)


def _at(other: Made, key: Keys, like: Made) -> Item | None:
    return other.items.get(tuple(key[like.type.keys.index(name)] for name in other.type.keys))


def _compared(
    e: Beyond, x: Item, limit: Item, upper: Item | None, stated: bool, own: Measure, its: Measure, key: Keys,
    nodes: Nodes,
) -> Bound:  # fmt: skip
    common: dict[str, Any] = {"side": e.side, "unit": own.unit, "changes": own.change or its.change, "stated": stated}
    if own.nature == "angle":
        common["circular"] = True
    if not is_raster(x.bound):
        return nodes.add("number_comparison", "beyond", key, x=x, limit=limit, upper=upper, **common)
    simple = e.side in ("above", "below", "between") and own.nature != "angle"
    if stated and simple and not own.change:
        ends: dict[str, Any] = {"threshold": limit, "upper": upper, "threshold_unit": own.unit, "side": e.side}
        low, high = (None if one is None else one.bound.known for one in (limit, upper))
        if high is None or high >= low:
            return nodes.add("threshold", "beyond", key, raster=x, **ends)
    names = {"limit": ("limit", "number"), "upper": ("upper", "upper_number")}
    given: dict[str, Any] = {
        names[name][not is_raster(one.bound)]: one for name, one in (("limit", limit), ("upper", upper)) if one
    }
    return nodes.add("raster_comparison", "beyond", key, raster=x, **given, **common)


def is_class(e: IsClass, x: Made, own: Type, nodes: Nodes) -> Made:
    """Whether a class is one of some.

    Raises:
        NotCompiledError: the names of classes that only the run finds are not known.
    """

    def mask(key: Keys, bound: Bound) -> Bound:
        if not is_raster(bound):
            return nodes.add("is_one_of", "is_class", key, x=bound, numbers=numbers)
        parts = [nodes.add("mask_of_class", "is_class", key, raster=bound, name=name) for name in e.names]
        if len(parts) == 1:
            return parts[0]
        return nodes.add("combine_masks", "is_class", key, masks=nodes.series(parts), operation="or")

    numbers = [code for code, name in x.legend.items() if name in e.names]
    if not own.space and not numbers:
        raise refuse(e, f"classes of which none is called {' or '.join(e.names)}")
    return nodes.each(x, own, mask)


def logic(e: And | Or, parts: list[Made], own: Type, nodes: Nodes) -> Made:
    """Truths joined, one after the other; one without pixels beside a mask holds everywhere."""
    found = parts[0]
    for part in parts[1:]:
        larger = max(found, part, key=lambda one: len(one.type.keys))
        space = found.type.space or part.type.space
        made = {}
        for key, a, b in meet(e, found, part):
            both = nodes.series(_masks(a, b, e.op, key, nodes) if space else [a.bound, b.bound])
            if space:
                bound = nodes.add("combine_masks", e.op, key, masks=both, operation=e.op)
            else:
                bound = nodes.add("truths_combined", e.op, key, truths=both, how=e.op)
            made[key] = nodes.together(a, b, bound, e.op, key, "any")
        found = found.of(replace(larger.type, space=space), made)
    return found.of(own, found.items)


def _masks(a: Item, b: Item, step: str, key: Keys, nodes: Nodes) -> list[Bound]:
    """Two truths as masks, where one is."""
    like = a.bound if is_raster(a.bound) else b.bound
    truths = (one.bound for one in (a, b))
    return [one if is_raster(one) else nodes.add("truth_everywhere", step, key, like=like, truth=one) for one in truths]


def denied(e: Not, x: Made, own: Type, nodes: Nodes) -> Made:
    """Where a truth does not hold."""

    def change(key: Keys, bound: Bound) -> Bound:
        one = nodes.series([bound])
        if is_raster(bound):
            return nodes.add("combine_masks", "not", key, masks=one, operation="not")
        return nodes.add("truths_combined", "not", key, truths=one, how="not")

    return nodes.each(x, own, change)


def calculate(e: Calculate, a: Made, b: Made | None, own: Type, nodes: Nodes) -> Made:
    """Arithmetic of one or two, in the units that the rules of the algebra have."""
    given = _units(e, a.type.measure, a.type.measure if b is None else b.type.measure, own.measure)
    if b is None:
        return x_of_one(e, a, own, given, nodes)
    given |= {"circular": True} if "angle" in (a.type.measure.nature, b.type.measure.nature) else {}
    made = {}
    for key, one, other in meet(e, a, b):
        told = given | _as_stored(e, a.type.measure, (one, other))
        made[key] = nodes.together(one, other, _of_two(e, one, other, told, key, nodes), "calculate", key)
        if "classes" in a.type.keys == b.type.keys and are_areas(e):  # of a class that only one has the other has none
            made[key] = replace(made[key], present=nodes.either_there(one, other, "calculate", key))
    return (a if len(a.type.keys) >= len(b.type.keys) else b).of(own, made)


def x_of_one(e: Calculate, a: Made, own: Type, given: dict[str, Any], nodes: Nodes) -> Made:
    """The absolute value or the logarithm."""

    def change(key: Keys, bound: Bound) -> Bound:
        tool = "raster_calculation" if is_raster(bound) else "number_calculation"
        return nodes.add(tool, "calculate", key, a=bound, how=e.how, **given)

    return nodes.each(a, own, change)


def _of_two(e: Calculate, a: Item, b: Item, given: dict[str, Any], key: Keys, nodes: Nodes) -> Bound:
    maps = is_raster(a.bound), is_raster(b.bound)
    if maps == (False, False):
        return nodes.add("number_calculation", "calculate", key, a=a, b=b, how=e.how, **given)
    if maps == (True, True):
        return nodes.add("raster_calculation", "calculate", key, a=a, b=b, how=e.how, **given)
    if maps == (True, False):
        return nodes.add("raster_calculation", "calculate", key, a=a, number=b, how=e.how, **given)
    turned = {**given, "unit": given["other_unit"], "other_unit": given["unit"]}
    turned |= {"changes": given["other_changes"], "other_changes": given["changes"]}
    return nodes.add("raster_calculation", "calculate", key, a=b, number=a, how=e.how, number_first=True, **turned)


def _units(e: Calculate, one: Measure, other: Measure, own: Measure) -> dict[str, Any]:
    """In which units the parts are taken and the result is told, and what lies between them."""
    kind = _QUANTITIES.get(e.how, "calculated")
    given: dict[str, Any] = {"unit": one.unit, "result_unit": own.unit, "changes": one.change, "quantity": kind}
    if e.b is None:
        return given | ({"unit": "1"} if e.how == "logarithm" else {})
    given |= {"other_unit": one.unit, "other_changes": one.change or other.change}
    if e.how == "difference":
        given["factor"] = float(convert(1.0, one.unit, own.unit, difference=True))
    elif e.how not in _OF_CHANGES:
        given |= {"other_unit": other.unit, "other_changes": other.change}
        given["factor"] = _factor(e, one.unit, other.unit, own.unit)
    return given


def _as_stored(e: Calculate, measure: Measure, parts: tuple[Item, Item]) -> dict[str, Any]:
    """A map of a difference is told in the unit that both maps have: percent of percentages."""
    units = {str(one.bound.known.fact("unit")) if is_raster(one.bound) else "" for one in parts}
    unit = units.pop() if len(units) == 1 else ""
    if e.how != "difference" or not known(unit) or not unit or not compatible(unit, measure.unit):
        return {}
    told = change_unit(unit)
    return {"result_unit": told, "factor": float(convert(1.0, measure.unit, told, difference=True))}


def _factor(e: Calculate, a: str, b: str, made: str) -> float:
    """What a product of powers in two units is to be multiplied with to be in the unit of the result."""
    exponents = (
        (e.b.value, 0.0) if e.how == "power" and isinstance(e.b, Number) else (1.0, -1.0 if e.how == "ratio" else 1.0)
    )
    factor, product = 1.0, []
    for unit, exponent in zip((a, b), exponents, strict=True):
        if plainly(unit) == "1":
            factor *= float(convert(1.0, unit, "1")) ** exponent
        elif exponent:
            product.append(f"({unit})**{exponent:g}")
    return factor * float(convert(1.0, "*".join(product), made)) if product else factor


def classify(e: Classify, x: Made, own: Type, nodes: Nodes) -> Made:
    """Classes between breaks, numbered from 1 upwards."""
    measure = x.type.measure

    def classes(key: Keys, bound: Bound) -> Bound:
        if not is_raster(bound):
            limits = [float(convert(one, e.unit, measure.unit, difference=measure.change)) for one in e.breaks]
            given: dict[str, Any] = {"unit": measure.unit, "changes": measure.change}
            return nodes.add("class_of_number", "classify", key, x=bound, limits=limits, **given)
        unit = str(bound.known.fact("unit") or measure.unit)
        limits = [float(convert(one, e.unit, unit, difference=measure.change)) for one in e.breaks]
        return nodes.add("classes_between_limits", "classify", key, raster=bound, limits=limits, names=list(e.labels))

    made = nodes.each(x, own, classes)
    return made.of(own, made.items, dict(enumerate(e.labels, start=1)))
