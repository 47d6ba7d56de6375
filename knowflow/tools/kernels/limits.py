"""Values against a limit: a decimal number, which few binary ones are.

0.3 must not lie above the pixel that stores 0.3, whether it stores it in single precision, in double precision, or as
3000 times 0.0001. So a limit is a small interval: what its decimal becomes in the type of the values, and what the
rounding of one multiplication makes of that.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_ROUNDINGS = 8  # of the last digit of a double precision number


def edges(limit: float, values: NDArray[Any]) -> tuple[float, float]:
    """The smallest and the largest number that are the limit, among values of a type (float32 or float64)."""
    single = np.float32(limit)
    if values.dtype.itemsize < 8:
        return float(single), float(single)
    margin = _ROUNDINGS * float(np.finfo(np.float64).eps) * abs(limit)
    if float(str(single)) == limit:  # as short a decimal in single precision: pixels that were made there hold that
        margin = max(margin, abs(float(single) - limit))
    return limit - margin, limit + margin


def above(values: NDArray[Any], limit: float) -> NDArray[np.bool_]:
    """Where values are above a limit, and not it."""
    return np.asarray(values > edges(limit, values)[1])


def below(values: NDArray[Any], limit: float) -> NDArray[np.bool_]:
    """Where values are below a limit, and not it."""
    return np.asarray(values < edges(limit, values)[0])


def between(values: NDArray[Any], low: float, high: float) -> NDArray[np.bool_]:
    """Where values are within two limits, both included."""
    return np.asarray((values >= edges(low, values)[0]) & (values <= edges(high, values)[1]))
