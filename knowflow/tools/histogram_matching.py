"""The distribution of one image's values made that of another's."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import ToolError
from knowflow.model.artifact import Artifact
from knowflow.tools.raster import Block, map_blocks
from knowflow.tools.scaling import physical_like
from knowflow.tools.statistics import distribution_of

_QUANTILES = 2001


def match_histogram(raster: Artifact, reference: Artifact, output: Path) -> None:
    """Write a raster whose values are moved so that they are distributed as those of a reference.

    Every value becomes the value of the reference of the same rank, by the quantiles of both (2001, and straight lines
    between them). The two need not lie on one grid; missing pixels take no part.
    """
    shares = np.linspace(0.0, 1.0, _QUANTILES)
    own, wanted = (np.asarray(distribution_of(one).quantiles(list(shares))) for one in (raster, reference))
    for values, one in ((own, raster), (wanted, reference)):
        if not np.isfinite(values).all():
            raise ToolError("the raster holds no data", where=one.path, expected="values to rank", found="none")
    # of values that many pixels share, the middle rank counts
    levels, first, count = np.unique(own, return_index=True, return_counts=True)
    ranks = (shares[first] + shares[first + count - 1]) / 2

    def kernel(block: Block) -> NDArray[np.float64]:
        values = block["raster"].astype(np.float64)
        return np.asarray(np.interp(np.interp(values, levels, ranks), shares, wanted))

    map_blocks(kernel, {"raster": raster}, physical_like(output, raster))
