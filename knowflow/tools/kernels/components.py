"""Connected components of a mask that arrives block by block."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Connectivity = Literal[4, 8]
Labels = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class LabelledBlock:
    """The components of one block on their own, numbered from 1 in reading order.

    ``row`` and ``column`` place its upper left pixel in the whole; ``first`` holds the place of the first pixel of each
    component (row * width + column, within the block) and ``sizes`` the number of its pixels.
    """

    row: int
    column: int
    labels: Labels
    first: NDArray[np.int64]
    sizes: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Components:
    """What joins the blocks: the final label for each label of a block (0: dropped for its size), by block.

    ``sizes`` are the pixels of each component that is left, by label - 1.
    """

    final: Mapping[tuple[int, int], Labels]
    sizes: NDArray[np.int64]

    @property
    def count(self) -> int:
        return int(self.sizes.size)

    def labels(self, block: LabelledBlock) -> Labels:
        """The labels of the whole for one block; 0 is background."""
        lookup = np.concatenate([np.zeros(1, dtype=np.int32), self.final[block.row, block.column]])
        return np.asarray(lookup[block.labels])


def label_block(mask: NDArray[np.bool_], row: int, column: int, connectivity: Connectivity) -> LabelledBlock:
    """The components of one block."""
    from scipy.ndimage import generate_binary_structure, label

    labels, count = label(mask, structure=generate_binary_structure(2, 1 if connectivity == 4 else 2))
    flat = labels.ravel()
    first = np.zeros(count + 1, dtype=np.int64)
    first[flat[::-1]] = np.arange(flat.size - 1, -1, -1)  # the last assignment stays: the first pixel in reading order
    return LabelledBlock(row, column, labels, first[1:], np.bincount(flat, minlength=count + 1)[1:])


class ComponentJoiner:
    """Takes labelled blocks row by row, west to east, and joins what touches across their edges.

    Holds one row of pixels and one column of a block; beyond that, memory grows with the number of components.
    """

    def __init__(self, width: int, connectivity: Connectivity) -> None:
        self._width = width
        self._connectivity = connectivity
        self._total = 0
        self._blocks: dict[tuple[int, int], tuple[int, int]] = {}
        self._first: list[NDArray[np.int64]] = []
        self._sizes: list[NDArray[np.int64]] = []
        self._links: list[NDArray[np.int64]] = []
        self._above = self._nothing()
        self._lowest = self._nothing()
        self._left = np.full(0, -1, dtype=np.int64)
        self._row = 0

    def add(self, block: LabelledBlock) -> ComponentJoiner:
        """Take the next block in reading order."""
        if block.row != self._row:
            self._row, self._above, self._lowest = block.row, self._lowest, self._nothing()
        start, count = self._total, block.sizes.size
        self._blocks[block.row, block.column] = (start, count)
        rows, columns = np.divmod(block.first, block.labels.shape[1])
        self._first.append((block.row + rows) * self._width + block.column + columns)
        self._sizes.append(block.sizes)
        end = block.column + block.labels.shape[1]
        reach = 0 if self._connectivity == 4 else 1
        # beyond the row's two ends there is nothing
        above = np.pad(self._above, reach, constant_values=-1)[block.column : end + 2 * reach]
        self._link(above, _numbered(block.labels[0], start), reach)
        if block.column:
            self._link(np.pad(self._left, reach, constant_values=-1), _numbered(block.labels[:, 0], start), reach)
        self._left = _numbered(block.labels[:, -1], start)
        self._lowest[block.column : end] = _numbered(block.labels[-1], start)
        self._total += count
        return self

    def result(self, minimum_size: int = 1) -> Components:
        """The components of the whole, numbered by their first pixel in reading order (as scipy.ndimage.label does).

        Components with fewer than ``minimum_size`` pixels are dropped.
        """
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        if self._total == 0:
            nothing = np.zeros(0, dtype=np.int32)
            return Components(dict.fromkeys(self._blocks, nothing), np.zeros(0, dtype=np.int64))
        pairs = np.concatenate([np.empty((0, 2), dtype=np.int64), *self._links])
        edges = (np.ones(len(pairs), dtype=np.int8), (pairs[:, 0], pairs[:, 1]))
        count, group = connected_components(coo_array(edges, shape=(self._total, self._total)), directed=False)
        first = np.full(count, np.iinfo(np.int64).max)
        np.minimum.at(first, group, np.concatenate(self._first))
        sizes = np.zeros(count, dtype=np.int64)
        np.add.at(sizes, group, np.concatenate(self._sizes))
        order = np.argsort(first)
        kept = sizes[order] >= minimum_size
        number = np.empty(count, dtype=np.int32)
        number[order] = np.where(kept, np.cumsum(kept), 0)
        final = {place: number[group[start : start + n]] for place, (start, n) in self._blocks.items()}
        return Components(final, sizes[order][kept])

    def _nothing(self) -> NDArray[np.int64]:
        return np.full(self._width, -1, dtype=np.int64)

    def _link(self, before: NDArray[np.int64], after: NDArray[np.int64], reach: int) -> None:
        """Note the labels that touch; ``before`` is longer than ``after`` by ``reach`` pixels at either end."""
        for shift in range(2 * reach + 1):
            other = before[shift : shift + after.size]
            touching = (other >= 0) & (after >= 0)
            if touching.any():
                self._links.append(np.unique(np.stack([other, after], axis=1)[touching], axis=0))


def _numbered(labels: Labels, before: int) -> NDArray[np.int64]:
    """Labels of a block as numbers over all blocks so far, -1 for background."""
    return np.where(labels > 0, labels.astype(np.int64) - 1 + before, -1)
