"""Small rasters for tests of tools: written by rasterio, known by their facts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import rasterio
from rasterio.transform import Affine

from knowflow.model.artifact import Artifact
from knowflow.model.facts import Facts, Origin

UTM = Affine(10.0, 0.0, 500_000.0, 0.0, -10.0, 5_100_000.0)


def draw(
    path: Path,
    values: Any,
    *,
    crs: str | None = "EPSG:32633",
    transform: Affine = UTM,
    nodata: float | None = None,
    scale: float | None = None,
    offset: float | None = None,
    **facts: Any,
) -> Artifact:
    """A GeoTIFF of (rows, columns), and the artifact that an inventory would make of it."""
    array = np.asarray(values)
    profile: dict[str, Any] = {
        "driver": "GTiff",
        "height": array.shape[0],
        "width": array.shape[1],
        "count": 1,
        "dtype": array.dtype,
        "nodata": np.nan if nodata is None and array.dtype.kind == "f" else nodata,
        "transform": transform,
        "crs": crs,
    }
    with rasterio.open(path, "w", **profile) as file:
        file.write(array, 1)
        if scale is not None:
            file.scales, file.offsets = (scale,), (offset or 0.0,)
    known = Facts.of(Origin.DECLARED, crs=crs, dtype=str(array.dtype), scale=scale, offset=offset, **facts)
    return Artifact("raster", facts=known, name=path.stem, path=str(path))


def read(path: Path) -> tuple[np.ndarray, dict[str, Any]]:
    """The pixels of a result (NaN where nodata), and what it says of itself."""
    with rasterio.open(path) as file:
        values = file.read(1, masked=True)
        about = {**file.tags(), "dtype": file.dtypes[0], "nodata": file.nodata, "crs": file.crs, "grid": file.transform}
    return values.astype(float).filled(np.nan), about


def noise(shape: tuple[int, int], seed: int = 0, gaps: float = 0.1) -> np.ndarray:
    """Smooth-ish float32 noise around 0.4 with gaps (NaN)."""
    random = np.random.default_rng(seed)
    values = random.normal(0.4, 0.2, shape).astype(np.float32)
    values[random.random(shape) < gaps] = np.nan
    return values
