"""Faults of what stands in the pixels: margins, numbers that did not fit their type, other legends, further bands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from knowflow.model.template import SceneLayer
from knowflow_bench.faults.injection.data import FileFault, LayerFault, Site, rewrite, shape_of


def margin(site: Site, *, value: float, share: float) -> None:
    """The same first rows of all files hold one value, as beyond the edge of a scene."""
    for path in site.of(None):
        _, rows, columns = shape_of(path)
        beyond = round(share * rows)
        site.gap(path, np.repeat(np.arange(rows) < beyond, columns).reshape(rows, columns))

        def filled(pixels: NDArray[Any], beyond: int = beyond) -> NDArray[Any]:
            made = pixels.copy()
            made[:, :beyond, :] = value
            return made

        rewrite(path, filled)


def overflow(site: Site, *, dtype: str) -> None:
    """Numbers in a type that is too small for them, whose upper digits are lost."""
    for path in site.of(None):
        rewrite(path, lambda pixels: np.round(pixels).astype(np.int64), dtype=dtype, nodata=None)


def scene_classes(site: Site) -> None:
    """Cloud masks with the legend of Sentinel-2's scene classes: 4 and 5 are clear ground, 8 and 9 are clouds."""
    random_numbers = np.random.default_rng(site.chance.randrange(2**32))
    for path in site.of("cloud_mask"):

        def classes(pixels: NDArray[Any]) -> NDArray[Any]:
            other = random_numbers.random(pixels.shape) < 0.5
            return np.where(pixels > 0, np.where(other, 8, 9), np.where(other, 4, 5))

        rewrite(path, classes)


def declare(site: Site, *, nodata: float, quantity: str) -> None:
    """The same numbers, one of which is declared to be missing data."""
    for path in site.of(quantity):
        rewrite(path, lambda pixels: pixels, nodata=nodata)


def band_before(site: Site) -> None:
    """A band of other numbers before the one that the file is about; nothing says which is which."""
    random_numbers = np.random.default_rng(site.chance.randrange(2**32))
    for path in site.of(None):
        rewrite(
            path,
            lambda pixels: np.concatenate([random_numbers.random(pixels.shape).astype(pixels.dtype), pixels]),
            count=2,
        )


def complex_numbers(site: Site) -> None:
    """Numbers with an imaginary part, as radar data before detection."""
    for path in site.of(None):
        rewrite(path, lambda pixels: pixels * (1 + 1j), dtype="complex64", nodata=None)


def exchanged(site: Site) -> tuple[SceneLayer, ...]:
    """Two bands of every layer that hold each other's content; names and tags agree with each other."""
    return tuple(_exchanged(one) for one in site.scene.layers)


def _exchanged(one: SceneLayer) -> SceneLayer:
    first, second = sorted(one.bands)[:2]
    bands = {**one.bands, first: one.bands[second], second: one.bands[first]}
    return one.model_copy(update={"bands": bands})


def renamed_bands(site: Site, *, names: Mapping[str, str]) -> tuple[SceneLayer, ...]:
    """Bands under the numbers that they have on another satellite."""
    return tuple(
        one.model_copy(update={"bands": {names.get(name, name): value for name, value in one.bands.items()}})
        for one in site.scene.layers
    )


NUMBER_FAULTS: Mapping[str, FileFault] = {
    "margin": margin,
    "overflow": overflow,
    "scene_classes": scene_classes,
    "declare": declare,
    "band_before": band_before,
    "complex_numbers": complex_numbers,
}
BAND_FAULTS: Mapping[str, LayerFault] = {"exchanged": exchanged, "renamed_bands": renamed_bands}
