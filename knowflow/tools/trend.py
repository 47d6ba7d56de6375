"""Trends in time, per pixel and of single numbers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import ToolError
from knowflow.ground.units import per_year
from knowflow.model.artifact import Artifact
from knowflow.tools.dates import elapsed_years, in_time_order, moment
from knowflow.tools.kernels.mann_kendall import mann_kendall as mann_kendall_kernel
from knowflow.tools.kernels.regression import linear_trend
from knowflow.tools.raster import Block, Output, map_blocks, map_stack
from knowflow.tools.scalars import Number, paired

Method = Literal["linear", "mann_kendall"]

_NOT_ENOUGH = -128


def temporal_trend(series: Sequence[Artifact], output: Path, p_value: Path, r: Path, minimum_count: int = 3) -> None:
    """Linear regression of every pixel on time.

    Writes the slope per year (``output``), its two-sided p-value and the correlation with time (``r``); gaps are left
    out, pixels with fewer than ``minimum_count`` observations are nodata. Years are Julian years (365.25 days).
    """
    items, years = in_time_order(series)
    _require(items, max(minimum_count, 3))

    def kernel(block: Block) -> dict[str, NDArray[np.float64]]:
        found = linear_trend(block["series"], years, minimum_count)
        return {"output": found.slope, "p_value": found.p_value, "r": found.r}

    map_stack(
        kernel,
        items,
        {
            "output": _slope_output(output, items),
            "p_value": Output(p_value, quantity="p_value", unit="1", keep=()),
            "r": Output(r, quantity="correlation_coefficient", unit="1", keep=()),
        },
    )


def mann_kendall(series: Sequence[Artifact], output: Path, p_value: Path, tau: Path, minimum_count: int = 4) -> None:
    """Mann-Kendall test of every pixel for a monotonic trend, with Sen's slope.

    Writes Sen's slope per year (``output``), the two-sided p-value and Kendall's tau; gaps are left out, pixels with
    fewer than ``minimum_count`` observations are nodata. The p-value is the normal approximation with ties, good from
    about 8 observations on.
    """
    items, years = in_time_order(series)
    _require(items, max(minimum_count, 3))

    def kernel(block: Block) -> dict[str, NDArray[np.float64]]:
        found = mann_kendall_kernel(block["series"], years, minimum_count)
        return {"output": found.slope, "p_value": found.p_value, "tau": found.tau}

    map_stack(
        kernel,
        items,
        {
            "output": _slope_output(output, items),
            "p_value": Output(p_value, quantity="p_value", unit="1", keep=()),
            "tau": Output(tau, quantity="correlation_coefficient", unit="1", keep=()),
        },
    )


def trend_significance(slope: Artifact, p_value: Artifact, output: Path, alpha: float = 0.05) -> None:
    """Write classes: 1 where a trend rises with p < alpha, -1 where it falls, 0 where it is not significant."""

    def kernel(block: Block) -> NDArray[np.int8]:
        rate, probability = block["slope"], block["p_value"]
        classes = np.where(probability < alpha, np.sign(rate), 0)
        return np.where(np.isfinite(rate) & np.isfinite(probability), classes, _NOT_ENOUGH).astype(np.int8)

    described = Output(output, dtype="int8", nodata=_NOT_ENOUGH, quantity="significance_class", unit="1", keep=())
    map_blocks(kernel, {"slope": slope, "p_value": p_value}, described)


def series_trend(values: Sequence[Number], dates: Sequence[str]) -> float:
    """Slope per year of the linear regression of numbers on their dates; missing numbers are left out."""
    return float(series_trend_table(values, dates, "linear")[0]["slope"])


def series_mann_kendall(values: Sequence[Number], dates: Sequence[str]) -> float:
    """Sen's slope per year of numbers at their dates; missing numbers are left out."""
    return float(series_trend_table(values, dates, "mann_kendall")[0]["slope"])


def per_decade(rate: float) -> float:
    """A change per year as one per decade."""
    return 10.0 * rate


def series_trend_table(
    values: Sequence[Number], dates: Sequence[str], method: Method = "linear"
) -> list[dict[str, Any]]:
    """One row on the trend of numbers in time; missing numbers are left out.

    linear: slope per year, intercept (the fitted value at the first date), r, r_squared, p_value, slope_error;
    mann_kendall: Sen's slope per year, tau, p_value; both with count, first and last date.
    """
    pairs = sorted(paired(values, dates), key=lambda pair: moment(pair[1]))
    if len(pairs) < 3:
        raise ToolError("a trend needs three numbers at three dates", expected="at least 3", found=str(len(pairs)))
    numbers = np.array([value for value, _ in pairs])
    order = [date for _, date in pairs]
    years = elapsed_years(order)
    if np.any(np.diff(years) <= 0):
        raise ToolError("two numbers have the same date", expected="one number per date", hint="average them first")
    row: dict[str, Any] = {"count": len(pairs), "first": order[0], "last": order[-1]}
    if method == "linear":
        from scipy.stats import linregress

        fit = linregress(years, numbers)
        r = 0.0 if np.ptp(numbers) == 0 else float(fit.rvalue)
        row |= {"slope": float(fit.slope), "intercept": float(fit.intercept), "r": r, "r_squared": r * r}
        return [row | {"p_value": 1.0 if r == 0 else float(fit.pvalue), "slope_error": float(fit.stderr)}]
    found = mann_kendall_kernel(numbers[:, np.newaxis], years, 3)
    return [row | {"slope": float(found.slope[0]), "tau": float(found.tau[0]), "p_value": float(found.p_value[0])}]


def _slope_output(path: Path, items: Sequence[Artifact]) -> Output:
    unit = items[0].fact("unit")
    return Output(path, quantity="trend_per_year", unit=None if unit is None else per_year(unit), keep=())


def _require(items: Sequence[Artifact], count: int) -> None:
    if len(items) < count:
        raise ToolError(
            "the series is too short for a trend", expected=f"at least {count} dates", found=str(len(items))
        )
