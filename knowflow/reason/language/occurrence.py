"""How often something is so at every pixel: "days with snow cover", "rainy days per pixel", "on more than half of the
dates".

The mean of a scene is beyond a limit on other dates than its pixels are: where the mean of NDSI is below the limit of
snow, there may be snow on every one of the dates.
"""

from __future__ import annotations

import re
from typing import Literal

from knowflow.ground.kept import kept
from knowflow.model.goal import Threshold
from knowflow.reason.language.fractions import PARTS
from knowflow.reason.language.patterns import one_of
from knowflow.reason.language.reading import Reading
from knowflow.reason.language.subjects import Subject

_PER_PIXEL = re.compile(
    r"\b(?:(?:per|at|in|of|for|was|were|is|did)\s+(?:each|every|single|all\s+the|a)?\s*(?:pixels?|(?:grid\s+)?cells?)"
    r"|pixel[\s-]+(?:by[\s-]+pixel|wise)|pixelwise|per-pixel)\b",
    re.IGNORECASE,
)
_EXTENT = frozenset({"share", "area", "map", "mask"})


def read_occurrence(reading: Reading, main: Subject | None) -> None:
    """Fill ``per_pixel`` where dates are counted at every pixel, ``dates_part`` where a part of them limits the ground.

    A limit on dates is none on the quantity: it is taken out of ``reading.limits``.
    """
    asked = {one.operation for one in reading.asked}
    counted = "count_of" in reading.slots and reading.slots["count_of"].value == "dates"
    told = _on_dates().search(reading.text)
    if told is not None and not counted and asked and asked <= _EXTENT:
        limit, measure = _part(told)
        reading.put("dates_part", limit, told.group())
        reading.put("dates_measure", measure, told.group())
        reading.understood.append(told.span())
        reading.limits = tuple(one for one in reading.limits if one.past <= told.start() or told.end() <= one.first)
        return
    if not counted or main is None or "share_threshold" in reading.slots or any(one.of_area for one in reading.limits):
        return
    said = _PER_PIXEL.search(reading.text)
    thing = main.feature is not None and main.feature.class_ is not None and not main.feature.loose
    by_usual_limit = thing and not reading.limits and not asked & {"extreme_date", "share"}
    if said is not None:
        reading.put("per_pixel", "dates", said.group())
        reading.understood.append(said.span())
    elif {"count", "map"} <= asked:
        reading.put("per_pixel", "dates", next(one.words for one in reading.asked if one.operation == "map"))
    elif by_usual_limit and main.quantity != "cloud_fraction":
        note = "its usual limit is one of pixels: the dates are counted at each of them"
        reading.put("per_pixel", "dates", main.words, False, note)


def _part(told: re.Match[str]) -> tuple[Threshold, str]:
    """The limit on dates, and whether it is one on their share or on their count."""
    words = told["n"].lower()
    part = PARTS.get(" ".join(words.split()))
    share = part is not None or told["percent"] is not None
    value = part if part is not None else float(words) / (100 if told["percent"] else 1)
    side: Literal["above", "below"] = "above" if told["side"].lower() in ("more than", "over", "at least") else "below"
    inclusive = told["side"].lower() in ("at least", "at most")
    if not share:
        step = 0.5 if inclusive else 0.0
        return Threshold(value - step if side == "above" else value + step, None, side), "count"
    if inclusive:
        ends = (value, 1.0) if side == "above" else (0.0, value)
        return Threshold(ends[0], None, "between", ends[1]), "share"
    return Threshold(value, None, side), "share"


@kept()
def _on_dates() -> re.Pattern[str]:
    """A limit on how many of the dates: "on more than half of the dates", "at least 3 days", "over 20 % of them"."""
    number = rf"(?P<n>{one_of(PARTS)}|\d+(?:\.\d+)?)\s*(?P<percent>%|percent\b)?"
    of = r"\s*(?:of\s+)?(?:(?:the|all|its|these|available|\d+)\s+)*"
    side = r"(?P<side>more than|over|at least|less than|fewer than|at most)"
    dates = r"(?:dates|days|scenes|images|acquisitions|observations|overpasses|nights|time\s?steps)"
    apart = r"(?!\s+(?:long|after|before|ago|apart|in a row))"
    return re.compile(rf"\b(?:(?:on|in|during|for|at)\s+)?{side}\s+{number}{of}{dates}\b{apart}", re.IGNORECASE)
