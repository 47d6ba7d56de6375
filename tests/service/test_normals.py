"""Questions about a year are not answered from a normal, nor held up by one that lies beside."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from reason.rasters import UTM
from reason.test_inventory_called import write

from knowflow.roof.library import KnowFlow

ROWS, COLUMNS = np.mgrid[0:40, 0:40]
RAIN = {year: (800 + 10 * (year - 2020) + ROWS + COLUMNS).astype(np.float32) for year in (2020, 2021, 2022)}
NORMAL = (1000 + 2.0 * ROWS).astype(np.float32)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rain")
    for year, values in RAIN.items():
        write(folder / f"rainfall_annual_{year}.tif", values, "mm")
    write(folder / "rainfall_annual_mean_1991-2020.tif", NORMAL, "mm")
    return folder


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What was the mean rainfall in 2022?", RAIN[2022].mean()),
        ("By how much did rainfall change from 2020 to 2022?", 20.0),
        ("Which year was the wettest?", "2022"),
    ],
)
def test_a_year_is_answered_from_its_own_file(data: Path, tmp_path: Path, question: str, expected: Any) -> None:
    found = KnowFlow(tmp_path / "home").run(question, data, out=tmp_path / "out")
    assert found.status == "completed", found.error
    assert found.answer == (expected if isinstance(expected, str) else pytest.approx(expected, rel=1e-5))


def test_amounts_of_parts_of_a_month_that_nothing_tells_apart_are_not_averaged(tmp_path: Path) -> None:
    bands = {"driver": "GTiff", "height": 40, "width": 40, "count": 2, "dtype": "float32", **UTM}
    with rasterio.open(tmp_path / "rain.tif", "w", **bands) as file:
        file.write(np.stack([NORMAL, 2 * NORMAL]))
        file.descriptions, file.units = ("2020-07-1", "2020-07-2"), ("mm", "mm")
        file.update_tags(QUANTITY="precipitation")
    found = KnowFlow(tmp_path / "home").run("What was the total rain in July 2020?", tmp_path, out=tmp_path / "out")
    assert found.status == "refused"
