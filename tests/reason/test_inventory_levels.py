"""The level of reflectance by what lies beside it and by the size of its pixels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio
from rasterio.transform import Affine
from rasters import UTM, write_raster

from knowflow.model.facts import Origin
from knowflow.reason.inventory import take_inventory

SURFACE, AT_TOP = "surface_bidirectional_reflectance", "toa_bidirectional_reflectance"


@pytest.mark.parametrize(
    ("beside", "level"),
    [
        ({"SCL": "scene_classification"}, SURFACE),
        ({"green_x": AT_TOP}, AT_TOP),
        ({"green_x": AT_TOP, "nir_x": SURFACE}, None),
        ({"ndvi_x": "ndvi"}, None),
    ],
)
def test_bands_are_at_the_level_of_those_beside_them(tmp_path: Path, beside: dict[str, str], level: str | None) -> None:
    write_raster(tmp_path / "one" / "red.tif", dtype="uint16")
    write_raster(tmp_path / "other" / "red.tif", dtype="uint16")
    for name, quantity in beside.items():
        write_raster(tmp_path / "one" / f"{name}.tif", dtype="uint16", tags={"QUANTITY": quantity})
    found = {Path(str(item.path)).relative_to(tmp_path).as_posix(): item for item in take_inventory(tmp_path).artifacts}
    fact = found["one/red.tif"].known("quantity")
    assert (fact and (fact.value, fact.origin)) == (level and (level, Origin.ASSUMED))
    assert found["other/red.tif"].fact("quantity") is None


def test_what_somebody_says_of_one_band_is_said_of_that_one(tmp_path: Path) -> None:
    for name in ("red", "nir"):
        write_raster(tmp_path / f"{name}.tif", dtype="uint16")
    found = take_inventory(tmp_path, assume=[f"red:quantity={SURFACE}"]).artifacts
    assert {item.name: item.fact("quantity") for item in found} == {"red": SURFACE, "nir": None}


@pytest.mark.parametrize(("pixel", "level"), [(0.08, SURFACE), (10, None)])
def test_reflectance_seen_from_near_is_that_of_the_surface(tmp_path: Path, pixel: float, level: str | None) -> None:
    near = {**UTM, "transform": Affine(pixel, 0, 500000, 0, -pixel, 5100000)}
    write_raster(tmp_path / "vineyard_reflectance_red.tif", georeference=near)
    assert take_inventory(tmp_path).artifacts[0].fact("quantity") == level


@pytest.mark.parametrize(
    ("bands", "pixel", "sensor"),
    [
        (("B04", "B8A", "B12"), 20, "sentinel-2"),
        (("B02", "B03", "B04", "B08"), 10, "sentinel-2"),
        (("B1", "B2", "B3"), 10, None),
        (("B04",), 10, None),
    ],
)
def test_bands_of_a_folder_are_of_the_only_sensor_that_has_them(
    tmp_path: Path, bands: tuple[str, ...], pixel: int, sensor: str | None
) -> None:
    grid = {**UTM, "transform": Affine(pixel, 0, 500000, 0, -pixel, 5100000)}
    for name in bands:
        write_raster(tmp_path / f"{name}_x.tif", dtype="uint16", georeference=grid)
    found = take_inventory(tmp_path).artifacts
    assert {item.fact("sensor") for item in found} == {sensor}
    assert all((item.fact("bands") is not None) >= (sensor is not None) for item in found)


def test_a_scene_classification_beside_tells_the_sensor_and_the_level(tmp_path: Path) -> None:
    write_raster(tmp_path / "B04.tif", dtype="uint16")
    write_raster(tmp_path / "SCL.tif", dtype="uint8", tags={"QUANTITY": "scene_classification"})
    red = next(item for item in take_inventory(tmp_path).artifacts if item.name == "B04")
    assert (red.fact("sensor"), red.fact("bands"), red.fact("quantity")) == ("sentinel-2", ("red",), SURFACE)


@pytest.mark.parametrize(("dtype", "nodata"), [("uint16", 0), ("float32", None), ("int16", None)])
def test_no_number_of_a_band_of_sentinel_2_is_0(tmp_path: Path, dtype: str, nodata: int | None) -> None:
    for name in ("B04", "B11"):
        write_raster(tmp_path / f"{name} 3-6-21.tif", dtype=dtype)
    write_raster(tmp_path / "scl 3-6-21.tif", dtype="uint8")
    facts = {item.name[:3]: item.facts.get("nodata") for item in take_inventory(tmp_path).artifacts}
    assert facts["scl"] is not None
    for name in ("B04", "B11"):
        assert (facts[name] and facts[name].value) == nodata
        assert facts[name] is None or facts[name].origin is Origin.ASSUMED


def test_bands_that_are_called_otherwise_are_of_another_sensor(tmp_path: Path) -> None:
    grid = {**UTM, "transform": Affine(30, 0, 500000, 0, -30, 5100000)}
    for name in ("left B04", "left B8A", "left B11", "right B05", "right B10"):
        write_raster(tmp_path / f"{name} 2022-07-12.tif", dtype="int16", georeference=grid)
    found = {item.name.split()[0]: item.fact("sensor") for item in take_inventory(tmp_path).artifacts}
    assert found["left"] == "sentinel-2"
    assert found["right"] != "sentinel-2"


@pytest.mark.parametrize(("wavelength", "band"), [("492", "blue"), ("833", "nir"), ("2186", "swir22"), ("620", None)])
def test_a_wavelength_in_a_name_is_that_of_a_band_of_the_sensor(
    tmp_path: Path, wavelength: str, band: str | None
) -> None:
    tags = {"SENSOR": "sentinel-2b", "QUANTITY": SURFACE}
    write_raster(tmp_path / f"lake_rhos_{wavelength}_2021-07-15.tif", tags=tags)
    assert take_inventory(tmp_path).artifacts[0].fact("bands") == (band and (band,))


def filled(path: Path, low: float, high: float, dtype: str = "uint16", **described: object) -> Path:
    write_raster(path, dtype=dtype, shape=(30, 40), **described)  # type: ignore[arg-type]
    with rasterio.open(path, "r+") as file:
        file.write(np.linspace(low, high, 1200).reshape(30, 40).astype(dtype), 1)
    return path


@pytest.mark.parametrize(
    ("name", "low", "high", "dtype", "quantity"),
    [
        ("site_red_20200815", 20, 1500, "uint16", SURFACE),
        ("site_B8A_2020-08-15", 0.02, 0.6, "float32", SURFACE),
        ("L8_L1TP_B4_30_06_2019", 6200, 16000, "uint16", AT_TOP),
        ("L8_B4_20190630", 6200, 16000, "uint16", None),  # the numbers of either level
        ("site_red_20200815", 3, 250, "uint8", None),
        ("site_red_20200815", -3000, 250, "int16", None),
        ("site_blue_20200815", -0.02, 0.3, "float32", SURFACE),
        ("20200815_vert", -0.04, 0.05, "float32", None),  # what is green in French moves up and down
        ("red_minus_nir_20200815", 0.02, 0.6, "float32", None),
    ],
)
def test_bands_of_light_are_of_the_surface_where_nothing_says_otherwise(
    tmp_path: Path, name: str, low: float, high: float, dtype: str, quantity: str | None
) -> None:
    filled(tmp_path / f"{name}.tif", low, high, dtype)
    fact = take_inventory(tmp_path).artifacts[0].known("quantity")
    assert (fact and (fact.value, fact.origin)) == (quantity and (quantity, Origin.ASSUMED))


@pytest.mark.parametrize(
    ("name", "low", "high", "quantity"),
    [
        ("20200531_vv_dB", -23, -3, "sigma0_db"),
        ("S1_VH_20200531", -30, -9, "sigma0_db"),
        ("VV_20200531", 0.01, 0.8, "sigma0"),
        ("rtc/iw-vv", 0.01, 0.8, "gamma0"),
        ("palsar2_HV_dB_2020", -27, -9, "gamma0_db"),
        ("vv_20200531", 100, 900, None),
        ("vh_vv_ratio_dB", -12, -3, None),
    ],
)
def test_radar_images_are_of_the_usual_backscatter_by_their_sign(
    tmp_path: Path, name: str, low: float, high: float, quantity: str | None
) -> None:
    filled(tmp_path / f"{name}.tif", low, high, "float32")
    fact = take_inventory(tmp_path).artifacts[0].known("quantity")
    usual = ("sigma0", "sigma0_db", "gamma0", "gamma0_db")
    assert (fact.value if fact and fact.value in usual else None) == quantity
    assert quantity is None or (fact and fact.origin is Origin.ASSUMED)


def test_radar_images_are_of_the_backscatter_of_those_beside_them(tmp_path: Path) -> None:
    filled(tmp_path / "a_vv.tif", -20, -3, "float32")
    filled(tmp_path / "b.tif", -20, -3, "float32", tags={"QUANTITY": "sigma0_db"})
    filled(tmp_path / "c_gamma0.tif", 0.01, 0.4, "float32")
    found = take_inventory(tmp_path).artifacts
    assert [item.fact("quantity") for item in found] == ["sigma0_db", "sigma0_db", "gamma0"]


def test_what_lost_its_place_is_not_taken_for_the_usual(tmp_path: Path) -> None:
    filled(tmp_path / "site_red_20200815.tif", 20, 1500, georeference=None)
    assert take_inventory(tmp_path).artifacts[0].fact("quantity") is None


def test_radar_images_are_not_flattened_because_others_are(tmp_path: Path) -> None:
    filled(tmp_path / "derived" / "a_vv.tif", -20, -3, "float32")
    filled(tmp_path / "scenes" / "b.tif", -20, -3, "float32", tags={"QUANTITY": "gamma0_db"})
    assert {item.fact("quantity") for item in take_inventory(tmp_path).artifacts} == {"gamma0_db", None}


def test_level_1_of_older_landsats_is_digital_numbers(tmp_path: Path) -> None:
    filled(tmp_path / "TM5_L1_1987_199_B4.tif", 20, 200, "uint8")
    assert take_inventory(tmp_path).artifacts[0].fact("quantity") == "digital_number"


@pytest.mark.parametrize(
    ("said", "band"),
    [
        ("nir surface reflectance", ("nir",)),
        ("surface reflectance, red", ("red",)),
        ("red edge 1 surface reflectance", ("rededge1",)),
        ("surface reflectance swir 2", ("swir22",)),
        ("red and nir surface reflectance", None),
        ("surface reflectance", None),
    ],
)
def test_the_band_that_a_description_names_is_that_of_the_file(
    tmp_path: Path, said: str, band: tuple[str, ...] | None
) -> None:
    write_raster(tmp_path / "x.tif", dtype="uint16", descriptions=(said,))
    (found,) = take_inventory(tmp_path).artifacts
    assert (found.fact("quantity"), found.fact("bands")) == (SURFACE, band)


def test_who_calls_one_image_by_the_top_of_the_atmosphere_means_no_other(tmp_path: Path) -> None:
    for name in ("lake_2Aug2023_blue_TOA_refl", "lake_2Aug2023_green_refl", "lake_2Aug2023_red_refl"):
        filled(tmp_path / f"{name}.tif", 0.01, 0.4, "float32")
    found = {item.name[-8:]: item.fact("quantity") for item in take_inventory(tmp_path).artifacts}
    assert found == {"TOA_refl": AT_TOP, "een_refl": SURFACE, "red_refl": SURFACE}


@pytest.mark.parametrize("name", ["S1A_IW_20211109T005202_DVP_RTC30_G_sauned_5E77_VV", "sigma_amp_20211109_vv"])
def test_an_amplitude_of_backscatter_is_asked_back(tmp_path: Path, name: str) -> None:
    filled(tmp_path / f"{name}.tif", 0.03, 0.8, "float32")
    found = take_inventory(tmp_path)
    assert found.artifacts[0].fact("quantity") is None
    told = {one.value for one in found.open[str(found.artifacts[0].path), None] if one.fact == "quantity"}
    assert {"radar_amplitude", "sigma0"} <= told


def test_the_band_of_cirrus_tells_that_those_beside_it_are_at_the_top_of_the_atmosphere(tmp_path: Path) -> None:
    for band in ("B02", "B04", "B10"):
        filled(tmp_path / f"S2A_2017.03.18_{band}.tif", 900, 3000, "uint16")
    assert {item.fact("quantity") for item in take_inventory(tmp_path).artifacts} == {AT_TOP}


@pytest.mark.parametrize("name", ["hls_2017.03.18_{}.tif", "S30/{}_2017.03.18.tif"])
def test_cirrus_of_a_harmonized_series_says_nothing_of_the_bands_beside_it(tmp_path: Path, name: str) -> None:
    for band in ("B02", "B04", "B10"):
        path = tmp_path / name.format(band)
        path.parent.mkdir(exist_ok=True)
        filled(path, 900, 3000, "int16")
    found = {Path(str(item.path)).name: item.fact("quantity") for item in take_inventory(tmp_path).artifacts}
    assert {kind for file, kind in found.items() if "B10" not in file} == {SURFACE}
    assert {kind for file, kind in found.items() if "B10" in file} == {AT_TOP}


def test_radar_images_beside_a_map_of_layover_may_be_of_flattened_slopes(tmp_path: Path) -> None:
    for band in ("VV", "VH"):
        filled(tmp_path / f"2022-02-20_{band}.tif", 0.01, 0.4, "float32")
    filled(tmp_path / "2022-02-20_ls_map.tif", 1, 21, "uint8")
    found = {Path(str(item.path)).name: item.fact("quantity") for item in take_inventory(tmp_path).artifacts}
    assert found["2022-02-20_VV.tif"] is found["2022-02-20_VH.tif"] is None


def test_the_scale_of_a_product_goes_with_its_unit(tmp_path: Path) -> None:
    path = filled(tmp_path / "clay_0-5cm_mean.tif", 60, 480, "int16")
    filled(tmp_path / "phh2o_0-5cm_mean.tif", 50, 80, "int16")
    with rasterio.open(path, "r+") as file:
        file.units = ("g/kg",)
    found = {str(item.fact("quantity")): item for item in take_inventory(tmp_path).artifacts}
    assert (found["clay_content"].fact("unit"), found["clay_content"].fact("scale")) == ("g kg-1", 1.0)
