"""The block engine: kernels over windows, two threads, constant memory, results in a fixed order.

Measured on two cores with 10980 x 10980 scenes: two workers with read handles of their own, windows of 512 x 2048, a
small GDAL block cache and a writer that compresses in threads of its own are 3x as fast as whole-array code.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from contextvars import ContextVar, copy_context
from typing import Any, TypeVar

import numpy as np
import rasterio
from numpy import ma
from numpy.typing import NDArray
from rasterio.windows import Window

from knowflow.ground.errors import ToolError
from knowflow.model.artifact import Artifact
from knowflow.tools.context import check_cancelled, overheard, report_progress, running
from knowflow.tools.raster.blocks import Block, Tiling, tiling
from knowflow.tools.raster.buffers import Buffers
from knowflow.tools.raster.grid import Grid, require_same_grid
from knowflow.tools.raster.output import Output, fitted, known_tags
from knowflow.tools.raster.pending import COLLECTOR
from knowflow.tools.raster.pixel_area import tell_unweighted
from knowflow.tools.raster.source import Handles, Source, handles, open_source, unreferenced_is_fine
from knowflow.tools.raster.spreading import HELPERS, Helpers, spread
from knowflow.tools.raster.statistics import BlockStatistics
from knowflow.tools.raster.writer import COMPRESSING, WRITE_BEHIND_BYTES, RasterWriter

WORKERS = 2
_AHEAD = 2  # blocks computed beyond those being written

_ALONE: ContextVar[bool] = ContextVar("knowflow_raster_alone", default=False)

T = TypeVar("T")
A = TypeVar("A")
Result = NDArray[Any] | Mapping[str, NDArray[Any]]
Inputs = Mapping[str, Artifact | Sequence[Artifact]]
Written = dict[str, tuple[NDArray[Any], list[BlockStatistics]]]


def map_blocks(
    kernel: Callable[[Block], Result],
    sources: Inputs,
    outputs: Output | Mapping[str, Output],
    *,
    halo: int = 0,
    many_bands: bool = False,
    pointwise: bool = False,
) -> None:
    """Write what ``kernel`` makes of every block of ``sources``.

    ``sources`` are rasters by the name the kernel asks for (``block[name]``: physical values, NaN where not data);
    a sequence of rasters is a series, whose blocks are (time, rows, columns). All share one grid, the first source's,
    which the outputs take. ``kernel`` returns an array of ``block.shape``, or for several outputs a mapping of them;
    a masked array's masked numbers become nodata; (bands, rows, columns) for an output of several bands. NaN in an
    integer output becomes its nodata. The kernel runs in worker threads: it must be a pure function of its block.

    ``halo``: pixels beyond each edge of the window that the kernel sees. ``many_bands``: sources of several bands are
    welcome, and come as (bands, rows, columns). ``pointwise``: a pixel of the result depends on the same pixel of the
    sources alone, so that the kernel may be given a few rows at a time, which stay in the processor's cache.

    Raises ``GridMismatchError``, ``UnreadableDataError``, ``NoSpaceError``, ``ToolError`` and ``RunInterruptedError``;
    nothing is then left of any output.
    """
    named = {"": outputs} if isinstance(outputs, Output) else dict(outputs)
    collector = COLLECTOR.get()
    if collector is not None:
        collector.map(kernel, sources, named, halo=halo, many_bands=many_bands, pointwise=pointwise)
        return
    with ExitStack() as stack:
        opened = stack.enter_context(handles())
        found, grid, tiles, unopened = prepared(sources, named, opened, many_bands)
        writers = {name: stack.enter_context(writer) for name, writer in unopened.items()}
        buffers = Buffers()

        def work(window: Window) -> Written:
            return made_of(kernel, Block(found, opened, grid, window, halo), writers, buffers, pointwise)

        with rasterio.Env(GDAL_CACHEMAX=WRITE_BEHIND_BYTES), closing(each_block(work, tiles)) as blocks:
            for window, written in blocks:
                for name, (values, statistics) in written.items():
                    writers[name].write(values, window, statistics)
                    if pointwise:
                        buffers.give(values)


def map_stack(
    kernel: Callable[[Block], Result],
    series: Sequence[Artifact],
    outputs: Output | Mapping[str, Output],
    *,
    others: Inputs | None = None,
    halo: int = 0,
    pointwise: bool = False,
) -> None:
    """:func:`map_blocks` over a series: ``block["series"]`` is (time, rows, columns), however many scenes there are.

    ``others`` are further sources, such as the masks of the same dates as a second series.
    """
    map_blocks(kernel, {"series": tuple(series), **(others or {})}, outputs, halo=halo, pointwise=pointwise)


def reduce_blocks(
    kernel: Callable[[Block], T],
    sources: Inputs,
    initial: A,
    combine: Callable[[A, T], A],
    *,
    halo: int = 0,
    many_bands: bool = False,
    each_pixel: bool = False,
) -> A:
    """Fold what ``kernel`` makes of every block, in the order of the blocks: the same result every time.

    With ``halo``, the kernel itself looks only at ``block.inner`` of what it counts. ``each_pixel``: the result is one
    of the pixels, each of which counts once by design; where they differ in size, that is told.
    """
    collector = COLLECTOR.get()
    if collector is not None:
        found: A = collector.reduce(
            kernel, sources, initial, combine, halo=halo, many_bands=many_bands, each_pixel=each_pixel
        )
        return found
    with handles() as opened:
        read, grid, tiles = looked_through(sources, opened, many_bands)
        if each_pixel:
            tell_unweighted(grid)
        result = initial

        def work(window: Window) -> T:
            return kernel(Block(read, opened, grid, window, halo))

        with rasterio.Env(GDAL_CACHEMAX=WRITE_BEHIND_BYTES), closing(each_block(work, tiles)) as blocks:
            for _, part in blocks:
                result = combine(result, part)
        return result


def each_raster(work: Callable[[Artifact], T], rasters: Sequence[Artifact]) -> list[T]:
    """What ``work`` says of each raster, in their order; several at once, the blocks of each then one after the other.

    For series of scenes, of which each has too few blocks to keep all workers busy to its end.
    """

    def alone(raster: Artifact) -> T:
        _ALONE.set(True)
        with running(cancelled=_cancelled, on_told=hears):
            return work(raster)

    def _cancelled() -> bool:
        return stop.is_set()

    stop, hears = threading.Event(), overheard()
    check_cancelled()
    found: list[T] = []
    threads = 1 if _ALONE.get() else WORKERS
    with unreferenced_is_fine, ThreadPoolExecutor(threads, thread_name_prefix="knowflow-rasters") as pool:
        waiting = [pool.submit(copy_context().run, alone, raster) for raster in rasters]
        try:
            for number, future in enumerate(waiting, start=1):
                found.append(future.result())
                report_progress(number / len(waiting))
                check_cancelled()
        except BaseException:
            stop.set()
            for future in waiting:
                future.cancel()
            raise
    return found


def prepared(
    sources: Inputs,
    outputs: Mapping[str, Output],
    opened: Handles,
    many_bands: bool,
    kind: type[RasterWriter] = RasterWriter,
) -> tuple[Mapping[str, Source | tuple[Source, ...]], Grid, Tiling, dict[str, RasterWriter]]:
    """The sources of some outputs, their grid, how it is cut, and a writer for each output, which is not open yet."""
    written_bands = sum(len(output.bands) for output in outputs.values())
    found, grid, tiles = looked_through(sources, opened, many_bands, written_bands)
    first = _first(sources)
    header = opened.get(str(first.path))
    wide = _any_wide(found)
    writers = {
        name: kind(output.wider(wide), grid, tiles.tile, known_tags(first, header, output.keep), tiles.unit)
        for name, output in outputs.items()
    }
    return found, grid, tiles, writers


def made_of(
    kernel: Callable[[Block], Result],
    block: Block,
    writers: Mapping[str, RasterWriter],
    buffers: Buffers,
    pointwise: bool,
) -> Written:
    """What a kernel makes of a block as its outputs store it, (bands, rows, columns), with the statistics of it."""
    if pointwise:
        *_, (_, made) = by_strips(kernel, block, writers, buffers)
        return made
    parts = _named(kernel(block))
    finished = {name: _finished(parts[name], block, writer) for name, writer in writers.items()}
    return {name: (values, writers[name].measure(values)) for name, values in finished.items()}


def looked_through(
    sources: Inputs, opened: Handles, many_bands: bool, written: int = 1
) -> tuple[dict[str, Source | tuple[Source, ...]], Grid, Tiling]:
    """Look at all sources and cut their common grid; ``written`` is the number of bands that are made of them."""
    found: dict[str, Source | tuple[Source, ...]] = {}
    layers: list[Source] = []
    for name, source in sources.items():
        if isinstance(source, Artifact):
            found[name] = one = open_source(source, opened, name, many_bands)
            layers += [one] * (len(one.bands) * (1 + one.wide))
        else:
            items = tuple(open_source(item, opened, f"{name}[{i}]") for i, item in enumerate(source))
            found[name] = items
            layers += [one for one in items for _ in range(1 + one.wide)]
    if not layers:
        raise ToolError("there is no raster to work on", expected="at least one raster", found="an empty series")
    grid = require_same_grid((layer.name, layer.grid) for layer in layers)
    return found, grid, tiling(grid.shape, [layer.block_shape for layer in layers], written)


def _any_wide(found: Mapping[str, Source | tuple[Source, ...]]) -> bool:
    return any(one.wide for each in found.values() for one in (each if isinstance(each, tuple) else (each,)))


def _first(sources: Inputs) -> Artifact:
    return next(item for source in sources.values() for item in ([source] if isinstance(source, Artifact) else source))


def _finished(values: NDArray[Any], block: Block, writer: RasterWriter) -> NDArray[Any]:
    """A kernel's result as it is written: halo cut off, of the output's type, (bands, rows, columns)."""
    output = writer.output
    if values.ndim == 2:
        values = values[None]
    expected = (len(output.bands), *block.shape)
    if values.shape != expected:
        raise ToolError(
            f"the kernel for {output.path.name} returned another shape than its block",
            expected=f"(bands, rows, columns) = {expected}",
            found=str(values.shape),
        )
    return fitted(values[:, *block.inner], output)


def _named(result: Result) -> Mapping[str, NDArray[Any]]:
    return result if isinstance(result, Mapping) else {"": result}


def by_strips(
    kernel: Callable[[Block], Result],
    block: Block,
    writers: Mapping[str, RasterWriter],
    buffers: Buffers,
    *,
    brief: bool = False,
) -> Iterator[tuple[slice, Written]]:
    """What a pointwise kernel makes of a block, and its statistics, strip by strip: the rows of each, and what there is
    after it; where ``brief``, of the pixels no more than those rows."""
    height = block.strip_rows if brief else block.shape[0]
    made = {
        name: buffers.take((len(writer.output.bands), height, block.shape[1]), writer.output.dtype)
        for name, writer in writers.items()
    }
    found = {name: writer.fresh() for name, writer in writers.items()}
    roomy = len(made) == 1 and all(room.shape[0] == 1 for room in made.values())
    for rows, strip in block.strips(buffers):
        place = slice(0, strip.shape[0]) if brief else rows
        if roomy:
            (strip.room,) = (room[0, place] for room in made.values())
        parts = _named(kernel(strip))
        for name, writer in writers.items():
            if parts[name] is strip.room:  # of the output's type and shape, and in its place
                strip.release()
                writer.count(found[name], made[name][:, place], strip.alike)
                continue
            values = _finished(parts[name], strip, writer)
            writer.count(found[name], values)
            if isinstance(values, ma.MaskedArray) and not isinstance(made[name], ma.MaskedArray):
                made[name] = ma.MaskedArray(made[name], mask=np.zeros(made[name].shape, dtype=np.bool_))
            if not np.may_share_memory(values, made[name]):
                made[name][:, place] = values
        strip.release()
        yield rows, {name: (values[:, place] if brief else values, found[name]) for name, values in made.items()}


@contextmanager
def in_one_thread(helpers: Helpers | None = None) -> Iterator[None]:
    """While this is open, blocks are worked on, and compressed, in the thread that asks for them, and by other
    processes, where there are such ``helpers``."""
    alone, helping, compressing = _ALONE.set(True), HELPERS.set(helpers), COMPRESSING.set(1)
    try:
        yield
    finally:
        COMPRESSING.reset(compressing)
        HELPERS.reset(helping)
        _ALONE.reset(alone)


@contextmanager
def _workers(blocks: int) -> Iterator[ThreadPoolExecutor | None]:
    """The worker threads, or None where one block is not worth starting any, or other rasters keep them busy."""
    if blocks == 1 or _ALONE.get():
        yield None
        return
    pool = ThreadPoolExecutor(WORKERS, thread_name_prefix="knowflow-raster")
    try:
        yield pool
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def each_block(work: Callable[[Window], T], tiles: Tiling) -> Generator[tuple[Window, T]]:
    """Results of ``work`` in the order of the windows, a few computed ahead; reports progress, heeds cancellation.

    Close it (``contextlib.closing``) before what ``work`` reads from is closed: after an error, threads may still read.
    """

    def quietly(window: Window) -> T:
        with np.errstate(all="ignore"):  # NaN is how blocks say "no data"
            return work(window)

    total = len(tiles)
    done = 0
    helpers = HELPERS.get()
    check_cancelled()
    if helpers is not None and total > 1:
        with unreferenced_is_fine, closing(spread(work, tiles.windows(), helpers)) as blocks:
            for done, (window, result) in enumerate(blocks, start=1):
                yield window, result
                report_progress(done / total)
                check_cancelled()
        return
    with unreferenced_is_fine, _workers(total) as pool:
        waiting: deque[tuple[Window, Future[T] | None]] = deque()
        windows = tiles.windows()

        def start_next() -> None:
            window = next(windows, None)
            if window is not None:
                future = None if pool is None else pool.submit(copy_context().run, quietly, window)
                waiting.append((window, future))

        for _ in range(WORKERS + _AHEAD):
            start_next()
        while waiting:
            window, future = waiting.popleft()
            result = quietly(window) if future is None else future.result()
            yield window, result
            del result
            done += 1
            start_next()
            report_progress(done / total)
            check_cancelled()
