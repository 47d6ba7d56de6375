"""Bands of one file are layers under the names and dates that the user tells."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rasters import write_raster

from knowflow.model.facts import Origin
from knowflow.reason.inventory import AssumptionError, parse_assumptions, read_dates, take_inventory
from knowflow.reason.inventory.told_bands import stepped

COLOURS = ("blue", "green", "red", "nir")


@given(names=st.permutations(COLOURS))
def test_bands_have_the_names_told_in_their_order(names: list[str], tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("bands")
    write_raster(folder / "scene.tif", count=4, dtype="uint16")
    said = f"scene:bands=[{','.join(names)}],quantity=surface_bidirectional_reflectance,scale=0.0001"
    (scene,) = take_inventory(folder, assume=[said]).scenes()
    assert {name: member.band for name, member in scene.members.items()} == {
        name: number for number, name in enumerate(names, start=1)
    }
    assert scene.known("scale") is not None
    assert {member.known("bands").origin for member in scene.members.values()} == {Origin.USER}  # type: ignore[union-attr]


def test_names_of_a_sensor_mean_what_they_mean_there(tmp_path: Path) -> None:
    write_raster(tmp_path / "scene.tif", count=3)
    found = take_inventory(tmp_path, assume=["*:bands=[B4,B8,B8A],sensor=S2"]).artifacts
    assert [item.fact("bands") for item in found] == [("red",), ("nir",), ("nir08",)]


def test_bands_can_be_variables(tmp_path: Path) -> None:
    write_raster(tmp_path / "site.tif", count=3)
    found = take_inventory(tmp_path, assume=["site:bands=[NDVI,LST,weather]"]).artifacts
    assert [item.fact("quantity") for item in found] == ["ndvi", "surface_temperature", None]


@pytest.mark.parametrize("dates", ["[2018-01-15,2018-02-15,2018-03-15]", "2018-01-15/P1M"])
def test_dated_bands_of_a_quantity_are_a_series(tmp_path: Path, dates: str) -> None:
    write_raster(tmp_path / "stack.tif", count=3)
    found = take_inventory(tmp_path, assume=[f"stack:dates={dates},quantity=ndvi"])
    (series,) = found.series("ndvi")
    assert [(item.band, item.fact("datetime")) for item in series.items] == [
        (1, "2018-01-15"),
        (2, "2018-02-15"),
        (3, "2018-03-15"),
    ]
    assert found.disagreements == ()


def test_told_dates_go_before_the_date_in_the_name(tmp_path: Path) -> None:
    write_raster(tmp_path / "ndvi_2017.tif", count=2)
    found = take_inventory(tmp_path, assume=["*:dates=2018-01-01/P1Y"])
    assert [item.fact("datetime") for item in found.artifacts] == ["2018-01-01", "2019-01-01"]
    assert found.disagreements == ()


def test_a_stack_given_to_a_tool_is_its_dates(tmp_path: Path) -> None:
    path = write_raster(tmp_path / "stack.tif", count=3)
    said = parse_assumptions(["stack:dates=2018-01-01/P16D"])
    assert [item.fact("datetime") for item in read_dates(path, said)] == ["2018-01-01", "2018-01-17", "2018-02-02"]
    assert [item.band for item in read_dates(path)] == [None]


@given(
    st.dates(min_value=np.datetime64("1980-01-01").item(), max_value=np.datetime64("2050-12-31").item()),
    st.integers(1, 24),
    st.integers(1, 40),
)
def test_steps_of_months_are_those_of_the_calendar(start: object, months: int, count: int) -> None:
    found = stepped(f"{start}/P{months}M")
    assert found is not None
    first = np.datetime64(str(start), "D")
    month, day = first.astype("M8[M]"), int((first - first.astype("M8[M]")).astype(int))
    begins = month + months * np.arange(count)
    lengths = ((begins + 1).astype("M8[D]") - begins.astype("M8[D]")).astype(int)
    expected = begins.astype("M8[D]") + np.minimum(day, lengths - 1)
    assert list(found.dates(count)) == [str(one) for one in expected]


@pytest.mark.parametrize("value", ["2018-01-01", "2018-01-01/P0D", "[2018-01-01,soon]", "2018-01-01/monthly", "[]"])
def test_what_are_no_dates_of_bands_is_a_named_error(value: str) -> None:
    with pytest.raises(AssumptionError, match="dates="):
        parse_assumptions([f"stack:dates={value}"])


def test_a_list_for_another_number_of_bands_changes_nothing_and_is_told(tmp_path: Path) -> None:
    write_raster(tmp_path / "scene.tif", count=4)
    found = take_inventory(tmp_path, assume=["scene:bands=[blue,green,red]"])
    assert [item.band for item in found.artifacts] == [None]
    assert any("have 4 bands" in note for note in found.disagreements)


def test_names_said_of_all_files_are_for_those_that_do_not_name_their_bands(tmp_path: Path) -> None:
    write_raster(tmp_path / "known.tif", count=2, descriptions=("red", "nir"))
    write_raster(tmp_path / "nameless.tif", count=2)
    write_raster(tmp_path / "single.tif")
    found = {item.name: item.fact("bands") for item in take_inventory(tmp_path, assume=["bands=[vv,vh]"]).artifacts}
    assert found == {
        "known:red": ("red",),
        "known:nir": ("nir",),
        "nameless:vv": ("vv",),
        "nameless:vh": ("vh",),
        "single": None,
    }


def test_a_nameless_stack_whose_quantity_is_said_is_not_chosen_from_and_the_line_to_say_is_told(tmp_path: Path) -> None:
    write_raster(tmp_path / "stack.tif", count=3)
    found = take_inventory(tmp_path, assume=["quantity=ndvi"])
    assert found.unidentified == found.rasters
    assert any("--assume 'stack:dates=[...]'" in note for note in found.disagreements)
