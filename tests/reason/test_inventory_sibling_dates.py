"""When a raster may be of whose file tells no date: candidates, and no fact."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rasters import write_raster

from knowflow.reason.inventory import take_inventory


def dates_open(folder: Path, name: str) -> tuple[object, list[object]]:
    found = take_inventory(folder)
    (item,) = (one for one in found.artifacts if one.name == name)
    open_ = found.open.get((str(item.path), item.band), ())
    return item.fact("datetime"), [one.value for one in open_ if one.fact == "datetime"]


@settings(max_examples=10)
@given(days=st.lists(st.dates(date(2000, 1, 1), date(2029, 12, 31)), min_size=1, max_size=4, unique=True))
def test_of_a_file_without_a_date_those_of_the_files_beside_it_are_shown(
    days: list[date], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("folder")
    for day in days:
        write_raster(folder / f"ndvi_{day:%Y%m%d}.tif")
    write_raster(folder / "severity_classes.tif")
    known, shown = dates_open(folder, "severity_classes")
    assert known is None
    assert sorted(map(str, shown)) == sorted(day.isoformat() for day in days)


def test_the_name_of_the_folder_tells_a_date_that_is_shown(tmp_path: Path) -> None:
    folder = tmp_path / "Evia_fire_Aug2021"
    folder.mkdir()
    write_raster(folder / "burned_area.tif")
    assert dates_open(folder, "burned_area") == (None, ["2021-08"])


def test_what_lasts_is_asked_for_no_date(tmp_path: Path) -> None:
    write_raster(tmp_path / "dem.tif", tags={"QUANTITY": "elevation", "UNIT": "m"})
    write_raster(tmp_path / "ndvi_20200101.tif")
    assert dates_open(tmp_path, "dem") == (None, [])


def test_the_day_of_a_header_goes_before_the_month_of_a_name(tmp_path: Path) -> None:
    write_raster(tmp_path / "ndbi_1995_jan.tif", tags={"DATE_ACQUIRED": "1995-01-21"})
    (item,) = take_inventory(tmp_path).artifacts
    assert (item.fact("datetime"), item.fact("span")) == ("1995-01-21", None)
