"""Masks: made from quality bands and cloud probabilities, and applied."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import ToolError
from knowflow.ground.units import convert
from knowflow.model import geo
from knowflow.model.artifact import Artifact
from knowflow.model.quality_schemes import Scheme as KnownScheme
from knowflow.tools.kernels.limits import edges
from knowflow.tools.quality_bands import CLOUDS, LEGENDS, Legend, Mark, scheme_of
from knowflow.tools.raster import Block, Output, grid_of, map_blocks
from knowflow.tools.raster.output import MASK_NODATA
from knowflow.tools.thresholding import answers, marked

Scheme: TypeAlias = KnownScheme | Literal["auto", "bits", "classes"]


def apply_mask(raster: Artifact, mask: Artifact, output: Path, keep: Literal["clear", "masked"] = "clear") -> None:
    """Write a raster without the pixels that a mask marks (1), or with ``keep="masked"`` only those.

    Pixels dropped become nodata, as do pixels of which the mask says nothing. Stored numbers, type, scale and meaning
    stay. Both rasters lie on one grid.
    """

    target = Output.like(output, raster)

    def kernel(block: Block) -> NDArray[Any]:
        marked, unsaid = answers(block, "mask")
        dropped = ~marked if keep == "masked" else marked
        room, values = block.room, block.raw("raster")
        plain = room is not None and room.dtype == values.dtype and block.source("raster").only_nan
        for gone in (unsaid, None if plain else block.gone("raster")):
            dropped = dropped if gone is None else dropped | gone
        if room is None or room.dtype != values.dtype or target.nodata is None or not np.isnan(target.nodata):
            return np.ma.MaskedArray(values, mask=dropped)
        return block.without("raster", dropped, room)

    if mask.fact("quantity") == "cloud_mask" and keep == "clear":
        target = replace(target, tags={**target.tags, "CLOUD_MASKED": "YES"})
    map_blocks(kernel, {"raster": raster, "mask": mask}, target, pointwise=True)


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
    buffer_distance: float | None = None,
) -> None:
    """Write a cloud mask (1 = cloud, or its shadow; 0 = clear; 255 = not known) from a quality band.

    ``scheme``: one of those of :mod:`knowflow.tools.quality_bands`, or ``values`` as ``bits`` (any of them set) or
    ``classes``; ``auto`` goes by the sensor. What lies within ``buffer`` pixels or ``buffer_distance`` metres of clouds
    counts as cloud.
    """
    chosen = scheme_of(qa) if scheme == "auto" else scheme
    if chosen in ("bits", "classes"):
        legend, marks = _given(chosen, values), ["given"]
    else:
        legend = LEGENDS[chosen]
        marks = [mark for mark in (*CLOUDS, *(("shadow",) if shadows else ())) if mark in legend.marks]
    _write_marked(qa, legend, marks, Output.mask(output, "cloud_mask"), Buffer.of(qa, buffer, buffer_distance))


def mask_from_quality_band(
    qa: Artifact,
    marks: Sequence[Mark],
    output: Path,
    quantity: str = "mask",
    scheme: KnownScheme | Literal["auto"] = "auto",
    buffer: int = 0,
    buffer_distance: float | None = None,
) -> None:
    """Write a mask (1 = one of ``marks``, 0 = none, 255 = not observed) from a quality band.

    ``marks`` are words such as ``cloud``, ``shadow``, ``snow``, ``water``: those that the scheme of the band has.
    """
    legend = LEGENDS[scheme_of(qa) if scheme == "auto" else scheme]
    _write_marked(qa, legend, list(marks), Output.mask(output, quantity), Buffer.of(qa, buffer, buffer_distance))


def cloud_mask_from_probability(
    probability: Artifact,
    output: Path,
    threshold: float = 0.4,
    buffer: int = 0,
    buffer_distance: float | None = None,
) -> None:
    """Write a cloud mask (1 = cloud, 0 = clear, 255 = not known) where a cloud probability reaches ``threshold``.

    ``threshold`` is a fraction (0..1); the raster may be in percent, where its unit says so. What lies within
    ``buffer`` pixels or ``buffer_distance`` metres of clouds counts as cloud.
    """
    limit = convert(threshold, "1", str(probability.fact("unit") or "1"))
    margin = Buffer.of(probability, buffer, buffer_distance)

    def kernel(block: Block) -> NDArray[Any]:
        values = block["probability"]
        return margin.mask(values >= edges(limit, values)[0], ~np.isnan(values))

    map_blocks(kernel, {"probability": probability}, Output.mask(output, "cloud_mask"), halo=margin.pixels)


def buffer_mask(mask: Artifact, output: Path, pixels: int = 0, distance: float | None = None) -> None:
    """Write a mask whose marked places (1) are larger by ``pixels``, or ``distance`` metres; unknown stays unknown."""
    margin = Buffer.of(mask, pixels, distance)

    def kernel(block: Block) -> NDArray[Any]:
        valid = block.valid("mask")
        return margin.mask(marked(block["mask"]), valid)

    target = Output.like(output, mask, dtype="uint8", nodata=MASK_NODATA, scale=1.0, offset=0.0)
    map_blocks(kernel, {"mask": mask}, target, halo=margin.pixels)


@dataclass(frozen=True, slots=True)
class Buffer:
    """How far around what is marked pixels count as marked: ``reach``, with pixels of ``size`` (height, width)."""

    reach: float
    size: tuple[float, float] = (1.0, 1.0)

    @classmethod
    def of(cls, raster: Artifact, pixels: int, distance: float | None) -> Buffer:
        """In pixels, or in metres on the ground; ``ToolError`` for both at once, and for metres on an unknown grid."""
        if distance is None:
            return cls(float(pixels))
        if pixels:
            raise ToolError(
                "a buffer is in pixels or in metres", expected="one of the two", found=f"{pixels} pixels, {distance} m"
            )
        grid = grid_of(raster)
        crs = grid.require_crs("a buffer in metres")
        if not geo.is_projected(crs):
            raise ToolError(
                "pixels of longitude and latitude are no squares on the ground",
                expected="a projected raster, or a buffer in pixels",
                found=crs,
            )
        metres = float(geo.crs_of(crs).axis_info[0].unit_conversion_factor)
        width, height = (side * metres for side in grid.pixel_size)
        return cls(float(distance), (height, width))

    @property
    def pixels(self) -> int:
        """The halo that blocks need."""
        return math.ceil(self.reach / min(self.size))

    def mask(self, marked: NDArray[np.bool_], valid: NDArray[np.bool_]) -> NDArray[np.uint8]:
        """1 within reach of what is marked, 0 elsewhere, nodata where it is not known."""
        marked = marked & valid
        if self.reach > 0 and marked.any():
            from scipy.ndimage import distance_transform_edt

            # rounding must not leave out a pixel whose distance is the reach itself
            marked = np.asarray(distance_transform_edt(~marked, sampling=self.size) <= self.reach * (1 + 1e-9))
        return np.where(valid, marked.astype(np.uint8), np.uint8(MASK_NODATA))


def _write_marked(qa: Artifact, legend: Legend, marks: Sequence[str], output: Output, margin: Buffer) -> None:
    def kernel(block: Block) -> NDArray[Any]:
        stored = block.raw("qa")
        return margin.mask(legend.marked(stored, marks), block.valid("qa") & legend.observed(stored))

    map_blocks(kernel, {"qa": qa}, output, halo=margin.pixels)


def _given(way: str, values: Sequence[int] | None) -> Legend:
    if not values:
        raise ToolError(f"the {way} that mean cloud are not given", expected=f"values: numbers of {way}", found="none")
    marks = {"given": tuple(int(value) for value in values)}
    return Legend(title="the quality band", bits=way == "bits", marks=marks, missing=(), source="")
