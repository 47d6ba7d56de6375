"""Pixels of references: the blocks that they need, fetched once, whole or not at all, of the state that was planned."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import rasterio
from numpy.typing import NDArray
from rasterio.enums import MaskFlags, Resampling
from rasterio.errors import RasterioError
from rasterio.io import DatasetReader
from rasterio.session import DummySession
from rasterio.vrt import WarpedVRT
from rasterio.windows import Window

from knowflow.ground.errors import RemoteChangeError
from knowflow.ground.locks import locked
from knowflow.ground.references import Part, Reference, reference_of, shown
from knowflow.tools.raster.source import unreferenced_is_fine
from knowflow.tools.remote.arrays import arrays_of, state_of_cube
from knowflow.tools.remote.headers import DRIVERS
from knowflow.tools.remote.secrets import signed
from knowflow.tools.remote.vsi import failed, gdal_name, options, patiently

_AT_ONCE = 16 << 20  # pixels of all bands that are read at once
_PROFILE = {"driver": "GTiff", "compress": "zstd", "zstd_level": 1, "bigtiff": "if_safer"}
Array = NDArray[Any]


def fetch(path: str, while_fetching: Callable[[], None] | None = None) -> None:
    """See to it that the pixels of a reference are there; of any other file, nothing.

    Raises:
        RemoteDataError: they cannot be had.
        RemoteChangeError: they are of another state than the one that the reference is of.
    """
    reference = reference_of(path)
    if reference is None or reference.fetched:
        return
    with locked(reference.pixels.with_suffix(".lock"), while_fetching, remove=True):
        if not reference.fetched:
            reference.pixels.parent.mkdir(parents=True, exist_ok=True)
            draft = reference.pixels.with_name(f".{reference.pixels.name}.{os.getpid()}.{threading.get_ident()}.tif")
            try:
                _fetched(Path(path), reference, draft, while_fetching or (lambda: None))
                draft.replace(reference.pixels)
            finally:
                draft.unlink(missing_ok=True)


def require_state(part: Part) -> None:
    """Raise ``RemoteChangeError`` where an object is not what it was when the reference was made."""
    now = state_of_cube(part.address.partition("#")[0])
    if now != part.state:
        raise RemoteChangeError(
            "data elsewhere have changed since they were looked at",
            where=shown(part.address),
            expected=f"{part.state.etag}, {part.state.size} bytes",
            found=f"{now.etag}, {now.size} bytes",
            hint="take them as they are now: the same command with --refresh",
        )


def _fetched(path: Path, reference: Reference, draft: Path, pause: Callable[[], None]) -> None:
    alike = {(one.address.partition("#")[0], one.state): one for one in reference.parts}
    for part in alike.values():
        require_state(part)
    with unreferenced_is_fine, rasterio.open(path) as header, ExitStack() as stack:
        parts: list[_Elsewhere | _OfCubes]
        if reference.parts[0].band:
            parts = [_OfCubes(reference.parts, header)]
        else:
            parts = [_Elsewhere(part, header) for part in reference.parts]
        for one in parts:
            stack.callback(one.close)
        masked = MaskFlags.per_dataset in header.mask_flag_enums[0] and MaskFlags.alpha not in header.mask_flag_enums[0]
        rows, columns = header.shape
        high, wide = header.block_shapes[0]
        tiled = {"tiled": True, "blockysize": high, "blockxsize": wide} if high % 16 == wide % 16 == 0 else {}
        size = {"height": rows, "width": columns, "count": header.count, "dtype": np.result_type(*header.dtypes)}
        empty = header.nodatavals[0]
        with (
            rasterio.Env(GDAL_TIFF_INTERNAL_MASK="YES"),
            rasterio.open(draft, "w", **_PROFILE, **tiled, **size, nodata=empty) as target,
        ):
            for window in _stripes(rows, columns, header.count, high):
                pause()
                found = _composed([one.read(window, pause) for one in parts], empty)
                target.write(found, window=window)
                if masked:
                    target.write_mask(parts[0].mask(window, pause), window=window)
    for part in alike.values():
        require_state(part)


def _stripes(rows: int, columns: int, count: int, block: int) -> Iterator[Window]:
    """The rows of a raster, a whole number of blocks at a time."""
    high = max(_AT_ONCE // max(columns * count, 1) // block, 1) * block
    for row in range(0, rows, high):
        yield Window(0, row, columns, min(high, rows - row))


def _composed(layers: list[Array], empty: float | None) -> Array:
    """The first of several layers that has data, pixel by pixel."""
    found = layers[0]
    for other in layers[1:]:
        missing = np.isnan(found) if empty is None or np.isnan(empty) else found == empty
        found = np.where(missing, other, found)
    return found


class _Elsewhere:
    """One part of a reference, opened where it lies, and again where a read of it fails."""

    def __init__(self, part: Part, header: Any) -> None:
        self._part, self._header = part, header
        self._stack = ExitStack()
        self._dataset: Any = None

    def close(self) -> None:
        self._stack.close()

    def read(self, window: Window, pause: Callable[[], None]) -> Array:
        """The numbers on a window of the reference, its nodata value where the part does not reach."""
        shape = (self._header.count, int(window.height), int(window.width))
        if self._part.warped:
            return self._patiently(lambda dataset: dataset.read(window=window), pause)
        inside = self._inside(window)
        if inside == (window, window):
            return self._patiently(lambda dataset: dataset.read(window=self._there(window)), pause)
        empty = self._header.nodatavals[0]
        found = np.full(shape, np.nan if empty is None else empty, dtype=self._header.dtypes[0])
        if inside is not None:
            place, _ = inside
            values = self._patiently(lambda dataset: dataset.read(window=self._there(place)), pause)
            top, left = int(place.row_off - window.row_off), int(place.col_off - window.col_off)
            found[:, top : top + values.shape[1], left : left + values.shape[2]] = values
        return found

    def mask(self, window: Window, pause: Callable[[], None]) -> Array:
        return self._patiently(lambda dataset: dataset.dataset_mask(window=self._there(window)), pause)

    def _inside(self, window: Window) -> tuple[Window, Window] | None:
        """The part of a window that this part covers, in the grid of the reference; with the window."""
        row, column = self._part.place
        _, _, rows, columns = self._part.window
        top, left = max(row, int(window.row_off)), max(column, int(window.col_off))
        bottom = min(row + rows, int(window.row_off + window.height))
        right = min(column + columns, int(window.col_off + window.width))
        if top >= bottom or left >= right:
            return None
        found = Window(left, top, right - left, bottom - top)
        return found, window

    def _there(self, window: Window) -> Window:
        """A window of the reference in rows and columns of the raster elsewhere."""
        row, column, _, _ = self._part.window
        down, across = row - self._part.place[0], column - self._part.place[1]
        return Window(window.col_off + across, window.row_off + down, window.width, window.height)

    def _patiently(self, read: Callable[[Any], Array], pause: Callable[[], None]) -> Array:
        name = gdal_name(signed(self._part.address))

        def attempt() -> Array:
            try:
                with rasterio.Env(DummySession(), **options(name)):
                    return read(self._opened(name))
            except RasterioError as error:
                self._stack.close()
                self._dataset = None
                raise failed(self._part.address, str(error.__cause__ or error)) from None

        return patiently(self._part.address, attempt, pause)

    def _opened(self, name: str) -> Any:
        if self._dataset is None:
            dataset = self._stack.enter_context(DatasetReader(name, driver=list(DRIVERS)))
            if self._part.warped:
                like = self._header
                grid = {"crs": like.crs, "transform": like.transform, "height": like.height, "width": like.width}
                dataset = self._stack.enter_context(WarpedVRT(dataset, resampling=Resampling.nearest, **grid))
            self._dataset = dataset
        return self._dataset


class _OfCubes:
    """Slices of arrays of cubes, a band each; those of one array come together, as they lie in the same chunks."""

    def __init__(self, parts: tuple[Part, ...], header: Any) -> None:
        self._header = header
        self._alike: dict[tuple[Any, ...], list[Part]] = {}
        for one in parts:
            self._alike.setdefault((one.address, one.window, one.place, one.chosen[:-1]), []).append(one)
        self._cubes: dict[str, Any] = {}

    def close(self) -> None:
        self._cubes = {}

    def read(self, window: Window, pause: Callable[[], None]) -> Array:
        """The stored numbers on a window of the reference, (bands, rows, columns)."""
        shape = (self._header.count, int(window.height), int(window.width))
        found = np.empty(shape, dtype=np.result_type(*self._header.dtypes))
        for parts in self._alike.values():
            pause()
            self._put(found, parts, int(window.row_off))
        return found

    def _put(self, found: Array, parts: list[Part], top: int) -> None:
        """Read whole rows of some slices of one array into their bands."""
        part, rows = parts[0], found.shape[1]
        address, _, name = part.address.partition("#")
        if address not in self._cubes:
            self._cubes[address] = arrays_of(address, part.state)
        array = self._cubes[address][name]
        row, column, _, columns = part.window
        first = row + top
        if part.turned:
            first = array.shape[-2] - first - rows
        ground = (slice(first, first + rows), slice(column, column + columns))
        steps = [one.chosen[-1] for one in parts if one.chosen]
        along = (slice(min(steps), max(steps) + 1),) if steps else ()
        values = np.asarray(array.read((*part.chosen[:-1], *along, *ground)))
        values = values[..., ::-1, :] if part.turned else values
        for one in parts:
            band = values[one.chosen[-1] - min(steps)] if steps else values
            found[one.band - 1, :, one.place[1] : one.place[1] + columns] = band

    def mask(self, window: Window, pause: Callable[[], None]) -> Array:
        raise NotImplementedError  # cubes have none
