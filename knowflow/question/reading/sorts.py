"""Features by the values of an attribute of theirs: which are of one, and what is said of those of each."""

from __future__ import annotations

from dataclasses import replace

from knowflow.ground.row_times import GRAINS
from knowflow.ground.units import compatible
from knowflow.question.check import type_of
from knowflow.question.operators import (
    Attribute,
    Calculate,
    Classify,
    Expression,
    Extreme,
    Over,
    Polygons,
    Quantity,
    Split,
    Statistic,
    walk,
)
from knowflow.question.reading.features import OfDays, Sort
from knowflow.question.reading.keys import Keys, ranked
from knowflow.question.reading.nouns import AMONG, LAYER, PERCENT, fits, fits_closed, level_of, statistic_of, told_in
from knowflow.question.reading.order import Clause, Joined, Level, Test, Thing
from knowflow.question.reading.restricted import Asked, within
from knowflow.question.reading.rows import usual_statistic
from knowflow.question.typing_of_features import are_rows, is_features, is_sort_of, layer_of, measured_of, of_rows


def sort_of(key: str, one: Sort) -> Expression | None:
    """``of category residential``, ``of the intensive system``: by the attribute that holds it."""
    return one.x if level_of(key) == Polygons(by=one.by, layer=one.x.layer) else None


def kinds_of(key: str, one: Sort) -> Polygons | None:
    """``maize fields``, ``the fields of maize``: all features of one value, by what the features are called."""
    level = level_of(key)
    plain = isinstance(level, Polygons) and level.by is None and level.layer in (None, one.x.layer)
    return one.x if plain else None


def not_of(one: Sort) -> Polygons | None:
    """``that are not spruce``: of which the attribute tells another value."""
    return replace(one.x, names=one.others) if one.others else None


def either_sort(a: Sort, b: Sort) -> Sort | None:
    """``of nominal or high confidence``: of two values of an attribute."""
    if a.by != b.by or a.x.layer != b.x.layer or {*a.x.names} & {*b.x.names}:
        return None
    return Sort(
        a.by, replace(a.x, names=(*a.x.names, *b.x.names)), tuple(one for one in a.others if one not in b.x.names)
    )


def not_of_others(x: Expression, other: Sort) -> Expression | None:
    """``hospitals (not dispensaries)``: of one value, and so of none of the others."""
    named = x if isinstance(x, Polygons) else None
    return x if named is not None and named.names and {*named.names} <= {*other.others} else None


def not_of_key(key: str, one: Sort) -> Polygons | None:
    """``not in good condition``."""
    return not_of(one) if sort_of(key, one) is not None else None


def most_on(keys: Keys, of: OfDays | Attribute) -> Expression | None:
    """``on which day were there the most fires``, ``in which year``: by the attribute that tells when each was."""
    by = of.by if isinstance(of, OfDays) else of.name
    if isinstance(of, OfDays) and are_rows(of.x):
        x = Over(Split(of.x, keys.level), "objects", "count") if keys.level in GRAINS and keys.when is None else None  # type: ignore[arg-type]
        return None if x is None or type_of(x) is None else Extreme(x, "highest")
    if keys.when is not None or keys.level != ("date" if isinstance(of, OfDays) else "year"):
        return None
    whole = Polygons(by=by, layer=layer_of(of.x))
    one = per_sort(Thing(Over(of.x, "objects", "count")), whole)
    return None if one is None else Extreme(one.x, "highest")


def per_sort(thing: Thing, key: Level | tuple[Level, ...]) -> Thing | None:
    """``buildings by category``, ``the mean depth per type``: of those of each value of an attribute of theirs."""
    x = thing.x
    if not isinstance(x, Over) or not isinstance(key, Polygons) or thing != Thing(x, unit=thing.unit):
        return None
    each = x.x if is_features(x.x) else measured_of(x.x)
    if not is_sort_of(key, each):
        return None
    if isinstance(x.x, Over) and x.statistic == "sum":  # all that is large or long, which needs no number of each
        return fits(replace(thing, x=replace(x.x, x=Split(x.x.x, key))))
    return fits(replace(thing, x=replace(x, x=Split(x.x, key))))


def one_of_all(said: str, of: Attribute) -> Thing | None:
    """``the mean depth``: of all that have it."""
    each = fits(Thing(of))
    return None if each is None else statistic_of(said, each)


def all_rows(key: str) -> Polygons | None:
    """``all ports``, of whatever column of a table: all of its rows."""
    level = level_of(key)
    return Polygons(layer=level.layer) if isinstance(level, Polygons) and are_rows(level) else None


def at_rows(one: Asked, rows: Expression) -> Asked | None:
    """``in all ports``, ``at the airport``: of those rows, which may be all of them, or of what they tell of a
    quantity."""
    whole = rows == Polygons(layer=layer_of(rows)) and are_rows(rows)
    return one if whole and layer_of(rows) in _layers_in(one) else within(one, rows)


def _layers_in(one: Thing | Clause) -> set[str | None]:
    """The files of which something is a number of features."""
    if isinstance(one, Joined):
        return {layer for part in one.parts for layer in _layers_in(part)}
    x = one.x if isinstance(one, Thing) else one.left.x if isinstance(one, Test) else one
    return {layer_of(part.x) for _, part in walk(x) if isinstance(part, Attribute)}


def most_told(keys: Keys, of: Attribute) -> Expression | None:
    """``which port landed the most``: all of it together, of what adds up."""
    said: Statistic = "maximum" if usual_statistic(of) == "mean" else "sum"
    return ranked(keys, "maximum", Thing(of, statistic=said))


def most_kept(one: tuple[str, Attribute], said: str = "maximum") -> Expression | None:
    """``which gauge collected the most``: of the one number that its table tells, where that adds up."""
    key, of = one
    whole = usual_statistic(of) != "mean"
    return ranked(Keys(key), said, Thing(of, statistic="sum")) if whole else None


def graded_rows(keys: Keys, by: tuple[Attribute, str, bool]) -> Expression | None:
    """``which monitor is the dustiest``: of the rows of each key, all of what adds up, the mean of anything else. The
    wettest day is that of a map, where there is one."""
    of, side, mapped = by
    level = keys.level
    if mapped and isinstance(level, str):
        return None
    if isinstance(level, Polygons) and level.by is None and level.layer == layer_of(of.x):
        return None  # single rows, which nothing tells apart
    thing = Thing(of, statistic=None if isinstance(level, str) else usual_statistic(of) or "mean")
    return ranked(keys, "maximum" if side == "highest" else "minimum", thing)


def in_all(thing: Thing) -> Thing | None:
    """``altogether``: of rows all of it."""
    total = of_rows(thing.x) is not None and thing.statistic is None and thing.then is None
    return statistic_of("sum", thing) if total else thing if of_rows(thing.x) and thing.statistic == "sum" else None


def total_told(of: Attribute, x: Expression | None = None) -> Thing | None:
    """``how much electricity did the towns use``: of rows all of it, of what adds up and of hours; of anything else
    the mean is."""
    thing = Thing(of)
    said = "sum" if compatible(of.unit, "s") else usual_statistic(of) or "sum"
    some = thing if x is None or x == of.x else within(thing, x)
    return None if some is None else statistic_of(said, some)


def told_in_unit(unit: str, of: Attribute, x: Expression | None = None, y: Expression | None = None) -> Thing | None:
    """``how many tonnes of hake did the port land``."""
    total = total_told(of, x)
    total = total if total is None or y is None else within(total, y)
    return None if total is None or of.unit == "1" else told_in(unit, total)


def each_year(said: str, of: Attribute) -> Thing | None:
    """``the mean number of summer days a year``: of each year all of them, and then of the years."""
    thing = replace(Thing(of), then=usual_statistic(of) or "sum", keys=("year",), outer=((said, None),))  # type: ignore[arg-type]
    return fits_closed(thing)


def among(keys: Keys, x: Polygons) -> Keys | None:
    """``which winter wheat parcel``: those of one value of an attribute."""
    level = keys.level
    if not isinstance(level, Polygons) or level.by is not None or level.names or len(x.names) != 1:
        return None
    whole = "objects" if x.layer is None else f"{LAYER}{x.layer}"
    return replace(keys, key=f"{whole}{AMONG}{x.names[0]}") if level.layer in (None, x.layer) else None


def areas_of(level: Polygons | Quantity | Classify) -> Thing | None:
    """The area of each class, of each of the features, or of all of each value of an attribute of theirs."""
    if isinstance(level, Polygons) and level.by is not None:
        level, key = replace(level, by=None), replace(level, names=())
        return fits(Thing(Over(Split(level, key), "space", "area")))
    return fits(Thing(Over(level, "space", "area")))


def share_of(x: Expression, sort: Polygons) -> Thing | None:
    """``what share of the buildings is residential``: of how many there are."""
    part = both_of(x, sort)
    if part is None:
        return None
    few, all_ = (Over(one, "objects", "count") for one in (part, x))
    return fits(Thing(Calculate("ratio", few, all_), unit=PERCENT))


def both_of(x: Expression, sort: Polygons) -> Polygons | None:
    """Features of a layer that are of one value."""
    plain = isinstance(x, Polygons) and not x.names and x.by is None and x.layer in (None, sort.layer)
    return sort if plain else None


def most_common(keys: Keys, x: Expression) -> Expression | None:
    """``which category of building is most common``."""
    one = per_sort(Thing(Over(x, "objects", "count")), keys.level) if keys.when is None else None
    return None if one is None else Extreme(one.x, "highest")
