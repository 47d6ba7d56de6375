"""Stored numbers as physical values: decimals that are what their digits say, in the type that holds them."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

_AT_ONCE = 1 << 17  # numbers that fit the processor's cache as they are converted
_MOST_PARTS = 1 << 20  # of one, for whole numbers that are exact in single precision
_CLOSE = 1e-9  # of a whole number


def scale_into(values: NDArray[np.floating[Any]], stored: NDArray[Any], scale: float, offset: float) -> None:
    """Write ``stored * scale + offset`` into ``values``, in their type.

    A scale that is one whole number's part of one (0.01, 0.0001) divides by that number: a quotient of whole numbers
    is rounded once, so 40 hundredths are the number nearest to 0.4 in single precision too, which 40 times the number
    nearest to 0.01 is not.
    """
    if scale == 1.0 and offset == 0.0:
        np.copyto(values, stored, casting="unsafe")
        return
    number = values.dtype.type
    parts, steps = _parts_of_one(scale, offset)
    if steps or stored.size <= _AT_ONCE:
        np.copyto(values, stored, casting="unsafe")
        stored = values
    if parts:
        if steps:
            values += number(steps)
        np.divide(stored, number(parts), dtype=values.dtype, casting="unsafe", out=values)
        return
    # what is not in the cache yet is converted piece by piece, as numpy multiplies
    np.multiply(stored, number(scale), dtype=values.dtype, casting="unsafe", out=values)
    if offset:
        values += number(offset)


@lru_cache(maxsize=256)
def _parts_of_one(scale: float, offset: float) -> tuple[int, int]:
    """Of how many parts of one the scale is one, and how many of them the offset is; nought where it is not so."""
    scale, offset = _decimal(scale), _decimal(offset)
    if not (math.isfinite(offset) and 1.0 / _MOST_PARTS <= abs(scale) < 1.0):
        return 0, 0
    parts = round(1.0 / scale)
    steps = round(offset * parts)
    exact = abs(scale * parts - 1.0) < _CLOSE and abs(offset * parts - steps) < _CLOSE * max(1, abs(steps))
    return (parts, steps) if exact and abs(steps) < _MOST_PARTS else (0, 0)


def _decimal(number: float) -> float:
    """The number that was meant by one stored in single precision, as headers of netCDF hold theirs."""
    single = np.float32(number)
    return float(str(single)) if float(single) == number else number
