"""Shares above so many times the mean, compared between regions; parts of what is built, and light per head."""

from __future__ import annotations

import pytest
from published_calls import planned, tools

LIGHTS = [f"{city}_avg_rad_2019-0{month}-01.tif" for city in ("Porto", "Turin") for month in (1, 2, 3)]


@pytest.mark.parametrize(
    ("asked", "last"),
    [
        ("what is the difference of their shares of hot spots", "difference"),
        ("what is the percentage change of the share of hot spots from Porto to Turin", "percentage_change"),
    ],
)
def test_each_region_has_a_mean_of_its_own(asked: str, last: str) -> None:
    query = (
        "Hot spots are brighter than 1.4 times the mean of their own city. Of the nighttime light of Porto and Turin "
        f"averaged from January to March 2019, {asked}?"
    )
    means = "calculate_tif_average*2 calc_batch_image_mean*2 calc_batch_image_hotspot_percentage*2"
    assert tools(query, LIGHTS) == f"{means} {last}"
    assert planned(query, LIGHTS).calls[5].input["threshold"] == {"from": 3, "item": 0, "times": 1.4}
    assert planned(query, LIGHTS).calls[6].input["threshold"] == {"from": 4, "item": 0, "times": 1.4}


def test_the_share_that_is_residential_is_compared() -> None:
    names = [
        f"Lima_{layer}_{year}-01-01.tif"
        for layer in ("built_volume_total", "built_volume_nres")
        for year in (2000, 2010)
    ]
    query = "What share of the whole built volume was residential in 2000 and 2010, and how far do the shares differ?"
    found = tools(query, names)
    assert found == "subtract*2 calc_batch_image_sum*4 division*2 difference"


def test_light_per_head_of_two_years() -> None:
    names = [f"Lima_avg_rad_{year}-0{month}-01.tif" for year in (2014, 2019) for month in (1, 2)]
    names += [f"Lima_population_{year}-01-01.tif" for year in (2014, 2019)]
    query = "Of the lights and the population of 2014 and 2019: by what percentage did the light per head change?"
    found = tools(query, names)
    assert found == "calculate_tif_average*2 calc_batch_image_sum*4 division*2 percentage_change"
