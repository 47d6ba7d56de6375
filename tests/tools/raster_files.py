"""Rasters for tests, written by plain rasterio: independent of the code under test."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import rasterio
from affine import Affine
from numpy.typing import NDArray
from rasterio.errors import NotGeoreferencedWarning

from knowflow.model.artifact import Artifact
from knowflow.model.facts import Facts, Origin

UTM = "EPSG:32633"
NORTH_UP = Affine(10.0, 0.0, 500_000.0, 0.0, -10.0, 5_100_000.0)


def write(
    path: Path,
    values: NDArray[Any],
    *,
    crs: str | None = UTM,
    transform: Affine | None = NORTH_UP,
    nodata: float | None = None,
    scale: float = 1.0,
    offset: float = 0.0,
    tags: Mapping[str, str] | None = None,
    descriptions: tuple[str, ...] = (),
    mask: NDArray[np.bool_] | None = None,
    facts: Mapping[str, Any] | None = None,
    **profile: Any,
) -> Artifact:
    """A GeoTIFF of (rows, columns) or (bands, rows, columns), and the artifact that stands for it."""
    stack = values[None] if values.ndim == 2 else values
    georeference = {"crs": crs} if crs else {}
    if transform is not None:
        georeference["transform"] = transform
    with warnings.catch_warnings(), rasterio.Env(GDAL_TIFF_INTERNAL_MASK=True):
        warnings.simplefilter("ignore", NotGeoreferencedWarning)
        with rasterio.open(
            path,
            "w",
            driver="GTiff",
            count=len(stack),
            height=stack.shape[1],
            width=stack.shape[2],
            dtype=stack.dtype,
            nodata=nodata,
            **georeference,
            **profile,
        ) as dataset:
            dataset.write(stack)
            if (scale, offset) != (1.0, 0.0):
                dataset.scales, dataset.offsets = (scale,) * len(stack), (offset,) * len(stack)
            dataset.update_tags(**(tags or {}))
            for number, text in enumerate(descriptions, start=1):
                dataset.set_band_description(number, text)
            if mask is not None:
                dataset.write_mask(mask)
    return artifact(path, **(facts or {}))


def artifact(path: Path, **facts: Any) -> Artifact:
    return Artifact("raster", Facts.of(Origin.USER, "test", **facts), path=str(path))


def read(path: Path) -> NDArray[Any]:
    """The first band as stored."""
    with opened(path) as dataset:
        values: NDArray[Any] = dataset.read(1)
    return values


def opened(path: Path) -> Any:
    """An open dataset, without rasterio's warning about missing georeference."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotGeoreferencedWarning)
        return rasterio.open(path)
