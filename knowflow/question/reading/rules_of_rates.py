"""The rules of what comes in a time: trends by what they are of (``the warming trend``), so many in a year, and what
months add up to."""

from __future__ import annotations

from dataclasses import replace

from knowflow.ground.units import compatible
from knowflow.question.operators import Expression, Over, Quantity, Split
from knowflow.question.reading.changes import rate, trend
from knowflow.question.reading.chart import Line
from knowflow.question.reading.grounds import area_of, in_unit_of
from knowflow.question.reading.nouns import Graded, fits, outer, per
from knowflow.question.reading.order import Thing, typed
from knowflow.question.reading.rules_of_areas import grew_of


def _warming(named: Graded, method: str = "linear") -> Thing | None:
    """``the warming trend``: of what the word moves, downwards where it falls."""
    thing = Thing(Quantity(named[0]))
    return trend(method, thing) if named[1] == "rising" else rate(thing, "down") if method == "linear" else None


def _of_mean(thing: Thing, said: str) -> Thing | None:
    """``the trend of the area mean``: of means over the ground anyway."""
    return thing if said == "mean" else None


def _in_a_year(thing: Thing) -> Thing | None:
    """``so many days a year``, ``hectares burned each year``: of what adds up in a year, on average of the years."""
    own = typed(thing.x)
    if own is None:
        return None
    if own.of == "truth" and own.space and thing.statistic == "area" and not thing.keys:
        parts = Over(Split(thing.x, "year"), "time", "any") if own.grain == "date" else thing.x
        return fits(Thing(Over(Over(parts, "space", "area"), "time", "mean"), unit=thing.unit))
    if own.of != "number" or not ("time" in own.measure.adds or compatible(own.measure.unit, "day")):
        return None
    each = per(thing, "year")
    return None if each is None else outer("mean", each)


def _averaged_in_a_year(thing: Thing) -> Thing | None:
    """``the average rainfall per year``: of what adds up in a year the mean of the years, not of the dates in each."""
    return _in_each("year", replace(thing, statistic=None)) if thing.statistic == "mean" else None


def _in_each(grain: str, thing: Thing) -> Thing | None:
    """``so much rain in a year on average``: of what adds up over time, the mean of its years, seasons or months."""
    own = typed(thing.x)
    adds = own is not None and own.of == "number" and "time" in own.measure.adds and thing.statistic is None
    each = per(thing, grain) if adds and grain in ("year", "season", "month") else None
    return None if each is None else outer("mean", each)


def _days_in_a_year(x: Quantity) -> Thing | None:
    """``how many frost days are there a year``."""
    own = typed(x)
    told = own is not None and own.of == "number" and compatible(own.measure.unit, "day")
    mean = fits(Thing(x, statistic="mean")) if told else None
    return None if mean is None else _in_a_year(mean)


def _area_in_a_year(unit: str, ground: Expression) -> Thing | None:
    """``how many hectares burn each year``."""
    area = area_of(ground)
    return None if area is None else in_unit_of(unit, _in_a_year(area))


_PERIODS = {"month": 12, "season": 4, "week": 52}


def _periods(number: float, grain: str) -> str | None:
    return grain if _PERIODS.get(grain) == number else None


def _added(thing: Thing, _: str) -> Thing | None:
    """``rain of 2019, all twelve months added``: of all of the time, or of each year."""
    plain = not thing.outer or thing.keys == ("year",)
    return replace(thing, then="sum") if thing.then in (None, "sum") and plain else None


RULES_OF_RATES: tuple[Line, ...] = (
    ("N <- GOING TREND", _warming),
    ("N <- linear GOING TREND", _warming),
    ("N <- GOING how_fast", _warming),
    ("N <- N of spatial STAT", _of_mean, 1),
    *((f"N <- how_fast {verb} GREW per_year?", lambda grew: rate(*grew), 1) for verb in ("do", "have")),
    ("CH <- GOING", lambda named: grew_of(named[0], named), 2),
    # so many in a year
    ("N <- how_many QUANTITY per_year be? on_average?", _days_in_a_year),
    ("N <- how_many QUANTITY be? per_year on_average?", _days_in_a_year),
    ("N <- N per_year", _in_a_year, 1),
    ("N <- N per_year on_average", _in_a_year, -1),
    ("N <- on_average N per_year", _in_a_year, -1),
    ("N <- N a_year", _averaged_in_a_year, -1),
    ("N <- N in GRAIN on_average", lambda thing, grain: _in_each(grain, thing)),
    ("N <- N on_average in GRAIN", lambda thing, grain: _in_each(grain, thing)),
    ("N <- on_average N in GRAIN", lambda thing, grain: _in_each(grain, thing)),
    ("N <- N in STAT GRAIN", lambda thing, said, grain: _in_each(grain, thing) if said == "mean" else None),
    ("N <- on_average how_many UNIT be? GROUND per_year", _area_in_a_year, -1),
    ("N <- how_many UNIT be? GROUND per_year on_average?", _area_in_a_year, -1),
    # months added up
    ("ADDED <- all? NUM GRAIN added", _periods),
    ("ADDED <- of GRAIN ADDED", lambda grain, parts: parts if grain == "year" != parts else None),
    ("ADDED <- all GRAIN added", lambda grain: grain if grain in _PERIODS else None),
    ("ADDED <- open ADDED close", lambda grain: grain),
    ("T <- in all NUM GRAIN T", lambda number, grain, when: when if _periods(number, grain) else None),
    ("N <- N ADDED", _added),
    ("N <- N of ADDED", _added),
)
