"""The rules of lists of polygons, classes and dates with what is asked of each, and of what is told in two steps."""

from __future__ import annotations

from typing import Any

from knowflow.question.operators import (
    Beyond,
    Classify,
    Correlate,
    Expression,
    Number,
    Polygons,
    Quantity,
    Trend,
    walk,
)
from knowflow.question.reading.changes import (
    correlated,
    correlated_by,
    most_changed,
    rate,
    trend,
)
from knowflow.question.reading.chart import Line
from knowflow.question.reading.comparisons import two_of
from knowflow.question.reading.grounds import area_of, class_shares, share_where
from knowflow.question.reading.keys import Keys, chosen, counted, ranked, ranked_by, ranked_then
from knowflow.question.reading.limits import suggested
from knowflow.question.reading.nouns import (
    Graded,
    afterwards,
    graded,
    level_of,
    on_average,
    outer,
    over_ground,
    per,
    statistic_of,
    told_in,
)
from knowflow.question.reading.order import Level, Thing
from knowflow.question.reading.questions import answer, restricted_each, with_change
from knowflow.question.reading.restricted import during, within
from knowflow.question.reading.rules_of_areas import measured
from knowflow.question.reading.spans import adjoining, grain_of
from knowflow.question.reading.topics import (
    Topic,
    asked_of,
    its_correlation,
    judged_by,
    more_of_two,
    on_average_again,
    statistic_again,
)
from knowflow.question.times import Times


def _slope_again(thing: Thing) -> Thing | None:
    """``fit a line and give its slope``: of what is a trend already."""
    return thing if isinstance(thing.x, Trend) else None


def _each(thing: Thing, key: str) -> Thing | None:
    return per(thing, level_of(key))


def _most(keys: Keys, ground: Any, said: str = "maximum") -> Any:
    """``the date with the most clouds``: that which covers the largest share."""
    if isinstance(keys.level, Polygons | Quantity | Classify):  # of unlike size
        area = area_of(ground)
        return None if area is None else ranked(keys, said, area)
    if isinstance(ground, Beyond) and ground.limit == Number(0.0, getattr(ground.limit, "unit", "1")):
        return ranked(keys, said, Thing(ground.x))  # the most snow: of what is so deep
    share = share_where(ground)
    return None if share is None else ranked(keys, said, share)


def _grouped(thing: Thing, key: Level | tuple[Level, ...], said: str) -> Thing | None:
    """``group the slope by class and give the mean``."""
    one = per(thing, key)
    return None if one is None else afterwards(one, said)


def _each_of(topic: Topic, thing: Thing) -> Thing | None:
    """``how do the classes differ in slope? The mean slope of each``."""
    keys = topic.things[0].keys if len(topic.things) == 1 else ()
    same = {part for _, part in walk(thing.x) if isinstance(part, Quantity)}
    spoken = {part for one in topic.things for _, part in walk(one.x) if isinstance(part, Quantity)}
    return per(thing, keys[0]) if len(keys) == 1 and spoken <= same else None


def _of_kind(thing: Thing, kind: str) -> bool:
    return any(isinstance(part, Quantity) and part.kind == kind for _, part in walk(thing.x))


def _way(side: str) -> str:
    return "up" if side in ("above", "rising") else "down"


def _warmer(named: Graded, a: Times, b: Times) -> Expression | None:
    thing = graded(named, True)
    grains = {grain_of(one) or "month" for one in (a, b)}
    if thing is None or len(grains) > 1 or not grains <= {"month", "year"}:
        return None
    return more_of_two("maximum" if named[1] == "above" else "minimum", thing, a, b, grains.pop())


def _more_then(thing: Thing, *given: Any) -> Expression | None:
    """``was NDVI higher in January or in July 2022``."""
    degree, a, b = given if len(given) == 3 else (("above", ""), *given)
    said = "maximum" if degree[0] == "above" else "minimum"
    grains = {grain_of(one) or "month" for one in (a, b) if isinstance(one, Times)}
    return more_of_two(said, thing, a, b, grains.pop()) if len(grains) == 1 else None


def _of_those(keys: Keys, x: Any) -> Any:
    """``of all dates, which one has``: dates without a time of their own are all of them."""
    return x if keys == Keys("date") else None


def _of_each_year(thing: Thing, when: Times) -> Thing | None:
    """``for each August from 2019 to 2023``: one for each year, of its August."""
    months = (when.month or when.season) and when.first is None and not when.year
    then = during(thing, when) if months else None
    return None if then is None else per(then, "season" if when.season else "year")


RULES_OF_LISTS: tuple[Line, ...] = (
    # one for each
    ("KEY <- NAMED_KEY", lambda key: key),
    ("KEY <- different NAMED_KEY", lambda key: key),
    ("KEY <- all of? NAMED_KEY", lambda key: key),
    ("KEY <- KEY apart", lambda key: key),
    ("KEY <- SCOPE KEY", lambda scope, key: key if scope == "place" else None),
    ("N <- KEY N each", lambda key, thing: _each(thing, key)),
    ("N <- KEY have N each?", lambda key, thing: _each(thing, key), 1),
    ("N <- N do KEY have", _each),
    ("N <- N have KEY", _each, 1),
    ("N <- N do SCOPE have", lambda thing, _: thing),
    ("N <- N do PLACE have", within, 1),
    ("N <- compare KEY have N", lambda key, thing: _each(thing, key)),
    ("N <- PLACE own SCOPE", lambda place, scope: area_of(place) if scope == "area" else None),
    ("N <- PLACE own N", lambda place, thing: within(thing, place)),
    ("N <- K own N", lambda key, thing: per(thing, key)),
    ("N <- compare KEY per N", lambda key, thing: _each(thing, key)),
    ("N <- compare GRAIN per N", lambda grain, thing: per(thing, grain)),
    ("N <- compare GRAIN T per N", lambda grain, when, thing: (x := per(thing, grain)) and during(x, when)),
    ("N <- N per TIME", _of_each_year, 3),  # by August is no August of each year
    ("N <- N composition", lambda thing: thing if thing.keys else None),
    ("N <- composition K", class_shares),
    ("N <- composition of? PLACE K", lambda place, key: (x := class_shares(key)) and within(x, place)),
    ("N <- compare N of KEY", _each),
    ("N <- compare N K", per),
    ("K <- K apart", lambda key: key),
    ("K <- in K", lambda key: key),
    ("K <- have? KEY as KEY", lambda key, zones: level_of(key) if zones == "objects" else None),
    ("N <- group N K", per),
    ("N <- group N K and? what? STAT each?", _grouped),
    ("N <- group N K and? what? STAT of? K", lambda *given: _grouped(*given[:3])),
    ("K <- group K", lambda key: key),
    ("N <- group K N", lambda key, thing: per(thing, key)),
    # told in two steps
    ("Q <- what N and what? STAT", lambda thing, said: (x := afterwards(thing, said)) and answer(x)),
    ("Q <- what N and what? STAT over SCOPE", lambda thing, said, _: (x := over_ground(thing, said)) and answer(x)),
    ("N <- N and? next? what? of? those what? STAT", lambda thing, said: outer(said, thing) if thing.keys else None),
    ("N <- N and? next? what? STAT of those", lambda thing, said: outer(said, thing) if thing.keys else None),
    ("N <- N and? next? what? slope per_year?", _slope_again),
    ("N <- N and? next? what? CHANGED per_year", lambda thing, _: _slope_again(thing)),
    ("N <- N and? next? what? RISE per_year", lambda thing, _: _slope_again(thing)),
    ("N <- N and? next? how_fast per_year?", _slope_again),
    # of which, and with the most
    ("KEYS <- of KEYS", lambda keys: keys),
    ("KEYS <- of all? KEYS which one?", lambda keys: keys),
    ("KEYS <- all KEYS", lambda keys: keys),
    ("KEYS <- which of? all? KEYS", lambda keys: keys, 1),
    ("KEYS <- one KEYS", lambda keys: keys, 2),  # which single month
    ("KEYS <- KEYS still", lambda keys: keys, 2),
    ("KEYS <- which of? all? KEYS have", lambda keys: keys, 1),  # that we have
    ("KEYS <- which of NUM KEYS", lambda n, keys: keys if n > 1 else None),
    ("KEYS <- of NUM KEYS", lambda n, keys: keys if n > 1 else None, 1),
    ("KEYS <- KEYS of KEYS", lambda one, other: other if one == Keys("date") == Keys(other.key) else None),
    ("XT <- KEYS that? have most GROUND", _most),
    ("XT <- KEYS that? have most PLACE", _most, 1),
    ("XT <- KEYS have? STAT GROUND", lambda keys, said, ground: _most(keys, ground, said), 1),
    ("XT <- KEYS be STAT GROUND", lambda keys, said, ground: _most(keys, ground, said), -1),
    ("XT <- KEYS be most GROUND", _most),
    ("XT <- KEYS be most COVERED", _most, 1),  # the most under water
    ("XT <- XT seen", lambda x: x, 1),
    ("PLACE <- PLACE ones", lambda place: place),  # than that of the irrigated ones
    ("XT <- KEYS GROUND most", _most, 1),  # which sector burned most
    ("XT <- KEYS GROUND STAT", lambda keys, ground, said: _most(keys, ground, said), 2),
    (
        "XT <- KEYS that? have RANKED IT",
        lambda keys, named, of: (
            (x := graded(named, of)) and ranked(keys, "maximum" if named[1] == "highest" else "minimum", x)
        ),
    ),
    (
        "XT <- KEYS that? be RANKED one",
        lambda keys, named: (
            (x := graded(named, True)) and ranked(keys, "maximum" if named[1] == "highest" else "minimum", x)
        ),
    ),
    ("E <- of? all KEYS E", _of_those),
    ("Q <- of? all KEYS Q", _of_those),
    ("N <- compare KEY next? what? N each", lambda key, thing: _each(thing, key)),
    ("NAMED_KEY <- NAMED_KEY NAMED_KEY", lambda one, other: one if one == other else None),
    ("NAMED_KEY <- NAMED_KEY in NAMED_KEY layer?", lambda one, other: one if one == other else None),
    ("N <- KEY spatial STAT of? N", lambda key, said, thing: (x := statistic_of(said, thing)) and _each(x, key)),
    ("N <- spatial STAT of? N KEY", lambda said, thing, key: (x := statistic_of(said, thing)) and _each(x, key)),
    ("TOPIC <- do N did_change between KEY", lambda thing, key: (x := _each(thing, key)) and Topic((x,))),
    ("TOPIC <- how do KEY did_change in N", lambda key, thing: (x := _each(thing, key)) and Topic((x,))),
    ("N <- TOPIC next? what? N each", lambda topic, thing: _each_of(topic, thing)),
    ("N <- one N", lambda thing: thing, 1),
    ("N <- N one_value each", lambda thing: thing if thing.keys else None),
    (
        "N <- compare KEY per how ADJECTIVE be N",
        lambda key, kind, thing: thing if key and _of_kind(thing, kind) else None,
    ),
    # a name told twice, and what something is judged by
    ("QUANTITY <- QUANTITY open QUANTITY close", lambda one, other: one if one == other else None),
    ("QUANTITY <- QUANTITY QUANTITY", lambda one, other: one if one == other else None),
    ("XT <- XT judged N", judged_by),
    ("XT <- KEYS be? STAT judged N", lambda keys, said, thing: ranked(keys, said, thing)),
    ("N <- which? CORRELATION do N and N have", lambda _, a, b: correlated(a, b)),
    ("XT <- XT have N", judged_by),
    ("XT <- XT and N", judged_by),
    ("XT <- XT of all NUM", lambda x, _: x),
    ("XT <- XT on_average", on_average_again, 1),
    ("XT <- XT namely have? STAT of? N", lambda x, _, thing: judged_by(x, thing)),
    ("SO_GRADED <- open have? STAT of? N close", lambda said, thing: (said, thing)),
    ("SO_GRADED <- namely have? STAT of? N", lambda said, thing: (said, thing)),
    *((f"GRADED <- {one}", lambda _: True) for one in ("SUPERLATIVE", "RANKED")),
    ("XT <- KEYS that? be? GRADED SO_GRADED", lambda keys, _, so: ranked(keys, *so), 1),
    ("XT <- KEYS that? be? GRADED T SO_GRADED", lambda keys, _, when, so: ranked_then(keys, when, *so), 1),
    (
        "KEYS <- KEYS of? and? which KEYS",
        lambda one, other: one if (one, other.key) == (Keys("month"), "year") else None,
    ),
    ("XT <- XT open N close", judged_by),
    ("XT <- KEYS have RANKED N", lambda keys, named, x: (y := ranked_by(keys, named)) and judged_by(y, x)),
    ("XT <- XT of all", lambda x: x),
    ("Q <- TOPIC judged N", lambda topic, thing: (x := answer(thing)) and asked_of(topic, x)),
    ("Q <- Q STAT over SCOPE", lambda one, said, _: statistic_again(one, said), 1),
    # together
    ("AXIS <- in GRAIN", lambda grain: grain),
    ("AXIS <- over GRAIN", lambda grain: grain),
    ("AXIS <- from GRAIN until GRAIN", lambda one, other: one if one == other else None),
    ("AXIS <- per GRAIN", lambda grain: grain),
    ("N <- spatial N", lambda thing: None if isinstance(thing.x, Correlate) and thing.x.axes != "space" else thing, 1),
    ("N <- CORRELATION AXIS between N and N", lambda _, *given: correlated_by(*given)),
    ("N <- CORRELATION between N and N AXIS", lambda _, a, b, grain: correlated_by(grain, a, b), -1),
    ("N <- CORRELATION pixelwise between N and N", lambda _, a, b: correlated(a, b)),
    ("N <- CORRELATION between N and N pixelwise", lambda _, a, b: correlated(a, b)),
    ("TOPIC <- how_related? how? do N go_together to? N", lambda a, b: Topic((a, b))),
    ("N <- go_together N to N", correlated),
    ("XT <- KEYS have strongest CH TWO", lambda keys, change, two: most_changed(keys, "maximum", change, two)),
    ("XT <- KEYS have STAT CH TWO", most_changed),
    ("N <- CORRELATION in N compared N", lambda _, a, b: correlated(a, b)),
    ("N <- CORRELATION N compared N", lambda _, a, b: correlated(a, b)),
    ("N <- CORRELATION N and N", lambda _, a, b: correlated(a, b)),
    ("TOPIC <- how_related? how? do N and N go_together", lambda a, b: Topic((a, b))),
    ("TOPIC <- how_related? how? do N vary to N", lambda a, b: Topic((a, b))),
    ("TOPIC <- be N related to? N", lambda a, b: Topic((a, b))),
    ("TOPIC <- be N related to? AGAINST", lambda thing, other: (two := two_of(thing, other)) and Topic(two)),
    ("TOPIC <- do N MOVED along_with N", lambda a, _, b: Topic((a, b))),
    ("TOPIC <- how_related do N and N go_together", lambda a, b: Topic((a, b))),
    ("Q <- TOPIC open CORRELATION close", lambda topic, _: its_correlation(topic)),
    # along time
    ("N <- N per_year", _slope_again),
    ("N <- N linear", _slope_again),
    ("N <- how_fast per_year? be NP MOVING per_year?", rate),
    ("N <- how_fast per_year? have NP be MOVING per_year?", rate),
    ("N <- how_fast per_year? have NP MOVED", rate),
    ("N <- how_fast have NP did_change", lambda thing: trend("linear", thing)),
    ("N <- how_fast per_year? do NP MOVED", rate),
    ("N <- how_fast be IT GOING per_year?", lambda of, named: (x := graded(named, of)) and rate(x, _way(named[1]))),
    (
        "N <- how MORE do N get per_year",
        lambda named, thing: rate(thing, _way(named[1])) if _of_kind(thing, named[0]) else None,
    ),
    ("N <- N RISE per_year", rate),
    ("N <- RISE of N per_year", lambda way, thing: rate(thing, way)),
    ("N <- RISE in N per_year", lambda way, thing: rate(thing, way)),
    ("N <- per_year CHANGED of N", lambda how, thing: trend("linear", thing) if how == "difference" else None),
    ("N <- N of GRAIN T", lambda thing, _, when: during(thing, when)),
    # of one per date, what was reached
    ("N <- N and? next? of what? STAT", lambda thing, said: outer(said, thing) if thing.keys else None),
    ("N <- STAT do N reach", statistic_of),
    ("N <- STAT that? N reach", statistic_of),
    ("N <- K STAT do N reach", lambda key, said, thing: (x := per(thing, key)) and outer(said, x)),
    ("N <- N what? STAT reach", lambda thing, said: outer(said, thing) if thing.keys else None),
    ("N <- N per TIME GRAIN", lambda thing, when, grain: (x := during(thing, when)) and per(x, grain)),
    ("N <- what? N do reach", lambda thing: thing),
    ("N <- which N do reach", lambda thing: thing),
    ("N <- which N do SCOPE have", lambda thing, _: thing),
    ("N <- which N do PLACE have", within, 1),
    ("N <- which N do KEY have", _each),
    ("N <- which N do KEY have on_average", lambda thing, key: (x := on_average(thing)) and _each(x, key)),
    ("N <- which N do SCOPE have on_average", lambda thing, _: on_average(thing)),
    ("N <- which N do K have on_average", lambda thing, key: (x := on_average(thing)) and per(x, key)),
    ("N <- which N do K have", per),
    ("N <- N how_much be?", lambda thing: thing, 1),
    # times of dates that are looked at alone
    *((f"JOINT <- {word} TIME and TIME", adjoining) for word in ("in", "of")),
    ("JOINT <- TIME and TIME", adjoining),
    ("Q <- JOINT Q", lambda when, one: with_change(lambda x: during(x, when), one)),
    ("KEYS <- KEYS JOINT", lambda keys, when: keys.during(when)),
    ("T <- TIME images", lambda when: when, 1),
    ("T <- images T", lambda when: when),
    ("T <- in images T", lambda when: when),
    ("N <- of SCOPE N", lambda _, thing: thing, 1),
    ("N <- of all SCOPE N", lambda _, thing: thing),
    # of two months
    ("KEYS <- NUM KEYS", lambda n, keys: keys if n == 2 and keys.key == "month" else None, 2),
    ("E <- be TIME or TIME MORE", lambda a, b, named: _warmer(named, a, b)),
    ("E <- which? KEYS be MORE TIME or TIME", lambda keys, named, a, b: _warmer(named, a, b)),
    ("E <- KEYS CL", chosen, 3),
    ("Q <- days_alone SAID", lambda clause: (x := counted(Keys("date"), clause)) and answer(x)),
    ("Q <- compare N TIMES", lambda thing, times: restricted_each(during, thing, times)),
    ("Q <- compare N GROUNDS", lambda thing, grounds: restricted_each(within, thing, grounds)),
    ("E <- TIME or TIME which? KEYS be IT? MORE", lambda a, b, keys, *said: _warmer(said[-1], a, b)),
    ("E <- be N DEG? T or T", _more_then, 1),
    ("E <- be TIME or TIME that have high N", lambda a, b, thing: more_of_two("maximum", thing, a, b)),
    # how much a medium has, in its unit
    ("N <- how_many UNIT do MEDIUM have", lambda unit, kind: told_in(unit, Thing(Quantity(kind)))),
    ("N <- how_many UNIT be MEDIUM", lambda unit, kind: told_in(unit, Thing(Quantity(kind)))),
    ("N <- how_many UNIT do MEDIUM have on_average", lambda unit, kind: told_in(unit, Thing(Quantity(kind), "mean"))),
    ("N <- how_many UNIT be MEDIUM on_average", lambda unit, kind: told_in(unit, Thing(Quantity(kind), "mean"))),
    ("C <- MEDIUM be? have? B", lambda kind, bound: suggested(kind)(bound)),
    ("C <- MEDIUM W be? have? B", lambda kind, where, bound: (test := suggested(kind)(bound)) and within(test, where)),
    # ground that is called something, and asked for by ``that``
    ("N <- C counts GROUND and? next? what? A be that", lambda clause, _, extent: measured(extent, clause)),
)
