"""What the numbers of a file mean, said again where the file says it wrong or not at all. Pixels stay where they are.

These tools are put into a workflow by repairs only: what they say is taken for granted, and told with the answer.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import MissingFactError
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.units import convert, normalise
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Origin
from knowflow.tools.raster import Block, Output, map_blocks
from knowflow.tools.raster.output import MASK_NODATA
from knowflow.tools.scaling import physical_like


def declare_nodata(raster: Artifact, nodata: float, output: Path, last: float | None = None) -> None:
    """Write the physical values of a raster whose stored number ``nodata`` marks missing data, as float32 with NaN.

    With ``last`` all stored numbers from ``nodata`` to ``last`` mark missing data; and so does, beside them, the number
    that is declared.
    """
    declared = raster.fact("nodata")
    said = raster.with_facts(raster.facts.put("nodata", nodata, Origin.ASSUMED, "declare_nodata"))

    def kernel(block: Block) -> NDArray[np.floating[Any]]:
        stored, values = block.raw("raster"), block["raster"]
        if last is not None:
            values = np.where((stored >= nodata) & (stored <= last), np.float32(math.nan), values)
        return values if declared is None else np.where(stored == declared, np.float32(math.nan), values)

    map_blocks(kernel, {"raster": said}, physical_like(output, said))


def declare_mark(raster: Artifact, mark: float, output: Path) -> None:
    """Write a mask whose stored number ``mark`` means yes: 1 there, 0 at all other numbers, 255 where nothing is known.

    Both the quantity and what is known of the mask stay.
    """

    def kernel(block: Block) -> NDArray[np.uint8]:
        return np.where(block.valid("raster"), block.raw("raster") == mark, np.uint8(MASK_NODATA)).astype(np.uint8)

    target = Output.like(output, raster, dtype="uint8", nodata=MASK_NODATA, scale=1.0, offset=0.0, colormap=None)
    map_blocks(kernel, {"raster": raster}, target)


def declare_scale(raster: Artifact, scale: float, output: Path, offset: float = 0.0) -> None:
    """Write stored number * ``scale`` + ``offset`` as float32 with NaN as nodata, whatever the file says of them."""
    facts = raster.facts.put("scale", scale, Origin.ASSUMED, "declare_scale")
    said = raster.with_facts(facts.put("offset", offset, Origin.ASSUMED, "declare_scale"))
    map_blocks(_values, {"raster": said}, physical_like(output, said))


def declare_unit(raster: Artifact, unit: str, output: Path) -> None:
    """Write the same numbers, said to be in another unit. Raises ``UnitError`` where there is no such unit."""
    map_blocks(_values, {"raster": raster}, physical_like(output, raster, unit=normalise(unit)))


def leave_out_impossible(raster: Artifact, output: Path) -> None:
    """Write the values that are physically possible for the raster's quantity; all others become nodata.

    Raises ``MissingFactError`` where the quantity is not known, ``UnitError`` where its unit measures something else.
    """
    kind = quantity_kinds().get(raster.fact("quantity") or "")
    if kind is None:
        raise MissingFactError(
            "the quantity of the raster is unknown",
            where=raster.path,
            expected="a raster whose quantity has a physical range",
            hint="say it: --assume quantity=ndvi",
        )
    unit = raster.fact("unit") or kind.unit
    low, high = (
        (-math.inf if kind.range[0] is None else kind.range[0]),
        (math.inf if kind.range[1] is None else kind.range[1]),
    )

    def kernel(block: Block) -> NDArray[Any]:
        values = block.with_infinite("raster")
        told = np.asarray(convert(values.astype(np.float64), unit, kind.unit)) if unit != kind.unit else values
        possible = np.isfinite(values) & (told >= low) & (told <= high)
        return np.where(possible, values, np.float32(math.nan))

    map_blocks(kernel, {"raster": raster}, physical_like(output, raster))


def _values(block: Block) -> NDArray[np.float32]:
    return block["raster"]
