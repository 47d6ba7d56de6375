"""What is told as so much a day, hour or second, of each month or other span: as layers of the amounts of these spans,
too. The mean of a rate in a time, times that time, is the amount."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from types import MappingProxyType

from knowflow.ground.called import is_unknown
from knowflow.ground.errors import UnitError
from knowflow.ground.quantities import QuantityKind, quantity_kinds
from knowflow.ground.units import compatible, convert, per_time
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Origin
from knowflow.reason.inventory.amounts import are_each

_RATES = MappingProxyType({"precipitation": "precipitation_rate"})  # what is called an amount, and may be a rate
_OF_MONTHS = " month-1"
_CALLED = re.compile(r"\b(?:pr|precip\w*|rain\w*)\b", re.IGNORECASE)
_WATER = "kg m-2"  # as much as 1 mm is
_LONGEST = 366  # days that numbers are of; those of more are normals
_MEAN = (None, "mean")
Span = tuple[date, date]


def with_amounts_of_rates(artifacts: Iterable[Artifact]) -> Iterator[Artifact]:
    """The artifacts, and for each layer that tells how much it rained a day, in a span that is known, one of how much
    it rained: by that span, or where there is one of each month. What is called an amount, and is so much a day, is a
    rate then; of what has no name as a rate there is the amount alone."""
    items = list(artifacts)
    groups: dict[tuple[str, str], list[Artifact]] = {}
    for one in items:
        if (amount := _amount_of(one)) is not None:
            groups.setdefault((amount, str(one.fact("quantity"))), []).append(one)
    told = {str(one.fact("quantity")) for one in items if not per_time(str(one.fact("unit") or ""))}
    spans = {
        id(one): (amount, span)
        for (amount, _), layers in groups.items()
        if amount not in told
        for one, span in _spans_of(layers)
    }
    yield from (_as_rate(one) if id(one) in spans else one for one in items if not _is_amount_alone(one, spans))
    yield from (_amount(one, *spans[id(one)]) for one in items if id(one) in spans)


def _is_amount_alone(one: Artifact, spans: Mapping[int, tuple[str, Span]]) -> bool:
    """Whether a layer is of what has no name as a rate, and is given as an amount."""
    rate = quantity_kinds().get(str(one.fact("quantity")))
    named = rate is not None and rate.amount is not None
    return id(one) in spans and spans[id(one)][0] not in _RATES and not named


def _as_rate(item: Artifact) -> Artifact:
    known = item.known("quantity")
    if known is None or known.value not in _RATES:
        return item
    return item.with_facts(
        item.facts.put("quantity", _RATES[known.value], Origin.DERIVED, f"{known.source}, so much a day")
    )


def _amount_of(item: Artifact) -> str | None:
    """The quantity of which a layer tells how much of it there is per time, on average; None of all others."""
    unit, kind = item.fact("unit"), item.fact("quantity")
    if item.type != "raster" or unit is None or not per_time(unit) or item.fact("datetime") is None:
        return None
    if item.fact("statistic") not in _MEAN:
        return None
    said = " ".join(map(str, (item.fact("band") or "", *(item.fact("described") or ()))))
    if (kind is None or is_unknown(kind)) and _CALLED.search(said) is not None:
        kind = "precipitation"
    rate = quantity_kinds().get(str(kind))
    found = rate if rate is None or rate.amount is None else quantity_kinds().get(rate.amount)
    return found.name if found is not None and found.accumulates and _of_a_day(unit, found) is not None else None


def _of_a_day(unit: str, kind: QuantityKind) -> float | None:
    """How much of a kind, in its unit, one of a unit per time is in a day; None where it cannot be told so."""
    in_a_day = f"{unit} day"
    try:
        told = kind.unit if compatible(in_a_day, kind.unit) else _WATER if kind.unit == "mm" else None
        return None if told is None else float(convert(1.0, in_a_day, told))
    except UnitError:
        return None


def _spans_of(layers: Sequence[Artifact]) -> Iterator[tuple[Artifact, Span]]:
    """The layers of spans that are known, each with its first and last day: as it says, or its month where there is one
    of each month and of no other time."""
    dates = [date.fromisoformat(str(one.fact("datetime"))[:10]) for one in layers]
    monthly = are_each(set(dates), "month")
    for one, day in zip(layers, dates, strict=True):
        span = one.fact("span")
        if span and all(span):
            first, last = (date.fromisoformat(str(end)[:10]) for end in span)
            if (last - first).days < _LONGEST:
                yield one, (first, last)
        elif monthly:
            yield one, (day.replace(day=1), day.replace(day=monthrange(day.year, day.month)[1]))


def _days_in(unit: str, span: Span) -> float:
    """The days of a span, as many as a unit per month means where it is a month: ``mm month-1``."""
    days = (span[1] - span[0]).days + 1
    month = unit.endswith(_OF_MONTHS) and days == monthrange(span[0].year, span[0].month)[1] and span[0].day == 1
    return float(convert(1.0, "month", "day")) if month else days


def _amount(item: Artifact, amount: str, span: Span) -> Artifact:
    """What a layer tells of a rate as the amount of its span."""
    kind, unit, days = quantity_kinds()[amount], str(item.fact("unit")), (span[1] - span[0]).days + 1
    factor = (_of_a_day(unit, kind) or 1.0) * _days_in(unit, span)
    own = () if amount in _RATES else ("product",)  # of what a product is called, its rates are meant
    facts = item.facts.without(("described", "statistic", "unit", "scale", "offset", *own))
    whose = "its span" if "span" in facts else "its month, as there is one of each"
    facts = facts.put("unit", kind.unit, Origin.ASSUMED, f"{unit} is the mean of {whose}: times its days, the amount")
    told = Origin.DERIVED, f"{unit} on average, for {days} days"
    facts = facts.put("quantity", amount, *told).put("span", tuple(map(str, span)), *told)
    facts = facts.put("scale", float(item.fact("scale") or 1.0) * factor, *told)
    if item.fact("offset"):
        facts = facts.put("offset", float(item.fact("offset")) * factor, *told)
    return replace(item.with_facts(facts), name=f"{item.name}, of all its days")
