"""What became of ground from one time to another: what it was and is later, its share of what it was, how much a year;
what a quantity did in the same time: functions of the rules."""

from __future__ import annotations

from dataclasses import dataclass, replace

from knowflow.question.operators import Along, And, Calculate, Expression, Extreme, Not, Number, Over, walk
from knowflow.question.reading.changes import Change, changed, ground_at, shifted, turned
from knowflow.question.reading.grounds import area_of, areas_per, in_unit_of, share_where
from knowflow.question.reading.keys import Keys, ranked
from knowflow.question.reading.nouns import Graded, fits, graded, per
from knowflow.question.reading.order import Test, Thing, closed, typed
from knowflow.question.reading.questions import Answer, answer, several
from knowflow.question.reading.spans import day_of
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


def between(first: State, last: State, two: Two) -> Expression | None:
    return both(first.at(two[0]), last.at(two[1]))


def into(last: State, two: Two) -> Expression | None:
    """``became water``: what was none before."""
    return both(State(None, not last.so, two[0]), last.at(two[1]))


def gone(how: str, ground: Expression | None = None) -> State:
    return State(ground, how != "lost")


def gained_and_lost(unit: str, ground: Expression, two: Two) -> Answer | None:
    """``how many hectares were gained and lost``: a part for each."""
    areas = (share_where(x, None, "area") if (x := into(State(ground, so), two)) else None for so in (True, False))
    told = (in_unit_of(unit, one) for one in areas)
    return several((None if one is None else answer(one) for one in told), ("gained", "lost"))


def yearly(unit: str | None, thing: Thing | None, two: Two) -> Thing | None:
    """``how many hectares a year``: what changed in the time between, by its years."""
    years = _years(two)
    x = None if thing is None else closed(thing)
    if x is None or years is None:
        return None
    found = fits(Thing(Calculate("ratio", x, Number(years, "year"))))
    return found if unit is None else in_unit_of(f"{unit} year-1", found)


def _years(two: Two) -> float | None:
    (first, last) = (one.first for one in two)
    if first is None or last is None or first >= last:
        return None
    whole = (first.month, first.day) == (last.month, last.day)
    return float(last.year - first.year) if whole else (last - first).days / 365.25


def lost_yearly(unit: str, ground: Expression, how: str, two: Two) -> Thing | None:
    """``how many hectares were lost per year``, on average."""
    x = into(gone(how, ground), two)
    return None if x is None else yearly(unit, share_where(x, None, "area"), two)


def net_yearly(unit: str, ground: Expression, way: str, two: Two) -> Thing | None:
    """The same of its area: what was lost less what was gained, which may be meant as well."""
    area = area_of(ground)
    return None if area is None else mean_rate(unit, area, way, two)


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


def moved(thing: Thing, way: str, two: Two) -> Test | None:
    """``where NDVI fell``: by anything; rain falls without being less."""
    before = typed(thing.x)
    if before is not None and "time" in before.measure.adds and way == "down":
        return None
    change = changed(turned(thing, way), two)
    own = None if change is None else typed(change.x)
    unit = own.measure.unit if own is not None else "1"
    return shifted(thing, way, two, ("above", Number(0.0, unit), None))
