"""Radar images: speckle, and decibels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import ToolError
from knowflow.model.artifact import Artifact
from knowflow.tools.kernels import speckle
from knowflow.tools.raster import Block, map_blocks
from knowflow.tools.scaling import physical_like

SpeckleMethod = Literal["lee", "refined_lee", "frost"]
Logarithmic = Literal["sigma0_db", "gamma0_db"]
Linear = Literal["sigma0", "gamma0"]
_EDGE_MARGIN = 4  # what the refined filter looks at beyond its window: 3 x 3 means, two pixels off
_COUNTERPART = {"sigma0": "sigma0_db", "gamma0": "gamma0_db", "sigma0_db": "sigma0", "gamma0_db": "gamma0"}


def despeckle(
    raster: Artifact,
    output: Path,
    method: SpeckleMethod = "refined_lee",
    window: int = 7,
    looks: float = 4.4,
    damping: float = 2.0,
) -> None:
    """Write a radar intensity (linear power) with its speckle filtered.

    ``lee`` and ``frost`` use a square of ``window`` (odd) pixels, ``refined_lee`` always 7. ``looks``: the equivalent
    number of looks (4.4 in Sentinel-1 IW GRD at high resolution), for both Lee filters; ``damping``: for Frost's.
    Decibels are refused: the statistics of speckle are those of power.
    """
    if window % 2 == 0:
        raise ToolError("the window has no pixel in its middle", expected="an odd number of pixels", found=str(window))

    filters: dict[str, Callable[[Any], Any]] = {
        "lee": lambda values: speckle.lee(values, window, looks),
        "frost": lambda values: speckle.frost(values, window, damping),
        "refined_lee": lambda values: speckle.refined_lee(values, looks),
    }
    halo = _EDGE_MARGIN if method == "refined_lee" else window // 2

    def kernel(block: Block) -> NDArray[np.float32]:
        values = block["raster"]
        found = speckle.in_strips(filters[method], values, halo)
        return np.where(np.isnan(values), np.float32(np.nan), found)

    target = physical_like(output, raster)
    map_blocks(kernel, {"raster": raster}, replace(target, tags={**target.tags, "SPECKLE_FILTERED": "YES"}), halo=halo)


def to_decibel(raster: Artifact, output: Path, quantity: Logarithmic = "sigma0_db") -> None:
    """Write a backscatter coefficient in decibels, ``10 log10``; what is not above 0 has none and becomes nodata."""
    _require_counterpart(raster, quantity)

    def kernel(block: Block) -> NDArray[np.float32]:
        power = block["raster"]
        return np.asarray(10 * np.log10(np.where(power > 0, power, np.float32(np.nan))))

    _write(kernel, raster, output, quantity, "dB")


def from_decibel(raster: Artifact, output: Path, quantity: Linear = "sigma0") -> None:
    """Write a backscatter coefficient in decibels as linear power, ``10^(dB / 10)``: what can be averaged."""
    _require_counterpart(raster, quantity)

    def kernel(block: Block) -> NDArray[np.float32]:
        return np.asarray(np.power(np.float32(10), block["raster"] / np.float32(10)))

    _write(kernel, raster, output, quantity, "1")


def _write(kernel: Any, raster: Artifact, output: Path, quantity: str, unit: str) -> None:
    target = physical_like(output, raster, unit=unit)
    map_blocks(kernel, {"raster": raster}, replace(target, tags={**target.tags, "QUANTITY": quantity}))


def _require_counterpart(raster: Artifact, quantity: str) -> None:
    own = raster.fact("quantity")
    if own is not None and _COUNTERPART.get(str(own)) != quantity:
        raise ToolError(
            f"{own} does not become {quantity}",
            expected=_COUNTERPART[quantity],
            found=str(own),
            hint=f"set quantity to {_COUNTERPART.get(str(own))}" if str(own) in _COUNTERPART else None,
        )
