"""Class maps of well-known products have the names of their legends, where nobody else names their numbers."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import rasterio
from hypothesis import given
from hypothesis import strategies as st
from rasters import write_raster

from knowflow.knowledge.legends import Legend, legend
from knowflow.model.facts import Origin
from knowflow.question.operators import Expression, IsClass, Over, Quantity, walk
from knowflow.question.reading.reader import read_by_rules
from knowflow.reason.data_words import data_words
from knowflow.reason.inventory import read_file, take_inventory

PUBLISHED = {
    "2021_30m_cdls": "usda_cdl",
    "cdl_2021": "usda_cdl",
    "CDL_2021_19": "usda_cdl",
    "aci_2020_sk_v1": "aafc_crop_inventory",
    "NA_NALCMS_landcover_2020_30m": "nalcms",
    "GLC_FCS30D_20002022_E10N50_Annual_V1.1": "glc_fcs30d",
    "CLCD_v01_2010_albert_hubei": "clcd",
    "globeland30_2010_clip": "globeland30",
    "CLMS_CLCPLUS_RAS_S2021_R10m_E48N37_03035_V01_R00": "clcplus_backbone",
    "clc_plus_backbone_2018_clip": "clcplus_backbone",
    "CLC2018_clip": "corine",
    "mapbiomas_collection80_coverage_2020": "mapbiomas",
    "brasil_coverage_2020": "mapbiomas",
    "EUCROPMAP_2018": "eucropmap",
    "OCS_2018": "oso",
    "nmd2018bas_ogeneraliserad_v1_1": "nmd",
    "MCD12Q1.061_LC_Type1_doy2020001_aid0001": "modis_igbp",
    "MCD12Q1.061_LC_Type2_doy2020001_aid0001": "modis_type2",
    "MCD12Q1.061_LC_Type5_doy2020001_aid0001": "modis_type5",
    "JRC_TMF_TransitionMap_MainClasses_v1_1982_2022_AFR_ID61_N10_E10": "tmf_transition",
    "JRC_TMF_AnnualChange_v1_2021_SAM_ID49_S10_W70": "tmf_annual",
    "transitions_10E_50Nv1_4_2021": "surface_water_transition",
    "GSW_transition_clip": "surface_water_transition",
    "soilgrids_wrb_MostProbable": "soilgrids_wrb",
    "Beck_KG_V1_present_0p0083": "koeppen_geiger",
    "koppen_geiger_0p1": "koeppen_geiger",
    "mtbs_CONUS_2018": "mtbs_severity",
    "ca3432011910520180801_20180715_20190718_dnbr6": "mtbs_severity",
    "drivers_forest_loss_1km_2001_2024_v1_2": "forest_loss_drivers",
    "Hansen_GFC-2022-v1.10_datamask_50N_010E": "hansen_datamask",
    "DLT_2018_010m_eu_03035_v020": "dominant_leaf_type",
    "FTY_2018_010m_eu_03035_v010": "forest_type",
    "WAW_2018_010m_eu_03035_v020": "water_and_wetness",
    "GHS_BUILT_C_MSZ_E2018_GLOBE_R2023A_54009_10_V1_0": "ghs_built_c",
    "ims2018032_4km_GIS_v1.3": "ims_snow",
}
NOT_TOLD = (
    "landcover_2020",  # of an unknown maker
    "LCM2007",
    "OCS_2016",  # of other classes, by the same numbers
    "GLC_FCS30_2015_E10N50",
    "koeppen_geiger_2010",  # of Beck, or of others with other numbers
    "CLCD_and_CDL_2020",  # of two
    "GHS_BUILT_C_FUN_E2018_GLOBE_R2023A_54009_10_V1_0",
    "MCD12Q1.061_LC_Prop2_doy2020001_aid0001",
)
FEW = 8  # classes, of which all occur


def class_map(folder: Path, name: str, numbers: tuple[int, ...], **tags: str) -> Path:
    path = folder / f"{name}.tif"
    write_raster(path, dtype="int16", tags=tags)
    with rasterio.open(path, "r+") as file:
        file.write(np.resize(np.array(numbers, np.int16), file.shape), 1)
    return path


def some_of(one: Legend) -> tuple[int, ...]:
    numbers = tuple(one.classes)
    return numbers[::2] if len(numbers) > FEW else numbers


def classes_of(path: Path) -> dict[int, str] | None:
    (found,) = take_inventory(path.parent).rasters
    named = found.fact("classes")
    return None if named is None else dict(named)


def readings(folder: Path, *questions: str) -> list[Expression | None]:
    data = data_words(take_inventory(folder))
    return [read_by_rules(one, data).expression for one in questions]


def names_meant(x: Expression | None) -> tuple[str, ...]:
    return () if x is None else tuple(name for _, one in walk(x) if isinstance(one, IsClass) for name in one.names)


@pytest.mark.parametrize(("name", "told"), PUBLISHED.items())
def test_a_file_named_as_published_has_the_names_of_its_legend(tmp_path: Path, name: str, told: str) -> None:
    path = class_map(tmp_path, name, some_of(legend(told)))
    assert classes_of(path) == legend(told).called
    known = read_file(path).known("classes")
    assert known is not None
    assert (known.origin, known.source) == (Origin.DECLARED, f"legend of {legend(told).title}")


@pytest.mark.parametrize("name", NOT_TOLD)
def test_what_may_be_of_another_maker_has_no_names(tmp_path: Path, name: str) -> None:
    assert classes_of(class_map(tmp_path, name, (1, 2, 3, 5))) is None


def test_a_number_that_the_product_does_not_have_is_of_another_map(tmp_path: Path) -> None:
    assert classes_of(class_map(tmp_path, "cdl_2021", (1, 5, 110))) is None


def test_names_in_the_file_and_beside_it_go_before_the_legend(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    own = class_map(tmp_path / "a", "cdl_2021", (1, 5), CLASSES=json.dumps({"1": "Maize", "5": "Soy"}))
    beside = class_map(tmp_path / "b", "cdl_2021", (1, 5))
    (tmp_path / "b/cdl_2021.csv").write_text("code,name\n1,Mais\n5,Soja\n")
    assert classes_of(own) == {1: "Maize", 5: "Soy"}
    assert classes_of(beside) == {1: "Mais", 5: "Soja"}


@given(which=st.sampled_from(sorted(set(PUBLISHED.values()))), data=st.data())
def test_any_numbers_of_a_product_have_its_names(
    tmp_path_factory: pytest.TempPathFactory, which: str, data: st.DataObject
) -> None:
    one = legend(which)
    numbers = data.draw(st.lists(st.sampled_from(sorted(one.classes)), min_size=3, max_size=6, unique=True))
    name = next(name for name, told in PUBLISHED.items() if told == which)
    path = class_map(tmp_path_factory.mktemp("maps"), name, tuple(numbers))
    named = classes_of(path)
    assert named is not None
    assert {number: named[number] for number in numbers} == {number: one.called[number] for number in numbers}


def test_crops_are_asked_for_by_what_people_call_them(tmp_path: Path) -> None:
    class_map(tmp_path, "cdl_2021", (1, 5, 24, 36, 141, 111))
    said = {
        "area of corn": "corn",
        "How many hectares of maize were there?": "corn",
        "area of soy": "soybeans",
        "hectares of soybean": "soybeans",
        "share of winter wheat": "winter wheat",
        "how much alfalfa is there": "alfalfa",
        "area of lucerne": "alfalfa",
        "area of forest": "forest",
        "area of cropland": "cropland",
    }
    found = readings(tmp_path, *said)
    assert [names_meant(x) for x in found] == [(name,) for name in said.values()]


def test_a_crop_is_no_class_that_has_two_in_one_year(tmp_path: Path) -> None:
    class_map(tmp_path, "cdl_2021", (1, 5, 24, 36, 141, 111))
    (found,) = readings(tmp_path, "area of corn crops")
    assert names_meant(found) in ((), ("corn",))


@pytest.mark.parametrize(
    ("name", "question", "meant"),
    [
        ("soilgrids_wrb_MostProbable", "share of the soil group Ferralsol", "Ferralsols"),
        ("soilgrids_wrb_MostProbable", "area of Ferralsols", "Ferralsols"),
        ("Beck_KG_V1_present_0p0083", "area with Cfb climate", "Cfb (temperate, no dry season, warm summer)"),
        ("mtbs_CONUS_2018", "area with severity class high", "high severity"),
        ("mtbs_CONUS_2018", "hectares of moderate severity", "moderate severity"),
        ("transitions_10E_50Nv1_4_2021", "area of permanent to seasonal water", "permanent to seasonal water"),
        ("drivers_forest_loss_1km_2001_2024_v1_2", "area lost to shifting cultivation", "shifting cultivation"),
        ("mapbiomas_collection80_coverage_2020", "area of pasture", "pasture"),
        ("mapbiomas_collection80_coverage_2020", "area of mangroves", "mangrove"),
    ],
)
def test_classes_are_asked_for_as_the_guide_of_the_producer_calls_them(
    tmp_path: Path, name: str, question: str, meant: str
) -> None:
    class_map(tmp_path, name, some_of(legend(PUBLISHED[name])))
    (found,) = readings(tmp_path, question)
    assert names_meant(found) == (meant,)


@pytest.mark.parametrize(
    ("name", "question"),
    [
        ("soilgrids_wrb_MostProbable", "area per soil group"),
        ("Beck_KG_V1_present_0p0083", "area of each climate zone"),
        ("mtbs_CONUS_2018", "area per severity class"),
    ],
)
def test_what_one_of_its_classes_is_called_is_a_key(tmp_path: Path, name: str, question: str) -> None:
    class_map(tmp_path, name, some_of(legend(PUBLISHED[name])))
    (found,) = readings(tmp_path, question)
    assert found is not None
    assert any(isinstance(one, Over) and one.statistic == "area" for _, one in walk(found))
    assert Quantity("class_label") in [one for _, one in walk(found)]
