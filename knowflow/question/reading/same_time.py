"""What is told of that same time: ``where NDVI was above 0.5 on 10 June and it was warmer than 30 °C that day``."""

from __future__ import annotations

from collections.abc import Iterable

from knowflow.question.operators import During, Expression, Quantity, walk, with_children
from knowflow.question.reading.chart import Entity
from knowflow.question.reading.order import typed

_SAME = frozenset({"same_time", "at_that_time"})


def of_same_time(x: Expression, said: Iterable[Entity]) -> Expression | None:
    """The expression, all of it at the one time that it tells where it speaks of that time again; None where it tells
    none, or several, so that nobody knows which is meant."""
    if not any(one.symbol in _SAME for one in said):
        return x
    times = {part.when for _, part in walk(x) if isinstance(part, During)}
    return _during(x, times.pop()) if len(times) == 1 else None


def _during(x: Expression, when: object) -> Expression:
    """With a time for all that has one and tells none."""
    if isinstance(x, During):
        return x
    if isinstance(x, Quantity):
        own = typed(x)
        return During(x, when) if own is not None and "date" in own.keys else x  # type: ignore[arg-type]
    return with_children(x, lambda part: _during(part, when))
