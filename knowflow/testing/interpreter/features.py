"""Features on a plane, by their corners: how long and large they are, what of them lies in others, how far apart.

Polygons are convex and have their corners in order, so that each step is a few lines; others do not overlap that are
cut to together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Literal

import numpy as np

from knowflow.testing.interpreter.values import Array


@dataclass(frozen=True)
class Feature:
    """``parts`` are corners (n, 2), in metres: of a polygon a ring that is not closed, of a point one; none: it has no
    place. ``numbers`` and ``words`` are its attributes, by their names."""

    name: str
    kind: Literal["point", "line", "polygon"]
    parts: tuple[Array, ...]
    numbers: Mapping[str, float] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict)


def length(one: Feature) -> float:
    """The length of lines."""
    return float(sum(np.hypot(*np.diff(part, axis=0).T).sum() for part in one.parts))


def area(one: Feature) -> float:
    """The area of polygons."""
    return float(sum(abs(_twice(part)) / 2 for part in one.parts))


def _twice(ring: Array) -> float:
    after = np.roll(ring, -1, axis=0)
    return float((ring[:, 0] * after[:, 1] - after[:, 0] * ring[:, 1]).sum())


def outline(one: Feature) -> Feature:
    """The line around a polygon."""
    return replace(one, kind="line", parts=tuple(np.vstack([part, part[:1]]) for part in one.parts))


def inside(one: Feature, zones: list[Feature]) -> Feature:
    """What of a feature lies in polygons."""
    cut = {"point": _kept, "line": _line_in, "polygon": _ring_in}[one.kind]
    rings = [ring for zone in zones for ring in zone.parts]
    return replace(
        one, parts=tuple(found for ring in rings for part in one.parts for found in cut(part, _turned(ring)))
    )


def _turned(ring: Array) -> Array:
    """Corners against the clock."""
    return ring if _twice(ring) > 0 else ring[::-1]


def _left(points: Array, a: Array, b: Array) -> Array:
    """How far left of an edge points are, times its length."""
    return np.asarray((b[0] - a[0]) * (points[:, 1] - a[1]) - (b[1] - a[1]) * (points[:, 0] - a[0]))


def _edges(ring: Array) -> list[tuple[Array, Array]]:
    return list(zip(ring, np.roll(ring, -1, axis=0), strict=True))


def _kept(points: Array, ring: Array) -> list[Array]:
    return [points] if all(_left(points, a, b)[0] >= 0 for a, b in _edges(ring)) else []


def _line_in(points: Array, ring: Array) -> list[Array]:
    """The parts of each stretch of a line that lie left of all edges."""
    found = []
    for start, end in pairwise(points):
        low, high = 0.0, 1.0
        for a, b in _edges(ring):
            one, other = (float(_left(point[None], a, b)[0]) for point in (start, end))
            if one < 0 and other < 0:
                low, high = 1.0, 0.0
            elif one < 0:
                low = max(low, one / (one - other))
            elif other < 0:
                high = min(high, one / (one - other))
        if low < high:
            found.append(np.array([start + low * (end - start), start + high * (end - start)]))
    return found


def _ring_in(points: Array, ring: Array) -> list[Array]:
    """A polygon cut along one edge after the other (Sutherland and Hodgman)."""
    for a, b in _edges(ring):
        kept = []
        sides = _left(points, a, b)
        for n, point in enumerate(points):
            before, side, last = points[n - 1], sides[n], sides[n - 1]
            if (side >= 0) != (last >= 0):
                kept.append(before + (point - before) * last / (last - side))
            if side >= 0:
                kept.append(point)
        if len(kept) < 3:
            return []
        points = np.array(kept)
    return [points]


def distance(one: Feature, others: list[Feature]) -> float:
    """The shortest way to the nearest of others; NaN without a place."""
    ways = [_way(one, part, other, whole) for other in others for part in one.parts for whole in other.parts]
    return min(ways, default=float("nan"))


def _way(one: Feature, part: Array, other: Feature, whole: Array) -> float:
    if other.kind == "polygon" and any(_kept(point[None], _turned(whole)) for point in part):
        return 0.0
    if one.kind == "polygon" and any(_kept(point[None], _turned(part)) for point in whole):
        return 0.0
    mine, theirs = _stretches(one, part), _stretches(other, whole)
    return min(_between(a, b) for a in mine for b in theirs)


def _stretches(one: Feature, part: Array) -> list[tuple[Array, Array]]:
    if one.kind == "point":
        return [(part[0], part[0])]
    return _edges(part) if one.kind == "polygon" else list(pairwise(part))


def _between(a: tuple[Array, Array], b: tuple[Array, Array]) -> float:
    """The way between two stretches: none where they cross, else from an end of one to the other."""
    if _cross(a, b):
        return 0.0
    return min(*(_from(point, b) for point in a), *(_from(point, a) for point in b))


def _cross(a: tuple[Array, Array], b: tuple[Array, Array]) -> bool:
    apart = [np.sign(_left(np.array(one), *other)) for one, other in ((a, b), (b, a))]
    return all(side[0] * side[1] < 0 for side in apart)


def _from(point: Array, stretch: tuple[Array, Array]) -> float:
    start, way = stretch[0], stretch[1] - stretch[0]
    along = 0.0 if not way.any() else float(np.clip((point - start) @ way / (way @ way), 0.0, 1.0))
    return float(np.hypot(*(point - start - along * way)))
