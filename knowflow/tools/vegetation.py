"""Vegetation cover from NDVI."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import ToolError
from knowflow.model.artifact import Artifact
from knowflow.tools.kernels.vegetation import Mixture
from knowflow.tools.kernels.vegetation import vegetation_fraction as fraction_kernel
from knowflow.tools.raster import Block, Output, map_blocks


def vegetation_fraction(
    ndvi: Artifact, output: Path, ndvi_soil: float = 0.05, ndvi_vegetation: float = 0.86, mixture: Mixture = "linear"
) -> None:
    """Write the share of the ground under green vegetation (0..1), from NDVI between bare soil and full cover."""
    if not ndvi_soil < ndvi_vegetation:
        raise ToolError(
            "the NDVI of vegetation must exceed that of soil", expected=f"> {ndvi_soil}", found=str(ndvi_vegetation)
        )

    def kernel(block: Block) -> NDArray[np.float64]:
        return fraction_kernel(block["ndvi"].astype(np.float64), ndvi_soil, ndvi_vegetation, mixture)

    map_blocks(kernel, {"ndvi": ndvi}, Output(output, quantity="vegetation_fraction", unit="1"), pointwise=True)
