"""The rules of verbs with limits, of runs of dates and periods, and of ground and quantities that change."""

from __future__ import annotations

from dataclasses import replace

from knowflow.question.operators import Expression, Quantity, walk
from knowflow.question.reading.becoming import (
    State,
    between,
    both,
    gained_and_lost,
    gone,
    grown,
    into,
    lost_yearly,
    mean_rate,
    most_at_once,
    most_gone,
    most_of_classes,
    most_of_its,
    moved,
    net_yearly,
    share_of,
    takes,
    varied_most,
)
from knowflow.question.reading.changes import Change, most_moved, shifted, turned
from knowflow.question.reading.chart import Line
from knowflow.question.reading.comparisons import told_as
from knowflow.question.reading.grounds import covering, share_where, sized, where_of
from knowflow.question.reading.keys import Keys, counted, in_a_run
from knowflow.question.reading.nouns import Graded, amount, compare, crossed, fallen, graded
from knowflow.question.reading.order import Clause, Thing
from knowflow.question.reading.questions import map_of
from knowflow.question.reading.spans import day_and
from knowflow.question.times import Times


def _map_where(how: str, clause: Clause) -> Expression | None:
    return map_of(where_of(clause)) if how == "map" else None


def _most_in(keys: Keys, grew: tuple[Thing, str], thing: Thing, two: tuple[Times, Times]) -> Expression | None:
    """``which class warmed most in surface temperature``: by what is named, where it is that."""
    kinds = ({part for _, part in walk(one.x) if isinstance(part, Quantity)} for one in (grew[0], thing))
    return most_moved(keys, grew[1], thing, two) if next(kinds) == next(kinds) else None


def _of_acquisitions(clause: Clause) -> Thing | None:
    """``how many consecutive images``: their number, where that of days has both ends."""
    return counted(Keys("date"), clause, "longest_run")


def _up(named: Graded) -> str:
    return "up" if named[1] == "above" else "down"


RULES_OF_VERBS: tuple[Line, ...] = (
    # what a verb says of a limit
    ("C <- do C", lambda clause: clause),
    ("B <- MOVED LEVEL NUMBER", crossed),
    ("B <- goes LEVEL NUMBER", lambda side, limit: (side, limit, None)),
    ("C <- B happened", fallen),
    ("C <- B of? QUANTITY happened", lambda bound, x: (thing := amount(Thing(x))) and compare(thing, bound)),
    ("RB <- receive B", fallen),
    ("RB <- receive B of? QUANTITY", lambda bound, x: (thing := amount(Thing(x))) and compare(thing, bound)),
    ("C <- IT RB", lambda of, clause: clause if of is True else None),
    ("C <- GROUND cover B", covering),
    ("C <- be B of? GROUND", lambda bound, ground: covering(ground, bound), 1),
    ("C <- GROUND be? B", sized),
    ("C <- be GROUND B", sized),
    ("C <- have B of STUFF", lambda bound, x: compare(x, bound), 1),
    ("CL <- have B of? GROUND", lambda bound, ground: covering(ground, bound), 1),
    # runs
    ("N <- run KEYS SAID", in_a_run, 1),
    ("N <- run acquisitions SAID", _of_acquisitions),
    ("N <- run acquisitions T SAID", lambda when, clause: counted(Keys("date", when), clause, "longest_run")),
    ("N <- how_many consecutive KEYS at_the_most? SAID", in_a_run, 1),
    ("N <- how_many consecutive acquisitions at_the_most? SAID", _of_acquisitions),
    ("N <- how_many KEYS in_row SAID at_the_most?", in_a_run, 1),
    ("N <- how_many KEYS in_row at_the_most SAID", in_a_run, 1),
    ("N <- how_many acquisitions in_row SAID at_the_most?", _of_acquisitions),
    ("N <- how_many KEYS do long SAID lasting", in_a_run),
    # what became of ground
    ("STATE <- GROUND", State),
    ("STATE <- no GROUND", lambda ground: State(ground, False)),
    ("STATE <- not GROUND", lambda ground: State(ground, False)),
    ("STATE <- GROUND free", lambda ground: State(ground, False)),
    ("STATE <- dry_land", lambda: State(None, False)),
    ("STATE <- SCOPE STATE", lambda _, state: state),
    ("STATE <- STATE SCOPE", lambda state, _: state),
    ("PAST <- STATE T", State.at),
    ("PAST <- TIME STATE", lambda when, state: state.at(when), 1),
    ("PAST <- STATE on DAY", State.at, 1),
    ("PAST <- be PAST", lambda past: past),
    ("STATE <- covered STATE", lambda state: state),
    ("LATER <- PAST", lambda past: past),
    ("LATER <- GONE by_then TIME", lambda how, when: gone(how).at(when)),
    ("LATER <- turned_into STATE by_then TIME", State.at),
    ("LATER <- still STATE? T", lambda *of: (of[0] if len(of) == 2 else State(None)).at(of[-1])),
    ("LATER <- still STATE on DAY", State.at, 1),
    ("LATER <- not T", lambda when: State(None, False, when)),
    ("LATER <- no_longer STATE? T", lambda *of: replace(of[0] if len(of) == 2 else State(None), so=False).at(of[-1])),
    *((f"LATER <- {verb} LATER", lambda later: later) for verb in ("be", "have", "and", "that", "although")),
    ("C <- CHANGED_GROUND", lambda ground: ground, 1),
    ("COVERED <- that COVERED", lambda clause: clause, 1),
    ("COVERED <- CHANGED_GROUND", lambda ground: ground),
    ("PLACE <- CHANGED_GROUND", lambda ground: ground, 1),
    ("CHANGED_GROUND <- PAST LATER", both),
    ("CHANGED_GROUND <- be? STATE in? both PAIR", lambda state, two: between(state, state, two)),
    ("CHANGED_GROUND <- be? STATE in? both TIMES", lambda one, two: between(one, one, two) if len(two) == 2 else None),
    (
        "CHANGED_GROUND <- be? STATE on? both DAY and TIME",
        lambda state, day, when: (two := day_and(day, when)) and between(state, state, two),
    ),
    ("CHANGED_GROUND <- stayed STATE TWO", lambda state, two: both(state.at(two[0]), state.at(two[1])), -1),
    ("CHANGED_GROUND <- STATE be? turned_into STATE TWO", between, -1),
    ("CHANGED_GROUND <- be? turned from STATE into STATE TWO", between),
    ("CHANGED_GROUND <- be? turned from PAST into PAST", both),
    ("CHANGED_GROUND <- turned_into STATE TWO", into),
    ("CHANGED_GROUND <- STATE that? be? GONE TWO", lambda state, how, two: into(gone(how, state.ground), two)),
    ("CHANGED_GROUND <- GONE STATE TWO", lambda how, state, two: into(gone(how, state.ground), two)),
    ("N <- how_much PAST LATER", share_of),
    ("N <- of PAST how_much LATER", share_of),
    ("N <- of PAST share_alone LATER", share_of),
    (
        "N <- how_much STATE have? be? GONE TWO",
        lambda state, how, two: share_of(state.at(two[0]), gone(how).at(two[1])),
    ),
    ("Q <- how_many UNIT of? GROUND be? GONE and GONE TWO", lambda *of: gained_and_lost(of[0], of[1], of[-1])),
    ("N <- how_many UNIT of? GROUND be? GONE per_year on_average? TWO", lost_yearly),
    ("N <- how_many UNIT of? GROUND be? MOVED per_year on_average? TWO", net_yearly),
    ("N <- by_how_many UNIT per_year do NP MOVED on_average TWO", mean_rate),
    ("N <- by_how_many UNIT per_year do NP MOVED TWO", mean_rate, 1),
    ("N <- average_rate do NP MOVED TWO", lambda *of: mean_rate(None, *of)),
    ("N <- average_rate in UNIT per_year do NP MOVED TWO", mean_rate),
    # what a quantity did
    ("GREW <- TURNED", lambda named: grown(named, True)),
    ("GREW <- IT TURNED", lambda of, named: grown(named, of)),
    ("GREW <- get MORE", lambda named: grown(named, True)),
    ("GREW <- IT get MORE", lambda of, named: grown(named, of)),
    ("GREW <- NP MOVED", lambda thing, way: (thing, way)),
    ("GREW <- NP get DEG", lambda thing, degree: (thing, "up" if degree[0] == "above" else "down")),
    ("CH <- HOW do NP did_change on_average?", lambda measure, thing: told_as(measure, Change("difference", thing))),
    ("CH <- HOW do GREW on_average?", lambda measure, grew: told_as(measure, turned(*grew))),
    (
        "CH <- HOW MORE do OF get",
        lambda measure, named, of: (x := graded(named, of)) and told_as(measure, turned(x, _up(named))),
    ),
    (
        "CH <- HOW MORE have OF get",
        lambda measure, named, of: (x := graded(named, of)) and told_as(measure, turned(x, _up(named))),
    ),
    ("CH <- GREW HOW", lambda grew, measure: told_as(measure, turned(*grew))),
    ("N <- how_much SCOPE do N MOVED TWO", lambda _, *moves: (test := moved(*moves)) and share_where(test), -1),
    ("C <- GREW TWO", lambda grew, two: moved(grew[0], grew[1], two)),
    ("C <- GREW by? B TWO", lambda grew, bound, two: shifted(grew[0], grew[1], two, bound)),
    ("CL <- MOVED B QUANTITY TWO", lambda way, bound, x, two: shifted(Thing(x), way, two, bound)),
    ("E <- where C", lambda clause: map_of(where_of(clause)), 1),
    ("E <- SHOWN of? where C", _map_where),
    ("XT <- KEYS do? that? GREW most TWO", lambda keys, grew, two: most_moved(keys, grew[1], grew[0], two)),
    ("XT <- KEYS do? that? GREW most in N TWO", _most_in),
    ("XT <- KEYS MOVED largest_share NP TWO", most_of_its),
    ("XT <- KEYS do N vary most", varied_most),
    ("XT <- KEYS do N vary most yearly", lambda keys, thing: varied_most(keys, thing, "year")),
    ("XT <- XT judged STAT", lambda x, said: x if said == "deviation" and takes(x, said) else None),
    ("XT <- KEYS be most GROUND GONE TWO", most_gone),
    ("CH <- net CH", lambda change: change),
    ("XT <- KEYS MOVED most in? SCOPE TWO", lambda keys, way, _, two: most_of_classes(keys, way, two)),
    ("XT <- KEYS do NP MOVED most year_before", most_at_once),
    ("XT <- KEYS MOVED most NP year_before", lambda keys, way, thing: most_at_once(keys, thing, way)),
)
