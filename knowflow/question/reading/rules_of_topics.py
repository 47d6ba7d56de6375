"""The rules of words that grade without a name, of sentences that go on, and of words that are explained."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from knowflow.question.operators import Calculate, Expression, Polygons, Quantity
from knowflow.question.reading.changes import change_map, is_change, most_moved, rate, trend
from knowflow.question.reading.chart import Line
from knowflow.question.reading.grounds import (
    area_of,
    both_grounds,
    class_areas,
    clear,
    in_unit_of,
    largest,
    share_where,
)
from knowflow.question.reading.keys import Keys, ranked, ranked_by
from knowflow.question.reading.limits import suggested
from knowflow.question.reading.nouns import Graded, adjective_per, amount, every, graded, per, statistic_of, told_in
from knowflow.question.reading.order import CLOUDLESS, Thing, typed
from knowflow.question.reading.questions import Answer, answer, displayed, plain, shown
from knowflow.question.reading.restricted import during, within
from knowflow.question.reading.spans import adjoining, from_day, span
from knowflow.question.reading.topics import (
    Topic,
    asked_of,
    at_its,
    at_point,
    averaged,
    clear_image,
    compared_of,
    composed,
    extreme_of,
    going,
    its_correlation,
    its_rate,
    its_statistic,
    its_trend,
    largest_patch,
    map_of,
    of_what_is_known,
    ranked_as,
    same_clause,
    share_below,
    signed,
    statistic_again,
    told_again,
    topic_during,
    topic_within,
    turning,
    warmer_of_two,
)
from knowflow.question.times import Times


def _developed(thing: Thing, when: Any = None) -> Any:
    """``how has it developed since 2000``: one for each date, or each map."""
    of = thing if when is None else during(thing, when)
    for grain in ("date", "year"):
        found = None if of is None or of.keys else per(of, grain)
        if found is not None:
            return answer(found)
    return None


def _which(keys: Keys, given: Any) -> Any:
    """The month that was more so of two, said of something or not, in a year or not."""
    *front, a, b = given
    named = next(one for one in front if isinstance(one, tuple))
    of = next((one for one in front[:1] if one is not named), True)
    when = next((one for one in front[1:] if isinstance(one, Times)), None)
    return warmer_of_two(keys, named, of, when, a, b)


_HEIGHTS = ("elevation", "canopy_height", "building_height")


def _most_area_moved(keys: Keys, way: str, said: str, x: Expression, two: tuple[Times, Times]) -> Expression | None:
    """``which district lost the largest area of water``."""
    return most_moved(keys, way, area_of(x), two) if said == "maximum" else None


def _how_much_in(kind: str, unit: str, of: Any) -> Thing | None:
    """``how warm (in degrees) was the sea``."""
    thing = graded((kind, ""), of)
    return None if thing is None else told_in(unit, thing)


def _at_spot(gets: Graded, *given: Any) -> Thing | None:
    """``how cold did it get at the coldest spot``: the same extreme of the ground, or another."""
    *of, spot = given
    x = graded(gets, of[0]) if of else Thing(Quantity(gets[0]))
    return None if x is None or spot[0] != gets[0] else extreme_of(spot, x)


def _of_a_day(when: Times) -> Times | None:
    """``the composite starting 14 September 2019``: composites are dated by their first day."""
    return when if when.first is not None and when.first == when.last else None


def _of_dates(one: Answer) -> Answer | None:
    """``which composite ..., by its start date``: what is answered is a date, which is that anyway."""
    own = typed(one.expression)
    chosen = own is not None and own.chosen and own.keys == ("date",)
    return one if own is not None and (chosen or own.of == "date") else None


def _at_surveyed_point(named: tuple[Quantity, str]) -> Thing | None:
    """``the highest point in 2021``, where there are maps of several surveys."""
    return statistic_of("maximum" if named[1].startswith("highest") else "minimum", Thing(named[0]))


def _with_point(keys: Keys, named: tuple[Quantity | str, str]) -> Expression | None:
    """``which catchment has the highest point``: by what is reached in each."""
    said = "maximum" if named[1].startswith("highest") else "minimum"
    x = named[0] if isinstance(named[0], Quantity) else Quantity(named[0])
    thing = statistic_of(said, Thing(x))
    return None if thing is None else ranked(keys, said, thing)


def _ranked_so(keys: Keys, thing: Thing, said: str) -> Expression | None:
    return ranked(keys, said, thing)


def _where_of(make: Callable[..., Expression | None], *given: Any) -> Expression | None:
    """``where was no2 highest in 2019, which province``: which of the places that are named behind it."""
    *said, keys = given
    whens = [one for one in said if isinstance(one, Times)]
    x = make(keys, *(one for one in said if one not in whens)) if isinstance(keys.level, Polygons) else None
    for when in whens:
        x = None if x is None else during(x, when)
    return x


def _end_of_heights(kind: str, said: str) -> Thing | None:
    """``how high does the terrain get``."""
    return statistic_of(said, Thing(Quantity(kind))) if kind in _HEIGHTS else None


def _so_much_there(unit: str, place: Expression, kind: str) -> Thing | None:
    """``how many mm did the block evaporate``."""
    thing = amount(Thing(Quantity(kind)))
    there = None if thing is None else within(thing, place)
    return None if there is None else told_in(unit, there)


RULES_OF_TOPICS: tuple[Line, ...] = (
    # words that grade a quantity without naming it, of the whole, of a place, of what they are said of, or of it itself
    ("IT <- SCOPE", lambda _: True),
    ("IT <- MEDIUM", lambda kind: kind),
    ("IT <- PLACE", lambda place: place, 1),
    ("IT <- ONE", lambda one: one, 2),  # how bright was the most populous city
    ("IT <- QUANTITY", Thing),
    ("IT <- spatial STAT", lambda said: True if said == "mean" else None, 1),  # how fast did the area mean warm
    ("C <- IT be? COMPARED NUMBER", compared_of),
    ("C <- be IT COMPARED NUMBER", compared_of),
    ("XT <- KEYS be IT RANKED", ranked_as),
    *(  # where was it warmest by day, in which zone
        (f"XT <- where be {said} {when}which KEYS", partial(_where_of, make))
        for said, make in (("RANKED", ranked_by), ("IT RANKED", ranked_as), ("N at? STAT", _ranked_so))
        for when in ("", "T ", "T T ")
    ),
    ("XT <- KEYS be T RANKED", lambda keys, when, named: (x := ranked_by(keys, named)) and during(x, when)),
    ("XT <- KEYS be IT at RANKED", ranked_as),
    ("XT <- KEYS be IT? MORE T? TIME or TIME", lambda keys, *given: _which(keys, given)),
    ("RANKED <- most ADJECTIVE", lambda kind: (kind, "highest"), 1),
    ("N <- how ADJECTIVE be", lambda kind: Thing(Quantity(kind)), 1),
    ("N <- how ADJECTIVE on_average? IU be IT", _how_much_in),
    ("N <- how ADJECTIVE be IT", lambda kind, of: graded((kind, ""), of)),
    ("N <- how ADJECTIVE do IT move", lambda kind, of: graded((kind, ""), of)),
    ("N <- how ADJECTIVE be N", lambda kind, thing: thing if thing.statistic and graded((kind, ""), thing) else None),
    ("QUANTITY <- NAMED", Quantity),
    ("N <- RANKED N", extreme_of),
    ("COVERED <- be? CL and GROUND", lambda clause, ground: both_grounds(ground, clause)),
    ("XT <- KEYS cover most of? SCOPE", lambda keys, _: largest(keys, "maximum")),
    ("XT <- KEYS cover most W", lambda keys, where: (x := largest(keys, "maximum")) and within(x, where)),
    ("XT <- XT in_total", lambda x: x),
    ("E <- display N", lambda thing: shown("map", thing) if displayed(thing) is None else None),
    ("N <- POINT_OF", at_point),
    *((f"XT <- KEYS {verb} POINT_OF", _with_point, -1) for verb in ("have", "reach")),
    *((f"XT <- KEYS {verb} SURVEYED_POINT_OF", _with_point, -1) for verb in ("have", "reach")),
    ("N <- RANKED spot", at_point),
    ("N <- RANKED clear_pixels", lambda named: (x := at_point(named)) and clear(x)),
    ("N <- SURVEYED_POINT_OF", _at_surveyed_point),
    ("N <- SURVEYED_RANKED spot", _at_surveyed_point),
    ("N <- how ADJECTIVE do RANKED spot get", lambda kind, named: at_point(named) if named[0] == kind else None),
    ("N <- how GETS do IT get", lambda named, of: (x := graded(named, of)) and extreme_of(named, x), 2),
    ("N <- how GETS do get", lambda named: extreme_of(named, Thing(Quantity(named[0]))), 2),
    *(
        (f"N <- how GETS do {words} get at RANKED spot", lambda named, *of: _at_spot(named, *of), -1)
        for words in ("", "IT")
    ),
    ("N <- how ADJECTIVE be RANKED spot", lambda kind, named: at_point(named) if named[0] == kind else None),
    (
        "N <- how ADJECTIVE be IT at RANKED spot",
        lambda kind, of, named: (x := graded((kind, ""), of)) and extreme_of(named, x),
    ),
    ("N <- N at RANKED spot", lambda thing, named: extreme_of(named, thing)),
    ("N <- N at RANKED", at_its),
    ("N <- N as SCOPE STAT", lambda thing, scope, said: averaged(thing, said) if scope == "place" else None),
    ("N <- N as STAT over SCOPE", lambda thing, said, _: averaged(thing, said)),
    ("CL <- have? SIGN N", signed),
    ("C <- N be? SIGN", lambda thing, side: signed(side, thing)),
    ("C <- C open C close", same_clause),
    ("CL <- CL open C close", same_clause),
    # what measures a quantity by a verb, and heights above the sea
    ("N <- by_how_much do MEASURES", lambda kind: amount(Thing(Quantity(kind)))),
    ("N <- how_many UNIT do? MEASURES", lambda unit, kind: (x := amount(Thing(Quantity(kind)))) and told_in(unit, x)),
    ("N <- by_how_much do PLACE MEASURES", lambda place, kind: within(Thing(Quantity(kind)), place)),
    ("N <- how_many UNIT do PLACE MEASURES", _so_much_there),
    ("XT <- KEYS MEASURES most", lambda keys, kind: ranked(keys, "maximum", Thing(Quantity(kind)))),
    ("XT <- KEYS do MEASURES most", lambda keys, kind: ranked(keys, "maximum", Thing(Quantity(kind)))),
    ("RB <- B above_sea", suggested("elevation")),
    ("N <- how_high MEDIUM", lambda kind: Thing(Quantity(kind)) if kind in _HEIGHTS else None),
    *(
        (f"N <- {how} MEDIUM {end}", lambda kind, said=said: _end_of_heights(kind, said), -1)
        for how, said in (("how_high", "maximum"), ("how_low", "minimum"))
        for end in ("get", "reach", "at_the_most")
    ),
    ("N <- how high above_sea be SCOPE?", lambda *_: Thing(Quantity("elevation"))),
    ("N <- SIDE which N do NUMBER of SCOPE be?", lambda side, thing, share, _: share_below(side, thing, share)),
    ("N <- which N do NUMBER of SCOPE be? SIDE", lambda thing, share, _, side: share_below(side, thing, share)),
    # one image of many
    ("N <- QUANTITY images", Thing, 1),
    *((f"T <- {word} composite {of} TIME", _of_a_day) for word in ("in", "of") for of in ("starting", "of")),
    *((f"T <- composite {of} TIME", _of_a_day, 1) for of in ("starting", "of")),
    ("Q <- Q next? by_first_day", _of_dates),
    ("Q <- Q next? open by_first_day close", _of_dates),
    ("KEYS <- KEYS open by_first_day close", lambda keys: keys if keys.key == "date" else None),
    ("IMAGE <- N composite", map_of),
    ("IMAGE <- STAT composite of? N", lambda said, thing: (x := statistic_of(said, thing)) and map_of(x)),
    ("IMAGE <- N as_one", map_of),
    ("IMAGE <- one QUANTITY images out_of all? GRAIN STAT of? all?", lambda x, _, said: composed(x, said)),
    ("CLEAR <- STAT of clear_pixels", lambda said: said),
    ("IMAGE <- one cloudless? QUANTITY images out_of all? GRAIN CLEAR", lambda x, _, said: clear_image(x, said)),
    ("IMAGE <- IMAGE T", during),
    ("IMAGE <- IMAGE cloudless", lambda x: within(x, CLOUDLESS)),
    ("IMAGE <- IMAGE out_of all GRAIN", lambda x, grain: x if grain == "date" else None),
    ("E <- IMAGE", lambda x: x),
    ("E <- ASK IMAGE", lambda _, x: x),
    # what always holds, or is taken for the whole
    ("N <- N known_alone", lambda thing: replace(thing, x=of_what_is_known(thing.x))),
    ("Q <- Q known_alone", lambda one: replace(one, expression=of_what_is_known(one.expression)), 1),
    ("K <- one_value K", lambda key: key),
    ("N <- N one_value K", lambda thing, key: thing if key in thing.keys else None),
    ("N <- which N have K", per),
    ("E <- SHOWN N", shown),
    ("T <- of TIME whole_time", lambda when: when),
    *((f"T <- {word} TIME whole_time", lambda when: when) for word in ("in", "on")),
    ("T <- of all? TIME GRAIN", lambda when, grain: when if grain == "date" else None),
    ("T <- in all TIME GRAIN", lambda when, grain: when if grain == "date" else None),
    ("T <- of all? TIME and TIME GRAIN", lambda a, b, grain: adjoining(a, b) if grain == "date" else None),
    ("T <- in all TIME", lambda when: when),
    ("T <- in all of TIME", lambda when: when),
    ("T <- of all TIME", lambda when: when),
    ("T <- in TIME until TIME", span),
    ("T <- in? DAY until TIME", from_day, 1),
    ("M <- GRAIN STAT of? N", lambda grain, said, thing: every(grain, said, thing) if grain == "date" else None, 1),
    ("N <- N GRAIN STAT", lambda thing, grain, said: every(grain, said, thing) if grain == "date" else None, 1),
    ("NAMED_KEY <- NAMED_KEY of NAMED_KEY layer", lambda key, other: key if key == other else None),
    (
        "NAMED_KEY <- NAMED_KEY of NAMED_KEY SHOWN",
        lambda key, other, how: key if (key, how) == (other, "map") else None,
    ),
    ("NAMED_KEY <- NAMED_KEY layer", lambda key: key),
    ("N <- how_many UNIT belong K", lambda unit, key: class_areas(key, unit)),
    ("N <- how_many UNIT of PLACE be", lambda unit, place: in_unit_of(unit, area_of(place))),
    # things that can be counted, and the largest of them
    ("spatial <- SCOPE wide", lambda _: True),
    ("GROUND <- BODY", lambda ground: ground, 1),
    ("N <- SHARE_OF", share_where),
    ("N <- how_many separate? BODY be?", lambda ground: share_where(ground, None, "patches")),
    ("N <- how_large STAT BODY", largest_patch),
    ("N <- STAT BODY", largest_patch, 2),
    ("N <- how_large biggest_patch of? COVERED", lambda clause: share_where(clause, None, "largest_patch")),
    ("N <- how_large biggest_patch where C", lambda clause: share_where(clause, None, "largest_patch")),
    ("N <- biggest_patch of? COVERED", lambda clause: share_where(clause, None, "largest_patch"), 2),
    # what changed most, what was lost or gained, and maps of change
    ("XT <- KEYS MOVED most N TWO", lambda keys, way, thing, two: most_moved(keys, way, thing, two)),
    ("XT <- KEYS MOVED STAT how_large PLACE TWO", _most_area_moved),
    ("XT <- KEYS MOVED most PLACE TWO", lambda keys, way, x, two: most_moved(keys, way, area_of(x), two)),
    ("N <- how_many UNIT of? CHANGED_GROUND", lambda unit, x: in_unit_of(unit, share_where(x, None, "area"))),
    ("N <- how_much_land CHANGED_GROUND", lambda x: share_where(x, None, "area"), -1),
    ("N <- how_large CHANGED_GROUND", lambda x: share_where(x, None, "area")),
    ("E <- SHOWN how N did_change TWO", lambda how, thing, two: change_map(thing, two) if how == "map" else None),
    ("E <- CHANGED SHOWN of? N TWO", lambda _, how, thing, two: change_map(thing, two) if how == "map" else None),
    ("E <- CHANGED SHOWN of? N", lambda _, how, thing: shown(how, thing) if isinstance(thing.x, Calculate) else None),
    ("N <- N between_two", lambda thing: thing if is_change(thing.x) else None),
    # sentences that say what they are about, and go on
    ("TOPIC <- be N MOVING", going),
    ("TOPIC <- do N MOVED", going),
    ("TOPIC <- be MEDIUM MOVING", lambda kind, way: going(Thing(Quantity(kind)), way)),
    ("TOPIC <- do MEDIUM MOVED", lambda kind, way: going(Thing(Quantity(kind)), way)),
    ("TOPIC <- be IT GOING", lambda of, named: going(graded(named, of), named[1])),
    ("TOPIC <- be GOING", lambda named: going(graded(named, True), named[1])),
    *(
        (f"TOPIC <- {verb} get MORE", lambda *given: turning(given[-1], given[0] if len(given) > 1 else True))
        for verb in ("be", "be IT", "do", "do IT", "have", "have IT")
    ),
    ("TOPIC <- be less_and_less N", lambda thing: going(thing, "down")),
    ("TOPIC <- be more_and_more N", lambda thing: going(thing, "up")),
    ("TOPIC <- be less_and_less MEDIUM", lambda kind: going(Thing(Quantity(kind)), "down")),
    ("TOPIC <- be more_and_more MEDIUM", lambda kind: going(Thing(Quantity(kind)), "up")),
    ("TOPIC <- how ADJECTIVE be IT", lambda kind, of: (x := graded((kind, ""), of)) and Topic((x,))),
    ("TOPIC <- how ADJECTIVE be K", lambda kind, key: (x := adjective_per(kind, key)) and Topic((x,))),
    ("TOPIC <- how ADJECTIVE be", lambda kind: Topic((Thing(Quantity(kind)),)), 1),
    ("TOPIC <- TOPIC on_average", lambda topic: topic),
    ("TOPIC <- how do N did_change", lambda thing: Topic((thing,))),
    *((f"Q <- how {verb} NP developed", _developed) for verb in ("do", "have")),
    *((f"Q <- how {verb} NP developed T", _developed) for verb in ("do", "have")),
    ("Q <- how do NP developed K", lambda thing, key: (x := per(thing, key)) and answer(x)),
    (
        "N <- by_how_many UNIT per_year do N did_change",
        lambda unit, thing: in_unit_of(f"{unit} year-1", trend("linear", thing)),
    ),
    ("TOPIC <- how have N did_change", lambda thing: Topic((thing,))),
    ("TOPIC <- by_how_much do N vary", lambda thing: Topic((thing,), "varies")),
    ("TOPIC <- do N and N go_together", lambda a, b: Topic((a, b))),
    ("TOPIC <- be N and N related", lambda a, b: Topic((a, b))),
    ("TOPIC <- TOPIC T", topic_during),
    ("TOPIC <- TOPIC W", topic_within, 1),
    ("TOPIC <- TOPIC pixelwise", lambda topic: topic if len(topic.things) == 2 else None),
    ("TOPIC <- TOPIC over_time", lambda topic: topic),
    ("Q <- TOPIC", lambda topic: (x := topic.asked()) and plain(x), 1),
    ("Q <- TOPIC next? and? what? TREND per_year?", its_trend),
    ("Q <- TOPIC next? and? how_fast per_year?", its_rate),
    ("Q <- TOPIC next? and? what? pixelwise? CORRELATION", lambda topic, _: its_correlation(topic)),
    ("Q <- TOPIC next? and? what? STAT", its_statistic),
    ("Q <- TOPIC open STAT close", its_statistic),
    ("Q <- TOPIC next? Q", asked_of),
    ("Q <- Q next Q", told_again),
    ("Q <- Q next? open STAT close", statistic_again),
    ("N <- by_how_much do N MOVED per_year", rate),
)
