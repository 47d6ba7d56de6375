"""Several tools in one pass over blocks: what one makes of a block the next one reads from memory, and no file lies
between.

While a :class:`Fusion` collects, tools are called as ever, one after the other. A tool that writes a raster writes its
header only, from which the next tool learns all that it would of the file; its kernel is kept. A tool that folds blocks
into a number waits. :meth:`Fusion.run` then goes through the raster once, frame by frame: in each, every kernel works
on the same windows as it would alone, and its statistics are added up in the same order. So that numbers, nodata and
statistics are those of the tools one by one, bit for bit.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from contextvars import copy_context
from typing import Any, cast

import numpy as np
import rasterio
from numpy.typing import NDArray
from rasterio.windows import Window

from knowflow.model.artifact import Artifact
from knowflow.tools.context import running, tell
from knowflow.tools.raster.blocks import Block, rows_within
from knowflow.tools.raster.buffers import Buffers
from knowflow.tools.raster.chains import Chain, frames_and_chains, last_uses
from knowflow.tools.raster.engine import (
    Inputs,
    Written,
    by_strips,
    each_block,
    looked_through,
    prepared,
    reduce_blocks,
)
from knowflow.tools.raster.frames import Frame
from knowflow.tools.raster.output import Output
from knowflow.tools.raster.pending import COLLECTOR, Collector, NotFusedError
from knowflow.tools.raster.pixel_area import tell_unweighted
from knowflow.tools.raster.source import Handles
from knowflow.tools.raster.steps import Folding, Making, Step
from knowflow.tools.raster.writer import WRITE_BEHIND_BYTES, HeaderWriter

_Worked = tuple[list[tuple[int, Window, Any]], list[str], float]  # parts by window, what was told, seconds


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
        self._steps: list[Step] = []
        self._makers: dict[str, Making] = {}
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
        step = Making(kernel, found, grid, tiles, halo, copy_context(), uses, headers, pointwise, kept)
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
        step = Folding(kernel, found, grid, tiles, halo, copy_context(), uses, initial, combine)
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

    def _needed(self, uses: frozenset[str]) -> list[Step]:
        """The steps that make some rasters, and all before them, in order."""
        wanted, waiting = set[int](), list(uses)
        while waiting:
            maker = self._makers[waiting.pop()]
            if id(maker) not in wanted:
                wanted.add(id(maker))
                waiting += maker.uses
        return [step for step in self._steps if id(step) in wanted]

    def _pass(self, steps: Sequence[Step], *, again: bool) -> None:
        last = last_uses(steps)
        frames, chains = frames_and_chains(steps)
        files = {source.path for step in steps for source in step.sources() if source.path not in self._makers}
        buffers, opened = Buffers(), Handles(files=len(files))

        makers, nowhere = dict(self._makers), _Nowhere(frozenset(self._makers))

        def work(window: Window) -> list[_Worked]:
            frame, results = Frame(opened, window), list[_Worked]()
            for chain in chains:
                with _collected_by(nowhere):
                    results += _in_turn(chain, steps, frame, window, buffers, last)
                for number in chain.numbers:
                    for path in steps[number].uses:
                        if last[path] == number and (part := frame.forget(path)) is not None:
                            _given_back(part, steps[number], makers[path], path, buffers)
            return results

        with ExitStack() as stack:
            stack.callback(opened.close)
            for step in steps:
                if not again:
                    step.begin(stack)
            writes = any(isinstance(step, Making) and step.kept for step in steps)
            stack.enter_context(rasterio.Env(GDAL_CACHEMAX=WRITE_BEHIND_BYTES if writes else WRITE_BEHIND_BYTES // 2))
            for _, results in stack.enter_context(closing(each_block(work, frames))):
                for step, (parts, words, seconds) in zip(steps, results, strict=True):
                    step.seconds += seconds
                    for told in words:  # by the tool that would have
                        step.context.run(tell, told)
                    for number, window, part in parts if not (again and isinstance(step, Making)) else ():
                        step.take(number, window, part)
        for step in steps if not again else ():
            if isinstance(step, Making):
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
    step: Step, frame: Frame, window: Window, buffers: Buffers, last: Mapping[str, int]
) -> list[tuple[int, Window, Any]]:
    """What a step makes of the windows of its own inside a frame."""
    parts: list[tuple[int, Window, Any]] = []
    for number, place in step.tiles.within(window):
        part = step.on(Block(step.found, frame, step.grid, place, step.halo), buffers)
        if isinstance(step, Making):
            for path, values, statistics in step.by_path(part):
                if path in last:
                    frame.keep(path, values, place, statistics)
            part = step.kept_of(part)
        parts.append((number, place, part))
    return parts


def _in_turn(
    chain: Chain, steps: Sequence[Step], frame: Frame, window: Window, buffers: Buffers, last: Mapping[str, int]
) -> list[_Worked]:
    """What the steps of a chain make of a frame; NaN is how blocks say "no data"."""
    words: list[list[str]] = [[] for _ in chain.numbers]
    seconds = [0.0] * len(words)
    at = 0

    def hear(told: str) -> None:
        words[at].append(told)

    with running(on_told=hear), np.errstate(all="ignore"):
        if len(words) == 1:
            begun = time.perf_counter()
            parts = [_worked(steps[chain.numbers[0]], frame, window, buffers, last)]
            return [(parts[0], words[0], time.perf_counter() - begun)]
        makers = [cast("Making", steps[number]) for number in chain.numbers]
        strips = [
            _laid(step, frame, window, buffers, last, brief=number in chain.brief)
            for number, step in zip(chain.numbers, makers, strict=True)
        ]
        made: list[Any] = [None] * len(strips)
        going = True
        while going:
            for at, one in enumerate(strips):
                begun = time.perf_counter()
                part = next(one, None)
                seconds[at] += time.perf_counter() - begun
                going = part is not None
                made[at] = part if going else made[at]
    places = [next(step.tiles.within(window)) for step in makers]
    parts = [[(*place, step.kept_of(part))] for step, place, part in zip(makers, places, made, strict=True)]
    return list(zip(parts, words, seconds, strict=True))


def _laid(
    step: Making, frame: Frame, window: Window, buffers: Buffers, last: Mapping[str, int], *, brief: bool
) -> Iterator[Written]:
    """What a step makes of a frame, strip by strip, each of which is laid into the frame for those after it."""
    block = Block(step.found, frame, step.grid, window, 0)
    for rows, made in by_strips(step.kernel, block, step.writers, buffers, brief=brief):
        place = rows_within(window, rows) if brief else window
        for path, values, statistics in step.by_path(made):
            if path in last:
                frame.lay(path, values, place, statistics)
        yield made


def _given_back(part: NDArray[Any], step: Step, maker: Making, path: str, buffers: Buffers) -> None:
    """Memory that nobody looks at any more goes round; of a kept raster the writer still does."""
    kept = any(str(maker.writers[name].output.path) == path for name in maker.kept)
    if not kept and isinstance(step, Making) and not step.kept:  # else what was made of it may be a view of it
        buffers.give(part)
