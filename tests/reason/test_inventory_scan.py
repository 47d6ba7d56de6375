"""A folder as scenes, series and candidates; broken and foreign files are told, never guessed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from rasterio.transform import Affine
from rasters import UTM, write_raster

from knowflow.ground.errors import DataNotFoundError, UnreadableDataError
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Facts, Origin
from knowflow.model.goal import Period
from knowflow.model.template import Scene
from knowflow.reason.inventory import candidates, inventory_of_names, take_inventory
from knowflow.reason.inventory.grouping import series_of
from knowflow.testing.demo import DATES, write_demo
from knowflow.testing.demo_sample import ASSUMED_OF_SENTINEL2
from knowflow.testing.scenes import write_scene


def names(items: tuple[Artifact, ...]) -> list[str]:
    return [item.name for item in items]


def generated(folder: Path, *layers: dict[str, Any], **more: Any) -> Path:
    write_scene(Scene.model_validate({"size": (8, 8), "layers": layers, **more}), folder)
    return folder


# --- folders that cannot be used --------------------------------------------------------------------------------------


def test_a_missing_folder_an_empty_one_and_one_without_data_are_named_errors(tmp_path: Path) -> None:
    with pytest.raises(DataNotFoundError, match="does not exist"):
        take_inventory(tmp_path / "nowhere")
    with pytest.raises(DataNotFoundError, match="empty"):
        take_inventory(tmp_path)
    (tmp_path / "notes.txt").write_text("hello")
    with pytest.raises(DataNotFoundError, match=r"notes\.txt"):
        take_inventory(tmp_path)


def test_a_folder_of_broken_rasters_only_says_what_is_wrong_with_them(tmp_path: Path) -> None:
    (tmp_path / "a.tif").write_text("no raster")
    (tmp_path / "b.tif").write_bytes(b"")
    with pytest.raises(DataNotFoundError) as error:
        take_inventory(tmp_path)
    assert "text beginning 'no raster'" in str(error.value.found)
    assert "empty file" in str(error.value.found)


def test_broken_and_foreign_files_are_reported_beside_good_ones(tmp_path: Path) -> None:
    write_raster(tmp_path / "NDVI_2020-01-01.tif")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "bad.tif").write_text("no raster")
    (tmp_path / "sub" / "data.tif.enp").write_text("?")
    (tmp_path / ".hidden.tif").write_text("no raster")
    (tmp_path / "NDVI_2020-01-01.tif.aux.xml").write_text("<PAMDataset/>")
    inventory = take_inventory(tmp_path)
    assert names(inventory.artifacts) == ["NDVI_2020-01-01"]
    assert [path for path, _ in inventory.unreadable] == ["sub/bad.tif"]
    assert [path for path, _ in inventory.unknown] == ["sub/data.tif.enp"]
    assert all(reason for _, reason in (*inventory.unreadable, *inventory.unknown))


@pytest.mark.parametrize(
    "name",
    ["NDVI_2020-01-01_copy.tif", "NDVI_2020-01-01 (1).tif", "Copy of NDVI_2020-01-01.tif", "ndvi_20200101.tif", "old/"],
)
def test_the_same_file_under_another_name_counts_once_and_is_told(tmp_path: Path, name: str) -> None:
    path = write_raster(tmp_path / "NDVI_2020-01-01.tif")
    twin = tmp_path / (name + path.name if name.endswith("/") else name)
    twin.parent.mkdir(exist_ok=True)
    twin.write_bytes(path.read_bytes())
    inventory = take_inventory(tmp_path)
    ((copy, of),) = inventory.copies
    assert {copy, of} == {path.name, twin.relative_to(tmp_path).as_posix()}
    assert [item.path for item in inventory.artifacts] == [str(tmp_path / of)]
    with twin.open("ab") as file:
        file.write(b"other")
    assert len(take_inventory(tmp_path).artifacts) == 2


def test_a_file_whose_name_is_no_text_is_told_and_does_not_hide_the_others(tmp_path: Path) -> None:
    write_raster(tmp_path / "a_2022-06-01.tif")
    named = tmp_path / b"dem_\xfc.tif".decode("utf-8", "surrogateescape")
    write_raster(tmp_path / "b.tif").rename(named)
    found = take_inventory(tmp_path)
    assert names(found.rasters) == ["a_2022-06-01"]
    assert found.unreadable == (("dem_?.tif", "its path is no text in UTF-8: rename it"),)
    with pytest.raises(DataNotFoundError, match="rename it"):
        take_inventory(named)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read every folder")
def test_a_folder_without_permission_is_a_named_error(tmp_path: Path) -> None:
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o000)
    try:
        with pytest.raises(UnreadableDataError, match="permission"):
            take_inventory(locked)
    finally:
        locked.chmod(0o700)


def test_a_folder_that_the_system_refuses_to_list_is_a_named_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied", str(tmp_path))

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(UnreadableDataError) as error:
        take_inventory(tmp_path)
    assert error.value.found == "Permission denied"


def test_a_single_file_is_an_inventory_too(tmp_path: Path) -> None:
    write_raster(tmp_path / "a.tif")
    assert names(take_inventory(write_raster(tmp_path / "b.tif")).artifacts) == ["b"]


# --- layers, scenes, series -------------------------------------------------------------------------------------------


def test_bands_of_one_moment_are_a_scene_and_scenes_are_in_date_order(tmp_path: Path) -> None:
    for layer in ("B04", "B08", "B02"):
        for date in ("2022-06-11", "2022-06-01"):
            write_raster(tmp_path / f"S2_L2A_{date}_{layer}.tif", dtype="uint16")
    first, second = take_inventory(tmp_path).scenes()
    assert list(first.members) == ["blue", "red", "nir"]
    assert (first.fact("datetime"), second.fact("datetime")) == ("2022-06-01", "2022-06-11")
    assert (first.name, first.fact("quantity")) == ("S2_L2A_2022-06-01", "surface_bidirectional_reflectance")


def test_a_file_of_several_named_bands_is_a_scene_of_its_own(tmp_path: Path) -> None:
    path = write_raster(tmp_path / "S2_scene.tif", count=3, descriptions=("B03", "B04", "B08"), tags={"SENSOR": "S2"})
    inventory = take_inventory(tmp_path)
    (scene,) = inventory.scenes()
    assert {name: member.band for name, member in scene.members.items()} == {"green": 1, "red": 2, "nir": 3}
    assert {member.path for member in scene.members.values()} == {str(path)}


def test_a_file_whose_bands_are_layers_is_each_of_them(tmp_path: Path) -> None:
    write_raster(tmp_path / "Paris_2020-01-01.tif", count=2, descriptions=("NDVI", "LST_Day_1km"), dtype="float32")
    first, second = take_inventory(tmp_path).artifacts
    assert (first.fact("quantity"), second.fact("quantity")) == ("ndvi", "surface_temperature")
    assert (second.fact("datetime"), second.band) == ("2020-01-01", 2)


def test_a_file_of_unnamed_bands_stays_whole(tmp_path: Path) -> None:
    write_raster(tmp_path / "stack.tif", count=3, dtype="uint16", georeference=None)
    (found,) = take_inventory(tmp_path).artifacts
    assert (found.fact("count"), found.band, found.fact("quantity")) == (3, None, None)


def test_bands_of_reflectance_that_nothing_tells_apart_stay_one_file_with_their_usual_orders(tmp_path: Path) -> None:
    write_raster(tmp_path / "a.tif", count=4, dtype="uint16", tags={"QUANTITY": "surface_bidirectional_reflectance"})
    taken = take_inventory(tmp_path)
    (found,) = taken.artifacts
    assert (found.band, found.fact("quantity")) == (None, "surface_bidirectional_reflectance")
    orders = [one.value for one in taken.open[str(found.path), None] if one.fact == "bands"]
    assert ("blue", "green", "red", "nir") in orders


def test_bands_are_what_the_product_of_their_file_calls_so(tmp_path: Path) -> None:
    described = ("clear", "snow", "shadow", "cloud")
    path = tmp_path / "20220114_052712_78_2442_3B_udm2_clip.tif"
    write_raster(path, count=4, dtype="uint8", descriptions=described)
    found = [item.fact("quantity") for item in take_inventory(tmp_path).artifacts]
    assert found == ["clear_mask", "snow_mask", "cloud_shadow_mask", "cloud_mask"]


@pytest.mark.parametrize(("name", "count"), [("picture.png", 3), ("classes_dem_map.tif", 3), ("ortho.tif", 4)])
def test_three_colours_in_eight_bits_are_a_picture_whatever_it_shows(tmp_path: Path, name: str, count: int) -> None:
    descriptions = ("", "", "", "alpha") if count == 4 else ()
    write_raster(tmp_path / name, count=count, dtype="uint8", georeference=None, descriptions=descriptions)
    found = [(item.fact("bands"), item.fact("quantity")) for item in take_inventory(tmp_path).artifacts]
    shown = [((colour,), "display_value") for colour in ("red", "green", "blue")]
    assert found == shown + [(None, "valid_mask")] * (count - 3)


@pytest.mark.parametrize(("count", "dtype"), [(4, "uint8"), (3, "float32"), (3, "uint16"), (1, "uint8")])
def test_what_may_be_no_picture_is_none(tmp_path: Path, count: int, dtype: str) -> None:
    write_raster(tmp_path / "a.tif", count=count, dtype=dtype)
    assert "display_value" not in {item.fact("quantity") for item in take_inventory(tmp_path).artifacts}


def test_scenes_without_a_date_are_told_apart_by_name(tmp_path: Path) -> None:
    for scene in ("before", "after"):
        for layer in ("B04", "B08"):
            write_raster(tmp_path / f"{scene}_{layer}.tif", tags={"SENSOR": "S2", "BAND": layer})
    assert [list(scene.members) for scene in take_inventory(tmp_path).scenes()] == [["red", "nir"], ["red", "nir"]]


def test_of_a_band_given_twice_the_finest_counts(tmp_path: Path) -> None:
    coarse = {**UTM, "transform": Affine(20, 0, 500000, 0, -20, 5100000)}
    write_raster(tmp_path / "a" / "S2_2022-06-01_B04.tif", georeference=coarse)
    fine = write_raster(tmp_path / "b" / "S2_2022-06-01_B04.tif")
    (scene,) = take_inventory(tmp_path).scenes()
    assert scene.members["red"].path == str(fine)


def test_series_are_by_quantity_and_region_in_date_order(tmp_path: Path) -> None:
    inventory = inventory_of_names(
        [f"{region}_{layer}_{date}.tif" for region in ("Paris", "Rome") for layer in ("NDVI", "LST")
         for date in ("2021-01-01", "2020-01-01", "2022-01-01")]
    )  # fmt: skip
    found = inventory.series()
    assert [(one.name, len(one.items)) for one in found] == [
        ("Paris_LST", 3),
        ("Paris_NDVI", 3),
        ("Rome_LST", 3),
        ("Rome_NDVI", 3),
    ]
    assert [item.fact("datetime") for item in found[0].items] == ["2020-01-01", "2021-01-01", "2022-01-01"]
    assert names(inventory.series("ndvi")) == ["Paris_NDVI", "Rome_NDVI"]


def test_day_and_night_are_different_series() -> None:
    listed = [
        f"2021_01_0{day}_{time}_BT_31_{when}.tif"
        for day in (1, 2)
        for time, when in (("0410", "Day"), ("1925", "Night"))
    ]
    assert {one.fact("daynight") for one in inventory_of_names(listed).series()} == {"day", "night"}


def test_one_date_on_another_grid_stays_in_its_series(tmp_path: Path) -> None:
    folder = generated(
        tmp_path,
        {"name": "NDVI", "quantity": "ndvi", "values": "x", "dates": ["2020-01-01", "2022-01-01"]},
        {"name": "other", "quantity": "ndvi", "values": "x", "dates": ["2021-01-01"], "crs": "EPSG:32634"},
    )
    (series,) = take_inventory(folder).series()
    assert [item.fact("datetime")[:4] for item in series.items] == ["2020", "2021", "2022"]
    assert series.fact("grid") is None


def test_two_layers_of_one_quantity_with_the_same_dates_are_two_series(tmp_path: Path) -> None:
    dates = ["2020-01-01", "2021-01-01"]
    folder = generated(
        tmp_path,
        {"name": "summer", "quantity": "ndvi", "values": "x", "dates": dates},
        {"name": "winter", "quantity": "ndvi", "values": "y", "dates": dates},
    )
    assert [(one.name, len(one.items)) for one in take_inventory(folder).series()] == [("summer", 2), ("winter", 2)]


def test_satellites_of_one_mission_make_one_series() -> None:
    listed = ["S2A_L2A_20220601_B04.tif", "S2B_L2A_20220606_B04.tif"]
    assert [len(one.items) for one in inventory_of_names(listed).series()] == [2]


def test_missions_that_share_no_date_make_one_series_beside_their_own() -> None:
    def index(sensor: str, date: str) -> Artifact:
        facts = Facts.of(Origin.DECLARED, "test", sensor=sensor, datetime=date, quantity="ndvi")
        return Artifact(type="raster", facts=facts, name=f"ndvi_{date}")

    apart = [index("sentinel-2a", "2021-04-01"), index("landsat-8", "2021-05-01"), index("sentinel-2b", "2021-06-01")]
    found = sorted(len(one.items) for one in series_of(apart))
    assert found == [1, 2, 3]
    same_day = [*apart, index("landsat-8", "2021-06-01")]
    assert sorted(len(one.items) for one in series_of(same_day)) == [2, 2]


@pytest.mark.parametrize("told", ["snow depth {}", "{}", "depth of {:.4}", "snow"])
def test_dates_in_the_descriptions_of_bands_tell_no_layers_apart(told: str) -> None:
    days = ("2024-12-20", "2025-01-20", "2025-02-20")
    facts = {day: {"datetime": day, "quantity": "snow_depth", "band": told.format(day)} for day in days}
    files = [
        Artifact("raster", Facts.of(Origin.DECLARED, "x", **facts[day]), name=f"snow_{day}", path=f"/d/snow_{day}.tif")
        for day in days
    ]
    (found,) = series_of(files)
    assert [item.fact("datetime") for item in found.items] == list(days)
    other = files[2].with_facts(files[2].facts.put("band", "density", Origin.DECLARED, "x"))
    assert sorted(len(one.items) for one in series_of([*files[:2], other])) == [1, 2]


@pytest.mark.parametrize(
    "words", [("winter", "spring", "summer"), ("January", "February", "March"), ("hiver", "printemps", "ete")]
)
def test_months_and_seasons_in_the_descriptions_of_bands_tell_no_layers_apart(words: str) -> None:
    days = ("2022-01-14", "2022-04-15", "2022-07-16")
    told = [
        {"datetime": day, "quantity": "chlorophyll_a", "band": f"chlorophyll, {word} mean"}
        for day, word in zip(days, words, strict=True)
    ]
    files = [
        Artifact("raster", Facts.of(Origin.DECLARED, "x", **facts), name=f"chl_{day}", path=f"/d/chl_{day}.tif")
        for day, facts in zip(days, told, strict=True)
    ]
    (found,) = series_of(files)
    assert [item.fact("datetime") for item in found.items] == list(days)


def test_thirds_of_months_are_dates_of_their_own(tmp_path: Path) -> None:
    called = tuple(f"2020-{month:02d}-{third}" for month in (7, 9) for third in (1, 2, 3))
    write_raster(tmp_path / "rain.tif", count=6, tags={"QUANTITY": "precipitation", "UNIT": "mm"}, descriptions=called)
    found = sorted(item.fact("span") for item in take_inventory(tmp_path).artifacts)
    assert found == [
        *(("2020-07-01", "2020-07-10"), ("2020-07-11", "2020-07-20"), ("2020-07-21", "2020-07-31")),
        *(("2020-09-01", "2020-09-10"), ("2020-09-11", "2020-09-20"), ("2020-09-21", "2020-09-30")),
    ]


def test_nameless_bands_of_one_quantity_are_not_chosen_from(tmp_path: Path) -> None:
    write_raster(tmp_path / "a.tif", count=2, tags={"QUANTITY": "ndvi"})
    found = take_inventory(tmp_path)
    assert [(item.fact("quantity"), item.band) for item in found.artifacts] == [(None, None)]
    assert any("2 bands of ndvi" in note for note in found.disagreements)
    write_raster(tmp_path / "a.tif", count=2, tags={"QUANTITY": "ndvi"}, descriptions=("ndvi", "quality"))
    assert len(take_inventory(tmp_path).artifacts) == 2


@pytest.mark.parametrize(
    ("name", "descriptions", "expected"),
    [
        ("ndvi_2020.tif", ("2020-03-01", "2020-04-01"), [("ndvi", "2020-03-01"), ("ndvi", "2020-04-01")]),
        ("stack.tif", ("20200301_NDVI", "20200401_NDVI"), [("ndvi", "2020-03-01"), ("ndvi", "2020-04-01")]),
        (
            "stack.tif",
            ("LST_2020-03-01", "NDVI_2020-03-01"),
            [("surface_temperature", "2020-03-01"), ("ndvi", "2020-03-01")],
        ),
        ("stack.tif", ("2019", "2020"), [(None, "2019-01-01"), (None, "2020-01-01")]),
        ("ndvi_2019.tif", ("Jan", "February"), [("ndvi", "2019-01-01"), ("ndvi", "2019-02-01")]),
        ("ndvi_2019.tif", ("month_11", "month_12"), [("ndvi", "2019-11-01"), ("ndvi", "2019-12-01")]),
        ("stack.tif", ("2020.03.01", "2020.04.01"), [(None, "2020-03-01"), (None, "2020-04-01")]),
        (
            "export.tif",
            ("20180101T100031_20180101T100030_T33TVM_NDVI", "20180111T100031_20180111T100030_T33TVM_NDVI"),
            [("ndvi", "2018-01-01T10:00:31"), ("ndvi", "2018-01-11T10:00:31")],
        ),
        ("stack.tif", ("2020-03-01", "2020-03-01"), [(None, None)]),
        ("spectra.tif", ("1990", "2000", "2110"), [(None, None)]),
    ],
)
def test_bands_that_are_described_by_dates_are_a_stack_in_time(
    tmp_path: Path, name: str, descriptions: tuple[str, ...], expected: list[tuple[str | None, str | None]]
) -> None:
    write_raster(tmp_path / name, count=len(descriptions), descriptions=descriptions, dtype="float32")
    found = take_inventory(tmp_path)
    assert [(item.fact("quantity"), item.fact("datetime")) for item in found.artifacts] == expected
    assert found.disagreements == ()


@pytest.mark.parametrize("descriptions", [("0_NDVI", "1_NDVI"), ("first", "second"), ("Jan", "Feb")])
def test_bands_whose_descriptions_only_count_are_not_chosen_from(tmp_path: Path, descriptions: tuple[str, ...]) -> None:
    write_raster(tmp_path / "ndvi.tif", count=2, descriptions=descriptions)
    found = take_inventory(tmp_path)
    assert [(item.fact("quantity"), item.band) for item in found.artifacts] == [(None, None)]
    assert any("2 bands of ndvi" in note for note in found.disagreements)


def test_a_band_that_nobody_knows_does_not_hide_those_beside_it(tmp_path: Path) -> None:
    write_raster(tmp_path / "MOD11A1.tif", count=3, descriptions=("LST_Day_1km", "LST_Night_1km", "whatever"))
    found = take_inventory(tmp_path).artifacts
    assert [(item.fact("quantity"), item.fact("daynight")) for item in found] == [
        ("surface_temperature", "day"),
        ("surface_temperature", "night"),
        (None, None),
    ]


def test_what_nameless_bands_may_be_is_a_candidate_with_the_line_to_say_it(tmp_path: Path) -> None:
    write_raster(tmp_path / "scene.tif", count=4, dtype="uint16")
    found = take_inventory(tmp_path)
    assert [item.fact("bands") for item in found.artifacts] == [None]
    left = found.open[str(tmp_path / "scene.tif"), None]
    assert "bands=[blue,green,red,nir]" in {one.assumption for one in left}


def test_a_stack_in_time_is_a_series_and_its_bands_of_one_date_are_a_scene(tmp_path: Path) -> None:
    described = tuple(f"{band}_2020-0{month}-01" for month in (5, 6) for band in ("B04", "B08"))
    write_raster(tmp_path / "site.tif", count=4, descriptions=described, tags={"SENSOR": "S2"})
    scenes = take_inventory(tmp_path).scenes()
    assert [(item.fact("bands"), item.fact("datetime")) for item in scenes] == [
        (("red", "nir"), "2020-05-01"),
        (("red", "nir"), "2020-06-01"),
    ]


@pytest.mark.parametrize("descriptions", [(), ("blue", "green", "red", "nir")])
def test_bands_are_known_by_their_place_where_a_product_lists_them(
    tmp_path: Path, descriptions: tuple[str, ...]
) -> None:
    write_raster(
        tmp_path / "20210712_093021_1040_3B_AnalyticMS_SR.tif", count=4, dtype="uint16", descriptions=descriptions
    )
    found = take_inventory(tmp_path).artifacts
    assert [(item.fact("bands"), item.fact("wavelength"), item.fact("scale")) for item in found] == [
        (("blue",), 490, 0.0001),
        (("green",), 565, 0.0001),
        (("red",), 665, 0.0001),
        (("nir",), 865, 0.0001),
    ]


def test_other_numbers_of_bands_than_a_product_has_are_not_known_by_their_place(tmp_path: Path) -> None:
    write_raster(tmp_path / "20210712_093021_1040_3B_AnalyticMS_SR.tif", count=3)
    assert [item.fact("bands") for item in take_inventory(tmp_path).artifacts] == [None]


def test_a_tile_in_srtms_own_format_holds_heights(tmp_path: Path) -> None:
    write_raster(
        tmp_path / "N45E012.hgt",
        shape=(1201, 1201),
        dtype="int16",
        georeference={"crs": "EPSG:4326", "transform": Affine(1 / 1200, 0, 12 - 1 / 2400, 0, -1 / 1200, 46 + 1 / 2400)},
    )
    (found,) = take_inventory(tmp_path).artifacts
    assert (found.fact("quantity"), found.fact("unit")) == ("elevation", "m")


def test_a_sensor_that_one_file_of_a_product_names_holds_for_the_others() -> None:
    aster = inventory_of_names([f"2022_06_15_BT_{band}.tif" for band in (10, 11, 12, 13, 14)])
    assert {item.fact("sensor") for item in aster.artifacts} == {"aster"}
    assert sorted(aster.scenes()[0].members) == ["B10", "B11", "B12", "B14", "lwir11"]
    alone = inventory_of_names(["2022_06_15_BT_10.tif"])
    assert alone.artifacts[0].fact("sensor") is None
    landsat = inventory_of_names(["Lake_SR_B4_2022-06-15.tif", "Lake_ST_B10_2022-06-15.tif"])
    assert landsat.artifacts[0].fact("bands") == ("red",)
    elsewhere = inventory_of_names(["Lake_SR_B4_2022-06-15.tif", "Sea_ST_B10_2022-06-15.tif"])
    assert elsewhere.artifacts[0].fact("bands") is None


def test_a_thousand_names_give_as_many_artifacts() -> None:
    listed = [f"Dead Sea_sur_refl_b{band:02d}_{2000 + year}-01-{day:02d}.tif" for band in range(1, 8)
              for year in range(6) for day in range(1, 29)]  # fmt: skip
    inventory = inventory_of_names(listed)
    assert len(inventory.artifacts) == len(listed) == 1176
    assert len(inventory.scenes()) == 6 * 28


# --- what is asked for ------------------------------------------------------------------------------------------------


def test_a_period_keeps_what_has_no_date(tmp_path: Path) -> None:
    for date in ("2020-06-01", "2021-06-01", "2021-06-01T235959"):
        write_raster(tmp_path / f"NDVI_{date}.tif")
    write_raster(tmp_path / "dem.tif")
    for dates in ("2021-01-01/2021-06-01", Period("2021-01-01", "2021-06-01"), ("2021", None)):
        found = names(take_inventory(tmp_path, dates=dates).artifacts)
        assert found == ["NDVI_2021-06-01", "NDVI_2021-06-01T235959", "dem"]
    assert names(take_inventory(tmp_path).between("2020", "2020").artifacts) == ["NDVI_2020-06-01", "dem"]


def test_an_area_keeps_what_overlaps_it_or_has_no_place(tmp_path: Path) -> None:
    write_raster(tmp_path / "here.tif")
    write_raster(tmp_path / "there.tif", georeference={**UTM, "transform": Affine(10, 0, 700000, 0, -10, 5100000)})
    write_raster(tmp_path / "nowhere.tif", georeference=None)
    inventory = take_inventory(tmp_path, aoi=(14.9, 46.0, 15.1, 46.1))
    assert names(inventory.artifacts) == ["here", "nowhere"]


def test_a_period_or_area_without_data_says_what_there_is(tmp_path: Path) -> None:
    write_raster(tmp_path / "NDVI_2020-06-01.tif")
    with pytest.raises(DataNotFoundError) as error:
        take_inventory(tmp_path, dates="2021/2022")
    assert "1 x ndvi; date 2020-06-01" in str(error.value.found)


def test_assumptions_reach_the_files_they_name(tmp_path: Path) -> None:
    write_demo(tmp_path)
    inventory = take_inventory(tmp_path / "sentinel2", assume=ASSUMED_OF_SENTINEL2)
    (scene,) = candidates(inventory, "band_set", ("surface_bidirectional_reflectance",), ("red", "nir"))
    red = scene.members["red"]
    assert (red.fact("crs"), red.fact("scale"), red.fact("resolution")) == ("EPSG:32633", 0.0001, (10, 10))
    assert red.facts["crs"].origin is Origin.USER
    assert scene.fact("grid") is not None
    part = take_inventory(tmp_path / "sentinel2", assume=["*B04:quantity=surface_bidirectional_reflectance"])
    assert [item.name[-3:] for item in part.rasters if item.fact("quantity")] == ["B04"]


def test_the_demo_folder_holds_a_series_of_scenes_and_one_of_masks(tmp_path: Path) -> None:
    write_demo(tmp_path)
    inventory = take_inventory(tmp_path / "trend")
    (scenes,) = candidates(inventory, "raster_series", ("surface_bidirectional_reflectance",), ("nir", "red"))
    (masks,) = candidates(inventory, "raster_series", ("cloud_mask",))
    assert [item.fact("datetime") for item in scenes.items] == list(DATES)
    assert [item.fact("datetime") for item in masks.items] == list(DATES)
    assert [item.type for item in scenes.items] == ["band_set"] * len(DATES)
    assert list(scenes.items[0].members) == ["nir", "red"]


# --- candidates -------------------------------------------------------------------------------------------------------


def test_rasters_come_by_wanted_quantity_then_clear_sky_then_newest() -> None:
    inventory = inventory_of_names(
        ["NDVI_2020-01-01.tif", "NDVI_2021-01-01.tif", "NDVI_2022-01-01.tif", "EVI_2023-01-01.tif", "dem.tif"],
        assume={"NDVI_2022*:cloud_fraction": 0.9},
    )
    assert names(candidates(inventory, "raster", ("evi", "ndvi"))) == [
        "EVI_2023-01-01",
        "NDVI_2021-01-01",
        "NDVI_2020-01-01",
        "NDVI_2022-01-01",
    ]
    assert len(candidates(inventory, "raster", ("family:index",))) == 4
    assert len(candidates(inventory, "raster")) == 5
    assert candidates(inventory, "raster", ("slope",)) == ()


def test_a_series_of_several_dates_goes_before_a_single_raster() -> None:
    listed = ["Paris_NDVI_2023-01-01.tif", "Rome_NDVI_2020-01-01.tif", "Rome_NDVI_2021-01-01.tif", "ndvi.tif"]
    found = candidates(inventory_of_names(listed), "raster_series", ("ndvi",))
    assert [(one.name, len(one.items)) for one in found] == [
        ("Rome_NDVI", 2),
        ("Paris_NDVI_2023-01-01", 1),
        ("ndvi", 1),
    ]


def test_only_scenes_with_all_bands_are_taken_reduced_to_them() -> None:
    inventory = inventory_of_names(
        [f"S2_L2A_2022-06-0{day}_{band}.tif" for day in (1, 2) for band in ("B02", "B04", "B08")]
        + ["S2_L2A_2022-06-03_B04.tif"]
    )
    (series,) = candidates(inventory, "raster_series", ("surface_bidirectional_reflectance",), ("red", "nir"))
    assert [list(item.members) for item in series.items] == [["red", "nir"]] * 2
    assert candidates(inventory, "band_set", (), ("red", "swir16")) == ()
    assert names(candidates(inventory, "raster", (), ("blue",))) == ["S2_L2A_2022-06-02_B02", "S2_L2A_2022-06-01_B02"]


def test_a_band_that_stands_in_for_another_is_assumed_and_said() -> None:
    inventory = inventory_of_names([f"LC08_L2SP_191028_20220601_20220610_02_T1_SR_B{band}.TIF" for band in (4, 5)])
    (scene,) = candidates(inventory, "band_set", (), ("red", "nir"))
    fact = scene.members["nir"].known("bands")
    assert fact is not None
    assert (fact.value, fact.origin, fact.source) == (("nir",), Origin.ASSUMED, "nir08 stands in for nir")


def test_scenes_of_unknown_quantity_come_last_so_that_the_missing_fact_can_be_named() -> None:
    inventory = inventory_of_names([f"S2_2022-06-01_{band}.tif" for band in ("B04", "B08")])
    (scene,) = candidates(inventory, "band_set", ("surface_bidirectional_reflectance",), ("red", "nir"))
    assert scene.fact("quantity") is None
    assert candidates(inventory, "band_set", ("surface_bidirectional_reflectance",)) == ()
    assert candidates(inventory, "raster", ("ndvi",)) == ()
    assert "2 rasters of unknown quantity" in inventory.summary()


def test_vectors_and_tables_are_candidates_of_their_type(tmp_path: Path) -> None:
    square = {"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1], [0, 0]]]}
    generated(tmp_path, {"quantity": "ndvi", "values": "x"}, vectors={"zones": square})
    (tmp_path / "list.csv").write_text("a,b\n1,2\n")
    inventory = take_inventory(tmp_path)
    assert names(candidates(inventory, "vector")) == ["zones"]
    assert names(candidates(inventory, "table")) == ["list"]
    assert candidates(inventory, "scalar") == ()


# --- real data --------------------------------------------------------------------------------------------------------


def test_the_slovenian_patch_is_understood(slovenia: Path) -> None:
    inventory = take_inventory(slovenia)
    scenes = inventory.scenes()
    assert [len(scene.members) for scene in scenes] == [13] * 5
    assert {"coastal", "red", "nir", "nir08", "swir16", "cirrus"} < set(scenes[0].members)
    assert {scene.fact("quantity") for scene in scenes} == {"toa_bidirectional_reflectance"}
    assert {scene.fact("scale") for scene in scenes} == {0.0001}
    assert [len(inventory.series(kind)[0].items) for kind in ("ndvi", "cloud_mask", "cloud_probability")] == [68] * 3
    by_name = {(item.type, item.name): item for item in inventory.artifacts}
    assert by_name["raster", "dem"].fact("quantity") == "elevation"
    assert by_name["raster", "lulc"].fact("quantity") == "land_cover_class"
    assert by_name["vector", "lulc"].fact("features") == 88
    assert len({item.fact("grid") for item in inventory.rasters}) == 1
    assert [path for path, _ in inventory.unknown] == ["README.md"]
    assert (inventory.unreadable, inventory.disagreements) == ((), ())
