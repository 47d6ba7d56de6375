"""Formulas over bands that stand in a question: the index that they are, or a question back; never their words."""

from __future__ import annotations

import pytest

from knowflow.reason.language import unclear, understand


@pytest.mark.parametrize(
    ("text", "quantity"),
    [
        ("Work out (red - green) / (red + green) and give me the mean.", "ndti"),
        ("Average (NIR − SWIR1) / (NIR + SWIR1) over the scene.", "ndmi"),
        ("What was the mean of (green - near infrared) ÷ (green + near infrared) in 2022?", "ndwi"),
        ("Mean of (B03 - B08) / (B03 + B08) of the Sentinel-2 scene", "ndwi"),
        ("highest value of 2.5 * (NIR - red) / (NIR + 2.4 * red + 1)", "evi2"),
        ("What is the mean NIR/red ratio?", "sr"),
        ("Mean of NDMI = (NIR - SWIR)/(NIR + SWIR)", "ndmi"),
    ],
)
def test_a_formula_is_the_index_of_the_catalogue_that_has_its_values(text: str, quantity: str) -> None:
    goal = understand(text)
    assert goal.value("quantity") == quantity
    assert not unclear(goal)
    assert "feature" not in goal.slots


def test_numbers_of_a_formula_are_no_limits() -> None:
    limit = understand("Share of the scene with 2.5 * (NIR - red) / (NIR + 2.4 * red + 1) above 0.4").value("threshold")
    assert (limit.side, limit.value) == ("above", 0.4)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Mean of (green - red) / (green + 7 * red)", "no formula of the catalogue"),
        ("Mean of (B3 - B8) / (B3 + B8)", "may be several bands"),
        ("Mean of (NIR - SWIR) / (NIR + SWIR)", "may be several bands"),
        ("Mean of NDWI = (NIR - SWIR1)/(NIR + SWIR1)", "can mean NDWI"),
        ("Mean of (NIR - SWIR1)/(NIR + SWIR1), known as NDWI", "can mean NDWI"),
    ],
)
def test_a_formula_that_is_no_index_or_another_one_than_it_is_called_is_asked_back(text: str, why: str) -> None:
    assert why in unclear(understand(text))[0].why


@pytest.mark.parametrize(
    ("text", "quantity"),
    [
        ("What is the mean of the green band?", None),
        ("Mean NDWI from the green and NIR bands", "ndwi"),
        ("Mean reflectance in the green in 2021", "surface_bidirectional_reflectance"),
        ("Mean green TOA reflectance", "toa_bidirectional_reflectance"),
        ("A red-green map of VV/VH images: how green is it?", "ndvi"),
    ],
)
def test_the_colour_of_a_band_is_no_vegetation(text: str, quantity: str | None) -> None:
    goal = understand(text)
    assert goal.value("quantity") == quantity
    assert goal.value("class") in (None, goal.value("feature"))
    assert not goal.ambiguities
