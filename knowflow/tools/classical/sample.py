"""A sample of the pixels of large scenes: a regular grid of places, the same every time."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import ToolError
from knowflow.model.artifact import Artifact
from knowflow.tools.raster import Block, grid_of, reduce_blocks

Values = NDArray[np.floating]
Inputs = Mapping[str, Sequence[Artifact]]


def sample_pixels(images: Sequence[Artifact], most: int) -> Values:
    """Values (pixels, images) of at most about ``most`` pixels, evenly spread, that are data in all images.

    Raises ``ToolError`` where there is none.
    """
    rows, columns = grid_of(images[0]).shape
    step = max(1, math.ceil(math.sqrt(rows * columns / most)))

    def kernel(block: Block) -> Values:
        first = [-int(start) % step for start in (block.window.row_off, block.window.col_off)]
        values: Values = block["image"][:, first[0] :: step, first[1] :: step].reshape(len(images), -1).T
        return values[np.isfinite(values).all(axis=1)]

    found = stacked(kernel, {"image": tuple(images)})
    if not len(found):
        raise ToolError(
            "no pixel is data in all bands",
            where=images[0].path,
            expected="at least one pixel",
            found="none in the sample",
        )
    return found


def stacked(kernel: Callable[[Block], Values], sources: Inputs, halo: int = 0) -> Values:
    """What a kernel makes of every block, all rows in one array, in the order of the blocks."""
    parts: list[Values] = []

    def gathered(found: list[Values], part: Values) -> list[Values]:
        found.append(part)
        return found

    return np.concatenate(reduce_blocks(kernel, sources, parts, gathered, halo=halo))


def flat(values: Values) -> tuple[Values, NDArray[np.bool_]]:
    """Of (bands, rows, columns): the pixels that are data in all bands, (pixels, bands), and where they are."""
    known = np.asarray(np.isfinite(values).all(axis=0))
    return np.ascontiguousarray(values[:, known].T), known


def without_gaps(values: NDArray[np.floating], known: NDArray[np.bool_]) -> NDArray[np.float64]:
    """(rows, columns) or (rows, columns, bands) with the values of the nearest known pixel where one is not known."""
    if known.all():
        return values.astype(np.float64)
    from scipy.ndimage import distance_transform_edt

    nearest = distance_transform_edt(~known, return_distances=False, return_indices=True)
    return np.asarray(values[tuple(nearest)], dtype=np.float64)
