"""Reading rasters: thread-local handles, and numbers in their physical meaning."""

from __future__ import annotations

import math
import os
import threading
import warnings
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import rasterio
from numpy.typing import NDArray
from rasterio.enums import MaskFlags
from rasterio.errors import NotGeoreferencedWarning, RasterioError, RasterioIOError
from rasterio.windows import Window

from knowflow.ground.errors import DataNotFoundError, ToolError, UnreadableDataError
from knowflow.ground.opening import open_data
from knowflow.model.artifact import Artifact
from knowflow.tools.raster.buffers import Buffers, erased
from knowflow.tools.raster.decibels import is_decibel
from knowflow.tools.raster.grid import Grid, effective_grid
from knowflow.tools.raster.markers import stored_nodata, where_beyond, where_stored
from knowflow.tools.raster.pending import COLLECTOR, NotFusedError
from knowflow.tools.raster.scaling import scale_into

if TYPE_CHECKING:
    from knowflow.tools.raster.statistics import BlockStatistics

_OPEN_FILES = 96  # handles kept per thread: a series may have more files than a process may open
_IN_TURN = 8  # of more files than that, which are read in turn
_LENT_PIXELS = 1 << 20  # of a file that stays open from a look at it to the work on it
_LENDER: ContextVar[Lender | None] = ContextVar("knowflow_raster_lender", default=None)
# of GDAL's block cache in this process, MB: its default, a share of all memory, serves whole-image code
os.environ.setdefault("GDAL_CACHEMAX", "32")
_EXACT_IN_FLOAT32 = ("uint8", "int8", "uint16", "int16", "float32", "float16")
_STEPS = {"uint8": 1 << 8, "int8": 1 << 7, "uint16": 1 << 16, "int16": 1 << 15}  # the largest number of a narrow type
_MOST_STEPS = 1 << 20  # that float32 tells apart with a margin of 16


class _Silence:
    """rasterio's warning about missing georeference is off while anybody holds this (a fact here, no surprise).

    Filters of the warnings module belong to the whole process, and rasterio changes them itself from worker threads;
    so they are changed by the first who enters and restored by the last who leaves.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._holders = 0
        self._filters = warnings.catch_warnings()

    def __enter__(self) -> None:
        with self._lock:
            if self._holders == 0:
                self._filters = warnings.catch_warnings()
                self._filters.__enter__()
                warnings.simplefilter("ignore", NotGeoreferencedWarning)
            self._holders += 1

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._holders -= 1
            if self._holders == 0:
                self._filters.__exit__(None, None, None)


unreferenced_is_fine = _Silence()


def open_raster(path: str | Path, mode: str = "r", *, own: bool = False, **profile: Any) -> Any:
    """``rasterio.open`` through the door of :mod:`knowflow.ground.opening`, without its warning about georeference.

    ``own``: a file that KnowFlow itself has just written, such as a virtual one of data that passed the door.

    Raises ``DataNotFoundError`` or ``UnreadableDataError`` naming the file when it is opened for reading.
    """
    with unreferenced_is_fine:
        if mode != "r":
            return rasterio.open(path, mode, **profile)
        try:
            return rasterio.open(path) if own else open_data(path)
        except RasterioIOError as error:
            if "/vsi" not in str(path) and not Path(path).exists():
                raise DataNotFoundError(
                    "the file does not exist", where=str(path), hint="check the path and the data folder"
                ) from error
            raise unreadable(path, error) from error


def unreadable(path: str | Path, error: Exception) -> UnreadableDataError:
    """The named error for a raster that GDAL cannot read."""
    return UnreadableDataError(
        "the raster cannot be read",
        where=str(path),
        expected="a complete raster file of a format that GDAL knows",
        found=str(error.__cause__ or error),
        hint="the file may be truncated: fetch it again, or leave it out",
    )


class Handles:
    """Open datasets, one per thread and file (a GDAL handle must not be used by two threads at once).

    ``files``: of how many it is known that they are read in turn, again and again. Of more than are kept open none
    stays open until its next turn, and few are kept: each holds what its codec needs, a MB and more.
    """

    def __init__(self, lender: Handles | None = None, files: int = 0) -> None:
        self._files_in_turn = files
        self._most = _OPEN_FILES if files <= _OPEN_FILES else _IN_TURN
        self._open: dict[int, OrderedDict[str, Any]] = {}
        self._lock = threading.Lock()
        self._lender = lender

    def __reduce__(self) -> tuple[type[Handles], tuple[None, int]]:
        """In another process, handles of its own."""
        return Handles, (None, self._files_in_turn)

    def get(self, path: str) -> Any:
        with self._lock:
            mine = self._open.setdefault(threading.get_ident(), OrderedDict())
        if path not in mine:
            lent = None if self._lender is None else self._lender.opened(path)
            if lent is not None:
                return lent
            if len(mine) >= self._most:
                mine.popitem(last=False)[1].close()
            mine[path] = open_raster(path)
        mine.move_to_end(path)
        return mine[path]

    def made(self, path: str, bands: tuple[int, ...], window: Window) -> NDArray[Any] | None:
        """The stored numbers of a raster that is made as it is read; None of a file."""
        return None

    def is_finite(self, path: str) -> bool:
        """Whether it is known that no stored number of what is :meth:`made` is infinite."""
        return False

    def counted(self, path: str, window: Window) -> Sequence[BlockStatistics] | None:
        """The statistics, by band, of what is :meth:`made` of just that window, as far as that is there."""
        return None

    def opened(self, path: str) -> Any | None:
        """What this thread has opened of a file, if anything."""
        mine = self._open.get(threading.get_ident())
        return None if mine is None else mine.get(path)

    def close_large(self) -> None:
        """Close what holds more than a block, of which GDAL may keep many in its memory."""
        for datasets in self._open.values():
            for path in [path for path, one in datasets.items() if one.count * one.width * one.height > _LENT_PIXELS]:
                datasets.pop(path).close()

    def close(self) -> None:
        """Close everything; no thread may be reading any more."""
        for datasets in self._open.values():
            for dataset in datasets.values():
                dataset.close()
        self._open.clear()


@contextmanager
def handles() -> Iterator[Handles]:
    """Handles that are closed at the end; what :func:`lending` keeps open is not opened again."""
    lender = _LENDER.get()
    if lender is not None and lender.taking:
        yield lender.handles
        return
    opened = Handles(None if lender is None else lender.handles)
    try:
        yield opened
    finally:
        opened.close()


class Lender:
    """Files that are looked at first and worked on then, and stay as they are meanwhile: opened once."""

    def __init__(self) -> None:
        self.handles = Handles()
        self.taking = False

    @contextmanager
    def looking(self) -> Iterator[None]:
        """What is opened meanwhile is kept; but for large files, of which opening is the least."""
        self.taking = True
        try:
            yield
        finally:
            self.taking = False
            self.handles.close_large()


@contextmanager
def lending() -> Iterator[Lender]:
    """A lender for what this thread does; everything is closed at the end."""
    lender = Lender()
    token = _LENDER.set(lender)
    try:
        yield lender
    finally:
        _LENDER.reset(token)
        lender.handles.close()


@dataclass(frozen=True, slots=True)
class Source:
    """A raster ready to be read by windows: what its stored numbers mean, facts overriding the header.

    physical value = stored number * ``scale`` + ``offset``; ``masked``: the file has a mask or alpha channel;
    ``decibel``: physical values are levels, which are averaged as power; stored numbers beyond ``valid_range`` are
    codes, and no data.
    """

    name: str
    path: str
    bands: tuple[int, ...]
    grid: Grid
    dtype: str
    nodata: float | None
    scale: float
    offset: float
    masked: bool
    block_shape: tuple[int, int]
    decibel: bool = False
    valid_range: tuple[float, float] | None = None

    def read_stored(
        self, opened: Handles, window: Window, buffers: Buffers | None = None, out: NDArray[Any] | None = None
    ) -> NDArray[Any]:
        """The stored numbers of a window inside the raster, (bands, rows, columns); in ``out``, or in memory of
        ``buffers``."""
        made = opened.made(self.path, self.bands, window)
        if made is not None:
            if out is None:
                return made
            out[...] = made
            return out
        collector = COLLECTOR.get()
        if collector is not None and collector.holds(self.path):
            raise NotFusedError("the pixels of a raster are wanted that are made in the pass")
        shape = (len(self.bands), int(window.height), int(window.width))
        if buffers is not None:
            out = buffers.take(shape, self.dtype)
        try:
            stored: NDArray[Any] = opened.get(self.path).read(list(self.bands), window=window, out=out)
        except RasterioError as error:
            raise unreadable(self.path, error) from error
        return stored

    def read_mask(self, opened: Handles, window: Window) -> NDArray[np.bool_] | None:
        """What the file's own mask says of a window (True: data), or None where it has none."""
        if not self.masked:
            return None
        try:
            mask = opened.get(self.path).read_masks(list(self.bands), window=window)
        except RasterioError as error:
            raise unreadable(self.path, error) from error
        return np.asarray(mask != 0)

    def missing(self, stored: NDArray[Any], mask: NDArray[np.bool_] | None) -> NDArray[np.bool_] | None:
        """True where the stored numbers are not data; None where all are."""
        gone = where_stored(stored, stored_nodata(self.nodata, stored.dtype))
        if stored.dtype.kind in "fc":
            nan = np.isnan(stored)
            gone = nan if gone is None else gone | nan
        for other in (where_beyond(stored, self.valid_range), None if mask is None else ~mask):
            if other is not None:
                gone = other if gone is None else gone | other
        return gone if gone is not None and gone.any() else None

    @property
    def wide(self) -> bool:
        """Whether float32 holds too few digits for the physical values: they are then float64.

        So it is of wide types, and of narrow ones whose offset dwarfs their steps (a step is then less than 16 of the
        last digits of float32).
        """
        if self.dtype not in _EXACT_IN_FLOAT32:
            return True
        if self.dtype not in _STEPS or self.scale == 0.0:
            return False
        return abs(self.offset / self.scale) + _STEPS[self.dtype] > _MOST_STEPS

    @property
    def only_nan(self) -> bool:
        """Whether nothing but NaN is missing."""
        plain = not self.masked and self.valid_range is None and (self.nodata is None or math.isnan(self.nodata))
        return np.dtype(self.dtype).kind == "f" and plain

    @property
    def as_it_stands(self) -> bool:
        """Whether the stored numbers are the physical values: no scale, and nothing but NaN is missing."""
        plain = self.scale == 1.0 and self.offset == 0.0 and len(self.bands) == 1
        return plain and self.only_nan and np.dtype(self.dtype) == self.working

    @property
    def working(self) -> type[np.float32 | np.float64]:
        """The type of the physical values."""
        return np.float64 if self.wide else np.float32

    def physical(
        self,
        stored: NDArray[Any],
        gone: NDArray[np.bool_] | None,
        *,
        finite: bool = True,
        out: NDArray[np.floating[Any]] | None = None,
    ) -> NDArray[np.floating[Any]]:
        """Physical values, NaN where not data: float32, or float64 where that has too few digits (:attr:`wide`); in
        ``out``, or in memory of their own.

        Raises ``ToolError`` where a value is infinite, unless not ``finite``: it is no measurement, and whoever left
        it out in silence would tell a statistic of fewer pixels than it says.
        """
        values: NDArray[np.floating[Any]] = np.empty(stored.shape, self.working) if out is None else out
        scale_into(values, stored, self.scale, self.offset)
        if gone is not None:
            erased(values, gone)
        if finite and stored.dtype.kind == "f":
            self.require_finite(values)
        return values

    def require_finite(self, values: NDArray[np.floating[Any]]) -> None:
        """Raise ``ToolError`` where a value is infinite."""
        if np.isinf(np.fmin.reduce(values, axis=None)) or np.isinf(np.fmax.reduce(values, axis=None)):
            infinite = np.isinf(values)
            raise ToolError(
                f"{self.name} holds infinite values",
                where=self.path,
                expected="finite numbers, and no data where there is none",
                found=f"{np.count_nonzero(infinite)} of {values.size} pixels of a block",
                hint="if they mark missing data, say it: --assume nodata=inf (or -inf)",
            )


def open_source(artifact: Artifact, opened: Handles, name: str = "raster", many_bands: bool = False) -> Source:
    """Look at a raster's header and facts.

    Raises ``ToolError`` when the artifact is no raster file, or is several bands where one is meant.
    """
    if artifact.path is None or artifact.type != "raster":
        raise ToolError(f"{name} is not a raster file", expected="raster", found=artifact.type)
    dataset = opened.get(artifact.path)
    bands = tuple(range(1, dataset.count + 1)) if artifact.band is None else (artifact.band,)
    if bands[-1] > dataset.count or bands[0] < 1:
        raise ToolError(
            f"{name} has no band {artifact.band}", where=artifact.path, expected=f"a band from 1 to {dataset.count}"
        )
    if len(bands) > 1 and not many_bands:
        raise ToolError(
            f"{name} has {dataset.count} bands, and which one is meant is not said",
            where=artifact.path,
            expected="one band",
            found=", ".join(text or str(n + 1) for n, text in enumerate(dataset.descriptions)),
            hint="pick one: select_band(raster, band)",
        )
    _require_uniform(dataset, bands, name, artifact.path)
    flags = dataset.mask_flag_enums[bands[0] - 1]
    scale, offset = stored_scale(artifact, dataset, bands[0])
    nodata, valid = artifact.fact("nodata"), artifact.fact("valid_range")
    return Source(
        name=name,
        path=artifact.path,
        bands=bands,
        grid=effective_grid(artifact, dataset),
        dtype=str(np.result_type(*(dataset.dtypes[band - 1] for band in bands))),
        nodata=dataset.nodatavals[bands[0] - 1] if nodata is None else float(nodata),
        scale=scale,
        offset=offset,
        masked=MaskFlags.per_dataset in flags or MaskFlags.alpha in flags,
        block_shape=dataset.block_shapes[bands[0] - 1],
        decibel=is_decibel(artifact),
        valid_range=None if valid is None else (float(valid[0]), float(valid[1])),
    )


def _require_uniform(dataset: Any, bands: tuple[int, ...], name: str, path: str) -> None:
    """Bands that are handled together store their numbers in the same way; else ``ToolError``."""
    ways = {(dataset.scales[band - 1], dataset.offsets[band - 1], repr(dataset.nodatavals[band - 1])) for band in bands}
    if len(ways) > 1:
        raise ToolError(
            f"the bands of {name} store their numbers in different ways",
            where=path,
            expected="one scale, offset and nodata value for all",
            found="; ".join(
                f"scale {scale}, offset {offset}, nodata {nodata}" for scale, offset, nodata in sorted(ways)
            ),
            hint="pick one: select_band(raster, band)",
        )


def stored_scale(artifact: Artifact, dataset: Any, band: int) -> tuple[float, float]:
    """Scale and offset of a band: facts, else GDAL's own of the band, else the tags SCALE and OFFSET, else 1 and 0."""
    scale, offset = dataset.scales[band - 1], dataset.offsets[band - 1]
    if scale == 1.0 and offset == 0.0:
        tags = dataset.tags()
        scale, offset = _number(tags.get("SCALE"), 1.0), _number(tags.get("OFFSET"), 0.0)
    known_scale, known_offset = artifact.fact("scale"), artifact.fact("offset")
    return (
        float(scale if known_scale is None else known_scale),
        float(offset if known_offset is None else known_offset),
    )


def _number(text: str | None, default: float) -> float:
    try:
        return default if text is None else float(text)
    except ValueError:
        return default
