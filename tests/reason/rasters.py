"""Tiny files for the tests of the inventory."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import rasterio
from rasterio.errors import NotGeoreferencedWarning
from rasterio.transform import Affine

UTM = {"crs": "EPSG:32633", "transform": Affine(10, 0, 500000, 0, -10, 5100000)}


def write_raster(
    path: Path,
    *,
    count: int = 1,
    dtype: str = "float32",
    shape: tuple[int, int] = (6, 8),
    tags: dict[str, str] | None = None,
    band_tags: dict[str, str] | None = None,
    descriptions: tuple[str, ...] = (),
    scale: float | None = None,
    georeference: dict[str, Any] | None = UTM,
    **profile: Any,
) -> Path:
    """A GeoTIFF (or what the ending says) of ones."""
    path.parent.mkdir(parents=True, exist_ok=True)
    drivers = {".jp2": "JP2OpenJPEG", ".png": "PNG", ".jpg": "JPEG", ".hgt": "SRTMHGT"}
    described = {"driver": drivers.get(path.suffix, "GTiff"), "count": count, "dtype": dtype, **(georeference or {})}
    described |= {"height": shape[0], "width": shape[1], **profile}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotGeoreferencedWarning)
        with rasterio.open(path, "w", **described) as file:
            file.write(np.ones((count, *shape), dtype))
            file.update_tags(**(tags or {}))
            for index, description in enumerate(descriptions, 1):
                file.set_band_description(index, description)
            file.update_tags(1, **(band_tags or {}))
            if scale is not None:
                file.scales = (scale,) * count
    return path
