"""What layers are called, and the kinds that carry nothing but a name and a unit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio
from hypothesis import given
from hypothesis import strategies as st
from reason.rasters import UTM

from knowflow.ground.called import called_kind, is_unknown, read_called
from knowflow.ground.quantities import quantity_kinds
from knowflow.question.types import type_of_kind
from knowflow.reason.inventory import take_inventory
from knowflow.reason.inventory.called import words_of_file

WORDS = st.lists(st.text("abcxyz019äéø", min_size=1, max_size=8), min_size=1, max_size=4)
UNITS = st.sampled_from(["m", "t ha-1", "%", "1", "EUR", "kg m-2 s-1", "class", "dB"])


def write(path: Path, values: np.ndarray, unit: str = "", described: str = "", **tags: str) -> None:
    profile = {"driver": "GTiff", "height": 40, "width": 40, "count": 1, "dtype": values.dtype}
    with rasterio.open(path, "w", **profile, **UTM) as file:
        file.write(values, 1)
        file.units, file.descriptions = (unit or None,), (described or None,)
        file.update_tags(**tags)


@given(WORDS, UNITS)
def test_the_name_of_a_kind_says_what_it_is_called_and_its_unit(words: list[str], unit: str) -> None:
    kind = called_kind(words, unit)
    assert read_called(kind) == (" ".join(words).casefold(), unit)
    assert is_unknown(kind)
    assert kind in quantity_kinds()
    assert kind not in list(quantity_kinds())


@pytest.mark.parametrize("kind", ["ndvi", "land_cover_class", "snow__", "__m", "", "peat_depth"])
def test_other_names_are_of_no_such_kind(kind: str) -> None:
    assert read_called(kind) is None


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("peat_depth__m", "a number in m per pixel and date"),
        ("soil_type__class", "a class per pixel and date"),
        ("insured_value__EUR", "a number per pixel and date"),
        ("noise__dB", "a number in dB per pixel and date"),
    ],
)
def test_the_type_of_what_is_called_something_follows_from_its_unit(kind: str, told: str) -> None:
    assert str(type_of_kind(kind)) == told


@pytest.mark.parametrize(
    ("unit", "adds"), [("EUR", True), ("people", True), ("kg", True), ("m3", True), ("m", False), ("t ha-1", False)]
)
def test_only_what_lies_in_a_pixel_adds_up_over_space(unit: str, adds: bool) -> None:
    own = type_of_kind(called_kind(["x"], unit))
    assert own is not None
    assert ("space" in own.measure.adds) == adds


@pytest.mark.parametrize(
    ("stem", "words"),
    [
        ("peat_depth_m", "peat depth"),
        ("yield_sugarcane_2021", "yield sugarcane"),
        ("dist_to_roman_road_m", "distance to roman road"),
        ("noise_lden_2019", "noise lden"),
        ("FuelLoad_v2_10m", "fuel load"),
        ("phh2o_0-30cm", "phh2o"),
        ("output_1", ""),
        ("yield_map_2022", "yield"),
        ("max_flow_depth", "flow depth"),
    ],
)
def test_the_words_of_a_file_are_those_that_say_what_is_in_it(stem: str, words: str) -> None:
    assert " ".join(words_of_file(stem)) == words


def called(folder: Path) -> list[tuple[str | None, str | None]]:
    found = take_inventory(folder).as_called()
    return [(item.fact("quantity"), item.fact("unit")) for item in found.artifacts]


def test_a_layer_of_unknown_quantity_is_what_it_is_called_where_questions_are_asked(tmp_path: Path) -> None:
    write(tmp_path / "peat_depth.tif", np.linspace(0, 7, 1600, dtype=np.float32).reshape(40, 40), "m")
    assert called(tmp_path) == [("peat_depth__m", "m")]
    (layer,) = take_inventory(tmp_path).layers
    assert (layer.to_json()["quantity"], layer.to_json()["called"]) == (None, "peat depth")


def test_a_unit_that_is_none_counts_and_a_missing_one_leaves_the_numbers_as_they_are(tmp_path: Path) -> None:
    values = np.linspace(0, 9000, 1600, dtype=np.float32).reshape(40, 40)
    write(tmp_path / "insured_value.tif", values, "EUR")
    write(tmp_path / "wobble_score.tif", values / 1000)
    assert called(tmp_path) == [("insured_value__EUR", "1"), ("wobble_score__1", "1")]
    told = take_inventory(tmp_path).as_called().artifacts[1].known("unit")
    assert told is not None
    assert told.origin.label == "assumed"


@pytest.mark.parametrize(("name", "kind"), [("buildings", "buildings__buildings"), ("tree_age", "tree_age__1")])
def test_what_a_name_counts_adds_up(tmp_path: Path, name: str, kind: str) -> None:
    write(tmp_path / f"{name}.tif", np.linspace(0, 90, 1600, dtype=np.float32).reshape(40, 40), "count")
    assert called(tmp_path)[0][0] == kind


def test_a_unit_that_a_name_ends_in_is_no_part_of_it(tmp_path: Path) -> None:
    write(tmp_path / "soil_resistance_ohm.tif", np.linspace(3, 90, 1600, dtype=np.float32).reshape(40, 40), "ohm")
    assert str(called(tmp_path)[0][0]).startswith("soil_resistance__")


def test_what_is_called_as_a_known_quantity_and_tells_no_unit_stays_unknown(tmp_path: Path) -> None:
    write(tmp_path / "NDVI_2020.tif", np.full((40, 40), 7000, np.float32), described="NDVI * 10000")
    assert called(tmp_path)[0][0] is None


def test_class_maps_of_several_names_are_told_apart(tmp_path: Path) -> None:
    codes = (np.arange(1600, dtype=np.uint8).reshape(40, 40) % 2) + 1
    write(tmp_path / "tree_species.tif", codes, LEGEND="1=spruce, 2=beech")
    assert called(tmp_path) == [("class_label", "1")]
    write(tmp_path / "soil_type.tif", codes, LEGEND="1=sandy, 2=loamy")
    assert len({kind for kind, _ in called(tmp_path)}) == 2
    write(tmp_path / "tree_genera.tif", codes, LEGEND="1=Picea, 2=Fagus")
    assert {"tree_genera__class", "tree_species__class"} < {kind for kind, _ in called(tmp_path)}
