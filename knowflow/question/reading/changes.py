"""What two nouns, or one at two times, on two grounds or along time make: functions of the rules."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from knowflow.question.operators import (
    Along,
    And,
    Anomaly,
    Beyond,
    Calculate,
    Correlate,
    During,
    Expression,
    Extreme,
    Grain,
    Not,
    Number,
    Over,
    Quantity,
    Show,
    Side,
    Split,
    Statistic,
    Trend,
    walk,
)
from knowflow.question.reading.grounds import in_unit_of
from knowflow.question.reading.keys import Keys, ranked
from knowflow.question.reading.limits import compare
from knowflow.question.reading.nouns import PERCENT, fits, gathered_in, outer, per, statistic_of, told_in
from knowflow.question.reading.order import (
    Clause,
    Test,
    Thing,
    closed,
    dated,
    holding,
    maps_of_years,
    of_all_times,
    typed,
)
from knowflow.question.reading.restricted import during, grounded, within
from knowflow.question.reading.rows import of_named_rows
from knowflow.question.reading.spans import grain_of, in_order, span
from knowflow.question.times import Times, of_year


def of_two(how: str, one: str, other: str, thing: Thing) -> Thing | None:
    """``the gap between the highest and the lowest``: of two statistics of one noun."""
    a, b = _one_more(one, thing), _one_more(other, thing)
    return None if a is None or b is None or one == other else calculated(how, a, b)


def _one_more(said: str, thing: Thing) -> Thing | None:
    return outer(said, thing) if thing.keys else statistic_of(said, thing)


def lower(side: str, thing: Thing, times: tuple[Times, Times]) -> Test | None:
    """``NDVI was lower in 2017 than in 2016``: what it was, all in all, at one time beside another."""
    own = typed(thing.x)
    if thing.then is None and thing.statistic is None:
        thing = replace(thing, then="sum" if own is not None and "time" in own.measure.adds else "mean")
    a, b = during(thing, times[0]), during(thing, times[1])
    return None if a is None or b is None or thing.keys else Test(a, side, b, itself=True)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Change:
    """What changed, or is compared with itself, before it is said between which times; ``down``: told downwards."""

    how: str
    thing: Thing
    down: bool = False
    unit: str | None = None

    def of(self, restrict: Callable[[Thing, Any], Thing | None], by: Any) -> Change | None:
        """The same of some ground alone."""
        found = restrict(self.thing, by)
        return None if found is None else replace(self, thing=found)


def change_of(how: str, thing: Thing) -> Change:
    return Change(how, thing)


def turned(thing: Thing, way: str) -> Change:
    """``how much did it rise``, or fall: by how much it is more, or less, than it was."""
    return Change("difference", thing, way == "down")


def change_in(unit: str, change: Change | None) -> Change | None:
    """``by how many hectares did it grow``; how many percent is asked of what it was, unless it is a share itself."""
    if change is None or change.unit is not None:
        return None
    if unit != PERCENT:
        all_of_it = replace(change, unit=unit, thing=gathered_in(unit, change.thing))
        return all_of_it if change.how == "difference" else None
    return replace(change, how="percent_change")


class Relatively(tuple[Times, Times]):
    """Two times between which a change is told in relation to what there was: ``shrank, relatively, from 2000 to``."""


def changed(change: Change, two: tuple[Times, Times]) -> Thing | None:
    """A change from the first time to the second."""
    if isinstance(two, Relatively):
        told = change_in(PERCENT, change)
        return None if told is None else changed(told, (two[0], two[1]))
    if change.how == "difference":
        found = at_two("difference", change.thing, two[::-1] if change.down else two)
        return found if change.unit is None else in_unit_of(change.unit, found)
    found = at_two(change.how, change.thing, two)
    return Thing(Calculate("product", found.x, Number(-1.0))) if found is not None and change.down else found


def compared_at(change: Change, two: tuple[Times, Times]) -> Thing | None:
    """How much more it is at the first time than at the second."""
    return changed(replace(change, down=False), two[::-1])


def shifted(thing: Thing, way: str, times: tuple[Times, Times], bound: tuple[str, Any, Any]) -> Test | None:
    """``fell by more than 0.2``, pixel by pixel: by how much it is less than it was is beyond a limit."""
    change = changed(turned(thing, way), times) if bound[0] in ("above", "at_least") else None
    own = None if change is None else typed(change.x)
    return compare(Thing(change.x), bound) if change is not None and own is not None and own.space else None


def rate(thing: Thing, way: str) -> Thing | None:
    """``how fast did it rise`` is its trend, and ``fall`` how much less it is from year to year."""
    slope = trend("linear", thing)
    return slope if slope is None or way == "up" else fits(Thing(Calculate("product", slope.x, Number(-1.0))))


def rate_in(unit: str, thing: Thing, way: str) -> Thing | None:
    """``by how many kelvin per year did it rise``."""
    return in_unit_of(f"{unit} year-1", rate(thing, way))


def most_moved(keys: Keys, way: str, thing: Thing | None, two: tuple[Times, Times]) -> Expression | None:
    """``which field fell most between two times``."""
    change = None if thing is None else changed(turned(thing, way), two)
    found = None if change is None else ranked(keys, "maximum", change)
    if found is not None or thing is None or keys.when is not None or isinstance(keys.level, str):
        return found
    keyed = per(thing, keys.level)  # what has no pixels left is told of each before it is compared
    change = None if keyed is None else changed(turned(keyed, way), two)
    x = None if change is None else closed(change)
    found = None if x is None else Extreme(x, "highest")
    return found if found is not None and typed(found) is not None else None


def most_changed(keys: Keys, said: str, change: Change, two: tuple[Times, Times]) -> Expression | None:
    """``which stand saw the largest drop``."""
    plain = said == "maximum" and change.how in ("difference", "percent_change") and change.unit is None
    two = Relatively(two) if change.how == "percent_change" else two
    return most_moved(keys, "down" if change.down else "up", change.thing, two) if plain else None


def ground_at(ground: Expression, when: Times) -> Expression | None:
    """Ground as it was at a time: wherever it was so on one of its dates."""
    then = during(ground, when)
    own = None if then is None else typed(then)
    if then is None or own is None:
        return None
    x = Over(then, "time", "any") if "date" in own.keys else then
    return x if typed(x) is not None else None


def became(ground: Expression, how: str, two: tuple[Times, Times]) -> Expression | None:
    """Ground that was lost from one time to another, or gained."""
    before, after = (ground_at(ground, when) for when in two)
    if before is None or after is None:
        return None
    return And((before, Not(after))) if how == "lost" else And((after, Not(before)))


def is_change(x: Expression) -> bool:
    """Whether it tells what changed by itself: of two dates, not of one."""
    kinds = [part.kind for _, part in walk(x) if isinstance(part, Quantity)]
    return kinds != [] and set(kinds) <= {"dnbr", "rdnbr", "temperature_difference", "elevation_difference"}


def change_map(thing: Thing, two: tuple[Times, Times]) -> Expression | None:
    """A map of what changed from one time to another; of what adds up over the ground what it did in each pixel."""
    maps = [_map_of(one, True) for when in two[::-1] if (one := during(thing, when)) is not None]
    if len(maps) < 2 or maps[0] is None or maps[1] is None:
        return None
    x = Calculate("difference", maps[0], maps[1])
    own = typed(x)
    return Show(x, "map") if own is not None and own.space else None


def map_of_difference(a: Thing, b: Thing) -> Expression | None:
    """``map the irradiance of June minus that of December``: of two that are as they are, pixel by pixel."""
    maps = [_map_of(of_its_year(one, other)) for one, other in ((a, b), (b, a))]
    if maps[0] is None or maps[1] is None:
        return None
    x = Calculate("difference", maps[0], maps[1])
    own = typed(x)
    return Show(x, "map") if own is not None and own.space else None


def difference_map(a: Times, b: Times, thing: Thing) -> Expression | None:
    """``map 2021 minus 2018``."""
    return change_map(thing, (b, a))


def apart(thing: Thing, b: Times) -> tuple[Thing, tuple[Times, Times]] | None:
    """``NDVI in June 2020 and June 2019``: of what, and the two times."""
    whole, times = of_all_times(thing.x)
    return (replace(thing, x=whole), in_order(times[0], b)) if len(times) == 1 else None


def at_any(ground: Expression, when: Times | Expression) -> Expression | None:
    """``ground that burned between``: that was so on any of the dates; of a map of classes the one of that time."""
    then = during(ground, when)
    own = None if then is None else typed(then)
    return Over(then, "time", "any") if then is not None and own is not None and "date" in own.keys else then


def of_ground_then(thing: Thing, place: Expression, when: Times | Expression) -> Thing | None:
    """``the mean elevation of the snow on 15 April``: the time is that of the ground, where the noun has none."""
    types = [typed(part) for _, part in walk(thing.x)]
    where = None if any(own is None or "date" in own.keys for own in types) else at_any(place, when)
    return None if where is None else within(thing, where)


def always(clause: Clause, statistic: Statistic = "all") -> Expression | None:
    """``in every single year``, ``on all dates``; ``any``: at least once."""
    x = holding(clause, "pixel")
    x = None if x is None else maps_of_years(x)
    own = None if x is None else typed(x)
    return Over(x, "time", statistic) if x is not None and own is not None and own.grain is not None else None


def in_all(clause: Clause, grain: Grain) -> Expression | None:
    """``in all four years``: of years with several dates on any of these."""
    x = holding(clause, "pixel")
    own = None if x is None else typed(x)
    if x is None or own is None or "date" not in own.keys or grain == "date":
        return always(clause)
    found = Over(Over(Split(x, grain), "time", "any"), "time", "all")
    return found if typed(found) is not None else None


def often(statistic: Statistic) -> Callable[..., Expression | None]:
    """``on at least two days``, ``on more than half of the dates``; of years and months: in which it was so at all."""

    def test(clause: Clause, bound: tuple[Side, Number, Number | None], grain: Grain) -> Expression | None:
        x = holding(clause, "pixel")
        own = None if x is None else typed(x)
        if x is None or own is None or "date" not in own.keys:
            return None
        if statistic == "share" and bound[1].unit == "1" and bound[1].value >= 1:
            return None  # one of the dates is none of its shares
        of_each = x if grain == "date" else Over(Split(x, grain), "time", "any")
        found = Beyond(Over(of_each, "time", statistic), *bound)
        return found if typed(found) is not None else None

    return test


def before_after(thing: Thing, a: Times, b: Times) -> Thing | None:
    """``dNBR (8 July minus 1 September 2017)``: of what tells what changed by itself, before minus after."""
    when = span(a, b) if is_change(thing.x) else None
    return None if when is None or in_order(a, b)[0] != of_year(a, b) else during(thing, when)


def less(thing: Thing, a: Times, b: Times) -> Thing | None:
    """``2021 minus 2018``; by how much one is more than that of the other."""
    return at_two("difference", thing, (b, a))


def calculated(how: str, a: Thing, b: Thing) -> Thing | None:
    one, other = closed(of_its_year(a, b)), closed(of_its_year(b, a))
    if one is None or other is None:
        return None
    found = Thing(Calculate(how, one, other))  # type: ignore[arg-type]  # the words list kinds of arithmetic
    return found if how == "percent_change" else fits(found)  # of which there may be none, which is to be told


def of_its_year(thing: Thing, other: Thing) -> Thing:
    """``rain in April beside rain in November 2019``: a month without its year is of that of the other, and what is
    taken over all months of that name is of no year."""
    if any(isinstance(part, Split) and isinstance(part.key, str) for _, part in walk(thing.x)):
        return thing
    (x, own), (_, told) = of_all_times(thing.x), of_all_times(other.x)
    if len(own) != 1 or len(told) != 1 or (when := of_year(own[0], told[0])) == own[0]:
        return thing
    return during(replace(thing, x=x), when) or thing


def of_one_time(how: str, a: Thing, b: Thing) -> Thing | None:
    """Two of which both tell their dates, or neither: a time that is said of one alone is meant of both."""
    return calculated(how, a, b) if dated(a.x) == dated(b.x) else None


def at_two(how: str, thing: Thing, times: tuple[Times, Times]) -> Thing | None:
    """What changed from one time to another: means pixel by pixel, so that both are of the ground that both know."""
    if len(thing.keys) == 1 and {grain_of(one) for one in times} == {thing.keys[0]} and not thing.outer:
        thing = replace(thing, keys=())  # annual means of two years
    before, after = during(thing, times[0]), during(thing, times[1])
    if before is None or after is None:
        return None
    maps = [_map_of(one) for one in (after, before)] if how == "difference" else []
    if not maps or maps[0] is None or maps[1] is None:
        return calculated(how, after, before)
    return fits(Thing(Calculate("difference", maps[0], maps[1]), "mean"))


def _map_of(thing: Thing, stocks: bool = False) -> Expression | None:
    """The pixels that a mean over the ground is of, their dates taken together; None where it is another statistic.
    What adds up over the ground has a sum, and is of pixels on maps alone: ``stocks``."""
    own = typed(thing.x)
    plain = thing.statistic in (None, "mean") and not (thing.keys or thing.outer or thing.unit or thing.by)
    if own is None or not plain or own.of != "number" or not own.space or ("space" in own.measure.adds and not stocks):
        return None
    usual = "sum" if "time" in own.measure.adds and thing.statistic is None else "mean"
    return closed(replace(thing, statistic=None, then=thing.then or usual), "pixel")  # type: ignore[arg-type]


def in_two(how: str, thing: Thing, places: tuple[Expression, Expression]) -> Thing | None:
    a, b = within(thing, places[0]), within(thing, places[1])
    return None if a is None or b is None else calculated(how, a, b)


def _of_both(thing: Thing, other: Thing) -> Thing | None:
    """A time that is said of one alone is meant of both."""
    (_, told), (_, own) = of_all_times(other.x), of_all_times(thing.x)
    found: Thing | None = thing
    for one in told if not own else ():
        found = None if found is None else during(found, one)
    return found if own or told else None


def correlated_by(grain: str, a: Thing, b: Thing) -> Thing | None:
    """``across the years``: over one number of each, of periods or dates."""
    if a.keys or b.keys:
        return None
    one, other = closed(a, grain), closed(b, grain)
    return None if one is None or other is None else fits(Thing(Correlate(one, other, "time")))


def correlated_over(a: Thing, b: Thing) -> Thing | None:
    """``cell by cell``: of two maps, each all in all of its time; annual rain of a year is what fell in it."""
    maps = []
    for one in (a, b):
        told = of_all_times(one.x)[1]
        alone = len(told) == 1 and one.keys == (grain_of(told[0]),) and not one.outer
        own = typed(one.x)
        total = own is not None and "time" in own.measure.adds and one.statistic is None
        one = replace(one, keys=()) if alone else one
        maps.append(closed(replace(one, then=one.then or ("sum" if total else "mean")), "pixel"))
    return None if maps[0] is None or maps[1] is None else fits(Thing(Correlate(maps[0], maps[1], "space")))


def correlated(a: Thing, b: Thing) -> Thing | None:
    """Pixel by pixel where both have pixels and no dates are left, else over the dates of their means."""
    first, second = typed(a.x), typed(b.x)
    if first is None or second is None:
        return None
    of_times = all("date" in own.keys or of_named_rows(one.x) for one, own in ((a, first), (b, second)))
    if of_times and dated(a.x) != dated(b.x):
        one, other = _of_both(a, b), _of_both(b, a)
        return None if one is None or other is None else correlated(one, other)
    if len({grounded(one.x) or of_named_rows(one.x) for one in (a, b)}) > 1:
        return None  # what is told of one ground alone is meant of both
    if a.keys or b.keys:
        grain = a.keys[0] if len(a.keys) == 1 and b.keys in (a.keys, ()) else None
        grain = b.keys[0] if len(b.keys) == 1 and a.keys == () else grain  # annual rain and NDVI
        plain = [replace(one, keys=()) for one in (a, b)]
        return correlated_by(grain, *plain) if isinstance(grain, str) else None
    if first.space and second.space and not (a.statistic or b.statistic):
        axes = "both" if "date" in first.keys and "date" in second.keys else "space"
        maps = [
            Thing(one.x if axes == "both" or "date" not in own.keys else Over(one.x, "time", "mean"))
            for one, own in ((a, first), (b, second))
        ]
        return fits(Thing(Correlate(maps[0].x, maps[1].x, axes)))  # type: ignore[arg-type]
    return correlated_by("date", a, b)


def trend(method: str, thing: Thing, pixel: bool = False, each: bool = False) -> Thing | None:
    """Of a quantity without a statistic "per year" is what the trend is told in, unless it is of ``each`` year."""
    own = typed(thing.x)
    totals = own is not None and "time" in own.measure.adds  # annual rain is the total of a year
    if thing.keys == ("year",) and thing.statistic is thing.then is None and not (totals or each):
        thing = replace(thing, keys=())
    grain = next((key for key in thing.keys if isinstance(key, str)), "date")
    if thing.outer:
        return None
    if not any(isinstance(key, str) for key in thing.keys) and _has_maps(thing.x):
        grain = "year"
    x = closed(thing, "pixel" if pixel else grain)
    found = None if x is None else fits(Thing(Trend(x, method)))  # type: ignore[arg-type]
    return found if found is None or thing.unit is None else told_in(f"{thing.unit} year-1", found)


def _has_maps(x: Expression) -> bool:
    """Whether it is of maps of classes, which may be of several years."""
    own = typed(maps_of_years(x))
    return own is not None and own.grain == "year" and maps_of_years(x) != x


def stepwise(how: str, thing: Thing) -> Thing | None:
    """``the change from one date to the next``; of periods from one of them to the next."""
    grain = next((key for key in thing.keys if isinstance(key, str)), "date")
    x = closed(thing, grain) if how == "difference" and not thing.outer else None
    return None if x is None else fits(Thing(Along(x, "change"), keys=(grain,)))


def running(n: float, thing: Thing) -> Thing | None:
    grain = next((key for key in thing.keys if isinstance(key, str)), "date")
    x = closed(thing, grain)
    return None if x is None or n != int(n) else fits(Thing(Along(x, "running", int(n)), keys=(grain,)))


def anomaly(how: str, thing: Thing) -> Thing | None:
    """The times that a noun is of are those whose anomaly is told: it is against all the other years."""
    grain = next((key for key in thing.keys if isinstance(key, str)), "date")
    whole, times = of_all_times(thing.x)
    x = closed(replace(thing, x=whole), grain)
    found: Expression | None = None if x is None else Anomaly(x, how)  # type: ignore[arg-type]  # the words list kinds
    for one in times:
        found = None if found is None else During(found, one)
    return None if found is None else fits(Thing(found, keys=(grain,)))
