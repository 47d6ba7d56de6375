"""Legends of well-known class maps."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowflow.ground.errors import UnknownNameError
from knowflow.ground.quantities import quantity_kinds
from knowflow.knowledge.legends import (
    check_legends,
    each_called,
    legend,
    legend_calling,
    legend_of,
    legends,
    numbers_named,
)


def test_the_packaged_legends_have_no_problems() -> None:
    assert check_legends() == ()
    assert {"esa_worldcover", "corine", "corine_level3", "modis_igbp", "sentinel2_scl"} <= set(legends())
    assert all(one.source.startswith("https://") for one in legends().values())


@pytest.mark.parametrize(
    ("name", "asked", "numbers"),
    [
        ("esa_worldcover", "forest", (10,)),
        ("esa_worldcover", "Tree cover", (10,)),
        ("esa_worldcover", "wetland", (90, 95)),  # mangroves, too
        ("modis_igbp", "forest", (1, 2, 3, 4, 5)),
        ("modis_igbp", "mixed forest", (5,)),
        ("modis_igbp", "built_up", (13,)),
        ("corine", "forest", (23, 24, 25)),
        ("corine_level3", "forest", (311, 312, 313)),
        ("corine_level3", "cropland", (211, 212, 213, 221, 222, 223, 241, 242, 243, 244)),
        ("modis_igbp", "croplands", (12, 14)),  # all that is cropland, of which one is called so
        ("usda_cdl", "corn", (1,)),
        ("usda_cdl", "wheat", (22, 23, 24, 26, 225, 230, 234, 236, 238)),
        ("usda_cdl", "forest", (141, 142, 143)),
        ("usda_cdl_until_2007", "forest", (63,)),
        ("aafc_crop_inventory", "wheat", (140, 145, 146)),
        ("mapbiomas", "mangroves", (5,)),
        ("mtbs_severity", "high severity", (4,)),
        ("surface_water_transition", "permanent to seasonal water", (8,)),
        ("soilgrids_wrb", "Ferralsol", (10,)),
        ("koeppen_geiger", "Cfb", (15,)),
        ("koeppen_geiger", "arid", (4, 5, 6, 7)),
        ("sentinel2_scl", "snow", (11,)),
        ("sentinel2_scl", "vegetation", (4,)),
        ("esa_worldcover", "moon", ()),
    ],
)
def test_classes_by_the_names_people_use(name: str, asked: str, numbers: tuple[int, ...]) -> None:
    assert legend(name).numbers(asked) == numbers


def test_a_product_is_told_by_its_name_and_its_numbers() -> None:
    found = [
        legend_of("land_cover_class", ("ESA_WorldCover_10m_2021_v200_N45E012_Map",), lambda: {10, 80}),
        legend_of("land_cover_class", ("U2018_CLC2018_V2020_20u1",), lambda: {1, 23, 44}),
        legend_of("land_cover_class", ("CLC2018",), lambda: {111, 311}),
        legend_of("land_cover_class", ("MCD12Q1.061_LC_Type1_doy2020001",), lambda: {1, 17}),
        legend_of("scene_classification", ("anything",), lambda: {0, 4}),
        legend_of("land_cover_class", ("ESA_WorldCover",), lambda: {7}),  # a number that the product does not have
        legend_of("land_cover_class", ("lulc",), lambda: {1, 2}),
        legend_of("land_cover_class", ("CLC_plus_backbone_2018",), lambda: {1, 7}),
        legend_of("land_cover_class", ("MCD12Q1_LC_Type2",), lambda: {1, 2}),
        legend_of("class_label", ("TMF_TransitionMap_Subtypes",), lambda: {10, 20}),
    ]
    assert [None if one is None else one.legend for one in found] == [
        *("esa_worldcover", "corine", "corine_level3", "modis_igbp", "sentinel2_scl", None, None),
        *("clcplus_backbone", "modis_type2", None),
    ]


def test_a_map_that_two_legends_name_differently_is_of_none() -> None:
    assert legend_of("land_cover_class", ("CLCD_or_CDL",), lambda: {1, 2}) is None
    assert legend_of("land_cover_class", ("cdl_1999",), lambda: {1, 5}) is not None  # crops are the same in both


@pytest.mark.parametrize("name", sorted(legends()))
def test_a_legend_is_found_by_what_it_calls_its_numbers(name: str) -> None:
    one = legend(name)
    assert legend_calling(one.called) == one
    assert legend_calling({code: called for code, called in one.called.items() if code != min(one.classes)}) != one


@given(name=st.sampled_from(sorted(legends())), data=st.data())
def test_what_people_ask_for_is_all_that_is_of_it(name: str, data: st.DataObject) -> None:
    one = legend(name)
    code = data.draw(st.sampled_from(sorted(one.classes)))
    assert code in one.numbers(one.classes[code].name)
    for meant in one.classes[code].meant:
        assert {other for other, entry in one.classes.items() if meant in entry.meant} <= set(one.numbers(meant))


def test_two_numbers_of_one_name_are_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / ".knowflow" / "pkb" / "legends"
    folder.mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    text = "legend: twice\ntitle: Twice\nclasses:\n  1: {name: wood}\n  2: {name: wood}\nsource: https://example.org\n"
    folder.joinpath("twice.yaml").write_text(text)
    assert [(one.code, one.found) for one in check_legends()] == [("repeated_name", "'wood'")] * 2


def test_the_scene_classification_agrees_with_its_quantity_kind() -> None:
    kind = quantity_kinds()["scene_classification"].classes
    assert {code: one.name.replace(" ", "_") for code, one in legend("sentinel2_scl").classes.items()} == dict(kind)


def test_a_whole_name_goes_before_a_part_of_one() -> None:
    names = {1: "Forest", 2: "mixed forests", 3: "forest edge"}
    assert numbers_named(names, "forests") == (1,)
    assert numbers_named({2: "mixed forests", 3: "forest edge", 4: "deforestation"}, "forest") == (2, 3)


def test_an_unknown_legend_lists_those_there_are() -> None:
    with pytest.raises(UnknownNameError) as error:
        legend("moon_cover")
    assert "corine" in str(error.value.expected)


def test_what_one_class_is_called_is_known_where_names_agree_for_the_most_part() -> None:
    own = {1: "Corn", 5: "Soybeans", 36: "Alfalfa", 176: "Grassland/Pasture"}
    assert "crop" in each_called(own)
    assert each_called({**own, 5: "Rye", 36: "Forest"}) == ()
    assert each_called({}) == each_called({1: "Corn", 9999: "Soybeans"}) == ()
