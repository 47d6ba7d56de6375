"""Counts, radiance, reflectance, temperature: worked examples, and inverses of what was simulated."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from drawn_rasters import draw, read

from knowflow.ground.errors import MissingFactError, ToolError
from knowflow.reason.inventory import take_inventory
from knowflow.tools.dates import moment
from knowflow.tools.kernels import radiometry as kernel
from knowflow.tools.radiometry import (
    RADIANCE_UNIT,
    brightness_temperature,
    calibrate_counts,
    dark_object_subtraction,
    reflectance_from_radiance,
)

PRODUCT = "LC08_L1TP_191028_20220601_20220610_02_T1"
MTL = """GROUP = LANDSAT_METADATA_FILE
  GROUP = IMAGE_ATTRIBUTES
    SPACECRAFT_ID = "LANDSAT_8"
    DATE_ACQUIRED = 2022-06-01
    SCENE_CENTER_TIME = "09:52:03.1234560Z"
    CLOUD_COVER = 1.00
    SUN_AZIMUTH = 145.5
    SUN_ELEVATION = 30.0
  END_GROUP = IMAGE_ATTRIBUTES
  GROUP = LEVEL1_RADIOMETRIC_RESCALING
    RADIANCE_MULT_BAND_10 = 3.3420E-04
    RADIANCE_ADD_BAND_10 = 0.10000
    REFLECTANCE_MULT_BAND_4 = 2.0000E-05
    REFLECTANCE_ADD_BAND_4 = -0.100000
  END_GROUP = LEVEL1_RADIOMETRIC_RESCALING
  GROUP = LEVEL1_THERMAL_CONSTANTS
    K1_CONSTANT_BAND_10 = 774.8853
    K2_CONSTANT_BAND_10 = 1321.0789
  END_GROUP = LEVEL1_THERMAL_CONSTANTS
END_GROUP = LANDSAT_METADATA_FILE
END
"""


@pytest.mark.parametrize(
    ("date", "kilometres"),
    [
        ("2022-01-04T06:55", 147_105_052),  # perihelion and aphelion, as almanacs list them
        ("2022-07-04T07:11", 152_098_455),
        ("2020-01-05T07:48", 147_091_144),
        ("2020-07-04T11:35", 152_095_295),
    ],
)
def test_the_sun_is_as_far_as_almanacs_say(date: str, kilometres: float) -> None:
    assert kernel.sun_distance(moment(date)) == pytest.approx(kilometres / 149_597_870.7, abs=1e-4)


def test_brightness_temperature_undoes_planck(tmp_path: Path) -> None:
    """The radiance of black bodies by the same two constants, and by Planck's law at the band's centre."""
    temperatures = np.array([[250.0, 280.0, 300.0, 330.0]])
    k1, k2 = kernel.THERMAL_CONSTANTS["landsat-8"]["B10"]
    radiance = (k1 / np.expm1(k2 / temperatures)).astype(np.float32)
    raster = draw(tmp_path / "l.tif", radiance, quantity="toa_radiance", unit=RADIANCE_UNIT, thermal_constants=(k1, k2))
    brightness_temperature(raster, tmp_path / "bt.tif")
    found, about = read(tmp_path / "bt.tif")
    np.testing.assert_allclose(found, temperatures, atol=2e-4)
    assert (about["QUANTITY"], about["UNIT"]) == ("toa_brightness_temperature", "K")
    c1, c2, wavelength = 1.191042972e8, 14387.76877, 10.895
    planck = c1 / (wavelength**5 * np.expm1(c2 / (wavelength * temperatures)))
    np.testing.assert_allclose(kernel.brightness_temperature(planck, k1, k2), temperatures, atol=1.5)


def test_constants_of_a_satellite_and_those_given(tmp_path: Path) -> None:
    """Chander et al. 2009, table 7: 1 W m-2 sr-1 um-1 is far below the range, 9 is a warm day."""
    raster = draw(tmp_path / "l.tif", np.array([[9.0]], np.float32), quantity="toa_radiance", bands=("lwir",))
    expected = {"landsat-4": (671.62, 1284.30), "landsat-5": (607.76, 1260.56), "landsat-7": (666.09, 1282.71)}
    for satellite, (k1, k2) in expected.items():
        brightness_temperature(raster, tmp_path / "bt.tif", satellite=satellite)  # type: ignore[arg-type]
        value = read(tmp_path / "bt.tif")[0][0, 0]
        assert value == pytest.approx(k2 / math.log(k1 / 9 + 1), abs=1e-3)
        brightness_temperature(raster, tmp_path / "bt.tif", k1=k1, k2=k2)
        assert read(tmp_path / "bt.tif")[0][0, 0] == value
    with pytest.raises(MissingFactError, match="thermal constants"):  # 10 or 11: the band decides
        brightness_temperature(raster, tmp_path / "bt.tif", satellite="landsat-8")
    with pytest.raises(MissingFactError, match="thermal constants"):
        brightness_temperature(raster, tmp_path / "bt.tif")


def test_radiance_in_another_unit_gives_the_same_temperature(tmp_path: Path) -> None:
    values = np.array([[9.0]], np.float32)
    per_metre = draw(tmp_path / "a.tif", values * 1e-3, quantity="toa_radiance", unit="mW m-2 sr-1 nm-1")
    per_metre_plain = draw(tmp_path / "b.tif", values, quantity="toa_radiance", unit=RADIANCE_UNIT)
    found = []
    for raster, factor in ((per_metre, 1e-3), (per_metre_plain, 1.0)):
        brightness_temperature(raster, tmp_path / "bt.tif", satellite="landsat-5")
        found.append((read(tmp_path / "bt.tif")[0][0, 0], factor))
    k1, k2 = kernel.THERMAL_CONSTANTS["landsat-5"]["B6"]
    for temperature, factor in found:
        assert temperature == pytest.approx(k2 / math.log(k1 / (9 * factor) + 1), abs=1e-2)


def test_no_radiance_has_no_temperature(tmp_path: Path) -> None:
    raster = draw(tmp_path / "l.tif", np.array([[0.0, -1.0, np.nan, 9.0]], np.float32), quantity="toa_radiance")
    brightness_temperature(raster, tmp_path / "bt.tif", satellite="landsat-5")
    np.testing.assert_array_equal(np.isfinite(read(tmp_path / "bt.tif")[0]), [[False, False, False, True]])


def test_reflectance_of_a_white_plate_under_the_sun(tmp_path: Path) -> None:
    """A perfect diffuser sends E sin(h) / (pi d^2): its reflectance is 1 whatever the band, the date and the sun."""
    for date, distance in (("2005-01-02", 0.98330), ("2005-07-05", 1.01674)):
        for name, irradiance in kernel.SOLAR_IRRADIANCE["landsat-7-etm"].items():
            sent = irradiance * math.sin(math.radians(40)) / (math.pi * distance**2)
            plate = draw(
                tmp_path / "l.tif",
                np.array([[sent, sent / 4]], np.float32),
                quantity="toa_radiance",
                unit=RADIANCE_UNIT,
                sensor="landsat-7-etm",
                band=name,
                datetime=date,
                sun_elevation=40.0,
            )
            reflectance_from_radiance(plate, tmp_path / "r.tif")
            np.testing.assert_allclose(read(tmp_path / "r.tif")[0], [[1.0, 0.25]], rtol=2e-4)


def test_counts_become_radiance_or_reflectance(tmp_path: Path) -> None:
    counts = draw(tmp_path / "dn.tif", np.array([[0, 10_000]], np.uint16), nodata=0, quantity="digital_number")
    calibrate_counts(counts, 3.342e-4, 0.1, tmp_path / "l.tif")
    np.testing.assert_allclose(read(tmp_path / "l.tif")[0], [[np.nan, 3.442]], rtol=1e-6)
    calibrate_counts(counts, 2e-5, -0.1, tmp_path / "r.tif", "toa_bidirectional_reflectance", sun_elevation=30)
    found, about = read(tmp_path / "r.tif")
    np.testing.assert_allclose(found, [[np.nan, 0.2]], rtol=1e-6)
    assert (about["QUANTITY"], about["UNIT"]) == ("toa_bidirectional_reflectance", "1")
    with pytest.raises(MissingFactError, match="sun's elevation is unknown"):
        calibrate_counts(counts, 2e-5, -0.1, tmp_path / "r.tif", "toa_bidirectional_reflectance")
    with pytest.raises(ToolError, match="sun is too low"):
        calibrate_counts(counts, 2e-5, -0.1, tmp_path / "r.tif", "toa_bidirectional_reflectance", sun_elevation=2)


@pytest.mark.parametrize("method", ["dos", "cost"])
def test_what_the_air_adds_is_taken_away(method: str, tmp_path: Path) -> None:
    """A scene with dark objects of 1%, seen through air that adds 0.06 and, for COST, keeps cos(zenith)."""
    random = np.random.default_rng(3)
    surface = random.uniform(0.02, 0.5, (80, 80))
    surface[:4, :4] = 0.01
    transmittance = 1.0 if method == "dos" else math.sin(math.radians(50))
    seen = (surface * transmittance + 0.06).astype(np.float32)
    raster = draw(tmp_path / "toa.tif", seen, quantity="toa_bidirectional_reflectance", unit="1", sun_elevation=50.0)
    dark_object_subtraction(raster, tmp_path / "sr.tif", method=method)  # type: ignore[arg-type]
    found, about = read(tmp_path / "sr.tif")
    np.testing.assert_allclose(found, surface, atol=1e-6)
    assert about["QUANTITY"] == "surface_bidirectional_reflectance"


def test_a_scene_without_haze_is_left_as_it_is(tmp_path: Path) -> None:
    values = np.linspace(0.001, 0.3, 1000, dtype=np.float32).reshape(20, 50)
    raster = draw(tmp_path / "toa.tif", values, quantity="toa_bidirectional_reflectance", unit="1")
    dark_object_subtraction(raster, tmp_path / "sr.tif")
    np.testing.assert_allclose(read(tmp_path / "sr.tif")[0], values)


def test_a_landsat_level_1_product_by_its_own_metadata(tmp_path: Path) -> None:
    """From the files as USGS delivers them: the inventory reads the MTL, the tool its constants."""
    for band in ("B4", "B10"):
        draw(tmp_path / f"{PRODUCT}_{band}.TIF", np.array([[10_000, 25_000]], np.uint16), nodata=0)
    (tmp_path / f"{PRODUCT}_MTL.txt").write_text(MTL)
    found = {item.name.removeprefix(PRODUCT + "_"): item for item in take_inventory(tmp_path).artifacts}
    assert (found["B4"].fact("sun_elevation"), found["B4"].fact("sun_azimuth")) == (30.0, 145.5)
    brightness_temperature(found["B10"], tmp_path / "bt.tif")
    radiance = np.array([[10_000, 25_000]]) * 3.342e-4 + 0.1
    np.testing.assert_allclose(read(tmp_path / "bt.tif")[0], 1321.0789 / np.log(774.8853 / radiance + 1), atol=1e-3)
