"""Maps that hold a statistic of each of their times: the largest and the smallest temperature of the day."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from knowflow.question.operators import During, Expression, Extreme, Over, Quantity, Split, Within, walk, with_children
from knowflow.question.reading.chart import Entity
from knowflow.question.reading.entities import LIKELIER
from knowflow.question.reading.vocabulary import STATISTIC, Chosen, DataWords

ANNUAL_MEAN = "annual mean"
"""What an undated layer may be by its name: there is nothing else of it that could be averaged over a year."""


def of_statistics(found: Sequence[Entity], data: DataWords) -> Iterator[Entity]:
    """The names of layers that are a statistic themselves: ``minimum temperature``, of which the mean is asked. Where
    nothing else is asked of it, it is as likely what is asked."""
    said = [one for one in found if one.symbol == "STAT"]
    apart = _held(data.chosen)
    asks = [
        (one.start, one.end)
        for one in found
        if one.symbol in ("STAT", "RANKED", "CHANGED", "TREND", "CORRELATION", "RISE")
    ]
    for one in found:
        if one.symbol not in ("QUANTITY", "NAMED"):
            continue
        meant = Quantity(one.value) if isinstance(one.value, str) else one.value
        if (meant.kind, ANNUAL_MEAN) in data.stated:
            every = {other.end: other.start for other in found if (other.symbol, other.value) == ("EVERY", "year")}
            means = {other.end: other.start for other in said if other.value == "mean"}
            before = {one.start: every.get(means.get(one.start, -1)), -1: means.get(every.get(one.start, -1))}
            yield from (replace(one, start=at, cost=LIKELIER) for at in before.values() if at is not None)
        for other in said:
            own = apart.get((meant.kind, other.value))
            if (own or (meant.kind, other.value) in data.stated) and one.start <= other.end and other.start <= one.end:
                start, end = min(one.start, other.start), max(one.end, other.end)
                asked = any(last <= start or end <= first for first, last in asks)
                cost = -2 if asked and other.value != "mean" else 1  # which its name alone has as well, in a longer one
                maps = meant if own is None else replace(meant, having=(*meant.having, own))
                yield Entity("QUANTITY", start, end, maps, one.cost + cost)


def _held(chosen: Iterable[Chosen]) -> Mapping[tuple[str, str], tuple[str, str]]:
    """Of each kind and statistic that some maps are of, the fact that tells these apart."""
    return {(kind, one.value): (one.fact, one.value) for one in chosen if one.fact == STATISTIC for kind in one.kinds}


def of_held_statistics(x: Expression, entities: Collection[Entity], chosen: Iterable[Chosen]) -> Expression:
    """``the maximum temperature in May``, of maps of each day's largest, is the largest of these, where no other
    statistic is said of them; so is ``the highest temperature``, and not that of the maps of the smallest. ``The
    average maximum`` is the mean of the ground on these maps."""
    held = _held(chosen)
    if not held:
        return x
    averaged = _averaged(entities)
    alone = not any(one.symbol == "STAT" for one in entities) and not any(isinstance(y, Extreme) for _, y in walk(x))

    def told(x: Expression) -> Expression:
        of = _of(x) if isinstance(x, Over) else None
        own = None if of is None else dict(of.having).get(STATISTIC)
        if isinstance(x, Over) and own is not None and alone and x.statistic == "mean":
            return replace(x, x=told(x.x), statistic="maximum" if own == "maximum" else "minimum")
        if isinstance(x, Over) and of is not None and own is None and (of.kind, x.statistic) in held:
            mean = x.axes == "space" and x.statistic in averaged
            return replace(x, x=_with(x.x, x.statistic), statistic="mean" if mean else x.statistic)
        return with_children(x, told)

    return told(x)


def _averaged(entities: Collection[Entity]) -> frozenset[str]:
    """The statistics that a mean is said of: ``the average maximum``, ``the mean of the daily minimum``."""
    ends = {one.end for one in entities if (one.symbol, one.value) == ("STAT", "mean")}
    for one in sorted(entities, key=lambda one: one.start):
        if one.start in ends and (one.symbol == "of" or (one.symbol, one.value) == ("EVERY", "date")):
            ends.add(one.end)
    said = (one for one in entities if one.symbol in ("STAT", "ITS_STAT") and one.start in ends)
    return frozenset(str(one.value if one.symbol == "STAT" else one.value[0]) for one in said)


def _of(x: Expression) -> Quantity | None:
    """The quantity that a chain of statistics, times and places is of."""
    while isinstance(x, Over | During | Within | Split):
        x = x.x
    return x if isinstance(x, Quantity) else None


def _with(x: Expression, statistic: str) -> Expression:
    if isinstance(x, Quantity):
        return replace(x, having=(*x.having, (STATISTIC, statistic)))
    return replace(x, x=_with(x.x, statistic)) if isinstance(x, Over | During | Within | Split) else x
