"""Legends of well-known class maps."""

from __future__ import annotations

import pytest

from knowflow.ground.errors import UnknownNameError
from knowflow.ground.quantities import quantity_kinds
from knowflow.knowledge.legends import check_legends, legend, legend_of, legends, numbers_named


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
    ]
    assert [None if one is None else one.legend for one in found] == [
        *("esa_worldcover", "corine", "corine_level3", "modis_igbp", "sentinel2_scl", None, None)
    ]


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
