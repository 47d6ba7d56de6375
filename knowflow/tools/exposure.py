"""Which way slopes face."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from knowflow.model.artifact import Artifact
from knowflow.tools.raster import Block, Output, map_blocks
from knowflow.tools.thresholding import as_mask

Compass = Literal["north", "northeast", "east", "southeast", "south", "southwest", "west", "northwest"]
_POINTS: tuple[Compass, ...] = ("north", "northeast", "east", "southeast", "south", "southwest", "west", "northwest")


def slopes_facing(aspect: Artifact, towards: Compass, output: Path, sector: float = 90.0) -> None:
    """Write a mask: 1 where slopes face a point of the compass, 0 where they face elsewhere.

    ``aspect`` is in degrees clockwise from north; what has none (flat ground) stays unknown. A slope faces south when
    it deviates from south by at most half of ``sector`` degrees; four sectors of 90 degrees share all slopes.
    """
    middle = 45.0 * _POINTS.index(towards)

    def kernel(block: Block) -> NDArray[np.uint8]:
        values = block["aspect"]
        apart = np.abs((values - middle + 180.0) % 360.0 - 180.0)
        return as_mask(apart <= sector / 2, np.isfinite(values))

    map_blocks(kernel, {"aspect": aspect}, Output.mask(output, "mask"), pointwise=True)
