"""Questions about the data rather than the ground: how many images there are, the first date, how large the area is.

No plan computes these from pixels; a refusal tells them, and the command that shows the rest.
"""

from __future__ import annotations

import re

from knowflow.ground.errors import NotUnderstoodError
from knowflow.ground.regex import regex
from knowflow.model import geo
from knowflow.model.artifact import Artifact
from knowflow.model.goal import QueryGoal
from knowflow.model.ground_lengths import area_on_ground
from knowflow.reason.inventory import Inventory
from knowflow.reason.language.patterns import MONTH, YEAR
from knowflow.reason.slots import asked_period

_DATA = (
    r"(?:images?|imagery|scenes?|pictures?|acquisitions?|observations?|dates?|files?|bands?|rasters?|layers?|"
    r"data(?:sets?)?)"
)
_THERE = (
    r"(?:\s+(?:is|are|was|were)\s+(?:there|available|taken|acquired|given|used))?"
    r"(?:\s+(?:do|did)\s+(?:we|you|I)\s+have)?"
)
_WHEN = rf"(?:\s+(?:in|of|from|for|during|between|since)\s+(?:the\s+)?(?:{MONTH}|{YEAR}|total\b|folder\b)[^?.!;]*)?"
_AREA = r"(?:(?:whole|entire|study)\s+)*(?:area|region|scenes?|images?|data)(?:\s+of\s+interest)?"
_ABOUT = regex(
    rf"(?:how\s+many|(?:(?:what\s+is\s+)?the\s+|count\s+the\s+)?number\s+of)\s+(?:[\w-]+\s+){{0,2}}{_DATA}{_THERE}{_WHEN}|"
    rf"(?:when\s+(?:is|was|were)|what\s+(?:is|was)|(?:what\s+(?:is|was)\s+)?the\s+date\s+of)?\s*the\s+"
    rf"(?:first|last|latest|earliest|newest|oldest|most\s+recent)\s+(?:[\w-]+\s+)?{_DATA}(?:\s+\w+)?|"
    rf"(?:list|show|give|name|tell)\s+(?:me\s+)?(?:all\s+|the\s+|every\s+)*{_DATA}(?:\s+of\s+the\s+{_DATA})?{_THERE}{_WHEN}|"
    rf"(?:which|what)\s+(?:[\w-]+\s+)?{_DATA}{_THERE}|what\s+(?:is|are)\s+the\s+{_DATA}\s+of\s+the\s+{_DATA}|"
    rf"(?:what|which)\s+(?:period|time(?:\s+(?:span|range))?)\s+(?:is|are|do|does)\s+the\s+{_DATA}\s+(?:of|cover|span)|"
    rf"(?:how\s+(?:large|big)\s+is|what\s+is\s+the\s+(?:total\s+)?(?:size|extent|area)\s+of)\s+(?:the|this|our|my)\s+{_AREA}"
    r"(?:,?\s+in\s+[\w ]+)?",
    re.IGNORECASE,
)
_FEW = 12
_GRIDS = 3


def of_the_data(goal: QueryGoal, inventory: Inventory) -> NotUnderstoodError | None:
    """The refusal of a question about the data themselves, with what they are; None where it asks anything else."""
    if not _ABOUT.fullmatch(goal.text.strip().rstrip("?.! ")):
        return None
    period = asked_period(goal)
    held = inventory if period is None else inventory.between(period.start, period.end)
    return NotUnderstoodError(
        "the question is about the data themselves, which no plan computes",
        expected="a question that pixels answer, such as a mean, a share or a trend",
        found="; ".join((_dates(held), held.summary(), *_grids(held))),
        hint="`knowflow data DIR` shows the files with their dates, bands and grids",
    )


def _dates(inventory: Inventory) -> str:
    days = sorted({day[:10] for day in inventory.dates()})
    if len(days) <= _FEW:
        return f"{len(days)} dates" + (f": {', '.join(days)}" if days else "")
    return f"{len(days)} dates, the first {days[0]}, the last {days[-1]}"


def _grids(inventory: Inventory) -> list[str]:
    """The grids of the rasters, the first three."""
    first = {item.fact("grid"): item for item in reversed(inventory.rasters)}
    return [_extent(item) for grid, item in reversed(first.items()) if grid is not None][:_GRIDS]


def _extent(raster: Artifact) -> str:
    """A grid in words, with the ground that it covers where its CRS is in metres."""
    crs, transform, (rows, columns) = raster.fact("crs"), raster.fact("transform"), raster.fact("shape")
    told = f"{rows} x {columns} pixels"
    if crs is None or not geo.is_crs(crs) or not geo.is_projected(crs):
        return told
    unit = geo.crs_of(crs).axis_info[0]
    a, _, _, _, e, _ = transform
    square_kilometres = area_on_ground(crs, transform, (rows, columns)) / 1e6
    return (
        f"{told} of {abs(a):.4g} x {abs(e):.4g} {unit.unit_name}, {square_kilometres:.4g} km2 with those without data"
    )
