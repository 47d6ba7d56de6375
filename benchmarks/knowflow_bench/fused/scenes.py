"""Scenes with clouds, one large or one for each date; stored with the codec that all results have."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import rasterio
from rasterio.windows import Window

from knowflow_bench.raster.scenes import profile_of

_ROWS = 512
_BANDS = {"red": (900.0, 300.0), "nir": (2800.0, 900.0)}


def make_scene(folder: Path, size: int, number: int = 0) -> None:
    """Red, near infrared (uint16, scaled by 1e-4, a margin without data) and a mask of clouds, ``size`` x ``size``."""
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(number)
    reflectance = {"QUANTITY": "surface_bidirectional_reflectance", "UNIT": "1"}
    codec = {"compress": "zstd", "zstd_level": 1}
    profiles = {band: {**profile_of(size, "uint16", 0, 2), **codec} for band in _BANDS}
    profiles["cloud"] = {**profile_of(size, "uint8", 255, 1), **codec}
    for name, profile in profiles.items():
        with rasterio.open(folder / f"{name}.tif", "w", **profile) as file:
            file.update_tags(
                **({"QUANTITY": "cloud_mask", "UNIT": "1"} if name == "cloud" else {"BAND": name, **reflectance})
            )
            if name != "cloud":
                file.scales = (1e-4,)
            for row in range(0, size, _ROWS):
                rows = min(_ROWS, size - row)
                y, x = np.mgrid[row : row + rows, :size].astype(np.float32) / 1000
                if name == "cloud":
                    stored = (np.sin(5 * x + number) * np.cos(6 * y + number) > 0.6).astype(np.uint8)
                else:
                    base, swing = _BANDS[name]
                    values = base + swing * np.sin(2 * x + number) * np.cos(3 * y)
                    values += random.normal(0, 40, values.shape).astype(np.float32)
                    stored = np.clip(values, 1, 10_000).astype(np.uint16)
                    stored[:, : size // 20] = 0
                file.write(stored, 1, window=Window(0, row, size, rows))


def make_dates(folder: Path, dates: int, size: int) -> None:
    """Such a scene for each of many dates, in folders of their dates."""
    for number in range(dates):
        make_scene(folder / f"{2000 + number // 12}-{number % 12 + 1:02}-01", size, number)
