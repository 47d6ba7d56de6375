"""Bounding boxes and their centres: x1, y1, x2, y2 in pixels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Any

from knowflow.ground.errors import ToolError

Box = Sequence[float]


def bbox_expansion(bboxes: Sequence[Box], radius: float, gsd: float) -> list[list[float]]:
    """Every box grown on all sides by ``radius`` metres, at ``gsd`` metres a pixel."""
    if not gsd > 0:
        raise ToolError("a pixel has no size", expected="gsd > 0", found=str(gsd))
    margin = radius / gsd
    return [[x1 - margin, y1 - margin, x2 + margin, y2 + margin] for x1, y1, x2, y2 in map(_corners, bboxes)]


def bboxes2centroids(bboxes: Sequence[Box]) -> list[list[float]]:
    """The centre of every box."""
    return [[(x1 + x2) / 2, (y1 + y2) / 2] for x1, y1, x2, y2 in map(_corners, bboxes)]


def centroid_distance_extremes(centroids: Sequence[Sequence[float]]) -> list[dict[str, Any]]:
    """The nearest and the farthest pair, one row each: which, first, second (places from 0), distance in pixels."""
    if len(centroids) < 2:
        raise ToolError("a distance needs two points", expected="at least 2", found=str(len(centroids)))
    pairs = [
        (math.dist(centroids[first], centroids[second]), first, second)
        for first, second in combinations(range(len(centroids)), 2)
    ]
    nearest, farthest = min(pairs, key=lambda pair: pair[0]), max(pairs, key=lambda pair: pair[0])
    return [
        {"which": which, "first": first, "second": second, "distance": distance}
        for which, (distance, first, second) in (("min", nearest), ("max", farthest))
    ]


def calculate_bbox_area(bboxes: Sequence[Box], gsd: float | None = None, compat: bool = False) -> float:
    """Sum of the areas of boxes: in m2 at ``gsd`` metres a pixel, else in pixels.

    ``compat``: the third and fourth number are taken for width and height.
    """
    side = 1.0 if gsd is None else float(gsd)
    if compat:
        return math.fsum(box[2] * box[3] for box in bboxes) * side * side
    return math.fsum((x2 - x1) * (y2 - y1) for x1, y1, x2, y2 in map(_corners, bboxes)) * side * side


def _corners(box: Box) -> tuple[float, float, float, float]:
    """The corners, the smaller numbers first."""
    if len(box) != 4:
        raise ToolError("a box is four numbers", expected="x1, y1, x2, y2", found=str(list(box)))
    x1, y1, x2, y2 = (float(number) for number in box)
    return min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)
