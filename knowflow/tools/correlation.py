"""How two rasters, or two series, go together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import ToolError
from knowflow.model.artifact import Artifact
from knowflow.tools.dates import in_time_order, moment
from knowflow.tools.kernels.regression import Comoments, correlation_of_stacks, weighted_ranks
from knowflow.tools.raster import Block, Output, map_blocks, reduce_blocks

RANKED_PIXELS = 8_000_000
"""Spearman's rho ranks all pixels, so that they have to be held; beyond this number the tool refuses."""


def correlation(a: Artifact, b: Artifact, method: Literal["pearson", "spearman"] = "pearson") -> float:
    """Correlation over the pixels that are data in both rasters: Pearson's r, or Spearman's rank correlation.

    Weighted by the areas of the pixels where these differ by more than 0.1 %: for Spearman's rho a pixel ranks by the
    area that is below it.
    """
    found = _pearson(a, b) if method == "pearson" else _spearman(a, b)
    if math.isnan(found):
        raise ToolError(
            "there is nothing to correlate",
            expected="at least 3 pixels that are data in both rasters, and values that vary",
            found="fewer, or a constant raster",
            hint="check the overlap and the masks of both",
        )
    return found


def temporal_correlation(a: Sequence[Artifact], b: Sequence[Artifact], output: Path, minimum_count: int = 3) -> None:
    """Write Pearson's r through time of two series, per pixel, over the dates at which both are observed.

    The series are paired by date: items whose day the other series lacks are left out.
    """
    pairs = _same_days(a, b)
    if len(pairs) < max(minimum_count, 3):
        raise ToolError(
            "the two series share too few dates",
            expected=f"at least {max(minimum_count, 3)}",
            found=str(len(pairs)),
            hint="composite both to common periods first",
        )

    def kernel(block: Block) -> NDArray[np.float64]:
        return correlation_of_stacks(block["a"], block["b"], max(minimum_count, 3))

    sources = {"a": tuple(one for one, _ in pairs), "b": tuple(other for _, other in pairs)}
    map_blocks(kernel, sources, Output(output, quantity="correlation_coefficient", unit="1", keep=()))


def _same_days(a: Sequence[Artifact], b: Sequence[Artifact]) -> list[tuple[Artifact, Artifact]]:
    by_day: dict[date, Artifact] = {}
    for item in in_time_order(b)[0]:
        by_day.setdefault(moment(str(item.fact("datetime"))).date(), item)
    pairs = []
    for item in in_time_order(a)[0]:
        other = by_day.pop(moment(str(item.fact("datetime"))).date(), None)
        if other is not None:
            pairs.append((item, other))
    return pairs


def _pearson(a: Artifact, b: Artifact) -> float:
    def kernel(block: Block) -> Comoments:
        return Comoments.of(block["a"], block["b"], block.weights)

    found = reduce_blocks(kernel, {"a": a, "b": b}, Comoments(), Comoments.merged)
    return found.r if found.count >= 3 else math.nan


def _spearman(a: Artifact, b: Artifact) -> float:
    def kernel(block: Block) -> NDArray[np.float64]:
        x, y, weights = block["a"], block["b"], block.weights
        both = np.isfinite(x) & np.isfinite(y)
        heavy = np.ones(block.shape) if weights is None else np.broadcast_to(weights, block.shape)
        return np.stack([x[both], y[both], heavy[both]])

    def collect(parts: list[NDArray[np.float64]], part: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        if sum(each.shape[1] for each in parts) + part.shape[1] > RANKED_PIXELS:
            raise ToolError(
                "there are too many pixels to rank",
                expected=f"at most {RANKED_PIXELS}",
                found="more",
                hint="use method pearson, clip to a smaller area, or resample to coarser pixels",
            )
        return [*parts, part]

    start: list[NDArray[np.float64]] = []
    x, y, heavy = np.concatenate([np.empty((3, 0)), *reduce_blocks(kernel, {"a": a, "b": b}, start, collect)], axis=1)
    if x.size < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return math.nan
    return Comoments.of(weighted_ranks(x, heavy), weighted_ranks(y, heavy), heavy).r
