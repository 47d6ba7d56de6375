"""One run of one variant, in a process of its own: ``python -m knowflow_bench.raster.variants VARIANT FOLDER``."""

from __future__ import annotations

import json
import re
import resource
import sys
import time
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pyproj  # noqa: F401  (imports are not what is measured: neither ours nor the limit's)
import rasterio
from numpy.typing import NDArray
from rasterio.windows import Window

from knowflow.ground.indices import spectral_index as catalogue_entry
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Facts, Origin
from knowflow.tools.index import spectral_index
from knowflow.tools.raster.blocks import tiling
from knowflow.tools.raster.grid import Grid
from knowflow.tools.raster.output import Output
from knowflow.tools.raster.source import Handles
from knowflow.tools.raster.writer import WRITE_BEHIND_BYTES, creation_profile
from knowflow.tools.statistics import batch_statistics
from knowflow_bench.raster.scenes import BANDS, TRANSFORM

WORKERS = 2


def index(folder: Path) -> Callable[[], None]:
    """The tool ``spectral_index``: NDVI, with nodata, scale, range and statistics."""
    bands = {band: Artifact("raster", path=str(folder / f"{band}.tif")) for band in BANDS}
    catalogue_entry("NDVI")  # reads the catalogue, once in a process
    return lambda: spectral_index("NDVI", bands, folder / "out_index.tif")


def limit(folder: Path) -> Callable[[], None]:
    """The same bands read with the same windows and threads, and a ready array written with the same codec."""
    opened = Handles()
    first = opened.get(str(folder / "red.tif"))
    shape = (first.height, first.width)
    tiles = tiling(shape, [first.block_shapes[0]] * len(BANDS))
    middle = Window(shape[1] // 2, shape[0] // 2, min(tiles.columns, shape[1] // 2), min(tiles.rows, shape[0] // 2))
    red, nir = (opened.get(str(folder / f"{band}.tif")).read(1, window=middle).astype(np.float32) for band in BANDS)
    repeats = (-(-tiles.rows // red.shape[0]), -(-tiles.columns // red.shape[1]))
    ready: NDArray[np.float32] = np.tile((nir - red) / (nir + red), repeats)
    output = folder / "out_limit.tif"
    profile = creation_profile(Grid("EPSG:32633", TRANSFORM, shape), Output(output), tiles.tile)

    def read(window: Window) -> Window:
        for band in BANDS:
            opened.get(str(folder / f"{band}.tif")).read(1, window=window)
        return window

    def run() -> None:
        with (
            rasterio.Env(GDAL_CACHEMAX=WRITE_BEHIND_BYTES),
            ThreadPoolExecutor(WORKERS) as pool,
            rasterio.open(output, "w", **profile) as dataset,
        ):
            waiting = deque(pool.submit(read, window) for window in tiles.windows())
            while waiting:
                window = waiting.popleft().result()
                dataset.write(ready[: int(window.height), : int(window.width)], 1, window=window)

    return run


def whole(folder: Path) -> Callable[[], None]:
    """Plain rasterio and numpy on whole arrays; the same output without its statistics."""

    def run() -> None:
        arrays = []
        for band in BANDS:
            with rasterio.open(folder / f"{band}.tif") as dataset:
                stored = dataset.read(1)
                arrays.append(np.where(stored == dataset.nodata, np.nan, stored * np.float32(dataset.scales[0])))
                shape = (dataset.height, dataset.width)
        red, nir = arrays
        ratio = (nir - red) / (nir + red)
        output = folder / "out_whole.tif"
        profile = creation_profile(Grid("EPSG:32633", TRANSFORM, shape), Output(output))
        with rasterio.open(output, "w", **profile) as dataset:
            dataset.write(ratio.astype(np.float32), 1)

    return run


def statistics(folder: Path) -> Callable[[], None]:
    """The tool ``batch_statistics``: moments, median and percentiles of every scene."""
    series = tuple(
        Artifact("raster", facts=Facts.of(Origin.DECLARED, datetime=path.stem), name=path.stem, path=str(path))
        for path in sorted(folder.glob("*.tif"))
    )
    return lambda: _discard(batch_statistics(series))


def statistics_limit(folder: Path) -> Callable[[], None]:
    """The same scenes opened and read with the same windows and threads, nothing computed."""

    def read(path: Path) -> None:
        with rasterio.open(path) as dataset:
            for window in tiling((dataset.height, dataset.width), [dataset.block_shapes[0]]).windows():
                dataset.read(1, window=window)

    def run() -> None:
        with rasterio.Env(GDAL_CACHEMAX=WRITE_BEHIND_BYTES), ThreadPoolExecutor(WORKERS) as pool:
            _discard(list(pool.map(read, sorted(folder.glob("*.tif")))))

    return run


VARIANTS: Mapping[str, Callable[[Path], Callable[[], None]]] = {
    "index": index,
    "limit": limit,
    "whole": whole,
    "statistics": statistics,
    "statistics_limit": statistics_limit,
}


def _discard(_: object) -> None:
    """What was computed is not what is measured."""


def peak_mb() -> float:
    """The largest resident size of this process so far, in MB."""
    status = Path("/proc/self/status")
    if status.exists():  # getrusage counts what the parent had before exec
        found = re.search(r"VmHWM:\s*(\d+) kB", status.read_text())
        if found is not None:
            return int(found.group(1)) / 1024
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def main(variant: str, place: str) -> None:
    """One run: its time, the processor time of all its threads, and its peak memory, as JSON on standard output."""
    folder = Path(place)
    run = VARIANTS[variant](folder)
    begun, busy = time.perf_counter(), time.process_time()
    run()
    found = {"seconds": time.perf_counter() - begun, "cpu": time.process_time() - busy, "peak_mb": peak_mb()}
    for written in folder.glob("out_*.tif"):
        written.unlink()
    print(json.dumps(found))
