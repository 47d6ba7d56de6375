"""Layers that are the months of no year, and layers that one numbered word of their names tells apart."""

from __future__ import annotations

from calendar import month_abbr, month_name
from pathlib import Path

import pytest
import rasterio
from rasters import write_raster

from knowflow.question.times import ANY_YEAR
from knowflow.reason.inventory import take_inventory


def _bands(path: Path, names: list[str]) -> None:
    write_raster(path, count=len(names))
    with rasterio.open(path, "r+") as dataset:
        dataset.descriptions = names


@pytest.mark.parametrize(
    "names",
    [[*month_abbr][1:], [f"GHI_{one}" for one in [*month_abbr][1:]], [f"{one} mean" for one in [*month_name][1:]]],
)
def test_twelve_bands_called_by_the_months_are_those_of_any_year(names: list[str], tmp_path: Path) -> None:
    _bands(tmp_path / "ghi_monthly.tif", names)
    found = take_inventory(tmp_path).as_called().rasters
    assert [one.fact("datetime") for one in found] == [f"{ANY_YEAR}-{month:02}-01" for month in range(1, 13)]
    assert [one.band for one in found] == [*range(1, 13)]


@pytest.mark.parametrize("names", [[*month_abbr][1:12], [f"layer {one}" for one in range(1, 13)], ["Jan"] * 12])
def test_other_bands_are_of_no_month(names: list[str], tmp_path: Path) -> None:
    _bands(tmp_path / "ghi.tif", names)
    assert {one.fact("datetime") for one in take_inventory(tmp_path).as_called().rasters} == {None}


def test_layers_that_a_numbered_word_tells_apart_are_of_one_kind(tmp_path: Path) -> None:
    for name in ("surge_level_T10", "surge_level_T100", "gravel_T10"):
        write_raster(tmp_path / f"{name}.tif")
    kinds = {one.name: one.fact("quantity") for one in take_inventory(tmp_path).as_called().rasters}
    assert kinds["surge_level_T10"] == kinds["surge_level_T100"] != kinds["gravel_T10"]
