"""Semantic segmentation: a class for every pixel, and how sure the model is of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from knowflow.knowledge.models import Model
from knowflow.model.artifact import Artifact
from knowflow.model.model_card import ModelCard
from knowflow.tools.learned.inputs import Bands, bands_for
from knowflow.tools.learned.models import model_for
from knowflow.tools.learned.network import Network, require_classes
from knowflow.tools.learned.tiles import map_model
from knowflow.tools.raster import Output
from knowflow.tools.raster.output import MASK_NODATA


def semantic_segmentation(model: Artifact | str, bands: Bands, output: Path, confidence: Path) -> None:
    """Write the likeliest class of every pixel and its probability (0..1); nodata where a band is not data."""
    found = model_for(model, "semantic_segmentation")
    segment(found, bands_for(found.card, bands), output, confidence)


def segment(model: Model, images: tuple[Artifact, ...], output: Path, confidence: Path) -> None:
    """:func:`semantic_segmentation` with the bands in the order of the card."""
    card = model.card
    network = Network(model, 1 if card.layout == "pixels" else 2)

    def finish(values: NDArray[np.float32], valid: NDArray[np.bool_]) -> Mapping[str, NDArray[Any]]:
        return dict(zip(("output", "confidence"), most_likely(values, valid, card), strict=True))

    outputs = {
        "output": class_output(output, card),
        "confidence": Output(confidence, quantity="probability", unit="1", tags={"MODEL": card.model}),
    }
    map_model(network, {"image": images}, outputs, channels(card), lambda said: scores_of(network, said), finish)


def channels(card: ModelCard) -> int:
    """Of the scores: one for each class, or one of two classes with a sigmoid."""
    return 1 if card.activation == "sigmoid" and len(card.classes) <= 2 else len(card.classes)


def scores_of(network: Network, said: Mapping[str, NDArray[Any]]) -> NDArray[np.float32]:
    """Probabilities with the classes on axis 1.

    Raises ``ToolError`` where they are of more or fewer classes than the card names.
    """
    scores = np.asarray(said["scores"])
    if network.card.layout == "channels_last":
        scores = np.moveaxis(scores, -1, 1)
    elif scores.ndim == 3:
        scores = scores[:, None]
    if network.card.classes:
        require_classes(network.card, scores.shape[1])
    return network.probabilities(scores, axis=1)


def most_likely(
    values: NDArray[np.float32], valid: NDArray[np.bool_], card: ModelCard
) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """Class numbers (255 where not valid) and their probabilities, of (channels, rows, columns) in 0..1."""
    filled = np.where(valid, values, 0.0)
    if len(values) == 1:
        place = (filled[0] > card.threshold).astype(np.intp)
        sure = np.where(place == 1, filled[0], 1.0 - filled[0])
    else:
        place = filled.argmax(axis=0)
        sure = np.take_along_axis(filled, place[None], axis=0)[0]
    numbers = np.asarray(card.codes, dtype=np.uint8)[place]
    return np.where(valid, numbers, np.uint8(MASK_NODATA)), np.where(valid, sure, np.nan).astype(np.float32)


def class_output(path: Path, card: ModelCard) -> Output:
    """A class map; its tags name the classes, so that tables made of it can."""
    tags = {"MODEL": card.model, "CLASSES": json.dumps({str(code): name for code, name in card.classes.items()})}
    return Output(path, dtype="uint8", nodata=MASK_NODATA, quantity=card.result, unit="1", tags=tags)
