"""Normal form: two expressions are equal where they are the same in it. Every rewriting is a law with a name.

The laws hold whatever the data, unknown values included; the reference interpreter tests each on generated scenes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from knowflow.ground.units import compatible, convert
from knowflow.question.check import type_of
from knowflow.question.form import to_data
from knowflow.question.operators import (
    COMMUTE,
    And,
    Beyond,
    Calculate,
    During,
    Expression,
    IsClass,
    Not,
    Number,
    Or,
    Over,
    Polygons,
    Split,
    Within,
    with_children,
)
from knowflow.question.types import Type
from knowflow.question.typing_of_features import are_rows, is_features, layer_of, of_rows

_DIGITS = 12  # of a number told in another unit
_OF_ONE_UNIT = ("difference", "sum", "minimum", "maximum", "percent_change")
_OPPOSITE = {"above": "at_most", "at_most": "above", "below": "at_least", "at_least": "below"}


def normal(expression: Expression) -> Expression:
    """An expression in normal form. One that does not fit is left as it is where it does not."""
    before = with_children(expression, normal)
    for law in LAWS.values():
        before = law(before)
    return before if before == expression else normal(before)


def equal(a: Expression, b: Expression) -> bool:
    """Whether two expressions ask the same."""
    return normal(a) == normal(b)


def _ordered(parts: tuple[Expression, ...]) -> tuple[Expression, ...]:
    return tuple(sorted(parts, key=lambda part: repr(to_data(part))))


def commuted(e: Expression) -> Expression:
    """``a and b`` is ``b and a``, nested or twice told or not; sums, products, minima and maxima likewise."""
    if isinstance(e, And | Or):
        same = And if isinstance(e, And) else Or
        flat = [part for one in e.parts for part in (one.parts if isinstance(one, same) else (one,))]
        parts = _ordered(tuple(dict.fromkeys(flat)))
        return parts[0] if len(parts) == 1 else replace(e, parts=parts)
    if (
        isinstance(e, Calculate)
        and e.how in COMMUTE
        and e.b is not None
        and (e.how == "product" or _one_unit(e.a, e.b))
    ):
        a, b = _ordered((e.a, e.b))
        return replace(e, a=a, b=b)
    if isinstance(e, IsClass | Polygons):
        return replace(e, names=tuple(sorted(set(e.names))))
    return e


def _one_unit(a: Expression, b: Expression) -> bool:
    """Whether two numbers are told in one unit: else what they make is told in that of the first."""
    one, other = type_of(a), type_of(b)
    return one is not None and other is not None and one.measure.unit == other.measure.unit


def double_not(e: Expression) -> Expression:
    """Not of not is the thing itself; not above is at most."""
    if isinstance(e, Not) and isinstance(e.x, Not):
        return e.x.x
    if isinstance(e, Not) and isinstance(e.x, Beyond) and e.x.side in _OPPOSITE:
        return replace(e.x, side=_OPPOSITE[e.x.side])  # type: ignore[arg-type]  # all four are sides
    return e


def units(e: Expression) -> Expression:
    """A stated limit is told in the unit of what is compared with it, a stated number in that of what it changes."""
    if isinstance(e, Calculate) and isinstance(e.b, Number) and e.how in _OF_ONE_UNIT:
        a = type_of(e.a)
        return e if a is None or a.of != "number" else replace(e, b=_told_in(e.b, a))
    if not isinstance(e, Beyond) or not any(isinstance(one, Number) for one in (e.limit, e.upper)):
        return e
    x = type_of(e.x)
    if x is None or x.of != "number":
        return e
    return replace(e, limit=_told_in(e.limit, x), upper=None if e.upper is None else _told_in(e.upper, x))


def _told_in(limit: Expression, x: Type) -> Expression:
    unit = x.measure.unit
    if not isinstance(limit, Number) or limit.unit == unit or type_of(limit) is None:
        return limit
    if not compatible(limit.unit, unit):
        return limit
    value = convert(limit.value, limit.unit, unit, difference=x.measure.change)
    return Number(float(f"{value:.{_DIGITS}g}"), unit)


def restrictions(e: Expression) -> Expression:
    """Dates and ground are restricted in any order: dates first, each kind in one order, the same once. What lies in
    some features of a file lies in the features of that file."""
    if isinstance(e, Within) and isinstance(e.x, Within):
        for inner, outer in ((e.x.where, e.where), (e.where, e.x.where)):
            if inner != outer and _all_of(outer) and is_features(inner) and layer_of(inner) == layer_of(outer):
                return Within(e.x.x, inner)
    if isinstance(e, During) and isinstance(e.x, Within):
        return Within(replace(e, x=e.x.x), e.x.where)
    if isinstance(e, During) and isinstance(e.x, During) and _text(e.x.when) > _text(e.when):
        return During(During(e.x.x, e.when), e.x.when)
    if isinstance(e, Within) and isinstance(e.x, Within) and _text(e.x.where) > _text(e.where):
        return Within(Within(e.x.x, e.where), e.x.where)
    if isinstance(e, During) and isinstance(e.x, During) and e.x.when == e.when:
        return e.x
    return e


def _all_of(e: Expression) -> bool:
    return isinstance(e, Polygons) and not e.names and e.by is None


def _text(part: object) -> str:
    return repr(to_data(part)) if isinstance(part, Expression) else str(part)


def dates_are_there(e: Expression) -> Expression:
    """What has dates is one per date as it is."""
    by_date = isinstance(e, Split) and e.key == "date" and not are_rows(e.x) and of_rows(e.x) is None
    return e.x if isinstance(e, Split) and by_date else e


def innermost(e: Expression) -> Expression:
    """Over time is over the innermost grain of it, by its name."""
    if isinstance(e, Over) and e.axes == "time":
        x = type_of(e.x)
        return e if x is None or x.grain is None else replace(e, axes=x.grain)  # type: ignore[arg-type]  # is one
    return e


LAWS: Mapping[str, Callable[[Expression], Expression]] = {
    "commuted": commuted,
    "double_not": double_not,
    "units": units,
    "restrictions": restrictions,
    "dates_are_there": dates_are_there,
    "innermost": innermost,
}
