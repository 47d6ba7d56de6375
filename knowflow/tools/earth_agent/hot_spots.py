"""Where values stand out from their surroundings, and on which side of a map they lie; shapes in masks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import ToolError
from knowflow.tools.earth_agent.files import Raster, raster
from knowflow.tools.kernels.distribution import Moments
from knowflow.tools.kernels.hot_spots import Population, getis_ord
from knowflow.tools.raster import Block, Output, map_blocks, read_array, reduce_blocks

Array = NDArray[np.float64]
DIRECTIONS = ("north", "south", "east", "west")


def getis_ord_gi_star(
    image_path: Raster, weight_matrix: Sequence[Sequence[float]], output_path: Path, compat: bool = False
) -> None:
    """The Getis-Ord Gi* score of every pixel, with the weights of its neighbours (odd numbers of rows and columns).

    At the edges and beside gaps only the neighbours that exist count (Ord and Getis 1995). ``compat``: those that do
    not exist count as zeros, and fill is data.
    """
    weights = np.asarray(weight_matrix, dtype=np.float64)
    if weights.ndim != 2 or not all(side % 2 for side in weights.shape):
        raise ToolError(
            "the weights are not those of a pixel and its neighbours",
            expected="rows of equal length, odd numbers of rows and columns",
            found=str(weights.shape),
        )
    artifact = raster(image_path, compat)
    moments = reduce_blocks(
        lambda b: Moments.of(b["raster"]), {"raster": artifact}, Moments(), Moments.merged, each_pixel=True
    )
    if moments.count < 2 or moments.std == 0:
        raise ToolError(
            "nothing stands out among values that are all equal",
            where=artifact.path,
            expected="different values",
            found=f"{moments.count} values",
        )
    population = Population(moments.count, moments.mean, moments.std)

    def kernel(block: Block) -> Array:
        values = block["raster"].astype(np.float64)
        return getis_ord(values, weights, population, correct_edges=not compat)

    described = Output(Path(output_path), quantity="hot_spot_score", unit="1")
    map_blocks(kernel, {"raster": artifact}, described, halo=max(weights.shape) // 2)


def analyze_hotspot_direction(hotspot_map_path: Raster, compat: bool = False) -> str:
    """The side of a map (north, south, east, west) on which most of the marked pixels lie.

    A pixel belongs to the side of the map's middle that it is farthest out on, as parts of the map's height and width;
    north is up on the ground, also in a raster stored the other way round.
    """
    artifact = raster(hotspot_map_path, compat)

    def kernel(block: Block) -> NDArray[np.int64]:
        values = block["raster"]
        rows, columns = np.nonzero(np.isfinite(values) & (values > 0))
        return _sides(rows + int(block.window.row_off), columns + int(block.window.col_off), shape, upside_down)

    from knowflow.tools.raster import grid_of

    grid = grid_of(artifact)
    shape, upside_down = grid.shape, grid.georeferenced and grid.transform.e > 0
    counts = reduce_blocks(
        kernel, {"raster": artifact}, np.zeros(4, dtype=np.int64), lambda a, b: a + b, each_pixel=True
    )
    if not counts.any():
        raise ToolError("no pixel is marked", where=artifact.path, expected="at least one hot spot", found="none")
    return DIRECTIONS[int(np.argmax(counts))]


def _sides(
    rows: NDArray[np.int64], columns: NDArray[np.int64], shape: tuple[int, int], upside_down: bool
) -> NDArray[np.int64]:
    """How many pixels lie to the north, south, east and west of the middle."""
    up = 0.5 - (rows + 0.5) / shape[0]
    up = -up if upside_down else up
    right = (columns + 0.5) / shape[1] - 0.5
    vertical = np.abs(up) >= np.abs(right)
    chosen = (vertical & (up > 0), vertical & (up < 0), ~vertical & (right > 0), ~vertical & (right < 0))
    return np.array([np.count_nonzero(side) for side in chosen], dtype=np.int64)


def count_skeleton_contours(image_path: Raster) -> int:
    """How many separate lines the skeleton of what is not zero in an image makes (Zhang and Suen 1984)."""
    from skimage.measure import label
    from skimage.morphology import skeletonize

    values = read_array(raster(image_path))
    skeleton = skeletonize(np.isfinite(values) & (values != 0))
    return int(label(skeleton, connectivity=2, return_num=True)[1])
