"""Stored numbers that are no data: the one that marks what is missing, and codes beyond what was measured."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray


def where_stored(stored: NDArray[Any], marker: Any) -> NDArray[np.bool_] | None:
    """Where a number is stored; None where it is nowhere, which is seen at once where it is the end of its type."""
    if marker is None:
        return None
    if stored.dtype.kind in "iu" and stored.size:
        low, high = _ends(stored.dtype)
        if marker == low and np.minimum.reduce(stored, axis=None) > marker:
            return None
        if marker == high and np.maximum.reduce(stored, axis=None) < marker:
            return None
    found = np.asarray(stored == marker)
    return found if found.any() else None


def where_beyond(stored: NDArray[Any], valid: tuple[float, float] | None) -> NDArray[np.bool_] | None:
    """Where stored numbers are codes, beyond those that were measured; None where none are."""
    if valid is None:
        return None
    found = np.asarray((stored < valid[0]) | (stored > valid[1]))
    return found if found.any() else None


@lru_cache(maxsize=16)
def _ends(dtype: np.dtype[Any]) -> tuple[int, int]:
    limits = np.iinfo(dtype)
    return limits.min, limits.max


@lru_cache(maxsize=64)
def stored_nodata(nodata: float | None, dtype: np.dtype[Any]) -> Any:
    """The nodata value as a number of a type; None where it cannot occur among those (-9999 cannot among uint8)."""
    if nodata is None or math.isnan(nodata):
        return None
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        if not (float(nodata).is_integer() and limits.min <= nodata <= limits.max):
            return None
    return np.asarray(nodata).astype(dtype)[()]
