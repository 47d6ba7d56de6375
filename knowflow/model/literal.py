"""Plain values: as facts and arguments hold them (frozen), and as strict JSON writes them."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from datetime import date
from operator import eq
from typing import Any

_NUMBER = "$number"
_PAIRS = "$pairs"
_SIMPLE = frozenset({str, int, bool, type(None)})


def frozen(value: Any) -> Any:
    """The value with lists as tuples, and what :func:`plain` marked turned back into numbers and mappings.

    There is one NaN: values that hold it compare equal to themselves and to what was read back from a file.
    """
    if value is None or isinstance(value, (str, int)):  # what most facts are
        return value
    if isinstance(value, float):
        return math.nan if math.isnan(value) else value
    if isinstance(value, (list, tuple)):
        if {*map(type, value)} <= _SIMPLE or _are_numbers(value):  # histograms, shapes, names of bands
            return tuple(value)
        return tuple(frozen(item) for item in value)
    if isinstance(value, dict):
        if value.keys() == {_NUMBER}:
            return frozen(float(value[_NUMBER]))
        if value.keys() == {_PAIRS}:
            return {frozen(key): frozen(item) for key, item in value[_PAIRS]}
        return {key: frozen(item) for key, item in value.items()}
    return value


def _are_numbers(value: Sequence[Any]) -> bool:
    """Whether all are floats, none of them NaN (which alone is not itself)."""
    return {*map(type, value)} == {float} and all(map(eq, value, value))


def _are_finite(value: Sequence[Any]) -> bool:
    return {*map(type, value)} == {float} and all(map(math.isfinite, value))


def plain(value: Any) -> Any:
    """The value as strict JSON can hold it, such that :func:`frozen` restores it.

    Numbers that JSON has no word for become ``{"$number": "nan"}``, mappings whose keys are not all text (classes by
    number) ``{"$pairs": [[key, value], ...]}``; numpy's numbers and arrays, paths and dates what they stand for.

    Raises:
        TypeError: the value is not data.
    """
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else {_NUMBER: repr(float(value))}
    if isinstance(value, (list, tuple)):
        if {*map(type, value)} <= _SIMPLE or _are_finite(value):
            return list(value)
        return [plain(item) for item in value]
    if isinstance(value, Mapping):
        if all(isinstance(key, str) and not key.startswith("$") for key in value):
            return {key: plain(item) for key, item in value.items()}
        return {_PAIRS: [[plain(key), plain(item)] for key, item in value.items()]}
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, date):
        return value.isoformat()
    raise TypeError(f"{value!r} ({type(value).__name__}) cannot be written as JSON")


def same(a: Any, b: Any) -> bool:
    """Whether two frozen values are equal; NaN equals NaN, and text is compared as it is."""
    return bool((a,) == (b,))
