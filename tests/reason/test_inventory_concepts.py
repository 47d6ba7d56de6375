"""Words of any language, and the quantities that they name together in any order."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pytest
import rasterio
from hypothesis import given
from hypothesis import strategies as st
from rasters import write_raster

from knowflow.ground.quantities import quantity_kinds
from knowflow.model.facts import Origin
from knowflow.reason.inventory import name_facts, take_inventory
from knowflow.reason.inventory.concepts import concepts_in, in_english, named_together

SPEED_OF_WIND = ("viento velocidad", "wind speed", "vento velocita", "vitesse vent", "predkosc wiatru", "tuulen nopeus")
HEIGHT_OF_BUILDINGS = (
    "altezza edifici",
    "altura edificios",
    "hauteur batiments",
    "wysokosc budynkow",
    "visina zgrada",
    "building height",
)


@given(
    words=st.sampled_from([*SPEED_OF_WIND, *HEIGHT_OF_BUILDINGS]).map(str.split),
    order=st.randoms(use_true_random=False),
    separator=st.sampled_from(["_", " ", "-", "_media_", "_del_"]),
)
def test_words_in_any_order_and_language_name_one_quantity(words: list[str], order: object, separator: str) -> None:
    expected = "wind_speed" if " ".join(words) in SPEED_OF_WIND else "building_height"
    shuffled = list(words)
    order.shuffle(shuffled)  # type: ignore[attr-defined]
    assert name_facts(f"{separator.join(shuffled)}_20220714.tif").facts.value("quantity") == expected


# words as people of a language write them, by what they mean; none of them is a name that products have
OF_A_LANGUAGE = {
    "soil_moisture": [
        "vlaznost_tla",
        "markfuktighet",
        "jordfugtighed",
        "humidite_racinaire",
        "wilg_gleby",
        "umid_solo",
    ],
    "snow_depth": ["snodjup", "grubosc_pokrywy_snieznej", "visina_snijega", "epaisseur_neige", "espesor_nieve"],
    "wind_speed": ["brzina_vjetra", "wind_snelheid", "vindhastighet", "prędkość_wiatru", "vento_medio"],
    "precipitation": ["neerslagsom_2021", "suma_opadow", "pluviometria", "oborine"],
    "canopy_height": ["visina_dreves", "trehoyde", "altura_arvores", "visina_krosenj", "hauteur_arboree"],
    "population_density": ["gostota_prebivalstva", "dens_pop", "gustoca_stanovnistva", "bevolkingsdichtheid"],
    "relative_humidity": ["rel_vlaznost_zraka", "umidita_rel", "humedad_relativa"],
    "soil_organic_carbon": ["carbono_organico_suelo", "wegiel_organiczny", "ogljik_tla"],
    "fire_radiative_power": ["potencia_radiativa_fogo", "puissance_radiative_feu"],
    "latent_heat_flux": ["flusso_calore_latente", "flujo_calor_latente"],
    "o3_column": ["gesamtozon", "ozono_totale"],
    "water_surface_elevation": ["livello_lago", "nivel_embalse", "vodostaj_rijeke", "waterpeil_meren_lago"],
    "topographic_wetness_index": ["indice_humedad_topografica"],
    "aerosol_optical_depth": ["epaisseur_optique_aerosols", "espesor_optico_aerosoles"],
    "suspended_matter": ["solidi_sospesi", "solidos_suspensos"],
    "potential_evapotranspiration": ["potencialna_evapotranspiracija", "evapotranspirazione_di_riferimento"],
    "slope": ["naklon_terena", "helning", "lutning"],
    "runoff": ["escorrentia", "avrenning", "ruissellement"],
}


@pytest.mark.parametrize(("quantity", "names"), OF_A_LANGUAGE.items())
def test_names_of_a_language_say_their_quantity(quantity: str, names: list[str]) -> None:
    found = {name: name_facts(f"{name}_20220714.tif").facts.value("quantity") for name in names}
    assert found == dict.fromkeys(names, quantity)


@given(st.sampled_from(sorted(quantity_kinds())), st.randoms(use_true_random=False))
def test_the_words_of_the_name_of_a_kind_name_it_in_any_order(name: str, order: Random) -> None:
    """What is authored goes before; no other kind is named by all of them."""
    words = name.split("_")
    said = [in_english(word) for word in words]
    order.shuffle(said)
    kind = quantity_kinds()[name]
    if (
        len(set(said)) > 1
        and all(word.isalpha() and word != "of" for word in words)
        and kind.family not in ("measure", "statistics", "index", "radar")
    ):
        assert name in named_together(said) or any(set(said) >= needed for needed in named_together(said).values())


def test_a_unit_that_they_cannot_have_takes_a_name_from_words() -> None:
    percent, depth = (name_facts(f"snezna_odeja_{unit}_20200115.tif").facts for unit in ("pct", "cm"))
    assert percent.value("quantity") == "snow_fraction"
    assert depth.value("quantity") != "snow_fraction"


@pytest.mark.parametrize(
    ("name", "quantity", "unit"),
    [
        ("densita_pop_km2_2020", "population_density", None),
        ("argilla_gkg_0_5cm", "clay_content", "g kg-1"),
        ("jaan_paksuus_m_2011-01-28", "sea_ice_thickness", "m"),
        ("regen_mm_tagessumme_2024-06-01", "precipitation", "mm"),
        ("soil_temperature_surface_2020", "soil_temperature", None),  # a layer goes before words
        ("sol_de_mayo_ndvi", "ndvi", "1"),
        ("Rio_de_la_Plata_2020", None, None),
        ("temperatura_20200101", None, None),  # of which, nobody knows
    ],
)
def test_a_name_of_words_says(name: str, quantity: str | None, unit: str | None) -> None:
    facts = name_facts(f"{name}.tif").facts
    assert facts.value("quantity") == quantity
    assert unit is None or facts.value("unit") == unit


def test_words_of_a_product_are_its_layer() -> None:
    facts = name_facts("soilgrids_argila_0-5cm_mean_utm35.tif", "int16").facts
    own = name_facts("soilgrids_clay_0-5cm_mean_utm35.tif", "int16").facts
    assert {fact: facts.value(fact) for fact in ("quantity", "unit", "scale", "nodata")} == {
        fact: own.value(fact) for fact in ("quantity", "unit", "scale", "nodata")
    }


def test_the_concepts_of_most_words_count() -> None:
    assert in_english("Höhe") == in_english("altura") == "height"
    assert dict(concepts_in("NieveAltura")) == {"snow": "Nieve", "height": "Altura"}
    assert named_together({"sea", "ice", "thickness"}).keys() == {"sea_ice_thickness"}
    assert not named_together({"height"})


def filled(path: Path, numbers: np.ndarray[tuple[int, ...], np.dtype[np.float64]], dtype: str) -> None:
    write_raster(path, dtype=dtype, shape=(40, 40))
    with rasterio.open(path, "r+") as file:
        file.write(np.resize(numbers, 1600).reshape(40, 40).astype(dtype), 1)


@pytest.mark.parametrize(
    ("name", "low", "high", "dtype", "quantity"),
    [
        ("lake_poc_05jul2019", 40, 900, "float32", "particulate_organic_carbon"),
        ("lake_poc_05jul2019", 40, 200, "uint8", None),  # its numbers are of something else
        ("temp_20200101", 5, 30, "float32", None),
    ],
)
def test_the_only_meaning_in_names_of_products_is_assumed_of_its_own_numbers(
    tmp_path: Path, name: str, low: float, high: float, dtype: str, quantity: str | None
) -> None:
    filled(tmp_path / f"{name}.tif", np.linspace(low, high, 1600), dtype)
    fact = take_inventory(tmp_path).artifacts[0].known("quantity")
    assert (fact and (fact.value, fact.origin)) == (quantity and (quantity, Origin.ASSUMED))


@pytest.mark.parametrize(("scale", "quantity"), [(0.1, "particulate_organic_carbon"), (1.0, None)])
def test_whole_numbers_that_a_header_packs_decimals_into_are_decimals(
    tmp_path: Path, scale: float, quantity: str | None
) -> None:
    path = tmp_path / "lake_poc_05jul2019.tif"
    filled(path, np.linspace(400, 9000, 1600), "int16")
    with rasterio.open(path, "r+") as file:
        file.scales = (scale,)
    assert take_inventory(tmp_path).artifacts[0].fact("quantity") == quantity


@pytest.mark.parametrize(
    ("name", "codes", "quantity"),
    [
        ("debris_class_20200812", [1, 2, 3, 4], "class_label"),
        ("triedy_14.2.2021", [0, 1, 2, 3], "class_label"),
        ("debris_class_20200812", [0, 1], None),
        ("debris_class_20200812", list(range(200)), None),
        ("reclass_final", [1, 2, 3, 4], None),
    ],
)
def test_few_whole_numbers_that_are_called_classes_are_classes(
    tmp_path: Path, name: str, codes: list[int], quantity: str | None
) -> None:
    filled(tmp_path / f"{name}.tif", np.array(codes, float), "uint8")
    assert take_inventory(tmp_path).artifacts[0].fact("quantity") == quantity


def test_a_mask_is_told_in_any_language(tmp_path: Path) -> None:
    filled(tmp_path / "bosco_maschera_10m.tif", np.array([0.0, 1.0]), "uint8")
    assert take_inventory(tmp_path).artifacts[0].fact("quantity") == "forest_mask"


COMPOUNDS = {
    ("wind", "geschwindigkeit"): "wind_speed",
    ("bevolkings", "dichtheid"): "population_density",
    ("gebaeude", "hoehe"): "building_height",
    ("wald", "höhe"): "canopy_height",
    ("fliess", "richtung"): "flow_direction",
}


@pytest.mark.parametrize("parts", COMPOUNDS)
def test_compounds_say_what_their_parts_do(parts: tuple[str, str]) -> None:
    assert name_facts(f"{''.join(parts)}_2020.tif").facts.value("quantity") == COMPOUNDS[parts]


def test_what_is_made_of_heights_is_no_height() -> None:
    assert name_facts("d8_fliessrichtung_dgm10.tif").facts.value("quantity") == "flow_direction"


@pytest.mark.parametrize(("unit", "quantity"), [("MW", "fire_radiative_power"), ("W m-2", None)])
def test_a_unit_in_which_one_quantity_is_told_is_that_quantity(tmp_path: Path, unit: str, quantity: str | None) -> None:
    write_raster(tmp_path / "sum_20230822.tif", tags={"UNIT": unit})
    assert take_inventory(tmp_path).artifacts[0].fact("quantity") == quantity


@pytest.mark.parametrize(
    ("name", "quantity"),
    [
        ("arbres_2015_pct", "tree_cover_fraction"),
        ("2018 bati pct", "built_up_fraction"),
        ("baeume_2020_prozent", "tree_cover_fraction"),
        ("koolstof_5-15cm", "soil_organic_carbon"),
        ("dichtheid_15-30cm", "bulk_density"),
        ("azote 0-5cm", "soil_nitrogen"),
        ("day of burning 2018-08", "day_of_year"),
        ("kerapatan penduduk 2020", "population_density"),
        ("curah_hujan_2020-07", "precipitation"),
    ],
)
def test_a_measure_says_what_no_word_does(name: str, quantity: str) -> None:
    """Per cent are a fraction, and a span of depths is one of the ground."""
    assert name_facts(f"{name}.tif").facts.value("quantity") == quantity


@pytest.mark.parametrize("name", ["tree_mortality_pct", "arbres_perte_pct", "snow_density_5-15cm", "koolstof_15"])
def test_a_measure_says_nothing_beside_words_of_something_else(name: str) -> None:
    assert "quantity" not in name_facts(f"{name}_2015.tif").facts


@pytest.mark.parametrize("name", ["incendios_modis_ago2019", "fire modis 2019-08", "kebakaran_modis_sep2015"])
def test_nobody_knows_what_fires_of_a_sensor_are_told_by(name: str) -> None:
    read = name_facts(f"{name}.tif", "int16")
    assert "quantity" not in read.facts
    assert all(clue.weight < 0.5 for clue in read.clues if clue.fact == "quantity")
