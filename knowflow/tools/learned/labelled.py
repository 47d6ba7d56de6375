"""Polygons that say what is on the ground: their classes, and the pixels that only one of them claims."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import ToolError
from knowflow.model.artifact import Artifact
from knowflow.tools.raster import Block, Grid, reduce_blocks
from knowflow.tools.zonal import in_crs, read_zones

_LARGEST_CODE = 254
Images = tuple[Artifact, ...]


@dataclass(frozen=True, slots=True)
class Labelled:
    """Polygons in the CRS of a raster with a class number each; ``names`` are the classes."""

    shapes: NDArray[Any]
    codes: NDArray[np.int64]
    names: Mapping[int, str]
    tree: Any

    def __len__(self) -> int:
        return len(self.codes)

    def claimed(self, grid: Grid) -> NDArray[np.int64]:
        """The number of the polygon whose pixel each is (its centre lies in it); -1 for none, or for several."""
        from rasterio.features import rasterize
        from shapely.geometry import box

        near = np.sort(self.tree.query(box(*grid.bounds)))
        if not near.size:
            return np.full(grid.shape, -1, dtype=np.int64)
        pairs = [(self.shapes[number], int(number) + 1) for number in near]
        last, first = (
            rasterize(order, out_shape=grid.shape, transform=grid.transform, fill=0, dtype="int32")
            for order in (pairs, pairs[::-1])
        )
        return np.where(last == first, last, 0).astype(np.int64) - 1


def read_labelled(vector: Artifact, field: str, grid: Grid, names: Mapping[int, str] | None = None) -> Labelled:
    """The polygons of a vector file with the classes that a field holds: whole numbers 0 to 254, or words.

    Words get the numbers that ``names`` gives them, else 1, 2, ... in alphabetical order. Polygons without a class are
    left out. Raises ``ToolError`` where there is no such field, or it holds no classes.
    """
    import shapely

    zones = in_crs(read_zones(vector), grid)
    if field not in zones.fields:
        raise ToolError(
            f"the polygons have no field {field!r}",
            where=vector.path,
            expected="the field that holds the class of a polygon",
            found=", ".join(zones.fields) or "no fields",
        )
    values = zones.fields[field]
    known = [number for number, value in enumerate(values) if value is not None and value == value and value != ""]
    words = [values[number] for number in known]
    codes, found = _codes(words, names or {}, field, vector.path)
    shapes = zones.geometries[known]
    return Labelled(shapes, codes, found, shapely.STRtree(shapes))


def _codes(
    words: list[Any], names: Mapping[int, str], field: str, path: str | None
) -> tuple[NDArray[np.int64], Mapping[int, str]]:
    if not words:
        raise ToolError("no polygon has a class", where=path, expected=f"classes in {field!r}", found="nothing")
    if all(isinstance(word, (int, float)) and float(word).is_integer() for word in words):
        numbers = np.asarray(words, dtype=np.int64)
        if numbers.min() < 0 or numbers.max() > _LARGEST_CODE:
            found = f"{numbers.min()} to {numbers.max()}"
            raise ToolError("class numbers are out of range", where=path, expected="0 to 254", found=found)
        return numbers, {int(code): names.get(int(code), str(code)) for code in np.unique(numbers)}
    texts = [str(word) for word in words]
    listed = {name: code for code, name in names.items()} or {
        name: code for code, name in enumerate(sorted(set(texts)), start=1)
    }
    missing = sorted(set(texts) - set(listed))
    if missing or len(listed) > _LARGEST_CODE:
        raise ToolError(
            "the polygons name classes that the map does not have",
            where=path,
            expected=", ".join(listed),
            found=", ".join(missing) or f"{len(listed)} classes",
        )
    codes = np.asarray([listed[text] for text in texts], dtype=np.int64)
    return codes, {code: name for name, code in listed.items()}


def pixels_of(labelled: Labelled, image: Artifact) -> NDArray[np.int64]:
    """How many pixels each polygon has to itself, whether they are data or not."""

    def kernel(block: Block) -> NDArray[np.int64]:
        claimed = labelled.claimed(block.grid)
        return np.bincount(claimed[claimed >= 0], minlength=len(labelled))

    start = np.zeros(len(labelled), dtype=np.int64)
    return reduce_blocks(kernel, {"image": (image,)}, start, lambda a, b: a + b)


def labelled_pixels(
    labelled: Labelled, images: Images, share: NDArray[np.float64], seed: int
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Values (pixels, images) and polygon numbers of pixels that are data in all images.

    Of each polygon about its ``share`` (0..1) of pixels, chosen by their place alone: the same ones every time.
    """

    def kernel(block: Block) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        claimed = labelled.claimed(block.grid)
        wanted = claimed >= 0
        if wanted.any():
            wanted &= _lot(block, seed) < share[claimed]
        if not wanted.any():
            return np.empty((0, len(images)), dtype=np.float32), np.empty(0, dtype=np.int64)
        values = block["image"][:, wanted].T
        whole = np.isfinite(values).all(axis=1)
        return values[whole], claimed[wanted][whole]

    parts: list[tuple[NDArray[np.float32], NDArray[np.int64]]] = []

    def gathered(
        found: list[tuple[NDArray[np.float32], NDArray[np.int64]]], part: tuple[NDArray[np.float32], NDArray[np.int64]]
    ) -> list[tuple[NDArray[np.float32], NDArray[np.int64]]]:
        if len(part[1]):
            found.append(part)
        return found

    reduce_blocks(kernel, {"image": images}, parts, gathered)
    if not parts:
        return np.empty((0, len(images)), dtype=np.float32), np.empty(0, dtype=np.int64)
    return np.concatenate([values for values, _ in parts]), np.concatenate([numbers for _, numbers in parts])


def _lot(block: Block, seed: int) -> NDArray[np.float64]:
    """A number in 0..1 for every pixel, from its row, column and the seed alone (splitmix64, Steele et al. 2014)."""
    rows = np.arange(block.shape[0], dtype=np.uint64)[:, None] + np.uint64(int(block.window.row_off))
    columns = np.arange(block.shape[1], dtype=np.uint64)[None, :] + np.uint64(int(block.window.col_off))
    mixed = (rows << np.uint64(32)) + columns + np.uint64(seed + 1) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray((mixed ^ (mixed >> np.uint64(31))).astype(np.float64) / 2.0**64)
