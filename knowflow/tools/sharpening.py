"""Bands at the pixel size of a panchromatic one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rasterio.windows import Window

from knowflow.ground.errors import ToolError
from knowflow.model.artifact import Artifact
from knowflow.tools.alignment import ResamplingChoice
from knowflow.tools.raster import Output, grid_of
from knowflow.tools.raster.output import shared_tags
from knowflow.tools.raster.source import Handles, handles, open_source
from knowflow.tools.raster.warp import Resampler, chosen_method, fill_grid

_SHARED = ("quantity", "unit", "datetime", "sensor", "level", "daynight", "cloud_masked")
_PAN = "pan"


def pansharpen(
    pan: Artifact,
    bands: Mapping[str, Artifact],
    output: Path,
    weights: Mapping[str, float] | None = None,
    resampling: ResamplingChoice = "cubic",
) -> None:
    """Write bands with the detail of a panchromatic band, on its grid: one raster with a band for each, by its name.

    The weighted Brovey transform: each band, brought onto the fine grid, times the panchromatic band over the weighted
    mean of the bands. ``weights`` by band name (default: equal weights for blue, green and red, or for all bands where
    none of these is there). Nodata where one of the bands that weigh, or the panchromatic one, has none, or where their
    weighted mean is not above 0.
    """
    share = _weights(bands, weights)
    grid = grid_of(pan)
    tags = shared_tags([pan, *bands.values()], _SHARED)
    described = Output(output, bands=tuple(bands), keep=(), tags=tags)
    with handles() as opened:
        fine = Resampler(open_source(pan, opened, _PAN), grid, "nearest")
        coarse = {
            name: Resampler(open_source(band, opened, name), grid, chosen_method(band, resampling))
            for name, band in bands.items()
        }
    wide = any(part.source.wide for part in (fine, *coarse.values()))
    fill_grid(partial(_sharpened, fine, coarse, share), grid, described.wider(wide))


def _sharpened(
    fine: Resampler, coarse: Mapping[str, Resampler], share: Mapping[str, float], opened: Handles, window: Window
) -> np.ma.MaskedArray[Any, Any]:
    values = {name: _physical(band, opened, window) for name, band in coarse.items()}
    mean = sum((values[name] * np.float32(weight) for name, weight in share.items()), np.float32(0.0))
    gain = np.where(mean > 0, _physical(fine, opened, window) / mean, np.float32(np.nan))
    sharp = np.stack([band * gain for band in values.values()])
    return np.ma.MaskedArray(sharp, mask=~np.isfinite(sharp))


def _physical(resampler: Resampler, opened: Handles, window: Window) -> NDArray[np.floating]:
    numbers, missing = resampler.read(opened, window)
    values: NDArray[np.floating] = resampler.source.physical(numbers, missing)[0]
    return values


def _weights(bands: Mapping[str, Artifact], given: Mapping[str, float] | None) -> dict[str, float]:
    """The share of each band in the panchromatic one; together 1."""
    if not bands:
        raise ToolError("there is no band to sharpen", expected="at least one band", found="none")
    visible = [name for name in ("blue", "green", "red") if name in bands]
    chosen = dict(given) if given else dict.fromkeys(visible or bands, 1.0)
    unknown, total = [name for name in chosen if name not in bands], math.fsum(chosen.values())
    if unknown or total <= 0 or min(chosen.values()) < 0:
        raise ToolError(
            "the weights do not fit the bands",
            expected=f"numbers that are not negative, not all 0, for some of {', '.join(bands)}",
            found=", ".join(f"{name}: {weight:g}" for name, weight in chosen.items()),
        )
    return {name: weight / total for name, weight in chosen.items()}
