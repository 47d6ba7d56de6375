"""Classes of class maps by their names, whoever named them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import rasterio
from raster_files import read, write

from knowflow.ground.errors import MissingFactError, ToolError
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Facts, Origin
from knowflow.tools.alignment import clip
from knowflow.tools.area import area_by_class
from knowflow.tools.named_classes import mask_of_class


def class_map(folder: Path, name: str, values: list[int], quantity: str = "land_cover_class", **tags: str) -> Artifact:
    return write(
        folder / f"{name}.tif", np.array([values], np.uint8), nodata=0, tags=tags, facts={"quantity": quantity}
    )


@pytest.mark.parametrize(
    ("name", "values", "asked", "expected"),
    [
        ("ESA_WorldCover_10m_2021_v200_N45E012_Map", [10, 40, 80, 0], "forest", [1, 0, 0, 255]),
        ("ESA_WorldCover_10m_2021_v200_N45E012_Map", [10, 40, 80, 0], "permanent water bodies", [0, 0, 1, 255]),
        ("U2018_CLC2018_V2020_20u1", [1, 23, 24, 40], "forest", [0, 1, 1, 0]),
        ("MCD12Q1_LC_Type1_2020", [1, 5, 12, 17], "cropland", [0, 0, 1, 0]),
    ],
)
def test_maps_of_well_known_products(
    name: str, values: list[int], asked: str, expected: list[int], tmp_path: Path
) -> None:
    mask_of_class(class_map(tmp_path, name, values), asked, tmp_path / "m.tif")
    np.testing.assert_array_equal(read(tmp_path / "m.tif"), [expected])


def test_the_scene_classification_has_clouds_of_three_kinds(tmp_path: Path) -> None:
    scl = class_map(tmp_path, "scl", [3, 8, 9, 10, 4], "scene_classification")
    mask_of_class(scl, "cloud", tmp_path / "m.tif", quantity="cloud_mask")
    np.testing.assert_array_equal(read(tmp_path / "m.tif"), [[0, 1, 1, 1, 0]])


def test_names_in_the_map_itself_go_before_a_legend(tmp_path: Path) -> None:
    names = json.dumps({"1": "Forest", "2": "Meadow"})
    own = class_map(tmp_path, "ESA_WorldCover", [1, 2, 1, 2], CLASSES=names)
    mask_of_class(own, "forest", tmp_path / "m.tif")
    np.testing.assert_array_equal(read(tmp_path / "m.tif"), [[1, 0, 1, 0]])
    with pytest.raises(ToolError, match="no class 'water'") as error:
        mask_of_class(own, "water", tmp_path / "m.tif")
    assert "Meadow (2)" in str(error.value.expected)


def test_a_part_of_a_map_calls_its_classes_what_the_map_does(tmp_path: Path) -> None:
    whole = class_map(tmp_path, "landuse", [1, 2, 1, 2], CLASSES=json.dumps({"1": "Forest", "2": "Meadow"}))
    clip(whole, [500_010.0, 5_099_990.0, 500_040.0, 5_100_000.0], tmp_path / "part.tif", bbox_crs="raster")
    part = Artifact(
        "raster", Facts().put("quantity", "land_cover_class", Origin.DERIVED), path=str(tmp_path / "part.tif")
    )
    mask_of_class(part, "forest", tmp_path / "m.tif")
    np.testing.assert_array_equal(read(tmp_path / "m.tif"), [[0, 1, 0]])


def test_a_legend_can_be_said(tmp_path: Path) -> None:
    mask_of_class(class_map(tmp_path, "lulc", [10, 50]), "built_up", tmp_path / "m.tif", legend="esa_worldcover")
    np.testing.assert_array_equal(read(tmp_path / "m.tif"), [[0, 1]])


@pytest.mark.parametrize("asked", ["class 2", "2", "code 2", "Class number 2"])
def test_a_class_can_be_named_by_its_number(tmp_path: Path, asked: str) -> None:
    mask_of_class(class_map(tmp_path, "lulc", [1, 2, 3, 2]), asked, tmp_path / "m.tif")
    np.testing.assert_array_equal(read(tmp_path / "m.tif"), [[0, 1, 0, 1]])
    with pytest.raises(MissingFactError):
        mask_of_class(class_map(tmp_path, "lulc", [1, 3]), asked, tmp_path / "n.tif")


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("ESACCI-LC-L4-LCCS-Map-300m-P1Y-2015-v2.0.7", {50: "tree cover, broadleaved, evergreen", 190: "urban areas"}),
        ("dynamicworld_label_2021", {0: "water", 6: "built area"}),
        ("GHS_SMOD_E2020_GLOBE_R2023A_54009_1000_V1_0", {30: "urban centre", 11: "very low density rural"}),
        ("nlcd_2019_land_cover", {41: "deciduous forest", 90: "woody wetlands"}),
    ],
)
def test_rows_of_a_table_have_the_names_of_a_well_known_product(
    tmp_path: Path, name: str, names: dict[int, str]
) -> None:
    raster = write(
        tmp_path / f"{name}.tif", np.array([list(names)], np.uint8), nodata=255, facts={"quantity": "land_cover_class"}
    )
    found = {row["class"]: row["name"] for row in area_by_class(raster)}
    assert found.keys() == names.keys()
    assert all(found[code].startswith(text) for code, text in names.items())


def test_names_known_of_a_map_are_those_of_its_rows_and_of_what_is_made_of_it(tmp_path: Path) -> None:
    raster = class_map(tmp_path, "lulc", [1, 2, 1, 2])
    raster = raster.with_facts(raster.facts.put("classes", ((1, "Forest"), (2, "Meadow")), Origin.DECLARED))
    assert [row["name"] for row in area_by_class(raster)] == ["Forest", "Meadow"]
    clip(raster, [500_010.0, 5_099_990.0, 500_040.0, 5_100_000.0], tmp_path / "part.tif", bbox_crs="raster")
    with rasterio.open(tmp_path / "part.tif") as part:
        assert json.loads(part.tags()["CLASSES"]) == {"1": "Forest", "2": "Meadow"}


def test_numbers_that_nobody_names_are_not_guessed(tmp_path: Path) -> None:
    with pytest.raises(MissingFactError, match="what the numbers of the class map mean") as error:
        mask_of_class(class_map(tmp_path, "lulc", [1, 2]), "forest", tmp_path / "m.tif")
    assert "esa_worldcover" in str(error.value.hint)


@pytest.mark.parametrize("asked", ["forest (class 10)", "permanent water bodies (class 80)"])
def test_a_class_can_be_named_by_both(asked: str, tmp_path: Path) -> None:
    mask_of_class(
        class_map(tmp_path, "ESA_WorldCover_10m_2021_v200_N45E012_Map", [10, 40, 80]), asked, tmp_path / "m.tif"
    )
    np.testing.assert_array_equal(read(tmp_path / "m.tif"), [[1, 0, 0] if "10" in asked else [0, 0, 1]])


@pytest.mark.parametrize("asked", ["cropland (class 10)", "teff (class 40)"])
def test_a_name_and_a_number_of_two_classes_are_none(asked: str, tmp_path: Path) -> None:
    worldcover = class_map(tmp_path, "ESA_WorldCover_10m_2021_v200_N45E012_Map", [10, 40, 80])
    with pytest.raises(ToolError):
        mask_of_class(worldcover, asked, tmp_path / "m.tif")


def test_where_nobody_names_the_numbers_the_one_that_is_said_decides(tmp_path: Path) -> None:
    mask_of_class(class_map(tmp_path, "crops", [10, 40, 80]), "teff (class 40)", tmp_path / "m.tif")
    np.testing.assert_array_equal(read(tmp_path / "m.tif"), [[0, 1, 0]])
