"""Amounts on the ground: how much there is in all, per area, where, as a share of the whole, and means by how much of
something lies in each place: functions of the rules."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import replace
from typing import Any

from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.units import compatible
from knowflow.question.measures import unit_of_product
from knowflow.question.operators import (
    Beyond,
    Calculate,
    Correlate,
    Expression,
    Number,
    Over,
    Polygons,
    Quantity,
    Weighted,
    Within,
    children,
    walk,
    with_children,
)
from knowflow.question.reading.attributes import per_own_area
from knowflow.question.reading.keys import Keys, ranked
from knowflow.question.reading.limits import compare, suggested
from knowflow.question.reading.nouns import fits, per, told_as, told_in
from knowflow.question.reading.order import Level, Test, Thing, closed, dated, holding, of_all_times, standing, typed
from knowflow.question.reading.questions import Answer
from knowflow.question.reading.restricted import during, within
from knowflow.question.reading.spans import grain_of
from knowflow.question.times import Times
from knowflow.question.types import Type

_TOTALS = (None, "sum", "integral")


def stuff(kind: str) -> Thing:
    """What something is measured of: the ice of its thickness."""
    return Thing(Quantity(kind))


def measured_as(thing: Thing, noun: str) -> Thing | None:
    """``the thickness of the ice``: of something by the noun that its title has too. Neither the density of snow nor
    its depth is how much water it holds."""
    kinds = (part for _, part in walk(thing.x) if isinstance(part, Quantity))
    return thing if any(told_as(kind, noun) for kind in kinds) else None


def fraction_of(said: tuple[tuple[str, Any, Any], Expression | None], kind: str) -> Test | None:
    """``where more than 80 % of the ground is sealed``: of what tells how much of the ground of a pixel is so."""
    bound, where = said
    own = typed(Quantity(kind))
    share = own is not None and own.of == "number" and not own.measure.adds and compatible(own.measure.unit, "%")
    in_percent = isinstance(bound[1], Number) and bound[1].unit == "%"
    return compare(Thing(Quantity(kind)), bound) if share and in_percent and where is None else None


_DEPTH = "bathymetry"


def all_of(thing: Thing) -> Thing | None:
    """All that lies on the ground: the sum of what adds up, else of each number times its area."""
    own = typed(thing.x)
    if own is None or own.of != "number" or not own.space or thing.statistic not in _TOTALS or thing.by is not None:
        return None
    if "space" in own.measure.adds or thing.statistic is not None:
        return thing
    heights = any(isinstance(part, Quantity) and _is_height(part.kind) for _, part in walk(thing.x))
    return None if heights or own.measure.gathered is None else replace(thing, statistic="integral")


def _is_height(kind: str) -> bool:
    """Whether it tells how high the ground is, of which there is no amount; there is one of water by its depth."""
    return quantity_kinds()[kind].family == "terrain" and kind != _DEPTH


def how_many(thing: Thing) -> Thing | None:
    """``how many people``: of what is counted, all of them."""
    found = all_of(replace(thing, keys=()))
    x = None if found is None else closed(found)
    own = None if x is None else typed(x)
    counts = found is not None and own is not None and compatible(own.measure.unit, "1")
    return replace(found, keys=thing.keys) if counts and found is not None else None


def volume(said: str, thing: Thing) -> Thing | None:
    """``the volume of the ice``, ``ice volume``."""
    return all_of(thing) if said == "integral" else None


def lost(thing: Thing) -> Thing | None:
    """``how much soil is lost``: of what tells how much of it is lost."""
    kinds = [part.kind for _, part in walk(thing.x) if isinstance(part, Quantity)]
    return thing if kinds and all("loss" in kind for kind in kinds) else None


def lost_in(unit: str, thing: Thing) -> Thing | None:
    """``how many tonnes of soil are lost each year``."""
    losses = lost(thing)
    return None if losses is None else told_in(f"{unit} year-1", losses)


def most_of_all(keys: Keys, thing: Thing) -> Expression | None:
    """``which district has the largest share of the people``: that with the largest part of all."""
    found = all_of(thing)
    return None if found is None else ranked(keys, "maximum", found)


# --- by how much lies there ---------------------------------------------------------------------------------------


def weight_of(thing: Thing) -> Expression | None:
    """How much of something lies in each pixel, whatever the date of what it weighs."""
    own = typed(thing.x)
    if own is None or own.of != "number" or not own.space or not own.measure.from_zero:
        return None
    if thing.statistic not in _TOTALS or thing.keys or thing.then or thing.outer or thing.by is not None:
        return None
    total = "sum" if "time" in own.measure.adds else "mean"
    return Over(thing.x, "time", total) if "date" in own.keys else thing.x  # type: ignore[arg-type]


def weighted(by: Thing, thing: Thing, said: str = "mean") -> Thing | None:
    """``population-weighted mean PM2.5``."""
    weight, own = weight_of(by), typed(thing.x)
    plain = thing.statistic in (None, "mean") and not (thing.then or thing.outer or thing.by) and said == "mean"
    if weight is None or own is None or not own.space or own.of != "number" or not plain:
        return None
    return replace(thing, statistic="mean", by=weight)


def so_many_days(x: Quantity) -> Thing | None:
    """``how many days with snow cover were there``: of what is told in days, on average over the ground."""
    own = typed(x)
    told = own is not None and own.of == "number" and compatible(own.measure.unit, "day")
    return fits(Thing(x, statistic="mean")) if told else None


def by_area(one: Any) -> Any:
    """``the mean temperature, weighted by area``: as means over the ground are anyway; None of anything else."""
    x = one if isinstance(one, Expression) else one.x if isinstance(one, Thing) else one.expression
    means = any(isinstance(part, Over) and (part.axes, part.statistic) in _MEANS for _, part in walk(x))
    return one if means or (isinstance(one, Thing) and one.statistic == "mean") else None


_MEANS = (("space", "mean"), ("both", "mean"))


# --- shares of a whole --------------------------------------------------------------------------------------------


def portion(thing: Thing, where: Expression) -> Thing | None:
    """``what share of the people lives where it is flooded``: of all that lies on the ground what lies there. Of ground
    in a place that is named the whole is what lies in that place, and no part of all."""
    whole, held, own = all_of(thing), standing(where), typed(where)
    if whole is None or (isinstance(where, Within) and isinstance(where.x, Polygons) and where.x.names):
        return None
    is_mask = own is not None and own.of == "truth" and held is not None and not own.chosen
    weight = weight_of(whole) if is_mask else None
    if weight is not None and held is not None:
        return Thing(held, "share", by=weight)
    return _of_whole(within(whole, where), whole)


def portion_placed(thing: Thing, bound: tuple[str, Any, Any]) -> Thing | None:
    """``what share of the people lives below 20 m``."""
    test = suggested("elevation")(bound)
    where = None if test is None else holding(test, "pixel")
    return None if where is None else portion(thing, where)


def portion_during(thing: Thing, when: Times | Expression) -> Thing | None:
    """``what share of the rain of 2019 fell in January``: of what added up over a time that is told."""
    whole, own = all_of(thing), typed(thing.x)
    if whole is None or own is None or "time" not in own.measure.adds or not dated(whole.x):
        return None
    times = of_all_times(whole.x)[1]
    if isinstance(when, Expression) and not dated(when):  # the wettest month of the year that is told
        then = during(when, times[0])
        if then is None or len(times) > 1:
            return None
        when = then
    return _of_whole(during(whole, when), whole)


def portion_each(thing: Thing, key: Level | tuple[Level, ...]) -> Thing | None:
    """``what share of the people lives in each district``, ``of the rain of 2019 fell in each month``."""
    whole = all_of(thing)
    return None if whole is None or thing.keys else _of_whole(per(whole, key), whole)


def _of_whole(part: Thing | None, whole: Thing) -> Thing | None:
    one, other = None if part is None else closed(part), closed(whole)
    if one is None or other is None or one == other:
        return None
    return fits(Thing(Calculate("ratio", one, other)))


# --- per area -----------------------------------------------------------------------------------------------------


def per_area(thing: Thing, unit: str) -> Thing | None:
    """``per hectare``: of what is told so much per area anyway its mean, of what adds up over the ground its sum by the
    area of which it is known."""
    own = typed(thing.x)
    if (of_features := per_own_area(thing, unit)) is not None:
        return of_features
    if own is None or own.of != "number" or not own.space or not compatible(unit, "m2") or thing.by is not None:
        return None
    if "space" in own.measure.adds:
        if thing.statistic not in (None, "sum") or thing.then or thing.keys:
            return None
        known = Beyond(thing.x, "at_least", Number(0.0, own.measure.unit))
        found = Calculate("ratio", Over(thing.x, "space", "sum"), Over(known, "space", "area"))
        return told_in(unit_per(own.measure.unit, unit), Thing(found))
    told = own.measure.gathered
    if told is None or thing.statistic not in (None, "mean", "integral"):
        return None
    return told_in(unit_per(told.unit, unit), replace(thing, statistic="mean"))


def per_head(thing: Thing) -> Thing | None:
    """``lights per head``, ``built-up area per person``: the sum, or the area, by the people of the same ground."""
    own = typed(thing.x)
    if own is None or not own.space or thing.keys or thing.then or thing.by is not None:
        return None
    summed = own.of == "number" and ("space" in own.measure.adds or own.measure.summed)
    statistic = "sum" if summed and thing.statistic in (None, "sum") else thing.statistic
    if statistic not in ("sum", "area"):
        return None
    people = Over(Quantity("population_count"), "space", "sum")
    return fits(Thing(Calculate("ratio", Over(thing.x, "space", statistic), people)))


def unit_per(one: str, other: str) -> str:
    """``tonnes per hectare``; of what is counted ``km-2``."""
    return unit_of_product(one, other, 1, -1)


def counted_per(unit: str) -> str | None:
    """``people per km2``, as a unit."""
    return unit_per("1", unit) if compatible(unit, "m2") else None


# --- maps of other dates ------------------------------------------------------------------------------------------


def at_their_time(one: Answer, maps: Mapping[str, int]) -> Answer | None:
    """A question with its amounts and its grounds of the times that go together: what the data have one map of stands
    for all dates, and where they have several that of the time is meant which is told of the other."""
    found = _settled(one.expression, maps)
    if found is None or typed(found) is None:
        return None
    return one if found == one.expression else replace(one, expression=found)


def _settled(x: Expression, maps: Mapping[str, int]) -> Expression | None:
    parts = {part: _settled(part, maps) for _, part in children(x)}
    if any(part is None for part in parts.values()):
        return None
    x = with_children(x, lambda part: parts[part] or part)
    if isinstance(x, Weighted):
        by = _of_time(x.by, x.x, maps)
        of = _of_time(x.x, by, maps) if by is not None and _most_maps(by, maps) > 1 else x.x
        return None if by is None or of is None else replace(x, x=of, by=by)
    if isinstance(x, Correlate) and x.axes == "both":
        return _at_their_own_times(x, maps)
    found = _on_ground(x, maps) if isinstance(x, Within) else x
    return _on_the_one_map(found, maps) if isinstance(found, Within) else found


def _on_the_one_map(x: Within, maps: Mapping[str, int]) -> Within:
    """On ground that another map tells, of which there is one: it stands, whatever day it is of."""
    where = typed(x.where)
    other = _most_maps(x.where, maps) == 1 and _kinds(x.where).isdisjoint(_kinds(x.x))
    alone = standing(x.where) if other and where is not None and "date" in where.keys else None
    return x if alone is None else replace(x, where=alone)


def _at_their_own_times(x: Correlate, maps: Mapping[str, int]) -> Correlate:
    """Of two maps, one each or each of a time of its own, which need not be of the same day: pixel by pixel."""
    (_, mine), (_, theirs) = of_all_times(x.a), of_all_times(x.b)
    one_each = _most_maps(x.a, maps) == 1 == _most_maps(x.b, maps)
    told = all(len(times) == 1 and grain_of(times[0]) is not None for times in (mine, theirs))
    if not one_each and not (told and mine != theirs):
        alone = [_most_maps(part, maps) == 1 for part in (x.a, x.b)]
        if not any(alone) or mine != theirs:
            return x
        plain, other = of_all_times(x.a)[0], of_all_times(x.b)[0]
        x = replace(x, a=plain if alone[0] else x.a, b=other if alone[1] else x.b)
    a, b = (Over(part, "time", "mean") if _is_of_dates(part) else part for part in (x.a, x.b))
    return replace(x, a=a, b=b, axes="space")


def _is_of_dates(x: Expression) -> bool:
    own = typed(x)
    return own is not None and own.grain == "date"


def _kinds(x: Expression) -> Set[str]:
    return {part.kind for _, part in walk(x) if isinstance(part, Quantity)}


def _on_ground(x: Within, maps: Mapping[str, int]) -> Expression | None:
    """What lies on ground that is told of some time."""
    held, ground = _most_maps(x.x, maps), _most_maps(x.where, maps)
    (plain, own), (_, times) = of_all_times(x.x), of_all_times(x.where)
    one, where = typed(x.x), typed(x.where)
    if one is None or where is None or ground < 2:
        return _of_its_time(x, maps)
    stands = held == 1 or _is_stock(one)
    if (stands or "date" not in where.keys) and len(own) == 1 and not times:  # told of what differs from time to time
        then = during(x.where, own[0])
        x = x if then is None else Within(plain if held == 1 else x.x, then)
    alone = standing(x.where) if stands else None
    return _of_its_time(x if alone is None else replace(x, where=alone), maps)


def _is_stock(own: Type) -> bool:
    """Whether it is what there is of something, as people, which adds up over the ground and not over time."""
    return "space" in own.measure.adds and "time" not in own.measure.adds


def _of_its_time(x: Within, maps: Mapping[str, int]) -> Expression | None:
    one, where = typed(x.x), typed(x.where)
    if one is None or where is None or "date" not in one.keys or "date" in where.keys:
        return x
    told = _of_time(x.x, x.where, maps)
    return None if told is None else replace(x, x=told)


def _of_time(x: Expression, other: Expression, maps: Mapping[str, int]) -> Expression | None:
    """What there are several maps of at the one time that is told of what it is beside; None where none is. What there
    is one map of is that at all times."""
    (plain, own), (_, times) = of_all_times(x), of_all_times(other)
    if _most_maps(x, maps) < 2:
        return plain if own == times and _most_maps(x, maps) else x
    if own or not times:
        return x
    return during(x, times[0]) if len(times) == 1 else None


def _most_maps(x: Expression, maps: Mapping[str, int]) -> int:
    return max((maps.get(part.kind, 0) for _, part in walk(x) if isinstance(part, Quantity)), default=0)
