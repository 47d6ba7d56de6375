"""Classes of values between limits: the grades of burn severity, of slopes, of anything that limits tell apart."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import ToolError
from knowflow.model.artifact import Artifact
from knowflow.tools.kernels.limits import edges
from knowflow.tools.raster import Block, Output, map_blocks
from knowflow.tools.raster.output import MASK_NODATA


def classes_between_limits(raster: Artifact, limits: Sequence[float], names: Sequence[str], output: Path) -> None:
    """Write the class of every value: 1 below the first limit, 2 from there to the second, and so on upwards.

    A value at a limit is of the class above it. ``names`` are those of the classes, one more than there are limits, in
    the raster's own unit.
    """
    bounds = [float(limit) for limit in limits]
    if bounds != sorted(set(bounds)) or len(names) != len(bounds) + 1:
        raise ToolError(
            "limits do not part the values into these classes",
            expected="limits that rise, and one name more than there are limits",
            found=f"{len(bounds)} limits ({', '.join(f'{one:g}' for one in limits)}), {len(names)} names",
        )

    def kernel(block: Block) -> NDArray[np.uint8]:
        values = block["raster"]
        classes = np.digitize(values, [edges(bound, values)[0] for bound in bounds]) + 1
        return np.where(np.isfinite(values), classes, MASK_NODATA).astype(np.uint8)

    called = {str(number): name for number, name in enumerate(names, start=1)}
    target = Output(
        output, "uint8", MASK_NODATA, quantity="class_label", unit="1", tags={"CLASSES": json.dumps(called)}
    )
    map_blocks(kernel, {"raster": raster}, target, pointwise=True)
