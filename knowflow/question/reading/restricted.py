"""Things, clauses and expressions restricted to a time, or to ground: where in them the restriction belongs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar, cast

from knowflow.question.events import LOSS_YEAR, ever_lost, lost_in
from knowflow.question.operators import (
    And,
    Anomaly,
    Beyond,
    Calculate,
    Correlate,
    During,
    Expression,
    Extreme,
    IsClass,
    Over,
    Polygons,
    Quantity,
    Split,
    Within,
    children,
    walk,
    with_children,
)
from knowflow.question.reading.order import (
    CLOUDLESS,
    Clause,
    Joined,
    Test,
    Thing,
    dated,
    meet,
    of_one_file,
    standing,
    typed,
)
from knowflow.question.reading.rows import of_named_rows, those_rows
from knowflow.question.times import Times
from knowflow.question.typing_of_features import are_rows, is_features, is_of_years, measured_of, of_rows

Asked = TypeVar("Asked", Thing, Clause, Expression)


def during(one: Asked, when: Times | Expression) -> Asked | None:
    """A noun, clause or expression with only those dates, told where its quantities are; None where it has no dates."""
    return cast("Asked | None", _restricted(one, lambda x: _during(x, when)))


def within(one: Asked, where: Expression) -> Asked | None:
    """A noun, clause or expression of only that ground, told below the statistic that takes space away."""
    return cast("Asked | None", _restricted(one, lambda x: _within(x, where)))


class _ApartError(Exception):
    """What is restricted is restricted to something else already."""


def _restricted(one: Any, change: Callable[[Expression], Expression]) -> Any:
    """What is compared is restricted, not the limit, which tells its own ground and dates."""
    if isinstance(one, Thing):
        x = _restricted(one.x, change)
        return None if x is None or typed(x) is None else replace(one, x=x)
    if isinstance(one, Test):
        left = _restricted(one.left, change)
        return None if left is None else replace(one, left=left)
    if isinstance(one, Joined):
        parts = tuple(_restricted(part, change) for part in one.parts)
        return None if None in parts else replace(one, parts=parts)
    try:
        changed = change(one)
    except _ApartError:
        return None
    return None if changed == one else changed


def _during(x: Expression, when: Times | Expression) -> Expression:
    if x == ever_lost():  # whose classes are years
        lost = lost_in(when) if isinstance(when, Times) else None
        if lost is None:
            raise _ApartError
        return lost
    if isinstance(x, Quantity):
        if x.kind == LOSS_YEAR:
            return x
        own = typed(x)
        return During(x, when) if own is not None and ("date" in own.keys or own.of == "class") else x
    if is_of_years(x):
        return During(x, when) if isinstance(when, Times) else x
    if isinstance(x, During):
        told = [part.when for _, part in walk(x) if isinstance(part, During) and isinstance(part.when, Times)]
        if isinstance(when, Times) and not meet(frozenset((when, *told))):
            raise _ApartError
        return x if x.when == when else During(x, when)
    if isinstance(x, Beyond) and _of_two_grounds(x) and not dated(x.limit):
        return replace(x, x=_during(x.x, when), limit=_during(x.limit, when))
    if isinstance(x, Within | Split | Beyond):
        return _during_below(x, when)
    if isinstance(x, Anomaly):  # which is against the other years
        return During(x, when)
    if isinstance(x, Calculate | Correlate) and isinstance(when, Times) and when.first and _years_told(x):
        raise _ApartError  # of two that are compared one tells its years: other ones are not meant of both
    if isinstance(x, And) and 0 < sum(map(_stands, x.parts)) < len(x.parts):  # what was so then, whenever it is asked
        return replace(x, parts=tuple(part if _stands(part) else _during(part, when) for part in x.parts))
    found = with_children(x, lambda child: _during(child, when))
    of = measured_of(x) or (x.x if isinstance(x, Over) and is_features(x.x) else None)
    if found == x and of is not None and isinstance(when, Times):  # features, of which it may be told when each was
        return with_children(x, lambda child: During(child, when) if child == of else child)
    return found


def _stands(x: Expression) -> bool:
    """Whether it is of a time that it tells, and the same at all others."""
    own = typed(x)
    return own is not None and "date" not in own.keys and dated(x)


def of_any_map(x: Expression) -> bool:
    """Whether it is of classes of which no time is told: of any of their maps. Years of loss a map tells itself."""
    if isinstance(x, During | Split) or x == Quantity(LOSS_YEAR):
        return False
    own = typed(x) if isinstance(x, Quantity) else None
    return (own is not None and own.of == "class") or any(of_any_map(part) for _, part in children(x))


def _of_two_grounds(x: Beyond) -> bool:
    """``are parks cooler than streets``: of two grounds as wholes: what restricts all of it is meant of both."""
    own = typed(x)
    return own is not None and not own.space and not own.keys and grounded(x.x) and grounded(x.limit)


def _years_told(x: Expression | None) -> bool:
    times = (part.when for _, part in walk(x) if isinstance(part, During)) if x is not None else ()
    return any(isinstance(when, Times) and bool(when.first or when.year) for when in times)


def _during_below(x: Within | Split | Beyond, when: Times | Expression) -> Expression:
    """What is restricted has the dates; where it stands for all, the map does by which it is restricted or split."""
    inner = _during(x.x, when)
    if inner != x.x or isinstance(x, Beyond):
        return replace(x, x=inner)
    if isinstance(x, Within):
        return replace(x, where=_during(x.where, when))
    return replace(x, key=_during(x.key, when)) if isinstance(x.key, Expression) else x


def _apart(a: Expression, b: Expression) -> bool:
    """Whether no ground is both: that of two classes of one map, of two polygons by name."""
    of_map = isinstance(a, IsClass) and isinstance(b, IsClass) and a.x == b.x
    named = isinstance(a, Polygons) and isinstance(b, Polygons) and a.names and b.names
    return bool(of_map or named) and not {*a.names} & {*b.names}  # type: ignore[attr-defined]  # both have names


def _of_that_year(x: Expression, where: Expression) -> Expression:
    """With features that it lies in as those of the year of ``where``, which are all of theirs."""
    if isinstance(x, Within) and (one := of_one_year(x.where, where)) is not None:
        return replace(x, where=one)
    return with_children(x, lambda child: _of_that_year(child, where))


def of_that_one(x: Expression, where: Expression) -> Expression:
    """Ground of what has the most, of what lies over space; of features and rows it is features too."""
    ground = isinstance(where, Within) and isinstance(where.where, Extreme) and not are_rows(where)
    return where.where if ground and of_rows(x) is None and not is_features(x) else where  # type: ignore[attr-defined]


def _within(x: Expression, where: Expression) -> Expression:
    if (isinstance(where, During) or is_of_years(where)) and (told := _of_that_year(x, where)) != x:
        return told
    where = of_that_one(x, where)
    if isinstance(where, And) and CLOUDLESS in where.parts:  # which is of each date, and what else is may be of none
        rest = tuple(part for part in where.parts if part != CLOUDLESS)
        return _within(_within(x, rest[0] if len(rest) == 1 else And(rest)), CLOUDLESS)
    if isinstance(where, Within) and is_features(where.where) and not is_features(where):  # both of its grounds
        return _within(_within(x, where.where), where.x)
    if _is_part_of_features(where) and not is_features(x) and of_rows(x) is None:
        return _within(_within(x, where.x), where.where)  # type: ignore[attr-defined]  # the parcels where it is wet
    of = of_rows(x)
    if of is not None and of is x:
        rows = those_rows(of.x, where)
        if rows is None:
            raise _ApartError
        return replace(of, x=rows)
    own = typed(x)
    where = at_any_time(where) if own is not None and own.space and "date" not in own.keys else where
    of_dates = where == CLOUDLESS and own is not None and "date" not in own.keys and dated(x)
    if own is not None and own.space and not isinstance(x, Over | Split) and not of_dates:
        if isinstance(x, Within) and _apart(x.where, where):
            raise _ApartError
        if "date" not in own.keys and where != CLOUDLESS:
            where = standing(where) or where
        return Within(x, where)
    if isinstance(x, Split) and of_one_file(where, x.key):
        raise _ApartError
    if isinstance(x, Beyond) and _of_two_grounds(x):
        return replace(x, x=_within(x.x, where), limit=_within(x.limit, where))
    if isinstance(x, Beyond | Split):
        return replace(x, x=_within(x.x, where))
    if isinstance(x, Calculate) and len({grounded(part) for _, part in children(x)}) > 1:
        raise _ApartError  # of two that are compared one tells its ground: another is not meant of both
    if isinstance(x, Correlate) and any(of_named_rows(part) for _, part in walk(x)):
        raise _ApartError  # as the rows of one place
    return with_children(x, lambda child: _within(child, where))


def _is_part_of_features(where: Expression) -> bool:
    """Whether it is the ground of features where a condition holds."""
    if not (isinstance(where, Within) and isinstance(where.x, Polygons)):
        return False
    own = typed(where.where)
    return own is not None and own.of == "truth" and own.space


def of_one_year(a: Expression, b: Expression) -> Expression | None:
    """``of the lake, within its outline of 2019``: features by name, and those of a year."""
    named, told = (a, b) if isinstance(b, During) else (b, a)
    if not (isinstance(told, During) and is_of_years(told.x) and is_of_years(named)):
        return None
    same = isinstance(named, Polygons) and isinstance(told.x, Polygons) and named.layer == told.x.layer
    return replace(told, x=named) if same and not told.x.names else None  # type: ignore[attr-defined]  # features


def at_any_time(where: Expression) -> Expression:
    """Ground for what has no dates: that of one day, or that burned, as it is on any date."""
    own = typed(where)
    days = [part.when for _, part in walk(where) if isinstance(part, During) and isinstance(part.when, Times)]
    one_day = len(days) == 1 and days[0].first is not None and days[0].first == days[0].last
    burned = any(isinstance(part, Quantity) and part.kind == "burned_area_mask" for _, part in walk(where))
    dated_alone = own is not None and own.of == "truth" and own.keys == ("date",)
    return Over(where, "time", "any") if dated_alone and (one_day or burned) else where


def grounded(x: Expression) -> bool:
    """Whether the ground of something is told."""
    return any(isinstance(part, Within) for _, part in walk(x))


def on_one_day(x: Expression) -> Expression:
    """Readings by which those are alike that differ in how the dates of one day are taken together: held against a
    limit in their mean, or on any of them."""
    x = with_children(x, on_one_day)
    if isinstance(x, Beyond) and isinstance(x.x, Over) and (x.x.axes, x.x.statistic) == ("time", "mean"):
        days = [part.when for _, part in walk(x.x) if isinstance(part, During)]
        if (
            len(days) == 1
            and isinstance(days[0], Times)
            and days[0].first is not None
            and days[0].first == days[0].last
        ):
            return Over(replace(x, x=x.x.x), "time", "any")
    return x
