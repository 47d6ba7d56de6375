"""Whether the answers of a run are true: compared with what the question's data hold, never with another run."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from knowflow.ground.errors import UnitError
from knowflow.ground.units import convert
from knowflow_bench.faults.answers import Answers, Map, One, Pixels
from knowflow_bench.faults.injection.table import TrueOutput
from knowflow_bench.faults.injection.truth import CaseTruth, widened

_COUNTS = ("count", "valid_fraction", "sum")
_EXTREMES = ("minimum", "maximum")
PIXELS_LOST = 0.01
"""From this tolerance on the grid of the data was changed, so that pixels are interpolated, or are others."""


def untrue(truth: CaseTruth, found: Answers, tolerance: float) -> str:
    """The first difference between answers and the truth, in words; empty where there is none.

    The answer has to be there; what may be told beside it, is judged where it is.
    """
    tolerance = max(tolerance, truth.question.tolerance)
    for name, true in truth.question.truth.items():
        one = found.get(name)
        if one is None and name != "answer":
            continue
        difference = "is missing" if one is None else _difference(true, truth, one, tolerance)
        if difference:
            return f"{name}: {difference}"
    return ""


def _difference(true: TrueOutput, truth: CaseTruth, one: One, tolerance: float) -> str:
    if true.unit and one.unit:
        try:
            one = _in_unit(one, one.unit, true.unit)
        except UnitError:
            return f"in {one.unit}, true in {true.unit}"
    if true.map is not None:
        return _maps(true.map, truth, one.maps, tolerance)
    if true.rows:
        return _rows(true, truth, one.value, tolerance)
    expected = truth.value(true.value or "")
    if same(expected, one.value, tolerance):
        return ""
    return f"{_short(one.value)} {one.unit or ''}, true is {_short(expected)} {true.unit or ''}"


def _in_unit(one: One, unit: str, wanted: str) -> One:
    """The same in another unit, values and maps alike."""
    zero = convert(0.0, unit, wanted)
    factor = convert(1.0, unit, wanted) - zero
    maps = tuple(replace(each, pixels=each.pixels * factor + zero) for each in one.maps)
    number = isinstance(one.value, (int, float)) and not isinstance(one.value, bool)
    return One(one.value * factor + zero if number else one.value, wanted, maps)


# --- values ---------------------------------------------------------------------------------------------------------


def same(true: Any, found: Any, tolerance: float) -> bool:
    """Whether a value is true within a relative tolerance; lists place by place, texts by letters.

    Where the truth is not a number, the answer is none: ``None`` in lists and rows.
    """
    if isinstance(true, np.ndarray):
        true = true.tolist()
    if found is None:
        return isinstance(true, float) and math.isnan(true)
    if isinstance(found, bool):
        return False
    if isinstance(true, (int, float)) and isinstance(found, (int, float)):
        if math.isnan(true) or math.isnan(found):
            return math.isnan(true) and math.isnan(found)
        return math.isclose(true, found, rel_tol=tolerance, abs_tol=max(tolerance * 0.05, 1e-9))
    if isinstance(true, (list, tuple)):
        listed = isinstance(found, (list, tuple)) and len(true) == len(found)
        return listed and all(same(a, b, tolerance) for a, b in zip(true, found, strict=True))
    return str(true) == str(found)


def _rows(true: TrueOutput, truth: CaseTruth, found: Any, tolerance: float) -> str:
    """Rows by the column that they go by. Where a grid was changed, not by how many pixels there were, and extremes by
    the range, as they move by the contrast between neighbours."""
    if not isinstance(found, (list, tuple)) or len(found) != len(true.rows):
        return f"{_short(found)}, true are {len(true.rows)} rows"
    for wanted in true.rows:
        row = {name: truth.value(cell) if isinstance(cell, str) else cell for name, cell in wanted.items()}
        other = next((one for one in found if str(one.get(true.by)) == str(_plain(row[true.by]))), None)
        if other is None:
            return f"no row of {true.by} {row[true.by]}"
        for name, cell in row.items():
            if name != true.by and not _same_cell(name, row, other, tolerance):
                return f"{name} of {true.by} {row[true.by]} is {_short(other.get(name))}, true is {_short(cell)}"
    return ""


def _plain(key: Any) -> Any:
    return int(key) if isinstance(key, float) and key.is_integer() else key


def _same_cell(name: str, true: Mapping[str, Any], found: Mapping[str, Any], tolerance: float) -> bool:
    if name in _COUNTS and tolerance >= PIXELS_LOST:
        return True
    if name in _EXTREMES and all(isinstance(true.get(one), float) for one in _EXTREMES) and found.get(name) is not None:
        return bool(abs(true[name] - found[name]) <= max(tolerance * (true["maximum"] - true["minimum"]), 1e-6))
    return same(true[name], found.get(name), tolerance)


# --- maps -----------------------------------------------------------------------------------------------------------


def _maps(text: str, truth: CaseTruth, maps: Sequence[Map], tolerance: float) -> str:
    """Every map of a series against the truth of its date."""
    if not maps:
        return "no map"
    for index, one in enumerate(maps):
        if not one.grid.crs:  # nothing but its place can be compared
            one = Map(one.pixels, replace(one.grid, crs=truth.grid.crs))
        true = truth.map(text, one.grid)
        if true.ndim == 3 and len(true) != len(maps):
            return f"{len(maps)} maps, true are those of {len(true)} dates"
        difference = _map(true[index] if true.ndim == 3 else true, truth, one, tolerance)
        if difference:
            return f"map {index + 1} {difference}"
    return ""


def _map(true: Pixels, truth: CaseTruth, one: Map, tolerance: float) -> str:
    """Gaps in the same places, and numbers that are true at all pixels but a share of ``tolerance``.

    Where the grid is another one than the data's, gaps may be a pixel wider or narrower.
    """
    if true.shape != one.pixels.shape:
        return f"of {one.pixels.shape} pixels, true are {true.shape}"
    exact = tolerance < PIXELS_LOST and truth.exact(one.grid)
    judged = truth.inside(one.grid, 0 if exact else 1.5)
    lost, found = np.isnan(true), np.isnan(one.pixels)
    by = 0 if exact else 2 * truth.pixels_of(one.grid)
    invented = _share(judged & ~found & ~widened(~lost, by))
    dropped = _share(judged & found & ~widened(lost, by))
    if max(invented, dropped) > (0 if exact else tolerance):
        return (
            f"has numbers at {invented:.2%} of the pixels, where nothing is known, and none at {dropped:.2%} that are"
        )
    both = judged & ~lost & ~found
    if not both.any():
        return "has no pixel that is known"
    size = max(float(np.ptp(true[both])), float(abs(np.mean(true[both])))) or 1.0
    gap = np.abs(true[both] - one.pixels[both])
    false = float(np.mean(gap > max(tolerance, 1e-5) * size))
    return f"is false at {false:.2%} of its pixels, by up to {gap.max():.4g}" if false > tolerance else ""


def _share(mask: Any) -> float:
    return float(np.mean(mask))


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
