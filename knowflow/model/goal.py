"""Goals: what a query asks for, typed, each slot with the words it came from."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

Side = Literal["above", "below", "between"]

# the closed set of slots, with what their values are
SLOT_TITLES: Mapping[str, str] = MappingProxyType(
    {
        "quantity": "quantity kind asked about (id)",
        "quantities": "all quantity kinds asked about, in the order of the query, when there are several",
        "sources": "quantity kinds that the query names as its data rather than its question",
        "operation": "main operation (id of the lexicon)",
        "operations": "all operations, main first",
        "statistic": "statistic over pixels or dates (id of an operation of rank statistic)",
        "feature": "thing on the ground that stands for a quantity and a threshold (id)",
        "threshold": "Threshold on the quantity",
        "side": "side of the threshold: above, below, between",
        "conditions": "tuple of (quantity, Threshold): further conditions on where or what to count",
        "share_threshold": "Threshold on the share of the area, in %",
        "unit": "unit in which the answer is wanted (UDUNITS)",
        "period": "Period that the question is about",
        "years": "tuple of years to which dates are restricted, where a value is wanted for each",
        "months": "tuple of months 1..12 to which dates are restricted",
        "dates": "tuple of single ISO dates",
        "comparison": "two Periods, two dates, two regions, or ('before', 'after')",
        "group_by": "year, quarter, season, month, week, scene, zone or class; month_of_year of an average year",
        "class": "land-cover or feature class (id)",
        "index": "spectral index that the query names (quantity kind)",
        "algorithm": "algorithm that the query names (id)",
        "facing": "the side that slopes face: north, northeast, east...",
        "mask_clouds": "True: clouds are to be removed; False: they are to be left in",
        "percentile": "0..100",
        "top": "how many of the largest (or smallest) are wanted",
        "count_of": "what is counted: dates, pixels, patches, zones",
        "daynight": "day or night",
        "sensor": "sensor or mission",
        "bands": "tuple of band names as the query spells them",
        "region": "region in the words of the query",
        "over_dates": "what is made of the dates' means: maximum, minimum, median, standard_deviation, range; sum",
        "limits": "all limits on the quantity, where they make classes",
        "times_mean": "limit as so many times the mean of the quantity itself",
        "drop": "least decrease that counts, in plans over published calls",
        "span": "in what compared things differ: years, within (one year), regions",
        "per": "what is averaged before a trend is fitted: year, scene",
        "reduction": "maps: scenes are averaged pixel by pixel before anything else; bands: their reflectances are",
        "each": "scene: a number for every date is wanted",
        "extreme_of": "year, season or month: what the largest or smallest is sought among; area: of classes",
        "per_quantity": "quantity per unit of which another is told",
        "part": "part of what is built: residential or other",
        "object": "thing to be found on images, in the singular",
        "described": "object as the query describes it, when it asks for one out of several",
        "gsd": "ground sampling distance, metres a pixel",
        "gsds": "ground sampling distances, one for each image",
        "radius": "by how many metres boxes are to grow",
        "reference": "number of the question that what is measured on images is multiplied with or divided by",
        "last_step": "what the query says to do with a number at last and no other slot holds, in its words",
    }
)


@dataclass(frozen=True, slots=True)
class Slot:
    """A filled slot: its value, the words of the query behind it, and whether a default stands in.

    ``note`` says on what knowledge a default or a reading rests.
    """

    value: Any
    words: str = ""
    default: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class Threshold:
    """A limit with its unit (None: none was said) and side; ``value`` and ``upper`` are the ends of ``between``.

    With ``relative_to`` (mean, median) the value is percent of that statistic of the quantity.
    """

    value: float
    unit: str | None
    side: Side
    upper: float | None = None
    relative_to: str | None = None


@dataclass(frozen=True, slots=True)
class Period:
    """A span of time, both ends inclusive, ISO dates; open ends are 0001-01-01 and 9999-12-31."""

    start: str
    end: str

    @property
    def days(self) -> int:
        """How many days it has."""
        return (dt.date.fromisoformat(self.end) - dt.date.fromisoformat(self.start)).days + 1


FIRST, LAST = "0001-01-01", "9999-12-31"
"""The ends of a period that has none."""


@dataclass(frozen=True, slots=True)
class Unmet:
    """A limit that no step takes: its words, ``why`` ("is what lies outside of two limits"), and a hint."""

    words: str
    why: str
    hint: str


@dataclass(frozen=True, slots=True)
class QueryGoal:
    """Slots by name (``SLOT_TITLES``), words that were not understood, and limits that no step takes."""

    text: str
    slots: Mapping[str, Slot] = field(default_factory=dict)
    leftover: tuple[str, ...] = ()
    unmet: tuple[Unmet, ...] = ()

    def value(self, name: str, default: Any = None) -> Any:
        slot = self.slots.get(name)
        return default if slot is None else slot.value
