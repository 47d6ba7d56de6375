"""The points that a question is asked of: one in degrees, or all of a vector file."""

from __future__ import annotations

from dataclasses import replace
from math import nan
from pathlib import Path

from knowflow.ground.errors import DataNotFoundError, PlanningError
from knowflow.ground.files import in_place_of_file
from knowflow.model import geo
from knowflow.model.artifact import Artifact
from knowflow.question.operators import Point, Polygons
from knowflow.reason.inventory import Inventory, read_artifact
from knowflow.reason.inventory.crs_beside import with_crs_beside
from knowflow.reason.inventory.header import type_of
from knowflow.reason.vector_shapes import has_points

_NEAR = 0.0001  # degrees
_EXPECTED = "longitude,latitude in degrees, such as 14.55,46.05; west and south are negative; or a file of points"


def place_of(said: str) -> Point | Artifact:
    """What ``--at`` names: ``longitude,latitude`` in degrees, or the points of a vector file.

    >>> place_of("14.55, 46.05")
    Point(longitude=14.55, latitude=46.05)

    Raises:
        PlanningError: it is no point, or the file holds others than points.
        DataNotFoundError, UnreadableDataError: there is no such file, or it cannot be read.
    """
    if names_file(said):
        return _points(said)
    try:
        longitude, latitude = map(float, said.split(","))
    except ValueError:
        longitude = latitude = nan
    if not (-180 <= longitude <= 180 and -90 <= latitude <= 90):
        raise PlanningError("not a point", where="--at", expected=_EXPECTED, found=said)
    return Point(longitude, latitude)


def names_file(said: str) -> bool:
    """Whether what ``--at`` names is a file: it is there, or is called as one of vectors or a table is."""
    return type_of(Path(said)) in ("vector", "table") or in_place_of_file(Path(said)) is None


def _points(said: str) -> Artifact:
    path, where = Path(said), f"--at {said}"
    if (other := in_place_of_file(path)) is not None:
        found = "no such file" if other == "nothing" else other
        raise DataNotFoundError("the points do not exist", where=where, expected=_EXPECTED, found=found)
    if type_of(path) != "vector":
        raise PlanningError("not a file of points", where=where, expected=_EXPECTED, found="another kind of file")
    artifact = read_artifact(path.resolve())
    if not has_points(artifact):
        held = f"{artifact.fact('features')} features of type {artifact.fact('geometry')}"
        raise PlanningError("there are others than points", where=where, expected="a file of points", found=held)
    return artifact


def box_of(place: Point | Artifact) -> geo.Box | None:
    """West, south, east, north in degrees; None of a file that does not say where it lies."""
    if isinstance(place, Artifact):
        return geo.lonlat_box(place)
    return (place.longitude, place.latitude, place.longitude, place.latitude)


def around(place: Point | Artifact) -> str | None:
    """A box close around points, about 20 m wider than they lie, as ``--aoi`` says one."""
    box = box_of(place)
    if box is None:
        return None
    west, south, east, north = box
    west, east = max(west - _NEAR, -180.0), min(east + _NEAR, 180.0)
    south, north = max(south - _NEAR, -90.0), min(north + _NEAR, 90.0)
    return f"{west},{south},{east},{north}"


def ground_of(place: Point | Artifact) -> Point | Polygons:
    """The points as an expression has them: of a file all that is given with the data."""
    return Polygons() if isinstance(place, Artifact) else place


def with_points(inventory: Inventory, place: Point | Artifact | None) -> Inventory:
    """The data with the points of a file as the only ones of which a question can be asked one by one."""
    if not isinstance(place, Artifact):
        return inventory
    others = [one for one in inventory.artifacts if one.type != "vector"]
    return replace(inventory, artifacts=with_crs_beside((place, *others)))
