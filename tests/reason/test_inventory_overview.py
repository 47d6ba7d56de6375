"""The groups of a folder: what means the same, how certain that is, and what only the user can say."""

from __future__ import annotations

from pathlib import Path

import pytest
from rasters import write_raster

from knowflow.model.facts import Origin
from knowflow.model.template import Scene
from knowflow.reason.inventory import Inventory, inventory_of_names, take_inventory
from knowflow.reason.inventory.overview import Group
from knowflow.testing.demo import write_demo
from knowflow.testing.scenes import write_scene


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return write_demo(tmp_path_factory.mktemp("demo"))


def only(inventory: Inventory) -> Group:
    (group,) = inventory.groups
    return group


def test_a_group_counts_files_dates_bands_and_grids(demo: dict[str, Path]) -> None:
    clouds, scenes = take_inventory(demo["trend"]).groups
    assert (clouds.quantity, scenes.quantity) == ("cloud_mask", "surface_bidirectional_reflectance")
    assert (len(scenes.files), len(scenes.dates), scenes.bands, scenes.grids) == (16, 8, ("red", "nir"), 2)
    assert scenes.dates[0][:10] == "2015-07-03"
    assert scenes.missing == ()


def test_facts_are_told_with_origin_source_and_number_of_layers() -> None:
    group = only(inventory_of_names(["a/dem.tif", "b/dem.tif"], assume=["b/*:unit=km"]))
    units = {told.value: told for told in group.told if told.fact == "unit"}
    assert (units["m"].origin, units["m"].layers) == (Origin.ASSUMED, 1)
    assert (units["km"].origin, units["km"].sources) == (Origin.USER, ("--assume",))
    assert "usual for" in units["m"].sources[0]


def test_rasters_of_unknown_quantity_are_grouped_by_name_without_band_and_date(demo: dict[str, Path]) -> None:
    group = only(take_inventory(demo["sentinel2"]))
    assert (group.quantity, group.pattern, len(group.files)) == (None, "sentinel2_sample_*", 4)
    assert group.assume == "sentinel2_sample_*:quantity=VALUE,crs=VALUE"
    dated = inventory_of_names(["site7_2016-07-01.tif", "site7_2017-07-01.tif", "qwerty.tif"])
    assert {one.pattern: len(one.layers) for one in dated.groups} == {"site7_*": 2, "qwerty": 1}


def test_the_option_that_is_offered_works_and_touches_nothing_else(demo: dict[str, Path]) -> None:
    said = "surface_bidirectional_reflectance"
    option = str(only(take_inventory(demo["sentinel2"])).assume)
    told = option.replace("quantity=VALUE", f"quantity={said}").replace("crs=VALUE", "crs=EPSG:32633")
    assert only(take_inventory(demo["sentinel2"], assume=[told])).quantity == said
    names = ["x_2016-07-01.tif", "x_2017-07-01_NDVI.tif"]
    known = inventory_of_names(names, assume=["x_2017-07-01_NDVI:quantity=ndvi"])
    assert [one.pattern for one in known.groups] == [None, "x_2016-07-01"]  # x_* would match the NDVI, too


def test_what_most_questions_need_and_nobody_knows_is_missing(tmp_path: Path) -> None:
    write_raster(tmp_path / "LST_2020-01-01.tif", georeference=None)
    group = only(take_inventory(tmp_path))
    assert group.missing == ("crs",)
    assert group.assume == "crs=VALUE"
    assert only(take_inventory(tmp_path, assume=["crs=EPSG:32633,resolution=10"])).assume is None


def test_reflectance_in_integers_without_a_scale_lacks_it(tmp_path: Path) -> None:
    layer = {"name": "NDVI", "quantity": "ndvi", "values": "0", "dtype": "int16", "dates": ["2020-01-01"]}
    write_scene(Scene.model_validate({"size": (8, 8), "layers": [layer]}), tmp_path)
    assert only(take_inventory(tmp_path)).missing == ("scale",)


def test_vectors_stand_alone_and_everything_is_told_as_plain_data(tmp_path: Path) -> None:
    write_raster(tmp_path / "NDVI_2020-01-01.tif")
    (tmp_path / "bad.tif").write_text("no raster")
    (tmp_path / "notes.docx").write_text("?")
    fields = '{"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {"a": 1}, "geometry": '
    point = '{"type": "Point", "coordinates": [1, 2]}}]}'
    (tmp_path / "places.geojson").write_text(fields + point)
    data = take_inventory(tmp_path).to_json()
    raster, vector = data["groups"]
    assert (raster["quantity"], raster["dates"], raster["assume"]) == ("ndvi", ["2020-01-01"], None)
    assert (vector["type"], vector["facts"]["features"][0]["value"]) == ("vector", 1)
    assert [one["file"] for one in data["unreadable"]] == ["bad.tif"]
    assert [one["file"] for one in data["unknown"]] == ["notes.docx"]


@pytest.mark.parametrize(
    ("name", "time"),
    [
        ("ndvi_2019", "2019"),
        ("ndvi_jul2019", "2019-07"),
        ("ndvi_20190703", "2019-07-03"),
        ("ndvi_2019-07-d2", "2019-07-11/2019-07-20"),
    ],
)
def test_what_names_less_than_a_day_is_shown_as_wide_as_it_is_told(name: str, time: str) -> None:
    group = only(inventory_of_names([f"{name}.tif"]))
    assert group.times == (time,)
    assert group.to_json()["times"] == [time]
