"""The raster core: kernels over blocks, with reading, meaning, writing, statistics and cancellation in one place.

A tool is a kernel and a description of its output::

    def kernel(block: Block) -> NDArray[np.float32]:
        return block["nir"] - block["red"]              # physical float32, NaN where not data

    map_blocks(kernel, {"nir": nir, "red": red}, Output(output, quantity="dvi", unit="1"))

Classes and bit fields: ``block.raw(name)`` (stored integers) with ``block.valid(name)``. Masks: ``Output.mask``.
Copying tools: ``Output.like(path, raster)`` with ``block.stored(name)`` (a masked array of stored numbers).
"""

from knowflow.tools.raster.arrays import (
    grid_of,
    looked_at,
    read_array,
    read_stored,
    sample_statistics,
    sample_windows,
    stored_looks,
    write_array,
)
from knowflow.tools.raster.blocks import Block
from knowflow.tools.raster.delivery import deliver_cog
from knowflow.tools.raster.engine import each_raster, map_blocks, map_stack, reduce_blocks
from knowflow.tools.raster.grid import Grid, GridMismatchError
from knowflow.tools.raster.histogram import Histogram
from knowflow.tools.raster.output import Output
from knowflow.tools.raster.source import lending
from knowflow.tools.raster.statistics import Accumulator, PixelStatistics

__all__ = [
    "Accumulator",
    "Block",
    "Grid",
    "GridMismatchError",
    "Histogram",
    "Output",
    "PixelStatistics",
    "deliver_cog",
    "each_raster",
    "grid_of",
    "lending",
    "looked_at",
    "map_blocks",
    "map_stack",
    "read_array",
    "read_stored",
    "reduce_blocks",
    "sample_statistics",
    "sample_windows",
    "stored_looks",
    "write_array",
]
