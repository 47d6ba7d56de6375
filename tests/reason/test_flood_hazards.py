"""Depths of floods in folders of hazards, and the return period of the only one of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from rasters import write_raster

from knowflow.question.operators import Quantity, walk
from knowflow.question.reading.reader import read
from knowflow.reason.data_words import data_words
from knowflow.reason.inventory import take_inventory


@pytest.mark.parametrize("folder", ["hazard", "hazards", "risk", "exposure", "amenaza", "gefahr", "data", "."])
@pytest.mark.parametrize(
    ("name", "quantity"),
    [
        ("flood_depth_RP100_m", "flood_depth"),
        ("elevation_m", "elevation"),
        ("wind_speed_rp50", "wind_speed"),
    ],
)
def test_what_a_folder_is_gathered_for_makes_nothing_else_of_what_is_measured(
    tmp_path: Path, folder: str, name: str, quantity: str
) -> None:
    (tmp_path / folder).mkdir(exist_ok=True)
    write_raster(tmp_path / folder / f"{name}.tif")
    (item,) = take_inventory(tmp_path).rasters
    assert item.fact("quantity") == quantity


@pytest.mark.parametrize("name", ["flood", "landslide", "fire", "drought"])
def test_what_happens_is_a_hazard_in_such_a_folder(tmp_path: Path, name: str) -> None:
    (tmp_path / "risk").mkdir()
    write_raster(tmp_path / "risk" / f"{name}.tif")
    (item,) = take_inventory(tmp_path).rasters
    assert item.fact("quantity") is None


@pytest.mark.parametrize("name", ["flood_depth_RP100_m", "flood_depth_T100", "flood_depth_HQ100"])
def test_the_only_map_of_a_flood_is_asked_for_by_its_years_and_by_no_others(tmp_path: Path, name: str) -> None:
    write_raster(tmp_path / f"{name}.tif", tags={"QUANTITY": "flood_depth", "UNIT": "m"})
    data = data_words(take_inventory(tmp_path).as_called())
    found = read("How many km2 are deeper than 1 m in the 100-year flood?", data=data).expression
    assert found is not None
    of = [part for _, part in walk(found) if isinstance(part, Quantity)]
    assert [part.kind for part in of] == ["flood_depth"]
    assert [fact for fact, _ in of[0].having] == ["variant"]
    assert read("How many km2 are deeper than 1 m in the 20-year flood?", data=data).expression is None
