"""What plants and soil give off at a rate, as the amount of a time, too, where it is known how long the times are."""

from __future__ import annotations

from pathlib import Path

import pytest
from rasters import write_raster

from knowflow.question.normal import equal
from knowflow.question.operators import Expression, Over, Quantity, walk
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords
from knowflow.service.api import Service

RATE, AMOUNT = "evapotranspiration", "evapotranspiration_amount"
DATA = DataWords(frozenset((RATE, AMOUNT)), objects=("Mill", "North"), maps={RATE: 6, AMOUNT: 6})


def _kinds(x: Expression | None) -> set[str]:
    assert x is not None
    return {part.kind for _, part in walk(x) if isinstance(part, Quantity)}


@pytest.mark.parametrize(
    "asked",
    [
        "Total evapotranspiration in July 2023 (mm)",
        "Evapotranspiration in July 2023 in mm",
        "How much evapotranspiration was there in July 2023?",
        "How many mm evaporated in July 2023?",
    ],
)
def test_a_total_is_of_the_amounts(asked: str) -> None:
    found = read(asked, DATA).expression
    assert _kinds(found) == {AMOUNT}
    assert any(isinstance(part, Over) and (part.axes, part.statistic) == ("time", "sum") for _, part in walk(found))


@pytest.mark.parametrize(
    "asked", ["Mean evapotranspiration in July 2023", "Evapotranspiration in July 2023 in mm per day"]
)
def test_a_mean_is_of_the_rates(asked: str) -> None:
    assert _kinds(read(asked, DATA).expression) == {RATE}


def test_where_the_times_are_not_known_there_is_no_total() -> None:
    assert read("Total evapotranspiration in July 2023", DataWords(frozenset((RATE,)))).expression is None


@pytest.mark.parametrize("of", ["did Mill", "did the districts"])
def test_places_evaporate(of: str) -> None:
    one = read(f"How much {of} evaporate in July 2023?", DATA).expression
    assert _kinds(one) == {AMOUNT}


def test_which_evaporated_the_most_is_which_had_the_most() -> None:
    one, other = (
        read(asked, DATA).expression
        for asked in (
            "Which district evaporated the most in July 2023?",
            "Which district had the highest total evapotranspiration in July 2023?",
        )
    )
    assert one is not None
    assert other is not None
    assert equal(one, other)


@pytest.mark.parametrize(("unit", "wanted"), [("mm day-1", 31.0), ("mm month-1", 1.0)])
def test_the_amount_of_a_month_is_its_rate_times_its_days(tmp_path: Path, unit: str, wanted: float) -> None:
    for month in (6, 7, 8):
        write_raster(tmp_path / f"et_2023-{month:02d}.tif")
    assume = [f"{name}:{fact}" for name in ("et_*",) for fact in (f"quantity={RATE}", f"unit={unit}")]
    told = Service(tmp_path / "home").run(
        "Total evapotranspiration in July 2023 (mm)", tmp_path, assume=assume, out=tmp_path / "out"
    )
    assert told.answer == pytest.approx(wanted, rel=1e-6), told.error
