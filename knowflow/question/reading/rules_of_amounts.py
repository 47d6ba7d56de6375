"""The rules of amounts on the ground: volumes and masses, people and what else lies where, shares of a whole, means by
what lies there, densities."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from knowflow.question.operators import Expression, Not, Number, Quantity, walk
from knowflow.question.reading.amounts import (
    all_of,
    by_area,
    counted_per,
    fraction_of,
    how_many,
    lost,
    lost_in,
    measured_as,
    most_of_all,
    per_area,
    per_head,
    portion,
    portion_during,
    portion_each,
    portion_placed,
    so_many_days,
    stuff,
    unit_per,
    volume,
    weighted,
)
from knowflow.question.reading.changes import change_in, most_moved, turned
from knowflow.question.reading.chart import Line
from knowflow.question.reading.grounds import where_of
from knowflow.question.reading.keys import Keys, ranked
from knowflow.question.reading.limits import compare, placed
from knowflow.question.reading.nouns import Graded, amount, graded, on_average, per, statistic_of, told_in
from knowflow.question.reading.order import Clause, Thing
from knowflow.question.reading.restricted import during, within
from knowflow.question.reading.rules_of_sources import noun_of

_MELTED = "snow_water_equivalent"


def _deep(thing: Thing) -> Thing | None:
    """``how deep was the flood``; of snow the water that it would melt to is another depth."""
    return None if any(isinstance(part, Quantity) and part.kind == _MELTED for _, part in walk(thing.x)) else thing


def _extreme(thing: Thing, named: Graded) -> Thing | None:
    """``the deepest flood water``, ``the temperature of the hottest pixel``."""
    x = graded(named, thing)
    return x and statistic_of(_side(named), x)


def _deeper(thing: Thing, limit: Number) -> Clause | None:
    return compare(thing, ("above", limit, None))


def _by_density(keys: Keys, said: str, kind: str) -> Expression | None:
    """``the most densely populated``: by how much of it there is for its area."""
    density = per_area(stuff(kind), "km2")
    return None if density is None else ranked(keys, said, density)


def _in_own(own: tuple[str, str], restrict: Callable[[Thing], Thing | None]) -> Thing | None:
    """``how many mm did Hill Park get``: of the only quantity of the data that is told in the unit, and adds up."""
    thing = amount(Thing(Quantity(own[0])))
    of = None if thing is None else restrict(thing)
    return None if of is None else told_in(own[1], of)


RULES_OF_AMOUNTS: tuple[Line, ...] = (
    # what there is: by its name, or by what it is measured of
    ("STUFF <- SUBSTANCE", stuff),
    ("N <- how_many OWN_UNIT do PLACE have", lambda own, place: _in_own(own, lambda x: within(x, place))),
    ("N <- how_many OWN_UNIT do K have", lambda own, key: _in_own(own, lambda x: per(x, key))),
    ("N <- how_many OWN_UNIT happened", lambda own: _in_own(own, lambda x: x)),
    ("N <- OWN_UNIT happened", lambda own: _in_own(own, lambda x: x)),
    ("STUFF <- CHOSEN STUFF", lambda one, thing: noun_of(thing, one)),
    ("N <- STUFF TOLD_AS", measured_as, 1),
    ("N <- TOLD_AS of STUFF", lambda noun, thing: measured_as(thing, noun), 1),
    ("N <- how_deep be STUFF", _deep),
    ("N <- RANKED STUFF", lambda named, thing: _extreme(thing, named)),
    (
        "XT <- KEYS that? have RANKED STUFF",
        lambda keys, named, x: (y := graded(named, x)) and ranked(keys, _side(named), y),
    ),
    ("N <- N of RANKED SCOPE", lambda thing, named, _: _extreme(thing, named)),
    ("N <- STOCK", lambda x: all_of(Thing(x))),
    ("UNIT <- UNIT per UNIT", unit_per),
    ("UNIT <- STOCK per UNIT", lambda _, unit: counted_per(unit)),
    ("UNIT <- QUANTITY per UNIT", lambda _, unit: counted_per(unit)),
    ("N <- how_many N be?", how_many),
    ("N <- DENSITY", lambda kind: per_area(stuff(kind), "km2")),
    *(
        (f"XT <- KEYS be {word}", lambda keys, kind, said=said: _by_density(keys, said, kind))
        for word, said in (("DENSEST", "maximum"), ("SPARSEST", "minimum"))
    ),
    ("N <- how_many DENSITY be?", lambda kind: per_area(stuff(kind), "km2")),
    ("N <- N per UNIT", per_area),
    ("N <- N per_head", per_head),
    ("N <- N per_year IU", lambda thing, unit: told_in(f"{unit} year-1", thing)),
    # volumes and masses
    ("N <- STAT of? STUFF", volume),
    ("N <- most QUANTITY", lambda x: (y := amount(Thing(x))) and statistic_of("maximum", y), 1),
    *(
        (f"N <- STAT {words} pixelwise", lambda said, x: statistic_of(said, Thing(x)))  # people per pixel
        for words in ("STOCK", "number_of STOCK")
    ),
    ("N <- which N be", lambda thing: thing if thing.statistic is not None else None, 1),
    ("N <- STUFF BEHIND", lambda thing, said: volume(said, thing)),
    ("N <- how_many UNIT of? STUFF be?", told_in),
    ("N <- how_much_land STUFF be? on_average", lambda thing: statistic_of("mean", thing), -1),
    ("N <- how_much_land QUANTITY be? on_average", lambda x: on_average(Thing(x)), -1),
    ("XT <- KEYS have STAT STUFF", lambda keys, said, thing: ranked(keys, said, thing)),
    ("XT <- KEYS have most STUFF", lambda keys, thing: ranked(keys, "maximum", thing)),
    ("N <- how_many UNIT of? STUFF cover PLACE", lambda unit, x, place: (y := within(x, place)) and told_in(unit, y)),
    ("STUFF <- STUFF be? GONE", lambda x, how: lost(x) if how == "lost" else None),
    ("STUFF <- STUFF be? as STUFF", lambda one, other: one if one == other else None),
    ("STUFF <- STUFF do STUFF have", lambda one, other: one if one == other else None),
    ("N <- how_many UNIT of? STUFF per_year", lost_in),
    ("N <- how_much_land STUFF per UNIT", per_area),
    ("MUCH <- how_much_land STUFF be?", lambda thing: thing),
    ("MUCH <- MUCH T", during),
    ("MUCH <- MUCH W", within),
    ("N <- MUCH IU", lambda thing, unit: told_in(unit, thing)),
    ("N <- MUCH IU cover SCOPE", lambda thing, unit, _: told_in(unit, thing)),
    ("N <- MUCH IU cover PLACE", lambda thing, unit, place: (x := within(thing, place)) and told_in(unit, x)),
    ("CH <- which N do PLACE MOVED", lambda x, place, way: (y := within(x, place)) and turned(y, way)),
    ("CH <- how_much_land N do PLACE MOVED", lambda x, place, way: (y := within(x, place)) and turned(y, way)),
    ("CH <- N GONE by PLACE", lambda x, how, place: (y := within(x, place)) and turned(y, _way(how))),
    ("CH <- how_much_land STUFF GONE", lambda x, how: turned(x, _way(how))),
    ("CH <- how_much_land STUFF MOVED", turned),
    ("CH <- N GONE", lambda x, how: turned(x, _way(how)), 1),
    (
        "CH <- how_many UNIT of? STUFF do PLACE MOVED",
        lambda unit, x, place, way: (y := within(x, place)) and change_in(unit, turned(y, way)),
    ),
    ("XT <- KEYS MOVED most STUFF TWO", lambda keys, way, x, two: (y := all_of(x)) and most_moved(keys, way, y, two)),
    ("XT <- KEYS MOVED most N TWO", lambda keys, way, x, two: (y := all_of(x)) and most_moved(keys, way, y, two), 1),
    # where so much of the ground is something, as a quantity tells it
    ("C <- SHARE_IS be? ADJECTIVE", fraction_of, -2),
    ("C <- B be ADJECTIVE", lambda bound, kind: fraction_of((bound, None), kind)),
    ("C <- SHARE_IS be? covered QUANTITY", lambda bound, x: fraction_of(bound, x.kind), -2),
    ("C <- IT be ADJECTIVE by B", lambda _, kind, bound: fraction_of((bound, None), kind)),
    ("CL <- that? be ADJECTIVE by B", lambda kind, bound: fraction_of((bound, None), kind)),
    ("C <- QUANTITY cover B of? SCOPE?", lambda x, bound, *_: fraction_of((bound, None), x.kind)),
    # where it lies
    ("C <- STUFF be? deeper NUMBER", _deeper),
    ("PLACE <- STUFF deeper NUMBER", lambda x, limit: (test := _deeper(x, limit)) and where_of(test)),
    ("W <- covered B of STUFF", lambda bound, x: (test := compare(x, bound)) and where_of(test)),
    ("W <- in B of STUFF", lambda bound, x: (test := compare(x, bound)) and where_of(test)),
    ("W <- exposed W", lambda where: where),
    ("W <- exposed C", where_of),
    ("W <- exposed B of? N", lambda bound, thing: (test := compare(thing, bound)) and where_of(test)),
    ("W <- exposed N B", lambda thing, bound: (test := compare(thing, bound)) and where_of(test)),
    ("W <- exposed PLACE", lambda place: place),
    ("CL <- W", lambda where: where, 3),
    ("OUTER <- outside PLACE", lambda place: Not(place)),
    ("W <- be? OUTER", lambda place: place),
    ("CL <- OUTER", lambda place: place, 3),
    ("PLACE <- SCOPE OUTER", lambda _, place: place),
    # shares of a whole
    ("PART_OF <- share_alone of", lambda: True),
    ("PART_OF <- part_of", lambda: True),
    ("N <- PART_OF N be? W", lambda _, *given: portion(*given)),
    ("N <- PART_OF N be CL", lambda _, x, clause: (y := where_of(clause)) and portion(x, y), 1),
    ("N <- PART_OF N be? B", lambda _, *given: portion_placed(*given)),
    ("N <- PART_OF N be? B above_sea", lambda _, *given: portion_placed(*given)),
    ("N <- N be HEIGHTS", placed, 2),
    ("N <- N B above_sea", placed),
    ("N <- PART_OF N happened W", lambda _, *given: portion(*given)),
    ("N <- PART_OF N happened T", lambda _, *given: portion_during(*given)),
    ("N <- PART_OF N be T", lambda _, *given: portion_during(*given)),
    ("N <- PART_OF N be? K", lambda _, *given: portion_each(*given)),
    ("N <- PART_OF N happened K", lambda _, *given: portion_each(*given)),
    ("XT <- KEYS have most N", most_of_all, 1),
    (
        "XT <- KEYS have most N per UNIT",
        lambda keys, x, unit: (y := per_area(x, unit)) and ranked(keys, "maximum", replace(y, unit=None)),
    ),
    (
        "XT <- KEYS have most STUFF per UNIT",
        lambda keys, x, unit: (y := per_area(x, unit)) and ranked(keys, "maximum", replace(y, unit=None)),
    ),
    ("XT <- KEYS be most N", most_of_all, 2),
    ("XT <- KEYS have largest_share N", most_of_all),
    ("XT <- KEYS do largest_share N happened", most_of_all),
    ("N <- how_many QUANTITY be? on_average?", so_many_days, 2),
    # by what lies there
    *((f"{one} <- {one} {words}", by_area) for one in ("N", "Q", "XT") for words in ("by_area", "open by_area close")),
    ("N <- by_area N", by_area),
    ("N <- N weighted STAT of? N", lambda by, said, thing: weighted(by, thing, said)),
    ("N <- N weighted N", weighted),
    ("N <- N weighted by N", lambda thing, by: weighted(by, thing)),
    ("N <- exposure of N to N", weighted),
    ("N <- STAT exposure of N to N", lambda said, by, thing: weighted(by, thing, said)),
    ("N <- N exposure to N", weighted),
    ("N <- N exposure", lambda thing: thing if thing.by is not None else None),
)


def _side(named: Graded) -> str:
    return "maximum" if named[1] == "highest" else "minimum"


def _way(how: str) -> str:
    return "down" if how == "lost" else "up"
