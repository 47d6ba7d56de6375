"""What adds up and is told per period: the amount of the period, where there is one of each."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from knowflow.model.artifact import Artifact
from knowflow.model.facts import Facts, Origin
from knowflow.reason.inventory.amounts import as_amounts, of_whole_month
from knowflow.reason.inventory.glance import Look

_MONTHS = tuple(f"2020-{month:02}-01" for month in range(1, 13))


def _units(kind: str, unit: str, days: tuple[str, ...]) -> set[object]:
    facts = (Facts.of(Origin.DECLARED, "tag", quantity=kind, unit=unit, datetime=day) for day in days)
    made = as_amounts(Artifact("raster", own) for own in facts)
    return {item.fact("unit") for item in made}


@pytest.mark.parametrize(
    ("kind", "unit", "days", "told"),
    [
        ("precipitation", "mm month-1", _MONTHS, "mm"),
        ("precipitation", "mm month-1", (*_MONTHS[:3], *_MONTHS[5:]), "mm"),  # with a gap
        ("precipitation", "mm year-1", ("2019-01-01", "2020-01-01"), "mm"),
        ("precipitation", "mm day-1", tuple(str(date(2020, 2, 27) + timedelta(n)) for n in range(5)), "mm"),
        ("precipitation", "mm day-1", _MONTHS, "mm day-1"),
        ("precipitation", "mm month-1", ("2019-01-01", "2020-01-01"), "mm month-1"),
        ("precipitation", "mm month-1", _MONTHS[:1], "mm month-1"),
        ("air_temperature", "K month-1", _MONTHS, "K month-1"),
    ],
)
def test_it_is_the_amount_of_its_period_where_that_is_the_step(
    kind: str, unit: str, days: tuple[str, ...], told: str
) -> None:
    assert _units(kind, unit, days) == {told}


@pytest.mark.parametrize("packed", [{}, {"scale": 2e-7, "offset": 0.003}])
@pytest.mark.parametrize(("high", "days"), [(0.008, 31.0), (0.19, None)])
def test_metres_of_a_month_as_few_as_those_of_a_day_are_so_much_a_day(
    packed: dict[str, float], high: float, days: float | None
) -> None:
    facts = Facts.of(Origin.DECLARED, "tag", quantity="precipitation", unit="m", datetime="2020-01-01", **packed)
    item = Artifact("raster", facts.put("span", ("2020-01-01", "2020-01-31"), Origin.ASSUMED, "one of each month"))
    found = of_whole_month(item, Look(0.0, high / 2, high, whole=False, physical=True))
    if days is None:  # as much as a month has
        assert found is item
        return
    assert found.fact("scale") == pytest.approx(days * packed.get("scale", 1.0))
    assert (found.fact("offset") or 0.0) == pytest.approx(days * packed.get("offset", 0.0))
    assert found.facts["scale"].origin is Origin.ASSUMED


def test_a_scale_that_a_user_says_stays() -> None:
    facts = Facts.of(Origin.DECLARED, "tag", quantity="precipitation", unit="m", datetime="2020-01-01")
    facts = facts.put("span", ("2020-01-01", "2020-01-31"), Origin.ASSUMED, "one of each month")
    item = Artifact("raster", facts.put("scale", 2.0, Origin.USER, "said"))
    assert of_whole_month(item, Look(0.0, 0.004, 0.008, whole=False, physical=True)) is item
