"""Scales that nobody tells, by what numbers they would make."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import rasterio
from hypothesis import given
from hypothesis import strategies as st
from rasters import write_raster

from knowflow.ground.quantities import quantity_kinds
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Facts, Origin
from knowflow.reason.inventory import take_inventory
from knowflow.reason.inventory.glance import Look
from knowflow.reason.inventory.packings import may_be_stored, packing_of
from knowflow.reason.inventory.usual_scales import scales_of, with_offsets_of_sentinel2, with_usual_scale


def stored(low: float, high: float, **said: object) -> tuple[Artifact, Look]:
    facts = Facts.of(Origin.DECLARED, "", dtype="int16", unit="1", **said)
    return Artifact("raster", facts, "a", "a.tif"), Look(low, (low + high) / 2, high, whole=True, physical=False)


@given(low=st.integers(-2000, 3000), high=st.integers(3001, 10_000))
def test_whole_numbers_of_an_index_are_ten_thousandths_where_nothing_else_makes_one(low: int, high: int) -> None:
    item, look = stored(low, high, quantity="ndvi")
    found = with_usual_scale(item, look, quantity_kinds()["ndvi"]).known("scale")
    assert found is not None
    assert (found.value, found.origin) == (0.0001, Origin.ASSUMED)


@given(low=st.integers(0, 300), high=st.integers(301, 1000))
def test_where_several_scales_are_possible_they_are_candidates(low: int, high: int) -> None:
    item, look = stored(low, high, quantity="ndvi")
    kind = quantity_kinds()["ndvi"]
    candidates = [one.value for one in scales_of(item, look, kind)]
    assert "scale" not in with_usual_scale(item, look, kind).facts or candidates == [0.0001]
    assert all(-1.2 <= high * one <= 1.2 for one in candidates)


def test_a_scale_that_is_known_stays() -> None:
    item, look = stored(1000, 9000, quantity="ndvi", scale=0.00005)
    assert with_usual_scale(item, look, quantity_kinds()["ndvi"]) is item
    assert scales_of(item, look, quantity_kinds()["ndvi"]) == ()


def test_the_scales_of_a_temperature_are_shown() -> None:
    item, look = stored(2860, 2935, quantity="air_temperature")
    facts = item.facts.without(("unit",))
    found = scales_of(item.with_facts(facts), look, quantity_kinds()["air_temperature"])
    assert 0.1 in [one.value for one in found]


def scene(band: str, low: float, day: str = "2022-07-17") -> tuple[Artifact, Look]:
    said = {"sensor": "sentinel-2", "quantity": "surface_bidirectional_reflectance", "dtype": "uint16"}
    facts = Facts.of(Origin.DECLARED, "", bands=(band,), datetime=day, **said)
    return Artifact("raster", facts, band, f"{band}.tif"), Look(low, low + 500, low + 2000, whole=True, physical=False)


@pytest.mark.parametrize(
    ("blue", "day", "stored_as"),
    [
        (1300, "2022-07-17", (0.0001, -0.1)),
        (300, "2022-07-17", (0.0001, 0.0)),
        (950, "2022-07-17", (None, None)),  # either
        (2600, "2022-07-17", (None, None)),  # snow or clouds all over
        (1300, "2021-07-17", (None, None)),  # before there was an offset
    ],
)
def test_the_darkest_numbers_of_sentinel2_tell_its_offset(
    blue: float, day: str, stored_as: tuple[float | None, float | None]
) -> None:
    scenes = [scene("blue", blue, day), scene("nir", 2900, day)]
    for item in with_offsets_of_sentinel2([item for item, _ in scenes], [look for _, look in scenes]):
        assert (item.fact("scale"), item.fact("offset")) == stored_as


def test_bright_bands_alone_tell_no_offset() -> None:
    item, look = scene("nir", 1300)
    assert with_offsets_of_sentinel2([item], [look]) == [item]


def test_a_folder_of_renamed_images_is_read_with_scale_and_offset(tmp_path: Path) -> None:
    for band, low in (("B02", 1300), ("B04", 1400), ("B08", 3100)):
        path = tmp_path / f"S2_L2A_20220717_{band}_10m.tif"
        write_raster(path, shape=(40, 40), dtype="uint16")
        with rasterio.open(path, "r+") as file:
            file.write(np.linspace(low, low + 900, 1600).reshape(40, 40).astype("uint16"), 1)
    found = take_inventory(tmp_path)
    assert {(item.fact("scale"), item.fact("offset")) for item in found.artifacts} == {(0.0001, -0.1)}
    assert not [one for some in found.open.values() for one in some if one.fact in ("scale", "offset")]


@pytest.mark.parametrize(
    ("kind", "sensor", "low", "high", "stored_as"),
    [
        ("surface_temperature", "", 40_000, 50_000, (0.00341802, 149.0)),
        ("surface_temperature", "", 14_000, 16_000, (0.02, 0.0)),  # by hundredths 140 K, by those of Landsat 197 K
        ("surface_emissivity", "", 0.4, 0.99, None),  # as it stands
        ("surface_bidirectional_reflectance", "landsat-8-9-oli-tirs", 7_800, 14_000, (0.0000275, -0.2)),
        ("surface_bidirectional_reflectance", "planetscope", 200, 4_000, (0.0001, 0.0)),
        ("surface_bidirectional_reflectance", "", 7_800, 14_000, None),  # nobody knows whose
        ("aerosol_optical_depth", "", 50, 1_500, None),  # of int16 alone
    ],
)
def test_numbers_that_one_product_alone_stores_so_have_its_scale(
    kind: str, sensor: str, low: float, high: float, stored_as: tuple[float, float] | None
) -> None:
    look = Look(low, (low + high) / 2, high, whole=low > 1, physical=False)
    found = packing_of(look, quantity_kinds()[kind], "uint16" if kind != "aerosol_optical_depth" else "uint8", sensor)
    assert (found and (found.scale, found.offset)) == stored_as


@given(low=st.integers(181, 220), high=st.integers(221, 330))
def test_whole_temperatures_that_are_ordinary_in_kelvin_may_be_tenths_of_a_degree(low: int, high: int) -> None:
    kind, look = quantity_kinds()["air_temperature"], stored(low, high)[1]
    assert may_be_stored(look, kind, "int32", "K")
    assert not may_be_stored(replace(look, physical=True), kind, "int32", "K")
    assert not may_be_stored(look, quantity_kinds()["precipitation"], "int32", "mm")


def test_the_unit_of_whole_temperatures_that_two_may_be_of_stays_open(tmp_path: Path) -> None:
    numbers = np.random.default_rng(5).integers(196, 286, (40, 40))
    for name, dtype in (("whole", "int16"), ("decimal", "float32")):
        write_raster(tmp_path / f"tmax_{name}_2019-06.tif", shape=(40, 40), dtype=dtype)
        with rasterio.open(tmp_path / f"tmax_{name}_2019-06.tif", "r+") as file:
            file.write((numbers + (0.37 if dtype == "float32" else 0)).astype(dtype), 1)
    units = {Path(str(one.path)).stem.split("_")[1]: one.fact("unit") for one in take_inventory(tmp_path).artifacts}
    assert units == {"whole": None, "decimal": "K"}
