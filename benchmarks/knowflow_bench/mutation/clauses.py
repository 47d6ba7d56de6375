"""Small expressions that say each clause of the meaning of the operators, for scenes on which it makes a difference.

Every statistic over every axis, every grain with what follows periods, limits that are met exactly, Kleene's tables,
polygons that cut pixels, units that differ: written as products of words, of which those are kept that fit.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import get_args

from knowflow.question.check import type_of
from knowflow.question.form import expression_of
from knowflow.question.operators import Arithmetic, Expression, Grain, Statistic

_DATED = {"ndvi": "0.5", "surface_temperature": "'302.5 K'", "precipitation": "'12 mm'"}
_STANDING = {"elevation": "'500 m'", "slope": "'10 degree'", "population_count": "2"}
_GREEN, _WARM, _HIGH = (
    "beyond(ndvi, above, 0.5)",
    "beyond(surface_temperature, at_least, '302.5 K')",
    "beyond(elevation, above, '500 m')",
)
_GREENNESS, _WARMTH = "over(ndvi, space, median)", "over(surface_temperature, space, mean)"
_COVERED = "is_class(land_cover_class, [forest])"


def clauses() -> list[Expression]:
    """The expressions that fit, each once."""
    found: dict[Expression, None] = {}
    for text in _texts():
        expression, _ = expression_of(text)
        if expression is not None and type_of(expression) is not None:
            found[expression] = None
    return [*found]


def _texts() -> Iterator[str]:
    yield from _statistics()
    yield from _grains()
    yield from _orders()
    yield from _times()
    yield from _grounds()
    yield from _logic()
    yield from _numbers()


def _statistics() -> Iterator[str]:
    """Each statistic of numbers, truths, classes and directions, over each axis, of what is known of them."""
    things = [*_DATED, *_STANDING, "aspect", "water_mask", _GREEN, "land_cover_class"]
    things += ["classify(ndvi, [0.25, 0.625], [low, middle, high], '1')", "within(water_mask, polygons([south]))"]
    things += ["during(ndvi, '2020-03-31')", "within(population_count, polygons())", f"within(ndvi, {_HIGH})"]
    things += ["within(aspect, polygons([north]))", "during(water_mask, '2020-03')", "during(ndvi, '2020-03')"]
    for statistic, thing, axes in product(get_args(Statistic), things, ("space", "time", "both")):
        p = ", 30" if statistic == "percentile" else ""
        yield f"over({thing}, {axes}, {statistic}{p})"
        if axes == "time":
            yield f"over(over({thing}, space, mean), time, {statistic}{p})"


def _grains() -> Iterator[str]:
    """What follows periods of each grain: those covered too little are left out of trends and extremes."""
    for grain, (thing, limit) in product(get_args(Grain)[1:], _DATED.items()):
        each = f"over(over(split({thing}, {grain}), date, mean), space, mean)"
        yield from (f"extreme({each}, {side}, {n})" for side, n in product(("highest", "lowest"), (1, 3, 30)))
        yield from (f"trend({each}, {how})" for how in ("linear", "theil_sen", "linear, kept"))
        yield from (f"along({each}, {how})" for how in ("change", "cumulated", "running, 2"))
        yield from (f"anomaly({each}, {how})" for how in ("difference", "percent", "deviations"))
        yield f"holds(beyond({each}, above, {limit}))"
        yield f"over({each}, {grain}, deviation)"
        yield f"over(over(split({thing}, {grain}), date, maximum), {grain}, mean)"
        yield from (
            f"over(beyond({each}, above, {limit}), time, {how})" for how in ("longest", "first", "last", "count")
        )
        yield f"trend(over(split({thing}, {grain}), date, mean))"
        yield f"anomaly(over(split({thing}, {grain}), date, mean), difference)"


def _orders() -> Iterator[str]:
    """Spells, and what is first or last, of dates with gaps and of pixels with unknowns; running, added up, changes."""
    for (thing, limit), side in product(_DATED.items(), ("above", "at_least", "below", "at_most")):
        for held in (f"beyond({thing}, {side}, {limit})", f"beyond(over({thing}, space, median), {side}, {limit})"):
            yield from (f"over({held}, time, {how})" for how in ("longest", "first", "last", "any", "all", "share"))
    for thing in _DATED:
        for x in (thing, f"over({thing}, space, mean)"):
            yield from (f"along({x}, {how})" for how in ("change", "cumulated", "running, 2", "running, 3"))
            yield from (f"anomaly({x}, {how})" for how in ("difference", "percent", "deviations"))
            yield f"anomaly({x}, difference, '../2020')"
            yield from (f"extreme({x}, {side}, {n})" for side, n in product(("highest", "lowest"), (1, 2, 40)))
            yield f"during({x}, over({_GREEN.replace('ndvi', _GREENNESS)}, time, first))"
            yield f"during({x}, holds(beyond({_GREENNESS}, at_least, 0.5)))"
            yield f"during({x}, extreme({_WARMTH}, highest, 2))"
            yield f"along(during({x}, '2020'), change)"
    starts = ("2017-01-17", "2017-07-15", "2020-01-03", "2020-01-17", "2020-07-15")
    for start, end in product(starts, ("2019-01-20", "2020-12-30", "2021-01-17", "2022-12-31")):  # few or enough
        for x, how in product((_WARMTH, "surface_temperature"), ("linear", "theil_sen")):
            yield f"trend(during({x}, '{start}/{end}'), {how})"


def _times() -> Iterator[str]:
    whens = ("winter", "summer", "'winter 2018'", "january", "2020", "'2020-04'", "'2020-03-31'", "'2020-03-31/..'")
    for thing, when in product(_DATED, (*whens, "'../2020-03-31'", "'2020-04-16/2020-05-10'", "autumn", "spring")):
        yield f"over(during({thing}, {when}), both, mean)"
        yield f"over(during({thing}, {when}), time, count)"
        yield f"over(during({thing}, {when}), space, mean)"


def _grounds() -> Iterator[str]:
    """Polygons that cut pixels and overlap, a point, classes, masks that are unknown somewhere; each as a whole."""
    zones = ("polygons()", "polygons([north])", "polygons([south, middle])", "land_cover_class")
    places = (*zones[:3], "point(20.8, -28.9)", "point(15.001, 46.0522)", _COVERED, _HIGH, f"not {_COVERED}")
    things = ("ndvi", "elevation", "population_count", "land_cover_class", "water_mask", "aspect")
    for thing, place in product(things, places):
        yield f"within({thing}, {place})"
        for how in (
            "mean",
            "sum",
            "count",
            "share",
            "area",
            "median",
            "majority",
            "minimum",
            "patches",
            "deviation",
            "integral",
        ):
            yield f"over(within({thing}, {place}), space, {how})"
        yield f"over(within({thing}, {place}), both, mean)"
        yield f"over(within({thing}, {place}), time, mean)"
    for thing, zone in product((*things, _GREEN), zones):
        for how in ("mean", "maximum", "share", "area", "count", "deviation", "median", "integral"):
            yield f"over(split({thing}, {zone}), space, {how})"
        yield f"extreme(over(over(split({thing}, {zone}), space, mean), time, mean), highest, 2)"
        yield f"over(split({thing}, {zone}), time, mean)"
        yield f"holds(beyond(over(split({thing}, {zone}), space, mean), above, 0.4))"
    chosen = "extreme(over(split(elevation, polygons()), space, mean), highest, 2)"
    yield from (f"over(within({thing}, {chosen}), space, mean)" for thing in ("ndvi", "slope"))
    yield f"over(within(ndvi, {_WARM}), space, mean)"
    for place in zones[:3]:
        yield from (
            f"over(within(ndvi, within({mask}, {place})), space, {how})"
            for mask in ("water_mask", _HIGH)
            for how in ("mean", "count")
        )
    yield f"over(within(within(ndvi, polygons([north])), {_HIGH}), both, mean)"
    yield f"over(split(split(ndvi, year), {zones[0]}), both, mean)"
    yield "over(split(land_cover_class, polygons()), space, area)"
    yield "apply(connected_components, [within(beyond(elevation, above, '500 m'), polygons([south]))])"
    yield "apply(connected_components, [beyond(slope, above, '10 degree')])"


def _logic() -> Iterator[str]:
    """Kleene's tables of masks, of numbers' truths, and of one beside the other."""
    masks = (_GREEN, "water_mask", _HIGH, _COVERED, "within(water_mask, polygons([north]))")
    truths = (f"beyond({_GREENNESS}, above, 0.5)", "over(water_mask, space, any)", f"beyond({_WARMTH}, above, '302 K')")
    for how, one, other in product(("and", "or"), (*masks, *truths), (*masks, *truths)):
        yield f"{one} {how} {other}"
        yield f"over({one} {how} {other}, time, all)"
    yield from (f"not ({one})" for one in (*masks, *truths))
    yield from (f"holds(not {one})" for one in truths)
    yield f"over({_GREEN} and {_HIGH} and {_COVERED}, space, share)"


def _numbers() -> Iterator[str]:
    """Arithmetic of maps and numbers in units of their own, of what is unknown, of directions; limits and classes."""
    warm, share = "surface_temperature", f"over({_GREEN}, space, share)"
    pairs = [("ndvi", "precipitation"), (warm, "'20 degC'"), ("elevation", "'0.2 km'"), ("elevation", "slope")]
    pairs += [(_GREENNESS, "ndvi"), (share, "0.25"), (share, share.replace("0.5", "0.25")), (_WARMTH, _GREENNESS)]
    pairs += [
        ("aspect", "'200 degree'"),
        ("'200 degree'", "aspect"),
        ("'2'", "slope"),
        (warm, f"over({warm}, time, mean)"),
    ]
    pairs += [
        ("over(within(aspect, polygons([north])), space, mean)", "aspect"),
        ("within(ndvi, polygons([north]))", "slope"),
    ]
    pairs += [("within(slope, polygons([north]))", "within(elevation, polygons([middle]))"), ("population_count", "3")]
    for how, (a, b) in product(get_args(Arithmetic), pairs):
        yield f"calculate({how}, {a}, {b})"
        yield f"over(calculate({how}, {a}, {b}), space, mean)"
    yield from (f"calculate({how}, {x})" for how in ("absolute", "logarithm") for x in (share, "ndvi", _GREENNESS))
    yield from (f"calculate(power, {x}, {n})" for x, n in product((share, "slope", "ndvi", _WARMTH), (2, 3)))
    for side, (x, limit) in product(("above", "at_least", "below", "at_most"), (_DATED | _STANDING).items()):
        yield f"beyond({x}, {side}, {limit})"
        yield f"beyond({x}, {side}, over({x}, space, median))"
        yield f"beyond(over({x}, space, median), {side}, {limit})"
    yield "beyond(surface_temperature, between, '27 degC', '31 degC')"
    yield "beyond(ndvi, between, 0.25, 0.5)"
    yield "beyond(elevation, between, '0.45 km', over(elevation, space, median))"
    for x, (low, high) in product(("aspect", "over(aspect, space, mean)"), ((45, 135), (300, 60), (292.5, 22.5))):
        yield f"beyond({x}, between, '{low} degree', '{high} degree')"
    for x, unit, breaks in (("ndvi", "1", "0.25, 0.5"), (warm, "degC", "25, 29.35"), ("elevation", "km", "0.45, 0.5")):
        for thing in (x, f"over({x}, space, median)", f"over({x}, space, mean)"):
            classes = f"classify({thing}, [{breaks}], [low, middle, high], '{unit}')"
            yield from (classes, f"is_class({classes}, [low, high])", f"is_class({classes}, [middle])")
            yield f"over({classes}, time, majority)"
    yield from ("is_class(land_cover_class, [forest, water])", f"split({_GREEN}, land_cover_class)")
    for axes, a, b in product(
        ("space", "time", "both"),
        (warm, "ndvi", _GREENNESS, "within(ndvi, polygons([north]))", "slope"),
        (
            "precipitation",
            _GREENNESS,
            "ndvi",
            "elevation",
            "within(ndvi, polygons([middle]))",
            f"within(slope, {_HIGH})",
            "over(precipitation, space, mean)",
        ),
    ):
        yield f"correlate({a}, {b}, {axes})"
