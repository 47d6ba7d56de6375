"""From stored numbers to physical ones, and from one unit to another."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import MissingFactError
from knowflow.ground.units import convert, normalise
from knowflow.model.artifact import Artifact
from knowflow.tools.raster import Block, Output, map_blocks


def apply_scale(raster: Artifact, output: Path) -> None:
    """Write physical values (stored number * scale + offset) as float32, with NaN as nodata."""
    map_blocks(_values, {"raster": raster}, physical_like(output, raster), many_bands=True, pointwise=True)


def convert_unit(raster: Artifact, unit: str, output: Path) -> None:
    """Write a raster's values in another unit of the same kind (K in degC, % in 1, linear power in dB).

    Raises ``UnitError`` where the units do not measure the same thing, ``MissingFactError`` where the raster's unit is
    not known.
    """
    own = raster.fact("unit")
    if own is None:
        raise MissingFactError(
            "the unit of the raster is unknown",
            where=raster.path,
            expected="a raster with a unit",
            hint="say it: --assume unit=K",
        )
    target = normalise(unit)
    convert(0.5, own, target)  # refuses before any block is read

    def kernel(block: Block) -> NDArray[Any]:
        return np.asarray(convert(block["raster"].astype(np.float64), own, target))

    written = physical_like(output, raster, unit=target)
    map_blocks(kernel, {"raster": raster}, written, many_bands=True, pointwise=True)


def physical_like(path: Path, raster: Artifact, unit: str | None = None) -> Output:
    """An output with the meaning of a raster, whose numbers are physical: float32, scale 1, offset 0."""
    like = Output.like(path, raster, dtype="float32", nodata=math.nan, scale=1.0, offset=0.0, colormap=None)
    changed = {"SCALE": "1", "OFFSET": "0"} | ({} if unit is None else {"UNIT": unit})
    return replace(like, tags={**like.tags, **changed})


def _values(block: Block) -> NDArray[np.float32]:
    return block["raster"]
