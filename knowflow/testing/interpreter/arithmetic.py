"""Numbers in another unit, compared and calculated with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from knowflow.ground.units import convert
from knowflow.question.measures import plainly
from knowflow.question.operators import Calculate, Expression, Number
from knowflow.question.types import Measure
from knowflow.testing.interpreter.values import Array, Value


def in_unit(value: Value, unit: Measure, wanted: Measure) -> Value:
    if unit.unit == wanted.unit:
        return value
    difference = wanted.change or unit.change
    return value.mapped(lambda leaf: replace(leaf, data=np.asarray(_converted(leaf.data, unit, wanted, difference))))


def _converted(data: Array, unit: Measure, wanted: Measure, difference: bool) -> Array:
    return np.asarray(convert(np.asarray(data, dtype=np.float64), unit.unit, wanted.unit, difference=difference))


def in_unit_of_differences(value: Value, e: Calculate, one: Measure, made: Measure) -> Value:
    """A difference in the unit of differences: kelvin of degrees Celsius."""
    if e.how != "difference" or one.unit == made.unit:
        return value
    factor = float(convert(1.0, one.unit, made.unit, difference=True))
    return value.mapped(lambda leaf: replace(leaf, data=leaf.data * factor))


def factor_of(how: str, a: str, b: str, made: str, power: Expression) -> float:
    """What a product of numbers in two units is to be multiplied with to be in the unit it is told in."""
    of_a = power.value if how == "power" and isinstance(power, Number) else 1.0
    of_b = {"power": 0.0, "ratio": -1.0}.get(how, 1.0)
    factor, parts = 1.0, []
    for unit, exponent in ((a, of_a), (b, of_b)):
        if plainly(unit) == "1":
            factor *= float(convert(1.0, unit, "1")) ** exponent
        elif exponent:
            parts.append(f"({unit})**{exponent:g}")
    return factor * float(convert(1.0, "*".join(parts), made)) if parts else factor


def logarithm(x: Array) -> Array:
    with np.errstate(all="ignore"):
        found = np.log(x)
    return np.where(np.isfinite(found), found, np.nan)


SIDES: Mapping[str, Callable[[Any, Any], Any]] = {
    "above": np.greater,
    "at_least": np.greater_equal,
    "below": np.less,
    "at_most": np.less_equal,
}
ARITHMETIC: Mapping[str, Callable[[Any, Any], Any]] = {
    "difference": np.subtract,
    "sum": np.add,
    "product": np.multiply,
    "ratio": np.divide,
    "percent_change": lambda a, b: 100 * (a - b) / np.abs(b),
    "minimum": np.minimum,
    "maximum": np.maximum,
    "power": np.power,
}
