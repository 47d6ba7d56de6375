"""The largest of the periods of a time that is one of them: of its ground, as one period has no largest."""

from __future__ import annotations

from knowflow.question.operators import During, Expression, Over, Split, walk, with_children
from knowflow.question.reading.order import typed
from knowflow.question.times import Times

_LETTERS = {"year": 4, "month": 7, "date": 10}


def of_single_periods(x: Expression, mean_said: bool = False) -> Expression:
    """``the lowest annual rain in the district in 2022``: of one year it is that of the place with the least of it; so
    is ``the largest daily rain on 16 May``, unless the mean of that day is named."""
    x = with_children(x, lambda part: of_single_periods(part, mean_said))
    if not (isinstance(x, Over) and x.axes == "time" and x.statistic in ("minimum", "maximum")):
        return x
    each = x.x
    if isinstance(each, Over) and (each.axes, each.statistic) == ("space", "mean") and _is_one(each.x, "date"):
        return x if mean_said else Over(Over(each.x, "space", x.statistic), "time", x.statistic)
    if not (isinstance(each, Over) and each.axes == "time" and isinstance(each.x, Split)):
        return x
    of = each.x.x
    if not (isinstance(of, Over) and (of.axes, of.statistic) == ("space", "mean") and _is_one(of.x, each.x.key)):
        return x
    found = Over(Over(of.x, "time", each.statistic), "space", x.statistic)
    return x if typed(found) is None else found


def _is_one(x: Expression, key: object) -> bool:
    """Whether the one time that something is of lies within one period."""
    times = {part.when for _, part in walk(x) if isinstance(part, During)}
    when = times.pop() if len(times) == 1 else None
    letters = _LETTERS.get(str(key))
    if letters is None or not isinstance(when, Times) or when.first is None or when.last is None:
        return False
    return when.first.isoformat()[:letters] == when.last.isoformat()[:letters]
