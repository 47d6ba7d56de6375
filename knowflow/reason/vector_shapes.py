"""What the features of a vector file are: polygons, lines or points, as far as its header tells."""

from __future__ import annotations

from knowflow.model.artifact import Artifact

_NO_GROUND = ("Point", "Line", "Curve")  # in the names of geometry types, of which no feature has an area


def has_polygons(vector: Artifact) -> bool:
    """Whether features of a vector may have an area, as far as its header tells."""
    geometry = str(vector.fact("geometry") or "")
    others = "Polygon" not in geometry and any(one in geometry for one in _NO_GROUND)
    return vector.fact("features") != 0 and not others


def has_points(vector: Artifact) -> bool:
    """Whether all features of a vector are points, as far as its header tells."""
    return vector.fact("features") != 0 and str(vector.fact("geometry") or "").endswith("Point")
