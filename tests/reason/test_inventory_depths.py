"""Layers of the soil by the depths that names of files tell."""

from __future__ import annotations

from pathlib import Path

import pytest
from rasters import write_raster

from knowflow.question.normal import equal
from knowflow.question.reading.reader import read
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


def test_a_number_that_tells_winds_apart_is_no_size_of_pixels(tmp_path: Path) -> None:
    for name in ("wind_010m", "wind_100m"):  # of pixels of 10 m
        write_raster(tmp_path / f"{name}.tif", tags={"QUANTITY": "wind_speed"})
    found = take_inventory(tmp_path).as_called()
    assert {one.fact("height") for one in found.rasters} == {"10 m", "100 m"}


def test_a_depth_holds_for_what_has_it_and_may_be_told_twice(tmp_path: Path) -> None:
    for name, quantity in (("clay_0-5cm", "clay_content"), ("clay_5-15cm", "clay_content"), ("slope", "slope")):
        write_raster(tmp_path / f"{name}.tif", tags={"QUANTITY": quantity})
    words = data_words(take_inventory(tmp_path).as_called())
    for said, other in (
        ("Mean topsoil (0-5 cm) clay content", "Mean clay content at 0-5 cm"),
        ("Mean clay content at 5 to 15 cm depth", "Mean clay content at 5-15 cm"),
        (
            "What area has a clay content above 30 % at 0-5 cm and a slope below 5 degrees?",
            "What area has a slope below 5 degrees and a clay content at 0-5 cm above 30 %?",
        ),
    ):
        one, wanted = read(said, words).expression, read(other, words).expression
        assert wanted is not None, other
        assert one is not None, said
        assert equal(one, wanted)
