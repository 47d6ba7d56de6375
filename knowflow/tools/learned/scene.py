"""Scene classification: what a scene as a whole shows."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import ToolError
from knowflow.knowledge.models import Model
from knowflow.model.artifact import Artifact
from knowflow.tools.learned.inputs import Bands, bands_for
from knowflow.tools.learned.models import model_for
from knowflow.tools.learned.network import Network, require_classes
from knowflow.tools.learned.tiles import read_tiles
from knowflow.tools.raster import read_array
from knowflow.tools.raster.source import handles


def scene_classification(model: Artifact | str, bands: Bands) -> list[dict[str, Any]]:
    """The classes of a scene, the likeliest first: rows of class, name, probability.

    The mean over the tiles of the scene, each counting by its share of data; or, where the card says ``fit: resize``,
    of the whole scene resampled to one tile.
    """
    found = model_for(model, "scene_classification")
    return classify_scene(found, bands_for(found.card, bands))


def classify_scene(model: Model, images: tuple[Artifact, ...]) -> list[dict[str, Any]]:
    """:func:`scene_classification` with the bands in the order of the card."""
    card = model.card
    network = Network(model)
    probabilities = _of_whole(network, images) if card.fit == "resize" else _of_tiles(network, images)
    order = np.argsort(-probabilities, kind="stable")
    return [
        {
            "class": card.codes[place],
            "name": card.classes[card.codes[place]],
            "probability": float(probabilities[place]),
        }
        for place in order
    ]


def _of_tiles(network: Network, images: tuple[Artifact, ...]) -> NDArray[np.float64]:
    total, weight = np.zeros(len(network.card.classes)), 0.0
    with handles() as opened, closing(read_tiles({"image": images}, network.card, opened)[2]) as tiles:
        for _, parts, valid in tiles:
            share = float(valid.mean())
            if share:
                total += share * _said(network, parts["image"][None])
                weight += share
    if not weight:
        raise ToolError(
            "there is nothing to classify", where=images[0].path, expected="data", found="nodata everywhere"
        )
    return np.asarray(total / weight)


def _of_whole(network: Network, images: tuple[Artifact, ...]) -> NDArray[np.float64]:
    from skimage.transform import resize

    size = network.card.tile.size
    whole = [read_array(image) for image in images]
    filled = [np.where(np.isfinite(band), band, np.nanmean(band) if np.isfinite(band).any() else 0.0) for band in whole]
    small = [resize(band, (size, size), order=1, anti_aliasing=True, preserve_range=True) for band in filled]
    return _said(network, np.stack(small).astype(np.float32)[None])


def _said(network: Network, image: NDArray[np.float32]) -> NDArray[np.float64]:
    scores = np.asarray(network.run({"image": image})["scores"]).reshape(1, -1)
    require_classes(network.card, scores.shape[1])
    return np.asarray(network.probabilities(scores, axis=1)[0], dtype=np.float64)
