"""What a short word in a name means, by the numbers, the unit and what lies beside the file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio
from rasters import write_raster

from knowflow.model.facts import Origin
from knowflow.reason.inventory import take_inventory
from knowflow.reason.inventory.names import name_facts, told_beside


def filled(path: Path, low: float, high: float, dtype: str = "float32") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_raster(path, shape=(40, 40), dtype=dtype)
    with rasterio.open(path, "r+") as file:
        file.write(np.linspace(low, high, 1600).reshape(40, 40).astype(dtype), 1)


def quantity(folder: Path, name: str) -> str | None:
    found = {Path(str(item.path)).name: item.known("quantity") for item in take_inventory(folder).artifacts}
    known = found[name]
    assert known is None or known.origin is Origin.ASSUMED
    return None if known is None else str(known.value)


@pytest.mark.parametrize(
    ("beside", "high", "dtype", "meant"),
    [
        ("swh_20220704", 4.0, "float32", "significant_wave_height"),
        ("glacier_ice_thickness", 2.0, "float32", "snow_depth"),
        ("slope", 250.0, "uint8", "hillshade"),
        ("ndvi_20220704", 3.0, "float32", None),
    ],
)
def test_a_word_of_several_meanings_is_what_lies_beside_it(
    tmp_path: Path, beside: str, high: float, dtype: str, meant: str | None
) -> None:
    filled(tmp_path / f"{beside}.tif", 0.2, 3.0)
    filled(tmp_path / "hs_20220704.tif", 0, high, dtype)
    assert quantity(tmp_path, "hs_20220704.tif") == meant


@pytest.mark.parametrize(("name", "meant"), [("tn_202104.tif", "air_temperature"), ("temp_202104.tif", None)])
def test_the_letters_of_weather_services_are_of_the_air_beside_whatever_else(
    tmp_path: Path, name: str, meant: str | None
) -> None:
    filled(tmp_path / "LST_Day_202104.tif", 280, 310)
    filled(tmp_path / "sst_202104.tif", 280, 290)
    filled(tmp_path / name, -4, 12)
    assert quantity(tmp_path, name) == meant


@pytest.mark.parametrize(("name", "meant"), [("co_2021.tif", "co_column"), ("co_norte_2021.tif", None)])
def test_two_letters_say_what_they_are_of_where_nothing_else_is_said(
    tmp_path: Path, name: str, meant: str | None
) -> None:
    filled(tmp_path / "no2_column_2021.tif", 1e-5, 1e-4)
    filled(tmp_path / name, 0.02, 0.05)
    assert quantity(tmp_path, name) == meant


def test_what_varies_behind_the_word_of_a_layer_is_the_layer() -> None:
    names = [f"ifg_20210702_20210714_{layer}" for layer in ("unw", "coh", "amp", "vert")]
    beside = told_beside(names)
    assert (beside.leading, beside.shared) == (frozenset({"ifg"}), frozenset())
    read = [name_facts(f"{name}.tif", near=lambda: beside).facts.value("quantity") for name in names]
    assert read == ["unwrapped_phase", "coherence", "radar_amplitude", None]
    assert name_facts("ifg_20210702_20210714.tif", near=lambda: beside).facts.value("quantity") is not None


@pytest.mark.parametrize("lead", ["gamma0", "S1_sigma0", "S1_rtc_gamma0_20230103", "beta0"])
@pytest.mark.parametrize(("last", "quantity"), [("dem", "elevation"), ("slope", "slope"), ("lia", "incidence_angle")])
def test_what_stands_behind_the_word_of_a_layer_where_others_have_bands_there_is_the_layer(
    lead: str, last: str, quantity: str
) -> None:
    names = [f"{lead}_{one}" for one in ("VV", "VH", last)]
    beside = told_beside(names)
    read = [name_facts(f"{name}.tif", near=lambda: beside).facts for name in names]
    assert read[-1].value("quantity") == quantity
    assert [facts.value("polarisation") for facts in read] == ["VV", "VH", None]
    assert read[0].value("quantity") == read[1].value("quantity")
    assert str(read[0].value("quantity")) in lead
    assert told_beside(names[:2]).leading == frozenset()


@pytest.mark.parametrize("name", ["sigma0_20230103_dem", "S1_gamma0_20230103_dem", "coherence_dtm", "S1_gamma0_ls_map"])
def test_of_a_radar_alone_with_something_behind_it_nobody_knows_which_it_is(name: str) -> None:
    told = name_facts(f"{name}.tif")
    assert "quantity" not in told.facts
    assert len({clue.value for clue in told.clues if clue.fact == "quantity"}) > 1


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("HS_cm_20230301.tif", ("snow_depth", "cm")),
        ("vitesse_2016_m_an.tif", (None, "m year-1")),  # of ice, or along the line of sight
    ],
)
def test_the_unit_of_a_name_tells_which_of_several_it_is(name: str, said: tuple[str | None, str | None]) -> None:
    clues = {clue.fact: clue.value for clue in name_facts(name, "float32").clues if clue.weight > 0.5}
    assert (clues.get("quantity"), clues.get("unit")) == said


def test_a_folder_and_a_name_say_together_what_neither_does_alone() -> None:
    def told(folder: str) -> list[str]:
        return [clue.value for clue in name_facts("conc_2020.tif", folders=folder).clues if clue.weight > 0.5]

    assert (told("banquise"), told("results")) == (["sea_ice_concentration"], [])


def test_other_letters_than_of_a_word_are_no_layer() -> None:
    assert name_facts("gebco_2023_n45.0_s35.0_w-70.0_e-60.0.tif").facts.value("quantity") == "topobathymetry"
    assert name_facts("idade_menos1_2020.tif").facts.value("quantity") is None


@pytest.mark.parametrize(
    ("name", "beside"),
    [("surge_depth_T{}_m", "terrain_height_m"), ("wind_power_density_{}m", "wind_speed_100m_annual_mean")],
)
def test_a_word_that_nobody_knows_may_say_what_it_is_of(tmp_path: Path, name: str, beside: str) -> None:
    """Numbers tell no names apart: that several names have the word does not make it one of a place."""
    filled(tmp_path / f"{beside}.tif", 3.0, 12.0)
    for number in (10, 50, 100):
        filled(tmp_path / f"{name.format(number)}.tif", 0.0, 3.0)
    assert {quantity(tmp_path, f"{name.format(number)}.tif") for number in (10, 50, 100)} == {None}


@pytest.mark.parametrize(
    ("folder", "name", "high", "meant"),
    [
        ("glacier_speed", "thickness", 5.0, "ice_thickness"),  # its folder speaks of glaciers
        ("ice", "thickness", 400.0, "ice_thickness"),  # no ice at sea is as thick
        ("ice", "thickness", 3.0, "sea_ice_thickness"),  # and hardly any glacier as thin
        ("water", "depth", 5.0, None),  # of which there are too many
    ],
)
def test_a_word_of_several_meanings_is_what_its_folder_or_its_numbers_say(
    tmp_path: Path, folder: str, name: str, high: float, meant: str | None
) -> None:
    root = tmp_path / folder
    root.mkdir()
    filled(root / f"{name}.tif", 0.1, high)
    assert quantity(root, f"{name}.tif") == meant


def test_whole_numbers_that_are_another_quantity_as_they_stand_settle_nothing(tmp_path: Path) -> None:
    filled(tmp_path / "swvl1_2021-01.tif", 0.1, 0.4)
    filled(tmp_path / "soil_water_2021-02.tif", 100, 400, "int16")
    assert quantity(tmp_path, "soil_water_2021-02.tif") is None


def test_an_unknown_layer_may_be_told_in_the_units_of_what_it_may_be(tmp_path: Path) -> None:
    filled(tmp_path / "file_17.tif", 285.0, 301.0)
    left = take_inventory(tmp_path).open[str(tmp_path / "file_17.tif"), None]
    assert "K" in {one.value for one in left if one.fact == "unit"}
    assert quantity(tmp_path, "file_17.tif") is None
