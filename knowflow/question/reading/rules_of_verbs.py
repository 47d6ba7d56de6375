"""The rules of verbs with limits, of runs of dates and periods, and of ground and quantities that change."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from knowflow.ground.units import compatible
from knowflow.question.operators import (
    Along,
    And,
    Calculate,
    Expression,
    Extreme,
    IsClass,
    Not,
    Number,
    Over,
    Quantity,
    Show,
    walk,
)
from knowflow.question.reading.changes import Change, changed, ground_at, most_moved, rate, shifted, turned
from knowflow.question.reading.chart import Line
from knowflow.question.reading.comparisons import Measure, told_as
from knowflow.question.reading.grounds import (
    area_of,
    areas_per,
    class_areas,
    covering,
    in_unit_of,
    share_where,
    sized,
    where_of,
)
from knowflow.question.reading.keys import Keys, counted, in_a_run, ranked
from knowflow.question.reading.limits import compare, crossed, fallen
from knowflow.question.reading.nouns import Graded, amount, fits, graded, per, statistic_of
from knowflow.question.reading.order import Clause, Level, Test, Thing, closed, typed
from knowflow.question.reading.questions import Answer, answer, map_of, several
from knowflow.question.reading.restricted import during, within
from knowflow.question.reading.said_lengths import years_between
from knowflow.question.reading.spans import day_and, day_of, from_to
from knowflow.question.times import Times

Two = tuple[Times, Times]


@dataclass(frozen=True, slots=True)
class State:
    """What ground is, or is not, at a time: ``ground`` is left out where it is that of another state, ``when`` may be a
    day of the year of another state."""

    ground: Expression | None
    so: bool = True
    when: Times | tuple[int, int] | None = None

    def at(self, when: Times | tuple[int, int]) -> State:
        return replace(self, when=when)


def _ground_of(state: State, other: State) -> Expression | None:
    """Where a state holds, as one that leaves things out is told by another."""
    ground = state.ground or other.ground
    when = state.when
    if isinstance(when, tuple):
        when = day_of(when, other.when) if isinstance(other.when, Times) else None
    found = None if ground is None or when is None else ground_at(ground, when)
    return found if found is None or state.so else Not(found)


def both(first: State, last: State) -> Expression | None:
    """``forest of 1990 that is no longer forest in 2018``."""
    one, other = _ground_of(first, last), _ground_of(last, first)
    return None if one is None or other is None or first.when == last.when else And((one, other))


def share_of(first: State, last: State) -> Thing | None:
    """``what share of the forest of 1990 was lost by 2018``: of what it was."""
    one, other = _ground_of(first, last), _ground_of(last, first)
    return None if one is None or other is None or first.when == last.when else share_where(other, one)


def _in_unit(first: State, last: State, unit: str) -> Thing | None:
    """``how much of the forest of 2000 was pasture by 2010, in ha``: what unit it is told in says whether a share."""
    x = both(first, last) if compatible(unit, "m2") else None
    return in_unit_of(unit, share_of(first, last) if x is None else share_where(x, None, "area"))


def _part_of_place(place: Expression, state: State, when: Times) -> State | None:
    """``the woodland that burned in 2020``."""
    x = None if state.ground is None or not state.so else And((place, state.ground))
    return None if x is None or typed(x) is None else State(x).at(when)


def between(first: State, last: State, two: Two) -> Expression | None:
    return both(first.at(two[0]), last.at(two[1]))


def into(last: State, two: Two) -> Expression | None:
    """``became water``: what was none before."""
    return both(State(None, not last.so, two[0]), last.at(two[1]))


def _turned_into(first: State, when: Times) -> Thing | None:
    """``what did the forest of 2000 turn into by 2020``: the area of each class of that year, where it was."""
    where = _ground_of(first, first)
    ground = first.ground
    of_map = isinstance(ground, IsClass) and isinstance(ground.x, Quantity) and first.so and first.when != when
    areas = class_areas(ground.x) if isinstance(ground, IsClass) and of_map else None
    then = None if areas is None else during(areas, when)
    return None if then is None or where is None else within(then, where)


def gone(how: str, ground: Expression | None = None) -> State:
    return State(ground, how != "lost")


def gained_and_lost(unit: str, ground: Expression, two: Two) -> Answer | None:
    """``how many hectares were gained and lost``: a part for each."""
    areas = (share_where(x, None, "area") if (x := into(State(ground, so), two)) else None for so in (True, False))
    told = (in_unit_of(unit, one) for one in areas)
    return several((None if one is None else answer(one) for one in told), ("gained", "lost"))


def yearly(unit: str | None, thing: Thing | None, two: Two) -> Thing | None:
    """``how many hectares a year``: what changed in the time between, by its years."""
    years = years_between(*two)
    x = None if thing is None else closed(thing)
    if x is None or years is None:
        return None
    found = fits(Thing(Calculate("ratio", x, Number(years, "year"))))
    return found if unit is None else in_unit_of(f"{unit} year-1", found)


def lost_yearly(unit: str, ground: Expression, how: str, two: Two) -> Thing | None:
    """``how many hectares were lost per year``, on average."""
    x = into(gone(how, ground), two)
    return None if x is None else yearly(unit, share_where(x, None, "area"), two)


def net_yearly(unit: str, ground: Expression, way: str, two: Two) -> Thing | None:
    """The same of its area: what was lost less what was gained, which may be meant as well."""
    area = area_of(ground)
    return None if area is None else mean_rate(unit, area, way, two)


def _net(unit: str, ground: Expression, how: str, two: Two) -> Thing | None:
    """``how many hectares were lost net``: of its area, what was lost less what was gained."""
    area = area_of(ground)
    return None if area is None else in_unit_of(unit, changed(turned(area, "down" if how == "lost" else "up"), two))


def mean_rate(unit: str | None, thing: Thing, way: str, two: Two) -> Thing | None:
    """``at what average rate did it shrink``."""
    return yearly(unit, changed(turned(thing, way), two), two)


def most_of_classes(keys: Keys, way: str, two: Two) -> Expression | None:
    """``which class gained the most area``."""
    areas = areas_per(keys.key) if keys.when is None else None
    change = None if areas is None else changed(turned(areas, way), two)
    x = None if change is None else closed(change)
    found = None if x is None else Extreme(x, "highest")
    return found if found is not None and typed(found) is not None else None


def most_of_its(keys: Keys, way: str, thing: Thing, two: Two) -> Expression | None:
    """``which catchment lost the largest percentage of its snow``."""
    keyed = None if keys.when is not None else per(thing, keys.level)
    change = None if keyed is None else changed(Change("percent_change", keyed), two)
    x = None if change is None else closed(change)
    found = None if x is None else Extreme(x, "highest" if way == "up" else "lowest")
    return found if found is not None and typed(found) is not None else None


def most_gone(keys: Keys, ground: Expression, how: str, two: Two) -> Expression | None:
    """``in which zone was the most forest cleared``."""
    x = into(gone(how, ground), two)
    area = None if x is None else share_where(x, None, "area")
    return None if area is None else ranked(keys, "maximum", area)


def varied_most(keys: Keys, thing: Thing, grain: str = "") -> Expression | None:
    """``in which county did rainfall vary most from year to year``: by the standard deviation of its years."""
    periods = [key for key in thing.keys if isinstance(key, str)] or [grain or "date"]
    if grain not in ("", periods[0]) or keys.when is not None or isinstance(keys.level, str):
        return None
    x = closed(replace(thing, keys=(periods[0],), outer=(("deviation", None),)), keys.level)
    found = None if x is None else Extreme(x, "highest")
    return found if found is not None and typed(found) is not None else None


def takes(x: Expression, statistic: str) -> bool:
    """Whether a statistic is taken somewhere in it."""
    return any(isinstance(part, Over) and part.statistic == statistic for _, part in walk(x))


def most_at_once(keys: Keys, thing: Thing, way: str) -> Expression | None:
    """``in which year did it drop most, compared with the year before``."""
    x = closed(thing, keys.level) if isinstance(keys.level, str) and keys.when is None else None
    found = None if x is None else Extreme(Along(x, "change"), "highest" if way == "up" else "lowest")
    return found if found is not None and typed(found) is not None else None


def grown(named: Graded, of: object) -> tuple[Thing, str] | None:
    """``the ground warmed``: the quantity that a verb moves, and which way."""
    thing = graded(named, of)
    return None if thing is None else (thing, "up" if named[1] in ("above", "rose") else "down")


def of_survey(of: tuple[Quantity, str], thing: Thing | None = None) -> tuple[Thing, str] | None:
    """``the glacier thinned``: the surface that is surveyed again sank; of a noun that is it."""
    if thing is None:
        return Thing(of[0]), of[1]
    return (thing, of[1]) if any(part == of[0] for _, part in walk(thing.x)) else None


def moved(thing: Thing, way: str, two: Two) -> Test | None:
    """``where NDVI fell``: by anything; rain falls without being less."""
    before = typed(thing.x)
    if before is not None and "time" in before.measure.adds and way == "down":
        return None
    change = changed(turned(thing, way), two)
    own = None if change is None else typed(change.x)
    unit = own.measure.unit if own is not None else "1"
    return shifted(thing, way, two, ("above", Number(0.0, unit), None))


def _has_moved(way: str, thing: Thing, two: Two) -> Test | None:
    """``which parcels lost NDVI``: of a quantity; of ground it may be meant what was lost, or that there is less."""
    own = typed(thing.x)
    return moved(thing, way, two) if own is not None and own.of == "number" and thing.statistic is None else None


def _map_where(how: str, clause: Clause) -> Expression | None:
    return map_of(where_of(clause)) if how == "map" else None


def most_received(keys: Keys, x: Quantity) -> Expression | None:
    """``on which day did the area receive the most rain``."""
    thing = amount(Thing(x))
    return None if thing is None else ranked(keys, "maximum", thing)


def so_much_received(bound: tuple[str, Any, Any], clause: Clause) -> Clause | None:
    """``at least half of the area got more than 10 mm``: of each date, or of all of a time that is told."""
    each = replace(clause, left=replace(clause.left, then=None)) if isinstance(clause, Test) else clause
    share = share_where(each)
    return None if share is None else compare(share, bound)


def _map_of_move(how: str, measure: Measure, grew: tuple[Thing, str], two: Two) -> Expression | None:
    """``map how much the sea warmed from April to July``."""
    change = told_as(measure, turned(*grew)) if how == "map" else None
    x = None if change is None else closed(changed(change, two) or Thing(Number(0.0)), "pixel")
    own = None if x is None else typed(x)
    return Show(x, "map") if x is not None and own is not None and own.space else None


def _most_in(keys: Keys, grew: tuple[Thing, str], thing: Thing, two: tuple[Times, Times]) -> Expression | None:
    """``which class warmed most in surface temperature``: by what is named, where it is that."""
    kinds = ({part for _, part in walk(one.x) if isinstance(part, Quantity)} for one in (grew[0], thing))
    return most_moved(keys, grew[1], thing, two) if next(kinds) == next(kinds) else None


def _of_acquisitions(clause: Clause) -> Thing | None:
    """``how many consecutive images``: their number, where that of days has both ends."""
    return counted(Keys("date"), clause, "longest_run")


def _up(named: Graded) -> str:
    return "up" if named[1] == "above" else "down"


def _varied_within(thing: Thing, key: Level | tuple[Level, ...]) -> Thing | None:
    """``how much does NDVI vary within each field``: by its standard deviation there."""
    one = statistic_of("deviation", thing) if isinstance(key, Expression) else None
    return None if one is None else per(one, key)


RULES_OF_VERBS: tuple[Line, ...] = (
    # what a verb says of a limit
    ("C <- do C", lambda clause: clause),
    ("B <- MOVED LEVEL NUMBER", crossed),
    ("B <- goes LEVEL NUMBER", lambda side, limit: (side, limit, None)),
    ("C <- B happened", fallen),
    ("C <- B of? QUANTITY happened", lambda bound, x: (thing := amount(Thing(x))) and compare(thing, bound)),
    ("RB <- receive B", fallen),
    ("C <- B of? SCOPE RB", lambda bound, _, clause: so_much_received(bound, clause), 1),
    ("XT <- KEYS do SCOPE receive most QUANTITY", lambda keys, _, x: most_received(keys, x)),
    ("RB <- receive B of? QUANTITY", lambda bound, x: (thing := amount(Thing(x))) and compare(thing, bound)),
    ("C <- IT RB", lambda of, clause: clause if of is True else None),
    ("C <- GROUND cover B", covering),
    ("C <- be B of? GROUND", lambda bound, ground: covering(ground, bound), 1),
    *(
        (
            f"{so} <- {be}B {how}",
            lambda bound, ground: covering(ground, bound),
            1,
        )  # half under water, 90 % snow-covered
        for so, be in (("C", "be "), ("CL", ""))
        for how in ("covered GROUND", "GROUND cover")
    ),
    ("C <- GROUND be? B", sized),
    ("C <- be GROUND B", sized),
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
    ("STATE <- SCOPE in GROUND", lambda _, ground: State(ground), 1),  # the land in soybeans
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
    ("LATER <- STATE by_then TIME", State.at),
    ("LATER <- GONE by_then TIME", lambda how, when: gone(how).at(when)),
    ("LATER <- turned_into STATE by_then TIME", State.at),
    ("LATER <- still STATE? T", lambda *of: (of[0] if len(of) == 2 else State(None)).at(of[-1])),
    ("LATER <- still STATE on DAY", State.at, 1),
    ("LATER <- not STATE T", lambda state, when: replace(state, so=not state.so).at(when)),
    ("LATER <- not STATE on DAY", lambda state, day: replace(state, so=not state.so).at(day), 1),
    ("LATER <- not T", lambda when: State(None, False, when)),
    ("LATER <- no_longer STATE? T", lambda *of: replace(of[0] if len(of) == 2 else State(None), so=False).at(of[-1])),
    *((f"LATER <- {verb} LATER", lambda later: later) for verb in ("be", "have", "and", "that", "although")),
    ("C <- CHANGED_GROUND", lambda ground: ground, 1),
    ("COVERED <- that COVERED", lambda clause: clause, 1),
    ("COVERED <- CHANGED_GROUND", lambda ground: ground),
    ("PLACE <- CHANGED_GROUND", lambda ground: ground, 1),
    ("CHANGED_GROUND <- PAST LATER", both),
    *((f"BOTH_TIMES <- {said}", lambda two: two) for said in ("in? both PAIR", "both in? PAIR")),
    ("BOTH_TIMES <- in? both TIMES", lambda two: two if len(two) == 2 else None),
    *((f"BOTH_TIMES <- {said}", from_to) for said in ("in? both TIME and TIME", "both T and T")),
    ("BOTH_TIMES <- in? both DAY and TIME", day_and),
    ("CHANGED_GROUND <- be? STATE BOTH_TIMES", lambda state, two: between(state, state, two)),
    ("CHANGED_GROUND <- stayed STATE TWO", lambda state, two: both(state.at(two[0]), state.at(two[1])), -1),
    ("CHANGED_GROUND <- STATE that? be? turned_into STATE TWO", between, -1),
    ("CHANGED_GROUND <- be? turned from STATE into STATE TWO", between),
    ("CHANGED_GROUND <- be? turned from PAST into PAST", both),
    ("CHANGED_GROUND <- turned_into STATE TWO", into),
    ("CHANGED_GROUND <- STATE that? be? GONE TWO", lambda state, how, two: into(gone(how, state.ground), two)),
    ("CHANGED_GROUND <- GONE STATE TWO", lambda how, state, two: into(gone(how, state.ground), two)),
    ("N <- how_much PAST LATER", share_of),
    ("N <- how_much PAST LATER IU", _in_unit),
    ("LATER <- STATE again T", State.at),
    ("LATER <- again STATE? T", lambda *of: (of[0] if len(of) == 2 else State(None)).at(of[-1])),
    ("LATER <- STATE again on DAY", State.at, 1),
    *((f"BASE <- {words}", State.at) for words in ("STATE T", "which be? STATE T")),
    ("BASE <- SCOPE that be? STATE T", lambda _, state, when: state.at(when)),
    ("BASE <- PLACE that be? STATE T", _part_of_place, -1),
    ("BASE <- TIME STATE", lambda when, state: state.at(when), 1),
    *((f"N <- how_much BASE {verb} LATER", share_of, -2) for verb in ("be", "have")),
    ("N <- how_much BASE STATE again T", lambda base, state, when: share_of(base, state.at(when)), -2),
    ("N <- of PAST how_much LATER", share_of),
    ("N <- of PAST share_alone LATER", share_of),
    (
        "N <- how_much STATE have? be? GONE TWO",
        lambda state, how, two: share_of(state.at(two[0]), gone(how).at(two[1])),
    ),
    ("Q <- how_many UNIT of? GROUND be? GONE and GONE TWO", lambda *of: gained_and_lost(of[0], of[1], of[-1])),
    *(("N <- how_many UNIT of? GROUND be? " + said, _net) for said in ("GONE net TWO", "net GONE TWO")),
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
    ("GREW <- SURVEY_MOVED", of_survey),
    ("GREW <- NP SURVEY_MOVED", lambda thing, of: of_survey(of, thing)),
    ("GREW <- PLACE SURVEY_MOVED", lambda place, of: (x := within(Thing(of[0]), place)) and (x, of[1])),
    ("GREW <- K SURVEY_MOVED", lambda key, of: (x := per(Thing(of[0]), key)) and (x, of[1])),
    ("CH <- SURVEY_RISE", lambda of: turned(Thing(of[0]), of[1])),
    ("CH <- SURVEY_RISE of PLACE", lambda of, place: turned(Thing(of[0]), of[1]).of(within, place)),
    ("CH <- PLACE SURVEY_RISE", lambda place, of: turned(Thing(of[0]), of[1]).of(within, place)),
    ("N <- SURVEY_RISE how_fast", lambda of, *_: rate(Thing(of[0]), of[1])),
    ("N <- how_fast of SURVEY_RISE", lambda of: rate(Thing(of[0]), of[1])),
    ("GREW <- GREW on_average", lambda grew: grew),
    ("GREW <- NP get DEG", lambda thing, degree: (thing, "up" if degree[0] == "above" else "down")),
    ("CH <- HOW do NP did_change on_average?", lambda measure, thing: told_as(measure, Change("difference", thing))),
    ("CH <- HOW do GREW on_average?", lambda measure, grew: told_as(measure, turned(*grew))),
    ("CH <- HOW GREW", lambda measure, grew: told_as(measure, turned(*grew))),
    ("CH <- HOW do NP did_change by", lambda measure, thing: told_as(measure, Change("difference", thing))),
    ("N <- which do PAST turned_into T", _turned_into),
    ("N <- which do PAST turned_into by_then TIME", _turned_into),
    (
        "CH <- HOW MORE do OF get",
        lambda measure, named, of: (x := graded(named, of)) and told_as(measure, turned(x, _up(named))),
    ),
    (
        "CH <- HOW MORE have OF get",
        lambda measure, named, of: (x := graded(named, of)) and told_as(measure, turned(x, _up(named))),
    ),
    ("GREW <- NP MOVED or MOVED", lambda thing, *_: (thing, "up")),
    ("E <- SHOWN of? HOW GREW TWO", _map_of_move),
    ("CH <- GREW HOW", lambda grew, measure: told_as(measure, turned(*grew))),
    ("N <- how_much SCOPE do N MOVED TWO", lambda _, *moves: (test := moved(*moves)) and share_where(test), -1),
    ("C <- GREW TWO", lambda grew, two: moved(grew[0], grew[1], two)),
    ("C <- GREW by? B TWO", lambda grew, bound, two: shifted(grew[0], grew[1], two, bound)),
    ("CL <- MOVED N TWO", _has_moved, 1),
    ("CL <- MOVED B QUANTITY TWO", lambda way, bound, x, two: shifted(Thing(x), way, two, bound)),
    (
        "CL <- MOVED SIDE NUM OWN_UNIT TWO",
        lambda way, side, n, own, two: shifted(Thing(Quantity(own[0])), way, two, (side, Number(n, own[1]), None)),
    ),
    ("E <- where C", lambda clause: map_of(where_of(clause)), 1),
    ("E <- SHOWN of? where C", _map_where),
    *(
        (
            f"XT <- KEYS {word} GREW {most} on_average? TWO",
            lambda keys, grew, two: most_moved(keys, grew[1], grew[0], two),
        )
        for word in ("do? that?", "own")
        for most in ("most", "strongest")
    ),
    ("GREW <- PLACE own GREW", lambda place, grew: (x := within(grew[0], place)) and (x, grew[1])),
    ("XT <- KEYS do? that? GREW most in N TWO", _most_in),
    ("XT <- KEYS MOVED largest_share NP TWO", most_of_its),
    ("N <- how_much do N vary K", _varied_within),
    ("XT <- KEYS do N vary most", varied_most),
    ("XT <- KEYS do N vary most yearly", lambda keys, thing: varied_most(keys, thing, "year")),
    ("XT <- XT judged STAT", lambda x, said: x if said == "deviation" and takes(x, said) else None),
    ("XT <- KEYS be most GROUND GONE TWO", most_gone),
    ("CH <- net CH", lambda change: change),
    ("XT <- KEYS MOVED most in? SCOPE TWO", lambda keys, way, _, two: most_of_classes(keys, way, two)),
    ("XT <- KEYS do NP MOVED most year_before", most_at_once),
    ("XT <- KEYS MOVED most NP year_before", lambda keys, way, thing: most_at_once(keys, thing, way)),
)
