"""Questions that their ground answers already, of months where all data are of years, and Julys of several years."""

from __future__ import annotations

from datetime import date

import pytest

from knowflow.question.operators import Beyond, During, Expression, Number, Or, Over, Quantity, Within, walk
from knowflow.question.reading.asked_anyway import holds_anyway, is_finer
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords

DNBR = Quantity("dnbr")
HIGH = Beyond(DNBR, "at_least", Number(0.66))
MIDDLE = Beyond(DNBR, "between", Number(0.44), Number(0.66))
BURNED = Beyond(DNBR, "at_least", Number(0.1))
YEARS = tuple(date(year, 1, 1) for year in range(2016, 2022))


def _share(held: Expression, ground: Expression) -> Expression:
    return Over(Within(held, ground), "space", "share")


@pytest.mark.parametrize("ground", [HIGH, Or((MIDDLE, HIGH)), Beyond(DNBR, "above", Number(0.1))])
def test_all_of_what_is_severe_is_burned(ground: Expression) -> None:
    assert holds_anyway(_share(BURNED, ground))


@pytest.mark.parametrize("ground", [Beyond(DNBR, "at_least", Number(0.05)), Beyond(DNBR, "below", Number(0.66))])
def test_what_is_wider_tells_nothing_of_it(ground: Expression) -> None:
    assert not holds_anyway(_share(BURNED, ground))


def test_of_other_units_and_quantities_nothing_is_said() -> None:
    rain = Beyond(Quantity("precipitation"), "above", Number(10.0, "mm"))
    assert not holds_anyway(_share(rain, Beyond(Quantity("precipitation"), "above", Number(20.0, "cm"))))
    assert not holds_anyway(_share(rain, HIGH))


@pytest.mark.parametrize("asked", ["Which month of 2020 had the worst PM2.5?", "Monthly mean PM2.5 of 2020"])
def test_of_maps_of_years_no_month_is_told(asked: str) -> None:
    kind = "pm25_concentration"
    assert read(asked, DataWords(frozenset((kind,)), dates=YEARS, maps={kind: 6})).expression is None
    monthly = tuple(date(2020, month, 1) for month in range(1, 13))
    found = read(asked, DataWords(frozenset((kind,)), dates=monthly, maps={kind: 12})).expression
    assert found is not None
    assert is_finer(found, YEARS)
    assert not is_finer(found, monthly)


@pytest.mark.parametrize("said", ["July of 2018-2023", "July 2018-2023"])
def test_a_month_of_several_years_is_of_each(said: str) -> None:
    dates = tuple(date(year, month, 1) for year in range(2018, 2024) for month in range(1, 13))
    kind = "air_temperature"
    found = read(
        f"Mean air temperature in {said}", DataWords(frozenset((kind,)), dates=dates, maps={kind: 72})
    ).expression
    assert found is not None
    assert {part.when.month for _, part in walk(found) if isinstance(part, During)} >= {7}
