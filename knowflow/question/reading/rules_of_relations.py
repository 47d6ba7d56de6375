"""The rules of changes in relation to what there was, and of what grew or shrank itself."""

from __future__ import annotations

from dataclasses import replace

from knowflow.ground.units import compatible
from knowflow.question.operators import SURVEYED, Expression, Over, Quantity, walk
from knowflow.question.reading.amounts import all_of
from knowflow.question.reading.attributes import most_in_percent
from knowflow.question.reading.changes import (
    Change,
    Relatively,
    change_in,
    changed,
    most_changed,
    most_moved,
    turned,
)
from knowflow.question.reading.chart import Line
from knowflow.question.reading.comparisons import Measure, told_as
from knowflow.question.reading.grounds import area_of
from knowflow.question.reading.keys import Keys
from knowflow.question.reading.nouns import PERCENT, statistic_of
from knowflow.question.reading.objects import each, size_in_years
from knowflow.question.reading.order import Thing
from knowflow.question.reading.restricted import within
from knowflow.question.reading.rules_of_verbs import Two, most_of_classes, yearly
from knowflow.question.reading.spans import in_order
from knowflow.question.times import Times
from knowflow.question.typing_of_features import is_of_years


def _most_moved(keys: Keys, way: str, of: Thing | Expression, two: Two) -> Expression | None:
    """``which district lost the most forest``: of ground by its area."""
    thing = all_of(of) if isinstance(of, Thing) else area_of(of)
    return most_moved(keys, way, thing or (of if isinstance(of, Thing) else None), two)


def _most_grown(keys: Keys, way: str, two: Two) -> Expression | None:
    """``which glacier shrank the most``, ``which class grew most``: by its area."""
    level = keys.level
    fits = isinstance(level, Quantity) or (isinstance(level, Expression) and is_of_years(level))
    return most_of_classes(keys, way, two) if fits else None


def _area_moved(scope: str, thing: Thing, way: str) -> Change | None:
    """``how much area did the glacier lose``."""
    of_areas = any(isinstance(part, Over) and part.statistic == "area" for _, part in walk(thing.x))
    return turned(thing, way) if scope == "area" and (of_areas or thing.statistic == "area") else None


def _share_moved(_: bool, scope: str, thing: Thing, way: str) -> Change | None:
    """``what percentage of its area did each glacier lose``."""
    change = _area_moved(scope, thing, way)
    return None if change is None else change_in(PERCENT, change)


def _of_outlines(a: Times, b: Times, key: str) -> Two | None:
    """``between the 2000 and the 2020 outlines``."""
    level = Keys(key).level
    return in_order(a, b) if isinstance(level, Expression) and is_of_years(level) else None


_HEIGHTS = Thing(Quantity("elevation", having=(SURVEYED,)))
"""The ground, of which there are surveys: how much it rose, and the volume of what came or went."""


def _ground_moved(measure: Measure, place: Expression, way: str) -> Change | None:
    """``by how many metres did the dump rise on average``."""
    thing = within(_HEIGHTS, place) if measure.unit is not None and compatible(measure.unit, "m") else None
    return None if thing is None else told_as(measure, turned(thing, way))


def _in_each_year(change: Change, two: Two) -> Thing | None:
    """``how much did the glacier thin per year``: of two surveys, through which there is no trend."""
    surveyed = any(isinstance(part, Quantity) and SURVEYED in part.having for _, part in walk(change.thing.x))
    if not surveyed or change.how != "difference":
        return None
    return yearly(change.unit, changed(replace(change, unit=None), two), two)


def _hauled(way: str, place: Expression | None = None, unit: str | None = None) -> Change | None:
    """``how many cubic metres were excavated from the pit``, ``the volume of material removed``."""
    all_of_it = statistic_of("integral", _HEIGHTS)
    thing = all_of_it if all_of_it is None or place is None else within(all_of_it, place)
    if thing is None or (unit is not None and not compatible(unit, "m3")):
        return None
    return turned(thing, way) if unit is None else change_in(unit, turned(thing, way))


def _volume_change(said: str, how: str, place: Expression | None = None) -> Change | None:
    """``the volume change of the glacier``."""
    return _hauled("up", place) if (said, how) == ("integral", "difference") else None


RULES_OF_RELATIONS: tuple[Line, ...] = (
    ("IN_RELATION <- relatively TWO", Relatively),
    ("IN_RELATION <- TWO relatively", Relatively),
    ("N <- CH IN_RELATION", changed),
    ("XT <- KEYS do? that? GREW most IN_RELATION", lambda keys, grew, two: most_moved(keys, grew[1], grew[0], two)),
    ("XT <- KEYS have STAT CH IN_RELATION", most_changed),
    *((f"XT <- KEYS MOVED most {of} IN_RELATION", _most_moved) for of in ("N", "PLACE", "STUFF")),
    ("XT <- KEYS MOVED most in? SCOPE IN_RELATION", lambda keys, way, _, two: most_of_classes(keys, way, two)),
    ("XT <- KEYS MOVED most YEARLY IN_RELATION", most_in_percent),
    ("XT <- KEYS RESIZED most IN_RELATION", _most_grown),
    ("CH <- relative CH", lambda change: change_in(PERCENT, change)),
    ("XT <- KEYS MOVED largest_share SCOPE TWO", lambda keys, way, _, two: _most_grown(keys, way, Relatively(two))),
    ("XT <- KEYS RESIZED most TWO", _most_grown),
    ("CH <- how_much_land SCOPE do NP MOVED", _area_moved),
    ("CH <- PART_OF SCOPE do NP MOVED", _share_moved, -1),
    ("CH <- how_many UNIT do NP RESIZED", lambda unit, thing, way: change_in(unit, turned(thing, way))),
    ("NP <- EACH", lambda x: each("area")(x) if is_of_years(x) else None, 1),
    ("OF <- ONE", size_in_years, 1),
    ("TWO <- between TIME and TIME NAMED_KEY", _of_outlines),
    # what surveys of the ground tell
    ("CH <- HOW do PLACE MOVED on_average?", _ground_moved, 1),
    *((f"N <- {said}", _in_each_year) for said in ("CH per_year on_average? TWO", "CH TWO per_year on_average?")),
    ("CH <- STAT CHANGED", _volume_change),
    ("CH <- STAT CHANGED of PLACE", _volume_change),
    ("CH <- PLACE STAT CHANGED", lambda place, said, how: _volume_change(said, how, place)),
    ("CH <- how_large be CH", lambda change: change, 1),
    ("CH <- how_many UNIT be? HAULED", lambda unit, way: _hauled(way, None, unit)),
    ("CH <- STAT of? material? HAULED", lambda said, way: _hauled(way) if said == "integral" else None),
    *(
        (
            f"CH <- STAT of? material? {moved} {word} PLACE",
            lambda said, *of: _hauled(*of) if said == "integral" else None,
        )
        for moved in ("HAULED", "material MOVED")
        for word in ("of", "in")
    ),
    *(
        (f"CH <- how_many UNIT of? {moved} {word} PLACE", lambda unit, way, place: _hauled(way, place, unit))
        for moved in ("be? HAULED", "material be? HAULED", "material be? MOVED")
        for word in ("of", "in")
    ),
)
