"""What numbers measure once they are reckoned with: units, natures, and what still adds up."""

from __future__ import annotations

import re
from dataclasses import replace

from knowflow.ground.units import compatible, normalise
from knowflow.question.misfits import need
from knowflow.question.operators import Calculate, Expression, Number, Over
from knowflow.question.types import Measure, Type


def measure_of(e: Calculate, a: Type, b: Type) -> Measure:
    """What the result of a calculation measures.

    Raises:
        DoesNotFitError: the two cannot be reckoned with so.
    """
    one, other = a.measure, b.measure
    if e.how != "difference":
        angle = "angle" in (one.nature, other.nature)
        need(not angle, "numbers that can be reckoned with; of directions only the difference", e.how)
    elif not (one.literal or other.literal):
        need((one.nature == "angle") == (other.nature == "angle"), f"what measures the same as {a}", b, field="b")
    if e.how in ("difference", "sum", "minimum", "maximum", "percent_change"):
        same_unit(a, b, "b")
    adds = tuple(axis for axis in one.adds if axis in other.adds)
    match e.how:
        case "difference":
            return replace(one.changed(), adds=adds)
        case "sum":
            hint = "of temperatures ask for the mean or the difference"
            need(not (one.temperature and other.temperature), "numbers that add up", a, hint)
            need("level" not in (one.nature, other.nature), "numbers that add up", "decibels", "from power to power")
            return _merged(one, other, adds)
        case "percent_change":
            zero = one.from_zero and other.from_zero and not (from_ice(one) or from_ice(other))
            need(zero, "numbers whose zero means none of it", a, "ask for the difference")
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


def from_ice(measure: Measure) -> bool:
    """Whether it is told from a zero that is agreed upon: degrees Celsius, decibels."""
    return measure.nature == "level" or (compatible(measure.unit, "K") and normalise(measure.unit) != "K")


def _of_powers(e: Calculate, one: Measure, other: Measure) -> Measure:
    for measure in (one, other):
        need(not from_ice(measure), "numbers counted from a true zero", measure.unit, "take kelvin, or power")
    if e.how == "logarithm":
        need(compatible(one.unit, "1"), "a pure number", one.unit, "divide by a number of the same unit")
        return Measure("1")
    if e.how == "power":
        need(isinstance(e.b, Number) and other.unit == "1", "a plain number as exponent", other.unit, field="b")
        exponent = float(e.b.value) if isinstance(e.b, Number) else 1.0
        whole = all((power * exponent).is_integer() for power in _powers_in(plainly(one.unit)))
        need(whole, "an exponent that makes whole powers of a unit", exponent)
        return Measure(unit_of_product(one.unit, "1", exponent), from_zero=one.from_zero)
    zero = one.from_zero and (other.from_zero or other.literal)
    if e.how == "product" and (all_of_it := _times_areas(one, other) or _times_areas(other, one)) is not None:
        return all_of_it
    unit = unit_of_product(one.unit, other.unit, 1, -1 if e.how == "ratio" else 1)
    adds = (one.adds if other.literal else ()) if e.how == "ratio" or not one.literal else other.adds
    return Measure(unit, "amount" if adds else "state", adds, zero)


def _powers_in(unit: str) -> list[int]:
    """The powers of the parts of a unit: of ``m2 s-2`` 2 and -2."""
    return [int(power or 1) for _, power in re.findall(r"([^\d\s-]+)(-?\d+)?", unit)]


def _times_areas(one: Measure, other: Measure) -> Measure | None:
    """What numbers of features that are told per area come to, each times how large its feature is: all of it."""
    adds = tuple(axis for axis in one.adds if axis in other.adds)
    whole = one.gathered if "objects" in adds and compatible(other.unit, "m2") else None
    return None if whole is None else replace(whole, adds=adds)


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


def same_unit(a: Type, b: Type, field: str = "") -> None:
    """Raises:
    DoesNotFitError: two numbers cannot be held against each other.
    """
    one, other = a.measure, b.measure
    need(compatible(one.unit, other.unit), f"a unit that measures the same as {one.unit}", other.unit, field=field)
    if not (one.literal or other.literal):
        alike = one.temperature == other.temperature
        need(alike, "two temperatures, or two differences of them", f"{a} beside {b}", "", field)


def are_areas(e: Calculate) -> bool:
    """Whether it is the sum or the difference of two areas: of a class that only one of them has the other has none."""
    return e.how in ("sum", "difference") and all(map(_is_area, (e.a, e.b)))


def _is_area(e: Expression | None) -> bool:
    if isinstance(e, Over) and e.axes != "space":
        return _is_area(e.x)
    return isinstance(e, Over) and e.statistic == "area"
