"""A question with all that there is to answer it from: what is refused before anybody reads it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

from knowflow.ground.errors import DataNotFoundError, PlanningError
from knowflow.model import geo
from knowflow.model.artifact import Artifact
from knowflow.question.operators import Point, Polygons
from knowflow.reason.area import Area, area_of
from knowflow.reason.inventory import Inventory, take_inventory
from knowflow.reason.points import box_of, ground_of, place_of, with_points
from knowflow.service.question_text import refuse_no_text, refuse_too_long
from knowflow.service.request import Request


@dataclass(frozen=True, slots=True)
class Inquiry:
    """What is asked, what the folder holds, and the area of interest, or the points, where there are any."""

    request: Request
    inventory: Inventory
    area: Area | None = None
    points: Point | Polygons | None = None


def inquiry_of(request: Request) -> Inquiry:
    """What is asked, with the data that are there for it.

    Raises:
        NotUnderstoodError: the text is no question.
        PlanningError: an expression is given with what is for questions in words, the area or the point is none, or
            both are given.
        DataNotFoundError: there are no data, or none in the area or at the point.
    """
    if request.expression is None:
        refuse_too_long(request.query)
        refuse_no_text(request.query)
    else:
        _refuse_words(request)
    area = None if request.aoi is None else area_of(request.aoi)
    place = None if request.at is None else _place(request.at, area)
    take = partial(take_inventory, request.data, assume=request.assume, dates=request.dates)
    inventory = take(aoi=None if area is None else area.extent)
    box = None if place is None else box_of(place)
    if place is not None and box is not None:
        beside = _beside(inventory, box)
        if beside == len(inventory.rasters):
            raise _no_data_at(place, box, inventory)
        if beside:
            inventory = take(aoi=box)
    inventory = with_points(inventory, place).as_called()
    if area is not None and not inventory.rasters:
        raise DataNotFoundError(
            "no raster overlaps the area of interest",
            where=str(request.data),
            expected=f"rasters that overlap {request.aoi}",
            found=inventory.summary(),
            hint="--aoi takes west,south,east,north in degrees, or a vector file",
        )
    points = None if place is None else ground_of(place)
    return Inquiry(request, inventory, None if area is None else area.on(inventory.artifacts), points)


def _place(said: str, area: Area | None) -> Point | Artifact:
    if area is not None:
        raise PlanningError(
            "a question is of an area or of points",
            expected="--aoi or --at",
            found="both",
            hint="leave out --aoi: of a point only its pixel is read",
        )
    return place_of(said)


def _beside(inventory: Inventory, place: geo.Box) -> int:
    """How many rasters points lie beside; those of which nobody knows where they lie are none."""
    boxes = (geo.lonlat_box(one) for one in inventory.rasters)
    return sum(one is not None and not geo.boxes_overlap(one, place) for one in boxes)


def _no_data_at(place: Point | Artifact, box: geo.Box, inventory: Inventory) -> DataNotFoundError:
    boxes = list(filter(None, map(geo.lonlat_box, inventory.rasters)))
    found = f"{box[0]:g},{box[1]:g}"
    sides = [side(values) for side, values in zip((min, min, max, max), zip(*boxes, strict=True), strict=True)]
    return DataNotFoundError(
        "the point lies beside the data" if isinstance(place, Point) else "all points lie beside the data",
        where="--at",
        expected=f"longitude and latitude within {_corners(sides)}" if boxes else "rasters",
        found=found if isinstance(place, Point) else f"points within {_corners(box)}",
        hint="--at takes longitude,latitude in degrees: east before north",
    )


def _corners(box: Iterable[float]) -> str:
    return ", ".join(f"{one:.5g}" for one in box)


def _refuse_words(request: Request) -> None:
    """Refuse what is for questions in words.

    Raises:
        PlanningError: a template or a language model is asked for beside an expression.
    """
    given = [name for name, usual in (("template", None), ("llm", "never")) if getattr(request, name) != usual]
    if given:
        raise PlanningError(
            "an expression says all that is asked",
            expected="the expression and the folder, with --set, --aoi, --dates and --assume",
            found=", ".join(f"--{name}" for name in given),
            hint="change the expression itself",
        )
