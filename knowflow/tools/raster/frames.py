"""What several tools see of one part of a raster that they go through together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rasterio.windows import Window

from knowflow.tools.raster.pending import NotFusedError
from knowflow.tools.raster.source import Handles
from knowflow.tools.raster.statistics import BlockStatistics


class Frame(Handles):
    """The files that are read, and the part inside a frame of what is made on the way. Used by one thread."""

    def __init__(self, opened: Handles, window: Window) -> None:
        super().__init__()
        self._files = opened
        self._window = window
        self._parts: dict[str, tuple[NDArray[Any], Window]] = {}  # with where they lie
        self._infinite: set[str] = set()
        self._counted: dict[str, Sequence[BlockStatistics]] = {}

    def get(self, path: str) -> Any:
        return self._files.get(path)

    def made(self, path: str, bands: tuple[int, ...], window: Window) -> NDArray[Any] | None:
        if path not in self._parts:
            return None
        whole, place = self._parts[path]
        row, column = int(window.row_off - place.row_off), int(window.col_off - place.col_off)
        part = whole[:, row : row + int(window.height), column : column + int(window.width)]
        return part if len(bands) == whole.shape[0] else part[[band - 1 for band in bands]]

    def is_finite(self, path: str) -> bool:
        return path in self._parts and path not in self._infinite

    def counted(self, path: str, window: Window) -> Sequence[BlockStatistics] | None:
        return self._counted.get(path) if window == self._window else None

    def keep(self, path: str, values: NDArray[Any], window: Window, known: Sequence[BlockStatistics]) -> None:
        """Hold what was made of a window until :meth:`forget`, of which so much is ``known``."""
        self._look_at(path, values, known)
        if window == self._window:
            shared = any(np.may_share_memory(values, other) for other, _ in self._parts.values())
            self._parts[path] = values.copy() if shared else values, window
            return
        if path not in self._parts:
            shape = (values.shape[0], int(self._window.height), int(self._window.width))
            self._parts[path] = np.empty(shape, values.dtype), self._window
        row, column = int(window.row_off - self._window.row_off), int(window.col_off - self._window.col_off)
        self._parts[path][0][:, row : row + values.shape[1], column : column + values.shape[2]] = values

    def lay(self, path: str, values: NDArray[Any], window: Window, known: Sequence[BlockStatistics]) -> None:
        """Hold what was made of a window, and nothing else of that file, in memory that no other part shares."""
        self._look_at(path, values, known)
        self._parts[path] = values, window
        self._counted[path] = known

    def _look_at(self, path: str, values: NDArray[Any], known: Sequence[BlockStatistics]) -> None:
        if not all(one.all_finite for one in known):
            self._infinite.add(path)
        if np.ma.isMaskedArray(values):
            raise NotFusedError("a raster with a mask of its own is known when it is written")

    def forget(self, path: str) -> NDArray[Any] | None:
        return self._parts.pop(path, (None, None))[0]
