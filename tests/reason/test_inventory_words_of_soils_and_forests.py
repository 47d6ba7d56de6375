"""Words for what soils, forests, waters and radar hold, in the languages of those who name files, and the layer of a
product that a word means which leaves open what it is of."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowflow.reason.inventory import name_facts

IN_LANGUAGES = {
    "coarse_fragments": "taşlılık kivisyys stenhalt steininnhold kőtartalom skeletovitost pedregosidade pietrosità",
    "tree_cover_loss_year": "hakkuuvuosi avverkningsår rok_wylesienia rok_odlesnění an_defrișare jahr_der_entwaldung",
    "suspended_matter": "kiintoaine lebegőanyag nerozpuštěné_látky padatan_tersuspensi matières_en_suspension",
    "secchi_depth": "siktedyp sigtdybde průhlednost_vody zichtdiepte głębokość_secchi",
    "cation_exchange_capacity": "katjonbyteskapacitet pojemność_wymiany_kationów kationtová_výměnná_kapacita kdk",
    "flow_accumulation": "akış_toplamı virtauskertymä acumulare_scurgere tích_lũy_dòng_chảy",
    "snow_water_equivalent": "lumen_vesiarvo snöns_vattenekvivalent snøens_vannekvivalent hóvízegyenérték",
    "vertical_displacement": "pystysiirtymä depl_vertical vertical_depl dislocamento_vertical",
    "line_of_sight_displacement": "depl_los déplacement_ligne_de_visée przemieszczenie_wzdłuż_los",
    "water_occurrence": "veden_esiintyvyys víz_előfordulás frekuensi_air frecvența_apei",
    "canopy_height": "puuston_pituus överhöjd",
    "surface_temperature": "maanpinnan_lämpötila yüzey_sıcaklık",
}


@pytest.mark.parametrize(
    ("quantity", "name"), [(one, name) for one, some in IN_LANGUAGES.items() for name in some.split()]
)
def test_words_of_soils_and_forests_say_their_quantity(quantity: str, name: str) -> None:
    for form in (name, f"{name.replace('_', ' ')} 2020"):
        assert name_facts(f"{form}.tif").facts.value("quantity") == quantity


RADIATION = ("rad solar", "solar radiation", "promieniowanie sloneczne", "gunes radyasyonu", "insolation")


@given(st.sampled_from(RADIATION), st.sampled_from(["{} {} worldclim", "worldclim {} {}"]), st.integers(1, 12))
def test_a_word_that_leaves_its_quantity_open_means_the_only_layer_of_a_product(
    word: str, form: str, month: int
) -> None:
    facts = name_facts(f"{form.format(word, f'{month:02d}')}.tif").facts
    assert (facts.value("quantity"), facts.value("unit")) == ("downward_shortwave_flux", "kJ day-1 m-2")
    assert "quantity" not in name_facts(f"{word} {month:02d}.tif").facts


@pytest.mark.parametrize("word", ["temperature", "temperatura", "middeltemperatur"])
def test_of_the_temperatures_of_a_product_the_plain_word_is_that_of_no_statistic(word: str) -> None:
    assert name_facts(f"{word} 07 worldclim.tif").facts.value("unit") == "degC"
    assert name_facts(f"{word} 07.tif").facts.value("quantity") is None


def test_amounts_of_a_year_and_of_a_month_are_told_per_these() -> None:
    units = {one: name_facts(f"chelsa bio{one} 1981-2010.tif").facts.value("unit") for one in (12, 13, 14, 16)}
    assert units == {12: "kg m-2 year-1", 13: "kg m-2 month-1", 14: "kg m-2 month-1", 16: None}
