"""The rules of phrases that stand elsewhere than usual: a time before the image that it is of, a name in brackets
behind what it is the name of, what is restated in brackets, a rate behind what it is the rate of."""

from __future__ import annotations

from typing import Any

from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.units import compatible
from knowflow.question.operators import Beyond, Expression, IsClass, Polygons, Quantity, Trend, walk
from knowflow.question.reading.attributes import Bound
from knowflow.question.reading.chart import Line
from knowflow.question.reading.grounds import area_of, both_grounds, share_where, where_of
from knowflow.question.reading.heights import end_of, height_of
from knowflow.question.reading.keys import that_one
from knowflow.question.reading.limits import compare, joined
from knowflow.question.reading.nouns import PERCENT, level_of, per, statistic_of, told_in
from knowflow.question.reading.order import Clause, Level, Thing, holding, typed
from knowflow.question.reading.restricted import during, within
from knowflow.question.reading.rules_of_areas import Extent, measured
from knowflow.question.reading.rules_of_verbs import State, Two, gone, into
from knowflow.question.times import Times


def _share_of_image(when: Times | None, x: Quantity, bound: Bound) -> Thing | None:
    """``what percentage of the April NDWI image is above 0.2``: of its pixels."""
    test = compare(Thing(x), bound)
    share = None if test is None else share_where(test)
    return share if share is None or when is None else during(share, when)


def _restated(ground: Expression, bound: Bound) -> Expression | None:
    """``lit (1 nW or more)``: ground that is told by a limit, with the limit that is told beside it."""
    if not isinstance(ground, Beyond) or not isinstance(ground.x, Quantity):
        return None
    test = compare(Thing(ground.x), bound)
    return None if test is None else holding(test, "pixel")


def _restated_of(ground: Expression, limit: Any, x: Quantity, side: str) -> Expression | None:
    """``forest (30 % canopy or more)``: the same, with what the limit is of."""
    told = {part.kind for _, part in walk(ground) if isinstance(part, Quantity)}
    test = compare(Thing(x), (side, limit, None)) if told == {x.kind} else None
    return None if test is None else holding(test, "pixel")


def _per_decade(thing: Thing) -> Thing | None:
    """``how fast did it rise per decade``: of a trend."""
    own = typed(thing.x)
    rate = own is not None and own.measure.unit.endswith("year-1")
    a_trend = any(isinstance(part, Trend) for _, part in walk(thing.x))
    if own is None or not rate or not a_trend or thing.unit is not None:
        return None
    return told_in(own.measure.unit.replace("year-1", "decade-1"), thing)


def _each_averaged(thing: Thing, said: str, key: Level | tuple[Level, ...]) -> Thing | None:
    """``the total from June to August, averaged over each zone``."""
    mean = statistic_of(said, thing) if said == "mean" else None
    return None if mean is None else per(mean, key)


def _area_gone(how: str, state: State, scope: str, two: Two) -> Thing | None:
    """``newly flooded area between May and June``."""
    x = into(gone(how, state.ground), two) if scope == "area" else None
    return None if x is None else area_of(x)


def _of_owner(place: Expression, key: str) -> Expression | None:
    """``the Bianchi farm's fields``: those that the name is of."""
    level = level_of(key)
    same = isinstance(place, Polygons) and isinstance(level, Polygons) and level.layer in (None, place.layer)
    return place if same else None


def _measured_there(extent: Extent, where: Expression, clause: Clause) -> Thing | None:
    """``what share of the pine forest in Dadia burned``."""
    thing = measured(extent, clause) if extent.where is not None else None
    return None if thing is None else within(thing, where)


def _as_classed(ground: Expression, of_class: Expression) -> Expression | None:
    return both_grounds(ground, of_class) if isinstance(of_class, IsClass) and ground != of_class else None


def _share_that_is(kind: str, of: Any) -> Thing | None:
    """``what percentage of the old town is sealed``, of what is measured as a share."""
    own = quantity_kinds().get(kind)
    share = own is not None and own.range in ((0, 1), (0, 100)) and compatible(own.unit, PERCENT)
    x = (Thing(Quantity(kind)) if of is None else of(Thing(Quantity(kind)))) if share else None
    return None if x is None else told_in(PERCENT, x)


RULES_OF_POSITIONS: tuple[Line, ...] = (
    # the image of a time
    ("A <- how_much of? TIME one_image", lambda when: Extent("share", when=when), -2),
    ("A <- how_much of? one_image T", lambda when: Extent("share", when=when), -2),
    ("N <- how_much of? TIME QUANTITY one_image be? B", _share_of_image, -2),
    # names and limits in brackets
    *((f"OBJECTS <- {what} open OBJECTS close", lambda *given: given[-1]) for what in ("UNKNOWN", "SCOPE UNKNOWN")),
    *((f"POINT <- {what} open POINT close", lambda *given: given[-1]) for what in ("UNKNOWN", "SCOPE UNKNOWN")),
    ("GROUND <- GROUND open B close", _restated),
    ("GROUND <- GROUND open NUMBER QUANTITY AFTER close", _restated_of),
    *((f"STATE <- STATE {word}", lambda state: state, 1) for word in ("seen", "counted")),
    # whose it is
    ("GROUND <- SCOPE own GROUND", lambda _, ground: ground, 1),
    ("GROUND <- BODY own GROUND", lambda body, ground: ground if body == ground else None),
    ("PLACE <- PLACE own NAMED_KEY", _of_owner),
    ("PLACE <- OBJECTS perimeter_of", lambda place: place, 1),
    # burned at high severity: as a map of classes has it
    *((f"COVERED <- be? GROUND {word} GROUND", _as_classed, -1) for word in ("at", "have")),
    *((f"N <- A W {clause}", _measured_there) for clause in ("COVERED", "be? C")),
    # a time between two conditions, or an area before what it is of
    ("COVERED <- CL T and CL", lambda one, when, other: (x := during(one, when)) and joined("and")(x, other)),
    ("N <- GONE STATE SCOPE TWO", _area_gone),
    # rates, and means of each
    ("N <- N per_decade", _per_decade),
    ("N <- N BEHIND over? K", _each_averaged, 1),
    ("W <- at? nearest_pixel POINT", lambda place: place),
    ("W <- where GROUND be?", lambda ground: ground, 1),  # where it floods, where snow lies
    ("W <- where SCOPE COVERED", lambda _, clause: where_of(clause), 1),
    ("W <- where be any GROUND", lambda ground: ground),
    ("W <- W in_the_least", lambda place: place),
    ("W <- near POINT", lambda place: place),
    ("N <- HOW_HIGH PLACE be?", height_of, 2),
    ("N <- HOW_HIGH SPOT be?", height_of, 2),
    ("N <- HOW_HIGH XT be?", lambda asked, x: (one := that_one(x)) and height_of(asked, one), 2),
    ("N <- END_OF", end_of),
    ("N <- HOW_HIGH END_OF be?", lambda _, end: end_of(end)),
    *(
        (f"N <- {how} GROUND {reach}", lambda ground, end=end: end_of((end, ground)))  # how low the snow came down
        for how, end in (("how_low", "minimum"), ("HOW_HIGH", "maximum"))
        for reach in ("reach", "happened", "be")
    ),
    # what is a share of the ground itself
    ("N <- how_much of? PLACE be ADJECTIVE", lambda place, kind: _share_that_is(kind, lambda x: within(x, place))),
    ("N <- how_much of? SCOPE be ADJECTIVE", lambda _, kind: _share_that_is(kind, None)),
    ("N <- how_much of? K be ADJECTIVE", lambda key, kind: _share_that_is(kind, lambda x: per(x, key))),
    ("POINT <- spot POINT", lambda place: place),
    ("POINT <- open POINT close", lambda place: place),
)
