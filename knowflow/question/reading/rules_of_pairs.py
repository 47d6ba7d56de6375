"""The rules of two nouns, of one at two times and along time, and of what is told behind, as in notes."""

from __future__ import annotations

from knowflow.ground.quantities import quantity_kinds
from knowflow.question.operators import Beyond, Calculate, Correlate, Expression, Quantity, Trend
from knowflow.question.reading.changes import (
    anomaly,
    at_two,
    calculated,
    correlated,
    correlated_by,
    correlated_over,
    in_two,
    is_change,
    of_one_time,
    of_two,
    rate,
    rate_in,
    running,
    shifted,
    stepwise,
    trend,
)
from knowflow.question.reading.chart import Line
from knowflow.question.reading.grounds import (
    area_of,
    class_areas,
    class_shares,
    in_unit_of,
    per_share,
    pixels,
    share_where,
    whole,
)
from knowflow.question.reading.keys import Keys, counted, ranked
from knowflow.question.reading.limits import both_sides, compare
from knowflow.question.reading.nouns import (
    PERCENT,
    afterwards,
    amount,
    explained,
    fits,
    in_time,
    level_of,
    over_area,
    over_ground,
    per,
    statistic_of,
)
from knowflow.question.reading.order import Thing
from knowflow.question.reading.questions import (
    answer,
)
from knowflow.question.reading.restricted import during, within
from knowflow.question.reading.spans import day_and, day_than, from_to, in_order
from knowflow.question.times import Times

_OF_BOTH = (("between", "and"), ("of", "to"), ("of", "and"))


def over_place(thing: Thing, said: str, place: Expression) -> Thing | None:
    """``rainfall of August, mean for Tassara``: a statistic of a place, told behind."""
    of_it = over_ground(thing, said)
    return None if of_it is None else within(of_it, place)


def _holds(a: Times, b: Times) -> bool:
    """Whether one of two times lies in the other, to which nothing in it is compared."""
    spans = [(one.first, one.last) for one in (a, b) if one.first and one.last]
    within = len(spans) == 2 and any(x[0] <= y[0] and y[1] <= x[1] for x, y in (spans, spans[::-1]))
    return within and a != b


def _told_difference(a: Quantity, b: Quantity, how: str) -> Thing | None:
    """``the VV minus VH difference``: pixel by pixel, before a statistic is taken."""
    return fits(Thing(Calculate("difference", a, b))) if how == "difference" and a != b else None


def _between_extremes(how: str, one: str, other: str, thing: Thing) -> Thing | None:
    """``the difference between the highest and the lowest elevation`` is the range."""
    ends = {{"highest": "maximum", "lowest": "minimum"}.get(said, said) for said in (one, other)}
    return statistic_of("range", thing) if how == "difference" and ends == {"maximum", "minimum"} else None


def _of_two_times(how: str, thing: Thing, two: tuple[Times, Times]) -> Thing | None:
    """``the difference in rain from 2013 to 2021`` is what it changed by, ``the ratio of that in 2013 to 2021`` of the
    first to the second."""
    return at_two(how, thing, two[::-1] if how == "ratio" else two)


def _how_much(place: Expression) -> Thing | None:
    """``how much forest is there`` is an area, ``how much snow`` how deep it lies."""
    x = place.x if isinstance(place, Beyond) and getattr(place.limit, "value", None) == 0.0 else None
    kind = quantity_kinds().get(x.kind) if isinstance(x, Quantity) else None
    return Thing(x) if x is not None and kind is not None and kind.family == "cryosphere" else area_of(place)


def _relief(of: str = "maximum", less: str = "minimum") -> Thing | None:
    """How far the highest ground lies above the lowest, as a bracket behind it may say."""
    if explained("range", of, less) is None:
        return None
    return statistic_of("range", Thing(Quantity("elevation")))


RULES_OF_PAIRS: tuple[Line, ...] = (
    # two of them
    ("N <- ARITHMETIC between STAT and STAT of? N", of_two),
    ("N <- relief", _relief),
    ("N <- relief open STAT minus STAT spot? close", _relief),
    ("N <- relief open STAT minus POINT_OF close", lambda *_: _relief()),
    ("TT <- on DAY than T", day_than),
    ("N <- ARITHMETIC between N and N", calculated, 1),
    ("N <- ARITHMETIC between N and N", of_one_time),
    ("N <- ARITHMETIC of N to N", calculated, 1),
    ("N <- ARITHMETIC of N to N", of_one_time),
    *((f"N <- ARITHMETIC {word} N TWO", _of_two_times) for word in ("in", "of")),
    ("N <- ARITHMETIC in N between PLACE and PLACE", lambda how, x, a, b: in_two(how, x, (a, b))),
    ("N <- N ARITHMETIC between PLACE and PLACE", lambda x, how, a, b: in_two(how, x, (a, b))),
    ("N <- how do N TWO did_change", lambda thing, two: at_two("difference", thing, two)),
    ("N <- N minus N", lambda a, b: calculated("difference", a, b)),
    ("N <- QUANTITY minus QUANTITY ARITHMETIC", _told_difference, -1),
    ("N <- ARITHMETIC of QUANTITY minus QUANTITY", lambda how, a, b: _told_difference(a, b, how), -1),
    (
        "N <- ARITHMETIC between STAT and POINT_OF",
        lambda how, said, named: _between_extremes(how, said, named[1].partition("_")[0], Thing(Quantity(named[0]))),
    ),
    ("TWO <- between TIME and TIME", in_order),
    ("TWO <- from TIME until TIME", from_to),
    ("TWO <- between PAIR", lambda pair: pair),
    *((f"TWO <- {word} TWO", lambda two: two) for word in ("over", "in")),
    ("TWO <- between DAY and TIME", day_and),
    ("TWO <- from DAY until TIME", day_and),
    ("N <- CORRELATION between N and N", lambda _, a, b: correlated(a, b)),
    ("N <- CORRELATION of N to N", lambda _, a, b: correlated(a, b)),
    ("N <- how_related be N and N related", correlated),
    ("N <- how_related be N and N related AXIS", lambda a, b, grain: correlated_by(grain, a, b)),
    ("N <- how_related be N related to? N", correlated),
    ("N <- how_related be N related to? N AXIS", lambda a, b, grain: correlated_by(grain, a, b)),
    ("N <- how_related be N related to? N pixelwise", correlated_over, -1),
    *((f"N <- CORRELATION {a} N {b} N pixelwise", lambda _, *two: correlated_over(*two), -1) for a, b in _OF_BOTH),
    # along time
    ("N <- TREND of N", trend),
    ("N <- TREND of M", lambda method, thing: trend(method, thing, each=True), -1),
    ("N <- TREND of N per_year", lambda method, thing: trend(method, thing) if not thing.keys else None, -1),
    ("N <- TREND in N", trend),
    ("N <- N TREND", lambda thing, method: trend(method, thing)),
    ("N <- N TREND per_year", lambda thing, method: trend(method, thing) if not thing.keys else None),
    ("N <- linear N TREND per_year?", lambda thing, method: trend(method, thing) if not thing.keys else None),
    ("N <- how_fast do N MOVED per_year?", rate),
    ("N <- how_fast do N MOVED or MOVED per_year?", lambda thing, *_: trend("linear", thing)),
    ("N <- fit N over_time? and? slope per_year?", lambda thing: trend("linear", thing)),
    ("N <- TREND of N pixelwise", lambda method, thing: trend(method, thing, pixel=True)),
    ("M <- CHANGED of N step_by_step", stepwise),
    ("M <- CHANGED in N step_by_step", stepwise),
    ("N <- NUM GRAIN running N", lambda n, grain, thing: running(n, thing) if not thing.keys else None),
    ("N <- ANOMALY of N", anomaly),
    ("N <- N ANOMALY", lambda thing, how: anomaly(how, thing)),
    # told behind, as in notes
    ("N <- N STAT", afterwards, 1),
    ("N <- N STAT ARITHMETIC", lambda thing, said, how: afterwards(thing, said) if is_change(thing.x) else None, 1),
    ("N <- N spatial STAT", over_ground, 1),
    ("N <- N spatial STAT", over_area, 1),
    *((f"N <- N STAT {word} SCOPE", lambda thing, said, _: over_ground(thing, said)) for word in ("over", "of", "in")),
    *((f"N <- N STAT {word} PLACE", over_place) for word in ("in", "over", "of", "on")),
    ("B <- SIDE NUMBER and SIDE NUMBER", both_sides),
    ("CL <- have? B in N", lambda bound, thing: compare(thing, bound), 1),
    ("CL <- have? B of N", lambda bound, thing: compare(thing, bound), 1),
    ("CL <- have B QUANTITY", lambda bound, x: compare(Thing(x), bound)),
    ("K <- SCOPE per SCOPE", lambda one, other: level_of("objects") if (one, other) == ("place", "place") else None),
    ("K <- NAMED_KEY per NAMED_KEY", lambda one, other: level_of(one) if one == other else None),
    ("T <- in all GRAIN T", lambda _, when: when),
    ("XT <- KEYS of STAT of? N", ranked),
    ("TWO <- TIME until TIME", from_to, 1),
    *((f"TWO <- T compared {one}", lambda a, b: None if _holds(a, b) else in_order(a, b)) for one in ("T", "TIME")),
    ("TWO <- TWO compared TIME", lambda two, base: two if two[0] == base else None),
    ("N <- how_many pixels COVERED", pixels),
    ("N <- how_many pixels where C", pixels),
    ("N <- how_many pixels T COVERED", lambda when, clause: (x := pixels(clause)) and during(x, when)),
    ("N <- C how_many UNIT be?", lambda clause, unit: in_unit_of(unit, share_where(clause, None, "area")), 1),
    ("N <- KEYS SAID how_many be?", counted, 1),
    ("N <- how_many pixels T? C", lambda *given: in_time(pixels(given[-1]), *given[:-1]), 1),
    ("N <- how_many pixels K COVERED", lambda key, clause: (x := pixels(clause)) and per(x, key)),
    ("N <- GROUND cover? SCOPE", lambda ground, scope: area_of(ground) if scope == "area" else None, 2),
    ("N <- in_total N", whole),
    ("N <- N in_total", whole),
    ("K <- for_all NAMED_KEY", level_of),
    ("N <- CORRELATION of N compared N", lambda _, a, b: correlated(a, b)),
    ("N <- N compared N CORRELATION", lambda a, b, _: correlated(a, b)),
    ("N <- N and N CORRELATION", lambda a, b, _: correlated(a, b)),
    ("T <- on TIME GRAIN", lambda when, grain: when if grain == "date" else None),
    ("T <- in TIME GRAIN", lambda when, grain: when if grain == "date" else None),
    ("SCOPE <- SCOPE in SCOPE", lambda scope, _: scope),
    ("N <- how_much SCOPE K COVERED", lambda _, key, clause: per_share(key, clause)),
    ("N <- K share_alone COVERED", per_share, 1),
    # how much land is an area, and how much of it a share
    ("N <- how_much_land SCOPE COVERED", lambda _, clause: share_where(clause, None, "area"), -1),
    ("N <- how_much_land PLACE be?", _how_much, 1),
    (
        "XT <- KEYS that? have? most QUANTITY happened?",
        lambda keys, x: (y := amount(Thing(x))) and ranked(keys, "maximum", y),
    ),
    ("N <- how_large in UNIT COVERED", lambda unit, clause: in_unit_of(unit, share_where(clause, None, "area"))),
    ("N <- how_large in UNIT be PLACE", lambda unit, place: in_unit_of(unit, area_of(place))),
    ("N <- how_much SCOPE as_percent COVERED", lambda _, clause: in_unit_of(PERCENT, share_where(clause))),
    ("N <- how_much SCOPE do GROUND cover", lambda _, ground: share_where(ground)),
    ("N <- GROUND cover how_many UNIT", lambda ground, unit: in_unit_of(unit, area_of(ground))),
    ("CL <- that? SIDE QUANTITY of? NUMBER", lambda side, x, limit: compare(Thing(x), (side, limit, None))),
    ("N <- by_how_much per_year do N MOVED", rate),
    ("N <- N do K have", per),
    ("N <- N have K", per),
    ("N <- how_often do? C", lambda clause: counted(Keys("date"), clause)),
    ("N <- how_often be C", lambda clause: counted(Keys("date"), clause)),
    ("N <- QUANTITY layer", Thing),
    ("C <- N SINCE by? B", lambda thing, since, bound: shifted(thing, since[0], since[1], bound)),
    ("CL <- MOVED B in N TWO", lambda way, bound, thing, two: shifted(thing, way, two, bound)),
    ("CL <- MOVED B of N TWO", lambda way, bound, thing, two: shifted(thing, way, two, bound)),
    ("CL <- SINCE B in N", lambda since, bound, thing: shifted(thing, since[0], since[1], bound)),
    ("CL <- SINCE B of N", lambda since, bound, thing: shifted(thing, since[0], since[1], bound)),
    ("N <- how_fast do N did_change per_year?", lambda thing: trend("linear", thing)),
    ("N <- by_how_many UNIT per_year do N MOVED", rate_in),
    (
        "N <- CHANGED per_year? of N per_year",
        lambda how, thing: trend("linear", thing) if how == "difference" else None,
    ),
    ("N <- N CHANGED per_year", lambda thing, how: trend("linear", thing) if how == "difference" else None),
    ("N <- series_of N", lambda thing: per(thing, "date")),
    ("N <- N series", lambda thing: per(thing, "date")),
    ("N <- how_large do K cover", class_areas),
    ("N <- how_much SCOPE belong? K", lambda _, key: class_shares(key)),
    ("N <- how_much SCOPE T belong? K", lambda _, when, key: (x := class_shares(key)) and during(x, when)),
    ("N <- how_many UNIT do K cover", lambda unit, key: class_areas(key, unit)),
    ("N <- UNIT K", lambda unit, key: class_areas(key, unit)),
    ("N <- UNIT covered K", lambda unit, key: class_areas(key, unit)),
    ("Q <- be N", lambda thing: answer(thing) if isinstance(thing.x, Trend | Correlate) else None),
)
