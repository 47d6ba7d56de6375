"""A glance at the pixels tells the unit of a temperature, and leaves out what a layer cannot be."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio
from hypothesis import given, settings
from hypothesis import strategies as st
from rasters import write_raster

from knowflow.model.facts import Origin
from knowflow.reason.inventory import read_file, take_inventory
from knowflow.reason.inventory.glance import glance


def filled(path: Path, low: float, high: float, **described: object) -> Path:
    write_raster(path, shape=(40, 40), **described)  # type: ignore[arg-type]
    with rasterio.open(path, "r+") as file:
        numbers = np.linspace(low, high, file.width * file.height).reshape(file.shape)
        for band in range(1, file.count + 1):
            file.write(numbers.astype(file.dtypes[0]), band)
    return path


@settings(max_examples=25)
@given(
    low=st.floats(-60, 30), span=st.floats(1, 25), quantity=st.sampled_from(["surface_temperature", "air_temperature"])
)
def test_the_unit_of_a_temperature_is_the_one_that_its_values_can_have(
    low: float, span: float, quantity: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("temperatures")
    filled(folder / "celsius.tif", low, low + span, tags={"QUANTITY": quantity})
    filled(folder / "kelvin.tif", low + 273.15, low + span + 273.15, tags={"QUANTITY": quantity})
    found = {item.name: item.known("unit") for item in take_inventory(folder).artifacts}
    assert {name: fact and (fact.value, fact.origin) for name, fact in found.items()} == {
        "celsius": ("degC", Origin.ASSUMED),
        "kelvin": ("K", Origin.ASSUMED),
    }


def test_what_is_usual_gives_way_to_what_the_values_can_be(tmp_path: Path) -> None:
    path = filled(tmp_path / "LST_2020-07-01.tif", 12, 38)
    assert read_file(path).fact("unit") == "degC"
    assert read_file(filled(tmp_path / "LST_2020-07-02.tif", 285, 311)).fact("unit") == "K"


@pytest.mark.parametrize(("low", "high"), [(0, 300), (0, 0), (-9999, 20), (5000, 9000)])
def test_values_that_neither_unit_explains_tell_none(tmp_path: Path, low: float, high: float) -> None:
    filled(tmp_path / "a.tif", low, high, tags={"QUANTITY": "air_temperature"})
    assert take_inventory(tmp_path).artifacts[0].fact("unit") is None


def test_a_unit_that_is_said_stays(tmp_path: Path) -> None:
    filled(tmp_path / "a.tif", 12, 38, tags={"QUANTITY": "air_temperature", "UNIT": "K"})
    assert take_inventory(tmp_path).artifacts[0].fact("unit") == "K"
    assert take_inventory(tmp_path, assume=["*:unit=degF"]).artifacts[0].fact("unit") == "degF"


@pytest.mark.parametrize(
    ("low", "high", "left"), [(-22, -3, {"sigma0_db", "gamma0_db"}), (0.001, 0.4, {"sigma0", "gamma0"})]
)
def test_candidates_that_the_values_exclude_are_left_out(
    tmp_path: Path, low: float, high: float, left: set[str]
) -> None:
    filled(tmp_path / "a.tif", low, high, descriptions=("VV",))
    found = {one.value for one in take_inventory(tmp_path).open[str(tmp_path / "a.tif"), None]}
    assert left <= found
    assert ("sigma0" in found) == ("sigma0" in left)


def test_a_glance_sees_the_far_corner_and_nothing_that_is_missing(tmp_path: Path) -> None:
    path = write_raster(tmp_path / "a.tif", shape=(300, 500), nodata=1.0)
    with rasterio.open(path, "r+") as file:
        file.write(np.full((20, 20), 7.0, np.float32), 1, window=rasterio.windows.Window(380, 230, 20, 20))
    (item,) = take_inventory(tmp_path).artifacts
    assert set(glance(item).tolist()) == {7.0}


def test_what_cannot_be_read_shows_nothing(tmp_path: Path) -> None:
    path = write_raster(tmp_path / "a.tif")
    (item,) = take_inventory(tmp_path).artifacts
    path.write_bytes(b"no longer a raster")
    assert glance(item).size == 0


def test_what_cannot_be_in_the_unit_of_a_layer_is_left_out_and_stops_nothing(tmp_path: Path) -> None:
    filled(tmp_path / "t2m_tp_20190701.tif", 280, 300, band_tags={"units": "K"})
    taken = take_inventory(tmp_path)
    said = {one.value for open in taken.open.values() for one in open if one.fact == "quantity"}
    assert "precipitation" not in said
