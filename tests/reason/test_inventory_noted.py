"""What the name of a whole folder and notes in it tell of files, and files called the same but for the date."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio
from numpy.typing import NDArray
from rasters import UTM, write_raster

from knowflow.model.artifact import Artifact
from knowflow.model.facts import Origin
from knowflow.reason.inventory import inventory_of_names, take_inventory
from knowflow.reason.inventory.noted import LEVEL_2, words_noted


def write_values(path: Path, values: NDArray[np.generic], unit: str | None = None) -> None:
    """A raster of these numbers, each in many pixels."""
    many = np.kron(values, np.ones((8, 8), values.dtype))
    profile = {"driver": "GTiff", "count": 1, "dtype": many.dtype, **UTM, "height": 16, "width": 16}
    with rasterio.open(path, "w", **profile) as file:
        file.write(many, 1)
        if unit is not None:
            file.units = (unit,)


def _by_stem(folder: Path) -> dict[str, Artifact]:
    return {Path(str(item.path)).stem: item for item in take_inventory(folder).artifacts}


def test_notes_are_read_for_the_words_of_products_and_for_the_level(tmp_path: Path) -> None:
    note = tmp_path / "READ ME.txt"
    note.write_text("Landsat collection 2 level 2, ERA5-Land; not changed")
    noted = words_noted([note, tmp_path / "gone.txt", tmp_path / "map.tif"], "my_soils")
    assert {"landsat", "era5land", "my", "soils", LEVEL_2} <= noted
    note.write_text("Landsat level 1 and level 2")
    assert LEVEL_2 not in words_noted([note], "")


def test_a_note_tells_the_product_of_its_layers_and_nothing_of_what_is_made_of_them(tmp_path: Path) -> None:
    for name in ("ph_0-5cm.tif", "ph_change_2010_2020.tif"):
        write_values(tmp_path / name, np.array([[54, 60], [66, 74]], "int16"))
    (tmp_path / "LEEME.txt").write_text("SoilGrids 250m v2.0 (ISRIC): pH x10")
    found = _by_stem(tmp_path)
    assert (found["ph_0-5cm"].fact("quantity"), found["ph_0-5cm"].fact("scale")) == ("soil_ph", 0.1)
    assert found["ph_change_2010_2020"].fact("scale") is None


def test_the_name_of_the_whole_folder_completes_that_of_a_product(tmp_path: Path) -> None:
    folder = tmp_path / "vineyard planet 2022"
    write_raster(folder / "14.07.2022 SR.tif", count=4, dtype="uint16")
    bands = take_inventory(folder).artifacts
    assert [item.fact("bands") for item in bands] == [("blue",), ("green",), ("red",), ("nir",)]
    assert {item.fact("scale") for item in bands} == {0.0001}


def test_bands_of_landsat_are_at_the_level_of_notes(tmp_path: Path) -> None:
    write_values(tmp_path / "tm_1986_b3.tif", np.array([[8600, 9000], [11000, 13000]], "uint16"))
    (tmp_path / "readme.txt").write_text("Landsat collection 2, level 2")
    item = _by_stem(tmp_path)["tm_1986_b3"]
    assert item.fact("quantity") == "surface_bidirectional_reflectance"
    assert (item.fact("bands"), item.fact("scale"), item.fact("offset")) == (("red",), 0.0000275, -0.2)


def test_classes_are_those_of_a_map_called_the_same_but_for_the_date(tmp_path: Path) -> None:
    for year in (1986, 2002):
        write_values(tmp_path / f"class_{year}.tif", np.array([[1, 2], [3, 4]], "uint8"))
    (tmp_path / "class_1986.txt").write_text("1: forest\n2: water\n3: cropland\n4: built-up\n")
    found = _by_stem(tmp_path)
    assert [found[f"class_{year}"].fact("quantity") for year in (1986, 2002)] == ["land_cover_class"] * 2


@pytest.mark.parametrize(
    ("names", "date"),
    [
        (("turb_080421", "turb_081621"), "2021-08-04"),
        (("ndvi_JUL08_22", "ndvi_AUG25_22"), "2022-07-08"),
        (("dsm 16-03-23", "dsm 22-05-23", "dsm 18-04-23"), "2023-03-16"),
        (("urban86", "urban02", "classes_1986", "classes_2002"), "1986-01-01"),
        (("ndvi_72", "classes_1986"), None),
        (("aeti_jul21_D2",), "2021-07-15"),
        (("t2m_Jul-21", "x_2019-05-03"), None),
    ],
)
def test_dates_are_read_as_the_names_beside_them_are(names: tuple[str, ...], date: str | None) -> None:
    facts = inventory_of_names([f"{name}.tif" for name in names]).artifacts[0].facts
    assert facts.value("datetime") == date


@pytest.mark.parametrize(
    ("name", "quantity"),
    [
        ("trees 2018-2015.tif", None),
        ("NDVI 2015-2018.tif", "ndvi"),
        ("ndvi july-june.tif", None),
        ("ndvi 2021-2016.tif", "difference"),
        ("chl over climatology.tif", "ratio"),
        ("pop_over_1000.tif", None),
        ("corr_ndvi_precip.tif", "correlation_coefficient"),
        ("soil_loss_tha.tif", "soil_loss"),
    ],
)
def test_what_is_made_of_a_layer_is_another_thing(name: str, quantity: str | None) -> None:
    (item,) = inventory_of_names([name]).artifacts
    assert item.fact("quantity") == quantity


def test_numbers_below_what_there_is_are_of_a_difference(tmp_path: Path) -> None:
    write_values(tmp_path / "tree_cover.tif", np.array([[-57, 3], [20, 41]], "int16"))
    assert _by_stem(tmp_path)["tree_cover"].fact("quantity") is None


def test_amounts_in_the_unit_of_their_day_or_of_their_weight(tmp_path: Path) -> None:
    rain = np.array([[0.0, 3.0], [20.0, 185.0]], "float32")
    write_values(tmp_path / "imerg_2023-03-11.tif", rain, unit="mm/day")
    write_values(tmp_path / "rain_2018-01.tif", rain, unit="kg m-2 month-1")
    write_values(tmp_path / "era5_land_monthly_total_precipitation_202205.tif", rain / 1e5, unit="m")
    write_values(tmp_path / "total_precipitation_202205.tif", rain / 1e5, unit="m")
    found = take_inventory(tmp_path).artifacts
    told = {Path(str(item.path)).stem: (item.fact("quantity"), item.fact("unit")) for item in found}
    days = {Path(str(item.path)).stem: item.fact("scale") for item in found if item.fact("scale")}
    assert told["imerg_2023-03-11"] == ("precipitation", "mm day-1")
    assert told["rain_2018-01"] == ("precipitation", "mm month-1")
    means = ("era5_land_monthly_total_precipitation_202205", "total_precipitation_202205")
    assert [told[name] for name in means] == [("precipitation", "m")] * 2
    assert days == dict.fromkeys(means, 31.0)


@pytest.mark.parametrize(
    ("note", "quantity"),
    [
        ("bathy: elevation of the sea bed in m", "elevation"),
        ("bathy: height of the sea bed in m relative to the datum (negative = below)", "elevation"),
        ("bathy: bed level, m", "elevation"),
        ("bathy: depth of the sea in m", "bathymetry"),
        ("bathy: depth below the lowest water level", "bathymetry"),
        ("bathy: height of water", "bathymetry"),
    ],
)
@pytest.mark.parametrize("name", ["bathy", "bathy_2021-03"])
def test_depths_that_a_note_calls_elevations_are_these(tmp_path: Path, name: str, note: str, quantity: str) -> None:
    write_values(tmp_path / f"{name}.tif", np.array([[-5.0, -8.0], [1.5, 2.0]], "float32"), "m")
    (tmp_path / "info.txt").write_text(note)
    assert _by_stem(tmp_path)[name].fact("quantity") == quantity


@pytest.mark.parametrize(
    ("note", "blank"),
    [
        ("depth in cm, no data = -9999", "unknown"),
        ("depth in cm (0 = bare, -9999: not seen)", "unknown"),
        ("depth in cm; -9999 where it is bare", None),
        ("depth in cm, no data = -99999", None),
    ],
)
def test_a_note_tells_that_nothing_is_known_where_a_number_is_missing(
    tmp_path: Path, note: str, blank: str | None
) -> None:
    write_raster(tmp_path / "snow.tif", nodata=-9999, tags={"QUANTITY": "snow_depth", "UNIT": "cm"})
    (tmp_path / "README.txt").write_text(note)
    assert _by_stem(tmp_path)["snow"].fact("blank") == blank


@pytest.mark.parametrize(
    ("note", "known"),
    [
        ("MOD10A1 v61 NDSI_Snow_Cover, daily, 500 m.", True),
        ("MOD10A1 v61, daily, 500 m.", False),
        ("MOD10A1 NDSI_Snow_Cover and Snow_Albedo_Daily_Tile, 500 m.", False),
    ],
)
def test_notes_tell_the_layer_of_which_a_name_is_a_part(tmp_path: Path, note: str, known: bool) -> None:
    write_raster(tmp_path / "MOD10A1" / "snow_2022-03-15.tif", dtype="uint8")
    (tmp_path / "notes.txt").write_text(note)
    (item,) = take_inventory(tmp_path).artifacts
    assert ((item.fact("quantity"), item.fact("scale")) == ("ndsi", 0.01)) == known


@pytest.mark.parametrize(("note", "told"), [("LiCSAR frame 088A", True), ("HyP3 INT80 and LiCSAR frame 088A", False)])
def test_notes_of_two_products_tell_no_unit_that_these_have_each_their_own(
    tmp_path: Path, note: str, told: bool
) -> None:
    write_values(tmp_path / "los displacement 2021-07-15.tif", np.array([[-0.04, 0.06], [0.01, 0.02]], "float32"))
    (tmp_path / "notes.txt").write_text(note)
    (item,) = (one for one in take_inventory(tmp_path).artifacts if one.type == "raster")
    unit = item.facts.get("unit")
    assert (unit is not None and unit.origin is Origin.DECLARED) == told
