"""What is asked of numbers that files tell of features: of one, of all together, per area, and which have so much."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from knowflow.ground.row_times import ends_of
from knowflow.ground.units import compatible
from knowflow.question.measures import unit_of_product
from knowflow.question.operators import (
    Attribute,
    Beyond,
    Calculate,
    During,
    Expression,
    Extreme,
    Holds,
    Number,
    Outline,
    Over,
    Polygons,
    Within,
)
from knowflow.question.reading.features import OfDays, Yearly
from knowflow.question.reading.keys import Keys, ranked
from knowflow.question.reading.limits import EXACTLY
from knowflow.question.reading.nouns import PERCENT, fits, statistic_of, told_in
from knowflow.question.reading.of_each import whole_features
from knowflow.question.reading.order import Test, Thing, typed
from knowflow.question.reading.rows import those_rows, usual_statistic
from knowflow.question.times import Times
from knowflow.question.typing_of_features import are_rows, is_chosen, is_count, is_per_area, layer_of

Bound = tuple[str, Any, Any]


def number_of(of: Attribute, x: Expression) -> Thing | None:
    """``the depth of the wells``: of each."""
    if are_rows(of.x):
        rows = those_rows(of.x, x)
        return None if rows is None else fits(Thing(replace(of, x=rows)))
    if are_rows(x) and is_chosen(x):  # which tell of them
        x = Within(Polygons(layer=layer_of(of.x)), x)
    return fits(Thing(replace(of, x=whole_features(x)))) if layer_of(of.x) == layer_of(x) else None


def one_number(of: Attribute, x: Expression) -> Thing | None:
    """``the depth of Pozo Sur``; of its rows, which are of several times, what is meant by numbers of that unit."""
    one = number_of(of, x)
    mean = is_per_area(of.unit) or (are_rows(of.x) and usual_statistic(of) == "mean")
    return None if one is None else statistic_of("mean" if mean else "sum", one)


def all_numbers(of: Attribute, x: Expression) -> Thing | None:
    """``how many pupils go to schools in the zone``: all together, of what counts."""
    return total(of, x) if is_count(of.unit) else None


def total(of: Attribute, x: Expression) -> Thing | None:
    """All of it together; of what is told per area each number times the area of its feature."""
    one = number_of(of, x)
    return None if one is None else statistic_of("sum", one)


def so_much_of(unit: str, of: Attribute, x: Expression | None = None) -> Thing | None:
    """``how many MW of capacity do the substations have``: all of it, in that unit; of all features where none are
    named."""
    all_of_it = total(of, of.x if x is None else x)
    return None if all_of_it is None or is_count(of.unit) else told_in(unit, all_of_it)


def statistic_in(said: str, of: Attribute, unit: str, x: Expression) -> Thing | None:
    """``the total volume, in cubic metres, of the spruce stands``."""
    each = number_of(of, x)
    found = None if each is None else statistic_of(said, each)
    return None if found is None else told_in(unit, found)


def all_in_unit(own: tuple[Attribute, str], x: Expression) -> Thing | None:
    """``how many MW of solar plants are there``: of the one number that is told in such a unit, and is no size."""
    of, unit = own
    return None if compatible(unit, "m") or compatible(unit, "m2") else so_much_of(unit, of, x)


def part_of_all(of: Attribute, x: Expression) -> Thing | None:
    """``what share of the sum insured is on farms``: of all features that the file has."""
    part, whole = total(of, x), total(of, of.x)
    if part is None or whole is None or part == whole:
        return None
    return fits(Thing(Calculate("ratio", part.x, whole.x), unit=PERCENT))


def per_own_area(thing: Thing, unit: str) -> Thing | None:
    """``people per km2``: of numbers of features by how large these are, of each or of all together."""
    each = thing.x.x if isinstance(thing.x, Over) and thing.x.axes == "objects" else thing.x
    if not isinstance(each, Attribute) or not compatible(unit, "m2") or is_per_area(each.unit) or thing.statistic:
        return None
    size: Expression = Over(each.x, "space", "area")
    if thing.x is not each:
        if not isinstance(thing.x, Over) or thing.x.statistic not in ("sum", "mean"):
            return None
        size = replace(thing.x, x=size)
    return told_in(unit_of_product(each.unit, unit, 1, -1), Thing(Calculate("ratio", thing.x, size)))


def most_per_area(keys: Keys, said: str, of: Attribute, unit: str) -> Expression | None:
    """``which municipality has the most people per square kilometre``, or the fewest."""
    level, side = keys.level, {"maximum": "highest", "minimum": "lowest"}.get(said)
    one = number_of(of, level) if keys.when is None and isinstance(level, Polygons) and level.by is None else None
    ratio = None if one is None else per_own_area(one, unit)
    return None if ratio is None or side is None else Extreme(ratio.x, side)  # type: ignore[arg-type]  # both are sides


def exactly(value: float, own: tuple[Attribute, str]) -> tuple[Attribute, Bound] | None:
    """``the 220 kV substations``."""
    return like(own[0], ("between", Number(value, own[1]), Number(value, own[1])))


def rows_at(n: float, own: tuple[Attribute, str], of: Attribute | None = None) -> Expression | None:
    """``at 15 m``, ``at a depth of 15 m``: the rows of a table of which a column is exactly so much."""
    said = exactly(n, own) if are_rows(own[0].x) and of in (None, own[0]) else None
    return None if said is None else with_number(own[0].x, said)


def of_its_rows(said: tuple[Attribute, Bound]) -> Test | None:
    """``10 mm or more``, of the only column of a table that is told so."""
    return Test(Thing(said[0]), *said[1]) if are_rows(said[0].x) else None  # type: ignore[arg-type]  # words list sides


_MOST = {"highest": "maximum", "lowest": "minimum"}


def graded_at(keys: Keys, x: Expression, by: tuple[Attribute, str]) -> Expression | None:
    """``when was the hive of Mas Rouge heaviest``: of some rows, or of all."""
    own = by[0] if x == by[0].x else None if (one := number_of(by[0], x)) is None else one.x
    rows = isinstance(own, Attribute) and are_rows(own.x) and isinstance(keys.level, str)
    return ranked(keys, _MOST[by[1]], Thing(own)) if rows and own is not None else None


def graded_by(keys: Keys, by: tuple[Attribute, str], n: float = 1) -> Expression | None:
    """``which well is the deepest``."""
    level = keys.level
    if keys.when is not None or not isinstance(level, Polygons) or level.by is not None or n != int(n) or n < 1:
        return None
    one = number_of(by[0], level)
    return None if one is None else Extreme(one.x, by[1], int(n))  # type: ignore[arg-type]  # words list sides


def most_of(keys: Keys, said: str, of: Attribute) -> Expression | None:
    """``which hut has the most beds``."""
    side = {"maximum": "highest", "minimum": "lowest"}.get(said)
    return None if side is None else graded_by(keys, (of, side))


def like(of: Attribute, bound: Bound) -> tuple[Attribute, Bound] | None:
    """``more than 30 beds``, ``deeper than 50 m``."""
    limit = bound[1]
    fits = isinstance(limit, Number) and bound[0] != EXACTLY and compatible(limit.unit, of.unit)
    return (of, bound) if fits else None


def so_many_of(x: Expression, said: tuple[Attribute, Bound]) -> Expression | None:
    """Which of them have so many, or so much."""
    one = number_of(said[0], x)
    return None if one is None else beyond_of(one.x, said[1])


def beyond_of(x: Expression, bound: Bound) -> Expression | None:
    side, limit, upper = bound
    ends_are_told = isinstance(limit, Number) and (upper is None or isinstance(upper, Number))
    found = Beyond(x, side, limit, upper) if ends_are_told else None  # type: ignore[arg-type]
    return found if found is not None and typed(found) is not None else None


def so_marked(of: Attribute) -> tuple[Attribute, Bound]:
    """``that are insured``: of yes and no, which count 1 and 0."""
    return of, ("at_least", Number(1.0), None)


def not_marked(of: Attribute) -> tuple[Attribute, Bound]:
    """``not insured``."""
    return of, ("below", Number(1.0), None)


def dated(of: Attribute, when: Any) -> tuple[Attribute, Bound] | None:
    """``built before 1950``: of a number that is a year."""
    if not isinstance(when, Times) or (when.month, when.season) != (0, ""):
        return None
    first, last = when.first, when.last
    if (first is not None and (first.month, first.day) != (1, 1)) or (
        last is not None and (last.month, last.day) != (12, 31)
    ):
        return None
    ends = [None if one is None else Number(float(one.year)) for one in (first, last)]
    if ends[0] is not None and ends[1] is not None:
        return of, ("between", ends[0], ends[1])
    side = "at_least" if first is not None else "at_most"
    limit = next((one for one in ends if one is not None), None)
    return None if limit is None else (of, (side, limit, None))


def with_number(x: Expression, said: tuple[Attribute, Bound]) -> Expression | None:
    """``the substations with 220 kV or more``: those of which it holds."""
    of, bound = said
    if layer_of(of.x) != layer_of(x) or not isinstance(of.x, Polygons) or isinstance(x, Outline):
        return None
    test = beyond_of(of, bound)
    return None if test is None else Within(x, Holds(test))


def told_twice(unit: str, of: Attribute, other: Attribute, x: Expression | None = None) -> Thing | None:
    """``how many MW of capacity are free at the substations``: of a number by two of its names."""
    return so_much_of(unit, of, x) if of == other else None


def in_those_years(of: Attribute, when: Any) -> Expression | None:
    """``landslides in 2010 or later``: of features of which their file tells in which year each was."""
    said = dated(replace(of, x=Polygons(layer=layer_of(of.x))), when)
    return None if said is None else with_number(of.x, said)


def fewer(make: Any) -> Any:
    """Less of features of which it is known when each was, or how many."""

    def made(of: Any, *given: Any) -> Any:
        x = make(of.x, *given)
        return None if x is None else replace(of, x=x)

    return made


def in_those_days(of: OfDays, when: Any) -> Expression | None:
    """``fires before 12 August 2022``: of features of which their file tells on which day each was."""
    if not isinstance(when, Times):
        return None
    return During(of.x, when) if any_day(of.days, when) else None


def any_day(days: Sequence[str], when: Times) -> bool:
    """Whether features were on one of those days, or in months or years of them; of a season it depends on where they
    are."""
    return not when.season and any(all(map(when.holds, ends_of(day))) for day in days)


def those_counted(of: Attribute, x: Expression | None = None) -> Thing | None:
    """``how many tapirs were seen``: of rows that tell how many each is of."""
    return total(of, of.x if x is None else x)


# --- numbers of several years -------------------------------------------------------------------------------------


def of_year(of: Yearly, when: Any) -> Attribute | None:
    """``the residents of 2020``: the column of that year."""
    if not isinstance(when, Times) or when.first is None or when.last is None or when.first.year != when.last.year:
        return None
    column = dict(of.columns).get(when.first.year)
    return None if column is None else Attribute(of.x, column, of.unit)


def statistic_of_year(said: str, of: Yearly, x: Expression, when: Any) -> Thing | None:
    """``the mean balance of the stakes in 2020``: over the features, of the column of that year."""
    own = of_year(of, when)
    each = None if own is None else number_of(own, x)
    return None if each is None else statistic_of(said, each)


def yearly_of(of: Yearly, x: Expression) -> Yearly | None:
    """``the residents of Nord``, before it is said of which year."""
    return replace(of, x=x) if layer_of(of.x) == layer_of(x) else None


def total_of_year(of: Yearly, when: Any) -> Thing | None:
    """``how many people live in Nord in 2020``."""
    own = of_year(of, when)
    return None if own is None else total(own, of.x)


def between_years(of: Yearly, way: str, two: tuple[Times, Times]) -> Thing | None:
    """``by how many people did it grow from 2006 to 2020``: of all of them together."""
    ends = [total_of_year(of, when) for when in two]
    found = _change(ends, way)
    return None if found is None else fits(Thing(found))


def share_between_years(of: Yearly, way: str, two: tuple[Times, Times]) -> Thing | None:
    """``by what percentage did the population grow``."""
    ends = [total_of_year(of, when) for when in two]
    found = _change(ends, way, of_before=True)
    return None if found is None else fits(Thing(found, unit=PERCENT))


def _change(ends: Sequence[Thing | None], way: str, of_before: bool = False) -> Expression | None:
    before, after = ends
    if before is None or after is None or before == after:
        return None
    one, other = (after, before) if way == "up" else (before, after)
    change = Calculate("difference", one.x, other.x)
    return Calculate("ratio", change, before.x) if of_before else change


def most_between_years(
    keys: Keys, way: str, of: Yearly, two: tuple[Times, Times], of_before: bool = False
) -> Expression | None:
    """``which municipality gained the most residents between 2006 and 2020``."""
    level = keys.level
    if keys.when is not None or not isinstance(level, Polygons) or level.by is not None:
        return None
    ends = [None if (own := of_year(of, when)) is None else number_of(own, level) for when in two]
    found = _change(ends, way, of_before)
    return None if found is None else Extreme(found, "highest")


def most_in_percent(
    keys: Keys, way: str, of: Yearly, two: tuple[Times, Times], unit: str = PERCENT
) -> Expression | None:
    """The same in percent of what there was."""
    return most_between_years(keys, way, of, two, of_before=True) if unit == PERCENT else None
