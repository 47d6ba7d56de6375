"""What statistics, restrictions, keys and limits make of nouns: the functions of the rules."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any

from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.units import compatible
from knowflow.question.operators import (
    Along,
    And,
    Anomaly,
    Calculate,
    Correlate,
    Expression,
    Extreme,
    Holds,
    IsClass,
    Not,
    Number,
    Or,
    Over,
    Polygons,
    Quantity,
    Split,
    Trend,
    walk,
)
from knowflow.question.reading.order import (
    Asked,
    Clause,
    Joined,
    Level,
    Test,
    Thing,
    closed,
    dated,
    during,
    holding,
    split_by,
    typed,
    within,
)
from knowflow.question.times import Times

LAND_COVER = Quantity("land_cover_class")
PERCENT = "%"
_MOST_RANKED = 1000  # a larger number before dates is a year


def level_of(key: str) -> Level:
    """A key that a word names: a grain of time, the polygons, the classes of land cover."""
    return {"objects": Polygons(), "classes": LAND_COVER}.get(key, key)


def all_months(key: Level, first: Times, last: Times) -> Level | None:
    """``for each month of the year, January to December``."""
    return key if key == "month_of_year" and (first, last) == (Times(month=1), Times(month=12)) else None


# --- numbers ------------------------------------------------------------------------------------------------------


def number(value: float, unit: str = "1") -> Number:
    return Number(value, unit)


def beyond(side: str, limit: Any) -> tuple[str, Any, Any]:
    return side, limit, None


def explained(said: str, one: str, other: str) -> str | None:
    """``range (maximum minus minimum)``."""
    return said if (said, one, other) == ("range", "maximum", "minimum") else None


def denied(bound: tuple[str, Any, Any]) -> tuple[str, Any, Any] | None:
    opposite = {"above": "at_most", "below": "at_least", "at_least": "below", "at_most": "above"}
    return (opposite[bound[0]], *bound[1:]) if bound[0] in opposite else None


def between(low: Number, high: Number) -> tuple[str, Any, Any] | None:
    if low.unit == "1" and high.unit != "1":
        low = replace(low, unit=high.unit)
    return ("between", low, high) if low.unit == high.unit and low.value < high.value else None


# --- statistics ---------------------------------------------------------------------------------------------------


def statistic_of(said: str, thing: Thing) -> Thing | None:
    """A statistic of a noun: over what it is per, where it has one already; else its own."""
    name, _, p = said.partition(" ")
    percentile = float(p) if p else None
    if thing.statistic is None and not thing.keys and thing.then is None:
        own = typed(thing.x)
        if own is None or own.of != "number" or not (own.space or own.keys):
            return None
        if own.space and name == "sum" and "space" not in own.measure.adds:
            return replace(thing, then="sum") if "time" in own.measure.adds else None
        if own.space:
            return replace(thing, statistic=name, p=percentile)  # type: ignore[arg-type]  # the words list statistics
        key = own.keys[-1] if own.grain is None else "time"
        return _fits(Thing(Over(thing.x, key, name, percentile)))  # type: ignore[arg-type]
    if thing.keys and thing.statistic is None and thing.then is None:
        return None
    return outer(said, thing)


def outer(said: str, thing: Thing) -> Thing | None:
    """A statistic of what is reduced already: over dates, or over what it is per."""
    name, _, p = said.partition(" ")
    percentile = float(p) if p else None
    if not thing.keys:
        known = thing.then is None and percentile is None and thing.statistic not in (name, None)
        return replace(thing, then=name) if known else None  # type: ignore[arg-type]
    if thing.unit is not None:
        return None
    found = replace(thing, outer=(*thing.outer, (name, percentile)))  # type: ignore[arg-type]
    return found if closed(found) is not None else None


def every(grain: str, said: str | None, thing: Thing) -> Thing | None:
    """``annual maximum NDVI``: the statistic is over the dates of each; ``daily``: over the ground of each."""
    if thing.statistic is not None or thing.keys or thing.then is not None:
        return None
    if said is None:
        return replace(thing, keys=(grain,))
    if said.startswith("percentile") or grain == "date":
        found = statistic_of(said, thing)
        return None if found is None else replace(found, keys=(grain,))
    return replace(thing, then=said, keys=(grain,))  # type: ignore[arg-type]


def of_dates(said: str, thing: Thing) -> Thing | None:
    """``the mean over the dates of the ...``: what it is of is one per date."""
    if said.startswith("percentile"):
        x = closed(thing, "date")
        return None if x is None else _fits(Thing(Over(x, "time", "percentile", float(said.split()[1]))))
    if thing.keys or thing.then is not None:
        return None
    own = typed(thing.x)
    if own is not None and own.space and thing.statistic is None:
        return _fits(Thing(Over(thing.x, "time", said)))  # type: ignore[arg-type]
    return replace(thing, then=said)  # type: ignore[arg-type]


def of_ground(said: str, thing: Thing) -> Thing | None:
    """``the mean over the area of ...``."""
    own = typed(thing.x)
    if own is None or not own.space:
        return None
    if thing.statistic is not None:
        if thing.keys or thing.then is not None:
            return None
        x = closed(thing, "pixel")
        return None if x is None else of_ground(said, Thing(x))
    return statistic_of(said, thing)


def _fits(thing: Thing) -> Thing | None:
    return thing if typed(thing.x) is not None else None


def per(thing: Thing, key: Level | tuple[Level, ...]) -> Thing | None:
    """One per key. What is reduced over dates by a statistic of its own is no longer one per period."""
    if isinstance(key, tuple):
        one = per(thing, key[0])
        return None if one is None else per(one, key[1])
    if thing.outer:
        return None
    own = typed(thing.x)
    if isinstance(key, Expression) and own is not None and not own.space:
        return split_by(thing, key)
    if isinstance(key, str) and thing.then is not None and thing.statistic is not None:
        return None
    if key in thing.keys or len(thing.keys) > 1:
        return None
    return replace(thing, keys=(*thing.keys, key)) if closed(replace(thing, keys=(*thing.keys, key))) else None


# --- of truths ----------------------------------------------------------------------------------------------------


def share_where(clause: Clause, where: Expression | None = None, statistic: str = "share") -> Thing | None:
    """The share, the area or the patches of the ground where something holds."""
    x = holding(clause, "pixel")
    if x is None or x == where:
        return None
    own = typed(x)
    if own is None or not own.space:
        return None
    return _fits(Thing(x if where is None else within(x, where), statistic))  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Keys:
    """Dates, periods, polygons or classes of which something is said; ``when``: those of that time alone."""

    key: str
    when: Times | Expression | None = None

    @property
    def level(self) -> Level:
        return level_of(self.key)

    def during(self, when: Times | Expression) -> Keys | None:
        return replace(self, when=when) if self.when is None else None

    def of(self, clause: Asked) -> Asked | None:
        """What is said of them, in their time."""
        return clause if self.when is None else during(clause, self.when)


def counted(keys: Keys, clause: Clause, statistic: str = "count") -> Thing | None:
    """How many dates (years, polygons, classes) there are for which something holds; the first, the longest spell."""
    said = keys.of(clause)
    x = None if said is None else holding(said, keys.level)
    axis = "time" if isinstance(keys.level, str) else keys.key
    return None if x is None else _fits(Thing(Over(x, axis, statistic)))  # type: ignore[arg-type]


def chosen(keys: Keys, clause: Clause) -> Expression | None:
    """The dates (years, polygons) for which something holds."""
    said = keys.of(clause)
    x = None if said is None else holding(said, keys.level)
    found = None if x is None else Holds(x)
    return found if found is not None and typed(found) is not None else None


def first_date(keys: Keys, thing: Thing, bound: tuple[str, Any, Any]) -> Expression | None:
    """``when was it first above``."""
    test = compare(thing, bound)
    found = None if test is None else counted(keys, test, "first")
    return None if found is None else found.x


def dates_that(keys: Keys, clause: Clause) -> Expression | None:
    """Those dates as a restriction of others."""
    return chosen(keys, clause) if isinstance(keys.level, str) else None


def ranked(keys: Keys, said: str, thing: Thing, n: float = 1) -> Expression | None:
    """The dates (years, polygons) with the highest or lowest values."""
    if said not in ("maximum", "minimum") or _periods(thing) or n != int(n) or not 1 <= n <= _MOST_RANKED:
        return None
    of = keys.of(thing)
    x = None if of is None else _per_ground(of, keys.level) if of.keys else closed(of, keys.level)
    found = None if x is None else Extreme(x, "highest" if said == "maximum" else "lowest", int(n))
    return found if found is not None and typed(found) is not None else None


def _per_ground(thing: Thing, level: Level) -> Expression | None:
    """One per period of each class or polygon: of its periods, which are the innermost keys, some are chosen."""
    if not isinstance(level, str) or level == "date":
        return closed(thing, level)
    split = Split(thing.x, level)  # type: ignore[arg-type]  # a level that is a word is a grain
    return closed(replace(thing, x=split)) if typed(split) is not None else None


def ranked_of(*given: Any) -> Expression | None:
    """The same, with how many in front or not."""
    n, keys, said, thing = given if len(given) == 4 else (1, *given)
    return ranked(keys, said, thing, n)


def largest(keys: Keys, said: str) -> Expression | None:
    """``which class has the largest area``."""
    areas = areas_per(keys.key) if keys.when is None else None
    side = {"maximum": "highest", "minimum": "lowest"}.get(said)
    return None if areas is None or side is None else Extreme(areas.x, side)  # type: ignore[arg-type]


def ranked_by(keys: Keys, named: tuple[str, str]) -> Expression | None:
    """``the warmest month``."""
    return ranked(keys, "maximum" if named[1] == "highest" else "minimum", Thing(Quantity(named[0])))


# --- two of them --------------------------------------------------------------------------------------------------


def of_two(how: str, one: str, other: str, thing: Thing) -> Thing | None:
    """``the gap between the highest and the lowest``: of two statistics of one noun."""
    a, b = _one_more(one, thing), _one_more(other, thing)
    return None if a is None or b is None or one == other else calculated(how, a, b)


def _one_more(said: str, thing: Thing) -> Thing | None:
    return outer(said, thing) if thing.keys else statistic_of(said, thing)


def lower(side: str, thing: Thing, times: tuple[Times, Times]) -> Test | None:
    """``NDVI was lower in 2017 than in 2016``: what it was, all in all, at one time beside another."""
    if thing.then is None and thing.statistic is None:
        thing = replace(thing, then="mean")
    a, b = during(thing, times[0]), during(thing, times[1])
    return None if a is None or b is None or thing.keys else Test(a, side, b, itself=True)  # type: ignore[arg-type]


def warmer(named: tuple[str, str], a: Times, b: Times) -> Thing | None:
    """``how much warmer was it in a than in b``."""
    return at_two("difference", Thing(Quantity(named[0])), (b, a) if named[1] == "above" else (a, b))


def larger(place: Expression, a: Times, b: Times) -> Thing | None:
    """``how much larger was the forest in a than in b``."""
    area = share_where(place, None, "area")
    return None if area is None else at_two("difference", area, (b, a))


def larger_than(a: Expression, b: Expression) -> Thing | None:
    one, other = share_where(a, None, "area"), share_where(b, None, "area")
    return None if one is None or other is None else calculated("difference", one, other)


def slopes(x: Expression, named: tuple[str, str], limit: Any) -> Expression | None:
    """``slopes steeper than 10 degrees``, as a place."""
    test = compared_as(Thing(x), named, limit)
    return None if test is None else where_of(test)


def area_of(place: Expression) -> Thing | None:
    """How large a thing on the ground is."""
    return share_where(place, None, "area")


def moved(thing: Thing, way: str, times: tuple[Times, Times]) -> Thing | None:
    """``how much did it rise``, or fall: by how much it is more, or less, than it was."""
    return at_two("difference", thing, times if way == "up" else (times[1], times[0]))


def shifted(thing: Thing, way: str, times: tuple[Times, Times], bound: tuple[str, Any, Any]) -> Test | None:
    """``fell by more than 0.2``, pixel by pixel: by how much it is less than it was is beyond a limit."""
    change = moved(thing, way, times) if bound[0] in ("above", "at_least") else None
    own = None if change is None else typed(change.x)
    return compare(Thing(change.x), bound) if change is not None and own is not None and own.space else None


def rate(thing: Thing, way: str) -> Thing | None:
    """``how fast did it rise`` is its trend, and ``fall`` how much less it is from year to year."""
    slope = trend("linear", thing)
    if slope is None or way == "up":
        return slope
    return _fits(Thing(Calculate("product", slope.x, Number(-1.0))))


def rate_in(unit: str, thing: Thing, way: str) -> Thing | None:
    """``by how many kelvin per year did it rise``."""
    return in_unit_of(f"{unit} year-1", rate(thing, way))


def class_areas(key: Level | tuple[Level, ...], unit: str | None = None) -> Thing | None:
    """``what area does each class take up``."""
    areas = areas_per("classes") if key == LAND_COVER else None
    return areas if areas is None or unit is None else told_in(unit, areas)


def moved_by(unit: str, thing: Thing, way: str, times: tuple[Times, Times]) -> Thing | None:
    """``by how many hectares did it grow``; how many percent is asked of what it was."""
    return None if unit == PERCENT else in_unit_of(unit, moved(thing, way, times))


def afterwards(thing: Thing, said: str) -> Thing | None:
    """``NDVI of 2021, mean``: the statistic of a noun that has none yet, told behind it."""
    if thing.statistic is not None or thing.then is not None or thing.outer or thing.unit is not None:
        return None
    plain = statistic_of(said, replace(thing, keys=()))
    found = None if plain is None else replace(plain, keys=thing.keys)
    return found if found is not None and closed(found) is not None else None


def less(thing: Thing, a: Times, b: Times) -> Thing | None:
    """``2021 minus 2018``; by how much one is more than that of the other."""
    return at_two("difference", thing, (b, a))


def moved_area(place: Expression, way: str, times: tuple[Times, Times]) -> Thing | None:
    area = area_of(place)
    return None if area is None else moved(area, way, times)


def pixels(clause: Clause, where: Expression | None = None) -> Thing | None:
    """How many pixels there are in which something holds."""
    return share_where(clause, where, "count")


def in_time(thing: Thing | None, when: Times | Expression | None = None) -> Thing | None:
    return thing if thing is None or when is None else during(thing, when)


def whole(thing: Thing) -> Thing | None:
    """``the total area``: of what is one number as it is."""
    return thing if thing.statistic in ("area", "count", "patches") else None


def both_sides(one: str, low: Number, other: str, high: Number) -> tuple[str, Any, Any] | None:
    """``at least 5 and at most 15``."""
    return between(low, high) if (one, other) == ("at_least", "at_most") else None


def in_unit_of(unit: str, thing: Thing | None) -> Thing | None:
    return None if thing is None else told_in(unit, thing)


def clear(thing: Thing) -> Thing | None:
    """Of ground that no cloud covers."""
    return within(thing, Not(Quantity("cloud_mask")))


def adjective_per(kind: str, key: Level | tuple[Level, ...]) -> Thing | None:
    """``how green is each parcel``."""
    return per(Thing(Quantity(kind)), key)


def per_area(unit: str, key: Level | tuple[Level, ...], clause: Clause) -> Thing | None:
    """``how many hectares of each district are water``."""
    area = share_where(clause, None, "area")
    keyed = None if area is None else per(area, key)
    return None if keyed is None else told_in(unit, keyed)


def area_in(unit: str, place: Expression | None, clause: Clause) -> Thing | None:
    """``how many hectares of the forest``."""
    return in_unit_of(unit, share_where(clause, place, "area"))


def per_share(key: Level | tuple[Level, ...], clause: Clause, statistic: str = "share") -> Thing | None:
    """``what share of each polygon``, or what area."""
    share = share_where(clause, None, statistic)
    return None if share is None else per(share, key)


def on_average(one: Thing | Test) -> Any:
    if isinstance(one, Test):
        left = statistic_of("mean", one.left)
        return None if left is None else replace(one, left=left)
    return statistic_of("mean", one)


def in_order(a: Times, b: Times) -> tuple[Times, Times]:
    """Two times between which something changed: the earlier one first."""
    a = _of_year(a, b)
    return (b, a) if a.first and b.first and b.first < a.first else (a, b)


def from_to(a: Times, b: Times) -> tuple[Times, Times]:
    return _of_year(a, b), b


def day_of(day: tuple[int, int], when: Times) -> Times | None:
    """A day without its year, or its month, of those of another single day: ``5 and 20 July 2021``."""
    if when.first is None or when.first != when.last:
        return None
    try:
        one = when.first.replace(day=day[0], month=day[1] or when.first.month)
    except ValueError:
        return None
    return Times(one, one)


def day_and(day: tuple[int, int], when: Times) -> tuple[Times, Times] | None:
    first = day_of(day, when)
    return None if first is None else (first, when)


def from_day(day: tuple[int, int], when: Times) -> Times | None:
    first = day_of(day, when)
    return None if first is None else span(first, when)


def _of_year(first: Times, last: Times) -> Times:
    """A month without its year is of that of the other time: ``between May and June 2019``."""
    if not first.month or first.first or last.first is None or last.last is None or last.first.year != last.last.year:
        return first
    following = date(last.first.year + first.month // 12, first.month % 12 + 1, 1)
    return Times(date(last.first.year, first.month, 1), following - timedelta(days=1))


def told_in(unit: str, thing: Thing) -> Thing | None:
    """An answer that is told in a unit."""
    x = closed(thing)
    own = None if x is None else typed(x)
    fits = own is not None and own.of == "number" and compatible(own.measure.unit, unit)
    return replace(thing, unit=unit) if fits and thing.unit is None else None


def amount(thing: Thing) -> Thing | None:
    """``how much precipitation``: of what adds up."""
    own = typed(thing.x)
    return thing if own is not None and own.measure.adds and thing.statistic is None else None


def calculated(how: str, a: Thing, b: Thing) -> Thing | None:
    one, other = closed(a), closed(b)
    if one is None or other is None:
        return None
    return _fits(Thing(Calculate(how, one, other)))  # type: ignore[arg-type]  # the words list kinds of arithmetic


def of_one_time(how: str, a: Thing, b: Thing) -> Thing | None:
    """Two of which both tell their dates, or neither: a time that is said of one alone is meant of both."""
    return calculated(how, a, b) if dated(a.x) == dated(b.x) else None


def at_two(how: str, thing: Thing, times: tuple[Times, Times]) -> Thing | None:
    """What changed from one time to another: means pixel by pixel, so that both are of the ground that both know."""
    before, after = during(thing, times[0]), during(thing, times[1])
    if before is None or after is None:
        return None
    maps = [_map_of(one) for one in (after, before)] if how == "difference" else []
    if not maps or maps[0] is None or maps[1] is None:
        return calculated(how, after, before)
    return _fits(Thing(Calculate("difference", maps[0], maps[1]), "mean"))


def _map_of(thing: Thing) -> Expression | None:
    """The pixels that a mean over the ground is of, their dates taken together; None where it is another statistic."""
    own = typed(thing.x)
    plain = thing.statistic in (None, "mean") and not (thing.keys or thing.outer or thing.unit)
    if own is None or not plain or own.of != "number" or not own.space or "space" in own.measure.adds:
        return None
    usual = "sum" if "time" in own.measure.adds and thing.statistic is None else "mean"
    return closed(replace(thing, statistic=None, then=thing.then or usual), "pixel")  # type: ignore[arg-type]


def in_two(how: str, thing: Thing, places: tuple[Expression, Expression]) -> Thing | None:
    a, b = within(thing, places[0]), within(thing, places[1])
    return None if a is None or b is None else calculated(how, a, b)


def correlated(a: Thing, b: Thing) -> Thing | None:
    """Pixel by pixel where both have pixels and no dates are left, else over the dates of their means."""
    if a.keys or b.keys:
        return None
    first, second = typed(a.x), typed(b.x)
    if first is None or second is None:
        return None
    if first.space and second.space and not (a.statistic or b.statistic):
        axes = "both" if "date" in first.keys and "date" in second.keys else "space"
        maps = [
            Thing(one.x if axes == "both" or "date" not in own.keys else Over(one.x, "time", "mean"))
            for one, own in ((a, first), (b, second))
        ]
        return _fits(Thing(Correlate(maps[0].x, maps[1].x, axes)))  # type: ignore[arg-type]
    one, other = closed(a, "date"), closed(b, "date")
    return None if one is None or other is None else _fits(Thing(Correlate(one, other, "time")))


# --- along time ---------------------------------------------------------------------------------------------------


def trend(method: str, thing: Thing, pixel: bool = False) -> Thing | None:
    grain = next((key for key in thing.keys if isinstance(key, str)), "date")
    if thing.outer:
        return None
    x = closed(thing, "pixel" if pixel else grain)
    return None if x is None else _fits(Thing(Trend(x, method)))  # type: ignore[arg-type]


def running(n: float, thing: Thing) -> Thing | None:
    grain = next((key for key in thing.keys if isinstance(key, str)), "date")
    x = closed(thing, grain)
    return None if x is None or n != int(n) else _fits(Thing(Along(x, "running", int(n)), keys=(grain,)))


def anomaly(how: str, thing: Thing, when: Times | None = None) -> Thing | None:
    grain = next((key for key in thing.keys if isinstance(key, str)), "date")
    x = closed(thing, grain)
    found = None if x is None else Anomaly(x, how)  # type: ignore[arg-type]  # the words list kinds of anomaly
    return None if found is None else _fits(Thing(found, keys=(grain,)))


# --- restrictions -------------------------------------------------------------------------------------------------


def either(a: Expression, b: Expression) -> Expression | None:
    """Ground of one kind and of another: what is either."""
    if isinstance(a, IsClass) and isinstance(b, IsClass) and a.x == b.x:
        return IsClass(a.x, (*a.names, *b.names))
    if isinstance(a, Polygons) and isinstance(b, Polygons):
        return Polygons((*a.names, *b.names)) if a.names and b.names else None
    return Or((a, b)) if typed(Or((a, b))) is not None else None


def where_of(clause: Clause) -> Expression | None:
    return holding(clause, "pixel")


def both_grounds(ground: Expression, clause: Clause) -> Expression | None:
    x = holding(clause, "pixel")
    found = None if x is None else And((ground, x))
    return found if found is not None and typed(found) is not None else None


def _periods(thing: Thing) -> bool:
    """Whether it is one per period; of one per class or polygon all that is said is said of each."""
    return any(isinstance(key, str) for key in thing.keys)


def compare(thing: Thing, bound: tuple[str, Any, Any]) -> Test | None:
    if _periods(thing):
        return None
    side, limit, upper = bound
    own = typed(thing.x)
    if own is None:
        return None
    return Test(thing, side, limit, upper)  # type: ignore[arg-type]  # the words list sides


def suggested(kind: str) -> Any:
    """``above 400 m``, ``above 300 K``: of what has that unit; which of several, the data tell."""
    own = quantity_kinds()[kind].unit

    def test(bound: tuple[str, Any, Any]) -> Test | None:
        side, limit, upper = bound
        if not isinstance(limit, Number) or limit.unit == "1" or not compatible(limit.unit, own):
            return None
        return Test(Thing(Quantity(kind)), side, limit, upper)  # type: ignore[arg-type]

    return test


def compared_as(thing: Thing, named: tuple[str, str], limit: Any) -> Test | None:
    """``slopes steeper than``, of the quantity that the word compares alone."""
    same = any(isinstance(part, Quantity) and part.kind == named[0] for _, part in walk(thing.x))
    return compare(thing, (named[1], limit, None)) if same else None


def span(first: Times, last: Times) -> Times | None:
    """From the first day of one time to the last of another; a month without a year is of that of the other."""
    first = _of_year(first, last)
    if first.first is None or last.last is None or first.first > last.last:
        return None
    return Times(first.first, last.last)


def since(when: Times) -> Times | None:
    return Times(when.first, None) if when.first else None


def after(when: Times) -> Times | None:
    return Times(when.last + timedelta(days=1), None) if when.last else None


def until(when: Times) -> Times | None:
    return Times(None, when.last) if when.last else None


def before(when: Times) -> Times | None:
    return Times(None, when.first - timedelta(days=1)) if when.first else None


def compared(named: tuple[str, str], limit: Any) -> Test:
    return Test(Thing(Quantity(named[0])), named[1], limit)  # type: ignore[arg-type]


def joined(how: str) -> Any:
    return lambda a, b: Joined(how, (a, b))


def areas_per(key: str) -> Thing | None:
    """``the area of each class``."""
    return _fits(Thing(Over(LAND_COVER, "space", "area"))) if key == "classes" else None
