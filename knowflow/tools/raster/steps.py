"""What each tool does in a pass of several over the blocks of a raster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from contextvars import Context
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray
from rasterio.windows import Window

from knowflow.tools.raster.blocks import Block, Tiling
from knowflow.tools.raster.buffers import Buffers
from knowflow.tools.raster.engine import Written, made_of
from knowflow.tools.raster.grid import Grid
from knowflow.tools.raster.source import Source
from knowflow.tools.raster.statistics import BlockStatistics
from knowflow.tools.raster.writer import HeaderWriter, RasterWriter

Found = Mapping[str, Source | tuple[Source, ...]]
_Kept = Mapping[str, tuple[NDArray[Any] | None, Sequence[BlockStatistics]]]


@dataclass(eq=False)
class Step:
    """What one tool does with the blocks of its grid; ``turns`` are parts that wait for those before them."""

    kernel: Callable[[Block], Any]
    found: Found
    grid: Grid
    tiles: Tiling
    halo: int
    context: Context
    uses: frozenset[str]
    turns: dict[int, tuple[Window, Any]] = field(default_factory=dict, init=False)
    next_turn: int = field(default=0, init=False)
    seconds: float = field(default=0.0, init=False)

    def __getstate__(self) -> dict[str, Any]:
        """In another process it works on blocks; what comes of them is taken in where it was begun."""
        return {**self.__dict__, "context": None, "turns": {}, "files": {}, "result": None, "combine": None}

    @property
    def paths(self) -> frozenset[str]:
        """The rasters that it makes."""
        return frozenset()

    def sources(self) -> Iterator[Source]:
        """What it looks at, each raster of a series for itself."""
        for one in self.found.values():
            yield from one if isinstance(one, tuple) else (one,)

    @property
    def told_only(self) -> bool:
        """Whether it makes rasters, and none of them is kept."""
        return False

    def begin(self, stack: ExitStack) -> None:
        """Make ready for a pass."""
        self.turns, self.next_turn = {}, 0

    def on(self, block: Block, buffers: Buffers) -> Any:
        return self.kernel(block)

    def take(self, number: int, window: Window, part: Any) -> None:
        """Take a part of the result in; parts count in the order of their windows, whichever comes first."""
        self.turns[number] = window, part
        while self.next_turn in self.turns:
            self.add(*self.turns.pop(self.next_turn))
            self.next_turn += 1

    def add(self, window: Window, part: Any) -> None:
        raise NotImplementedError


@dataclass(eq=False)
class Making(Step):
    """A kernel that makes rasters. Those that are kept have a ``file``, by name."""

    writers: Mapping[str, HeaderWriter]
    pointwise: bool
    kept: frozenset[str]
    files: dict[str, RasterWriter] = field(default_factory=dict, init=False)

    @property
    def paths(self) -> frozenset[str]:
        return frozenset(str(one.output.path) for one in self.writers.values())

    @property
    def told_only(self) -> bool:
        return not self.kept

    def begin(self, stack: ExitStack) -> None:
        super().begin(stack)
        self.files = {name: stack.enter_context(self.writers[name].whole()) for name in self.kept}

    def on(self, block: Block, buffers: Buffers) -> Written:
        return made_of(self.kernel, block, self.writers, buffers, self.pointwise)

    def by_path(self, made: Written) -> Iterator[tuple[str, NDArray[Any], Sequence[BlockStatistics]]]:
        """What is made of a block, each with the path of its raster."""
        for name, (values, statistics) in made.items():
            yield str(self.writers[name].output.path), values, statistics

    def kept_of(self, made: Written) -> _Kept:
        """What is made of a block, without the pixels of what is not kept."""
        return {name: (values if name in self.kept else None, known) for name, (values, known) in made.items()}

    def add(self, window: Window, part: _Kept) -> None:
        for name, (values, statistics) in part.items():
            if values is not None:
                self.files[name].write(values, window, statistics)
            else:
                self.writers[name].merge(statistics)


@dataclass(eq=False)
class Folding(Step):
    """A kernel whose results are folded into one."""

    result: Any
    combine: Callable[[Any, Any], Any]

    def add(self, window: Window, part: Any) -> None:
        self.result = self.combine(self.result, part)
