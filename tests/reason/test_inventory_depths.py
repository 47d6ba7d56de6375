"""Layers of the soil by the depths that names of files tell."""

from __future__ import annotations

from pathlib import Path

import pytest
from rasters import write_raster

from knowflow.reason.data_words import data_words
from knowflow.reason.inventory import take_inventory


@pytest.mark.parametrize(
    ("name", "quantity", "depth"),
    [
        ("clay_0-5cm_mean", "clay_content", "0-5 cm"),
        ("soc_5_15cm", "soil_organic_carbon", "5-15 cm"),
        ("clay_mean", "clay_content", None),
    ],
)
def test_names_of_files_tell_depths_of_the_soil(tmp_path: Path, name: str, quantity: str, depth: str | None) -> None:
    write_raster(tmp_path / f"{name}.tif", tags={"QUANTITY": quantity})
    found = take_inventory(tmp_path).as_called()
    assert found.rasters[0].fact("height") == depth
    said = {name for one in data_words(found).chosen if one.fact == "height" for name in one.names}
    assert ("0-5 cm" in said, "topsoil" in said) == ((depth == "0-5 cm",) * 2)


@pytest.mark.parametrize(
    ("name", "height"), [("wind100m_mean", "100 m"), ("wind_speed_50m", "50 m"), ("wind_10m", None), ("wind", None)]
)
def test_names_of_files_tell_heights_of_the_wind(tmp_path: Path, name: str, height: str | None) -> None:
    write_raster(tmp_path / f"{name}.tif", tags={"QUANTITY": "wind_speed"})  # of pixels of 10 m, which a name may tell
    found = take_inventory(tmp_path).as_called()
    assert found.rasters[0].fact("height") == height
    said = {name for one in data_words(found).chosen if one.fact == "height" for name in one.names}
    assert ("100 m above ground" in said) == (height == "100 m")
