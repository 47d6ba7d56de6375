"""Statistics of rasters, one or many: each file is read once, block by block."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import ToolError
from knowflow.model.artifact import Artifact
from knowflow.tools.dates import dates_in
from knowflow.tools.kernels.distribution import Distribution, Moments, Tally
from knowflow.tools.raster import Block, each_raster, grid_of, reduce_blocks
from knowflow.tools.raster.source import Source, handles, open_source
from knowflow.tools.thresholding import WhenEmpty, nothing_to_count

Statistic = Literal["mean", "standard_deviation", "minimum", "maximum", "median", "sum", "percentile"]
PERCENTILES = (5.0, 25.0, 75.0, 95.0)
_COUNTABLE = ("uint8", "int8", "uint16", "int16")


def raster_statistics(raster: Artifact, percentiles: Sequence[float] = PERCENTILES) -> list[dict[str, Any]]:
    """One row: count, valid_fraction, mean, std, minimum, maximum, sum, median and percentiles, in the raster's unit.

    Statistics of nothing are None. Percentiles are exact up to 8 million values, then within 1.3e-4 of the value.
    """
    return [_row(raster, percentiles)]


def batch_statistics(series: Sequence[Artifact], percentiles: Sequence[float] = PERCENTILES) -> list[dict[str, Any]]:
    """One row per scene, with its date and name: the columns of ``raster_statistics``. Each file is read once."""
    dates = [item.fact("datetime") for item in series]
    rows = each_raster(lambda item: _row(item, percentiles), series)
    return [{"date": date, "name": item.name, **row} for date, item, row in zip(dates, series, rows, strict=True)]


def raster_statistic(
    raster: Artifact, statistic: Statistic = "mean", percentile: float | None = None, when_empty: WhenEmpty = "fail"
) -> float:
    """One statistic of the pixels that are data; ``percentile`` (0..100) goes with the statistic of that name."""
    if statistic in ("median", "percentile"):
        if statistic == "percentile" and percentile is None:
            raise ToolError("which percentile is meant is not said", expected="percentile, 0 to 100", found="none")
        collected = distribution_of(raster)
        if collected.moments.count == 0:
            return nothing_to_count(raster, when_empty)
        share = 50.0 if percentile is None or statistic == "median" else percentile
        return float(collected.quantiles([share / 100.0])[0])
    moments = _moments(raster)
    return _of_moments(moments, statistic) if moments.count else nothing_to_count(raster, when_empty)


def raster_mean(raster: Artifact, when_empty: WhenEmpty = "fail") -> float:
    """Mean of the pixels that are data."""
    return raster_statistic(raster, "mean", when_empty=when_empty)


def count_valid(raster: Artifact) -> int:
    """How many pixels are data."""
    return _moments(raster).count


def dates_of(series: Sequence[Artifact]) -> list[str]:
    """The dates of a series, ISO 8601, in its order: the companion of a list with one number per scene."""
    return dates_in(series)


def _of_moments(moments: Moments, statistic: Statistic) -> float:
    values = {
        "mean": moments.mean,
        "standard_deviation": moments.std,
        "minimum": moments.minimum,
        "maximum": moments.maximum,
        "sum": moments.total,
    }
    return values[statistic]


def _row(raster: Artifact, percentiles: Sequence[float]) -> dict[str, Any]:
    collected = distribution_of(raster)
    moments = collected.moments
    quantiles = collected.quantiles([0.5, *(share / 100.0 for share in percentiles)])
    rows, columns = grid_of(raster).shape
    row = {
        "count": moments.count,
        "valid_fraction": moments.count / (rows * columns),
        "mean": moments.mean,
        "std": moments.std,
        "minimum": moments.minimum,
        "maximum": moments.maximum,
        "sum": moments.total,
        "median": quantiles[0],
    }
    row |= {f"p{share:g}": value for share, value in zip(percentiles, quantiles[1:], strict=True)}
    plain = {name: value if isinstance(value, int) else number_or_none(value) for name, value in row.items()}
    return {**plain, "unit": raster.fact("unit") or ""}


def number_or_none(value: float) -> float | None:
    """A plain number for a table, None where it is not finite."""
    return float(value) if math.isfinite(value) else None


def _moments(raster: Artifact) -> Moments:
    return reduce_blocks(lambda block: Moments.of(block["raster"]), {"raster": raster}, Moments(), Moments.merged)


def distribution_of(raster: Artifact) -> Distribution | Tally:
    """All values that are data, in one pass and bounded memory: what quantiles are asked of."""
    with handles() as opened:
        source = open_source(raster, opened)
    if source.dtype in _COUNTABLE:
        return _tally(raster, source)

    def kernel(block: Block) -> NDArray[np.float32]:
        values = block["raster"]
        return values[np.isfinite(values)]

    def collect(collected: Distribution, values: NDArray[np.float32]) -> Distribution:
        collected.add(values)
        return collected

    return reduce_blocks(kernel, {"raster": raster}, Distribution(), collect)


def _tally(raster: Artifact, source: Source) -> Tally:
    """The distribution of small integers: each number that can be stored is counted, and made physical once."""
    pattern = np.dtype(source.dtype.replace("int", "uint") if source.dtype[0] == "i" else source.dtype)
    kinds = 1 << (8 * pattern.itemsize)

    def kernel(block: Block) -> NDArray[np.int64]:
        patterns, valid = block.raw("raster").view(pattern), block.valid("raster")
        counts = np.bincount(patterns.ravel(), minlength=kinds)
        return counts if valid.all() else counts - np.bincount(patterns[~valid], minlength=kinds)

    nothing: NDArray[np.int64] = np.zeros(kinds, dtype=np.int64)
    counts = reduce_blocks(kernel, {"raster": raster}, nothing, lambda total, part: total + part)
    stored = np.arange(kinds, dtype=pattern).view(source.dtype)
    return Tally(source.physical(stored, None), counts)
