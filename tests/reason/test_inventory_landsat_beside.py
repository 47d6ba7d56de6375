"""Bands of Landsat are of the level of the surface temperature that lies beside them, of the same day and grid."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio
from rasters import write_raster

from knowflow.model.artifact import Artifact
from knowflow.model.facts import Origin
from knowflow.model.quality_schemes import told_scheme
from knowflow.reason.inventory import take_inventory

BANDS = {"B3": "green", "B4": "red", "B5": "nir", "B7": "swir22"}


def filled(path: Path, low: int, high: int, **described: object) -> None:
    write_raster(path, shape=(40, 40), dtype="uint16", **described)  # type: ignore[arg-type]
    with rasterio.open(path, "r+") as file:
        numbers = np.random.default_rng(len(path.stem) + high).integers(low, high, file.shape)
        file.write(numbers.astype("uint16"), 1)


def taken(folder: Path) -> dict[str, Artifact]:
    return {Path(str(item.path)).stem: item for item in take_inventory(folder).artifacts}


@pytest.mark.parametrize("name", ["{} 03.08.2022", "{}_20220803", "2022-08-03_{}"])
def test_bands_of_a_scene_of_level_two_are_reflectance_at_the_surface(tmp_path: Path, name: str) -> None:
    filled(tmp_path / f"{name.format('ST_B10')}.tif", 38000, 50000)
    for number, band in enumerate(BANDS):
        filled(tmp_path / f"{name.format(band)}.tif", 7200, 18000 + number)
    found = taken(tmp_path)
    for band in BANDS:
        item = found[name.format(band)]
        told = item.known("quantity")
        assert told is not None
        assert (told.value, told.origin) == ("surface_bidirectional_reflectance", Origin.ASSUMED)
        assert (item.fact("scale"), item.fact("offset")) == (0.0000275, -0.2)
        assert item.fact("sensor") == "landsat-8-9-oli-tirs"


@pytest.mark.parametrize("beside", ["ST_B10_20220819", "QA_PIXEL_20220803", "B10_20220803"])
def test_what_is_of_another_day_or_tells_no_level_says_nothing(tmp_path: Path, beside: str) -> None:
    filled(tmp_path / f"{beside}.tif", 38000, 50000)
    filled(tmp_path / "B4_20220803.tif", 7200, 18000)
    assert taken(tmp_path)["B4_20220803"].fact("scale") is None


def test_numbers_that_would_be_no_reflectance_are_of_no_such_band(tmp_path: Path) -> None:
    filled(tmp_path / "ST_B10_20220803.tif", 38000, 50000)
    filled(tmp_path / "B4_20220803.tif", 200, 2600)
    item = taken(tmp_path)["B4_20220803"]
    assert item.fact("quantity") is None or item.fact("scale") != 0.0000275


@pytest.mark.parametrize("called", ["surface temp", "oberflaechentemperatur", "LST"])
def test_bands_by_their_colours_are_of_the_level_that_a_temperature_tells(tmp_path: Path, called: str) -> None:
    filled(tmp_path / f"{called} 25jul2020.tif", 41000, 49000)
    for number, colour in enumerate(("blue", "nir", "swir1")):
        filled(tmp_path / f"{colour} 25jul2020.tif", 7800, 18000 + number)
    filled(tmp_path / "red 27jul2020.tif", 7800, 18000)
    found = taken(tmp_path)
    for colour in ("blue", "nir", "swir1"):
        item = found[f"{colour} 25jul2020"]
        assert item.fact("quantity") == "surface_bidirectional_reflectance"
        assert (item.fact("scale"), item.fact("offset"), item.fact("sensor")) == (0.0000275, -0.2, None)
    assert found["red 27jul2020"].fact("scale") is None


def test_bands_by_their_colours_are_of_no_level_beside_temperatures_of_another_scale(tmp_path: Path) -> None:
    filled(tmp_path / "LST 25jul2020.tif", 14200, 15600)
    filled(tmp_path / "blue 25jul2020.tif", 7800, 18000)
    assert taken(tmp_path)["blue 25jul2020"].fact("scale") != 0.0000275


def test_bands_that_tell_their_sensor_are_of_the_level_that_its_temperature_tells(tmp_path: Path) -> None:
    filled(tmp_path / "L8 ST 4ago21.tif", 38000, 50000)
    filled(tmp_path / "L8 B5 4ago21.tif", 7200, 18000)
    found = taken(tmp_path)
    assert found["L8 B5 4ago21"].fact("quantity") == "surface_bidirectional_reflectance"
    assert found["L8 B5 4ago21"].fact("scale") == 0.0000275
    (tmp_path / "other").mkdir()
    filled(tmp_path / "other" / "L8 B5 21sep21.tif", 7200, 18000)
    assert taken(tmp_path / "other")["L8 B5 21sep21"].fact("scale") is None  # of another day


def test_near_infrared_by_its_colour_is_that_of_the_only_sensor_of_the_folder(tmp_path: Path) -> None:
    for name in ("surface temp 19-07-2022", "ST_B10_2020-07-05"):
        filled(tmp_path / f"{name}.tif", 43000, 50000)
    filled(tmp_path / "nir 19-07-2022.tif", 7200, 18000)
    filled(tmp_path / "L8 SR_B5 8jul21.tif", 7200, 18001)
    item = taken(tmp_path)["nir 19-07-2022"]
    assert item.fact("bands") == ("nir08",)
    sensor = item.known("sensor")
    assert sensor is not None
    assert sensor.origin is Origin.ASSUMED


def test_scenes_in_other_styles_are_of_the_one_sensor_that_the_folder_has(tmp_path: Path) -> None:
    for temperature, band, quality in (
        ("ST_B10_18072023", "{}_18072023", "QA_PIXEL_18072023"),
        ("temp superficie 16 jun 23", "{} 16 jun 23", "qa 16 jun 23"),
        ("2023-08-19 st b10", "2023-08-19 {}", "2023-08-19 qa pixel"),
    ):
        filled(tmp_path / f"{temperature}.tif", 41000, 49000)
        filled(tmp_path / f"{quality}.tif", 21824, 22280)
        for name in ("B4", "B5") if "19" not in band else ("b4", "b5"):
            filled(tmp_path / f"{band.format(name)}.tif", 7800, 18000)
    found = take_inventory(tmp_path).artifacts
    bands = [one for one in found if str(one.fact("band")).upper() in ("B4", "B5")]
    assert len(bands) == 6
    assert {(one.fact("quantity"), one.fact("scale")) for one in bands} == {
        ("surface_bidirectional_reflectance", 0.0000275)
    }
    schemes = {told_scheme(one) for one in found if one.fact("quantity") == "qa_bits"}
    assert schemes == {"landsat_c2"}


def test_numbered_bands_beside_a_temperature_that_tells_no_sensor_stay_open(tmp_path: Path) -> None:
    filled(tmp_path / "temp superficie 16 jun 23.tif", 41000, 49000)
    filled(tmp_path / "B4 16 jun 23.tif", 7800, 18000)
    filled(tmp_path / "qa 16 jun 23.tif", 21824, 22280)
    found = taken(tmp_path)
    assert found["B4 16 jun 23"].fact("scale") is None
    assert told_scheme(found["qa 16 jun 23"]) is None
