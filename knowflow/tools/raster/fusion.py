"""Several tools in one pass over blocks: what one makes of a block the next one reads from memory, and no file lies
between.

While a :class:`Fusion` collects, tools are called as ever, one after the other. A tool that writes a raster writes its
header only, from which the next tool learns all that it would of the file; its kernel is kept. A tool that folds blocks
into a number waits. :meth:`Fusion.run` then goes through the raster once, frame by frame: in each, every kernel works
on the same windows as it would alone, and its statistics are added up in the same order. So that numbers, nodata and
statistics are those of the tools one by one, bit for bit.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from contextvars import Context, copy_context
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
import rasterio
from numpy.typing import NDArray
from rasterio.windows import Window

from knowflow.model.artifact import Artifact
from knowflow.tools.context import running, tell
from knowflow.tools.raster.blocks import Block, Tiling
from knowflow.tools.raster.buffers import Buffers
from knowflow.tools.raster.engine import Inputs, each_block, looked_through, made_of, prepared, reduce_blocks
from knowflow.tools.raster.frames import Frame
from knowflow.tools.raster.grid import Grid
from knowflow.tools.raster.output import Output
from knowflow.tools.raster.pending import COLLECTOR, Collector, NotFusedError
from knowflow.tools.raster.pixel_area import tell_unweighted
from knowflow.tools.raster.source import Handles, Source
from knowflow.tools.raster.statistics import BlockStatistics
from knowflow.tools.raster.writer import WRITE_BEHIND_BYTES, HeaderWriter, RasterWriter

_FRAME_PIXELS = 4 << 20  # of a frame in which the windows of all tools fit whole
_FRAME_BYTES = 96 << 20  # of what lies between the tools at a time, in one frame
_Found = Mapping[str, Source | tuple[Source, ...]]
_Worked = tuple[list[tuple[int, Window, Any]], list[str], float]  # parts by window, what was told, seconds


@dataclass(eq=False)
class _Step:
    """What one tool does with the blocks of its grid; ``turns`` are parts that wait for those before them."""

    kernel: Callable[[Block], Any]
    found: _Found
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
class _Making(_Step):
    """A kernel that makes rasters. Those that are kept have a ``file``, by name."""

    writers: Mapping[str, HeaderWriter]
    pointwise: bool
    kept: frozenset[str]
    files: dict[str, RasterWriter] = field(default_factory=dict, init=False)

    def begin(self, stack: ExitStack) -> None:
        super().begin(stack)
        self.files = {name: stack.enter_context(self.writers[name].whole()) for name in self.kept}

    def on(self, block: Block, buffers: Buffers) -> dict[str, tuple[NDArray[Any], list[BlockStatistics]]]:
        return made_of(self.kernel, block, self.writers, buffers, self.pointwise)

    def add(self, window: Window, part: Mapping[str, tuple[NDArray[Any] | None, Sequence[BlockStatistics]]]) -> None:
        for name, (values, statistics) in part.items():
            if values is not None:
                self.files[name].write(values, window, statistics)
            else:
                self.writers[name].merge(statistics)


@dataclass(eq=False)
class _Folding(_Step):
    """A kernel whose results are folded into one."""

    result: Any
    combine: Callable[[Any, Any], Any]

    def add(self, window: Window, part: Any) -> None:
        self.result = self.combine(self.result, part)


class _Guest:
    """A tool that is called in a thread of its own, because it waits in the middle for the pass."""

    def __init__(self, work: Callable[[], Any]) -> None:
        self.value: Any = None
        self.error: BaseException | None = None
        self.abandoned = False
        self._work = work
        self._guests: dict[int | None, _Guest] = {}
        self._paused, self._go_on = threading.Event(), threading.Event()
        context = copy_context()
        self.thread = threading.Thread(target=context.run, args=(self._run,), name="knowflow-fused", daemon=True)

    def _run(self) -> None:
        self._guests[threading.get_ident()] = self
        try:
            self.value = self._work()
        except BaseException as error:
            self.error = error
        finally:
            self._paused.set()

    def start(self, guests: dict[int | None, _Guest]) -> None:
        """Have it work until it waits or ends, as one of the guests by thread."""
        self._guests = guests
        self.thread.start()
        self._paused.wait()

    def pause(self) -> None:
        """Wait for the pass; called by the tool, in its thread."""
        self._paused.set()
        self._go_on.wait()
        if self.abandoned:
            raise NotFusedError("the pass did not come to an end")

    def finish(self) -> Any:
        """Have it work to its end; what it returned."""
        self._go_on.set()
        self.thread.join()
        if self.error is not None:
            raise self.error
        return self.value


class Fusion:
    """Collects what tools do with blocks, and does it in one pass.

    ``kept`` are the paths of the rasters that are written; of all others there is only a header, to the end of the
    fusion. What cannot be one pass ends with ``NotFusedError``, and so does what fails in it: nothing is kept then.
    """

    def __init__(self, kept: Sequence[str]) -> None:
        self._kept = frozenset(kept)
        self._steps: list[_Step] = []
        self._makers: dict[str, _Making] = {}
        self._guests: dict[int | None, _Guest] = {}
        self._done = False

    @contextmanager
    def collecting(self) -> Iterator[Fusion]:
        """While this is open, tools called in this context are collected."""
        token = COLLECTOR.set(self)
        try:
            yield self
        finally:
            COLLECTOR.reset(token)
            for guest in self._guests.values():
                guest.abandoned = True
                guest._go_on.set()

    def holds(self, path: str) -> bool:
        return path in self._makers and not (self._done and path in self._kept)

    def made(self, path: str) -> bool:
        """Whether some tool is to make that file in the pass."""
        return path in self._makers

    def seconds(self, path: str) -> float:
        """How long the pass was at making a raster."""
        return self._makers[path].seconds

    def map(
        self,
        kernel: Callable[[Block], Any],
        sources: Inputs,
        outputs: Mapping[str, Output],
        *,
        halo: int,
        many_bands: bool,
        pointwise: bool,
    ) -> None:
        if threading.get_ident() in self._guests or self._done:
            raise NotFusedError("a raster is made of what the pass finds")
        if any(np.dtype(one.dtype).kind in "iu" and one.nodata is None for one in outputs.values()):
            raise NotFusedError("whether it has a mask is known when it is written")
        with closing(Handles()) as opened:
            found, grid, tiles, writers = prepared(sources, outputs, opened, many_bands, HeaderWriter)
        uses = self._uses(sources, halo)
        headers = cast("dict[str, HeaderWriter]", writers)
        kept = frozenset(name for name, one in headers.items() if str(one.output.path) in self._kept)
        step = _Making(kernel, found, grid, tiles, halo, copy_context(), uses, headers, pointwise, kept)
        for writer in headers.values():
            writer.__enter__()
            self._makers[str(writer.output.path)] = step
        self._steps.append(step)

    def reduce(
        self,
        kernel: Callable[[Block], Any],
        sources: Inputs,
        initial: Any,
        combine: Callable[[Any, Any], Any],
        *,
        halo: int,
        many_bands: bool,
        each_pixel: bool,
    ) -> Any:
        guest = self._guests.get(threading.get_ident())
        uses = self._uses(sources, halo)
        if guest is None and uses:
            raise NotFusedError("a number is wanted before the pass")
        if guest is None:  # somebody looks at a file meanwhile
            with _collected_by(None):
                return reduce_blocks(
                    kernel, sources, initial, combine, halo=halo, many_bands=many_bands, each_pixel=each_pixel
                )
        with closing(Handles()) as opened:
            found, grid, tiles = looked_through(sources, opened, many_bands)
        if each_pixel:
            tell_unweighted(grid)
        step = _Folding(kernel, found, grid, tiles, halo, copy_context(), uses, initial, combine)
        if self._done:  # it asked for something else first: once more through what it needs
            self._pass([*self._needed(uses), step], again=True)
        else:
            self._steps.append(step)
            guest.pause()
        return step.result

    def call(self, work: Callable[[], Any]) -> Callable[[], Any]:
        """Call a tool that folds blocks into a value; what is returned tells the value, once the pass is over."""
        guest = _Guest(work)
        guest.start(self._guests)
        return guest.finish

    def wait(self) -> None:
        """Wait for the pass, where the tool that asks can wait."""
        guest = self._guests.get(threading.get_ident())
        if guest is None:
            raise NotFusedError("a fact of the pixels is wanted before the pass")
        if not self._done:
            guest.pause()

    def run(self) -> None:
        """Go through all blocks; statistics, kept files and waiting numbers are there then.

        Raises ``NotFusedError``, and whatever a kernel does.
        """
        if self._steps:
            self._pass(self._steps, again=False)
        self._done = True

    def _uses(self, sources: Inputs, halo: int) -> frozenset[str]:
        """The paths of those sources that are made in the pass."""
        each = [one for source in sources.values() for one in ([source] if isinstance(source, Artifact) else source)]
        uses = frozenset(str(one.path) for one in each if str(one.path) in self._makers)
        if uses and halo:
            raise NotFusedError("neighbours lie in other frames")
        return uses

    def _needed(self, uses: frozenset[str]) -> list[_Step]:
        """The steps that make some rasters, and all before them, in order."""
        wanted, waiting = set[int](), list(uses)
        while waiting:
            maker = self._makers[waiting.pop()]
            if id(maker) not in wanted:
                wanted.add(id(maker))
                waiting += maker.uses
        return [step for step in self._steps if id(step) in wanted]

    def _pass(self, steps: Sequence[_Step], *, again: bool) -> None:
        last = {path: number for number, step in enumerate(steps) for path in step.uses}
        frames = _fitting(steps, last)
        files = {source.path for step in steps for source in _sources(step) if source.path not in self._makers}
        buffers, opened = Buffers(), Handles(files=len(files))

        makers, nowhere = dict(self._makers), _Nowhere(frozenset(self._makers))

        def work(window: Window) -> list[_Worked]:
            frame, results = Frame(opened, window), list[_Worked]()
            for number, step in enumerate(steps):
                begun, words = time.perf_counter(), list[str]()
                with running(on_told=words.append), _collected_by(nowhere):
                    parts = _worked(step, frame, window, buffers, last, again)
                results.append((parts, words, time.perf_counter() - begun))
                for path in step.uses:
                    if last[path] == number and (part := frame.forget(path)) is not None:
                        _given_back(part, step, makers[path], path, buffers)
            return results

        with ExitStack() as stack:
            stack.callback(opened.close)
            for step in steps:
                if not again:
                    step.begin(stack)
            writes = any(isinstance(step, _Making) and step.kept for step in steps)
            stack.enter_context(rasterio.Env(GDAL_CACHEMAX=WRITE_BEHIND_BYTES if writes else WRITE_BEHIND_BYTES // 2))
            for _, results in stack.enter_context(closing(each_block(work, frames))):
                for step, (parts, words, seconds) in zip(steps, results, strict=True):
                    step.seconds += seconds
                    for told in words:  # by the tool that would have
                        step.context.run(tell, told)
                    for number, window, part in parts:
                        step.take(number, window, part)
        for step in steps if not again else ():
            if isinstance(step, _Making):
                for name in step.writers.keys() - step.kept:
                    step.writers[name].write_header()


class _Nowhere:
    """Who works on a block in a pass: there is no other way to the pixels that are made in it."""

    def __init__(self, paths: frozenset[str]) -> None:
        self._paths = paths

    def holds(self, path: str) -> bool:
        return path in self._paths

    def map(self, *_: Any, **__: Any) -> None:
        raise NotFusedError("a raster is made in the middle of a block")

    def reduce(self, *_: Any, **__: Any) -> Any:
        raise NotFusedError("a number is wanted in the middle of a block")


@contextmanager
def _collected_by(collector: Collector | None) -> Iterator[None]:
    """While this is open, that one is asked for what is asked of the block engine; where None, it is done at once."""
    token = COLLECTOR.set(collector)
    try:
        yield
    finally:
        COLLECTOR.reset(token)


def _worked(
    step: _Step, frame: Frame, window: Window, buffers: Buffers, last: Mapping[str, int], again: bool
) -> list[tuple[int, Window, Any]]:
    """What a step makes of the windows of its own inside a frame."""
    parts: list[tuple[int, Window, Any]] = []
    for number, place in step.tiles.within(window):
        with np.errstate(all="ignore"):  # NaN is how blocks say "no data"
            part = step.on(Block(step.found, frame, step.grid, place, step.halo), buffers)
        if isinstance(step, _Making):
            for name, (values, statistics) in part.items():
                path = str(step.writers[name].output.path)
                if path in last:
                    frame.keep(path, values, place, all(one.all_finite for one in statistics))
                part[name] = values if name in step.kept else None, statistics
            if again:
                continue
        parts.append((number, place, part))
    return parts


def _given_back(part: NDArray[Any], step: _Step, maker: _Making, path: str, buffers: Buffers) -> None:
    """Memory that nobody looks at any more goes round; of a kept raster the writer still does."""
    kept = any(str(maker.writers[name].output.path) == path for name in maker.kept)
    if not kept and isinstance(step, _Making) and not step.kept:  # else what was made of it may be a view of it
        buffers.give(part)


def _frames(steps: Sequence[_Step]) -> Tiling:
    """Frames into which whole windows of all steps fit."""
    shapes = {step.tiles.shape for step in steps}
    rows = math.lcm(*(step.tiles.rows for step in steps))
    columns = math.lcm(*(step.tiles.columns for step in steps))
    if len(shapes) > 1:
        raise NotFusedError("the rasters are of different shapes")
    height, width = next(iter(shapes))
    if min(rows, height) * min(columns, width) > _FRAME_PIXELS:
        raise NotFusedError("the windows of the tools fit into no common frame")
    return Tiling((height, width), rows, columns, steps[0].tiles.tile)


def _sources(step: _Step) -> Iterator[Source]:
    for one in step.found.values():
        yield from one if isinstance(one, tuple) else (one,)


def _fitting(steps: Sequence[_Step], last: Mapping[str, int]) -> Tiling:
    """Frames in which what lies between the steps fits into memory: narrower ones, where the windows of tools that look
    at one pixel at a time can be cut at their tiles."""
    frames = _frames(steps)
    if _held(steps, frames, last) <= _FRAME_BYTES:
        return frames
    for step in steps:
        if isinstance(step, _Making) and step.pointwise:
            step.tiles = step.tiles.narrow()
    frames = _frames(steps)
    if _held(steps, frames, last) > _FRAME_BYTES:
        raise NotFusedError("more lies between the steps than fits into memory")
    return frames


def _held(steps: Sequence[_Step], frames: Tiling, last: Mapping[str, int]) -> int:
    """The bytes that lie between the steps of one frame at most."""
    pixels = min(frames.rows, frames.shape[0]) * min(frames.columns, frames.shape[1])
    sizes = {
        str(writer.output.path): pixels * len(writer.output.bands) * np.dtype(writer.output.dtype).itemsize
        for step in steps
        if isinstance(step, _Making)
        for writer in step.writers.values()
    }
    held = most = 0
    for number, step in enumerate(steps):
        if isinstance(step, _Making):
            held += sum(sizes[str(one.output.path)] for one in step.writers.values())
        most = max(most, held)
        held -= sum(sizes[path] for path in step.uses if last[path] == number)
    return most
