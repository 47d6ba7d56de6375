"""The truth of a case: what the layers of a question hold at a place, without the pixels that faults took away.

Of scenes by their formulas, of real data by the numbers of the undamaged files, read with rasterio: no tool and no
reader of ours has a part in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import rasterio
from numpy.typing import NDArray

from knowflow.model import geo
from knowflow.model.template import SceneLayer
from knowflow.testing.scenes import Coordinates, Grid, file_date, layer_grid, scene_coordinates, scene_grid
from knowflow_bench.faults.injection.data import Gap
from knowflow_bench.faults.injection.table import Question
from knowflow_bench.truth import Fields, Pixels, fields_of, true_answer

_INSIDE = 1e-9


@dataclass(frozen=True)
class CaseTruth:
    """What is true of a question whose files have lost the pixels in ``gaps``; ``files`` are undamaged real ones."""

    question: Question
    gaps: Mapping[str, Sequence[Gap]] = field(default_factory=dict)
    files: tuple[Path, ...] = ()

    @cached_property
    def grid(self) -> Grid:
        """The grid that the question's values are of."""
        return _grid_of(self.files[0]) if self.files else scene_grid(self.question.scene())

    def value(self, text: str) -> Any:
        """A number, a date or a list, of all pixels that are there."""
        return true_answer(text, self._fields(self.grid))

    def map(self, text: str, grid: Grid) -> Pixels:
        """What is true at the pixel centres of a grid, (rows, columns) or (dates, rows, columns); gaps are NaN."""
        return np.asarray(true_answer(text, self._fields(grid)), dtype=np.float64)

    def inside(self, grid: Grid, margin: float = 0.0) -> NDArray[np.bool_]:
        """Which pixel centres of a grid lie where the question's layers do, ``margin`` pixels of its own within."""
        x, y = self._fractions(grid)
        rows, columns = self.grid.shape
        right, down = margin / columns - _INSIDE, margin / rows - _INSIDE
        found: NDArray[np.bool_] = (x > right) & (x < 1 - right) & (y > down) & (y < 1 - down)
        return found

    def pixels_of(self, grid: Grid) -> int:
        """How many pixels of a grid stand side by side in one of the question's, at least one."""
        x, _ = self._fractions(grid)
        step = float(np.median(np.abs(np.diff(x, axis=1)))) * self.grid.shape[1] if grid.shape[1] > 1 else 1.0
        return max(1, round(1 / step))

    def exact(self, grid: Grid) -> bool:
        """Whether nothing was resampled: the grid is the question's, and every gap lies on it."""
        taken = [(gap.crs, gap.transform) for gaps in self.gaps.values() for gap in gaps]
        return all(
            _same_place(grid, crs, transform) for crs, transform in [(self.grid.crs, self.grid.transform), *taken]
        )

    def _fractions(self, grid: Grid) -> Coordinates:
        if not self.files:
            return scene_coordinates(self.question.scene(), grid)
        east, north = _moved(*grid.centres, grid.crs, self.grid.crs)
        column, row = ~rasterio.Affine(*self.grid.transform) @ (east, north)
        return column / self.grid.shape[1], row / self.grid.shape[0]

    def _fields(self, grid: Grid) -> Fields:
        if self.files:
            return self._of_files(grid)
        scene = self.question.scene()
        fields = fields_of(scene, None if grid == self.grid else grid)
        layers = {layer.name: self._lost(layer, fields.layers[layer.name], grid) for layer in scene.layers}
        return Fields(layers, fields.dates, fields.pixel_area)

    def _lost(
        self, layer: SceneLayer, found: Pixels | Mapping[str, Pixels], grid: Grid
    ) -> Pixels | Mapping[str, Pixels]:
        """A layer without the pixels that were taken away."""
        if isinstance(found, Mapping):
            return {band: self._without(layer, band, pixels, grid) for band, pixels in found.items()}
        if layer.size is not None:  # one of several tiles
            found[..., ~_covers(layer_grid(self.question.scene(), layer), grid)] = np.nan
        return self._without(layer, None, found, grid)

    def _without(self, layer: SceneLayer, band: str | None, pixels: Pixels, grid: Grid) -> Pixels:
        for index, date in enumerate(layer.dates or (None,)):
            parts = [layer.name, None if date is None else file_date(date), band]
            image = pixels[index] if layer.dates else pixels
            for gap in self.gaps.get("_".join(part for part in parts if part), ()):
                image[_at(gap, grid)] = np.nan
        return pixels

    def _of_files(self, grid: Grid) -> Fields:
        """The layers of real files by the beginnings of their names, the dates being those of the names."""
        layers: dict[str, Pixels] = {}
        dates: dict[str, tuple[str, ...]] = {}
        for layer in self.question.layers:
            own = [path for path in self.files if path.stem.startswith(layer.name)]
            if own:
                layers[layer.name] = np.stack([self._sampled(path, grid) for path in own])
                dates[layer.name] = tuple(path.stem.removeprefix(f"{layer.name}_")[:10] for path in own)
        return Fields(layers, dates)

    def _sampled(self, path: Path, grid: Grid) -> Pixels:
        with rasterio.open(path) as source:
            pixels = np.ma.filled(source.read(1, masked=True).astype(np.float64), np.nan)
        own = _grid_of(path)
        if not _same_place(grid, own.crs, own.transform):
            pixels = _nearest(pixels, own.crs, own.transform, grid, np.nan)
        image = pixels.copy()
        for gap in self.gaps.get(path.stem, ()):
            image[_at(gap, grid)] = np.nan
        return image


def widened(mask: NDArray[np.bool_], by: int) -> NDArray[np.bool_]:
    """A mask with its neighbours, ``by`` pixels to all sides."""
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(mask, by), (2 * by + 1, 2 * by + 1))
    return np.asarray(windows.any(axis=(-2, -1)), dtype=bool)


def _grid_of(path: Path) -> Grid:
    with rasterio.open(path) as source:
        return Grid(source.crs.to_wkt(), tuple(source.transform)[:6], source.shape)


def _same_place(grid: Grid, crs: str | None, transform: Sequence[float]) -> bool:
    same_crs = crs is None or geo.canonical_crs(grid.crs) == geo.canonical_crs(crs)
    return same_crs and bool(np.allclose(grid.transform, transform, rtol=0, atol=1e-6))


def _covers(tile: Grid, grid: Grid) -> NDArray[np.bool_]:
    """Which pixel centres of a grid lie on a tile."""
    found: NDArray[np.bool_] = _nearest(np.ones(tile.shape, dtype=bool), tile.crs, tile.transform, grid, False)
    return found


def _at(gap: Gap, grid: Grid) -> NDArray[np.bool_]:
    if grid.shape == gap.mask.shape and _same_place(grid, gap.crs, gap.transform):
        return gap.mask
    found: NDArray[np.bool_] = _nearest(gap.mask, gap.crs or grid.crs, gap.transform, grid, False)
    return found


def _nearest(pixels: NDArray[Any], crs: str, transform: Sequence[float], grid: Grid, outside: Any) -> NDArray[Any]:
    """What an image holds at the pixel centres of another grid, by the nearest pixel."""
    east, north = _moved(*grid.centres, grid.crs, crs)
    column, row = (np.floor(one).astype(int) for one in ~rasterio.Affine(*transform) @ (east, north))
    rows, columns = pixels.shape
    there = (row >= 0) & (row < rows) & (column >= 0) & (column < columns)
    found: NDArray[Any] = np.where(there, pixels[row.clip(0, rows - 1), column.clip(0, columns - 1)], outside)
    return found


def _moved(east: Pixels, north: Pixels, crs: str, to: str) -> Coordinates:
    if geo.canonical_crs(crs) == geo.canonical_crs(to):
        return east, north
    from pyproj import Transformer

    moved: Coordinates = Transformer.from_crs(geo.crs_of(crs), geo.crs_of(to), always_xy=True).transform(east, north)
    return moved
