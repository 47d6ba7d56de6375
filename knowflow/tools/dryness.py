"""Dryness from surface temperature and NDVI."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import ToolError
from knowflow.model.artifact import Artifact
from knowflow.tools.kernels.dryness import BinExtremes, Edges, WetEdge, dryness_index, fit_edges
from knowflow.tools.raster import Block, Output, map_blocks, reduce_blocks


def tvdi(
    ndvi: Artifact,
    surface_temperature: Artifact,
    output: Path,
    ndvi_minimum: float = 0.0,
    ndvi_maximum: float = 1.0,
    bins: int = 100,
    minimum_count: int = 10,
    wet_edge: WetEdge = "sloping",
) -> None:
    """Write the temperature vegetation dryness index: 0 on the wet edge of the scene's triangle, 1 on the dry edge.

    The edges are lines through the warmest and the coldest pixel of each of ``bins`` classes of NDVI between
    ``ndvi_minimum`` and ``ndvi_maximum`` that hold at least ``minimum_count`` pixels. Pixels of other NDVI (water) are
    nodata. The index is relative to the scene: it needs one that has both dry and wet ground (Sandholt et al. 2002).
    """
    sources = {"ndvi": ndvi, "temperature": surface_temperature}
    edges = triangle_edges(ndvi, surface_temperature, ndvi_minimum, ndvi_maximum, bins, minimum_count, wet_edge)

    def kernel(block: Block) -> NDArray[np.float64]:
        x = block["ndvi"].astype(np.float64)
        index = dryness_index(x, block["temperature"].astype(np.float64), edges)
        return np.where((x >= ndvi_minimum) & (x <= ndvi_maximum), index, np.nan)

    fitted = {
        "TVDI_DRY_EDGE": f"{edges.dry_intercept:.9g} + {edges.dry_slope:.9g} * NDVI",
        "TVDI_WET_EDGE": f"{edges.wet_intercept:.9g} + {edges.wet_slope:.9g} * NDVI",
    }
    map_blocks(kernel, sources, Output(output, quantity="tvdi", unit="1", tags=fitted))


def triangle_edges(
    ndvi: Artifact,
    surface_temperature: Artifact,
    ndvi_minimum: float,
    ndvi_maximum: float,
    bins: int,
    minimum_count: int,
    wet_edge: WetEdge,
) -> Edges:
    """The dry and the wet edge of a scene, in one pass; ``ToolError`` where the scene shows no triangle."""
    if not ndvi_minimum < ndvi_maximum:
        raise ToolError("the range of NDVI is empty", expected=f"> {ndvi_minimum}", found=str(ndvi_maximum))
    start = BinExtremes.empty(ndvi_minimum, ndvi_maximum, bins)
    extremes = reduce_blocks(
        lambda block: start.with_block(block["ndvi"], block["temperature"]),
        {"ndvi": ndvi, "temperature": surface_temperature},
        start,
        BinExtremes.merged,
    )
    edges = fit_edges(extremes, minimum_count, wet_edge)
    if edges is None:
        raise ToolError(
            "the scene shows no triangle of temperature over NDVI",
            where=surface_temperature.path,
            expected=f"two classes of NDVI with {minimum_count} pixels or more",
            found=f"{int(np.count_nonzero(extremes.count >= minimum_count))} of {bins} classes",
            hint="use a larger scene, fewer bins, or a smaller minimum_count",
        )
    middle = float(np.average(extremes.centres, weights=extremes.count))
    if not edges.dry_intercept + edges.dry_slope * middle > edges.wet_intercept + edges.wet_slope * middle:
        raise ToolError(
            "the dry edge does not lie above the wet edge",
            where=surface_temperature.path,
            expected="temperatures that differ at equal NDVI",
            found="none that do",
            hint="the scene is too uniform for this index",
        )
    return edges
