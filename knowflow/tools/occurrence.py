"""How often something was so at a pixel: the dates on which its value is beyond a limit."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import ToolError
from knowflow.model.artifact import Artifact
from knowflow.tools.raster import Block, Output, map_stack
from knowflow.tools.thresholding import Side, limits, selected


def dates_beyond_limit(
    series: Sequence[Artifact],
    threshold: float,
    output: Path,
    side: Side = "above",
    upper: float | None = None,
    threshold_unit: str | None = None,
    measure: Literal["count", "share"] = "count",
) -> None:
    """Write on how many dates of a series each pixel is above, below or between; or on what share of them (0..1).

    Dates on which a pixel has no value (a cloud) count neither way: the share is one of the others, the count may be
    too small by them. A pixel without any value is nodata. All rasters of one grid and one unit.
    """
    if not series:
        raise ToolError("there is no raster to work on", expected="at least one raster", found="an empty series")
    low, high = limits(series[0], threshold, side, upper, threshold_unit)

    def kernel(block: Block) -> NDArray[np.float32]:
        stack = block["series"]
        seen = np.isfinite(stack).sum(axis=0)
        beyond = (selected(stack, side, low, high) & np.isfinite(stack)).sum(axis=0).astype(np.float32)
        told = beyond / np.maximum(seen, 1) if measure == "share" else beyond
        return np.where(seen > 0, told, np.float32(np.nan)).astype(np.float32)

    kept = ("sensor", "region", "daynight")
    map_stack(kernel, series, Output(output, quantity=measure, unit="1", keep=kept))
