"""Scenes to measure on: smooth fields with texture and noise, which compress about as reflectance does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import rasterio
from numpy.typing import NDArray
from rasterio.windows import Window

BANDS = ("red", "nir")
TRANSFORM = rasterio.Affine(10.0, 0.0, 500_000.0, 0.0, -10.0, 5_100_000.0)
_ROWS = 512


def make_bands(folder: Path, size: int) -> None:
    """Two bands of ``size`` x ``size`` uint16, scaled by 1e-4, with a margin without data (0)."""
    for number, band in enumerate(BANDS):
        _write(folder / f"{band}.tif", size, number)


def make_series(folder: Path, scenes: int, side: int) -> None:
    """``scenes`` such rasters of ``side`` x ``side``, named by their dates."""
    for number in range(scenes):
        _write(folder / f"{2000 + number // 12}-{number % 12 + 1:02}-01.tif", side, number % 7)


def stack_of(dates: int, rows: int, columns: int, gaps: float, seed: int = 1) -> NDArray[np.float32]:
    """(dates, rows, columns) of noise around a trend that differs from pixel to pixel, with gaps (NaN)."""
    random = np.random.default_rng(seed)
    slopes = random.normal(0, 0.1, (rows, columns))
    trend = np.linspace(0, 1, dates, dtype=np.float32)[:, None, None] * slopes
    values = (0.4 + trend + random.normal(0, 0.1, (dates, rows, columns))).astype(np.float32)
    values[random.random(values.shape, dtype=np.float32) < gaps] = np.nan
    return values


def profile_of(size: int, dtype: str, nodata: float, predictor: int) -> dict[str, object]:
    """How a square band of the scenes that are measured is stored: tiled, and compressed without loss."""
    return {
        "driver": "GTiff",
        "width": size,
        "height": size,
        "count": 1,
        "dtype": dtype,
        "nodata": nodata,
        "crs": "EPSG:32633",
        "transform": TRANSFORM,
        "tiled": True,
        "blockxsize": 512,
        "blockysize": 512,
        "compress": "deflate",
        "predictor": predictor,
        "num_threads": 2,
    }


def _write(path: Path, size: int, number: int) -> None:
    rng = np.random.default_rng(number)
    with rasterio.open(path, "w", **profile_of(size, "uint16", 0, 2)) as dataset:
        dataset.scales = (1e-4,)
        for row in range(0, size, _ROWS):
            rows = min(_ROWS, size - row)
            y, x = np.mgrid[row : row + rows, :size].astype(np.float32) / 1000
            values = (
                2500 + 1500 * (number % 2) + 900 * np.sin(2 * x + number) * np.cos(3 * y) + 200 * np.sin(40 * x * y)
            )
            values += rng.normal(0, 40, values.shape).astype(np.float32)
            stored = np.clip(values, 1, 10_000).astype(np.uint16)
            stored[:, : size // 20] = 0
            dataset.write(stored, 1, window=Window(0, row, size, rows))
