"""Object detection: boxes of things, over scenes of any size, each told once."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rasterio.windows import Window

from knowflow.ground.errors import ToolError
from knowflow.knowledge.models import Model
from knowflow.model.artifact import Artifact
from knowflow.model.model_card import ModelCard
from knowflow.tools.features import boxes_on_map, write_features
from knowflow.tools.kernels.boxes import corners, non_maximum_suppression
from knowflow.tools.learned.inputs import Bands, bands_for
from knowflow.tools.learned.models import WrongModelError, model_for
from knowflow.tools.learned.network import Network
from knowflow.tools.learned.tiles import TileGrid, read_tiles, starts
from knowflow.tools.raster import Grid
from knowflow.tools.raster.source import handles


@dataclass(frozen=True, slots=True)
class Detections:
    """Objects of a scene, best first: ``boxes`` (n, 4) as x1, y1, x2, y2 in pixels of the scene; ``labels`` are
    class numbers of the card."""

    boxes: NDArray[np.float64]
    scores: NDArray[np.float64]
    labels: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.scores)

    def only(self, places: NDArray[Any]) -> Detections:
        return Detections(self.boxes[places], self.scores[places], self.labels[places])


def object_detection(model: Artifact | str, bands: Bands, output: Path, score: float | None = None) -> int:
    """Write the boxes of the objects that a model finds, with class, score and pixel coordinates; how many there are.

    ``score``: the lowest that counts, where it is not the card's.
    """
    found = model_for(model, "object_detection")
    grid, objects = detect(found, bands_for(found.card, bands), score)
    names = [found.card.classes.get(int(label), str(label)) for label in objects.labels]
    x1, y1, x2, y2 = objects.boxes.T
    fields = {"class": objects.labels, "name": names, "score": objects.scores, "x1": x1, "y1": y1, "x2": x2, "y2": y2}
    write_features(output, boxes_on_map(objects.boxes, grid), fields, grid.crs, "Polygon", "objects")
    return len(objects)


def detect(model: Model, images: tuple[Artifact, ...], score: float | None = None) -> tuple[Grid, Detections]:
    """The objects of a scene.

    Each tile tells of those whose middle lies nearest to its own middle, or nearly so: an object no larger than the
    overlap is seen whole by a tile that tells of it, and what two tiles tell is suppressed once.
    """
    card = model.card
    network = Network(model)
    at_once = 1 if network.one_by_one else card.tile.batch
    lowest = card.detection.score if score is None else score
    parts: list[Detections] = []
    with handles() as opened:
        grid, tiles, found = read_tiles({"image": images}, card, opened)
        waiting: list[tuple[Window, NDArray[np.float32], NDArray[np.bool_]]] = []

        def empty() -> None:
            said = network.run({"image": np.stack([image for _, image, _ in waiting])})
            for number, (window, _, valid) in enumerate(waiting):
                one = {role: values if network.one_by_one else values[number] for role, values in said.items()}
                parts.append(_own(_read(card, one, lowest), window, tiles, valid))
            waiting.clear()

        with closing(found):
            for window, images_of, valid in found:
                if valid.any():
                    waiting.append((window, images_of["image"], valid))
                if len(waiting) == at_once:
                    empty()
        if waiting:
            empty()
    together = Detections(
        np.concatenate([part.boxes for part in parts] or [np.empty((0, 4))]),
        np.concatenate([part.scores for part in parts] or [np.empty(0)]),
        np.concatenate([part.labels for part in parts] or [np.empty(0, dtype=np.int64)]),
    )
    kept = non_maximum_suppression(together.boxes, together.scores, together.labels, card.detection.iou)
    return grid, together.only(kept)


def _read(card: ModelCard, said: Mapping[str, NDArray[Any]], lowest: float) -> Detections:
    """The boxes of one tile that score high enough, in pixels of the tile."""
    boxes = np.asarray(said["boxes"], dtype=np.float64).reshape(-1, 4)
    scores = np.asarray(said["scores"], dtype=np.float64)
    scores = scores.reshape(len(boxes), -1) if len(boxes) else np.empty((0, 1))
    if card.activation == "sigmoid":
        scores = 1.0 / (1.0 + np.exp(-scores))
    elif card.activation == "softmax":
        raised = np.exp(scores - scores.max(axis=1, keepdims=True, initial=-np.inf))
        scores = raised / raised.sum(axis=1, keepdims=True)
    codes = np.asarray(card.codes, dtype=np.int64)
    if "labels" in said:
        labels = np.asarray(said["labels"]).astype(np.int64).reshape(-1)
        best = scores[:, 0]
    elif scores.shape[1] in (1, len(codes)):
        labels = codes[scores.argmax(axis=1)] if len(boxes) else np.empty(0, dtype=np.int64)
        best = scores.max(axis=1, initial=-np.inf)
    else:
        raise ToolError(
            f"the model {card.model} tells of other classes than its card",
            expected=f"{len(codes)} scores for each box, or one and the output `labels`",
            found=f"{scores.shape[1]}",
        )
    if best.size and not (best.max() <= 1.001 and best.min() >= -1e-3):
        raise WrongModelError(
            f"the scores of {card.model} are not probabilities",
            expected="scores in 0..1, or `activation: sigmoid` in its card",
            found=f"{best.min():g} to {best.max():g}",
        )
    boxes = corners(boxes, card.detection.boxes)
    if card.detection.coordinates == "fraction":
        boxes = boxes * card.tile.size
    proper = (best >= lowest) & (boxes[:, 2] > boxes[:, 0]) & (boxes[:, 3] > boxes[:, 1])
    return Detections(boxes, best, labels).only(proper)


def _own(found: Detections, window: Window, tiles: TileGrid, valid: NDArray[np.bool_]) -> Detections:
    """The objects that this tile is to tell of, in pixels of the scene; none whose middle has no data.

    Between two tiles both tell: where one sees a middle a little here and the other a little there, neither would.
    """
    size = tiles.rows
    row, column = int(window.row_off), int(window.col_off)
    x, y = (found.boxes[:, 0] + found.boxes[:, 2]) / 2, (found.boxes[:, 1] + found.boxes[:, 3]) / 2
    mine = np.ones(len(found), dtype=np.bool_)
    for middle, start, length in ((x, column, tiles.shape[1]), (y, row, tiles.shape[0])):
        begins = np.asarray(starts(length, size, tiles.overlap), dtype=np.float64)
        nearest = np.abs(begins[:, None] + size / 2 - (middle + start)).min(axis=0)
        mine &= np.abs(middle - size / 2) <= nearest + tiles.overlap / 2
    places = np.clip(np.stack([y, x]), 0, size - 1).astype(np.intp)
    mine &= valid[places[0], places[1]]
    shift = np.array([column, row, column, row], dtype=np.float64)
    limits = np.array([tiles.shape[1], tiles.shape[0]] * 2, dtype=np.float64)
    kept = found.only(mine)
    return Detections(np.clip(kept.boxes + shift, 0.0, limits), kept.scores, kept.labels)
