"""What pixels without data stand for: nothing known, or none of what the others tell."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from knowflow.model.artifact import Artifact
from knowflow.tools.context import tell
from knowflow.tools.raster import Block, Output, map_blocks, reduce_blocks
from knowflow.tools.thresholding import UNKNOWN


def none_where_blank(raster: Artifact, output: Path) -> None:
    """Write a raster with 0 where it has no data, if none of its numbers is 0 or less; what that comes to is told.

    Files of the depth of a flood, of snow or of what burned often hold the places alone where there is some. One that
    tells 0 somewhere is written as it is: what it leaves blank is not known.
    """

    def counted(block: Block) -> NDArray[np.int64]:
        values = block["raster"]
        return np.array([np.count_nonzero(values > 0), np.count_nonzero(values <= 0), values.size])

    some, none, whole = (
        int(n) for n in reduce_blocks(counted, {"raster": raster}, np.zeros(3, np.int64), lambda a, b: a + b)
    )
    blank = whole - some - none
    fill = bool(some and blank and not none)
    quantity, mask = raster.fact("quantity"), str(raster.fact("quantity")).endswith("mask")

    def kernel(block: Block) -> NDArray[Any]:
        values = block["raster"]
        if fill:
            values = np.nan_to_num(values, nan=0.0)
        return np.where(np.isnan(values), UNKNOWN, values).astype(np.uint8) if mask else values

    numbers = Output(output, quantity=quantity, unit=raster.fact("unit"))
    map_blocks(kernel, {"raster": raster}, Output.mask(output, str(quantity)) if mask else numbers)
    if fill:
        told = str(quantity or "it").removesuffix("_mask").replace("_", " ")
        tell(
            f"{blank / whole:.1%} of the pixels of {raster.name} are blank, and no pixel says that there is none: blank"
            f" is taken as no {told} there (--assume '{raster.name}*:blank=unknown' leaves it open)"
        )
