"""Classes that nobody named: pixels that resemble each other."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import ToolError
from knowflow.model.artifact import Artifact
from knowflow.tools.classical.sample import flat, sample_pixels
from knowflow.tools.raster import Block, Output, map_blocks
from knowflow.tools.raster.output import MASK_NODATA

Method = Literal["k_means", "gaussian_mixture"]


def unsupervised_classes(
    bands: Mapping[str, Artifact],
    output: Path,
    classes: int = 5,
    method: Method = "k_means",
    standardise: bool = True,
    sample: int = 200_000,
    seed: int = 0,
) -> list[dict[str, Any]]:
    """Write a class (1, 2, ... from the darkest to the brightest) for every pixel; one row per class with its means.

    Means are in the ``unit`` that the row names; in ``unit_BAND`` each where bands have different ones. The classes are
    fitted to a regular sample of pixels and then given to all. ``standardise``: bands count alike, whatever their
    spread. Nodata where a band is not data.
    """
    images = tuple(bands.values())
    values = sample_pixels(images, sample)
    distinct = len(np.unique(values, axis=0))
    if distinct < classes:
        raise ToolError(
            "there are fewer different pixels than classes",
            where=images[0].path,
            expected=f"at least {classes} different pixels",
            found=f"{distinct}",
            hint="ask for fewer classes",
        )
    mean = values.mean(axis=0, dtype=np.float64)
    spread = values.std(axis=0, dtype=np.float64) if standardise else np.ones(len(images))
    spread = np.where(spread > 0, spread, 1.0)

    def scaled(pixels: NDArray[np.float32]) -> NDArray[np.float64]:
        return np.asarray((pixels - mean) / spread, dtype=np.float64)

    model = _fitted(method, scaled(values), classes, seed)
    centres = (model.cluster_centers_ if method == "k_means" else model.means_) * spread + mean
    order = np.argsort(((centres - mean) / spread).sum(axis=1), kind="stable")
    code = np.empty(classes, dtype=np.uint8)
    code[order] = np.arange(1, classes + 1)
    names = {str(number): f"class {number}" for number in range(1, classes + 1)}

    def kernel(block: Block) -> NDArray[np.uint8]:
        found, known = flat(block["image"])
        result = np.full(block.shape, MASK_NODATA, dtype=np.uint8)
        if len(found):
            result[known] = code[model.predict(scaled(found))]
        return result

    written = Output(
        output, "uint8", MASK_NODATA, quantity="class_label", unit="1", tags={"CLASSES": json.dumps(names)}
    )
    map_blocks(kernel, {"image": images}, written)
    sizes = np.bincount(code[model.predict(scaled(values))], minlength=classes + 1)[1:] / len(values)
    return [
        {"class": number, "share": float(sizes[number - 1])}
        | {f"mean_{name}": float(centres[place, band]) for band, name in enumerate(bands)}
        | _units(bands)
        for number, place in enumerate(order, start=1)
    ]


def _units(bands: Mapping[str, Artifact]) -> dict[str, str]:
    """The columns that say what means of the bands are in: one for all of them where they share it."""
    units = {name: str(band.fact("unit") or "") for name, band in bands.items()}
    if len(set(units.values())) == 1:
        return {"unit": next(iter(units.values()))}
    return {f"unit_{name}": unit for name, unit in units.items()}


def _fitted(method: Method, values: NDArray[np.float64], classes: int, seed: int) -> Any:
    """k-means (Lloyd 1982), the best of five k-means++ starts; or a mixture of Gaussians by EM, full covariances."""
    if method == "k_means":
        from sklearn.cluster import KMeans  # type: ignore[import-untyped,unused-ignore]

        return KMeans(classes, n_init=5, random_state=seed).fit(values)
    from sklearn.mixture import GaussianMixture  # type: ignore[import-untyped,unused-ignore]

    return GaussianMixture(classes, n_init=2, random_state=seed).fit(values)
