"""Classes of a class map by their names."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import MissingFactError, ToolError
from knowflow.knowledge.legends import legend as legend_named
from knowflow.knowledge.legends import legend_of, numbers_named
from knowflow.model.artifact import Artifact
from knowflow.tools.area import class_names
from knowflow.tools.raster import Block, Output, map_blocks, reduce_blocks


def mask_of_class(raster: Artifact, name: str, output: Path, legend: str | None = None, quantity: str = "mask") -> None:
    """Write a mask (1 = a class of that name, 0 = another, 255 = no data) of a class map.

    Names are those of ``legend`` (such as esa_worldcover), else of the map itself (its tag CLASSES), else of the
    well-known product that its layer or file name tells; ``forest`` finds all forests. Raises ``MissingFactError``
    where nobody names the numbers, ``ToolError`` where no class has the name.
    """
    numbers = np.array(numbers_of(raster, name, legend))

    def kernel(block: Block) -> NDArray[np.uint8]:
        found = np.isin(block.raw("raster"), numbers)
        return np.where(block.valid("raster"), found.astype(np.uint8), np.uint8(255))

    map_blocks(kernel, {"raster": raster}, Output.mask(output, quantity))


def numbers_of(raster: Artifact, name: str, legend: str | None = None) -> tuple[int, ...]:
    """The numbers that a class map has for the class of that name; see :func:`mask_of_class`."""
    own = class_names(raster)
    known = None
    if legend is not None:
        known = legend_named(legend)
    elif (found := numbers_named(own, name)) and raster.fact("quantity") != "scene_classification":
        return found
    else:
        told = (str(raster.fact("layer") or ""), raster.name, Path(str(raster.path)).stem)
        known = legend_of(raster.fact("quantity"), told, _occurring(raster))
    numbers = numbers_named(own, name) if known is None else known.numbers(name)
    if numbers:
        return numbers
    names: Mapping[int, str] = own if known is None else {code: one.name for code, one in known.classes.items()}
    if not names:
        raise MissingFactError(
            "what the numbers of the class map mean is unknown",
            where=raster.path,
            expected="names in its tag CLASSES, or a well-known legend",
            found=f"numbers only ({', '.join(map(str, sorted(_occurring(raster))[:12]))})",
            hint="set legend (esa_worldcover, corine, modis_igbp...), or count by number: class_share",
        )
    raise ToolError(
        f"the class map has no class {name!r}",
        where=raster.path,
        expected=", ".join(f"{one} ({code})" for code, one in names.items()),
        found=name,
    )


def _occurring(raster: Artifact) -> frozenset[int]:
    def kernel(block: Block) -> frozenset[int]:
        return frozenset(int(number) for number in np.unique(block.raw("raster")[block.valid("raster")]))

    return reduce_blocks(kernel, {"raster": raster}, frozenset[int](), frozenset.union)
