"""How much of the ground: its share, its area, its pixels, of which whole, per which key, in which unit: functions of
the rules."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from knowflow.ground.units import compatible
from knowflow.question.operators import Expression, Number, Over, Polygons, Quantity
from knowflow.question.reading.grounds import share_where
from knowflow.question.reading.nouns import PERCENT, compare, fits, per, statistic_of, told_in
from knowflow.question.reading.order import Clause, Level, Test, Thing, during
from knowflow.question.times import Times


@dataclass(frozen=True, slots=True)
class Extent:
    """What is asked of ground, before it is said which: ``statistic`` is empty as long as the unit has to tell it."""

    statistic: str
    unit: str | None = None
    where: Expression | None = None
    key: Level | tuple[Level, ...] | None = None
    when: Times | Expression | None = None
    total: bool = False


def in_a_unit(extent: Extent, unit: str) -> Extent | None:
    """``hectares``, ``what area in hectares``, ``how much of it in percent``."""
    told = "share" if unit == PERCENT else "area" if compatible(unit, "m2") else ""
    fits = told and extent.unit is None and extent.statistic in ("", told)
    return replace(extent, statistic=told, unit=unit) if fits else None


def of_unit(unit: str) -> Extent | None:
    return in_a_unit(Extent(""), unit)


def of_whole(extent: Extent, where: Expression) -> Extent | None:
    return replace(extent, where=where) if extent.where is None else None


def per_each(extent: Extent, key: Level | tuple[Level, ...]) -> Extent | None:
    return replace(extent, key=key) if extent.key in (None, key) else None


def in_its_time(extent: Extent, when: Times | Expression) -> Extent | None:
    return replace(extent, when=when) if extent.when is None else None


def measured(extent: Extent, clause: Clause) -> Thing | None:
    """The share, the area or the pixels of ground where something holds; ``total``: of all polygons together."""
    if extent.total and isinstance(extent.key, Polygons) and extent.where is None:
        extent = replace(extent, key=None, where=extent.key)
    thing = share_where(clause, extent.where, extent.statistic) if extent.statistic else None
    if thing is not None and extent.when is not None:
        thing = during(thing, extent.when)
    if thing is not None and extent.key is not None:
        thing = per(thing, extent.key)
    return thing if thing is None or extent.unit is None else told_in(extent.unit, thing)


def outlined(extent: Extent) -> Thing | None:
    """``the size of each park``, ``how large is the Stadtgarten``: of polygons what their outlines hold; of classes."""
    given = [part for part in (extent.key, extent.where) if part is not None]
    place = given[0] if len(given) == 1 else None
    if not isinstance(place, Polygons | Quantity) or extent.statistic != "area":
        return None
    each = fits(Thing(Over(place, "space", "area")))
    each = each if each is None or extent.when is None else during(each, extent.when)
    alone = isinstance(place, Polygons) and len(place.names) == 1 and extent.key is None
    if each is not None and (extent.total or alone):
        each = statistic_of("sum", each)
    return each if each is None or extent.unit is None else told_in(extent.unit, each)


def larger_than(bound: tuple[str, Any, Any]) -> Test | None:
    """``parks larger than 5 ha``."""
    limit = bound[1]
    fits = isinstance(limit, Number) and compatible(limit.unit, "m2")
    return compare(Thing(Over(Polygons(), "space", "area")), bound) if fits else None


def told_beside(thing: Thing, extent: Extent) -> Thing | None:
    """``the largest lake, area in hectares``: what is told already, with its unit."""
    of_ground = thing.statistic in ("area", "largest_patch") and extent == replace(Extent("area"), unit=extent.unit)
    return told_in(extent.unit, thing) if of_ground and extent.unit is not None else None
