"""Products and their layers, told by words of other languages."""

from __future__ import annotations

import pytest

from knowflow.reason.inventory.concepts import concepts_of
from knowflow.reason.inventory.folder_dates import folder_dates
from knowflow.reason.inventory.lore import load_lore
from knowflow.reason.inventory.names import name_facts, told_beside

LANGUAGES = {
    "occurrence": ("ocurrencia", "ocorrencia", "occorrenza", "wystepowanie", "vyskyt", "forekomst", "voorkomen"),
    "height": ("hoehe", "hauteur", "altura", "altezza", "hoogte", "wysokosc", "vyska", "hojd"),
    "density": ("dichte", "densite", "densidad", "densidade", "densita", "dichtheid", "gestosc", "tathet"),
    "cover": ("bedeckung", "couverture", "cobertura", "copertura", "bedekking", "pokrycie", "tackning"),
    "tree": ("baum", "arbres", "arboles", "arvores", "alberi", "bomen", "drzewa", "trad"),
    "rain": ("regen", "pluie", "lluvia", "chuva", "pioggia", "neerslag", "opad", "nederbord"),
    "day": ("tag", "jour", "dia", "giorno", "dag", "dzien"),
    "night": ("nacht", "nuit", "noche", "noite", "notte", "natt", "noc"),
}
NAMES = [
    ("JRC_{}", "occurrence", "water_occurrence"),
    ("ETH_{}_2020", "height", "canopy_height"),
    ("worldpop_nld_{}_2015", "density", "population_density"),
    ("hansen_{}2000", "cover", "tree_cover_fraction"),
    ("hansen_{}2000", "tree", "tree_cover_fraction"),
    ("MOD44B_{}_2012", "tree", "tree_cover_fraction"),
    ("imerg_{}_20190714", "rain", "precipitation"),
    ("MOD11A1_{}_20190714", "day", "surface_temperature"),
    ("MYD21A2_{}_2019193", "night", "surface_temperature"),
]
CASES = [(name, word, told) for name, concept, told in NAMES for word in (concept, *LANGUAGES[concept])]


@pytest.mark.parametrize(("name", "word", "quantity"), CASES)
def test_a_word_says_the_same_of_a_product_in_any_language(name: str, word: str, quantity: str) -> None:
    told = name_facts(f"{name.format(word)}.tif", "uint16").facts
    english = next(one for one, others in LANGUAGES.items() if word in (one, *others))
    same = name_facts(f"{name.format(english)}.tif", "uint16").facts
    assert told.value("quantity") == quantity
    assert [told.value(fact) for fact in ("unit", "scale", "daynight", "datetime")] == [
        same.value(fact) for fact in ("unit", "scale", "daynight", "datetime")
    ]


@pytest.mark.parametrize("name", ["{}_2020", "clay_{}", "x_{}_2015"])
@pytest.mark.parametrize("concept", ["occurrence", "height", "density"])
def test_words_alone_tell_no_product(name: str, concept: str) -> None:
    for word in (concept, *LANGUAGES[concept]):
        assert name_facts(f"{name.format(word)}.tif").product == ""


@pytest.mark.parametrize("name", ["hansen_cover_loss_2012", "hansen_baum_verlust_2012", "MOD44B_non_tree_2012"])
def test_what_else_a_name_says_is_no_cover_of_trees(name: str) -> None:
    assert name_facts(f"{name}.tif", "uint8").facts.value("quantity") != "tree_cover_fraction"


@pytest.mark.parametrize(
    ("day", "beside", "scale"),
    [
        ("20190714", (), 0.1),
        ("20190701", (), None),  # a month may be told by its first day
        ("20190701", ("20190702", "20190703"), 0.1),
        ("20190701", ("20190801", "20190901"), None),
        ("201907", (), None),
    ],
)
def test_whole_numbers_of_one_day_are_those_of_a_day(day: str, beside: tuple[str, ...], scale: float | None) -> None:
    dates = folder_dates([f"imerg_{one}" for one in (day, *beside)])
    assert name_facts(f"imerg_precip_{day}.tif", "uint16", beside=lambda: dates).facts.value("scale") == scale
    assert name_facts(f"imerg_precip_{day}.tif", "float32", beside=lambda: dates).facts.value("scale") is None


def test_a_word_in_the_name_of_what_a_layer_measures_makes_nothing_of_it() -> None:
    for word in ("stock", "stocks", "vorrat", "carbon"):
        told = name_facts(f"soilgrids_{word}_ocs_0-30cm.tif", "int16").facts
        assert told.value("quantity") == "soil_organic_carbon_stock"
    assert name_facts("soilgrids_risk_ocs_0-30cm.tif", "int16").facts.value("quantity") is None


def test_of_what_is_told_of_a_month_the_radiance_of_viirs_is_that_of_night_lights() -> None:
    told = [
        name_facts(f"viirs_rad_{when}.tif").facts.value("quantity") for when in ("2017-05", "May2017", "2017-05-03")
    ]
    assert told == ["night_lights", "night_lights", None]


def test_evaporation_beside_other_layers_of_water_productivity_is_that_of_the_soil() -> None:
    names = [f"{layer}_2018_{month:02d}_D2" for layer in ("AETI", "T", "I", "Evap") for month in (4, 5, 6)]
    beside = told_beside(names)
    assert name_facts(f"{names[-1]}.tif", near=lambda: beside).facts.value("quantity") == "soil_evaporation"
    assert name_facts(f"{names[-1]}.tif").facts.value("quantity") is None


def test_what_a_word_tells_of_a_product_stands_in_the_name_of_what_its_layer_measures() -> None:
    for known in load_lore().products.values():
        assert all(concept in concepts_of(*it.meaning.quantities) for concept, it in known.by_concept.items())


@pytest.mark.parametrize("name", ["era5_waves_2020", "era5_welle_2020", "hls_argila_2020", "merit_fiume"])
def test_letters_that_are_words_of_another_language_are_none(name: str) -> None:
    told = name_facts(f"{name}.tif").facts
    assert told.value("quantity") not in ("surface_albedo", "savi", "elevation")


@pytest.mark.parametrize(
    ("name", "quantity"),
    [
        ("lumieres_rad_2019", "night_lights"),
        ("luzes_rad_Mar-19", "night_lights"),
        ("radianz_der_lichter_2019", "night_lights"),
        ("radianza_luci_2019", "night_lights"),
        ("phase_rad_2019", None),
        ("solar_rad_2019", None),
        ("krontackning_2018", "tree_cover_fraction"),
        ("recouvrement_couronnes_2018", "tree_cover_fraction"),
        ("kronenabdeckung_2018", "tree_cover_fraction"),
        ("zwarcie_koron_2018", "tree_cover_fraction"),
        ("cubierta_arboles_2018", "tree_cover_fraction"),
        ("TCD2018_couronnes", "tree_cover_fraction"),
        ("TCD2018_zwarcie", "tree_cover_fraction"),
        ("TCD2018_umbau", None),  # nobody knows the word
    ],
)
def test_words_of_the_field_say_the_same_in_many_languages(name: str, quantity: str | None) -> None:
    assert name_facts(f"{name}.tif", "uint8").facts.value("quantity") == quantity


@pytest.mark.parametrize("word", ["biomass", "biomasa", "biomassa", "biomasse", "AGB"])
def test_the_word_of_a_product_is_no_layer_beside_another_of_its_layers(word: str) -> None:
    told = [name_facts(f"esacci_{word}{last}_2018.tif", "uint16").facts.value("quantity") for last in ("", "_SD")]
    assert told == ["aboveground_biomass", "uncertainty"]


@pytest.mark.parametrize(
    ("name", "quantity"),
    [
        ("TMF_ano_de_desmatamento", "tree_cover_loss_year"),
        ("TMF année de dégradation", "tree_cover_loss_year"),
        ("Entwaldungsjahr_TMF", "tree_cover_loss_year"),
        ("JRC_TMF_DegradationYear_INT_1982_2023_v1_AFR_ID60_N10_E0", "tree_cover_loss_year"),
        ("JRC_TMF_AnnualChange_v1_2020_AFR_ID60_N10_E0", "class_label"),
        ("JRC_TMF_clip", None),
    ],
)
def test_maps_of_moist_forest_are_of_classes_or_of_years(name: str, quantity: str | None) -> None:
    assert name_facts(f"{name}.tif", "uint16").facts.value("quantity") == quantity
