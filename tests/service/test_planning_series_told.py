"""Series in time: classes that a statistic tells, slopes of fits, and what repeats after a period."""

from __future__ import annotations

import pytest
from published_calls import planned, tools

RAIN = [f"Cairns_precipitation_2021-02-{day:02}.tif" for day in range(1, 29)]
LIGHTS = [f"Doha_avg_rad_2018-{month:02}-01.tif" for month in range(1, 13)]
GREEN = [f"Hue_NDVI_{year}-06-01.tif" for year in range(2010, 2021)]


@pytest.mark.parametrize(
    ("query", "statistic"),
    [
        (
            "A distribution whose kurtosis is above 3 is leptokurtic, below 3 platykurtic. Which of these is the "
            "distribution of the daily mean rainfall of Cairns in February 2021?",
            "kurtosis",
        ),
        (
            "Skewness greater than 0.5 is called right-skewed, less than -0.5 left-skewed. Which of these labels fits "
            "the daily mean rainfall of Cairns in February 2021?",
            "skewness",
        ),
        (
            "A coefficient of variation below 0.1 is called stable, above 0.3 highly variable. Which of these applies "
            "to the daily mean rainfall of Cairns in February 2021?",
            "coefficient_of_variation",
        ),
    ],
)
def test_one_of_several_classes_is_told_by_the_statistic_and_compares_nothing(query: str, statistic: str) -> None:
    assert tools(query, RAIN) == f"calc_batch_image_mean {statistic}"


def test_one_of_two_places_still_compares_them() -> None:
    names = [f"{place}_LST_2021-07-{day:02}.tif" for place in ("Lima", "Quito") for day in range(1, 4)]
    query = "Which of the two was warmer on average in July 2021, Lima or Quito?"
    assert tools(query, names).endswith("difference")


@pytest.mark.parametrize(
    "query",
    [
        "Do the lights of Doha grow in 2018? Report the slope obtained when a line is fitted to the monthly means.",
        "What slope does a linear fit to the monthly mean night lights of Doha in 2018 give?",
        "Is Doha brightening in 2018? A straight line through its monthly mean night lights: what is its slope?",
        "Do the night lights of Doha rise in 2018, and with what slope per month?",
    ],
)
def test_the_slope_of_a_fit_is_a_trend_and_none_of_the_ground(query: str) -> None:
    assert tools(query, LIGHTS) == "calc_batch_image_mean compute_linear_trend"


@pytest.mark.parametrize(
    "query",
    [
        "Estimate the robust slope (Sen) of the yearly mean NDVI of Hue between 2010 and 2020.",
        "What slope does the Sen method give for the mean NDVI of Hue from 2010 to 2020?",
        "Determine the slope after Sen of the mean NDVI of Hue, 2010-2020.",
        "Give the robust (Sen) slope of the mean NDVI of Hue from 2010 to 2020.",
    ],
)
def test_sens_slope_is_known_however_it_is_named(query: str) -> None:
    assert tools(query, GREEN) == "calc_batch_image_mean sens_slope"


@pytest.mark.parametrize(
    ("query", "tool"),
    [
        ("Does the mean NDVI of Hue recur with a regular rhythm? Use its autocorrelation.", "detect_seasonality_acf"),
        ("With what period, if any, do the mean NDVI values of Hue repeat themselves?", "detect_seasonality_acf"),
        ("Is there a recurring cycle in the mean NDVI of Hue, by its autocorrelation?", "detect_seasonality_acf"),
        ("Autocorrelation of the mean NDVI of Hue over the period 2010-2020", "autocorrelation_function"),
    ],
)
def test_what_repeats_after_a_period_is_seasonal(query: str, tool: str) -> None:
    assert tools(query, GREEN) == f"calc_batch_image_mean {tool}"


@pytest.mark.parametrize(
    "query",
    [
        "State, as a percentage, how the mean night light of Oslo changed from 2021 to 2022.",
        "Compare 2021 and 2022 in Oslo and tell in per cent by how much the mean night light rose or fell.",
        "Express in percent how far the mean night light of Oslo moved between 2021 and 2022.",
    ],
)
def test_how_something_changed_in_percent_is_a_percentage_change(query: str) -> None:
    names = [f"Oslo_avg_rad_{year}-{month:02}-01.tif" for year in (2021, 2022) for month in range(1, 13)]
    assert tools(query, names).endswith(" percentage_change")


@pytest.mark.parametrize(
    "query",
    [
        "Toward which compass direction do the pixels with NBR under -0.15 cluster on 2021-08-15?",
        "On which side of Evia do most of the burned pixels (NBR < -0.15) lie on 2021-08-15?",
        "Towards which direction do the burned areas (NBR < -0.15) accumulate on 2021-08-15?",
    ],
)
def test_the_side_on_which_something_clusters_is_a_direction(query: str) -> None:
    names = [f"Evia_sur_refl_{band}_2021-08-15.tif" for band in ("b02", "b07")]
    assert tools(query, names) == "calculate_batch_nbr calc_batch_image_hotspot_tif analyze_hotspot_direction"


BUILT = [f"Hue_built_volume_{layer}_{year}-01-01.tif" for layer in ("total", "nres") for year in range(1990, 2021, 5)]


@pytest.mark.parametrize(
    ("query", "rest"),
    [
        ("Give Sen's slope of the mean residential building volume of Hue from 1990 to 2020.", "sens_slope"),
        (
            "Is the mean residential building volume of Hue rising from 1990 to 2020 by the Mann-Kendall test?",
            "mann_kendall_test",
        ),
    ],
)
def test_what_is_followed_in_time_is_the_part_that_is_named(query: str, rest: str) -> None:
    assert tools(query, BUILT) == f"subtract*7 calc_batch_image_mean {rest}"


def test_the_share_is_that_of_the_part_that_is_named() -> None:
    query = "What share of Hue had a residential building volume above 500 in 2020?"
    assert tools(query, BUILT) == "subtract calc_batch_image_hotspot_percentage"


def test_a_part_that_no_step_makes_is_told_as_left_out() -> None:
    query = "What is the 90th percentile of the residential building volume of Hue in 2020?"
    told = [one.value for one in planned(query, BUILT).plan.assumptions if one.what == "part"]
    assert "residential" in told
