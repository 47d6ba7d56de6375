"""What limits may be: those told in the numbers of the files are scaled as these are, and a share of ground at some
height is of what is said."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.units import compatible, convert
from knowflow.question.operators import (
    Beyond,
    During,
    Expression,
    Number,
    Over,
    Quantity,
    Split,
    Within,
    walk,
    with_children,
)
from knowflow.question.reading.chart import Entity

_OF_VALUES = ("mean", "median", "minimum", "maximum")
"""Statistics that lie in the range of what they are of."""
_SHARES = ("share_alone", "how_much", "SHARE_OF", "how_much_land", "by_percent")


def possible_limits(x: Expression, scales: Mapping[str, float]) -> Expression | None:
    """An expression with its limits in what their quantities may be; None where one is not: snow 3000 m deep.
    ``scales`` are those by which the numbers of the files are of their quantity."""
    scaled = _all_scaled(x, scales)
    return scaled if all(is_possible(part) for _, part in walk(scaled)) else None


def _all_scaled(x: Expression, scales: Mapping[str, float]) -> Expression:
    return as_scaled(with_children(x, lambda part: _all_scaled(part, scales)), scales)


def as_scaled(x: Expression, scales: Mapping[str, float]) -> Expression:
    """A limit told in the numbers of the files, where it is none of what they are scaled to: a snow index of 40."""
    kind = _kind_of(x)
    scale = 1.0 if kind is None else scales.get(kind, 1.0)
    if kind is None or scale == 1.0 or not isinstance(x, Beyond) or not isinstance(x.limit, Number):
        return x
    highest = quantity_kinds()[kind].range[1]
    ends = [end.value for end in (x.limit, x.upper) if isinstance(end, Number)]
    if highest is None or not max(ends) > highest >= max(ends) * scale or x.limit.unit != "1":
        return x
    return replace(x, limit=_times(x.limit, scale), upper=None if x.upper is None else _times(x.upper, scale))


def is_possible(x: Expression) -> bool:
    """Whether a limit lies in what its quantity may be."""
    kind = _kind_of(x)
    if kind is None or not isinstance(x, Beyond) or not isinstance(x.limit, Number):
        return True
    of, unit = quantity_kinds()[kind], x.limit.unit
    if not compatible(unit, of.unit):
        return of.borrows_unit or isinstance(x.x, Over)
    least, most = of.range
    limit = float(convert(x.limit.value, unit, of.unit))
    return (least is None or limit >= least) and (most is None or limit <= most)


def is_of_either(x: Expression, entities: Iterable[Entity]) -> bool:
    """Whether nothing says what a share is of: ``snow between 2000 and 2500 m, %`` is of snow, or of that ground."""
    if not {one.symbol for one in entities}.isdisjoint(_SHARES):
        return False
    of = (part.x for _, part in walk(x) if isinstance(part, Over) and part.statistic == "share")
    return any(isinstance(one, Beyond) and isinstance(one.x, Within) and _is_high(one.x.x) for one in of)


def _is_high(x: Expression) -> bool:
    return isinstance(x, Quantity) and x.kind == "elevation"


def _kind_of(x: Expression) -> str | None:
    """The quantity that a limit is of, or its values at a time, on some ground."""
    of = x.x if isinstance(x, Beyond) else None
    while isinstance(of, During | Within | Split) or (isinstance(of, Over) and of.statistic in _OF_VALUES):
        of = of.x
    return of.kind if isinstance(of, Quantity) and of.kind in quantity_kinds() else None


def _times(end: Expression, scale: float) -> Expression:
    return replace(end, value=round(end.value * scale, 12)) if isinstance(end, Number) else end
