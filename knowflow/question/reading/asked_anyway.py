"""What is asked though the ground that it is asked of tells it already, or the data cannot tell it at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from types import MappingProxyType

from knowflow.question.operators import (
    Beyond,
    During,
    Expression,
    IsClass,
    Not,
    Number,
    Or,
    Over,
    Quantity,
    Split,
    Within,
    walk,
    with_children,
)

_IN_A_YEAR = ("month", "week", "season", "month_of_year")


def holds_anyway(x: Expression, maps: Mapping[str, int] = MappingProxyType({})) -> bool:
    """Whether it is asked where something holds of the ground where it does, or never does: what is flooded of the
    flood, what is of one class of the ground of another of the same map, whatever time is told of the only one."""

    def alone(x: Expression) -> Expression:
        of = x
        while isinstance(of, During):
            of = of.x
        if isinstance(of, Quantity) and maps.get(of.kind) == 1:
            return of
        return alone(x.x) if isinstance(x, Within) else with_children(x, alone)

    for _, part in walk(x):
        if isinstance(part, Over) and part.axes == "space":
            grounds = [alone(one.where) for _, one in walk(part.x) if isinstance(one, Within)]
            held = alone(part.x.x if isinstance(part.x, Split) else part.x)
            if held in grounds or Over(held, "time", "any") in grounds:
                return True
            if any(_told_by(held, ground) or _implied_by(held, ground) for ground in grounds):
                return True
    return False


def _told_by(held: Expression, ground: Expression) -> bool:
    """Whether ground of some classes tells already whether another clause holds there, of classes of the same map, or
    says of any time what the other one says of its time: ``grass/pasture in 2022``, which is one class."""
    held = held.x if isinstance(held, Not) else held
    if not (isinstance(held, IsClass) and isinstance(ground, IsClass)):
        return False
    if held.x != ground.x:
        timed = [one.x.x if isinstance(one.x, During) else one.x for one in (held, ground)]
        return timed[0] == timed[1] and {held.x, ground.x} >= {timed[0]} and {*held.names} == {*ground.names}
    shared = {*held.names} & {*ground.names}
    return not shared or {*ground.names} <= {*held.names}


_UPWARDS, _DOWNWARDS = ("above", "at_least"), ("below", "at_most")


def _implied_by(held: Expression, ground: Expression) -> bool:
    """Whether ground beyond limits is beyond that of another clause everywhere: of what is severe all is burned."""
    each = ground.parts if isinstance(ground, Or) else (ground,)
    return isinstance(held, Beyond) and all(isinstance(one, Beyond) and _is_farther(one, held) for one in each)


def _is_farther(one: Beyond, held: Beyond) -> bool:
    low, own = one.limit, held.limit
    high = low if one.upper is None else one.upper
    if one.x != held.x or held.side == "between":
        return False
    if not (isinstance(low, Number) and isinstance(own, Number) and isinstance(high, Number)):
        return False
    if not low.unit == own.unit == high.unit:
        return False
    if held.side in _UPWARDS:
        return one.side in (*_UPWARDS, "between") and low.value >= own.value
    return one.side in (*_DOWNWARDS, "between") and high.value <= own.value


def is_finer(x: Expression, dates: Sequence[date]) -> bool:
    """Whether it is of months or seasons, and all that there is is of years."""
    yearly = len(dates) > 1 and all((day.month, day.day) == (1, 1) for day in dates)
    return yearly and any(isinstance(part, Split) and part.key in _IN_A_YEAR for _, part in walk(x))
