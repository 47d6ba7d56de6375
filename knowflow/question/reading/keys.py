"""Dates, periods, polygons and classes of which something is said: how many, which, and those with the most."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from knowflow.question.operators import (
    Attribute,
    Classify,
    Distance,
    Expression,
    Extreme,
    Holds,
    Number,
    Over,
    Polygons,
    Quantity,
    Split,
    Within,
    walk,
)
from knowflow.question.reading.limits import compare
from knowflow.question.reading.nouns import Graded, fits, level_of, of_periods, outer
from knowflow.question.reading.order import Clause, Level, Test, Thing, closed, holding, standing, typed
from knowflow.question.reading.restricted import Asked, during
from knowflow.question.reading.rows import usual_statistic
from knowflow.question.times import Times
from knowflow.question.typing_of_features import are_rows, level_of_most, of_rows

_MOST_RANKED = 1000  # a larger number before dates is a year


@dataclass(frozen=True, slots=True)
class Keys:
    """Dates, periods, polygons or classes of which something is said; ``when``: those of that time alone, of a month of
    any year those in ``years``."""

    key: str
    when: Times | Expression | None = None
    years: Times | None = None

    @property
    def level(self) -> Level:
        return level_of(self.key)

    def during(self, when: Times | Expression) -> Keys | None:
        if self.when is None:
            return replace(self, when=when)
        months = isinstance(self.when, Times) and (self.when.month or self.when.season) and self.when.first is None
        free = self.years is None and isinstance(when, Times) and when.first is not None
        if free and self.key == "month" and _is_one(self.when, when):
            return None  # February 2020, which is one
        return replace(self, years=when) if months and free else None  # type: ignore[arg-type]  # it is a time

    def of(self, clause: Asked) -> Asked | None:
        """What is said of them, in their time."""
        told = clause if self.when is None else during(clause, self.when)
        return told if told is None or self.years is None else during(told, self.years)


def _is_one(when: Times | Expression, years: Times | Expression) -> bool:
    """Whether there is no more than one month of that name in so many years."""
    one = isinstance(when, Times) and not when.until and bool(when.month)
    return (
        one
        and isinstance(years, Times)
        and years.first is not None
        and years.first.year == (years.last or years.first).year
    )


def in_a_run(keys: Keys, clause: Clause) -> Thing | None:
    """``the longest run of consecutive months``, in months; of days it is a spell, with both ends."""
    return counted(keys, clause, "longest" if keys.key == "date" else "longest_run")


def _averaged(limit: Thing | Number) -> bool:
    return isinstance(limit, Thing) and limit.outer != ()


def _of_year(keys: Keys, clause: Clause) -> Keys:
    """The months of a year, where each is held against the same month of another."""
    same = isinstance(clause, Test) and clause.same and not _averaged(clause.limit) and keys.key == "month"
    return replace(keys, key="month_of_year") if same else keys


def counted(keys: Keys, clause: Clause, statistic: str = "count") -> Thing | None:
    """How many dates (years, polygons, classes) there are for which something holds; the first, the longest spell."""
    keys = _of_year(keys, clause)
    said = keys.of(clause)
    x = None if said is None else holding(said, keys.level)
    axis = "time" if isinstance(keys.level, str) else "classes" if _is_of_classes(keys.level) else "objects"
    return None if x is None else fits(Thing(Over(x, axis, statistic)))  # type: ignore[arg-type]


def _is_of_classes(level: Level) -> bool:
    if isinstance(level, Polygons):
        return level.by is not None and are_rows(level)
    return isinstance(level, Quantity | Classify)


def chosen(keys: Keys, clause: Clause) -> Expression | None:
    """The dates (years, polygons) for which something holds."""
    keys = _of_year(keys, clause)
    said = keys.of(clause)
    x = None if said is None else holding(said, keys.level)
    found = None if x is None else Holds(x)
    return found if found is not None and typed(found) is not None else None


def first_date(keys: Keys, thing: Thing, bound: tuple[str, Any, Any], statistic: str = "first") -> Expression | None:
    """``when was it first above``, or last."""
    test = compare(thing, bound)
    found = None if test is None else counted(keys, test, statistic)
    return None if found is None else found.x


def there(keys: Keys, where: Expression, statistic: str = "count") -> Thing | None:
    """``how many wells are on cropland``, ``in flooded pixels``: of points those in whose pixel it is so."""
    x = _each_there(keys, where)
    if x is not None and statistic == "count":
        return fits(Thing(Over(Within(keys.level, standing(where) or where), "objects", "count")))  # type: ignore[arg-type]
    return None if x is None else fits(Thing(Over(x, "objects", statistic)))  # type: ignore[arg-type]


def so_there(spot: Expression, ground: Clause) -> Test | None:
    """``the well was under water``: of one point, in whose pixel it was so."""
    x = holding(ground, "pixel")
    own = None if x is None else typed(Within(x, spot))
    fit = x is not None and own is not None and own.of == "truth" and own.space
    return Test(Thing(Within(x, spot), statistic="share"), "above", Number(0.0)) if x is not None and fit else None


def share_there(keys: Keys, where: Expression) -> Thing | None:
    """``what share of the wells is on cropland``."""
    return there(keys, where, "share")


def those_there(keys: Keys, where: Expression) -> Expression | None:
    """``which wells are on cropland``."""
    x = _each_there(keys, where)
    return None if x is None else Holds(x)


def _each_there(keys: Keys, where: Expression) -> Expression | None:
    ground, level = standing(where) or where, keys.level
    own = typed(ground)
    if keys.when is not None or not isinstance(level, Expression) or own is None or own.of != "truth" or own.keys:
        return None
    if any(isinstance(part, Distance) for _, part in walk(ground)):
        return None  # which is measured from themselves
    found = Over(Split(ground, level), "space", "any")
    return found if typed(found) is not None else None


def dates_that(keys: Keys, clause: Clause) -> Expression | None:
    """Those dates as a restriction of others."""
    return chosen(keys, clause) if isinstance(keys.level, str) else None


def ranked(keys: Keys, said: str, thing: Thing, n: float = 1) -> Expression | None:
    """The dates (years, polygons) with the highest or lowest values."""
    if of_periods(thing) and isinstance(keys.level, Expression) and thing.keys == thing.keys[:1] and not thing.outer:
        thing = outer(said, thing) or thing  # the highest of its years
    if (
        said not in ("maximum", "minimum")
        or (of_periods(thing) and not (thing.outer and isinstance(keys.level, Expression)))
        or n != int(n)
        or not 1 <= n <= _MOST_RANKED
    ):
        return None
    if (rows := of_rows(thing.x)) is not None and (thing.statistic, thing.then) == (None, None):
        thing = replace(thing, statistic=said if usual_statistic(rows) != "sum" else "sum")  # type: ignore[arg-type]
    of = keys.of(thing)
    if of is not None and isinstance(of.x, Attribute) and isinstance(keys.level, Quantity):
        return None  # of features, which are no classes of a map
    x = None if of is None else _per_ground(of, keys.level) if of.keys else closed(of, keys.level)
    found = None if x is None else Extreme(x, "highest" if said == "maximum" else "lowest", int(n))
    return found if found is not None and typed(found) is not None else None


def _per_ground(thing: Thing, level: Level) -> Expression | None:
    """One per period of each class or polygon: of its periods, which are the innermost keys, some are chosen."""
    if not isinstance(level, str) or level == "date":
        return closed(thing, level)
    split = Split(thing.x, level)  # type: ignore[arg-type]  # a level that is a word is a grain
    return closed(replace(thing, x=split)) if typed(split) is not None else None


def contained(keys: Keys, thing: Thing) -> Expression | None:
    """``which catchment contains the highest point``: where the extreme of the ground lies."""
    extreme = thing.statistic in ("maximum", "minimum") and (thing.then, thing.keys, thing.p) == (None, (), None)
    return ranked(keys, str(thing.statistic), thing) if extreme else None


def keys_of_time(when: Times) -> Keys | None:
    """``which July``: that of one year or another."""
    if when.month and not when.until:
        return Keys("month", when)
    return Keys("season", when) if when.season and not when.year else None


def gap(how: str, one: Graded, other: Graded, keys: Keys) -> Thing | None:
    """``the gap between the hottest and the coolest district``."""
    of = keys.of(Thing(Quantity(one[0])))
    x = None if of is None or how != "difference" or one[0] != other[0] else closed(of, keys.level)
    own = None if x is None else typed(x)
    if x is None or own is None or not own.keys or {one[1], other[1]} != {"highest", "lowest"}:
        return None
    return fits(Thing(Over(x, "time" if own.keys[-1] == own.grain else own.keys[-1], "range")))  # type: ignore[arg-type]


def gap_of(x: Quantity, how: str, one: str, other: str, keys: Keys) -> Thing | None:
    """``the height difference between the highest and the lowest hut``."""
    sides = {"maximum": "highest", "minimum": "lowest"}
    return gap(how, (x.kind, sides.get(one, "")), (x.kind, sides.get(other, "")), keys)


def most_of_all(n: float, x: Expression) -> Expression | None:
    """``which three``: as many of those with the most."""
    if not isinstance(x, Extreme) or x.n != 1 or n != int(n) or not 1 < n <= _MOST_RANKED:
        return None
    return replace(x, n=int(n))


def ranked_of(*given: Any) -> Expression | None:
    """The same, with how many in front or not."""
    n, keys, said, thing = given if len(given) == 4 else (1, *given)
    return ranked(keys, said, thing, n)


def that_one(x: Expression) -> Expression | None:
    """``the district with the fewest residents``, of which something is asked: as features."""
    level = level_of_most(x) if isinstance(x, Extreme) and x.n == 1 else None
    return None if level is None else Within(level, x)


def ranked_so(keys: Keys, said: str, thing: Thing) -> Expression | None:
    """``in which district is the largest sealed area``; of ``the minimum NDWI highest`` the last word is what ranks."""
    return None if thing.statistic in ("maximum", "minimum") else ranked(keys, said, thing)


def ranked_by(keys: Keys, named: tuple[str, str], n: float = 1) -> Expression | None:
    """``the warmest month``, ``the three warmest months``."""
    return ranked(keys, "maximum" if named[1] == "highest" else "minimum", Thing(Quantity(named[0])), n)


def ranked_then(keys: Keys, when: Times | Expression, said: str, thing: Thing) -> Expression | None:
    """``the greenest in August, i.e. had the highest mean chlorophyll``: by what explains the word, at its time."""
    then = during(thing, when)
    return None if then is None else ranked(keys, said, then)
