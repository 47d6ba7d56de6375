"""Small arithmetic on numbers and lists, with the published conventions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from knowflow.ground.errors import ToolError
from knowflow.ground.units import convert
from knowflow.tools.kernels.higher_moments import HigherMoments
from knowflow.tools.scalars import Number, percent_change, present, ratio

_SHIFTED_TWICE = 3.0


def difference(a: float, b: float) -> float:
    """|a - b|."""
    return abs(_number(a, "a") - _number(b, "b"))


def division(a: float, b: float) -> float:
    """b / a."""
    return ratio(_number(b, "b"), _number(a, "a"))


def percentage_change(a: float, b: float) -> float:
    """By how many percent of ``a`` the value ``b`` is above it: (b - a) / a x 100."""
    before = _number(a, "a")
    return math.copysign(1.0, before) * percent_change(before, _number(b, "b"))


def multiply(a: float, b: float) -> float:
    """a x b."""
    return _number(a, "a") * _number(b, "b")


def ceil_number(n: float) -> int:
    """The smallest whole number that is not below ``n``."""
    return math.ceil(_number(n, "n"))


def kelvin_to_celsius(kelvin: float) -> float:
    """Degrees Celsius."""
    return float(convert(_number(kelvin, "kelvin"), "K", "degC"))


def celsius_to_kelvin(celsius: float) -> float:
    """Kelvin."""
    return float(convert(_number(celsius, "celsius"), "degC", "K"))


def _number(value: Any, name: str) -> float:
    """A finite number, also where it is written as text."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise ToolError(f"{name} is not a number", expected="a number", found=repr(value))
    return number


def max_value_and_index(x: Sequence[Number]) -> list[float]:
    """The largest number and its place from 0, the first of several; missing numbers keep their places."""
    return _extreme(x, largest=True)


def min_value_and_index(x: Sequence[Number]) -> list[float]:
    """The smallest number and its place from 0, the first of several; missing numbers keep their places."""
    return _extreme(x, largest=False)


def _extreme(x: Sequence[Number], largest: bool) -> list[float]:
    present(x)
    values = np.array([math.nan if value is None else float(value) for value in x])
    place = int(np.nanargmax(values) if largest else np.nanargmin(values))
    return [float(values[place]), place]


def get_list_object_via_indexes(input_list: Sequence[Any], indexes: Sequence[int]) -> list[Any]:
    """The items of a list at the given places, counted from 0 (from the end, where negative)."""
    outside = [index for index in indexes if not -len(input_list) <= int(index) < len(input_list)]
    if outside:
        raise ToolError(
            "the list has no such place", expected=f"0 to {len(input_list) - 1}", found=", ".join(map(str, outside))
        )
    return [input_list[int(index)] for index in indexes]


def coefficient_of_variation(x: Sequence[Number], ddof: int = 1) -> float:
    """Standard deviation (divided by n - ``ddof``) over the mean."""
    values = present(x)
    if values.size <= ddof:
        raise ToolError("there are too few numbers", expected=f"more than {ddof}", found=str(values.size))
    return ratio(float(values.std(ddof=ddof)), float(values.mean()))


def skewness(x: Sequence[Number], bias: bool | None = None, compat: bool = False) -> float:
    """Skewness, corrected for the size of the sample unless ``bias``; ``compat``: not corrected unless said."""
    return _defined(_moments(x).skewness(compat if bias is None else bias), "skewness", 3)


def kurtosis(x: Sequence[Number], bias: bool = True, fisher: bool = True, compat: bool = False) -> float:
    """Kurtosis: of the sample as it is unless ``bias`` is off; 0 for a normal distribution (``fisher``), else 3.

    ``compat``: without bias, the 3 is subtracted a second time, as the published tool does.
    """
    excess = _defined(_moments(x).kurtosis(bias), "kurtosis", 4)
    if compat and not bias:
        excess -= _SHIFTED_TWICE
    return excess if fisher else excess + 3.0


def _moments(x: Sequence[Number]) -> HigherMoments:
    return HigherMoments.of(present(x))


def _defined(value: float, what: str, least: int) -> float:
    if math.isnan(value):
        raise ToolError(f"these numbers have no {what}", expected=f"{least} numbers or more that differ", found="fewer")
    return value
