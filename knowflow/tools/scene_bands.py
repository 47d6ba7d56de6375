"""The bands of one scene together."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from knowflow.model.artifact import Artifact
from knowflow.tools.raster import Block, Output, map_blocks


def clear_bands(bands: Mapping[str, Artifact], cloud_mask: Artifact, output: Path) -> None:
    """Write all bands as physical values without the pixels under cloud, and those of which the mask says nothing.

    One file, its bands named; all rasters lie on one grid.
    """

    def known(fact: str) -> str | None:
        values = {band.fact(fact) for band in bands.values()}
        return str(values.pop()) if len(values) == 1 and None not in values else None

    def kernel(block: Block) -> NDArray[np.float32]:
        clear = block["cloud_mask"] == 0
        return np.stack([np.where(clear, block[name], np.float32(np.nan)) for name in bands])

    described = Output(
        output, quantity=known("quantity"), unit=known("unit"), bands=tuple(bands), tags={"CLOUD_MASKED": "YES"}
    )
    map_blocks(kernel, {**bands, "cloud_mask": cloud_mask}, described)
