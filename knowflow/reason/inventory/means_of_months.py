"""Means of months of what falls in a day: amounts of ERA5, whose monthly means tell metres for metres a day."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterable
from datetime import date
from itertools import groupby, pairwise

from knowflow.ground.quantities import quantity_kinds
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Origin
from knowflow.reason.inventory.amounts_of_rates import PER_DAY, over_its_month

_PRODUCT = "ERA5"  # in the source of what its names say
_AMOUNTS = ("m", "J m-2")  # as they come; who has converted them may have added them up
_MONTH = range(28, 32)  # days
_WHY = "in monthly means of ERA5 amounts are those of a day"


def with_means_of_months(artifacts: Iterable[Artifact]) -> tuple[Artifact, ...]:
    """The artifacts, amounts of ERA5 that are means, one of each month after the other, as so much a day: as its guide
    says (https://confluence.ecmwf.int/display/CKB/ERA5%3A+data+documentation, monthly means), and no header does."""
    listed = list(artifacts)
    amounts = sorted((one for one in listed if _is_mean_amount(one)), key=lambda one: (_kind(one), _day(one)))
    changed: dict[int, Artifact] = {}
    for _, group in groupby(amounts, key=_kind):
        layers = list(group)
        days = sorted({_day(one) for one in layers})
        if len(days) > 1 and all((after - before).days in _MONTH for before, after in pairwise(days)):
            changed |= {id(one): _of_a_day(one) for one in layers}
    return tuple(changed.get(id(one), one) for one in listed)


def in_months(artifacts: Iterable[Artifact]) -> tuple[Artifact, ...]:
    """The artifacts, these as what fell in each month, which adds up."""
    return tuple(
        over_its_month(one, _day(one)) if (unit := one.known("unit")) is not None and unit.source == _WHY else one
        for one in artifacts
    )


def _is_mean_amount(item: Artifact) -> bool:
    quantity, unit = item.known("quantity"), item.known("unit")
    if item.type != "raster" or quantity is None or unit is None or unit.origin >= Origin.USER:
        return False
    kind = quantity_kinds().get(str(quantity.value))
    of_product = _PRODUCT in quantity.source and kind is not None and kind.accumulates
    return of_product and unit.value in _AMOUNTS and item.fact("statistic") == "mean" and bool(item.fact("datetime"))


def _kind(item: Artifact) -> str:
    return str(item.fact("quantity"))


def _day(item: Artifact) -> date:
    return date.fromisoformat(str(item.fact("datetime"))[:10])


def _of_a_day(item: Artifact) -> Artifact:
    day = _day(item)
    span = (f"{day:%Y-%m}-01", f"{day:%Y-%m}-{monthrange(day.year, day.month)[1]}")
    facts = item.facts.put("unit", f"{item.fact('unit')}{PER_DAY}", Origin.ASSUMED, _WHY)
    return item.with_facts(facts if "span" in facts else facts.put("span", span, Origin.DECLARED, _WHY))
