"""Amounts of a day, a month or a year told as so much in that time: what evaporated in June, in mm per month."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterable
from dataclasses import replace
from datetime import date

from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.units import compatible, per_time
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Origin


def as_rate(number: Artifact, inputs: Iterable[Artifact], unit: str) -> Artifact:
    """A number as so much in a time, where such a unit is asked for and it is of the only map of its quantity, which is
    an amount of a day, of a month or of a year; else itself.

    Example:
        >>> from knowflow.model.artifact import scalar
        >>> from knowflow.model.facts import Facts
        >>> facts = Facts.of(Origin.DECLARED, "example", quantity="evapotranspiration", unit="mm")
        >>> june = Facts.of(Origin.DECLARED, "example", datetime="2021-06-01", span=("2021-06-01", "2021-06-30"))
        >>> rain = Artifact("raster", facts.over(june))
        >>> [as_rate(scalar(60.0, facts), [rain], f"mm {time}-1").value for time in ("month", "day")]
        [60.0, 2.0]
        >>> as_rate(scalar(60.0, facts), [rain, rain], "mm month-1").fact("unit")
        'mm'
    """
    own = number.fact("unit")
    maps = [leaf for one in inputs for leaf in one.leaves() if leaf.fact("quantity") == number.fact("quantity")]
    if own is None or not isinstance(number.value, (int, float)) or len(maps) != 1 or maps[0].fact("unit") != own:
        return number
    kind = quantity_kinds().get(str(number.fact("quantity")))
    if kind is None or not (kind.accumulates or per_time(kind.unit)) or per_time(own) or not per_time(unit):
        return number
    time, days = _time_of(maps[0])
    each = time if time and time in unit else "day"
    told = f"{own} {each}-1"
    if not days or not compatible(told, unit):
        return number
    value = float(number.value) / (1 if each == time else days)
    facts = number.facts.put("unit", told, Origin.DERIVED, f"the amount of {days} days")
    return replace(number, value=value, facts=facts)


def _time_of(one: Artifact) -> tuple[str, int]:
    """The calendar month or year that a map is of, or neither, and how many days it has; 0 where nobody knows."""
    span, moment = one.fact("span"), one.fact("datetime")
    if not span or not all(span):
        return ("", 1) if moment is not None else ("", 0)
    first, last = (date.fromisoformat(str(day)[:10]) for day in span)
    days = (last - first).days + 1
    whole_month = first.day == 1 and days == monthrange(first.year, first.month)[1]
    whole_year = (first.month, first.day, last.month, last.day) == (1, 1, 12, 31) and first.year == last.year
    return ("month" if whole_month else "year" if whole_year else "", days)
