"""What is told by two times, or by a limit said first: burned, newly lit, vegetated ground."""

from __future__ import annotations

import pytest
from published_calls import arguments, planned, tools

from knowflow.model.goal import Period

LIGHTS = [f"Riga_avg_rad_{year}-{month:02}-01.tif" for year in (2013, 2021) for month in range(1, 13)]
GREEN = [f"Riga_NDVI_{day}.tif" for day in ("2013-06-01", "2021-06-01")]
BANDS = [f"Evia_sur_refl_{band}_{day}.tif" for band in ("b02", "b07") for day in ("2021-07-28", "2021-08-21")]
CHANGE = "calculate_tif_average*2 subtract calc_batch_image_hotspot_percentage"


@pytest.mark.parametrize(
    "query",
    [
        "Land is newly lit if its mean radiance from January to June 2021 exceeds that of January to June 2013 by more "
        "than 4. Which share of Riga is newly lit?",
        "What percentage of Riga had a mean radiance in the first half of 2021 at least 4 higher than in the first "
        "half of 2013?",
        "Pixels where the mean radiance of the first half of 2013 fell short of that of the first half of 2021 by more "
        "than 4 are newly lit. What proportion of Riga is that?",
    ],
)
def test_how_far_one_time_lies_beyond_another_is_a_limit_on_the_change(query: str) -> None:
    assert tools(query, LIGHTS) == CHANGE
    former, later = arguments(query, LIGHTS, "calculate_tif_average")
    assert former["file_list"][0].endswith("2013-01-01.tif")
    assert later["file_list"][-1].endswith("2021-06-01.tif")
    assert arguments(query, LIGHTS, "calc_batch_image_hotspot_percentage")[0]["threshold"] == 4


@pytest.mark.parametrize(
    "query",
    [
        "On how much of Riga is the NDVI of 2013-06-01 lower than that of 2021-06-01 by over 0.2?",
        "What share of Riga had an NDVI on 2021-06-01 more than 0.2 above that of 2013-06-01?",
        "What share of Riga was by more than 0.2 greener on 2021-06-01 than on 2013-06-01?",
    ],
)
def test_of_two_days(query: str) -> None:
    assert tools(query, GREEN) == "subtract calc_batch_image_hotspot_percentage"
    assert arguments(query, GREEN, "subtract")[0]["img1_path"].endswith("2021-06-01.tif")


def test_a_named_share_of_the_ground_asks_for_no_movement() -> None:
    query = (
        "Call a pixel degraded when its NDVI of 2021-06-01 lies below that of 2013-06-01 by more than 0.1. How large "
        "is the degraded proportion of Riga?"
    )
    assert tools(query, GREEN) == "subtract calculate_threshold_ratio"


@pytest.mark.parametrize(
    "query",
    [
        "What proportion of Evia was burnt in the August 2021 fires, burned being where NBR dropped by more than 0.3 "
        "from 2021-07-28 to 2021-08-21?",
        "How much of Evia burned, if burned is where NBR falls by more than 0.3 between 2021-07-28 and 2021-08-21?",
        "For the August 2021 wildfires: on which fraction of Evia is the NBR of 2021-08-21 lower than that of "
        "2021-07-28 by more than 0.3?",
    ],
)
def test_what_burned_is_told_by_the_drop_of_the_burn_ratio(query: str) -> None:
    assert tools(query, BANDS) == "calculate_batch_nbr subtract calc_batch_image_hotspot_percentage"
    assert arguments(query, BANDS, "subtract")[0]["img1_path"].endswith("2021-07-28.tif")
    days = Period("2021-07-28", "2021-07-28"), Period("2021-08-21", "2021-08-21")
    assert planned(query, BANDS).goal.value("comparison") == days


@pytest.mark.parametrize(
    "query",
    [
        "Land counts as vegetated if its NDVI exceeds 0.35. Compare the vegetated fraction of the monthly mean NDVI "
        "maps of the Po from sur_refl_b01 and sur_refl_b02 in June 2018 and June 2022.",
        "There is vegetation where NDVI > 0.35. By how much does the vegetation fraction of the monthly mean NDVI map "
        "of the Po, of sur_refl_b01 and sur_refl_b02, differ between June 2018 and June 2022?",
    ],
)
def test_the_vegetated_fraction_is_that_beyond_the_limit_that_was_told(query: str) -> None:
    names = [f"Po_sur_refl_{band}_{year}-06-{day}.tif" for band in ("b01", "b02") for year in (2018, 2022)
             for day in ("02", "18")]  # fmt: skip
    made = "calculate_batch_ndvi*2 calculate_tif_average*2 calc_batch_image_hotspot_percentage*2 difference"
    assert tools(query, names) == made


def test_the_snow_covered_fraction_is_that_beyond_its_limit() -> None:
    names = [f"Po_NDSI_{year}-01-{day}.tif" for year in (2018, 2022) for day in ("02", "18")]
    query = (
        "Snow lies where NDSI is above 0.4. How far does the snow-covered share differ between January 2018 and 2022?"
    )
    assert tools(query, names).startswith("calc_batch_image_hotspot_percentage*2")
