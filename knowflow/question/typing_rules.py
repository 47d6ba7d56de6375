"""The rule of every operator: the type of what it makes of what lies below it, or what does not fit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import inf
from typing import Any, get_args

from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.row_times import GRAINS as ROW_GRAINS
from knowflow.ground.spelling import did_you_mean
from knowflow.ground.units import known, per_year
from knowflow.question.measures import from_ice, measure_of, same_unit
from knowflow.question.misfits import DoesNotFitError, need
from knowflow.question.operators import (
    GRAINS,
    STANDING,
    SURVEYED,
    UNARY,
    Along,
    And,
    Anomaly,
    Apply,
    Attribute,
    Beyond,
    Calculate,
    Classify,
    Correlate,
    Distance,
    During,
    Expression,
    Extreme,
    Holds,
    IsClass,
    Not,
    Number,
    Or,
    Outline,
    Over,
    Point,
    Polygons,
    Quantity,
    Several,
    Show,
    Side,
    Split,
    Trend,
    Weighted,
    Within,
)
from knowflow.question.times import Times
from knowflow.question.types import (
    AREA,
    COUNTED,
    DAYS,
    SHARE,
    Measure,
    Type,
    one_of,
    type_of_kind,
)
from knowflow.question.typing_of_features import (
    NO_PLACE,
    are_rows,
    attribute,
    distance,
    is_chosen,
    is_features,
    is_sort_of,
    layer_of,
    measured_of,
    of_objects,
    of_rows,
    outline,
)

_OF_NUMBERS = ("mean", "median", "minimum", "maximum", "deviation", "percentile", "sum", "range", "count", "integral")
_ONLY_TIME = ("longest", "longest_run", "first", "last")
_OF_TRUTHS = ("share", "count", "any", "all", "area", *_ONLY_TIME, "patches", "largest_patch")
_OF_CLASSES = ("majority", "variety", "count", "area")
_OF_ANGLES = ("mean", "deviation", "count")
_ONLY_SPACE = ("area", "patches", "largest_patch", "integral")

Below = Mapping[str, Any]
"""The types of the parts of an operator, by field; of several parts a list."""


def _quantity(e: Quantity, below: Below) -> Type:
    found = type_of_kind(e.kind)
    if found is None:
        raise DoesNotFitError("a quantity kind", repr(e.kind), did_you_mean(e.kind, quantity_kinds(), most=2))
    if STANDING in e.having:
        return replace(found, keys=())
    return replace(found, keys=found.keys or ("date",)) if SURVEYED in e.having else found


def _number(e: Number, below: Below) -> Type:
    need(known(e.unit), "a unit", repr(e.unit))
    return Type("number", Measure(e.unit, literal=True, from_zero=True))


def _point(e: Point, below: Below) -> Type:
    need(abs(e.longitude) <= 360 and abs(e.latitude) <= 90, "degrees east and north", f"{e.longitude} {e.latitude}")
    return Type("object")


def _during(e: During, below: Below) -> Type:
    x: Type = below["x"]
    when: Type | None = below.get("when")
    if is_features(e.x):
        of_these = are_rows(e.x) and isinstance(e.when, Extreme) and when is not None and when.grain in ROW_GRAINS
        need(when is None or of_these, "a time that is told", when, field="when")
        return x
    if when is None:
        standing = x.of == "class" and x.space and not x.keys  # the map of that time
        need("date" in x.keys or standing, "something with dates", x, "what stands for all dates has none to choose")
    elif when.of == "date":
        need(not when.keys and not when.space, "one date", when, field="when")
        need("date" in x.keys, "something with dates", x)
    else:
        need(when.chosen and len(when.keys) == 1, "dates, or keys that are chosen (extreme, holds)", when)
        key = when.keys[0]
        need(key in GRAINS, "keys of time", f"one per {one_of(key)}", "within takes polygons", "when")
        need("date" in x.keys or x.grain == key, f"something with dates, or one per {key}", x)
    return x


def _within(e: Within, below: Below) -> Type:
    x: Type = below["x"]
    where: Type = below["where"]
    if is_features(e.x) and layer_of(e.where) != layer_of(e.x):
        linked = is_features(e.where) or isinstance(e.where, Holds | Extreme)  # by their names
        need(
            linked if are_rows(e.x) else not are_rows(e.where) or is_chosen(e.where), "ground", NO_PLACE, field="where"
        )
    if isinstance(e.x, Point) or x.of != "object":
        need(x.space, "something that lies over space", x)
        need(x.of in ("number", "truth", "class"), "numbers, truths or classes over space", x)
    if where.chosen:
        those = ("objects", "classes") if is_features(e.x) else ("objects",)
        of_these = len(where.keys) == 1 and where.keys[0] in those
        need(of_these, "polygons that are chosen", where, "during takes keys of time", "where")
    elif where.of != "object":
        need(where.of == "truth" and where.space, "a mask, polygons or a point", where, field="where")
        need(set(where.keys) <= set(x.keys), "a mask per key that the first has", where, _reduce(where, x), "where")
    return Type(x.of, x.measure, x.space, x.keys)


def _reduce(a: Type, b: Type) -> str:
    extra = next((key for key in a.keys if key not in b.keys), "")
    return f"say which {extra}, or take it away with a statistic" if extra else ""


def _beyond(e: Beyond, below: Below) -> Type:
    x: Type = below["x"]
    need((e.upper is not None) == (e.side == "between"), "a second limit with 'between', and only there", e.side)
    need(e.side in get_args(Side), f"one of {', '.join(get_args(Side))}", e.side)
    need(x.of == "number", "numbers to compare", x)
    for name, told in (("limit", e.limit), ("upper", e.upper)):
        if x.measure == SHARE and isinstance(told, Number) and told.unit == "1":
            need(told.value <= 1, "a share of 1 (100 %) or less", f"{told.value:g}", "tell percent as such", name)
        limit = below.get(name)
        if limit is None:
            continue
        need(limit.of == "number", "a number as limit", limit, field=name)
        same_unit(x, limit, name)
        need(x.space or not limit.space, "a limit without pixels, as what is compared has none", limit, field=name)
        need(set(limit.keys) <= set(x.keys), "a limit per key that is compared", limit, _reduce(limit, x), name)
    if x.measure.nature == "angle":
        need(e.side == "between", "'between' two directions: none is above another", e.side)
    return Type("truth", space=x.space, keys=x.keys)


def _is_class(e: IsClass, below: Below) -> Type:
    x = below["x"]
    need(x.of == "class", "classes", x)
    need(bool(e.names), "the name of a class", "none")
    return Type("truth", space=x.space, keys=x.keys)


def _logic(e: And | Or, below: Below) -> Type:
    parts: list[Type] = below.get("parts", [])
    need(len(parts) >= 2, "two parts or more", len(parts))
    for place, part in enumerate(parts):
        if part.of != "truth":
            raise DoesNotFitError("true or false", part, below=("parts", place))
    found = parts[0]
    for part in parts[1:]:
        found = replace(found, space=found.space or part.space, keys=_met(found, part))
    return Type("truth", space=found.space, keys=found.keys)


def _met(a: Type, b: Type) -> tuple[str, ...]:
    """The keys of two that meet: one has all those of the other."""
    small, large = sorted((a.keys, b.keys), key=len)
    need(set(small) <= set(large), f"keys that both have ({', '.join(a.keys) or 'none'})", ", ".join(b.keys))
    return a.keys if set(a.keys) == set(b.keys) else large


def _not(e: Not, below: Below) -> Type:
    x: Type = below["x"]
    if isinstance(e.x, Polygons):  # the ground beyond them
        return x
    need(x.of == "truth", "true or false", x)
    return replace(x, chosen=False)


def _has_maps(e: Split, x: Type) -> bool:
    """Whether it is the map of classes of each year: of what stands for all dates as long as no time is told."""
    map_ = e.x.x if isinstance(e.x, During) and isinstance(e.x.when, Times) else e.x
    return e.key == "year" and isinstance(map_, Quantity) and x.of == "class" and not x.keys


def _split(e: Split, below: Below) -> Type:
    x: Type = below["x"]
    if isinstance(e.key, str) and (are_rows(e.x) or of_rows(e.x) is not None):
        need(x.keys in ((), ("objects",)) and e.key in ROW_GRAINS, "rows by their day, month or year", e.key)
        return replace(x, keys=(e.key, *x.keys))
    if isinstance(e.key, str):
        if e.key == "date":
            need("date" in x.keys, "something with dates", x)
            return x
        need("date" in x.keys or _has_maps(e, x), "something with dates to split", x)
        need(e.key not in x.keys, f"something not split by {e.key} yet", x)
        return replace(x, keys=(e.key, *x.keys), chosen=False)
    key: Type = below["key"]
    need(not isinstance(e.key, Not), "polygons or classes", "what is beyond them", field="key")
    if is_features(e.x):
        own = is_sort_of(e.key, e.x) or not (are_rows(e.key) or are_rows(e.x))
        need(own, "features in which others lie", NO_PLACE, field="key")
        need(is_features(e.key), "features in which others lie", key, field="key")
        return Type("object", keys=("objects",))
    if x.keys == ("objects",) and x.of == "number" and is_sort_of(e.key, measured_of(e.x)):
        return replace(x, keys=("classes", "objects"), chosen=False)
    need(x.space, "something that lies over space", x)
    name = "objects" if key.of == "object" else "classes"
    if name == "classes":
        need(key.of == "class" and key.space, "polygons, or classes over space", key, field="key")
        need(set(key.keys) <= set(x.keys), "classes per key that is split", key, _reduce(key, x), "key")
    need(name not in x.keys, f"something not split by {name} yet", x)
    return replace(x, keys=(name, *x.keys), chosen=False)


def _over(e: Over, below: Below) -> Type:
    x: Type = below["x"]
    need((e.p is not None) == (e.statistic == "percentile"), "'p' with a percentile, and only there", e.statistic)
    need(e.p is None or 0 <= e.p <= 100, "a percentile from 0 to 100", e.p)
    if x.of == "object":
        return of_objects(e, x)
    of = {"number": _OF_NUMBERS, "truth": _OF_TRUTHS, "class": _OF_CLASSES}
    allowed = of.get(x.of, ())
    told = f"a statistic of that ({', '.join(allowed) or 'there is none'})"
    need(e.statistic in allowed, told, f"{e.statistic} of {x}")
    left = _left(e, x)
    over = "space" if e.axes in ("space", "both") else "time" if e.axes in ("time", *GRAINS) else e.axes
    if e.statistic in _ONLY_SPACE:
        need(e.axes == "space", "the axis space", e.axes, f"{e.statistic} is of ground")
    if e.statistic in _ONLY_TIME:
        need(over == "time", "the axis time", e.axes, f"{e.statistic} is of dates")
        need("month_of_year" not in (e.axes, x.grain), "dates or periods in order", "months of no year")
    if x.of == "number" and x.measure.nature == "angle":
        need(e.statistic in _OF_ANGLES, f"of directions one of {', '.join(_OF_ANGLES)}", e.statistic)
    if e.statistic == "integral":
        need(x.measure.gathered is not None, "a depth, or an amount per area", x, "ask for the mean")
    if e.statistic == "sum":
        axes = ("space", "time") if e.axes == "both" else (over,)
        adds = all(axis in x.measure.adds or (axis == "space" and x.measure.summed) for axis in axes)
        need(adds, f"amounts that add up over {' and '.join(axes)}", x, "ask for the mean")
    return replace(left, **_given(e, x, left))


def _left(e: Over, x: Type) -> Type:
    """What is left of a type when axes are taken away."""
    if e.axes in ("space", "both"):
        need(x.space, "something that lies over space", x)
    if e.axes == "space":
        return replace(x, space=False, chosen=False)
    if e.axes in ("time", "both"):
        need(x.grain is not None, "something with dates or periods", x)
        return replace(x.without(str(x.grain)), space=x.space and e.axes == "time")
    need(e.axes in x.keys, f"one per {one_of(e.axes)}", x)
    return x.without(e.axes)


def _given(e: Over, x: Type, left: Type) -> dict[str, Any]:
    match e.statistic:
        case "count" | "longest_run" | "patches" | "variety":
            return {"of": "number", "measure": COUNTED}
        case "share":
            return {"of": "number", "measure": SHARE}
        case "largest_patch":
            return {"of": "number", "measure": AREA}
        case "integral":
            return {"measure": x.measure.gathered}
        case "area":
            keys = (*(("classes",) if x.of == "class" else ()), *left.keys)
            need(len(set(keys)) == len(keys), "classes not split by class", x)
            return {"of": "number", "measure": AREA, "keys": keys}
        case "longest":
            return {"of": "number", "measure": DAYS}
        case "first" | "last":
            return {"of": "date"}
        case "any" | "all" | "majority":
            return {"of": x.of}
        case "deviation" | "range":
            return {"measure": replace(x.measure.changed(), from_zero=True)}
    return {"measure": replace(x.measure, literal=False)}


def _weighted(e: Weighted, below: Below) -> Type:
    x: Type = below["x"]
    by: Type = below["by"]
    need(x.of in ("number", "truth") and x.space, "numbers or truths over space", x)
    need(by.of == "number" and by.space and by.measure.from_zero, "weights over space, from none up", by, field="by")
    need(not from_ice(by.measure), "weights counted from a true zero", by.measure.unit, field="by")
    need(set(by.keys) <= set(x.keys), "weights per key that the first has", by, _reduce(by, x), "by")
    measure = SHARE if x.of == "truth" else replace(x.measure, literal=False)
    return Type("number", measure, False, x.keys)


def _series(x: Type) -> str:
    """The key of time of numbers that are followed through it."""
    need(x.of == "number", "numbers", x)
    need(x.measure.nature != "angle", "numbers in order; directions have none", x)
    need(x.grain is not None, "numbers of dates or periods", x)
    need(x.grain != "month_of_year", "dates or periods in order", x)
    return str(x.grain)


def _along(e: Along, below: Below) -> Type:
    x: Type = below["x"]
    _series(x)
    need((e.n is not None) == (e.how == "running"), "'n' with 'running', and only there", e.how)
    need(e.n is None or e.n >= 2, "two or more to run over", e.n)
    if e.how == "cumulated":
        need("time" in x.measure.adds, "amounts that add up over time", x)
    measure = x.measure.changed() if e.how == "change" else x.measure
    return replace(x, measure=measure, chosen=False)


def _calculate(e: Calculate, below: Below) -> Type:
    a: Type = below["a"]
    need((e.b is None) == (e.how in UNARY), "two numbers, or one for absolute and logarithm", e.how)
    b: Type = below.get("b", a)
    for name, one in (("a", a), ("b", b)):
        need(one.of == "number", "numbers", one, field=name)
    measure = measure_of(e, a, b)
    return Type("number", measure, a.space or b.space, _met(a, b))


def _extreme(e: Extreme, below: Below) -> Type:
    x: Type = below["x"]
    need(x.of == "number" and x.measure.nature != "angle", "numbers in order", x)
    need(not x.space and bool(x.keys), "one number per key, without pixels", x, "take space away with a statistic")
    need(e.n >= 1, "one key or more", e.n)
    return replace(x, chosen=True)


def _holds(e: Holds, below: Below) -> Type:
    x: Type = below["x"]
    need(x.of == "truth", "true or false", x)
    need(not x.space and bool(x.keys), "one truth per key, without pixels", x, "take space away with a statistic")
    return replace(x, chosen=True)


def _trend(e: Trend, below: Below) -> Type:
    x: Type = below["x"]
    left = x.without(_series(x))
    return replace(left, measure=Measure(per_year(x.measure.unit), change=True))


def _correlate(e: Correlate, below: Below) -> Type:
    a: Type = below["a"]
    b: Type = below["b"]
    for name, one in (("a", a), ("b", b)):
        need(one.of == "number" and one.measure.nature != "angle", "numbers in order", one, field=name)
        need(e.axes != "objects" or one.keys == ("objects",), "a number of each feature", one, field=name)
        need(e.axes in ("time", "objects") or one.space, "numbers over space", one, field=name)
        need(e.axes in ("space", "objects") or one.grain is not None, "numbers of dates or periods", one, field=name)
    need(a.keys == b.keys and a.space == b.space, f"the same axes ({a})", b, field="b")
    left = a if e.axes == "space" else a.without("objects" if e.axes == "objects" else str(a.grain))
    return replace(left, measure=Measure("1"), space=left.space and e.axes == "time", chosen=False)


def _anomaly(e: Anomaly, below: Below) -> Type:
    x: Type = below["x"]
    _series(x)
    if e.as_ == "percent":
        zero = x.measure.from_zero and not from_ice(x.measure)
        need(zero, "numbers whose zero means none of it", x, "ask for the difference")
    measure = x.measure.changed() if e.as_ == "difference" else Measure("%" if e.as_ == "percent" else "1", change=True)
    adds = ("time",) if e.as_ == "difference" and "time" in x.measure.adds else ()  # as what they depart from
    return replace(x, measure=replace(measure, adds=adds), chosen=False)


def _classify(e: Classify, below: Below) -> Type:
    x: Type = below["x"]
    need(x.of == "number" and x.measure.nature != "angle", "numbers in order", x)
    if e.width is not None:
        need(0 < e.width < inf and not (e.breaks or e.labels), "a width above 0, and no breaks or labels", e.width)
    else:
        need(bool(e.breaks) and list(e.breaks) == sorted(set(e.breaks)), "breaks that ascend", list(e.breaks))
        need(len(e.labels) == len(e.breaks) + 1, f"{len(e.breaks) + 1} labels", len(e.labels))
        need(len(set(e.labels)) == len(e.labels), "labels that differ", ", ".join(e.labels))
    same_unit(x, Type("number", Measure(e.unit, literal=True)), "unit")
    return Type("class", space=x.space, keys=x.keys)


def _apply(e: Apply, below: Below) -> Type:
    wrong = next((name for name, one in e.settings if not isinstance(one, Number | Point)), "")
    need(not wrong, "a number or a point as setting", wrong)
    return Type("answer")


def _show(e: Show, below: Below) -> Type:
    x: Type = below["x"]
    if e.as_ in ("map", "picture"):
        need(x.space or x.of == "answer", "something that lies over space", x)
    else:
        need(not x.space and bool(x.keys), "one value per key, without pixels", x)
    return Type("answer")


def _several(e: Several, below: Below) -> Type:
    names = [name for name, _ in e.named]
    need(bool(names) and len(set(names)) == len(names), "parts with names of their own", ", ".join(names) or "none")
    return Type("answer")


RULES: Mapping[type[Expression], Callable[[Any, Below], Type]] = {
    Quantity: _quantity,
    Number: _number,
    Polygons: lambda e, below: Type("object"),
    Point: _point,
    Attribute: attribute,
    Distance: distance,
    Outline: outline,
    During: _during,
    Within: _within,
    Beyond: _beyond,
    IsClass: _is_class,
    And: _logic,
    Or: _logic,
    Not: _not,
    Split: _split,
    Over: _over,
    Weighted: _weighted,
    Along: _along,
    Calculate: _calculate,
    Extreme: _extreme,
    Holds: _holds,
    Trend: _trend,
    Correlate: _correlate,
    Anomaly: _anomaly,
    Classify: _classify,
    Apply: _apply,
    Show: _show,
    Several: _several,
}
