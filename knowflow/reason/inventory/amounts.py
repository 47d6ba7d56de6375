"""What adds up over time and is told per period, in data of one such period each: that is the amount of the period."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterable
from datetime import date
from itertools import pairwise

from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.regex import regex
from knowflow.ground.units import compatible
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Origin
from knowflow.reason.inventory.glance import Look

_WEIGHT = regex(r"kg m-2(?=\Z| (?:day|month|year)-1)")
_SEVERAL = 3
_MODEL = "ERA5"  # in the source of what its names say
_MOST_OF_A_DAY = 0.06  # m of water, in the mean of a month
_OF_ONE_DAY = 0.02  # m of water: most amounts of a day are less, and most of a month are more
_OF_EACH_MONTH = "one of each month"
_DAYS = {"day": (1, 1), "month": (28, 31), "year": (365, 366)}
"""How many days lie from one period to the next."""


def as_amounts(artifacts: Iterable[Artifact]) -> tuple[Artifact, ...]:
    """The artifacts, with ``mm`` for the ``mm month-1`` of precipitation where there is one for each month, and for
    what a depth of water weighs: 1 kg m-2 is 1 mm.

    Data of other periods keep their unit: 3 mm a day, in the mean of a month, are no 3 mm of that month.
    """
    listed = tuple(map(_as_depth, artifacts))
    days: dict[tuple[str, str], set[date]] = {}
    for item in listed:
        moment = str(item.fact("datetime") or "")[:10]
        if _amount_of(item) is not None and len(moment) == len("2017-01-01"):
            days.setdefault(_key(item), set()).add(date.fromisoformat(moment))
    whole = {key for key, found in days.items() if are_each(found, key[1].rpartition(" ")[2].removesuffix("-1"))}
    return tuple(
        _of_its_period(item) if _amount_of(item) is not None and _key(item) in whole else item for item in listed
    )


def with_months_told(artifacts: Iterable[Artifact]) -> tuple[Artifact, ...]:
    """The artifacts, depths of water of ERA5 of which there is one for each month as those of the months; those that
    say that they are means as so much a day in it, as its guide tells and no header does (*assumed*:
    https://confluence.ecmwf.int/display/CKB/ERA5%3A+data+documentation, monthly means)."""
    listed = tuple(artifacts)
    days: dict[str, set[date]] = {}
    for item in filter(_is_of_model, listed):
        days.setdefault(str(item.fact("quantity")), set()).add(_first_day(item))
    monthly = {quantity for quantity, found in days.items() if _are_of_months(found)}
    return tuple(
        _in_its_month(item) if _is_of_model(item) and str(item.fact("quantity")) in monthly else item for item in listed
    )


def _is_of_model(item: Artifact) -> bool:
    quantity, unit = item.known("quantity"), item.known("unit")
    if item.type != "raster" or quantity is None or unit is None or unit.origin >= Origin.USER:
        return False
    kind = quantity_kinds().get(str(quantity.value))
    depth = kind is not None and kind.accumulates and unit.value == "m"
    return depth and _MODEL in quantity.source and item.fact("datetime") is not None and "span" not in item.facts


def _first_day(item: Artifact) -> date:
    return date.fromisoformat(str(item.fact("datetime"))[:10])


def _in_its_month(item: Artifact) -> Artifact:
    day = _first_day(item)
    span = f"{day:%Y-%m}-01", f"{day:%Y-%m}-{monthrange(day.year, day.month)[1]}"
    facts = item.facts.put("span", span, Origin.ASSUMED, _OF_EACH_MONTH)
    if item.fact("statistic") == "mean":
        facts = facts.put("unit", "m day-1", Origin.ASSUMED, "monthly means of weather models are of a day")
    return item.with_facts(facts)


def _as_depth(item: Artifact) -> Artifact:
    kind, unit = quantity_kinds().get(str(item.fact("quantity"))), item.facts.get("unit")
    depth = kind is not None and kind.accumulates and str(kind.cf_name).startswith("lwe_thickness")
    if unit is None or not depth or not _WEIGHT.match(str(unit.value)):
        return item
    told = _WEIGHT.sub("mm", str(unit.value))
    return item.with_facts(
        item.facts.without(("unit",)).put("unit", told, unit.origin, f"{unit.source}, as a depth of water")
    )


def _key(item: Artifact) -> tuple[str, str]:
    return str(item.fact("quantity")), str(item.fact("unit"))


def _amount_of(item: Artifact) -> str | None:
    """The unit of the amount, of what adds up and is told per period."""
    kind = quantity_kinds().get(str(item.fact("quantity")))
    amount, _, period = str(item.fact("unit") or "").rpartition(" ")
    if kind is None or not kind.accumulates or period.removesuffix("-1") not in _DAYS:
        return None
    return amount if compatible(amount, kind.unit) else None


def is_of_its_period(item: Artifact, quantity: str) -> bool:
    """Whether a raster would be an amount of that quantity, told per the day, month or year that its date is."""
    span = item.fact("span") or (str(item.fact("datetime"))[:10],) * 2
    item = item.with_facts(item.facts.without(("quantity",)).put("quantity", quantity, Origin.ASSUMED, "a candidate"))
    period = str(item.fact("unit")).rpartition(" ")[2].removesuffix("-1")
    if _amount_of(item) is None or len(span[0]) != len("2017-01-01"):
        return False
    return _DAYS[period][0] <= (date.fromisoformat(span[1]) - date.fromisoformat(span[0])).days + 1 <= _DAYS[period][1]


def is_month_of_model(item: Artifact) -> bool:
    """Whether it is a depth of a month in metres of a weather model, of which nobody says its unit or scale."""
    span, said = item.known("span"), (item.known("unit"), item.known("scale"))
    by_user = any(one is not None and one.origin >= Origin.USER for one in said)
    return span is not None and span.source == _OF_EACH_MONTH and not by_user and _may_be_of_a_day(item)


def _may_be_of_a_day(item: Artifact) -> bool:
    """Whether it is a depth of water of one month in metres, which may be that of a day in the mean of it."""
    kind, span, unit = quantity_kinds().get(str(item.fact("quantity"))), item.fact("span"), item.fact("unit")
    depth = kind is not None and kind.accumulates and kind.unit == "mm" and unit in ("m", "m day-1")
    return depth and span is not None and len(str(span[0])) == len("2017-01-01") and _is_a_month(_days_of(span))


def _days_of(span: tuple[str, str]) -> int:
    return (date.fromisoformat(span[1]) - date.fromisoformat(span[0])).days + 1


def _is_a_month(days: int) -> bool:
    return _DAYS["month"][0] <= days <= _DAYS["month"][1]


def of_whole_month(item: Artifact, look: Look) -> Artifact:
    """Rain of a month in metres, as weather models have it, as that of all its days, where its product tells it for one
    or it is as small as in the mean of them, in which monthly means are kept: *assumed*, and told."""
    stored = "scale" in item.facts and not is_month_of_model(item)
    if stored or not look.varies or not look.physical or not _may_be_of_a_day(item):
        return item
    scale, offset = float(item.fact("scale") or 1.0), float(item.fact("offset") or 0.0)
    of_a_day = look.high < (_OF_ONE_DAY if item.fact("unit") == "m" else _MOST_OF_A_DAY)
    if item.fact("unit") == "m" and not of_a_day:
        return item
    days = _days_of(item.fact("span"))
    why = f"values up to {look.high:g}; monthly means of weather models are of a day"
    facts = item.facts.without(("unit",)).put("unit", "m", Origin.ASSUMED, why)
    if not of_a_day:
        return item.with_facts(facts)
    why = f"{why}, of {days}"
    facts = facts.put("scale", scale * days, Origin.ASSUMED, why)
    return item.with_facts(facts.put("offset", offset * days, Origin.ASSUMED, why) if offset else facts)


def _are_of_months(days: set[date]) -> bool:
    """Whether they are the first days of several months that follow each other: two days a month apart are days."""
    return len(days) >= _SEVERAL and all(day.day == 1 for day in days) and are_each(days, "month")


def are_each(days: set[date], period: str) -> bool:
    """Whether days follow each other by a period: day, month or year; gaps are gaps."""
    least, most = _DAYS[period]
    steps = [(after - before).days for before, after in pairwise(sorted(days))]
    return bool(steps) and min(steps) >= least and any(step <= most for step in steps)


def _of_its_period(item: Artifact) -> Artifact:
    unit, amount = item.facts.get("unit"), _amount_of(item)
    assert unit is not None
    source = f"{unit.source}, of data of one {str(unit.value).rpartition(' ')[2].removesuffix('-1')} each"
    return item.with_facts(item.facts.without(("unit",)).put("unit", amount, unit.origin, source))
