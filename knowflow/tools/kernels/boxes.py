"""Boxes x1, y1, x2, y2: how much they overlap, and which of many that overlap stay."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Boxes = NDArray[np.float64]


def corners(boxes: Boxes, form: str) -> Boxes:
    """Boxes (n, 4) given as ``xyxy``, ``xywh`` or ``cxcywh``, as x1, y1, x2, y2."""
    if form == "xyxy":
        return boxes
    first, size = boxes[:, :2], boxes[:, 2:]
    low = first if form == "xywh" else first - size / 2
    return np.concatenate([low, low + size], axis=1)


def overlap(box: NDArray[np.float64], others: Boxes) -> NDArray[np.float64]:
    """Intersection over union of a box with each of others."""
    low = np.maximum(box[:2], others[:, :2])
    high = np.minimum(box[2:], others[:, 2:])
    shared = np.prod(np.clip(high - low, 0.0, None), axis=1)
    areas = np.prod(others[:, 2:] - others[:, :2], axis=1) + np.prod(box[2:] - box[:2])
    return np.asarray(shared / np.maximum(areas - shared, np.finfo(float).tiny))


def non_maximum_suppression(
    boxes: Boxes, scores: NDArray[np.float64], labels: NDArray[np.int64], iou: float
) -> NDArray[np.intp]:
    """The places of the boxes that stay, best first: of two of one label that overlap by more than ``iou``, the better.

    Greedy suppression (Neubeck & Van Gool 2006), with a spatial index, so that many boxes cost no square of time.
    """
    import shapely

    if not len(boxes):
        return np.empty(0, dtype=np.intp)
    tree = shapely.STRtree(shapely.box(*boxes.T))
    order = np.argsort(-scores, kind="stable")
    alive = np.ones(len(boxes), dtype=np.bool_)
    kept = []
    for place in order:
        if not alive[place]:
            continue
        kept.append(place)
        near = tree.query(shapely.box(*boxes[place]))
        near = near[alive[near] & (labels[near] == labels[place])]
        alive[near[overlap(boxes[place], boxes[near]) > iou]] = False
        alive[place] = False
    return np.asarray(kept, dtype=np.intp)
