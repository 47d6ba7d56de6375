"""How fast is the raster core? A spectral index of two uint16 bands, beside its limit and beside whole-array code.

``index``: the tool ``spectral_index`` (NDVI; nodata, scale and statistics included). ``limit``: the same bytes read and
decompressed, and a ready array of the same type, tiling and codec compressed and written, with the same windows and two
threads, nothing computed. ``whole``: plain rasterio and numpy on whole arrays, same output.

Every run is a process of its own; runs alternate; times are medians, without imports. Peak memory is the process's
largest resident size, imports included.

    python benchmarks/raster.py --size 10980 --repeats 5 [--json] [--folder DIR]
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pyproj  # noqa: F401  (imports are not what is measured: neither ours nor the limit's)
import rasterio
from numpy.typing import NDArray
from rasterio.windows import Window

from knowflow.model.artifact import Artifact
from knowflow.tools.index import spectral_index
from knowflow.tools.raster.blocks import tiling
from knowflow.tools.raster.grid import Grid
from knowflow.tools.raster.output import Output
from knowflow.tools.raster.source import Handles
from knowflow.tools.raster.writer import WRITE_BEHIND_BYTES, creation_profile

BANDS = ("red", "nir")
WORKERS = 2
TRANSFORM = rasterio.Affine(10.0, 0.0, 500_000.0, 0.0, -10.0, 5_100_000.0)


def make_scene(folder: Path, size: int) -> None:
    """Two bands that look like reflectance: smooth fields with texture and noise, and a margin without data."""
    rng = np.random.default_rng(1)
    profile = {
        "driver": "GTiff",
        "width": size,
        "height": size,
        "count": 1,
        "dtype": "uint16",
        "nodata": 0,
        "crs": "EPSG:32633",
        "transform": TRANSFORM,
        "tiled": True,
        "blockxsize": 512,
        "blockysize": 512,
        "compress": "deflate",
        "predictor": 2,
        "num_threads": 2,
    }
    for number, band in enumerate(BANDS):
        with rasterio.open(folder / f"{band}.tif", "w", **profile) as dataset:
            dataset.scales = (1e-4,)
            for row in range(0, size, 512):
                rows = min(512, size - row)
                y, x = np.mgrid[row : row + rows, :size].astype(np.float32) / 1000
                values = 2500 + 1500 * number + 900 * np.sin(2 * x + number) * np.cos(3 * y) + 200 * np.sin(40 * x * y)
                values += rng.normal(0, 40, values.shape).astype(np.float32)
                stored = np.clip(values, 1, 10_000).astype(np.uint16)
                stored[:, : size // 20] = 0
                dataset.write(stored, 1, window=Window(0, row, size, rows))


def run_index(folder: Path, output: Path) -> Callable[[], None]:
    bands = {band: Artifact("raster", path=str(folder / f"{band}.tif")) for band in BANDS}
    return lambda: spectral_index("NDVI", bands, output)


def run_limit(folder: Path, output: Path) -> Callable[[], None]:
    opened = Handles()
    first = opened.get(str(folder / "red.tif"))
    shape = (first.height, first.width)
    tiles = tiling(shape, [first.block_shapes[0]] * len(BANDS))
    middle = Window(shape[1] // 2, shape[0] // 2, min(tiles.columns, shape[1] // 2), min(tiles.rows, shape[0] // 2))
    red, nir = (opened.get(str(folder / f"{band}.tif")).read(1, window=middle).astype(np.float32) for band in BANDS)
    repeats = (-(-tiles.rows // red.shape[0]), -(-tiles.columns // red.shape[1]))
    ready: NDArray[np.float32] = np.tile((nir - red) / (nir + red), repeats)
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


def run_whole(folder: Path, output: Path) -> Callable[[], None]:
    def run() -> None:
        arrays = []
        for band in BANDS:
            with rasterio.open(folder / f"{band}.tif") as dataset:
                stored = dataset.read(1)
                arrays.append(np.where(stored == dataset.nodata, np.nan, stored * np.float32(dataset.scales[0])))
                shape = (dataset.height, dataset.width)
        red, nir = arrays
        index = (nir - red) / (nir + red)
        profile = creation_profile(Grid("EPSG:32633", TRANSFORM, shape), Output(output))
        with rasterio.open(output, "w", **profile) as dataset:
            dataset.write(index.astype(np.float32), 1)

    return run


VARIANTS = {"index": run_index, "limit": run_limit, "whole": run_whole}


def child(variant: str, folder: Path) -> None:
    """One run, its time and its peak memory, as JSON on standard output."""
    output = folder / f"out_{variant}.tif"
    run = VARIANTS[variant](folder, output)
    begun = time.perf_counter()
    run()
    seconds = time.perf_counter() - begun
    output.unlink()
    print(json.dumps({"seconds": seconds, "peak_mb": peak_mb()}))


def peak_mb() -> float:
    """The largest resident size of this process so far, in MB."""
    status = Path("/proc/self/status")
    if status.exists():  # getrusage counts what the parent had before exec
        found = re.search(r"VmHWM:\s*(\d+) kB", status.read_text())
        if found is not None:
            return int(found.group(1)) / 1024
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def measure_once(variant: str, folder: Path) -> dict[str, float]:
    command = [sys.executable, __file__, "--child", variant, "--folder", str(folder)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def measure(size: int, repeats: int, folder: Path) -> dict[str, Any]:
    """All variants, alternating; and the peak of the index on a scene of half the size."""
    scene, half = folder / "scene", folder / "half"
    for place, side in ((scene, size), (half, max(size // 2, 1))):
        place.mkdir()
        make_scene(place, side)
    runs: dict[str, list[dict[str, float]]] = {variant: [] for variant in VARIANTS}
    for _ in range(repeats):
        for variant, found in runs.items():
            found.append(measure_once(variant, scene))
    seconds = {v: statistics.median(run["seconds"] for run in found) for v, found in runs.items()}
    peaks = {v: statistics.median(run["peak_mb"] for run in found) for v, found in runs.items()}
    return {
        "size": size,
        "repeats": repeats,
        "index_s": seconds["index"],
        "limit_s": seconds["limit"],
        "whole_array_s": seconds["whole"],
        "index_over_limit": seconds["index"] / seconds["limit"],
        "whole_array_over_index": seconds["whole"] / seconds["index"],
        "peak_mb": peaks["index"],
        "peak_half_size_mb": measure_once("index", half)["peak_mb"],
        "limit_peak_mb": peaks["limit"],
        "whole_array_peak_mb": peaks["whole"],
        "runs_s": {v: [round(run["seconds"], 3) for run in found] for v, found in runs.items()},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="Time of the raster core beside its limit and whole-array code.")
    parser.add_argument("--size", type=int, default=10980, help="rows and columns of the scene")
    parser.add_argument("--repeats", type=int, default=5, help="runs of each variant")
    parser.add_argument("--folder", type=Path, help="where the scene is made (default: a temporary folder)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--child", choices=VARIANTS, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        child(arguments.child, arguments.folder)
        return
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        found = measure(arguments.size, arguments.repeats, Path(folder))
    if arguments.json:
        print(json.dumps(found))
        return
    print(
        f"NDVI of two uint16 bands, {found['size']} x {found['size']}, medians of {found['repeats']} alternating runs"
    )
    print(f"  index       {found['index_s']:7.2f} s   peak {found['peak_mb']:6.0f} MB", end="")
    print(f"   ({found['peak_half_size_mb']:.0f} MB at half the size)")
    print(f"  limit       {found['limit_s']:7.2f} s   peak {found['limit_peak_mb']:6.0f} MB")
    print(f"  whole array {found['whole_array_s']:7.2f} s   peak {found['whole_array_peak_mb']:6.0f} MB")
    print(
        f"  index / limit {found['index_over_limit']:.2f}   whole array / index {found['whole_array_over_index']:.1f}"
    )


if __name__ == "__main__":
    main()
