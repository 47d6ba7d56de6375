"""Blocks that other processes carry out while they have nothing else to do.

Whoever is at a raster goes through its blocks in their order, writes what comes of them and folds their numbers, as it
would alone: the result is the same to the last bit, however many helped, and whoever was lost meanwhile. It never waits
for help that does not come: what nobody has begun to send back, it does itself.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol, TypeVar

import numpy as np
import rasterio
from rasterio.windows import Window

from knowflow.tools.context import running, tell
from knowflow.tools.raster.source import unreferenced_is_fine
from knowflow.tools.raster.writer import WRITE_BEHIND_BYTES

T = TypeVar("T")

_BATCH = 2  # blocks that are sent at a time
_MOST_AHEAD = 24  # batches that wait for one before them: bounds the memory
_AHEAD_ALONE = 4
_TRANSFER_S = 10.0  # for what is made to arrive
_PATIENCE = 4.0  # times as long as a batch takes here: so long another may take for it


class Help(Protocol):
    """A batch of blocks that was sent to another process."""

    def done(self) -> bool: ...

    def result(self, timeout: float | None = None) -> tuple[list[Any], list[str]]:
        """What came of its blocks, and what was told of them; raises what went wrong, or ``TimeoutError``."""
        ...

    def cancel(self) -> object: ...


class Helpers(Protocol):
    """Processes that may take blocks off this one, and see the same files."""

    def free(self) -> int:
        """How many others have nothing else to do; asked before each block, so that it must be cheap."""
        ...

    def packed(self, work: Callable[[Window], Any]) -> bytes | None:
        """What is done with a block, as it is sent; None where it cannot be."""
        ...

    def submit(self, packed: bytes, windows: Sequence[Window]) -> Help:
        """Have :func:`carried` called in another process."""
        ...


HELPERS: ContextVar[Helpers | None] = ContextVar("knowflow_raster_helpers", default=None)


def carried(work: Callable[[Window], T], windows: Sequence[Window]) -> tuple[list[T], list[str]]:
    """What ``work`` makes of some windows, one after the other, and what was told of them."""
    words: list[str] = []
    quiet, cache = np.errstate(all="ignore"), rasterio.Env(GDAL_CACHEMAX=WRITE_BEHIND_BYTES)
    with running(on_told=words.append), unreferenced_is_fine, quiet, cache:
        return [work(window) for window in windows], words


@dataclass(eq=False)
class _Batch:
    """Blocks that follow each other, where they are, and what came of them."""

    windows: Sequence[Window]
    help: Help | None = None
    results: list[Any] | None = None
    told: Sequence[str] = ()
    error: Exception | None = None

    @property
    def awaited(self) -> bool:
        return self.help is not None and self.results is None

    @property
    def ended(self) -> bool:
        return self.results is not None or self.error is not None

    def carry_out(self, work: Callable[[Window], Any]) -> None:
        """Do it here. What goes wrong shows when its turn comes: which error it is does not hang on who helped."""
        try:
            self.results, self.told = carried(work, self.windows)
        except Exception as error:
            self.error = error

    def take(self, timeout: float) -> None:
        """Take in what another made of it; what went wrong there shows here, when it is done again."""
        assert self.help is not None
        with suppress(Exception):
            self.results, self.told = self.help.result(timeout=timeout)
        if self.results is None:
            self.help.cancel()
            self.help = None


def spread(
    work: Callable[[Window], T], windows: Iterator[Window], helpers: Helpers
) -> Generator[tuple[Window, T], None, None]:
    """What ``work`` makes of all windows, in their order; some of it in other processes, where any are free."""
    rest = iter(lambda: tuple(islice(windows, _BATCH)), ())
    waiting: deque[_Batch] = deque()
    packed: bytes | None = b""
    slowest = 0.05
    try:
        while True:
            free = helpers.free() if packed is not None else 0
            sent = sum(batch.awaited for batch in waiting)
            while sent < 2 * free and len(waiting) < _MOST_AHEAD and (given := next(rest, None)) is not None:
                packed = packed or helpers.packed(work)
                waiting.append(_Batch(given, None if packed is None else helpers.submit(packed, given)))
                if packed is None:
                    break
                sent += 1
            own = next((batch for batch in waiting if not batch.awaited and not batch.ended), None)
            room = len(waiting) < min(_AHEAD_ALONE + 2 * free, _MOST_AHEAD)
            if own is None and room and (given := next(rest, None)) is not None:
                waiting.append(own := _Batch(given))
            if own is not None:
                begun = time.monotonic()
                own.carry_out(work)
                slowest = max(slowest, time.monotonic() - begun)
            elif waiting:
                waiting[0].take(_PATIENCE * slowest)
            else:
                return
            for batch in waiting:
                if batch.awaited and batch.help is not None and batch.help.done():
                    batch.take(_TRANSFER_S)
            while waiting and waiting[0].ended:
                batch = waiting.popleft()
                if batch.error is not None:
                    raise batch.error
                for words in batch.told:
                    tell(words)
                yield from zip(batch.windows, batch.results or (), strict=True)
    finally:
        for batch in waiting:
            if batch.awaited and batch.help is not None:
                batch.help.cancel()
