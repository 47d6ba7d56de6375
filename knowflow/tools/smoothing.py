"""Series of rasters: gaps filled in time, noise smoothed, the yearly cycle fitted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import ToolError
from knowflow.ground.units import per_year
from knowflow.model.artifact import Artifact
from knowflow.tools.dates import DAYS_PER_YEAR, dates_in, decimal_years, in_time_order
from knowflow.tools.kernels import time_series
from knowflow.tools.raster import Block, Output, map_stack
from knowflow.tools.raster.output import shared_tags
from knowflow.tools.scaling import physical_like

SmoothingMethod = Literal["whittaker", "savitzky_golay"]
_DAYS_AFTER_NEW_YEAR = 365  # of a year of 365 days: day 1 to 366 of the year


def fill_gaps_in_time(
    series: Sequence[Artifact],
    output: Path,
    longest_gap: float | None = None,
    ends: time_series.Ends = "nodata",
) -> None:
    """Write every date of a series with its gaps filled on straight lines in time, pixel by pixel.

    Gaps between observations more than ``longest_gap`` days apart stay. Before the first and after the last observation
    of a pixel there is nothing, or with ``ends="nearest"`` the nearest one. ``output`` is a folder: one file per date.
    """
    items, days = _in_order(series, 2)
    longest = np.inf if longest_gap is None else longest_gap
    _write_each(items, output, lambda stack: time_series.fill_gaps(stack, days, longest, ends))


def smooth_series(
    series: Sequence[Artifact],
    output: Path,
    method: SmoothingMethod = "whittaker",
    smoothness: float = 10.0,
    window: int = 5,
    degree: int = 2,
    minimum_count: int = 3,
) -> None:
    """Write every date of a series smoothed in time, pixel by pixel; gaps between observations are filled.

    ``whittaker``: the larger ``smoothness``, the smoother. ``savitzky_golay``: polynomials of ``degree`` in a
    ``window`` of an odd number of dates. Nodata before the first and after the last observation of a pixel, and where
    there are fewer than ``minimum_count``. ``output`` is a folder: one file per date.
    """
    items, days = _in_order(series, max(minimum_count, 3))
    if method == "savitzky_golay":
        if window % 2 == 0 or window <= degree:
            raise ToolError(
                "the window does not fit the polynomial",
                expected=f"an odd number of dates above the degree, {degree}",
                found=str(window),
            )
        _write_each(items, output, lambda stack: time_series.savitzky_golay(stack, days, window, degree, minimum_count))
    else:
        _write_each(items, output, lambda stack: time_series.whittaker(stack, days, smoothness, minimum_count))


def harmonic_fit(
    series: Sequence[Artifact],
    output: Path,
    peak: Path,
    mean: Path,
    residual: Path,
    trend: Path,
    harmonics: int = 1,
    with_trend: bool = True,
    minimum_count: int = 6,
) -> None:
    """Write the yearly cycle of every pixel: sines and cosines fitted to dates of any spacing.

    ``output``: amplitude of the cycle of one year (half its height); ``peak``: day of the year at which it is highest;
    ``mean``: level in the middle of the series; ``residual``: standard deviation of what the fit leaves; ``trend``:
    change per year (0 without ``with_trend``). ``harmonics``: 1 for one cycle a year, 2 with half years, and so on.
    """
    items, _ = _in_order(series, minimum_count)
    years = decimal_years(dates_in(items))

    def kernel(block: Block) -> dict[str, NDArray[np.float64]]:
        found = time_series.harmonics(block["series"], years, harmonics, with_trend, minimum_count)
        day = 1 + found.peak * _DAYS_AFTER_NEW_YEAR
        fitted = {"output": found.amplitude, "peak": day, "mean": found.mean, "residual": found.residual}
        return {**fitted, "trend": found.trend}

    unit, shared = items[0].fact("unit"), shared_tags(items, ("sensor", "level", "cloud_masked"))
    quantity = items[0].fact("quantity")

    def described(path: Path, kind: str | None, of: str | None) -> Output:
        return Output(path, quantity=kind, unit=of, keep=(), tags=shared)

    map_stack(
        kernel,
        items,
        {
            "output": described(output, "seasonal_amplitude", unit),
            "peak": described(peak, "day_of_year", "1"),
            "mean": described(mean, quantity, unit),
            "residual": described(residual, "residual_standard_deviation", unit),
            "trend": described(trend, "trend_per_year", None if unit is None else per_year(unit)),
        },
        pointwise=True,
    )


def _in_order(series: Sequence[Artifact], count: int) -> tuple[tuple[Artifact, ...], NDArray[np.float64]]:
    """The items by date, and the days from the first to each; ``ToolError`` where there are too few."""
    if len(series) < count:
        raise ToolError("the series is too short", expected=f"at least {count} dates", found=str(len(series)))
    items, years = in_time_order(series)
    return items, years * DAYS_PER_YEAR


def _write_each(items: Sequence[Artifact], folder: Path, work: Callable[[NDArray[Any]], NDArray[Any]]) -> None:
    """One file per date, named in their order."""
    width = len(str(len(items)))
    outputs = {
        str(number): physical_like(folder / f"{number:0{width}d}_{Path(str(item.path)).stem}.tif", item)
        for number, item in enumerate(items, start=1)
    }

    def kernel(block: Block) -> dict[str, NDArray[Any]]:
        return dict(zip(outputs, work(block["series"]), strict=True))

    map_stack(kernel, items, outputs, pointwise=True)
