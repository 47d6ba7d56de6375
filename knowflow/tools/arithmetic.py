"""Rasters against rasters: differences, ratios, departures from a baseline."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.units import change_unit
from knowflow.model.artifact import Artifact
from knowflow.tools.raster import Block, Output, map_blocks
from knowflow.tools.raster.decibels import is_decibel, level, power, tell_power

# of the facts of a, those that hold of a comparison with b: the sensor and the way it was processed
_ROUNDINGS = 8  # of the last digit of a number: by so much observations of one value may differ
_KEEP = ("sensor", "level", "cloud_masked")


def difference(a: Artifact, b: Artifact, output: Path, quantity: str = "difference") -> None:
    """Write a - b. A difference of temperatures in degrees Celsius is in kelvin, so that nothing adds 273.15 to it."""

    def kernel(block: Block) -> NDArray[np.float32]:
        return np.asarray(block["a"] - block["b"])

    unit = a.fact("unit")
    described = Output(output, quantity=quantity, unit=None if unit is None else change_unit(unit), keep=_KEEP)
    map_blocks(kernel, {"a": a, "b": b}, described, pointwise=True)


def ratio_of_rasters(a: Artifact, b: Artifact, output: Path) -> None:
    """Write a / b; nodata where b is zero."""

    def kernel(block: Block) -> NDArray[np.float32]:
        divisor = block["b"]
        return np.where(divisor == 0, np.float32(np.nan), block["a"] / divisor)

    map_blocks(kernel, {"a": a, "b": b}, Output(output, quantity="ratio", unit="1", keep=_KEEP), pointwise=True)


def anomaly(raster: Artifact, baseline: Sequence[Artifact], output: Path, minimum_count: int = 3) -> None:
    """Write how far a raster departs from the mean of a baseline series, in its sample standard deviations, per pixel.

    Nodata where the baseline has fewer than ``minimum_count`` observations or does not vary.
    """
    described = Output(output, quantity="standardized_anomaly", unit="1")
    _write_departure(raster, baseline, described, True, minimum_count)


def departure_from_mean(
    raster: Artifact,
    baseline: Sequence[Artifact],
    output: Path,
    minimum_count: int = 1,
    quantity: str = "difference",
) -> None:
    """Write how far a raster departs from the mean of a baseline series, in its unit, per pixel."""
    unit = raster.fact("unit")
    described = Output(output, quantity=quantity, unit=None if unit is None else change_unit(unit))
    _write_departure(raster, baseline, described, False, minimum_count)


def _write_departure(
    raster: Artifact, baseline: Sequence[Artifact], described: Output, standardised: bool, minimum_count: int
) -> None:
    as_power = is_decibel(raster) and not standardised

    def kernel(block: Block) -> NDArray[np.float64]:
        if as_power:  # the ratio of the powers, in decibels
            past = power(block["baseline"])
            mean = block["raster"] - departure(block["raster"], past, False, minimum_count)
            return np.asarray(block["raster"] - level(mean))
        return departure(block["raster"], block["baseline"], standardised, minimum_count)

    if as_power:
        tell_power("the mean of the dates before", raster)
    map_blocks(kernel, {"raster": raster, "baseline": tuple(baseline)}, described)


def departure(
    values: NDArray[np.floating], baseline: NDArray[np.floating], standardised: bool, minimum_count: int
) -> NDArray[np.float64]:
    """Departure of ``values`` (rows, columns) from the mean of ``baseline`` (time, rows, columns)."""
    observed = np.isfinite(baseline)
    count = np.count_nonzero(observed, axis=0)
    n = np.maximum(count, 1)
    past = np.where(observed, baseline, 0.0).astype(np.float64)
    mean = past.sum(axis=0) / n
    result = np.where(count >= max(minimum_count, 1), values - mean, np.nan)
    if not standardised:
        return result
    spread = np.sqrt((np.where(observed, past - mean, 0.0) ** 2).sum(axis=0) / np.maximum(n - 1, 1))
    # observations of one value differ by rounding: that is no variation
    rounding = _ROUNDINGS * float(np.finfo(baseline.dtype).eps)
    varies = (count >= 2) & (spread > rounding * np.maximum(np.abs(mean), 1e-30))
    return np.where(varies, result / np.where(varies, spread, 1.0), np.nan)
