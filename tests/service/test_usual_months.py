"""A month is wetter or drier than usual by the same month of the other years, and not by its season."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from reason.test_inventory_called import write

from knowflow.reason.compiling.keys import grain_of_departures
from knowflow.roof.library import KnowFlow

_ROWS = np.mgrid[0:40, 0:40][0]
_YEARS = {2016: 1.0, 2017: 0.7, 2018: 1.3, 2019: 1.1, 2020: 0.9}
_MONTHS = {9: 10.0, 10: 80.0, 11: 240.0, 12: 110.0}


def _rain(year: int, month: int) -> Any:
    return (_MONTHS[month] * _YEARS[year] + 0.1 * _ROWS * (year - 2018)).astype(np.float32)


def _departure(year: int, months: tuple[int, ...]) -> Any:
    others = [sum(_rain(one, month) for month in months) for one in _YEARS if one != year]
    return sum(_rain(year, month) for month in months) - np.mean(others, axis=0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("months")
    for year in _YEARS:
        for month in _MONTHS:
            write(found / f"rain_{year}_{month:02}.tif", _rain(year, month), "mm")
    return found


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How much drier than normal was November 2017?", -_departure(2017, (11,)).mean()),
        ("How much wetter than the long-term average was OND 2018?", _departure(2018, (10, 11, 12)).mean()),
        ("What share of the area was drier than normal in November 2017?", 1.0),
        ("Was October 2018 wetter than usual?", "yes"),
        ("Average OND rainfall 2016-2018", 424.15),
    ],
)
def test_what_is_usual_is_the_same_month(folder: Path, tmp_path: Path, question: str, expected: Any) -> None:
    found = KnowFlow(tmp_path / "home").run(question, folder, out=tmp_path / "out")
    assert found.status == "completed", found.error
    assert found.answer == (expected if isinstance(expected, str) else pytest.approx(expected, rel=1e-4))


def test_dates_of_few_months_are_held_against_their_season() -> None:
    summers = [f"{year}-0{month}-15" for year in range(2015, 2020) for month in (7, 8)]
    months = [f"{year}-{month:02}-01" for year in range(2015, 2020) for month in range(1, 13)]
    assert grain_of_departures(summers, "date") == "date"
    assert grain_of_departures(months, "date") != "date"
    assert grain_of_departures(["2015", "2016"], "year") == "year"
