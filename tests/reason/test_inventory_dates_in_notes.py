"""Dates that notes tell of files whose names have none: of those that they name, and of no others."""

from __future__ import annotations

from calendar import month_name
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rasters import write_raster

from knowflow.reason.inventory import take_inventory
from knowflow.reason.inventory.dates_in_notes import _times


def _date(folder: Path, name: str) -> str | None:
    found = {Path(str(item.path)).name: item for item in take_inventory(folder).rasters}
    told = found[name].fact("datetime")
    return None if told is None else str(told)


def test_a_model_is_dated_by_the_sentence_that_names_it(tmp_path: Path) -> None:
    write_raster(tmp_path / "srtm_peaks.tif")
    write_raster(tmp_path / "Copernicus_peaks_DEM.tif")
    (tmp_path / "readme.txt").write_text(
        "SRTM: heights of February 2000. Copernicus DEM: here from TanDEM-X of 12 March 2013.\nDownloaded in May 2024."
    )
    assert _date(tmp_path, "srtm_peaks.tif") == "2000-02-01"
    assert _date(tmp_path, "Copernicus_peaks_DEM.tif") == "2013-03-12"


@pytest.mark.parametrize(
    "note",
    [
        "Both models of 2013, in metres.",
        "Copernicus DEM, downloaded 12 May 2023.",
        "Copernicus and SRTM of February 2000.",
        "Copernicus: February 2011 to March 2013, then of May 2015.",
        "Copernicus: grid of 2000 m",
        "Copernicus DEM\nof 2013",
        "Copernicus: median of 1 April 1991-2020.",
        "Copernicus: mean of July 1981 to 2010",
    ],
)
def test_what_is_not_told_of_one_file_alone_dates_none(tmp_path: Path, note: str) -> None:
    write_raster(tmp_path / "srtm_peaks.tif")
    write_raster(tmp_path / "Copernicus_peaks_DEM.tif")
    (tmp_path / "readme.txt").write_text(note)
    assert _date(tmp_path, "Copernicus_peaks_DEM.tif") is None
    assert _date(tmp_path, "srtm_peaks.tif") is None


def test_a_date_of_its_own_name_stays(tmp_path: Path) -> None:
    write_raster(tmp_path / "lidar_dem_2019.tif")
    (tmp_path / "readme.txt").write_text("Lidar: flown in May 2018")
    assert str(_date(tmp_path, "lidar_dem_2019.tif")).startswith("2019")


@settings(max_examples=60)
@given(year=st.integers(1985, 2024), month=st.integers(1, 12), day=st.integers(1, 28))
def test_a_day_is_read_in_any_way_that_it_is_written(year: int, month: int, day: int) -> None:
    name = month_name[month]
    forms = (f"{day} {name} {year}", f"{name} {day}, {year}", f"{year}-{month:02}-{day:02}")
    for said in forms:
        assert {str(one) for one in _times(f"the model was flown on {said}")} == {f"{year}-{month:02}-{day:02}"}
