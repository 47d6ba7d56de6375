"""The bands that a model takes, found among those that are there, and whether they are what it was trained on."""

from __future__ import annotations

import math
from collections.abc import Mapping

from knowflow.model import geo
from knowflow.model.artifact import Artifact
from knowflow.model.ground_lengths import pixel_on_ground
from knowflow.model.model_card import ModelCard
from knowflow.tools.learned.models import WrongModelError
from knowflow.tools.raster import Grid, grid_of

Bands = Mapping[str, Artifact]
_SLACK = 1.02  # projections stretch: 10 m of UTM are 9.99 to 10.01 m on the ground, of other maps within 1 %


def bands_for(card: ModelCard, bands: Bands, what: str = "bands") -> tuple[Artifact, ...]:
    """The bands of the card in its order.

    Raises:
        WrongModelError: one is missing, of another quantity, or its pixels are smaller or larger than the model knows.
    """
    require_bands(card, bands, what)
    chosen = tuple(bands[name] for name in card.bands)
    _require_resolution(card, grid_of(chosen[0]))
    return chosen


def require_bands(card: ModelCard, bands: Bands, what: str = "bands") -> None:
    """``WrongModelError`` where a band of the card is missing, or known to be of another quantity; reads no file."""
    missing = [name for name in card.bands if name not in bands]
    if missing:
        raise WrongModelError(
            f"{card.model} needs bands that {what} lacks",
            expected=", ".join(card.bands),
            found=", ".join(bands) or "none",
            hint=f"missing: {', '.join(missing)}",
        )
    for name in card.bands:
        quantity = bands[name].fact("quantity")
        if card.accepts and quantity is not None and str(quantity).casefold() not in card.accepts:
            raise WrongModelError(
                f"{card.model} was trained on something else than the band {name} of {what}",
                where=bands[name].path,
                expected=" or ".join(card.accepts),
                found=str(quantity),
            )


def _require_resolution(card: ModelCard, grid: Grid) -> None:
    if card.resolution is None or not grid.georeferenced:
        return
    size = pixel_metres(grid)
    smallest, largest = card.resolution
    if not smallest / _SLACK <= size <= largest * _SLACK:
        raise WrongModelError(
            f"{card.model} was trained on pixels of another size",
            expected=f"pixels of {smallest:g} to {largest:g} m",
            found=f"{size:.4g} m",
            hint="resample the bands first: resample(raster, resolution)",
        )


def pixel_metres(grid: Grid) -> float:
    """The size of the middle pixel on the ground, m; on a grid in degrees, that along the meridian."""
    crs = grid.require_crs("a size in metres")
    width, height = pixel_on_ground(crs, grid.transform[:6], grid.shape)
    return height if geo.crs_of(crs).is_geographic else math.sqrt(width * height)
