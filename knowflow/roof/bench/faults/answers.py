"""Answers of runs as plain data, and whether two are the same within what a fault may cost."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import UnitError
from knowflow.ground.units import convert
from knowflow.model.artifact import Artifact
from knowflow.model.trace import Trace
from knowflow.service.deliver import unit_of, value_of

_COUNTS = ("count", "valid_fraction", "sum")
_EXTREMES = ("minimum", "maximum")
_PIXELS_LOST = 0.01
"""From this tolerance on the fault takes pixels away."""

Pixels = NDArray[np.float64]


@dataclass(frozen=True)
class One:
    """One output: a value with its unit, or the pixels of a raster."""

    value: Any
    unit: str | None
    pixels: Pixels | None = None


Answers = Mapping[str, One]


def answers_of(trace: Trace) -> Answers:
    """All outputs of a run that are values or single rasters."""
    return {name: _one(artifact) for name, artifact in trace.outputs.items()}


def _one(artifact: Artifact) -> One:
    if artifact.type != "raster":
        return One(value_of(artifact), unit_of(artifact))
    from knowflow.tools.raster import read_array

    pixels = np.asarray(np.ma.filled(read_array(artifact), np.nan), dtype=np.float64)
    transform = artifact.fact("transform")
    south_up = transform is not None and transform[4] > 0
    return One(None, unit_of(artifact), np.flip(pixels, axis=-2) if south_up else pixels)


def same_answers(expected: Answers, found: Answers, tolerance: float) -> str:
    """The first difference between two sets of answers, in words; empty where there is none."""
    for name, one in expected.items():
        other = found.get(name)
        if other is None:
            return f"{name} is missing"
        difference = (
            _raster_difference(one, other, tolerance) if one.pixels is not None else _difference(one, other, tolerance)
        )
        if difference:
            return f"{name}: {difference}"
    return ""


def _difference(one: One, other: One, tolerance: float) -> str:
    value = other.value
    if one.unit != other.unit and isinstance(value, (int, float)) and one.unit and other.unit:
        try:
            value = convert(float(value), other.unit, one.unit)
        except UnitError:
            return f"in {other.unit}, expected in {one.unit}"
    return "" if _same(one.value, value, tolerance) else f"{_short(value)}, expected {_short(one.value)}"


def _same(one: Any, other: Any, tolerance: float) -> bool:
    if isinstance(one, bool) or isinstance(other, bool) or one is None or other is None:
        return bool(one == other)
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return math.isclose(one, other, rel_tol=tolerance, abs_tol=max(tolerance * 0.05, 1e-9))
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_same_entry(key, one, other, tolerance) for key in one)
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(_same(a, b, tolerance) for a, b in zip(one, other, strict=True))
    return str(one) == str(other)


def _same_entry(key: str, one: Mapping[str, Any], other: Mapping[str, Any], tolerance: float) -> bool:
    """Rows are compared by what they measure: not by what a file was called, and where pixels may be lost, not by how
    many there were. Extremes move by the contrast between neighbouring pixels, so they are measured against the range.
    """
    if key == "name" or (key in _COUNTS and tolerance >= _PIXELS_LOST):
        return True
    if key in _EXTREMES and all(isinstance(one.get(name), float) for name in _EXTREMES):
        return bool(abs(one[key] - other[key]) <= max(tolerance * (one["maximum"] - one["minimum"]), 1e-9))
    return _same(one[key], other[key], tolerance)


def _raster_difference(one: One, other: One, tolerance: float) -> str:
    """Whether maps agree on average: pixels at borders may differ where a grid was changed."""
    if other.pixels is None or one.pixels is None:
        return "no raster"
    first, second = one.pixels, other.pixels
    if first.shape != second.shape:
        gap = abs(float(np.nanmean(first)) - float(np.nanmean(second)))
    else:
        both = np.isfinite(first) & np.isfinite(second)
        if not both.any():
            return "no pixel is data in both"
        gap = float(np.mean(np.abs(first[both] - second[both])))
    size = max(float(np.nanmax(first) - np.nanmin(first)), float(abs(np.nanmean(first)))) or 1.0
    return "" if gap <= max(tolerance, 1e-6) * size else f"maps differ by {gap:.4g} on average"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
