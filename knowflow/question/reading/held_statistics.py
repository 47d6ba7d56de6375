"""Maps that hold a statistic of each of their times: the largest and the smallest temperature of the day."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from knowflow.question.operators import During, Expression, Extreme, Over, Quantity, Split, Within, walk, with_children
from knowflow.question.reading.chart import Entity
from knowflow.question.reading.vocabulary import Chosen

STATISTIC = "statistic"


def of_held_statistics(x: Expression, entities: Collection[Entity], chosen: Iterable[Chosen]) -> Expression:
    """``the maximum temperature in May``, of maps of each day's largest, is the largest of these, where no other
    statistic is said of them; so is ``the highest temperature``, and not that of the maps of the smallest."""
    held = {(kind, one.value) for one in chosen if one.fact == STATISTIC for kind in one.kinds}
    if not held:
        return x
    alone = not any(one.symbol == "STAT" for one in entities) and not any(isinstance(y, Extreme) for _, y in walk(x))

    def told(x: Expression) -> Expression:
        of = _of(x) if isinstance(x, Over) else None
        own = None if of is None else dict(of.having).get(STATISTIC)
        if isinstance(x, Over) and own is not None and alone and x.statistic == "mean":
            return replace(x, x=told(x.x), statistic="maximum" if own == "maximum" else "minimum")
        if isinstance(x, Over) and of is not None and own is None and (of.kind, x.statistic) in held:
            return replace(x, x=_with(x.x, x.statistic))
        return with_children(x, told)

    return told(x)


def _of(x: Expression) -> Quantity | None:
    """The quantity that a chain of statistics, times and places is of."""
    while isinstance(x, Over | During | Within | Split):
        x = x.x
    return x if isinstance(x, Quantity) else None


def _with(x: Expression, statistic: str) -> Expression:
    if isinstance(x, Quantity):
        return replace(x, having=(*x.having, (STATISTIC, statistic)))
    return replace(x, x=_with(x.x, statistic)) if isinstance(x, Over | During | Within | Split) else x
