"""The rules of how much of the ground is so, and of what changed between two times."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from knowflow.ground.units import compatible
from knowflow.question.operators import Classify, Expression, Number, Over, Polygons, Quantity
from knowflow.question.reading.changes import (
    Change,
    calculated,
    change_in,
    change_of,
    changed,
    compared_at,
    less,
    turned,
)
from knowflow.question.reading.chart import Line
from knowflow.question.reading.comparisons import Measure, told_as
from knowflow.question.reading.grounds import area_of, share_where
from knowflow.question.reading.keys import Keys, ranked, share_there, so_there, there, those_there
from knowflow.question.reading.limits import compare
from knowflow.question.reading.nouns import (
    PERCENT,
    STANDING_ON_GROUND,
    afterwards,
    amount,
    fits,
    level_of,
    per,
    statistic_of,
    told_in,
)
from knowflow.question.reading.order import Clause, Level, Test, Thing, typed
from knowflow.question.reading.questions import answered_in
from knowflow.question.reading.restricted import during, within
from knowflow.question.reading.sorts import areas_of, per_sort
from knowflow.question.reading.spans import in_order
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


def _keyed(change: Change | None, key: Level | tuple[Level, ...], two: tuple[Times, Times]) -> Thing | None:
    """``the change of NO2 for each province from 2019 to 2020, in %``."""
    found = None if change is None else changed(change, two)
    return None if found is None else per(found, key)


def _there_in(unit: str, change: Change, place: Expression, two: tuple[Times, Times]) -> Thing | None:
    """``the change of NO2 from 2019 to 2020 in Milan, in %``."""
    there = change.of(within, place)
    told = None if there is None else change_in(unit, there)
    return None if told is None else changed(told, two)


def _apart_from(measure: Measure, thing: Thing, when: Times, other: Times) -> Thing | None:
    """``by how many mm did rainfall in 2021 differ from 2019``."""
    change = told_as(measure, change_of("difference", thing))
    return None if change is None else changed(change, (other, when))


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
    known = extent.key
    if isinstance(key, Polygons) and key.by is not None and known in (Polygons(), Polygons(layer=key.layer)):
        return replace(extent, key=key, total=False)  # the total field area by crop
    if isinstance(key, Polygons) and key.by is not None and known is None and extent.where == Polygons(layer=key.layer):
        return replace(extent, key=key, where=None)  # the area of the parcels per owner
    return replace(extent, key=key) if known in (None, key) else None


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
    if not isinstance(place, Polygons | Quantity | Classify) or extent.statistic != "area":
        return None
    if isinstance(place, Polygons) and place.by is not None:  # of those of each value
        each = areas_of(place)
        return each if each is None or extent.unit is None else told_in(extent.unit, each)
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


def grew_of(kind: str, named: tuple[str, str]) -> Change | None:
    """``the surface warming``: by how much the quantity rose, or fell, that the word moves."""
    return turned(Thing(Quantity(kind)), "up" if named[1] == "rising" else "down") if kind == named[0] else None


def _of_sizes(said: str, extent: Extent | None) -> Thing | None:
    """``the average size of a park``."""
    key = None if extent is None else extent.key
    if extent is not None and isinstance(key, Polygons) and key.by is not None and said != "sum":
        one = outlined(replace(extent, key=replace(key, by=None)))
        one = None if one is None else statistic_of(said, one)
        return None if one is None else per_sort(one, replace(key, names=()))
    sizes = None if extent is None else outlined(extent)
    if sizes is not None and isinstance(key, Polygons) and key.by is not None:
        return sizes
    return None if sizes is None else statistic_of(said, sizes)


def _of_maps(a: Times, how: str, b: Times, also: str) -> tuple[Times, Times] | None:
    """``from the 2020 map to the 2021 map``."""
    return in_order(a, b) if how == also == "map" else None


RULES_OF_AREAS: tuple[Line, ...] = (
    # the unit that something is told in, wherever it stands
    ("IU <- UNIT", lambda unit: unit, 1),
    ("IU <- in UNIT", lambda unit: unit),
    ("IU <- as UNIT", lambda unit: unit, 1),
    ("IU <- open IU close", lambda unit: unit),
    ("IU <- in UNIT per_year", lambda unit: f"{unit} year-1", -1),
    ("IU <- as_percent", lambda: PERCENT),
    ("IU <- as_fraction", lambda: "1"),
    ("N <- N IU", lambda thing, unit: told_in(unit, thing)),
    ("N <- how_many UNIT do N reach", told_in),
    ("N <- how_many UNIT do N have", told_in),
    ("N <- how_many UNIT be N", told_in),
    ("N <- how_many UNIT of? N be?", told_in),
    ("N <- how_many UNIT of? QUANTITY happened", lambda unit, x: (y := amount(Thing(x))) and told_in(unit, y)),
    (
        "N <- how_many UNIT of? QUANTITY cover PLACE",
        lambda unit, x, place: (y := within(Thing(x), place)) and told_in(unit, y),
    ),
    ("N <- N how_many UNIT do? be? have?", lambda thing, unit: told_in(unit, thing), 1),
    ("N <- N A", told_beside),
    ("Q <- Q next? IU", answered_in, 1),
    # how much of what, before it is said what
    ("A <- how_much", lambda: Extent("share"), 1),
    ("A <- how_large", lambda: Extent("area")),
    ("A <- SCOPE", lambda scope: Extent("area") if scope == "area" else None, 3),
    ("A <- SCOPE IU", lambda _, unit: of_unit(unit)),
    ("A <- share_alone of?", lambda: Extent("share"), 1),
    ("A <- how_many? UNIT of?", of_unit, 1),
    ("A <- how_many pixels of?", lambda: Extent("count")),
    ("A <- pixels how_many", lambda: Extent("count"), 1),
    ("A <- how_much_land SCOPE", lambda _: Extent("")),
    ("A <- how_large SCOPE", lambda _: Extent("area")),
    ("A <- A IU", in_a_unit),
    ("A <- A SCOPE", lambda extent, _: extent),
    ("A <- A of? PLACE", of_whole, 1),
    ("A <- A K", per_each),
    ("A <- K A", lambda key, extent: per_each(extent, key)),
    ("A <- A T", in_its_time, 1),
    ("A <- on A", lambda extent: extent),
    ("A <- in A", lambda extent: extent, 1),
    ("A <- which A", lambda extent: extent),
    ("A <- A in_total", lambda extent: replace(extent, total=True)),
    ("A <- in_total A", lambda extent: replace(extent, total=True)),
    ("A <- size of?", lambda: Extent("area")),
    ("A <- OBJECTS A", lambda place, extent: of_whole(extent, place)),
    ("A <- A be OBJECTS", of_whole),
    ("A <- A do OBJECTS cover", of_whole),
    ("N <- STAT A of NAMED_KEY", lambda said, extent, key: _of_sizes(said, per_each(extent, level_of(key)))),
    ("A <- KEY have A", lambda key, extent: per_each(extent, level_of(key))),
    ("A <- NAMED_KEY A", lambda key, extent: per_each(extent, level_of(key)), 1),
    ("N <- A", outlined, 2),
    ("RB <- B", larger_than, 2),
    # points by the pixels that they lie in
    ("SPOTS <- SPOT_KEY", Keys),
    ("XT <- of? SPOTS be STAT", lambda keys, said: ranked(keys, said, Thing(Quantity("elevation"))), 2),
    ("SPOT <- SPOT SPOT_KEY", lambda spot, _: spot),
    ("SPOT <- SPOT_KEY SPOT", lambda _, spot: spot),
    *((f"C <- {words}", so_there) for words in ("SPOT be? COVERED", "be SPOT COVERED")),
    *(
        (f"{symbol} <- {asked} be? {where}", make)
        for where in ("W", "GROUND")
        for symbol, asked, make in (
            ("N", "how_many of? SPOTS", there),
            ("N", "of SPOTS how_many", there),
            ("N", "how_much SPOTS", share_there),
            ("E", "which SPOTS", those_there),
        )
    ),
    ("PLACE <- all PLACE", lambda place: place),
    ("PLACE <- on_record PLACE", lambda place: place),
    ("N <- A COVERED", measured, 1),
    ("N <- A where C", measured, 1),
    ("N <- A be? C", measured, 2),
    ("N <- A do C", measured, 3),
    ("N <- A do GROUND cover", measured, 1),
    ("N <- A that GROUND cover", measured, 1),
    ("N <- C A be? that?", lambda clause, extent: measured(extent, clause), 2),
    ("N <- COVERED A be? that?", lambda clause, extent: measured(extent, clause), 2),
    ("N <- GROUND IU", lambda ground, unit: (one := of_unit(unit)) and measured(one, ground), 1),
    ("N <- C IU", lambda clause, unit: (one := of_unit(unit)) and measured(one, clause), 2),
    ("N <- pixels COVERED how_many", lambda clause: measured(Extent("count"), clause)),
    (
        "N <- how_many QUANTITY pixels B",
        lambda x, bound: (test := compare(Thing(x), bound)) and measured(Extent("count"), test),
    ),
    ("COVERED <- QUANTITY pixels B", lambda x, bound: compare(Thing(x), bound)),
    # what changed, before it is said between which times
    ("NP <- N", lambda thing: thing),
    ("NP <- PLACE", area_of),
    ("NP <- MEDIUM", lambda kind: Thing(Quantity(kind)) if kind in STANDING_ON_GROUND else None, 2),
    ("CH <- QUANTITY took_place", lambda x: change_of("difference", Thing(x))),
    ("CH <- ITS_CHANGE", lambda of: change_of(*of)),
    ("CH <- ITS_RISE", lambda of: turned(of[1], of[0])),
    ("CH <- CHANGED in NP", change_of),
    ("CH <- CHANGED of NP", change_of),
    ("CH <- NP CHANGED", lambda thing, how: change_of(how, thing)),
    ("CH <- STAT CHANGED of NP", lambda said, how, thing: (x := statistic_of(said, thing)) and change_of(how, x)),
    ("CH <- which do NP MOVED or MOVED", lambda thing, *_: turned(thing, "up")),
    ("CH <- by_how_much do NP MOVED or MOVED", lambda thing, *_: turned(thing, "up")),
    ("CH <- NP CHANGED of STAT", lambda thing, how, said: (x := afterwards(thing, said)) and change_of(how, x)),
    ("CH <- rise_of NP", lambda thing: turned(thing, "up")),
    ("CH <- fall_of NP", lambda thing: turned(thing, "down")),
    ("CH <- NP RISE", turned),
    ("CH <- RISE in NP", lambda way, thing: turned(thing, way)),
    ("CH <- MEDIUM GOING", lambda kind, named: grew_of(kind, named)),
    ("CH <- GOING of MEDIUM", lambda named, kind: grew_of(kind, named)),
    ("CH <- RISE of NP", lambda way, thing: turned(thing, way)),
    ("CH <- as_percent CH", lambda change: change_in(PERCENT, change)),
    ("CH <- CH IU", lambda change, unit: change_in(unit, change)),
    ("CH <- IU CH", lambda unit, change: change_in(unit, change), 1),
    ("N <- CH K TWO", lambda change, key, two: _keyed(change, key, two)),
    *((f"N <- RISE TWO {word} NP", lambda way, two, thing: changed(turned(thing, way), two)) for word in ("of", "in")),
    *((f"N <- CHANGED TWO {word} NP", lambda how, two, x: changed(change_of(how, x), two)) for word in ("of", "in")),
    ("CH <- STAT of? CH", lambda said, change: change.of(lambda of, _: statistic_of(said, of), said)),
    ("CH <- CH W", lambda change, place: change.of(within, place), 1),
    ("CH <- CH on_average", lambda change: change),
    ("N <- CH TWO", changed),
    ("N <- CH TWO IU", lambda change, two, unit: (x := change_in(unit, change)) and changed(x, two)),
    ("N <- CH TWO K IU", lambda change, two, key, unit: _keyed(change_in(unit, change), key, two)),
    ("N <- CH K TWO IU", lambda change, key, two, unit: _keyed(change_in(unit, change), key, two)),
    ("N <- CH TWO W IU", lambda change, two, place, unit: _there_in(unit, change, place, two)),
    (
        "N <- N in points",
        lambda thing: thing if (x := typed(thing.x)) and compatible(x.measure.unit, PERCENT) else None,
    ),
    ("N <- TWO what? CH", lambda two, change: changed(change, two)),
    ("N <- NP T minus T", less),
    ("N <- NP T minus that_of T", less),
    ("N <- NP T minus TIME", less),
    ("N <- CH T minus T", lambda change, a, b: compared_at(change, (a, b))),
    ("N <- subtract N from N", lambda a, b: calculated("difference", b, a)),
    ("N <- subtract NP T from that_of T", lambda thing, b, a: less(thing, a, b)),
    ("N <- subtract T NP from T NP", lambda b, x, a, other: less(x, a, b) if x == other else None),
    ("N <- subtract T NP from T that_of?", lambda b, x, a: less(x, a, b)),
    ("N <- HOW do NP T deviate T", _apart_from),
    ("N <- by_how_much do NP T MOVED compared T", lambda x, a, way, b: changed(turned(x, way), (b, a))),
    ("TWO <- TWO images", lambda two: two),
    ("TWO <- between TIME and TIME carrier", in_order),
    *(
        (f"TWO <- {words}", _of_maps)
        for words in ("between TIME SHOWN and TIME SHOWN", "from TIME SHOWN until TIME SHOWN")
    ),
    *(
        (f"TWO <- {words}", in_order)
        for words in ("between TIME carrier and TIME carrier", "from TIME carrier until TIME carrier")
    ),
    ("TWO <- between TIME and TIME SOURCES", lambda a, b, _: in_order(a, b), 1),
    ("TWO <- compare T and T", in_order),
    ("TWO <- compare T to T", in_order),
    ("TWO <- compare T to TIME", in_order),
    ("TWO <- compare TIME to TIME", in_order),
    ("TWO <- compare TIME and TIME", in_order),
)
