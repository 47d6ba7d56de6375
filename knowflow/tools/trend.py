"""Trends in time, per pixel and of single numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import ToolError
from knowflow.ground.units import per_year
from knowflow.model.artifact import Artifact
from knowflow.tools.context import tell
from knowflow.tools.dates import dates_in, in_time_order, moment
from knowflow.tools.kernels.mann_kendall import MannKendall, seasonal_kendall
from knowflow.tools.kernels.mann_kendall import mann_kendall as mann_kendall_kernel
from knowflow.tools.kernels.regression import LinearTrend, linear_trend
from knowflow.tools.raster import Block, Output, map_blocks, map_stack
from knowflow.tools.scalars import Number, paired
from knowflow.tools.seasons import Calendar, Seasons, removable, treatment

Method = Literal["linear", "mann_kendall"]
Slope = Literal["linear", "theil_sen"]

_NOT_ENOUGH = -128
_LINEAR, _SEN = "least-squares slope", "Sen's slope"


def temporal_trend(
    series: Sequence[Artifact],
    output: Path,
    p_value: Path,
    r: Path,
    minimum_count: int = 3,
    seasons: Seasons = "kept",
    lower: Path | None = None,
    upper: Path | None = None,
) -> None:
    """Linear regression of every pixel on time.

    Writes the slope per year (``output``), its two-sided p-value, the correlation with time (``r``) and the 95 %
    interval of the slope (``lower``, ``upper``); gaps are left out, pixels with fewer than ``minimum_count``
    observations are nodata. Years are Julian years (365.25 days). ``seasons``: see ``knowflow.tools.seasons``.
    """
    items, years = in_time_order(series)
    _require(items, max(minimum_count, 3))
    calendar = Calendar.of(dates_in(items))
    removed = removable(calendar, seasons, robust=False)

    def kernel(block: Block) -> dict[str, NDArray[np.float64]]:
        found = _line(block["series"], years, calendar, removed, minimum_count)
        return {name: getattr(found, "slope" if name == "output" else name) for name in outputs}

    outputs = _outputs(items, {"output": output, "lower": lower, "upper": upper}, {"p_value": p_value, "r": r})
    map_stack(kernel, items, outputs)
    tell(f"{_LINEAR} of every pixel: {treatment(calendar, removed, robust=False)}")


def mann_kendall(
    series: Sequence[Artifact],
    output: Path,
    p_value: Path,
    tau: Path,
    minimum_count: int = 4,
    seasons: Seasons = "kept",
    lower: Path | None = None,
    upper: Path | None = None,
) -> None:
    """Mann-Kendall test of every pixel for a monotonic trend, with Sen's slope.

    Writes Sen's slope per year (``output``), the two-sided p-value, Kendall's tau and the 95 % interval of the slope
    (``lower``, ``upper``); gaps are left out, pixels with fewer than ``minimum_count`` observations are nodata. The
    p-value is the normal approximation with ties, good from about 8 observations on. ``seasons``: see
    ``knowflow.tools.seasons``; where they are removed it is the seasonal Kendall test.
    """
    items, years = in_time_order(series)
    _require(items, max(minimum_count, 3))
    calendar = Calendar.of(dates_in(items))
    removed = removable(calendar, seasons, robust=True)

    def kernel(block: Block) -> dict[str, NDArray[np.float64]]:
        found = _kendall(block["series"], years, calendar, removed, minimum_count)
        return {name: getattr(found, "slope" if name == "output" else name) for name in outputs}

    outputs = _outputs(items, {"output": output, "lower": lower, "upper": upper}, {"p_value": p_value, "tau": tau})
    map_stack(kernel, items, outputs)
    tell(f"{_SEN} of every pixel: {treatment(calendar, removed, robust=True)}")


def trend_significance(slope: Artifact, p_value: Artifact, output: Path, alpha: float = 0.05) -> None:
    """Write classes: 1 where a trend rises with p < alpha, -1 where it falls, 0 where it is not significant."""

    def kernel(block: Block) -> NDArray[np.int8]:
        rate, probability = block["slope"], block["p_value"]
        classes = np.where(probability < alpha, np.sign(rate), 0)
        return np.where(np.isfinite(rate) & np.isfinite(probability), classes, _NOT_ENOUGH).astype(np.int8)

    described = Output(output, dtype="int8", nodata=_NOT_ENOUGH, quantity="significance_class", unit="1", keep=())
    map_blocks(kernel, {"slope": slope, "p_value": p_value}, described)


def series_trend(values: Sequence[Number], dates: Sequence[str], seasons: Seasons = "kept") -> float:
    """Slope per year of the linear regression of numbers on their dates; missing numbers are left out."""
    return float(series_trend_table(values, dates, "linear", seasons)[0]["slope"])


def series_mann_kendall(values: Sequence[Number], dates: Sequence[str], seasons: Seasons = "kept") -> float:
    """Sen's slope per year of numbers at their dates; missing numbers are left out."""
    return float(series_trend_table(values, dates, "mann_kendall", seasons)[0]["slope"])


def per_decade(rate: float) -> float:
    """A change per year as one per decade."""
    return 10.0 * rate


def series_trend_table(
    values: Sequence[Number], dates: Sequence[str], method: Method = "linear", seasons: Seasons = "kept"
) -> list[dict[str, Any]]:
    """One row on the trend of numbers in time; missing numbers are left out.

    Slope per year with its 95 % interval (lower, upper) and p_value, count, first and last date, the method and how
    the seasons were treated (``knowflow.tools.seasons``). linear: also intercept (the fitted value at the first date),
    r, r_squared and slope_error; mann_kendall: Sen's slope, also tau.
    """
    pairs = sorted(paired(values, dates), key=lambda pair: moment(pair[1]))
    if len(pairs) < 3:
        raise ToolError("a trend needs three numbers at three dates", expected="at least 3", found=str(len(pairs)))
    numbers = np.array([[value] for value, _ in pairs])
    calendar = Calendar.of([date for _, date in pairs])
    if np.any(np.diff(calendar.times) <= 0):
        raise ToolError("two numbers have the same date", expected="one number per date", hint="average them first")
    robust = method == "mann_kendall"
    found: MannKendall | LinearTrend
    removed = removable(calendar, seasons, robust)
    row: dict[str, Any] = {"count": len(pairs), "first": calendar.dates[0], "last": calendar.dates[-1]}
    if robust:
        kendall = _kendall(numbers, calendar.times, calendar, removed, 3)
        found, more = kendall, {"tau": kendall.tau}
    else:
        fit = _line(numbers, calendar.times, calendar, removed, 3)
        found, more = fit, {"intercept": fit.intercept, "r": fit.r, "r_squared": fit.r**2, "slope_error": fit.error}
    of_slope = {"slope": found.slope, "lower": found.lower, "upper": found.upper, "p_value": found.p_value}
    row |= {name: float(number[0]) for name, number in (of_slope | more).items()}
    row |= {"method": _SEN if robust else _LINEAR, "seasons": treatment(calendar, removed, robust)}
    tell(_told(row, len(values)))
    return [row]


def fit(stack: NDArray[np.floating], calendar: Calendar, method: Slope, removed: bool) -> MannKendall | LinearTrend:
    """The trend of every pixel of a stack (time, ...) per year: by least squares, or the median of the slopes of pairs
    (Theil 1950, Sen 1968); unknown with fewer than three values. ``removed``: without the seasons."""
    line = _line if method == "linear" else _kendall
    return line(stack, calendar.times, calendar, removed, 3)


def of_every_pixel(calendar: Calendar, method: Slope, removed: bool) -> str:
    """How the trend of pixels was found, in words."""
    robust = method != "linear"
    return f"{_SEN if robust else _LINEAR} of every pixel: {treatment(calendar, removed, robust)}"


def _told(row: dict[str, Any], asked: int) -> str:
    """The trend of a series in one sentence."""
    of = f"{row['count']} of {asked} dates" if row["count"] < asked else f"{row['count']} dates"
    return (
        f"{row['method']} {row['slope']:.4g} per year, 95 % interval {row['lower']:.4g} to {row['upper']:.4g}, "
        f"p {row['p_value']:.2g}; {of}, {row['first'][:10]} to {row['last'][:10]}; {row['seasons']}"
    )


def _line(
    stack: NDArray[np.floating], times: NDArray[np.float64], calendar: Calendar, removed: bool, minimum_count: int
) -> LinearTrend:
    if removed:
        kept = calendar.returning
        return linear_trend(stack[kept], times[kept], minimum_count, calendar.months[kept])
    return linear_trend(stack, times, minimum_count)


def _kendall(
    stack: NDArray[np.floating], times: NDArray[np.float64], calendar: Calendar, removed: bool, minimum_count: int
) -> MannKendall:
    if removed:
        return seasonal_kendall(stack, times, calendar.years, calendar.months, minimum_count)
    return mann_kendall_kernel(stack, times, minimum_count)


def _outputs(
    items: Sequence[Artifact], slopes: Mapping[str, Path | None], tests: Mapping[str, Path]
) -> dict[str, Output]:
    """The rasters to write: slopes in the unit of the series per year, where they are wanted, and what tests them."""
    unit = items[0].fact("unit")
    rate = None if unit is None else per_year(unit)
    kinds = {"p_value": "p_value", "r": "correlation_coefficient", "tau": "correlation_coefficient"}
    return {
        **{name: Output(path, quantity="trend_per_year", unit=rate, keep=()) for name, path in slopes.items() if path},
        **{name: Output(path, quantity=kinds[name], unit="1", keep=()) for name, path in tests.items()},
    }


def _require(items: Sequence[Artifact], count: int) -> None:
    if len(items) < count:
        raise ToolError(
            "the series is too short for a trend", expected=f"at least {count} dates", found=str(len(items))
        )
