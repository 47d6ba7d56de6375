"""What somebody who knows rasterio and numpy writes for a question: ``python peers.py NAME FOLDER OUT``.

The answer is printed as JSON.
Nothing of KnowFlow is imported. Maps are written with the codec that KnowFlow writes results with.
"""

from __future__ import annotations

import json
import sys
import threading
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import rasterio
from rasterio.windows import Window

LIMIT, MEAN_LIMIT = 0.3, 0.5
_ROWS, _COLUMNS, _AHEAD, _THREADS = 512, 2048, 4, 2
_SCALE = np.float32(1e-4)


def blockwise(folder: Path, out: Path) -> Any:
    """Share and area of NDVI above a limit: block by block in two threads, index and mask written."""
    red, nir = sorted(folder.glob("*.tif"))
    own = threading.local()

    def opened(path: Path) -> Any:
        if not hasattr(own, path.stem):
            setattr(own, path.stem, rasterio.open(path))
        return getattr(own, path.stem)

    def work(window: Window) -> tuple[Window, Any, Any]:
        with np.errstate(all="ignore"):
            dark, bright = (opened(path).read(1, window=window) for path in (red, nir))
            gone = (dark == 0) | (bright == 0)
            dark, bright = dark * _SCALE, bright * _SCALE
            index = (bright - dark) / (bright + dark)
            index[gone] = np.nan
            mask = (index > LIMIT).astype(np.uint8)
            mask[gone] = 255
            return window, index, mask

    with rasterio.open(red) as first:
        height, width = first.shape
        pixel = abs(first.transform.determinant)
        header = {"crs": first.crs, "transform": first.transform, "height": height, "width": width}
    windows = iter(
        Window(column, row, min(_COLUMNS, width - column), min(_ROWS, height - row))
        for row in range(0, height, _ROWS)
        for column in range(0, width, _COLUMNS)
    )
    yes = known = 0
    with (
        rasterio.Env(GDAL_CACHEMAX=32 << 20),
        rasterio.open(out / "index.tif", "w", **_written("float32", np.nan), **header) as to_index,
        rasterio.open(out / "mask.tif", "w", **_written("uint8", 255), **header) as to_mask,
        ThreadPoolExecutor(_THREADS) as pool,
    ):
        waiting = deque(pool.submit(work, window) for window in islice(windows, _AHEAD))
        while waiting:
            window, index, mask = waiting.popleft().result()
            to_index.write(index, 1, window=window)
            to_mask.write(mask, 1, window=window)
            yes += int(np.count_nonzero(mask == 1))
            known += int(np.count_nonzero(mask != 255))
            waiting.extend(pool.submit(work, following) for following in islice(windows, 1))
    return {"share": yes / known, "area": yes * pixel / 1e6}


def median(folder: Path, out: Path) -> Any:
    """The median over time, of the whole stack in memory; the mean of it."""
    import bottleneck

    stack, profile = _stack(folder)
    return _map(bottleneck.nanmedian(stack, axis=0), out, profile)


def trend(folder: Path, out: Path) -> Any:
    """The slope per year of every pixel by least squares over the whole stack, and its p-value; the mean slope."""
    from scipy.stats import t as student

    stack, profile = _stack(folder)
    years = np.array([_year(path) for path in sorted(folder.glob("*.tif"))])[:, None, None]
    known = np.isfinite(stack)
    count = known.sum(axis=0)
    time = np.where(known, years, 0.0)
    middle = time.sum(axis=0) / np.maximum(count, 1)
    apart = np.where(known, years - middle, 0.0)
    values = np.where(known, stack, 0.0)
    squares = np.square(apart).sum(axis=0)
    slope = (apart * values).sum(axis=0) / squares
    left = np.where(known, values - values.sum(axis=0) / np.maximum(count, 1) - slope * apart, 0.0)
    error = np.sqrt(np.square(left).sum(axis=0) / np.maximum(count - 2, 1) / squares)
    chance = 2 * student.sf(np.abs(slope / error), np.maximum(count - 2, 1))
    _map(chance.astype(np.float32), out, profile, "chance.tif")
    return _map(slope.astype(np.float32), out, profile)


def zonal(folder: Path, out: Path) -> Any:
    """The mean in every polygon: one call of exactextract."""
    import pyogrio
    import shapely
    from exactextract import exact_extract
    from exactextract.feature import JSONFeatureSource

    (raster,) = folder.glob("*.tif")
    (polygons,) = folder.glob("*.gpkg")
    _, _, shapes, (names,) = pyogrio.raw.read(polygons)
    features = [
        {"type": "Feature", "properties": {"name": name}, "geometry": shapely.geometry.mapping(shapely.from_wkb(shape))}
        for name, shape in zip(names, shapes, strict=True)
    ]
    with rasterio.open(raster) as dataset:
        statistics = ["count", "mean", "stdev", "min", "max", "median", "sum"]
        rows = exact_extract(dataset, JSONFeatureSource(features), statistics, include_cols=["name"])
    (out / "rows.json").write_text(json.dumps([row["properties"] for row in rows]))
    return float(np.mean([row["properties"]["mean"] for row in rows]))


def dates(folder: Path, out: Path) -> Any:
    """On how many dates the mean is above a limit, one after the other."""
    found = 0
    for path in sorted(folder.glob("*.tif")):
        with rasterio.open(path) as dataset:
            found += bool(np.nanmean(dataset.read(1), dtype=np.float64) > MEAN_LIMIT)
    return found


def _stack(folder: Path) -> tuple[Any, dict[str, Any]]:
    layers = []
    for path in sorted(folder.glob("*.tif")):
        with rasterio.open(path) as dataset:
            layers.append(dataset.read(1))
            profile = dict(dataset.profile)
    return np.stack(layers), profile


def _year(path: Path) -> float:
    day = np.datetime64(path.stem.partition("_")[2])
    return float((day - np.datetime64("2000-01-01")).astype(int) / 365.25)


def _map(values: Any, out: Path, profile: Mapping[str, Any], name: str = "map.tif") -> float:
    with rasterio.open(out / name, "w", **{**profile, **_written("float32", np.nan)}) as dataset:
        dataset.write(values, 1)
    return float(np.nanmean(values, dtype=np.float64))


def _written(dtype: str, nodata: float) -> dict[str, Any]:
    return {
        "driver": "GTiff",
        "count": 1,
        "dtype": dtype,
        "nodata": nodata,
        "tiled": True,
        "blockxsize": 512,
        "blockysize": 512,
        "compress": "zstd",
        "zstd_level": 1,
        "predictor": 1,
        "num_threads": _THREADS,
    }


PEERS: Mapping[str, Callable[[Path, Path], Any]] = {
    "blockwise": blockwise,
    "dates": dates,
    "median": median,
    "trend": trend,
    "zonal": zonal,
}

if __name__ == "__main__":
    print(json.dumps(PEERS[sys.argv[1]](Path(sys.argv[2]), Path(sys.argv[3]))))
