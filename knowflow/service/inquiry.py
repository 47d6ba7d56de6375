"""A question with all that there is to answer it from: what is refused before anybody reads it."""

from __future__ import annotations

from dataclasses import dataclass

from knowflow.ground.errors import DataNotFoundError, PlanningError
from knowflow.reason.area import Area, area_of
from knowflow.reason.inventory import Inventory, take_inventory
from knowflow.service.question_text import refuse_no_text, refuse_too_long
from knowflow.service.request import Request


@dataclass(frozen=True, slots=True)
class Inquiry:
    """What is asked, what the folder holds, and the area of interest where there is one."""

    request: Request
    inventory: Inventory
    area: Area | None = None


def inquiry_of(request: Request) -> Inquiry:
    """What is asked, with the data that are there for it.

    Raises:
        NotUnderstoodError: the text is no question.
        PlanningError: an expression is given with what is for questions in words, or the area is none.
        DataNotFoundError: there are no data, or none in the area.
    """
    if request.expression is None:
        refuse_too_long(request.query)
        refuse_no_text(request.query)
    else:
        _refuse_words(request)
    area = None if request.aoi is None else area_of(request.aoi)
    extent = None if area is None else area.extent
    inventory = take_inventory(request.data, assume=request.assume, dates=request.dates, aoi=extent).as_called()
    if area is not None and not inventory.rasters:
        raise DataNotFoundError(
            "no raster overlaps the area of interest",
            where=str(request.data),
            expected=f"rasters that overlap {request.aoi}",
            found=inventory.summary(),
            hint="--aoi takes west,south,east,north in degrees, or a vector file",
        )
    return Inquiry(request, inventory, None if area is None else area.on(inventory.artifacts))


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
