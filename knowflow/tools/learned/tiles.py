"""Models over scenes of any size: tiles that overlap, results blended where they do, memory that does not grow.

A tile's say falls off linearly towards its edges, over the pixels that it shares with its neighbours. Scenes are worked
through in columns of bounded width from north to south; what no further tile touches is written at once.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from typing import Any

import numpy as np
import rasterio
from numpy.typing import NDArray
from rasterio.windows import Window

from knowflow.ground.errors import ToolError
from knowflow.model.artifact import Artifact
from knowflow.model.model_card import ModelCard, Takes
from knowflow.tools.learned.network import Network
from knowflow.tools.raster import Block, Grid, Output, map_blocks
from knowflow.tools.raster.blocks import Tiling
from knowflow.tools.raster.engine import each_block
from knowflow.tools.raster.grid import require_same_grid
from knowflow.tools.raster.output import fitted, known_tags
from knowflow.tools.raster.source import Handles, Source, handles, open_source
from knowflow.tools.raster.writer import TILE, WRITE_BEHIND_BYTES, RasterWriter

Images = Mapping[Takes, Sequence[Artifact]]
Parts = Mapping[Takes, NDArray[np.float32]]
# (tiles, channels, rows, columns) of what the model said; (channels, rows, columns), valid -> outputs by name
Read = Callable[[Mapping[str, NDArray[Any]]], NDArray[np.float32]]
Finish = Callable[[NDArray[np.float32], NDArray[np.bool_]], Mapping[str, NDArray[Any]]]
_BLEND_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class TileGrid(Tiling):
    """Squares of ``size`` pixels that overlap; the last of a row or column is moved inwards, so that it is full.

    ``rows`` and ``columns`` are those of the tiles; ``width`` is that of the panels in which a scene is worked through.
    """

    overlap: int
    width: int

    def windows(self) -> Iterator[Window]:
        return (window for _, window in self.placed())

    def placed(self) -> Iterator[tuple[int, Window]]:
        """Panels (their first columns) and windows: panel by panel, row by row."""
        for panel in self._panels():
            for row in starts(self.shape[0], self.rows, self.overlap):
                for column in self._columns_of(panel):
                    yield panel, Window(column, row, self.columns, self.rows)

    def _panels(self) -> range:
        return range(0, self.shape[1], self.width)

    def _columns_of(self, panel: int) -> list[int]:
        """The first columns of the tiles that reach into a panel."""
        end = min(panel + self.width, self.shape[1])
        return [
            column
            for column in starts(self.shape[1], self.columns, self.overlap)
            if column < end and column + self.columns > panel
        ]

    def __len__(self) -> int:
        columns = sum(len(self._columns_of(panel)) for panel in self._panels())
        return columns * len(starts(self.shape[0], self.rows, self.overlap))


def starts(length: int, size: int, overlap: int) -> list[int]:
    """Where tiles begin along one axis: all of it is covered, and none reaches beyond it unless it is shorter."""
    if length <= size:
        return [0]
    return [*range(0, length - size, size - overlap), length - size]


def tile_grid(card: ModelCard, shape: tuple[int, int], channels: int) -> TileGrid:
    """The tiles of a scene, in panels narrow enough for what is blended to fit into memory."""
    size, overlap = card.tile.size, card.tile.overlap
    fits = _BLEND_BYTES // (4 * (channels + 2) * (TILE + size))
    return TileGrid(shape, size, size, TILE, overlap, max(fits // TILE * TILE, TILE))


def read_tiles(
    images: Images, card: ModelCard, opened: Handles, channels: int = 1
) -> tuple[Grid, TileGrid, Generator[tuple[Window, Parts, NDArray[np.bool_]]]]:
    """The grid of a scene, its tiles, and each of them: window, physical values by part, where all are data.

    Close the tiles (``contextlib.closing``) before the handles.
    """
    sources: dict[str, Source | tuple[Source, ...]] = {
        name: tuple(open_source(item, opened, f"{name}[{number}]") for number, item in enumerate(items))
        for name, items in images.items()
    }
    listed = [source for items in sources.values() if isinstance(items, tuple) for source in items]
    grid = require_same_grid((source.name, source.grid) for source in listed)
    tiles = tile_grid(card, grid.shape, channels)

    def read(window: Window) -> tuple[Parts, NDArray[np.bool_]]:
        block = Block(sources, opened, grid, window)
        parts = {name: block[name] for name in images}
        valid = np.logical_and.reduce([np.isfinite(values).all(axis=0) for values in parts.values()])
        return parts, valid

    return grid, tiles, ((window, *found) for window, found in each_block(read, tiles))


def map_model(
    network: Network, images: Images, outputs: Mapping[str, Output], channels: int, read: Read, finish: Finish
) -> None:
    """Write what a model makes of a scene.

    ``read`` makes (tiles, channels, rows, columns) of what the model said of a batch; ``finish`` makes arrays for the
    outputs of the blended (channels, rows, columns), NaN where a pixel is not data in all bands.
    """
    if network.card.layout == "pixels":
        _map_pixels(network, images, outputs, read, finish)
        return
    card = network.card
    with ExitStack() as stack:
        opened = stack.enter_context(handles())
        grid, tiles, found = read_tiles(images, card, opened, channels)
        stack.enter_context(closing(found))
        first = next(iter(images.values()))[0]
        header = opened.get(str(first.path))
        writers = {
            name: stack.enter_context(RasterWriter(output, grid, TILE, known_tags(first, header, output.keep)))
            for name, output in outputs.items()
        }
        blend = _Blend(tiles, channels, finish, writers)
        with rasterio.Env(GDAL_CACHEMAX=WRITE_BEHIND_BYTES):
            for batch in _batches(found, card.tile.batch):
                said = read(network.run({name: np.stack([parts[name] for _, parts, _ in batch]) for name in images}))
                expected = (len(batch), channels, card.tile.size, card.tile.size)
                if said.shape != expected:
                    raise ToolError(
                        f"the model {card.model} gives another shape than its tiles",
                        expected=f"(tiles, channels, rows, columns) = {expected}",
                        found=str(said.shape),
                    )
                for (_, _, valid), values in zip(batch, said, strict=True):
                    blend.add(values, valid)
            blend.finish()


def _batches(items: Iterator[Any], size: int) -> Iterator[list[Any]]:
    batch: list[Any] = []
    for item in items:
        batch.append(item)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


class _Blend:
    """The weighted sum of the tiles of one panel, over the rows that further tiles may still touch."""

    def __init__(self, tiles: TileGrid, channels: int, finish: Finish, writers: Mapping[str, RasterWriter]) -> None:
        self._tiles, self._finish, self._writers = tiles, finish, writers
        size = tiles.rows
        distance = np.minimum(np.arange(size) + 1, size - np.arange(size))
        ramp = np.minimum(distance, tiles.overlap + 1).astype(np.float32) / (tiles.overlap + 1)
        self._weight = np.outer(ramp, ramp)
        width = min(tiles.width, tiles.shape[1])
        self._sum = np.zeros((channels, TILE + size, width), dtype=np.float32)
        self._weights = np.zeros((TILE + size, width), dtype=np.float32)
        self._valid = np.zeros((TILE + size, width), dtype=np.bool_)
        self._placed = tiles.placed()
        self._panel = self._row = 0

    def add(self, values: NDArray[np.float32], valid: NDArray[np.bool_]) -> None:
        """Take in the next tile; tiles come panel by panel, each from north to south."""
        panel, window = next(self._placed)
        if panel != self._panel:
            self.finish()
            self._panel, self._row = panel, 0
        row, column = int(window.row_off), int(window.col_off)
        while row >= self._row + TILE:
            self._flush()
        height = min(self._tiles.rows, self._tiles.shape[0] - row)
        left = max(column, panel)
        right = min(column + self._tiles.columns, panel + self._sum.shape[2], self._tiles.shape[1])
        inside = slice(0, height), slice(left - column, right - column)
        there = slice(row - self._row, row - self._row + height), slice(left - panel, right - panel)
        self._sum[:, *there] += values[:, *inside] * self._weight[inside]
        self._weights[there] += self._weight[inside]
        self._valid[there] = valid[inside]

    def finish(self) -> None:
        """Write what is left of the panel."""
        while self._row < self._tiles.shape[0]:
            self._flush()

    def _flush(self) -> None:
        rows = min(TILE, self._tiles.shape[0] - self._row)
        columns = min(self._sum.shape[2], self._tiles.shape[1] - self._panel)
        part = slice(0, rows), slice(0, columns)
        with np.errstate(invalid="ignore"):
            blended = self._sum[:, *part] / self._weights[part]
        valid = self._valid[part]
        blended[:, ~valid] = np.nan
        window = Window(self._panel, self._row, columns, rows)
        for name, values in self._finish(blended, valid).items():
            writer = self._writers[name]
            stored = fitted(values[None], writer.output)
            writer.write(stored, window, writer.measure(stored))
        for kept in (*self._sum, self._weights, self._valid):
            kept[:-TILE] = kept[TILE:].copy()
            kept[-TILE:] = 0
        self._row += TILE


def _map_pixels(network: Network, images: Images, outputs: Mapping[str, Output], read: Read, finish: Finish) -> None:
    """A model that looks at one pixel at a time needs no tiles."""

    def kernel(block: Block) -> Mapping[str, NDArray[Any]]:
        values = block["image"]
        valid = np.asarray(np.isfinite(values).all(axis=0))
        if not valid.any():
            gone: NDArray[np.float32] = np.full((1, *block.shape), np.nan, dtype=np.float32)
            return finish(gone, valid)
        said = read(network.run({"image": np.ascontiguousarray(values[:, valid].T)}))
        whole = np.full((said.shape[1], *block.shape), np.nan, dtype=np.float32)
        whole[:, valid] = said.T
        return finish(whole, valid)

    map_blocks(kernel, {"image": tuple(images["image"])}, outputs)
