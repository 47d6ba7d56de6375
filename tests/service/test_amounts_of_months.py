"""What evaporated in a month, of maps in millimetres: told as it is, or as so much a month or a day."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio

from knowflow import KnowFlow


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Evapotranspiration of June and July 2021, in mm of each month."""
    data = tmp_path_factory.mktemp("wapor")
    grid = {"crs": "EPSG:32637", "transform": rasterio.Affine(100, 0, 5e5, 0, -100, 3.5e6), "width": 2, "height": 1}
    for month, amounts in ((6, [60, 90]), (7, [31, 93])):
        place = data / f"WAPOR-3.L1-AETI-M.2021-{month:02}.tif"
        with rasterio.open(place, "w", driver="GTiff", count=1, dtype="float32", **grid) as dataset:
            dataset.write(np.array([[amounts]], "float32"))
    return data


@pytest.mark.parametrize(
    ("question", "value", "unit"),
    [
        ("What was the mean actual evapotranspiration of June 2021?", 75, "mm"),
        ("What was the mean actual evapotranspiration of June 2021, in mm per month?", 75, "mm month-1"),
        ("What was the mean actual evapotranspiration of July 2021, in mm per day?", 2, "mm day-1"),
        ("What was the highest evapotranspiration in July 2021, in mm per month?", 93, "mm month-1"),
    ],
)
def test_amounts_of_a_month_are_told_as_asked(
    folder: Path, tmp_path: Path, question: str, value: float, unit: str
) -> None:
    run = KnowFlow(tmp_path / "home").run(question, folder, out=tmp_path / "out")
    assert (run.answer, run.unit) == (pytest.approx(value, rel=1e-3), unit)
