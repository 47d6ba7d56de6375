"""Rain told as so many millimetres a day, of each month: as layers of what fell in each month, too."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date
from itertools import groupby, pairwise

from knowflow.ground.called import is_unknown
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Origin

_PER_DAY = "mm day-1"
_RATE, _AMOUNT = "precipitation_rate", "precipitation"
_CALLED = re.compile(r"\b(?:pr|precip\w*|rain\w*)\b", re.IGNORECASE)
_MONTH = range(28, 32)  # days


def with_amounts_of_rates(artifacts: Iterable[Artifact]) -> Iterator[Artifact]:
    """The artifacts, and for each layer of a month that tells how much it rained a day one of how much it rained: where
    there is one of each month after the other. What is called an amount, and is so much a day, is a rate then."""
    items = list(artifacts)
    if any(one.fact("quantity") == _AMOUNT and one.fact("unit") != _PER_DAY for one in items):
        yield from items
        return  # how much it rained is told
    rates = sorted(filter(_is_rate, items), key=lambda one: (str(one.fact("quantity")), str(one.fact("datetime"))))
    monthly: dict[int, date] = {}
    for _, group in groupby(rates, key=lambda one: one.fact("quantity")):
        layers = list(group)
        days = [date.fromisoformat(str(one.fact("datetime"))[:10]) for one in layers]
        if len(days) > 1 and all((after - before).days in _MONTH for before, after in pairwise(days)):
            monthly |= {id(one): day for one, day in zip(layers, days, strict=True)}
    yield from (_as_rate(one) if id(one) in monthly else one for one in items)
    yield from (_amount(one, monthly[id(one)]) for one in items if id(one) in monthly)


def _as_rate(item: Artifact) -> Artifact:
    known = item.known("quantity")
    if known is None or known.value != _AMOUNT:
        return item
    return item.with_facts(item.facts.put("quantity", _RATE, Origin.DERIVED, f"{known.source}, so much a day"))


def _is_rate(item: Artifact) -> bool:
    if item.type != "raster" or item.fact("unit") != _PER_DAY or item.fact("datetime") is None:
        return False
    kind = item.fact("quantity")
    said = " ".join(map(str, (item.fact("band") or "", *(item.fact("described") or ()))))
    return kind in (_RATE, _AMOUNT) or ((kind is None or is_unknown(kind)) and _CALLED.search(said) is not None)


def _amount(item: Artifact, day: date) -> Artifact:
    """What fell in the month of a day."""
    length = monthrange(day.year, day.month)[1]
    told = Origin.DERIVED, f"so much a day, for {length} days"
    facts = item.facts.without(("described", "statistic")).put("quantity", _AMOUNT, *told).put("unit", "mm", *told)
    facts = facts.put("scale", float(item.fact("scale") or 1.0) * length, *told)
    if item.fact("offset"):
        facts = facts.put("offset", float(item.fact("offset")) * length, *told)
    return replace(item.with_facts(facts), name=f"{item.name}, of the month")
