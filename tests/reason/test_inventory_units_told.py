"""Units that the length of time of a name, or the numbers, tell: of water that evaporates, and of columns of ozone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio
from rasters import write_raster

from knowflow.reason.inventory import read_file
from knowflow.reason.inventory.names import name_facts, told_beside

DAY, AMOUNT = "mm day-1", "mm"


@pytest.mark.parametrize("layer", ["transpiration", "evaporation_sol", "interception", "AETI", "RET"])
@pytest.mark.parametrize(
    ("date", "unit"),
    [
        *(("2021-07-D2", DAY), ("juil_2021_dec2", DAY), ("2021_07_dek3", DAY), ("2021-07-14", DAY)),
        *(("2021-07", AMOUNT), ("July2021", AMOUNT), ("2021", AMOUNT), ("", None)),
    ],
)
def test_water_productivity_is_of_a_day_in_dekads_and_a_sum_of_longer_times(
    layer: str, date: str, unit: str | None
) -> None:
    beside = told_beside(["AETI_2021_06_D1", "AETI_2021-06", "AETI_2020", "AETI", f"AETI_{date}"])
    name = f"{layer}_{date}".rstrip("_")
    assert name_facts(f"wapor_{name}.tif", "int16").facts.value("unit") == unit
    assert name_facts(f"{name}.tif", "int16", near=lambda: beside).facts.value("unit") == unit


def filled(path: Path, low: float, high: float) -> Path:
    write_raster(path, shape=(40, 40))
    with rasterio.open(path, "r+") as file:
        file.write(np.linspace(low, high, file.width * file.height).reshape(file.shape).astype(file.dtypes[0]), 1)
    return path


@pytest.mark.parametrize(
    ("low", "high", "unit"),
    [(215, 390, "DU"), (250, 480, "DU"), (0.09, 0.17, "mol m-2"), (90, 165, "mmol m-2"), (190, 235, None)],
)
@pytest.mark.parametrize("name", ["total_ozone_2019-06", "ozono_total_2019-06", "gesamtozon_2019-06"])
def test_columns_of_ozone_are_in_the_unit_that_their_numbers_can_have(
    tmp_path: Path, name: str, low: float, high: float, unit: str | None
) -> None:
    assert read_file(filled(tmp_path / f"{name}.tif", low, high)).fact("unit") == unit
