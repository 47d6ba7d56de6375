"""Masks: made from quality bands and cloud probabilities, and applied."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import MissingFactError, ToolError
from knowflow.ground.units import convert
from knowflow.model.artifact import Artifact
from knowflow.tools.raster import Block, Output, map_blocks
from knowflow.tools.raster.output import MASK_NODATA

# Landsat Collection 2 QA_PIXEL: https://www.usgs.gov/landsat-missions/landsat-collection-2-quality-assessment-bands
_LANDSAT_FILL = 0
_LANDSAT_CLOUD = (1, 2, 3)  # dilated cloud, cirrus, cloud
_LANDSAT_SHADOW = (4,)
# Sentinel-2 scene classification: https://sentiwiki.copernicus.eu/web/s2-processing (L2A, SCL)
_SCL_NO_DATA = 0
_SCL_CLOUD = (8, 9, 10)  # medium and high probability, thin cirrus
_SCL_SHADOW = (3,)

Scheme = Literal["auto", "landsat_c2", "sentinel2_scl", "bits", "classes"]


def apply_mask(raster: Artifact, mask: Artifact, output: Path, keep: Literal["clear", "masked"] = "clear") -> None:
    """Write a raster without the pixels that a mask marks (1), or with ``keep="masked"`` only those.

    Pixels dropped become nodata, as do pixels of which the mask says nothing. Stored numbers, type, scale and meaning
    stay. Both rasters lie on one grid.
    """
    wanted = 0 if keep == "clear" else 1

    def kernel(block: Block) -> NDArray[Any]:
        kept = block.valid("mask") & ((block.raw("mask") != 0) == wanted)
        return np.ma.MaskedArray(block.raw("raster"), mask=~(block.valid("raster") & kept))

    target = Output.like(output, raster)
    if mask.fact("quantity") == "cloud_mask" and keep == "clear":
        target = replace(target, tags={**target.tags, "CLOUD_MASKED": "YES"})
    map_blocks(kernel, {"raster": raster, "mask": mask}, target)


def apply_cloud_mask(raster: Artifact, cloud_mask: Artifact, output: Path) -> None:
    """:func:`apply_mask` with a mask of clouds: what is left is free of them."""
    apply_mask(raster, cloud_mask, output)


def cloud_mask_from_qa(
    qa: Artifact,
    output: Path,
    scheme: Scheme = "auto",
    values: Sequence[int] | None = None,
    shadows: bool = True,
    buffer: int = 0,
) -> None:
    """Write a cloud mask (1 = cloud, or its shadow; 0 = clear; 255 = not known) from a quality band.

    ``scheme``: Landsat Collection 2 QA_PIXEL (bits 1, 2, 3, and 4 for shadows), Sentinel-2 SCL (classes 8, 9, 10, and 3
    for shadows), or ``values`` as ``bits`` (any of them set) or ``classes``; ``auto`` goes by the sensor. ``buffer``
    pixels around clouds (a disc) count as cloud.
    """
    chosen = _scheme(qa) if scheme == "auto" else scheme
    if chosen in ("bits", "classes") and not values:
        raise ToolError(
            f"the {chosen} that mean cloud are not given", expected=f"values: numbers of {chosen}", found="none"
        )
    marked = [int(value) for value in values or ()]

    def kernel(block: Block) -> NDArray[Any]:
        stored, valid = block.raw("qa"), block.valid("qa")
        if chosen == "landsat_c2":
            cloud = _any_bit(stored, (*_LANDSAT_CLOUD, *(_LANDSAT_SHADOW if shadows else ())))
            valid = valid & ~_any_bit(stored, (_LANDSAT_FILL,))
        elif chosen == "sentinel2_scl":
            cloud = np.isin(stored, (*_SCL_CLOUD, *(_SCL_SHADOW if shadows else ())))
            valid = valid & (stored != _SCL_NO_DATA)
        else:
            cloud = _any_bit(stored, marked) if chosen == "bits" else np.isin(stored, marked)
        return _as_mask(cloud, valid, buffer)

    map_blocks(kernel, {"qa": qa}, Output.mask(output, "cloud_mask"), halo=buffer)


def cloud_mask_from_probability(probability: Artifact, output: Path, threshold: float = 0.4, buffer: int = 0) -> None:
    """Write a cloud mask (1 = cloud, 0 = clear, 255 = not known) where a cloud probability reaches ``threshold``.

    ``threshold`` is a fraction (0..1); the raster may be in percent, where its unit says so. ``buffer`` pixels around
    clouds (a disc) count as cloud.
    """
    limit = convert(threshold, "1", str(probability.fact("unit") or "1"))

    def kernel(block: Block) -> NDArray[Any]:
        values = block["probability"]
        return _as_mask(values >= np.float32(limit), ~np.isnan(values), buffer)

    map_blocks(kernel, {"probability": probability}, Output.mask(output, "cloud_mask"), halo=buffer)


def _scheme(qa: Artifact) -> Scheme:
    sensor, quantity = str(qa.fact("sensor") or "").casefold(), qa.fact("quantity")
    if quantity == "scene_classification" or (sensor.startswith("sentinel-2") and quantity != "qa_bits"):
        return "sentinel2_scl"
    if sensor.startswith("landsat"):
        return "landsat_c2"
    raise MissingFactError(
        "how the quality band marks clouds is unknown",
        where=qa.path,
        expected="a band of Landsat Collection 2 or Sentinel-2, or a scheme",
        found=f"sensor {sensor or 'unknown'}",
        hint="say the sensor (--assume sensor=landsat-8), or set scheme to bits or classes, with values",
    )


def _any_bit(stored: NDArray[Any], bits: Sequence[int]) -> NDArray[np.bool_]:
    if stored.dtype.kind not in "iu":
        raise ToolError("bit fields are integers", expected="an integer raster", found=str(stored.dtype))
    pattern = sum(1 << bit for bit in bits)
    return np.asarray((stored.astype(np.int64) & pattern) != 0)


def _as_mask(cloud: NDArray[np.bool_], valid: NDArray[np.bool_], buffer: int) -> NDArray[np.uint8]:
    cloud = cloud & valid
    if buffer > 0 and cloud.any():
        from scipy.ndimage import distance_transform_edt

        cloud = np.asarray(distance_transform_edt(~cloud) <= buffer)
    return np.where(valid, cloud.astype(np.uint8), np.uint8(MASK_NODATA))
