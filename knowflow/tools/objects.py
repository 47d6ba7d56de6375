"""Objects: connected pixels of a mask."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import ToolError
from knowflow.ground.units import convert
from knowflow.model.artifact import Artifact
from knowflow.tools.area import georeferenced
from knowflow.tools.kernels.components import ComponentJoiner, Components, Connectivity, LabelledBlock, label_block
from knowflow.tools.raster import Block, Output, grid_of, map_blocks, reduce_blocks
from knowflow.tools.raster.pixel_area import pixel_area
from knowflow.tools.thresholding import WhenEmpty, marked, no_data, nothing_to_count, tell_what_was_seen

NODATA = -1


def connected_components(mask: Artifact, output: Path, connectivity: Connectivity = 8, minimum_size: int = 1) -> int:
    """Number the connected objects of a mask from 1, write the numbers (0: background), return how many there are.

    Objects of fewer than ``minimum_size`` pixels become background. Numbers follow the first pixel of each object in
    reading order. Two passes over blocks: memory grows with the number of objects, not of pixels.
    """
    found = _components(mask, connectivity, minimum_size)
    if found is None:
        raise no_data(mask)

    def kernel(block: Block) -> NDArray[np.int32]:
        labels = found.labels(_labelled(block, connectivity))
        return np.where(block.valid("mask"), labels, NODATA).astype(np.int32)

    kind = "connected_component_label"
    map_blocks(kernel, {"mask": mask}, Output(output, dtype="int32", nodata=NODATA, quantity=kind, unit="1"))
    return found.count


def count_objects(
    mask: Artifact, connectivity: Connectivity = 8, minimum_size: int = 1, when_empty: WhenEmpty = "fail"
) -> float:
    """How many connected objects of at least ``minimum_size`` pixels a mask holds."""
    found = _components(mask, connectivity, minimum_size)
    return nothing_to_count(mask, when_empty) if found is None else found.count


def largest_object(
    mask: Artifact, unit: str = "ha", connectivity: Connectivity = 8, when_empty: WhenEmpty = "fail"
) -> float:
    """The area of the largest connected object of a mask, measured as ``area`` does; 0 where there is none."""
    measure = pixel_area(georeferenced(mask))
    found = _components(mask, connectivity, 1)
    if found is None:
        return nothing_to_count(mask, when_empty)
    if measure.planar is not None:
        return float(convert(float(found.sizes.max(initial=0)) * measure.planar, "m2", unit))

    def kernel(block: Block) -> NDArray[np.float64]:
        labels, sizes = found.labels(_labelled(block, connectivity)), measure.each(block.grid)
        weights = np.broadcast_to(sizes, labels.shape).ravel()
        return np.asarray(np.bincount(labels.ravel(), weights, found.count + 1), dtype=np.float64)

    areas = reduce_blocks(kernel, {"mask": mask}, np.zeros(found.count + 1), lambda a, b: a + b)
    return float(convert(float(areas[1:].max(initial=0.0)), "m2", unit))


def _components(mask: Artifact, connectivity: Connectivity, minimum_size: int) -> Components | None:
    """The components of a mask; None where no pixel of it is data."""
    if minimum_size < 1:
        raise ToolError("objects have at least one pixel", expected="minimum_size >= 1", found=str(minimum_size))
    rows, columns = grid_of(mask).shape
    joiner = ComponentJoiner(columns, connectivity)

    def kernel(block: Block) -> tuple[LabelledBlock, int]:
        return _labelled(block, connectivity), int(np.count_nonzero(np.isfinite(block["mask"])))

    def joined(known: int, found: tuple[LabelledBlock, int]) -> int:
        joiner.add(found[0])
        return known + found[1]

    known = reduce_blocks(kernel, {"mask": mask}, 0, joined)
    if not known:
        return None
    tell_what_was_seen("the number of objects", mask, known, rows * columns)
    return joiner.result(minimum_size)


def _labelled(block: Block, connectivity: Connectivity) -> LabelledBlock:
    return label_block(marked(block["mask"]), int(block.window.row_off), int(block.window.col_off), connectivity)
