"""Words of quality behind a layer are of its pixels; elsewhere they rate a water, a soil or an air."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowflow.reason.inventory.names import name_facts

LAYERS = ("NDVI", "EVI", "LST", "LAI", "albedo", "soil_moisture")
WORDS = (
    *("quality", "qualite", "Qualitaet", "Qualität", "qualità", "calidad", "qualidade", "kwaliteit", "jakosc"),
    *("reliability", "pixel_reliability", "fiabilite", "fiabilité", "confiabilidad", "confiabilidade", "affidabilita"),
    *("Zuverlaessigkeit", "betrouwbaarheid", "pixel_quality", "qualite_des_pixels"),
)


@given(
    st.sampled_from(LAYERS),
    st.sampled_from(WORDS),
    st.sampled_from(("", "_2021-05-09", "_16gg_09may2021", "_8day_2021")),
    st.booleans(),
)
def test_what_is_told_of_the_pixels_of_a_layer_is_their_quality(layer: str, word: str, date: str, behind: bool) -> None:
    name = f"{layer}{date}_{word}.tif" if behind else f"{layer}_{word}{date}.tif"
    told = name_facts(name, "uint8").facts
    assert (told.value("quantity"), told.value("unit")) == ("qa_bits", "1")


@pytest.mark.parametrize("word", ["quality", "qualite", "calidad", "reliability"])
@pytest.mark.parametrize("rated", ["water_{}", "soil_{}_2020", "chl_water_{}", "no2_air_{}", "NDVI_{}_of_life", "{}"])
def test_what_else_is_rated_stays_unknown(rated: str, word: str) -> None:
    assert name_facts(f"{rated.format(word)}.tif", "uint8").facts.value("quantity") is None
