"""Statistics of rasters, one or many: each file is read once, block by block."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import ToolError
from knowflow.model.artifact import Artifact
from knowflow.tools.dates import dates_in
from knowflow.tools.directions import full_turn, is_circular, preferred
from knowflow.tools.kernels.directions import Directions
from knowflow.tools.kernels.distribution import Distribution, Moments, Tally
from knowflow.tools.raster import Block, each_raster, grid_of, reduce_blocks
from knowflow.tools.raster.decibels import is_decibel, level_of, power, tell_power
from knowflow.tools.raster.source import Source
from knowflow.tools.thresholding import WhenEmpty, nothing_to_count, tell_what_was_seen

Statistic = Literal["mean", "standard_deviation", "minimum", "maximum", "median", "sum", "percentile"]
PERCENTILES = (5.0, 25.0, 75.0, 95.0)
_PART = 1 << 15
_COUNTABLE = ("uint8", "int8", "uint16", "int16")


def raster_statistics(raster: Artifact, percentiles: Sequence[float] = PERCENTILES) -> list[dict[str, Any]]:
    """One row: count, valid_fraction, mean, std, minimum, maximum, sum, median and percentiles, in the raster's unit.

    Where pixels differ in size by more than 0.1 %, mean, deviation, median and percentiles are weighted by their areas;
    count, valid_fraction and sum are of the pixels, each once. Statistics of nothing are None; of directions there are
    a mean and a deviation around the circle, and no others; the mean of decibels is that of their power, and they have
    no sum. Percentiles are exact up to 8 million values, then within 1.3e-4 of the value.
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
    """One statistic of the pixels that are data; ``percentile`` (0..100) goes with the statistic of that name.

    Weighted as by ``raster_statistics``.

    Of directions (aspect, azimuth) the mean and the standard deviation are those around the circle. The mean of
    decibels is that of the power behind them.

    Raises ``ToolError`` for another statistic of directions, which have no largest one and no order, and for the sum of
    decibels.
    """
    if is_circular(raster):
        directions = _directions(raster)
        if directions.count == 0:
            return nothing_to_count(raster, when_empty)
        return _of_directions(directions, statistic, raster)
    if statistic in ("mean", "sum") and is_decibel(raster):
        mean = _mean_of_levels(raster, statistic)
        return nothing_to_count(raster, when_empty) if math.isnan(mean) else mean
    if statistic in ("median", "percentile"):
        if statistic == "percentile" and percentile is None:
            raise ToolError("which percentile is meant is not said", expected="percentile, 0 to 100", found="none")
        collected = distribution_of(raster)
        if collected.moments.count == 0:
            return nothing_to_count(raster, when_empty)
        share = 50.0 if percentile is None or statistic == "median" else percentile
        return float(collected.quantiles([share / 100.0])[0])
    moments = _moments(raster) if statistic in ("mean", "standard_deviation") else _of_pixels(raster, statistic)
    if not moments.count:
        return nothing_to_count(raster, when_empty)
    if statistic == "sum":
        rows, columns = grid_of(raster).shape
        tell_what_was_seen("the sum", raster, moments.count, rows * columns)
    return _of_moments(moments, statistic)


def raster_mean(raster: Artifact, when_empty: WhenEmpty = "fail") -> float:
    """Mean of the pixels that are data."""
    return raster_statistic(raster, "mean", when_empty=when_empty)


def count_valid(raster: Artifact) -> int:
    """How many pixels are data."""
    return _of_pixels(raster, "count").count


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


def _of_directions(directions: Directions, statistic: Statistic, raster: Artifact) -> float:
    if statistic == "mean":
        return preferred(directions, raster.name)
    if statistic == "standard_deviation":
        return directions.std
    raise ToolError(
        f"directions have no {statistic.replace('_', ' ')}",
        where=raster.name,
        expected="mean or standard_deviation, around the circle",
        found=f"{statistic} of {raster.fact('quantity')}",
        hint="the share of the area that faces a side can be told instead",
    )


def _mean_of_levels(raster: Artifact, statistic: Statistic) -> float:
    if statistic == "sum":
        raise ToolError(
            "levels in decibels have no sum",
            where=raster.name,
            expected="their mean, or the sum of linear power",
            found=f"sum of {raster.fact('quantity') or 'decibels'}",
        )
    tell_power("the mean", raster)
    found = reduce_blocks(
        lambda block: Moments.of(power(block["raster"]), block.weights), {"raster": raster}, Moments(), Moments.merged
    )
    return level_of(found.mean)


def _row(raster: Artifact, percentiles: Sequence[float]) -> dict[str, Any]:
    passed = _collected(raster)
    collected = passed.distribution()
    moments = collected.moments
    quantiles = collected.quantiles([0.5, *(share / 100.0 for share in percentiles)])
    row = {
        "count": moments.count,
        "valid_fraction": moments.count / passed.pixels,
        "mean": moments.mean,
        "std": moments.std,
        "minimum": moments.minimum,
        "maximum": moments.maximum,
        "sum": moments.total,
        "median": quantiles[0],
    }
    row |= {f"p{share:g}": value for share, value in zip(percentiles, quantiles[1:], strict=True)}
    if is_circular(raster):
        directions = _directions(raster)
        around = {"mean": directions.mean, "std": directions.std}
        row |= {name: around.get(name, math.nan) for name in row if name not in ("count", "valid_fraction")}
    if is_decibel(raster) and moments.count:
        row |= {"mean": _mean_of_levels(raster, "mean"), "sum": math.nan}
    plain = {name: value if isinstance(value, int) else number_or_none(value) for name, value in row.items()}
    return {**plain, "unit": raster.fact("unit") or ""}


def number_or_none(value: float) -> float | None:
    """A plain number for a table, None where it is not finite."""
    return float(value) if math.isfinite(value) else None


def _moments(raster: Artifact) -> Moments:
    return reduce_blocks(
        lambda block: Moments.of(block["raster"], block.weights), {"raster": raster}, Moments(), Moments.merged
    )


def _of_pixels(raster: Artifact, statistic: str) -> Moments:
    """Moments of the pixels, each of which counts once: for what has no weights, as extremes, or is a sum or count."""
    return reduce_blocks(
        lambda block: Moments.of(block["raster"]),
        {"raster": raster},
        Moments(),
        Moments.merged,
        each_pixel=statistic in ("sum", "count"),
    )


def _directions(raster: Artifact) -> Directions:
    turn = full_turn(raster)
    return reduce_blocks(
        lambda block: Directions.of(block["raster"], turn, block.weights),
        {"raster": raster},
        Directions(turn),
        Directions.merged,
    )


def distribution_of(raster: Artifact) -> Distribution | Tally:
    """All values that are data, in one pass and bounded memory: what quantiles are asked of."""
    return _collected(raster).distribution()


@dataclass(frozen=True, slots=True)
class _Part:
    """What of one block goes into a distribution: values, or counts of stored numbers; and what they weigh."""

    source: Source
    pixels: int
    numbers: NDArray[Any]
    weights: NDArray[np.float64] | None


class _Collected:
    """What one pass over a raster brings together: values, or counts of stored numbers, and how many pixels there are.

    Of small integers each number that can be stored is counted, and made physical once; of all others values are kept.
    """

    def __init__(self) -> None:
        self.pixels = 0
        self._source: Source | None = None
        self._values = Distribution()
        self._counts: NDArray[np.int64] | None = None
        self._weights: NDArray[np.float64] | None = None

    def add(self, part: _Part) -> _Collected:
        self.pixels += part.pixels
        self._source = part.source
        if part.source.dtype not in _COUNTABLE:
            self._values.add(part.numbers, part.weights)
        elif self._counts is None:
            self._counts, self._weights = part.numbers, part.weights
        else:
            self._counts += part.numbers
            if self._weights is not None and part.weights is not None:
                self._weights += part.weights
        return self

    def distribution(self) -> Distribution | Tally:
        if self._source is None or self._counts is None:
            return self._values
        stored = np.arange(self._counts.size, dtype=_pattern(self._source.dtype)).view(self._source.dtype)
        return Tally(self._source.physical(stored, self._source.missing(stored, None)), self._counts, self._weights)


def _collected(raster: Artifact) -> _Collected:
    return reduce_blocks(_part_of, {"raster": raster}, _Collected(), _Collected.add)


def _part_of(block: Block) -> _Part:
    source, pixels, weights = block.source("raster"), block.shape[0] * block.shape[1], block.weights
    if source.dtype not in _COUNTABLE:
        values = block["raster"]
        finite = np.isfinite(values)
        heavy = None if weights is None else np.broadcast_to(weights, block.shape)[finite]
        return _Part(source, pixels, values[finite], heavy)
    stored = block.raw("raster").view(_pattern(source.dtype))
    kept = block.valid("raster") if source.masked else np.s_[:, :]
    numbers = stored[kept].ravel()
    if weights is None:
        return _Part(source, pixels, _counts(numbers), None)
    each = np.broadcast_to(weights, block.shape)[kept].ravel()
    every = 1 << (8 * numbers.itemsize)
    heavy = np.bincount(numbers, weights=each, minlength=every).astype(np.float64, copy=False)
    return _Part(source, pixels, _counts(numbers), heavy)


def _pattern(dtype: str) -> np.dtype[Any]:
    """The unsigned integers whose bits are those of a type."""
    return np.dtype(dtype if dtype.startswith("u") else f"u{dtype}")


def _counts(patterns: NDArray[Any]) -> NDArray[np.int64]:
    """How often each number that the unsigned type holds occurs; as many at a time as fit the processor's cache."""
    counts: NDArray[np.int64] = np.zeros(1 << (8 * patterns.itemsize), dtype=np.int64)
    for start in range(0, patterns.size, _PART):
        part = np.bincount(patterns[start : start + _PART])
        counts[: part.size] += part
    return counts
