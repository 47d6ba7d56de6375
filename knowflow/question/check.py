"""What fits: the type of every part of an expression, by rule, and why a part does not fit, in plain words.

Every operator has one rule here. A rule gives the type of what the operator makes of what lies below it, or says what
does not fit; the rules of parts whose own parts do not fit are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.spelling import did_you_mean
from knowflow.ground.units import compatible, known, normalise, per_year
from knowflow.question.operators import (
    GRAINS,
    STANDING,
    SURVEYED,
    UNARY,
    Along,
    And,
    Anomaly,
    Apply,
    Beyond,
    Calculate,
    Classify,
    Correlate,
    During,
    Expression,
    Extreme,
    Holds,
    IsClass,
    Not,
    Number,
    Or,
    Over,
    Point,
    Polygons,
    Position,
    Quantity,
    Several,
    Show,
    Split,
    Trend,
    Weighted,
    Within,
    children,
)
from knowflow.question.times import Times
from knowflow.question.types import AREA, COUNTED, DAYS, SHARE, Measure, Type, one_of, type_of_kind

_OF_NUMBERS = ("mean", "median", "minimum", "maximum", "deviation", "percentile", "sum", "range", "count", "integral")
_ONLY_TIME = ("longest", "longest_run", "first", "last")
_OF_TRUTHS = ("share", "count", "any", "all", "area", *_ONLY_TIME, "patches", "largest_patch")
_OF_CLASSES = ("majority", "variety", "area")
_OF_ANGLES = ("mean", "deviation", "count")
_ONLY_SPACE = ("area", "patches", "largest_patch", "integral")


@dataclass(frozen=True, slots=True)
class Misfit:
    """One thing of an expression that does not fit: where in the tree, what was expected, and what is there."""

    at: Position
    operator: str
    expected: str
    found: str
    hint: str = ""

    def __str__(self) -> str:
        return f"{self.operator}: expected {self.expected}, found {self.found}" + (f" ({self.hint})" * bool(self.hint))


class _DoesNotFitError(Exception):
    def __init__(self, expected: str, found: object, hint: str = "", below: Position = ()) -> None:
        super().__init__(expected)
        self.expected, self.found, self.hint, self.below = expected, str(found), hint, below


@dataclass(frozen=True, slots=True)
class Checked:
    """The type of an expression, None where something does not fit, of all that is in it, and all misfits."""

    type: Type | None
    types: Mapping[Position, Type]
    misfits: tuple[Misfit, ...]


def check(expression: Expression) -> Checked:
    """The types of an expression and everything in it, and all that does not fit."""
    types: dict[Position, Type] = {}
    misfits = list(_checked(expression, (), types))
    if not misfits and types[()].of == "object":
        misfits = [Misfit((), expression.op, "something that is asked of them", "polygons alone")]
    return Checked(None if misfits else types[()], types, tuple(misfits))


def type_of(expression: Expression) -> Type | None:
    """The type of an expression, or None where something in it does not fit."""
    return check(expression).type


def _checked(expression: Expression, at: Position, types: dict[Position, Type]) -> Iterator[Misfit]:
    below: dict[str, Any] = {}
    fits = True
    for position, child in children(expression):
        found = list(_checked(child, (*at, *position), types))
        yield from found
        if found:
            fits = False
            continue
        own = types[(*at, *position)]
        name = str(position[1])
        below[name] = [*below.get(name, []), own] if len(position) > 2 else own
    if not fits:
        return
    try:
        types[at] = _RULES[type(expression)](expression, below)
    except _DoesNotFitError as wrong:
        place = (*at, expression.op, *wrong.below) if wrong.below else at
        yield Misfit(place, expression.op, wrong.expected, wrong.found, wrong.hint)


Below = Mapping[str, Any]


def _need(true: bool, expected: str, found: object, hint: str = "", field: str = "") -> None:
    if not true:
        raise _DoesNotFitError(expected, found, hint, (field,) if field else ())


def _quantity(e: Quantity, below: Below) -> Type:
    found = type_of_kind(e.kind)
    if found is None:
        raise _DoesNotFitError("a quantity kind", repr(e.kind), did_you_mean(e.kind, quantity_kinds(), most=2))
    if STANDING in e.having:
        return replace(found, keys=())
    return replace(found, keys=found.keys or ("date",)) if SURVEYED in e.having else found


def _number(e: Number, below: Below) -> Type:
    _need(known(e.unit), "a unit", repr(e.unit))
    return Type("number", Measure(e.unit, literal=True, from_zero=True))


def _point(e: Point, below: Below) -> Type:
    _need(abs(e.longitude) <= 360 and abs(e.latitude) <= 90, "degrees east and north", f"{e.longitude} {e.latitude}")
    return Type("object")


def _during(e: During, below: Below) -> Type:
    x: Type = below["x"]
    when: Type | None = below.get("when")
    if when is None:
        standing = x.of == "class" and x.space and not x.keys  # the map of that time
        _need("date" in x.keys or standing, "something with dates", x, "what stands for all dates has none to choose")
    elif when.of == "date":
        _need(not when.keys and not when.space, "one date", when, field="when")
        _need("date" in x.keys, "something with dates", x)
    else:
        _need(when.chosen and len(when.keys) == 1, "dates, or keys that are chosen (extreme, holds)", when)
        key = when.keys[0]
        _need(key in GRAINS, "keys of time", f"one per {one_of(key)}", "within takes polygons", "when")
        _need("date" in x.keys or x.grain == key, f"something with dates, or one per {key}", x)
    return x


def _within(e: Within, below: Below) -> Type:
    x: Type = below["x"]
    where: Type = below["where"]
    _need(x.space, "something that lies over space", x)
    _need(x.of in ("number", "truth", "class"), "numbers, truths or classes over space", x)
    if where.chosen:
        _need(where.keys == ("objects",), "polygons that are chosen", where, "during takes keys of time", "where")
    elif where.of != "object":
        _need(where.of == "truth" and where.space, "a mask, polygons or a point", where, field="where")
        _need(set(where.keys) <= set(x.keys), "a mask per key that the first has", where, _reduce(where, x), "where")
    return Type(x.of, x.measure, x.space, x.keys)


def _reduce(a: Type, b: Type) -> str:
    extra = next((key for key in a.keys if key not in b.keys), "")
    return f"say which {extra}, or take it away with a statistic" if extra else ""


def _beyond(e: Beyond, below: Below) -> Type:
    x: Type = below["x"]
    _need((e.upper is not None) == (e.side == "between"), "a second limit with 'between', and only there", e.side)
    _need(x.of == "number", "numbers to compare", x)
    for name in ("limit", "upper"):
        limit = below.get(name)
        if limit is None:
            continue
        _need(limit.of == "number", "a number as limit", limit, field=name)
        _same_unit(x, limit, name)
        _need(x.space or not limit.space, "a limit without pixels, as what is compared has none", limit, field=name)
        _need(set(limit.keys) <= set(x.keys), "a limit per key that is compared", limit, _reduce(limit, x), name)
    if x.measure.nature == "angle":
        _need(e.side == "between", "'between' two directions: none is above another", e.side)
    return Type("truth", space=x.space, keys=x.keys)


def _same_unit(a: Type, b: Type, field: str = "") -> None:
    one, other = a.measure, b.measure
    _need(compatible(one.unit, other.unit), f"a unit that measures the same as {one.unit}", other.unit, field=field)
    if not (one.literal or other.literal):
        alike = one.temperature == other.temperature
        _need(alike, "two temperatures, or two differences of them", f"{a} beside {b}", "", field)


def _is_class(e: IsClass, below: Below) -> Type:
    x = below["x"]
    _need(x.of == "class", "classes", x)
    _need(bool(e.names), "the name of a class", "none")
    return Type("truth", space=x.space, keys=x.keys)


def _logic(e: And | Or, below: Below) -> Type:
    parts: list[Type] = below.get("parts", [])
    _need(len(parts) >= 2, "two parts or more", len(parts))
    for place, part in enumerate(parts):
        if part.of != "truth":
            raise _DoesNotFitError("true or false", part, below=("parts", place))
    found = parts[0]
    for part in parts[1:]:
        found = replace(found, space=found.space or part.space, keys=_met(found, part))
    return Type("truth", space=found.space, keys=found.keys)


def _met(a: Type, b: Type) -> tuple[str, ...]:
    """The keys of two that meet: one has all those of the other."""
    small, large = sorted((a.keys, b.keys), key=len)
    _need(set(small) <= set(large), f"keys that both have ({', '.join(a.keys) or 'none'})", ", ".join(b.keys))
    return a.keys if set(a.keys) == set(b.keys) else large


def _not(e: Not, below: Below) -> Type:
    x: Type = below["x"]
    _need(x.of == "truth", "true or false", x)
    return replace(x, chosen=False)


def _has_maps(e: Split, x: Type) -> bool:
    """Whether it is the map of classes of each year: of what stands for all dates as long as no time is told."""
    map_ = e.x.x if isinstance(e.x, During) and isinstance(e.x.when, Times) else e.x
    return e.key == "year" and isinstance(map_, Quantity) and x.of == "class" and not x.keys


def _split(e: Split, below: Below) -> Type:
    x: Type = below["x"]
    if isinstance(e.key, str):
        if e.key == "date":
            _need("date" in x.keys, "something with dates", x)
            return x
        _need("date" in x.keys or _has_maps(e, x), "something with dates to split", x)
        _need(e.key not in x.keys, f"something not split by {e.key} yet", x)
        return replace(x, keys=(e.key, *x.keys), chosen=False)
    key: Type = below["key"]
    _need(x.space, "something that lies over space", x)
    name = "objects" if key.of == "object" else "classes"
    if name == "classes":
        _need(key.of == "class" and key.space, "polygons, or classes over space", key, field="key")
        _need(set(key.keys) <= set(x.keys), "classes per key that is split", key, _reduce(key, x), "key")
    _need(name not in x.keys, f"something not split by {name} yet", x)
    return replace(x, keys=(name, *x.keys), chosen=False)


def _over(e: Over, below: Below) -> Type:
    x: Type = below["x"]
    _need((e.p is not None) == (e.statistic == "percentile"), "'p' with a percentile, and only there", e.statistic)
    _need(e.p is None or 0 <= e.p <= 100, "a percentile from 0 to 100", e.p)
    allowed = {"number": _OF_NUMBERS, "truth": _OF_TRUTHS, "class": _OF_CLASSES}.get(x.of, ())
    told = f"a statistic of that ({', '.join(allowed) or 'there is none'})"
    _need(e.statistic in allowed, told, f"{e.statistic} of {x}")
    left = _left(e, x)
    over = "space" if e.axes in ("space", "both") else "time" if e.axes in ("time", *GRAINS) else e.axes
    if e.statistic in _ONLY_SPACE:
        _need(e.axes == "space" and x.space, "the axis space", e.axes, f"{e.statistic} is of ground")
    if e.statistic in _ONLY_TIME:
        _need(over == "time", "the axis time", e.axes, f"{e.statistic} is of dates")
        _need("month_of_year" not in (e.axes, x.grain), "dates or periods in order", "months of no year")
    if x.of == "number" and x.measure.nature == "angle":
        _need(e.statistic in _OF_ANGLES, f"of directions one of {', '.join(_OF_ANGLES)}", e.statistic)
    if e.statistic == "integral":
        _need(x.measure.gathered is not None, "a depth, or an amount per area", x, "ask for the mean")
    if e.statistic == "sum":
        axes = ("space", "time") if e.axes == "both" else (over,)
        adds = all(axis in x.measure.adds for axis in axes)
        _need(adds, f"amounts that add up over {' and '.join(axes)}", x, "ask for the mean")
    return replace(left, **_given(e, x, left))


def _left(e: Over, x: Type) -> Type:
    """What is left of a type when axes are taken away."""
    if e.axes in ("space", "both"):
        _need(x.space, "something that lies over space", x)
    if e.axes == "space":
        return replace(x, space=False, chosen=False)
    if e.axes in ("time", "both"):
        _need(x.grain is not None, "something with dates or periods", x)
        return replace(x.without(str(x.grain)), space=x.space and e.axes == "time")
    _need(e.axes in x.keys, f"one per {one_of(e.axes)}", x)
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
            keys = ("classes", *left.keys) if x.of == "class" else left.keys
            _need(len(set(keys)) == len(keys), "classes not split by class", x)
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
    _need(x.of in ("number", "truth") and x.space, "numbers or truths over space", x)
    _need(by.of == "number" and by.space and by.measure.from_zero, "weights over space, from none up", by, field="by")
    _need(not _from_ice(by.measure), "weights counted from a true zero", by.measure.unit, field="by")
    _need(set(by.keys) <= set(x.keys), "weights per key that the first has", by, _reduce(by, x), "by")
    measure = SHARE if x.of == "truth" else replace(x.measure, literal=False)
    return Type("number", measure, False, x.keys)


def _series(x: Type) -> str:
    """The key of time of numbers that are followed through it."""
    _need(x.of == "number", "numbers", x)
    _need(x.measure.nature != "angle", "numbers in order; directions have none", x)
    _need(x.grain is not None, "numbers of dates or periods", x)
    _need(x.grain != "month_of_year", "dates or periods in order", x)
    return str(x.grain)


def _along(e: Along, below: Below) -> Type:
    x: Type = below["x"]
    _series(x)
    _need((e.n is not None) == (e.how == "running"), "'n' with 'running', and only there", e.how)
    _need(e.n is None or e.n >= 2, "two or more to run over", e.n)
    if e.how == "cumulated":
        _need("time" in x.measure.adds, "amounts that add up over time", x)
    measure = x.measure.changed() if e.how == "change" else x.measure
    return replace(x, measure=measure, chosen=False)


def _calculate(e: Calculate, below: Below) -> Type:
    a: Type = below["a"]
    _need((e.b is None) == (e.how in UNARY), "two numbers, or one for absolute and logarithm", e.how)
    b: Type = below.get("b", a)
    for name, one in (("a", a), ("b", b)):
        _need(one.of == "number", "numbers", one, field=name)
    measure = _measure(e, a, b)
    return Type("number", measure, a.space or b.space, _met(a, b))


def _measure(e: Calculate, a: Type, b: Type) -> Measure:
    one, other = a.measure, b.measure
    if e.how != "difference":
        angle = "angle" in (one.nature, other.nature)
        _need(not angle, "numbers that can be reckoned with; of directions only the difference", e.how)
    elif not (one.literal or other.literal):
        _need((one.nature == "angle") == (other.nature == "angle"), f"what measures the same as {a}", b, field="b")
    if e.how in ("difference", "sum", "minimum", "maximum", "percent_change"):
        _same_unit(a, b, "b")
    adds = tuple(axis for axis in one.adds if axis in other.adds)
    match e.how:
        case "difference":
            return replace(one.changed(), adds=adds)
        case "sum":
            hint = "of temperatures ask for the mean or the difference"
            _need(not (one.temperature and other.temperature), "numbers that add up", a, hint)
            _need("level" not in (one.nature, other.nature), "numbers that add up", "decibels", "from power to power")
            return _merged(one, other, adds)
        case "percent_change":
            zero = one.from_zero and other.from_zero and not (_from_ice(one) or _from_ice(other))
            _need(zero, "numbers whose zero means none of it", a, "ask for the difference")
            return Measure("%", change=True)
        case "minimum" | "maximum":
            return _merged(one, other, ())
        case "absolute":
            return replace(one, from_zero=True)
    return _of_powers(e, one, other)


def _merged(one: Measure, other: Measure, adds: tuple[str, ...]) -> Measure:
    """What the sum, the smaller or the larger of two is, whichever comes first: a state and a change are a state."""
    told = [measure for measure in (one, other) if not measure.literal]
    nature = one.nature if one.nature == other.nature else "state"
    change = bool(told) and all(measure.change for measure in told)
    return Measure(one.unit, "amount" if adds else nature, adds, one.from_zero and other.from_zero, change)


def _from_ice(measure: Measure) -> bool:
    """Whether it is told from a zero that is agreed upon: degrees Celsius, decibels."""
    return measure.nature == "level" or (compatible(measure.unit, "K") and normalise(measure.unit) != "K")


def _of_powers(e: Calculate, one: Measure, other: Measure) -> Measure:
    for measure in (one, other):
        _need(not _from_ice(measure), "numbers counted from a true zero", measure.unit, "take kelvin, or power")
    if e.how == "logarithm":
        _need(compatible(one.unit, "1"), "a pure number", one.unit, "divide by a number of the same unit")
        return Measure("1")
    if e.how == "power":
        _need(isinstance(e.b, Number) and other.unit == "1", "a plain number as exponent", other.unit, field="b")
        exponent = float(e.b.value) if isinstance(e.b, Number) else 1.0
        _need(exponent.is_integer() or plainly(one.unit) == "1", "a whole number as exponent of a unit", exponent)
        return Measure(unit_of_product(one.unit, "1", exponent), from_zero=one.from_zero)
    zero = one.from_zero and (other.from_zero or other.literal)
    unit = unit_of_product(one.unit, other.unit, 1, -1 if e.how == "ratio" else 1)
    adds = (one.adds if other.literal else ()) if e.how == "ratio" or not one.literal else other.adds
    return Measure(unit, "amount" if adds else "state", adds, zero)


def plainly(unit: str) -> str:
    """The unit that something is multiplied in: shares and percent as the pure numbers that they are."""
    return "1" if compatible(unit, "1") else unit


def unit_of_product(a: str, b: str, of_a: float = 1, of_b: float = 1) -> str:
    """The unit of a product of powers; of a ratio of what measures the same it is a pure number."""
    a, b = plainly(a), plainly(b)
    if of_a == -of_b and compatible(a, b):
        return "1"
    parts = [f"({unit})**{power:g}" for unit, power in ((a, of_a), (b, of_b)) if unit != "1" and power]
    return normalise("*".join(parts)) if parts else "1"


def _extreme(e: Extreme, below: Below) -> Type:
    x: Type = below["x"]
    _need(x.of == "number" and x.measure.nature != "angle", "numbers in order", x)
    _need(not x.space and bool(x.keys), "one number per key, without pixels", x, "take space away with a statistic")
    _need(e.n >= 1, "one key or more", e.n)
    return replace(x, chosen=True)


def _holds(e: Holds, below: Below) -> Type:
    x: Type = below["x"]
    _need(x.of == "truth", "true or false", x)
    _need(not x.space and bool(x.keys), "one truth per key, without pixels", x, "take space away with a statistic")
    return replace(x, chosen=True)


def _trend(e: Trend, below: Below) -> Type:
    x: Type = below["x"]
    left = x.without(_series(x))
    return replace(left, measure=Measure(per_year(x.measure.unit), change=True))


def _correlate(e: Correlate, below: Below) -> Type:
    a: Type = below["a"]
    b: Type = below["b"]
    for name, one in (("a", a), ("b", b)):
        _need(one.of == "number" and one.measure.nature != "angle", "numbers in order", one, field=name)
        _need(e.axes == "time" or one.space, "numbers over space", one, field=name)
        _need(e.axes == "space" or one.grain is not None, "numbers of dates or periods", one, field=name)
    _need(a.keys == b.keys and a.space == b.space, f"the same axes ({a})", b, field="b")
    left = a if e.axes == "space" else a.without(str(a.grain))
    return replace(left, measure=Measure("1"), space=left.space and e.axes == "time", chosen=False)


def _anomaly(e: Anomaly, below: Below) -> Type:
    x: Type = below["x"]
    _series(x)
    if e.as_ == "percent":
        zero = x.measure.from_zero and not _from_ice(x.measure)
        _need(zero, "numbers whose zero means none of it", x, "ask for the difference")
    measure = x.measure.changed() if e.as_ == "difference" else Measure("%" if e.as_ == "percent" else "1", change=True)
    return replace(x, measure=replace(measure, adds=()), chosen=False)


def _classify(e: Classify, below: Below) -> Type:
    x: Type = below["x"]
    _need(x.of == "number" and x.measure.nature != "angle", "numbers in order", x)
    _need(bool(e.breaks) and list(e.breaks) == sorted(set(e.breaks)), "breaks that ascend", list(e.breaks))
    _need(len(e.labels) == len(e.breaks) + 1, f"{len(e.breaks) + 1} labels", len(e.labels))
    _need(len(set(e.labels)) == len(e.labels), "labels that differ", ", ".join(e.labels))
    _same_unit(x, Type("number", Measure(e.unit, literal=True)), "unit")
    return Type("class", space=x.space, keys=x.keys)


def _apply(e: Apply, below: Below) -> Type:
    wrong = next((name for name, one in e.settings if not isinstance(one, Number | Point)), "")
    _need(not wrong, "a number or a point as setting", wrong)
    return Type("answer")


def _show(e: Show, below: Below) -> Type:
    x: Type = below["x"]
    if e.as_ in ("map", "picture"):
        _need(x.space or x.of == "answer", "something that lies over space", x)
    else:
        _need(not x.space and bool(x.keys), "one value per key, without pixels", x)
    return Type("answer")


def _several(e: Several, below: Below) -> Type:
    names = [name for name, _ in e.named]
    _need(bool(names) and len(set(names)) == len(names), "parts with names of their own", ", ".join(names) or "none")
    return Type("answer")


_RULES: Mapping[type[Expression], Callable[[Any, Below], Type]] = {
    Quantity: _quantity,
    Number: _number,
    Polygons: lambda e, below: Type("object"),
    Point: _point,
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
