"""What limits make of nouns: clauses that hold beyond them, and ground so high: functions of the rules."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.units import compatible, convert
from knowflow.question.operators import (
    SURVEYED,
    And,
    Expression,
    Number,
    Quantity,
    walk,
)
from knowflow.question.reading.nouns import PERCENT, in_time, of_periods
from knowflow.question.reading.order import Clause, Joined, Test, Thing, holding, of_all_times, typed
from knowflow.question.reading.restricted import during, within
from knowflow.question.times import Times

EXACTLY = "exactly"
"""A side on which there is only what is counted: no type fits what was measured and is exactly so much."""


def near(kind: str, bound: tuple[str, Any, Any]) -> Expression | None:
    """``within 500 m of a road``: by the map of the distance to it."""
    test = suggested(kind)(bound)
    return None if test is None else holding(test, "pixel")


def beyond(side: str, limit: Any) -> tuple[str, Any, Any]:
    return side, limit, None


def denied(bound: tuple[str, Any, Any]) -> tuple[str, Any, Any] | None:
    opposite = {"above": "at_most", "below": "at_least", "at_least": "below", "at_most": "above"}
    return (opposite[bound[0]], *bound[1:]) if bound[0] in opposite else None


def between(low: Number, high: Number) -> tuple[str, Any, Any] | None:
    if low.unit == "1" and high.unit != "1":
        low = replace(low, unit=high.unit)
    wraps = low.unit == "degree"  # from 315 to 45
    return ("between", low, high) if low.unit == high.unit and (wraps or low.value < high.value) else None


def crossed(way: str, side: str, limit: Any) -> tuple[str, Any, Any] | None:
    """``fell below 40 %``: what falls is below, what rises above."""
    return (side, limit, None) if (way, side) in (("up", "above"), ("down", "below")) else None


def fallen(bound: tuple[str, Any, Any]) -> Test | None:
    """``less than 20 mm fell``: of precipitation, all of the time."""
    test = suggested("precipitation")(bound)
    return None if test is None else replace(test, left=replace(test.left, then="sum"))


def both_sides(one: str, low: Number, other: str, high: Number) -> tuple[str, Any, Any] | None:
    """``at least 5 and at most 15``."""
    return between(low, high) if (one, other) == ("at_least", "at_most") else None


def compare(thing: Thing, bound: tuple[str, Any, Any]) -> Test | None:
    if of_periods(thing) and len(thing.keys) > 1:
        return None
    side, limit, upper = bound
    own = typed(thing.x)
    if own is None:
        return None
    if limit == Number(0.0) and own.of == "number":  # which is the same in all units but those of temperatures
        limit = Number(0.0, "degC" if compatible(own.measure.unit, "K") else own.measure.unit)
    if own.of == "number" and _is_told_bare(thing):
        limit, upper = (_in_its_unit(one, own.measure.unit) for one in (limit, upper))
    if own.of == "number" and _in_percent_too(thing):
        limit, upper = (_in_percent(one) for one in (limit, upper))
    return Test(thing, side, limit, upper)  # type: ignore[arg-type]  # the words list sides


def _is_told_bare(thing: Thing) -> bool:
    kinds = [quantity_kinds().get(part.kind) for _, part in walk(thing.x) if isinstance(part, Quantity)]
    return bool(kinds) and all(one is not None and one.told_bare for one in kinds)


def _in_its_unit(limit: Any, unit: str) -> Any:
    return Number(limit.value, unit) if isinstance(limit, Number) and limit.unit == "1" else limit


def _in_percent_too(thing: Thing) -> bool:
    """Whether it is a quantity between 0 and 1 that people tell in percent, and not the sign: a VHI below 40."""
    kinds = [quantity_kinds().get(part.kind) for _, part in walk(thing.x) if isinstance(part, Quantity)]
    return bool(kinds) and all(one is not None and one.range == (0, 1) and PERCENT in one.units_beside for one in kinds)


def _in_percent(limit: Any) -> Any:
    beyond = isinstance(limit, Number) and limit.unit == "1" and limit.value > 1
    return Number(limit.value, PERCENT) if beyond else limit


_OF_HEIGHTS = 0.1  # metres: nobody tells those of the ground in millimetres


def suggested(kind: str) -> Any:
    """``above 400 m``, ``above 300 K``: of what has that unit; which of several, the data tell."""
    own = quantity_kinds()[kind].unit

    def test(bound: tuple[str, Any, Any]) -> Test | None:
        side, limit, upper = bound
        if not isinstance(limit, Number) or limit.unit == "1" or not compatible(limit.unit, own):
            return None
        if kind == "elevation" and convert(1.0, limit.unit, own) < _OF_HEIGHTS:
            return None
        return Test(Thing(Quantity(kind)), side, limit, upper)  # type: ignore[arg-type]

    return test


def of_survey(bound: tuple[str, Any, Any], when: Times | Expression) -> Test | None:
    """``above 1500 m in 2004``: of the heights of that survey."""
    test = suggested("elevation")(bound)
    survey = Thing(Quantity("elevation", having=(SURVEYED,)))
    return None if test is None else during(replace(test, left=survey), when)


def placed(thing: Thing, bound: tuple[str, Any, Any]) -> Thing | None:
    """``the mean snow cover above 2000 m``: of ground so high, of what is no length itself."""
    own, test = typed(thing.x), suggested("elevation")(bound)
    where = None if test is None else holding(test, "pixel")
    if own is None or where is None or own.of != "number":
        return None
    of_rain = own.measure.unit == "mm" and bound[1].unit in ("m", "km")
    if (
        thing.statistic != "integral"
        and compatible(own.measure.unit, "m")
        and not of_rain
        and not _too_high(thing, bound)
    ):
        return None
    return within(thing, where)


def _too_high(thing: Thing, bound: tuple[str, Any, Any]) -> bool:
    """Whether no value of a quantity is as high as a limit: snow above 2500 m lies there, and is not so deep."""
    kinds = [quantity_kinds()[part.kind] for _, part in walk(thing.x) if isinstance(part, Quantity)]
    highest = max((kind.range[1] or math.inf for kind in kinds), default=math.inf)
    return float(convert(bound[1].value, bound[1].unit, kinds[0].unit)) > highest if len(kinds) == 1 else False


def compared_as(thing: Thing, named: tuple[str, str], limit: Any) -> Test | None:
    """``slopes steeper than``, of the quantity that the word compares alone."""
    same = any(isinstance(part, Quantity) and part.kind == named[0] for _, part in walk(thing.x))
    return compare(thing, (named[1], limit, None)) if same else None


def compared(named: tuple[str, str], limit: Any) -> Test:
    return Test(Thing(Quantity(named[0])), named[1], limit)  # type: ignore[arg-type]


def ellipsis(clause: Any, bound: tuple[str, Any, Any], when: Times | Expression | None = None) -> Joined | None:
    """``NDVI was below 0.3 in 2018 and above 0.5 in 2020``: the second limit is of the noun of the first."""
    if not isinstance(clause, Test):
        return None
    x, told = of_all_times(clause.left.x)
    left = clause.left if when is None else in_time(replace(clause.left, x=x), when)
    other = None if left is None or (when is None) != (not told) else compare(left, bound)
    return None if other is None else Joined("and", (clause, other))


def ellipsis_then(clause: Clause, when: Times, other: Any, then: Times) -> Joined | None:
    """``taller than 15 m in 2016 but below 5 m in 2021``, ``hotter than 40 °C in July and cooler than 30 in May``."""
    first = during(clause, when)
    if first is None or isinstance(other, tuple):
        return None if first is None else ellipsis(first, other, then)
    last = during(other, then)
    return None if last is None else Joined("and", (first, last))


def joined(how: str) -> Any:
    return lambda a, b: Joined(how, (a, b))


def both_hold(clause: Clause) -> Clause | None:
    """``both green and cooler than 20 °C``: of two that are joined."""
    two = (isinstance(clause, Joined) and clause.how == "and") or isinstance(clause, And)
    return clause if two else None
