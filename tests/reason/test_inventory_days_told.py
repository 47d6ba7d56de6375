"""Layers of days: of a year, behind digits of their year, and since a satellite was launched; dates with marks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio
from hypothesis import given
from hypothesis import strategies as st
from rasters import write_raster

from knowflow.reason.inventory import read_file
from knowflow.reason.inventory.names import name_facts


def filled(path: Path, low: int, high: int) -> Path:
    write_raster(path, shape=(40, 40), dtype="uint16")
    with rasterio.open(path, "r+") as file:
        file.write(np.linspace(low, high, file.width * file.height).reshape(file.shape).astype("uint16"), 1)
    return path


@pytest.mark.parametrize("name", ["VPP_2019_S2_T33UVR-010m_V101_s1_{}", "Saison {} 2019", "{}_2019_clip"])
@pytest.mark.parametrize("layer", ["SOSD", "EOSD", "MAXD"])
def test_seasons_are_told_in_days_of_a_year_unless_these_stand_behind_its_digits(
    tmp_path: Path, name: str, layer: str
) -> None:
    path = tmp_path / f"{name.format(layer)}.tif"
    assert read_file(filled(path, 60, 330)).fact("quantity") == "day_of_year"
    assert read_file(filled(path, 19060, 19330)).fact("quantity") is None


@given(st.integers(1993, 2024), st.integers(1, 12), st.integers(1, 28), st.sampled_from(("_", "-", "")))
def test_a_date_whose_parts_are_marked_is_of_a_month_or_a_day(year: int, month: int, day: int, between: str) -> None:
    told = name_facts(f"sla_y{year}{between}m{month:02}.tif").facts
    assert told.value("datetime") == f"{year}-{month:02}-01"
    assert str(told.value("span")[0]) == f"{year}-{month:02}-01"
    told = name_facts(f"sla_y{year}{between}m{month:02}{between}d{day:02}.tif").facts
    assert told.value("datetime") == f"{year}-{month:02}-{day:02}"


@pytest.mark.parametrize(("suite", "when"), [("SST", "day"), ("NSST", "night"), ("SST4", "night"), ("CHL", None)])
def test_temperatures_of_the_sea_are_of_the_day_or_night_that_their_suite_is_of(suite: str, when: str | None) -> None:
    for ship in ("AQUA_MODIS", "SNPP_VIIRS"):
        name = f"{ship}.20210301_20210331.L3m.MO.{suite}.{suite.lower().removeprefix('n')}.9km.nc"
        assert name_facts(name).facts.value("daynight") == when


@pytest.mark.parametrize("tile", ["N05W060", "S12E027"])
def test_a_tile_of_radar_tells_when_it_was_seen_in_days(tile: str) -> None:
    told = name_facts(f"{tile}_17_date_F02DAR.tif", "uint16").facts
    assert (told.value("quantity"), told.value("unit"), told.value("region")) == ("duration", "day", tile)
