"""Series of numbers: trend, season, change and spikes."""

from __future__ import annotations

import importlib
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import ToolError
from knowflow.tools.kernels.change_points import CostModel, change_points
from knowflow.tools.scalars import Number, present

Array = NDArray[np.float64]
NOT_CYCLICAL = "Data is not cyclical"


def compute_linear_trend(y: Sequence[Number], x: Sequence[float] | None = None, compat: bool = False) -> list[float]:
    """Slope and intercept of the least-squares line through ``y`` over ``x`` (0, 1, 2... where it is not given).

    Numbers at one place only have no slope, and are an error. ``compat``: they get the line whose slope and intercept
    have the smallest squares.
    """
    places = list(range(len(y))) if x is None else list(x)
    if len(places) != len(y):
        raise ToolError("there must be one x for each y", expected=f"{len(y)} numbers", found=f"{len(places)}")
    pairs = np.array([(a, b) for a, b in zip(places, y, strict=True) if b is not None and math.isfinite(b)], float)
    different = len({float(a) for a, _ in pairs})
    if different < (1 if compat else 2):
        raise ToolError("a line needs two different places", expected="at least 2", found=str(different))
    if compat:
        matrix = np.column_stack([pairs[:, 0], np.ones(len(pairs))])
        return [float(number) for number in np.linalg.lstsq(matrix, pairs[:, 1])[0]]
    from scipy.stats import linregress

    fit = linregress(*pairs.T)
    return [float(fit.slope), float(fit.intercept)]


def mann_kendall_test(x: Sequence[Number]) -> list[Any]:
    """What the Mann-Kendall test says at 0.05, its p-value, z and Kendall's tau (Mann 1945, Kendall 1975)."""
    import pymannkendall

    values = _at_least(x, 2)
    found = pymannkendall.original_test(values)
    return [str(found.trend), float(found.p), float(found.z), float(found.Tau)]


def sens_slope(x: Sequence[Number]) -> list[Any]:
    """Sen's slope (the median) and the slopes of all pairs, by the first place and then the second (Sen 1968)."""
    values = np.array([math.nan if value is None else float(value) for value in x])
    earlier, later = np.triu_indices(values.size, 1)
    slopes = (values[later] - values[earlier]) / (later - earlier)
    slopes = slopes[np.isfinite(slopes)]
    if slopes.size == 0:
        raise ToolError("a slope needs two numbers", expected="at least 2", found=str(np.isfinite(values).sum()))
    return [float(np.median(slopes)), [float(slope) for slope in slopes]]


def stl_decompose(x: Sequence[float], period: int, robust: bool = False) -> list[dict[str, float]]:
    """Trend, season and remainder of a series, one row per number (STL, Cleveland et al. 1990).

    Raises ``ToolError`` for gaps and for fewer than two periods.
    """
    values = _complete(x)
    if period < 2 or values.size < 2 * period:
        raise ToolError("a season needs two periods", expected=f"at least {2 * max(period, 2)}", found=str(values.size))
    seasonal = importlib.import_module("statsmodels.tsa.seasonal")  # seconds: only who asks for it pays
    found = seasonal.STL(values, period=period, robust=robust).fit()
    parts = zip(found.trend, found.seasonal, found.resid, strict=True)
    return [{"trend": float(t), "seasonal": float(s), "resid": float(r)} for t, s, r in parts]


def detect_change_points(signal: Sequence[float], model: CostModel = "l2", penalty: float = 10.0) -> list[int]:
    """The places before which a new level begins, and the length of the series (PELT, Killick et al. 2012)."""
    if model not in ("l2", "l1", "rbf"):
        raise ToolError("there is no such model", expected="l2, l1, rbf", found=str(model))
    return change_points(_complete(signal), float(penalty), model)


def autocorrelation_function(x: Sequence[float], nlags: int = 20) -> list[float]:
    """Autocorrelation at lags 0 to ``nlags`` (Box and Jenkins: divided by n), as far as the series is long."""
    values = _complete(x)
    centred = values - values.mean()
    total = float(centred @ centred)
    if total == 0:
        raise ToolError("a constant series has no autocorrelation", expected="numbers that differ", found="one value")
    lags = min(int(nlags), values.size - 1)
    return [float(centred[: values.size - lag] @ centred[lag:]) / total for lag in range(lags + 1)]


def detect_seasonality_acf(values: Sequence[float], min_acf: float = 0.3, compat: bool = False) -> str:
    """The period of a series in steps, as text, or that it has none.

    The lag at which the autocorrelation has its highest peak above ``min_acf``; a peak is higher than both neighbours,
    so that slow changes are no seasons. ``compat``: the strongest lag from 2 on, peak or not.
    """
    correlation = np.array(autocorrelation_function(values, len(values) // 2))
    lags = np.arange(2, correlation.size)
    if not compat:
        lags = lags[:-1]
        peaks = (correlation[lags] > correlation[lags - 1]) & (correlation[lags] > correlation[lags + 1])
        lags = lags[peaks]
    lags = lags[correlation[lags] > min_acf]
    return str(int(lags[np.argmax(correlation[lags])])) if lags.size else NOT_CYCLICAL


def count_spikes_from_values(
    values: Sequence[Number], spike_threshold: float = 0.1, verbose: bool = False, compat: bool = False
) -> int:
    """How often a number is above the one before it by more than a threshold; missing numbers are passed over.

    ``verbose`` changes nothing. ``compat``: differences in single precision, in which 0.83 - 0.78 exceeds 0.05.
    """
    steps = np.diff(_at_least(values, 1).astype(np.float32 if compat else np.float64))
    return int(np.count_nonzero(steps.astype(np.float64) > spike_threshold))


def _at_least(x: Sequence[Number], least: int) -> Array:
    values = present(x)
    if values.size < least:
        raise ToolError("there are too few numbers", expected=f"at least {least}", found=str(values.size))
    return values


def _complete(x: Sequence[Number]) -> Array:
    values = present(x)
    if values.size != len(x):
        raise ToolError(
            "the series has gaps", expected="a number at every step", found=f"{len(x) - values.size} missing"
        )
    return values
