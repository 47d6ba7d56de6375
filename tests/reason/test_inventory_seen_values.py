"""A glance at the pixels tells the unit of a temperature, and leaves out what a layer cannot be."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio
from hypothesis import given, settings
from hypothesis import strategies as st
from rasters import write_raster

from knowflow.ground.quantities import quantity_kinds
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Facts, Origin
from knowflow.reason.inventory import read_file, take_inventory
from knowflow.reason.inventory.glance import glance
from knowflow.reason.inventory.guesses import MOST, masks_in_words


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
    filled(tmp_path / "a.tif", low, high, descriptions=("VV",), georeference=None)
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


def whole(path: Path, codes: list[int], **described: object) -> Path:
    """A raster of whole numbers in patches."""
    write_raster(path, shape=(40, 40), dtype="uint8", **described)  # type: ignore[arg-type]
    with rasterio.open(path, "r+") as file:
        file.write(np.resize(np.repeat(codes, 40), (40, 40)).astype("uint8"), 1)
    return path


USUAL = [  # (quantity, unit, factor from the unit of the kind, the largest number in the unit of the kind)
    *(("incidence_angle", unit, factor, st.floats(20, 60)) for unit, factor in (("degree", 1), ("rad", np.pi / 180))),
    *(("secchi_depth", unit, factor, st.floats(0.8, 3)) for unit, factor in (("m", 1), ("cm", 100))),
    *(("snow_water_equivalent", unit, factor, st.floats(50, 900)) for unit, factor in (("mm", 1), ("m", 0.001))),
    *(("tree_cover_fraction", unit, factor, st.floats(0.2, 0.9)) for unit, factor in (("1", 1), ("%", 100))),
    *(("aboveground_biomass", unit, factor, st.floats(15, 30)) for unit, factor in (("Mg ha-1", 10),)),
    *(("roughness", unit, factor, st.floats(2, 300)) for unit, factor in (("m", 1),)),
    *(("vapour_pressure", unit, factor, st.floats(800, 2800)) for unit, factor in (("kPa", 0.001), ("hPa", 0.01))),
    *(("bulk_density", unit, factor, st.floats(0.8, 1.8)) for unit, factor in (("kg dm-3", 1), ("kg m-3", 1000))),
]


@settings(max_examples=40)
@given(told=st.sampled_from(USUAL), data=st.data())
def test_the_unit_is_the_only_one_in_which_the_values_are_ordinary(
    told: tuple[str, str, float, st.SearchStrategy[float]],
    data: st.DataObject,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    quantity, unit, factor, tops = told
    top = data.draw(tops)
    path = filled(
        tmp_path_factory.mktemp("units") / "a.tif", 0.05 * top * factor, top * factor, tags={"QUANTITY": quantity}
    )
    assert read_file(path).fact("unit") == unit


@pytest.mark.parametrize(("unit", "factor"), [("Pa", 1.0), ("hPa", 0.01), ("kPa", 0.001)])
def test_pressures_tell_their_unit(tmp_path: Path, unit: str, factor: float) -> None:
    path = filled(tmp_path / "a.tif", 91_000 * factor, 103_000 * factor, tags={"QUANTITY": "surface_pressure"})
    assert read_file(path).fact("unit") == unit


@pytest.mark.parametrize(
    ("quantity", "high"), [("secchi_depth", 20), ("precipitation", 0.4), ("difference", 5), ("evapotranspiration", 5)]
)
def test_values_that_are_ordinary_in_several_units_tell_none(tmp_path: Path, quantity: str, high: float) -> None:
    assert read_file(filled(tmp_path / "a.tif", 0, high, tags={"QUANTITY": quantity})).fact("unit") is None


@pytest.mark.parametrize(
    ("name", "mask"),
    [
        ("flood_otsu_20230518", "flood_mask"),
        ("water_20200209", "water_mask"),
        ("flooded_land_2020", "flood_mask"),
        ("forest_loss_2019", "change_mask"),
        ("forest_2020_from_RFDI", "forest_mask"),
        ("cloud_shadow_20200101", "cloud_shadow_mask"),
        ("quarry_20200101", None),
        ("land_1_water_0", None),
    ],
)
def test_yes_and_no_is_the_mask_of_what_its_name_speaks_of(tmp_path: Path, name: str, mask: str | None) -> None:
    whole(tmp_path / f"{name}.tif", [0, 1])
    taken = take_inventory(tmp_path)
    (item,) = taken.artifacts
    assert (item.fact("quantity"), item.fact("unit")) == (mask, mask and "1")
    if mask is None:
        offered = [one.value for one in taken.open[str(item.path), None] if one.fact == "quantity"]
        assert "mask" in offered


def test_what_is_no_whole_number_was_not_counted(tmp_path: Path) -> None:
    name = "LE07_L1TP_191028_20180802_20180814_01_T1_B3"
    (counts,) = take_inventory(whole(tmp_path / "counts" / f"{name}.tif", [70, 90, 240]).parent).artifacts
    assert counts.fact("quantity") == "digital_number"
    (other,) = take_inventory(filled(tmp_path / "other" / f"{name}.tif", 0.01, 0.6).parent).artifacts
    assert other.fact("quantity") is None


@pytest.mark.parametrize(
    ("folder", "name", "described", "mask"),
    [
        ("Schnee_Tirol", "Gletschermaske", {}, "ice_mask"),  # what its own name says goes before its folder
        ("Schnee_Tirol", "mask_20200315", {}, "snow_mask"),
        ("Donau_2024", "Flutmaske_05-06-2024", {}, "flood_mask"),
        ("floods_2024", "permanent_2021", {}, None),
        ("results", "paddies_20180704", {"band_tags": {"long_name": "1 = rice field with water"}}, None),
        ("results", "paddies_20180704", {"band_tags": {"long_name": "1 = water, 0 = no water"}}, "water_mask"),
    ],
)
def test_a_folder_or_description_that_says_more_says_no_mask(
    tmp_path: Path, folder: str, name: str, described: dict[str, object], mask: str | None
) -> None:
    (tmp_path / folder).mkdir()
    whole(tmp_path / folder / f"{name}.tif", [0, 1], **described)
    (item,) = take_inventory(tmp_path).artifacts
    assert item.fact("quantity") == mask


@pytest.mark.parametrize(("name", "is_"), [("script_NDWI_2021-06-12", None), ("dem_2021", "elevation")])
def test_an_index_that_fills_eight_bits_is_drawn_or_packed(tmp_path: Path, name: str, is_: str | None) -> None:
    write_raster(tmp_path / f"{name}.tif", shape=(40, 40), dtype="uint8" if is_ is None else "int16")
    with rasterio.open(tmp_path / f"{name}.tif", "r+") as file:
        file.write(np.linspace(0, 255, 1600).reshape(40, 40).astype(file.dtypes[0]), 1)
    taken = take_inventory(tmp_path)
    (item,) = taken.artifacts
    assert item.fact("quantity") == is_
    if is_ is None:
        assert {"ndwi", "display_value"} <= {one.value for one in taken.open[str(item.path), None]}


@given(st.sampled_from(["wolken", "wasser", "schnee", "wald", "snow", "cloud"]), st.sampled_from(["mask", "maske"]))
def test_words_written_together_with_mask_are_masks_of_it(word: str, mask: str) -> None:
    item = Artifact(type="raster", facts=Facts(), name=f"{word}{mask}", path=f"a/{word}{mask}_2020.tif")
    (found,) = masks_in_words(item)
    assert word in quantity_kinds()[found].words


def test_yes_may_be_255(tmp_path: Path) -> None:
    (item,) = take_inventory(whole(tmp_path / "settlement_2019.tif", [0, 255]).parent).artifacts
    assert item.fact("quantity") == "built_up_mask"


@pytest.mark.parametrize(
    ("name", "codes", "described"),
    [
        ("coherence_20210908", [0, 1], {}),
        ("DEM_30m", [2, 9, 17], {}),
        ("soil_moisture_20200601", [3, 7], {"band_tags": {"units": "K"}}),
    ],
)
def test_a_name_that_values_or_unit_contradict_is_told_and_its_quantity_is_open(
    tmp_path: Path, name: str, codes: list[int], described: dict[str, object]
) -> None:
    whole(tmp_path / f"{name}.tif", codes, **described)
    taken = take_inventory(tmp_path)
    assert taken.artifacts[0].fact("quantity") is None
    assert any(f"{name}.tif: it is no " in said for said in taken.disagreements)


def test_decimal_values_out_of_the_range_of_a_name_are_told_but_fill_that_nobody_declared_is_none(
    tmp_path: Path,
) -> None:
    filled(tmp_path / "coherence_loss.tif", -0.9, 0.2)
    path = filled(tmp_path / "coherence_20200101.tif", 0.1, 0.9)
    with rasterio.open(path, "r+") as file:
        numbers = file.read(1)
        numbers[:10] = -9999
        file.write(numbers, 1)
    found = {item.name: item.fact("quantity") for item in take_inventory(tmp_path).artifacts}
    assert found == {"coherence_loss": None, "coherence_20200101": "coherence"}


@pytest.mark.parametrize(
    ("name", "low", "high", "offered"),
    [
        ("export", -0.3, 0.9, "ndvi"),
        ("hiking_elev_part", 300, 2400, "elevation"),
        ("TRI_small", 0.4, 62, "terrain_ruggedness_index"),
        ("lights_jan", 0.1, 70, "night_lights"),
        ("incidence_left", 30, 45, "incidence_angle"),
    ],
)
def test_words_and_values_make_candidates(tmp_path: Path, name: str, low: float, high: float, offered: str) -> None:
    filled(tmp_path / f"{name}.tif", low, high)
    taken = take_inventory(tmp_path)
    quantity = taken.artifacts[0].fact("quantity")
    found = [one.value for one in taken.open.get((str(tmp_path / f"{name}.tif"), None), ()) if one.fact == "quantity"]
    assert quantity == offered or offered in found
    assert len(found) <= MOST


def test_what_cannot_be_in_the_unit_of_a_layer_is_left_out_and_stops_nothing(tmp_path: Path) -> None:
    filled(tmp_path / "t2m_tp_20190701.tif", 280, 300, band_tags={"units": "K"})
    taken = take_inventory(tmp_path)
    said = {one.value for open in taken.open.values() for one in open if one.fact == "quantity"}
    assert "precipitation" not in said


@pytest.mark.parametrize(
    ("name", "quantity"),
    [
        ("NO2_diff_2020.tif", "difference"),
        ("diff_rain_minus_model_mm_2019.tif", "difference"),
        ("dhdt_2019.tif", "trend_per_year"),
    ],
)
def test_what_is_told_in_the_unit_of_its_layer_is_of_any_unit_and_range(
    tmp_path: Path, name: str, quantity: str
) -> None:
    filled(tmp_path / name, -244, 175, tags={"UNIT": "mm"})
    assert take_inventory(tmp_path).artifacts[0].fact("quantity") == quantity


@pytest.mark.parametrize("name", ["sea_ice_concentration", "snow_fraction", "soil_moisture", "fapar"])
def test_a_share_in_per_cent_is_that_share(tmp_path: Path, name: str) -> None:
    filled(tmp_path / f"{name}_20200115.tif", 2, 96)
    (item,) = take_inventory(tmp_path).artifacts
    assert (item.fact("quantity"), item.fact("unit")) == (name, "%")


def test_more_numbers_than_there_are_classes_are_shares(tmp_path: Path) -> None:
    filled(tmp_path / "cgls_lc100_2019.tif", 0, 100, dtype="uint8")
    found = take_inventory(tmp_path)
    assert found.artifacts[0].fact("quantity") is None
    assert "more than there are classes" in " ".join(found.disagreements)


def test_what_soil_is_made_of_may_be_told_in_parts_of_a_thousand(tmp_path: Path) -> None:
    filled(tmp_path / "topsoil_clay.tif", 120, 420, dtype="int16")
    (item,) = take_inventory(tmp_path).artifacts
    assert (item.fact("quantity"), item.fact("unit")) == ("clay_content", "g kg-1")
    assert item.known("unit").origin is Origin.ASSUMED


def test_soil_in_more_than_parts_of_a_thousand_lacks_a_scale(tmp_path: Path) -> None:
    filled(tmp_path / "topsoil_clay.tif", 1200, 4200, dtype="int16")
    found = take_inventory(tmp_path)
    (item,) = found.artifacts
    assert (item.fact("quantity"), item.fact("unit")) == ("clay_content", None)
    assert {one.value for one in found.open[str(item.path), None] if one.fact == "unit"} == {"g kg-1", "%", "1"}


def test_what_was_made_of_a_layer_is_not_that_layer_whatever_its_description_names(tmp_path: Path) -> None:
    filled(
        tmp_path / "regrowth_ndvi_trend_2018-2023.tif",
        -0.02,
        0.09,
        dtype="float32",
        tags={"LONG_NAME": "NDVI per year"},
    )
    filled(tmp_path / "ndvi_anomaly_2018.tif", -0.2, 0.2, dtype="float32", tags={"LONG_NAME": "NDVI"})
    found = {item.name[:5]: item.fact("quantity") for item in take_inventory(tmp_path).artifacts}
    assert found == {"regro": "trend_per_year", "ndvi_": None}


def test_what_contradicts_many_names_alike_is_told_once(tmp_path: Path) -> None:
    for day in range(1, 8):
        filled(tmp_path / f"LST_K_2015010{day}.tif", 0.01, 0.9, dtype="float32")
    (said,) = [one for one in take_inventory(tmp_path).disagreements if "it is no surface_temperature" in one]
    assert said.startswith("LST_K_20150101.tif and 6 more: ")


def test_albedo_in_eight_bits_up_to_a_hundred_is_told_in_per_cent(tmp_path: Path) -> None:
    filled(tmp_path / "albedo_neige_20190214.tif", 30, 92, dtype="uint8")
    (item,) = take_inventory(tmp_path).artifacts
    assert (item.fact("quantity"), item.fact("unit")) == ("surface_albedo", "%")


def test_acidity_in_its_own_scale_is_a_pure_number(tmp_path: Path) -> None:
    write_raster(tmp_path / "phh2o_5-15cm_mean.tif", tags={"QUANTITY": "soil_ph", "UNIT": "pH"})
    (item,) = take_inventory(tmp_path).artifacts
    assert (item.fact("quantity"), item.fact("unit")) == ("soil_ph", "1")


def test_of_yes_and_no_masks_are_shown_whatever_their_number(tmp_path: Path) -> None:
    filled(tmp_path / "qwerty.tif", 0, 1, dtype="uint8")
    found = take_inventory(tmp_path)
    shown = [one.value for one in found.open[str(found.artifacts[0].path), None] if one.fact == "quantity"]
    assert sum(quantity_kinds()[str(one)].family == "mask" for one in shown) > 4
    assert len(shown) <= MOST


@pytest.mark.parametrize("name", ["Hs_2016-02-19_06UTC.tif", "nDOM_2017_1m.tif"])
def test_what_a_short_name_may_mean_is_asked_back(tmp_path: Path, name: str) -> None:
    filled(tmp_path / name, 0, 9, dtype="float32")
    found = take_inventory(tmp_path)
    assert found.artifacts[0].fact("quantity") is None
    shown = {one.value for one in found.open[str(found.artifacts[0].path), None] if one.fact == "quantity"}
    assert shown & {"significant_wave_height", "canopy_height"}


def test_an_index_whose_numbers_have_names_is_a_map_of_classes(tmp_path: Path) -> None:
    """``burn_severity`` may be the index or its classes; the numbers of the second have names."""
    for name, tags, quantity in (
        ("burn_severity_2020.tif", {"LEGEND": "0=Unburned;1=Low severity;2=High severity"}, "class_label"),
        ("burn_severity_2021.tif", {}, "dnbr"),
    ):
        path = whole(tmp_path / name, [0, 1, 2])
        with rasterio.open(path, "r+") as dataset:
            dataset.update_tags(**tags)
        assert take_inventory(path).artifacts[0].fact("quantity") == quantity, name


@pytest.mark.parametrize(
    ("name", "unit", "quantity"),
    [
        ("IMERG_daily_20200715.tif", "mm", "precipitation"),
        ("IMERG_daily_20200715.tif", "mm/hr", "precipitation_rate"),
        ("solar_radiation_2020.tif", "kWh m-2", "downward_shortwave_energy"),
        ("uo_20210615.tif", "m s-1", "eastward_sea_water_velocity"),
        ("NO2_2021.tif", "ug m-3", "no2_concentration"),
    ],
)
def test_the_unit_of_a_header_tells_which_of_several_it_is(
    tmp_path: Path, name: str, unit: str, quantity: str | None
) -> None:
    filled(tmp_path / name, 0, 3, tags={"UNIT": unit})
    assert take_inventory(tmp_path).artifacts[0].fact("quantity") == quantity


@pytest.mark.parametrize(("latitude", "first"), [(48.0, "2022-06-01"), (-30.0, None), (2.0, None)])
def test_a_season_is_that_of_its_side_of_the_earth(tmp_path: Path, latitude: float, first: str | None) -> None:
    place = {"crs": "EPSG:4326", "transform": rasterio.Affine(0.001, 0, 10.0, 0, -0.001, latitude)}
    filled(tmp_path / "LST_summer_2022.tif", 12, 38, georeference=place)
    known = take_inventory(tmp_path).artifacts[0].known("span")
    assert (None if known is None else known.value[0]) == first
    assert known is None or known.origin is Origin.ASSUMED


@pytest.mark.parametrize(("most", "stored"), [(1000, ("%", 0.1)), (400_000, (None, None))])
def test_a_share_in_numbers_beyond_per_cent_is_stored_as_products_do_or_nobody_knows(
    tmp_path: Path, most: int, stored: tuple[str | None, float | None]
) -> None:
    filled(tmp_path / "nsidc_sic_20210315.tif", 0, most, dtype="uint16" if most < 2**16 else "uint32")
    (item,) = take_inventory(tmp_path).artifacts
    assert (item.fact("unit"), item.fact("scale")) == stored


def test_what_is_called_a_mask_of_anything_is_one(tmp_path: Path) -> None:
    whole(tmp_path / "oil_spill_mask_20210615.tif", [0, 1])
    whole(tmp_path / "forest_mask.tif", [0, 1])
    assert {item.fact("quantity") for item in take_inventory(tmp_path).artifacts} == {"mask", "forest_mask"}


def test_numbers_of_several_days_are_those_of_one_by_their_scale(tmp_path: Path) -> None:
    filled(tmp_path / "MOD16A2GF_ET_2022145.tif", 30, 320, dtype="int16", scale=0.1, tags={"UNIT": "kg/m^2/8day"})
    facts = take_inventory(tmp_path).artifacts[0].facts
    assert (facts.value("unit"), facts.value("scale")) == ("kg day-1 m-2", pytest.approx(0.0125))


@pytest.mark.parametrize("hidden", [True, False])
def test_a_fourth_band_of_nothing_but_0_and_255_is_no_colour(tmp_path: Path, hidden: bool) -> None:
    write_raster(tmp_path / "ortho_20220609.tif", count=4, dtype="uint8", shape=(40, 40), photometric="RGB")
    with rasterio.open(tmp_path / "ortho_20220609.tif", "r+") as file:
        file.write(np.resize([0, 255] if hidden else [40, 90, 200], (40, 40)).astype("uint8"), 4)
    found = [item.fact("quantity") for item in take_inventory(tmp_path).artifacts]
    assert found == (["display_value"] * 3 + ["valid_mask"] if hidden else [None])
