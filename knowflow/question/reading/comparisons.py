"""What is more, or less, than another: than itself at another time or elsewhere, than the same months of another year,
than the other years; by how much, by how many percent, how many times: functions of the rules."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any

from knowflow.question.operators import (
    Anomaly,
    Beyond,
    Calculate,
    During,
    Expression,
    Not,
    Number,
    Quantity,
    Within,
    walk,
    with_children,
)
from knowflow.question.reading.changes import (
    Change,
    anomaly,
    at_two,
    calculated,
    change_in,
    lower,
)
from knowflow.question.reading.grounds import area_of, in_unit_of
from knowflow.question.reading.limits import compare
from knowflow.question.reading.nouns import PERCENT, fits, graded, outer, per
from knowflow.question.reading.order import Test, Thing, closed, dated, of_all_times, typed
from knowflow.question.reading.restricted import during, grounded, within
from knowflow.question.reading.spans import grain_of, same_part, than
from knowflow.question.reading.usual import beyond_usual
from knowflow.question.reading.vocabulary import Chosen
from knowflow.question.times import Times

Degree = tuple[str, str]
"""``higher``, ``warmer``: above or below, and the quantity that the word grades, where it grades one alone."""

SIZE = "size"
"""What grades ground alone: how large it is."""

Other = tuple[str, Any]
"""What something is compared with: ``thing``, ``when``, ``where``, ``rest`` (of the ground), ``chosen`` (another
layer), ``that`` (of a time), ``same`` (months) or ``years`` (the others)."""


@dataclass(frozen=True, slots=True)
class Measure:
    """How a comparison is told: as ``difference``, ``percent_change`` or ``ratio``, in which unit."""

    how: str = "difference"
    unit: str | None = None


@dataclass(frozen=True, slots=True)
class Compared:
    """What is more or less, before it is said than what; ``by`` is a limit of how much."""

    thing: Thing
    side: str
    by: Any = None


def more(degree: Degree, of: Any, by: Any = None) -> Compared | None:
    """``was the lake larger``, ``was it warmer``: what a word grades, of what it is said of."""
    side, kind = degree
    if kind == SIZE and isinstance(of, Expression):
        thing = area_of(of)
    elif kind in ("", SIZE):
        thing = of if isinstance(of, Thing) else None
    else:
        thing = graded((kind, side), of)
    return None if thing is None else Compared(thing, side, by)


def of_compared(change: Any, one: Compared, by: Any) -> Compared | None:
    thing = change(one.thing, by)
    return None if thing is None else replace(one, thing=thing)


def arithmetic(how: str, thing: Thing, other: Other) -> Thing | None:
    """``the ratio of the area in 2020 to that in 2015``."""
    return _calculated(how, thing, other) if other[0] in ("when", "that", "where", "mean") else None


def against(thing: Thing, other: Other) -> Thing | None:
    """``the anomaly of 2022 relative to the mean of 2016 to 2021``: against those years."""
    kind, when = other
    told = [part.when for _, part in walk(thing.x) if isinstance(part, During) and isinstance(part.when, Times)]
    if kind != "mean" or not isinstance(when, Times) or any(_overlap(one, when) for one in told):
        return None  # which is against years that leave out the one that is asked about

    def based(x: Expression) -> Expression:
        return replace(x, base=when) if isinstance(x, Anomaly) and x.base is None else with_children(x, based)

    found = based(thing.x)
    return None if found == thing.x else fits(replace(thing, x=found))


def at_its_time(other: Other, when: Times | Expression) -> Other | None:
    """``that of Hill Field on 4 August``: of the ground, at a time that is meant of both."""
    return ("then", (other, when)) if other[0] in ("where", "rest", "side", "chosen") else None


def two_of(thing: Thing, other: Other) -> tuple[Thing, Thing] | None:
    """What is compared, and what with, each by itself."""
    kind, by = other = _of_its_part(thing, other)
    if kind == "then":
        found = during(thing, by[1])
        return None if found is None else two_of(found, by[0])
    if kind == "where":
        return _grounds_apart(thing, by)
    if kind == "when":
        parted = _times_apart(thing, by)
        one, two = (None, None) if parted is None else (during(parted[0], when) for when in parted[1])
        return None if one is None or two is None else (one, two)
    if kind == "chosen":
        return _layers_apart(thing, by)
    grounds = {part.where for _, part in walk(thing.x) if isinstance(part, Within) and not _of_clouds(part)}
    if kind == "side":
        limit = grounds.pop() if len(grounds) == 1 else None
        apart = isinstance(limit, Beyond) and {limit.side, by} == {"above", "below"}
        return _grounds_apart(thing, replace(limit, side=by)) if isinstance(limit, Beyond) and apart else None
    if kind == "rest":
        return _grounds_apart(thing, Not(grounds.pop())) if len(grounds) == 1 else None
    return (thing, by) if kind == "thing" and isinstance(by, Thing) else None


def _layers_apart(thing: Thing, one: Chosen) -> tuple[Thing, Thing] | None:
    """A noun of the layer that it names by a fact, and of another: ``in the 100-year than in the 10-year event``."""

    def of_other(x: Expression) -> Expression:
        if isinstance(x, Quantity) and one.fact in dict(x.having):
            return replace(x, having=tuple({**dict(x.having), one.fact: one.value}.items()))
        return with_children(x, of_other)

    other = fits(replace(thing, x=of_other(thing.x)))
    return None if other is None or other == thing else (thing, other)


def _overlap(one: Times, other: Times) -> bool:
    ends = (one.first, one.last, other.first, other.last)
    return None in ends or (one.first <= other.last and other.first <= one.last)  # type: ignore[operator]  # none is None


def anomaly_of(thing: Thing, how: str, when: Times | Expression, other: Other) -> Thing | None:
    """``the anomaly of 2017 relative to the mean of 2011 to 2021``, which has that year: less that mean."""
    own = during(thing, when)
    overlap = other[0] == "mean" and isinstance(when, Times) and _overlap(when, other[1])
    fits = isinstance(when, Times) and (grain_of(when) == "year" or _is_of_month(when, other[1]))
    return _calculated("difference", own, other) if own and how == "difference" and overlap and fits else None


def _is_of_month(when: Times, all_of_them: Times) -> bool:
    """Whether a month is one of all those of its name: May 2020 of all Mays."""
    return grain_of(when) == "month" and when.first is not None and Times(month=when.first.month) == all_of_them


def than_average(thing: Thing, side: str, when: Times | None = None) -> Test | None:
    """``years with rainfall below average``: below the mean of what is held against it, or of that in another time."""
    limit = None if thing.keys or thing.outer else replace(thing, outer=(("mean", None),))
    limit = limit if limit is None or when is None else during(limit, when)
    return None if limit is None else Test(thing, side, limit, same=True)  # type: ignore[arg-type]  # the words list sides


def by_how_much(measure: Measure, one: Compared, other: Other) -> Thing | None:
    """By how much one is more than another, or less; by how many percent of the other; how many times."""
    if one.by is not None:
        return None
    found = _calculated(measure.how, one.thing, other, down=one.side == "below")
    if found is None or measure.unit is None:
        return found
    return in_unit_of(measure.unit, found)


def in_measure(unit: str) -> Measure:
    return Measure("percent_change") if unit == PERCENT else Measure("difference", unit)


def told_as(measure: Measure, change: Change) -> Change | None:
    """A change with how it is to be told: in a unit, in percent of what it was."""
    if measure.how == "difference":
        return change if measure.unit is None else change_in(measure.unit, change)
    return change_in(PERCENT, change) if measure.how == "percent_change" else None


def _calculated(how: str, thing: Thing, other: Other, down: bool = False) -> Thing | None:
    kind, by = other = _averaged(thing, other)
    turned = down and how != "percent_change"  # which is of the other, whichever is more
    if kind == "when":
        parted = _times_apart(thing, by)
        found = None if parted is None else at_two(how, parted[0], parted[1] if turned else parted[1][::-1])
    elif kind == "years":
        turned, found = False, _of_other_years(how, thing)
    else:
        pair = two_of(thing, other)
        found = None if pair is None else calculated(how, *(pair[::-1] if turned else pair))
    if found is None or turned or not down:
        return found
    return Thing(Calculate("product", found.x, Number(-1.0)))


def _averaged(thing: Thing, other: Other) -> Other:
    """``the mean of 2011 to 2020``: of what adds up over time the mean of its years, or months, as that which is
    compared is of one."""
    kind, when = other = _of_its_part(thing, other)
    x, said = of_all_times(thing.x)
    own = typed(x)
    told, parts = _year_and_parts(said, when)
    if kind != "mean" or own is None or told is None or len(parts) > 1:
        return other
    base = during(replace(thing, x=x), when)
    for part in parts:  # the rains of March to May 2019 are held against those of March to May
        base = None if base is None else during(base, part)
    if base is None or "time" not in own.measure.adds:
        alike = None if base is None or not parts else closed(base)
        return ("when", when) if alike is None else ("thing", Thing(alike))
    grain = grain_of(told)
    keyed = None if grain is None or (parts and grain != "year") else per(base, grain)
    found = None if keyed is None else outer("mean", keyed)
    mean = None if found is None else closed(found)
    return ("mean", when) if mean is None else ("thing", Thing(mean))


def _year_and_parts(told: tuple[Times, ...], when: Any) -> tuple[Times | None, list[Times]]:
    """The one time with a year that is told, and the months of any year that it is of; whole months of one year, where
    they are held against several whole years, as that year and these months."""
    parts, dated = [one for one in told if one.month], [one for one in told if not one.month]
    one = dated[0] if len(dated) == 1 else None
    if one is None or one.first is None or one.last is None or not _are_years(when):
        return one, parts
    first, last = one.first, one.last
    if first.year != last.year or first.day != 1 or (last + timedelta(days=1)).day != 1 or grain_of(one) == "year":
        return one, parts
    months = Times(month=first.month, until=last.month if last.month > first.month else 0)
    return Times(date(first.year, 1, 1), date(first.year, 12, 31)), [*parts, months]


def _are_years(when: Any) -> bool:
    """Whether a time is of several years from the first day to the last."""
    if not isinstance(when, Times) or when.first is None or when.last is None or when.first.year == when.last.year:
        return False
    return (when.first.month, when.first.day, when.last.month, when.last.day) == (1, 1, 12, 31)


def _of_its_part(thing: Thing, other: Other) -> Other:
    """``that of 2018``: of what is told of a part of a year, that of the same part; else of all that is said."""
    told = of_all_times(thing.x)[1] if other[0] == "that" else ()
    same = same_part(told[0], other[1]) if len(told) == 1 else None
    return ("when", same or other[1]) if other[0] == "that" else other


def _is_more_of_it(thing: Thing, one: Times, when: Times) -> bool:
    """Whether a total of a part of a year would be held against that of all of another."""
    own = typed(thing.x)
    return own is not None and "time" in own.measure.adds and same_part(one, when) is not None


def _times_apart(thing: Thing, when: Any) -> tuple[Thing, tuple[Times, Times]] | None:
    """A noun without the one time that it tells, that time, and the one that it is compared with."""
    x, told = of_all_times(thing.x)
    if not isinstance(when, Times):
        return None
    alike = [one for one in told if (one.first is None) == (when.first is None)] if len(told) > 1 else told
    base: Thing | None = replace(thing, x=x)
    for one in told:
        base = base if one in alike or base is None else during(base, one)  # March to May, of either year
    if base is None or len(alike) != 1 or _is_more_of_it(base, alike[0], when):
        return None
    return base, than(alike[0], when)


def _grounds_apart(thing: Thing, where: Expression) -> tuple[Thing, Thing] | None:
    """A noun on the one ground that it tells, and on another."""
    if thing.statistic == "area" and not any(isinstance(part, Within) for _, part in walk(thing.x)):
        x, told = of_all_times(thing.x)
        other = area_of(where)
        for one in told:
            other = None if other is None else during(other, one)
        return None if other is None or x == where else (thing, other)
    told_grounds = {part.where for _, part in walk(thing.x) if isinstance(part, Within) and not _of_clouds(part)}
    if len(told_grounds) != 1:
        return None
    own = next(iter(told_grounds))

    def elsewhere(x: Expression) -> Expression:
        if isinstance(x, Within) and x.where == own:
            return replace(x, where=where)
        return with_children(x, elsewhere)

    other = fits(replace(thing, x=elsewhere(thing.x)))
    return None if other is None or other == thing else (thing, other)


def _of_clouds(x: Within) -> bool:
    return x.where == Not(Quantity("cloud_mask"))


def _of_other_years(how: str, thing: Thing) -> Thing | None:
    """Against the mean of the other years: each date against the same season of these, of amounts all of them."""
    own = typed(thing.x)
    adds = own is not None and "time" in own.measure.adds
    if thing.keys or how not in ("difference", "percent_change") or (adds and how == "percent_change"):
        return None
    found = anomaly("difference" if how == "difference" else "percent", replace(thing, keys=("date",)))
    return None if found is None else outer("sum" if adds else "mean", found)


def test_of(one: Compared, other: Other) -> Test | None:
    """Whether one is more than another, or more by a limit."""
    kind, by = other = _averaged(one.thing, other)
    if one.by is not None:
        return _by_limit(one, other)
    if kind == "when":
        parted = _times_apart(one.thing, by)
        return None if parted is None else lower(one.side, *parted)
    if kind == "years":
        return beyond_usual(one.thing, one.side)
    if kind == "same":
        return None if dated(one.thing.x) else _of_same(one, by)
    pair = two_of(one.thing, other)
    return None if pair is None else compare(_there_too(*pair), (one.side, pair[1], None))


def _there_too(thing: Thing, other: Thing) -> Thing:
    """``more clay than sand in Nord``: two quantities on the ground that is told behind both."""
    if isinstance(thing.x, Quantity) and isinstance(other.x, Within) and isinstance(other.x.x, Quantity):
        return (within(thing, other.x.where) or thing) if thing.x != other.x.x else thing
    return thing


def _of_same(one: Compared, when: Times) -> Test | None:
    limit = during(one.thing, when)
    return None if limit is None else Test(one.thing, one.side, limit, same=True)  # type: ignore[arg-type]


def _by_limit(one: Compared, other: Other) -> Test | None:
    """``more than 0.5 K warmer than``: of a difference, date by date where both have dates."""
    if other[0] == "when":
        found = _calculated("difference", one.thing, other, down=one.side == "below")
        return None if found is None else compare(found, one.by)
    pair = two_of(one.thing, other)
    if pair is None:
        return None
    sides = [closed(each, "date") or closed(each) for each in (pair if one.side == "above" else pair[::-1])]
    if sides[0] is None or sides[1] is None:
        return None
    x = Calculate("difference", sides[0], sides[1])
    return None if typed(x) is None else compare(Thing(x), one.by)


def at_both(one: Compared, two: tuple[Times, Times]) -> Compared | None:
    """Of the first of two times."""
    return of_compared(during, one, two[0])


def restricted_alike(one: Compared, other: Other) -> bool:
    """Whether both tell their dates and their ground, or neither: what is said of one alone is meant of both."""
    if other[0] != "thing":
        return True
    a, b = one.thing.x, other[1].x
    return dated(a) == dated(b) and grounded(a) == grounded(b)
