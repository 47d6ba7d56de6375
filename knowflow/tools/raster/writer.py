"""Writing rasters: tiled, compressed by GDAL's own threads, with statistics; whole or not at all."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import rasterio
from numpy import ma
from numpy.typing import NDArray
from rasterio.errors import RasterioError
from rasterio.windows import Window

from knowflow.ground.colours import class_colours
from knowflow.ground.errors import KnowFlowError, NoSpaceError, ToolError, UnreadableDataError
from knowflow.ground.json_text import json_value
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.system import FULL
from knowflow.tools.raster.grid import NOWHERE, PLACED, Grid
from knowflow.tools.raster.markers import stored_nodata, where_stored
from knowflow.tools.raster.output import Output
from knowflow.tools.raster.source import open_raster
from knowflow.tools.raster.statistics import Accumulator, Alike, BlockStatistics

TILE = 512
COMPRESSION_THREADS = 2
COMPRESSING: ContextVar[int] = ContextVar("knowflow_raster_compressing", default=COMPRESSION_THREADS)
"""How many threads compress what is written from here; the file is the same."""
WRITE_BEHIND_BYTES = 32 << 20  # of GDAL's block cache: what may wait to be written
_NEARLY_FULL = 1 << 20
_LARGEST_CLASS = 255


def creation_profile(grid: Grid, output: Output, tile: int = TILE) -> dict[str, Any]:
    """GDAL's creation options of a result: ZSTD level 1 is 3x as fast as LZW, and smaller.

    Differences between neighbours are what is compressed of wide integers only: of decimal numbers it makes files a
    tenth smaller, and writing and reading them twice as slow; of masks and classes it makes larger files.
    """
    rows, columns = grid.shape
    side = min(tile, -(-max(rows, columns) // 16) * 16)
    profile: dict[str, Any] = {
        "driver": "GTiff",
        "width": columns,
        "height": rows,
        "count": len(output.bands),
        "dtype": output.dtype,
        "nodata": output.nodata,
        "tiled": True,
        "blockxsize": side,
        "blockysize": side,
        "compress": "zstd",
        "zstd_level": 1,
        "predictor": 1 if output.floating or np.dtype(output.dtype).itemsize == 1 else 2,
        "interleave": "band",
        "num_threads": COMPRESSING.get(),
        "bigtiff": "if_safer",
    }
    if grid.crs is not None:
        profile["crs"] = rasterio.CRS.from_user_input(grid.crs)
    if not grid.transform.is_identity:
        profile["transform"] = grid.transform
    return profile


class RasterWriter:
    """Writes one raster by windows and collects its statistics; on any error the file is removed.

    A context manager. ``inherited`` are tags taken over from a source; the output's own win over them.
    """

    def __init__(
        self,
        output: Output,
        grid: Grid,
        tile: int = TILE,
        inherited: Mapping[str, str] | None = None,
        unit: int = TILE,
    ) -> None:
        self.output = output
        self.grid = grid
        self._inherited = dict(inherited or {})
        self._tile, self._unit = tile, unit
        self._profile = creation_profile(grid, output, tile)
        self._colours = output.colormap or _class_colours(output, self._tags())
        self._raw_bytes = grid.shape[0] * grid.shape[1] * len(output.bands) * np.dtype(output.dtype).itemsize
        self._statistics: list[Accumulator] = []
        self._dataset: Any = None
        self._masked = False
        self._marker = stored_nodata(output.nodata, np.dtype(output.dtype))  # None where nothing but NaN is missing

    def __getstate__(self) -> dict[str, Any]:
        """In another process it measures; it writes in its own."""
        return {**self.__dict__, "_dataset": None}

    def __enter__(self) -> RasterWriter:
        self.output.path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._dataset = open_raster(self.output.path, "w", **self._profile)
            self._colour()
        except (RasterioError, OSError) as error:
            self._discard()
            raise write_error(self.output.path, error) from error
        self._begin()
        return self

    def _begin(self) -> None:
        rows, columns = self.grid.shape
        self._statistics = [Accumulator.for_pixels(rows * columns) for _ in self.output.bands]

    def measure(self, values: NDArray[Any]) -> list[BlockStatistics]:
        """The statistics of one block (bands, rows, columns); for worker threads, given back to :meth:`write`."""
        found = self.fresh()
        self.count(found, values)
        return found

    def fresh(self) -> list[BlockStatistics]:
        """Empty statistics of a block, one per band."""
        return [collected.of_block(self._unit) for collected in self._statistics]

    def count(self, found: Sequence[BlockStatistics], values: NDArray[Any], alike: Alike | None = None) -> None:
        """Add the next rows of a block to its statistics."""
        for collected, (data, gone) in zip(found, self._bands(values), strict=True):
            collected.count(data, gone, alike)

    def _bands(self, values: NDArray[Any]) -> Iterator[tuple[NDArray[Any], NDArray[np.bool_] | None]]:
        """Each band of a block, and what of it is not data (None: all is, but NaN)."""
        for band in values:
            masked = isinstance(band, ma.MaskedArray)
            data = band.data if masked else band
            gone = ma.getmaskarray(band) if masked and ma.is_masked(band) else None
            missing = where_stored(data, self._marker) if data.dtype.kind in "iub" else None
            if missing is not None:
                gone = missing if gone is None else gone | missing
            yield data, gone

    def write(self, values: NDArray[Any], window: Window, statistics: Sequence[BlockStatistics]) -> None:
        """Write a block (bands, rows, columns) of the output's type; masked numbers go to the file's internal mask."""
        data = ma.getdata(values)
        self._require_space(data.nbytes)
        try:
            if isinstance(values, ma.MaskedArray):
                present = ~ma.getmaskarray(values).any(axis=0)
                with rasterio.Env(GDAL_TIFF_INTERNAL_MASK=True):
                    if not self._masked:  # blocks that need no mask are all data
                        self._dataset.write_mask(True)
                    self._dataset.write_mask(present, window=window)
                self._masked = True
            self._dataset.write(data, window=window)
        except (RasterioError, OSError) as error:
            raise write_error(self.output.path, error) from error
        self.merge(statistics)

    def merge(self, statistics: Sequence[BlockStatistics]) -> None:
        """Add the statistics of a block to those of the whole."""
        for collected, block in zip(self._statistics, statistics, strict=True):
            collected.merge_block(block)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if error is not None:
            with suppress(RasterioError, OSError):
                self._dataset.close()
            self._discard()
            return
        try:
            self._describe()
            self._dataset.close()
            verify_tiles(self.output.path)
        except (RasterioError, OSError, UnreadableDataError) as failure:
            self._discard()
            raise write_error(self.output.path, failure) from failure
        except BaseException:
            self._discard()
            raise

    def _colour(self) -> None:
        """Give it the colours of its classes: once pixels are written, a file cannot become one of colours any more."""
        if self._colours:
            self._dataset.write_colormap(1, dict(self._colours))

    def _describe(self) -> None:
        """Tags and statistics; GeoTIFF keeps them at its end, so that writing them last costs nothing."""
        dataset, output, tags = self._dataset, self.output, self._tags()
        if output.scale != 1.0 or output.offset != 0.0:
            dataset.scales = (output.scale,) * len(output.bands)
            dataset.offsets = (output.offset,) * len(output.bands)
            tags |= {"SCALE": f"{output.scale:.17g}", "OFFSET": f"{output.offset:.17g}"}
        if not self.grid.placed:
            tags[PLACED] = NOWHERE
        dataset.update_tags(**tags)
        for number, band in enumerate(output.bands, start=1):
            if band:
                dataset.set_band_description(number, band)
            if tags.get("UNIT"):
                dataset.set_band_unit(number, tags["UNIT"])
            statistics = self._statistics[number - 1].result(output.scale, output.offset)
            dataset.update_tags(number, **statistics.tags())

    def _tags(self) -> dict[str, str]:
        """What is said of the whole raster: what it takes over, and what it is."""
        own = (("QUANTITY", self.output.quantity), ("UNIT", self.output.unit))
        return {**self._inherited, **{name: text for name, text in own if text is not None}, **self.output.tags}

    def _require_space(self, window_bytes: int) -> None:
        """Stop before the disk is full: GDAL's compression threads would tell nobody."""
        free = shutil.disk_usage(self.output.path.parent).free
        if free < min(WRITE_BEHIND_BYTES + window_bytes, self._raw_bytes):
            raise no_space(self.output.path, f"{free >> 20} MB free")

    def _discard(self) -> None:
        for path in (self.output.path, Path(f"{self.output.path}.aux.xml"), Path(f"{self.output.path}.msk")):
            path.unlink(missing_ok=True)


def _class_colours(output: Output, tags: Mapping[str, str]) -> Mapping[int, tuple[int, ...]] | None:
    """The colours of classes that have names, nodata transparent; None of a raster that is none of such."""
    if output.dtype != "uint8" or len(output.bands) > 1:
        return None
    return _palette(tags.get("QUANTITY", ""), tags.get("CLASSES", ""), output.nodata)


@lru_cache(maxsize=64)
def _palette(quantity: str, classes: str, nodata: float | None) -> Mapping[int, tuple[int, ...]] | None:
    kind = quantity_kinds().get(quantity)
    if kind is None or not kind.categorical:
        return None
    try:
        names = {int(code): str(name) for code, name in json_value(classes).items()} if classes else kind.classes
    except (ValueError, AttributeError):
        return None
    palette = {code: (*colour, 255) for code, colour in class_colours(names).items() if 0 <= code <= _LARGEST_CLASS}
    return palette | ({} if nodata is None else {int(nodata): (0, 0, 0, 0)}) if palette else None


class HeaderWriter(RasterWriter):
    """Writes the header alone of a raster whose pixels lie nowhere, with statistics of as many as were counted.

    What it says is what the whole file would say; it has no tiles, and nobody may read any.
    """

    def __enter__(self) -> HeaderWriter:
        self.output.path.parent.mkdir(parents=True, exist_ok=True)
        self._begin()
        self.write_header()
        return self

    def whole(self) -> RasterWriter:
        """The writer of the raster itself, in its place."""
        return RasterWriter(self.output, self.grid, self._tile, self._inherited, self._unit)

    def write_header(self) -> None:
        """Write it anew, with what is known of the pixels by now."""
        try:
            self._dataset = open_raster(self.output.path, "w", **{**self._profile, "sparse_ok": True})
            self._colour()
            self._describe()
            self._dataset.close()
        except (RasterioError, OSError) as error:
            self._discard()
            raise write_error(self.output.path, error) from error

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if error is None:
            self.write_header()
        else:
            self._discard()


def verify_tiles(path: Path) -> None:
    """Raise unless every tile of a GeoTIFF lies inside the file: a lost tile would read as nodata."""
    size = path.stat().st_size
    with open_raster(path) as written:
        for band in range(1, written.count + 1):
            height, width = written.block_shapes[band - 1]
            for row in range(-(-written.height // height)):
                for column in range(-(-written.width // width)):
                    place = (
                        written.get_tag_item(f"BLOCK_{item}_{column}_{row}", "TIFF", bidx=band)
                        for item in ("OFFSET", "SIZE")
                    )
                    start, length = (int(text or 0) for text in place)
                    if length == 0 or start + length > size:
                        raise write_error(path, OSError(f"tile ({row}, {column}) of band {band} is not in the file"))


def write_error(path: Path, error: Exception) -> KnowFlowError:
    """``NoSpaceError`` where the disk is full, else ``ToolError`` with what GDAL said."""
    folder = next(parent for parent in path.absolute().parents if parent.exists())
    said = "; ".join(str(part) for part in (error, error.__cause__) if part is not None)
    full = getattr(error, "errno", None) in FULL or any(words in said for words in ("space left", "File too large"))
    if full or shutil.disk_usage(folder).free < _NEARLY_FULL:
        return no_space(path, said)
    return ToolError("the result cannot be written", where=str(path), found=said)


def no_space(path: Path, found: str) -> NoSpaceError:
    return NoSpaceError(
        "no space is left for the result",
        where=str(path),
        found=found,
        hint="free some space, or write elsewhere: --out DIR",
    )
