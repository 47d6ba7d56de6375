"""Questions of two steps: a day that is found, and what is measured on it; extremes with their dates."""

from __future__ import annotations

import pytest
from published_calls import planned, tools

DAYS = [f"2020-08-{day:02}" for day in range(1, 31)]
RAIN = [f"Sylhet_precipitation_{day}.tif" for day in DAYS]
FIRES = [f"Evia_MaxFRP_{day}.tif" for day in DAYS]
COVER = [f"Evia_NDVI_{day}.tif" for day in DAYS]


@pytest.mark.parametrize(
    "query",
    [
        "On which day of August 2020 was the mean rainfall highest, and what share of the area got more than 40 mm "
        "on that day?",
        "Find the day of August 2020 with the largest average rainfall. Then give the proportion of pixels where the "
        "rainfall of that very day was above forty millimetres.",
    ],
)
def test_the_share_is_that_of_the_day_that_the_mean_tells(query: str) -> None:
    assert tools(query, RAIN) == "calc_batch_image_mean max_value_and_index calc_batch_image_hotspot_percentage"
    assert planned(query, RAIN).calls[-1].input["threshold"] == 40.0


def test_the_day_of_most_burning_pixels_is_measured() -> None:
    query = (
        "Pixels count as burning when their MaxFRP exceeds 5 MW. On which day of August 2020 were the most pixels "
        "burning, and what was the mean fire radiative power on that day?"
    )
    assert tools(query, FIRES) == "calc_batch_fire_pixels max_value_and_index calc_batch_image_mean"
    assert planned(query, FIRES).calls[1].input["fire_threshold"] == 5.0


def test_another_quantity_may_be_measured_on_the_day_that_is_found() -> None:
    query = "Which day of August 2020 had the lowest mean NDVI, and how high was the maximum rainfall on that day?"
    names = [*COVER, *(name.replace("Sylhet", "Evia") for name in RAIN)]
    assert tools(query, names) == "calc_batch_image_mean min_value_and_index calc_batch_image_max"
    assert "precipitation" in planned(query, names).calls[-1].input["file_list"][0]


@pytest.mark.parametrize(
    ("measured", "tool"),
    [("total", "sum"), ("standard deviation of the", "std"), ("skewness of the", "skewness"), ("median", "median")],
)
def test_any_statistic_may_be_measured_on_the_day_that_is_found(measured: str, tool: str) -> None:
    query = (
        f"On which day of August 2020 was the mean rainfall highest, and what was the {measured} rainfall on that day?"
    )
    assert tools(query, RAIN) == f"calc_batch_image_mean max_value_and_index calc_batch_image_{tool}"


def test_another_day_is_not_the_one_that_is_found() -> None:
    query = (
        "On which day of August 2020 was the mean rainfall highest, and what was the maximum rainfall on the day with "
        "the lowest mean?"
    )
    assert "calc_batch_image_max" not in tools(query, RAIN)


def test_the_value_of_the_day_itself_takes_no_second_step() -> None:
    query = "On which day of August 2020 was the mean rainfall highest, and what was the mean rainfall on that day?"
    assert tools(query, RAIN) == "calc_batch_image_mean max_value_and_index"


@pytest.mark.parametrize(
    "query",
    [
        "On which dates from 1 to 30 August 2020 was the mean NDVI highest and lowest, and how far do the two differ?",
        "From the NDVI of August 2020, find the largest mean with its date, the smallest mean with its date and the "
        "difference between them.",
    ],
)
def test_extremes_with_their_dates_are_found_one_by_one(query: str) -> None:
    found = tools(query, COVER)
    assert found == "calc_batch_image_mean max_value_and_index min_value_and_index difference"


def test_extremes_without_dates_are_found_at_once() -> None:
    query = "How large is the range of the mean NDVI in August 2020?"
    assert tools(query, COVER) == "calc_batch_image_mean_max_min difference"


def test_a_limit_on_what_burns_is_one_of_its_power() -> None:
    query = "Areas with MaxFRP > 7 MW are burning. Find the date of August 2020 with the most burning pixels."
    assert tools(query, FIRES) == "calc_batch_fire_pixels max_value_and_index"
    assert planned(query, FIRES).calls[1].input["fire_threshold"] == 7.0


@pytest.mark.parametrize(
    ("asked", "last"),
    [
        ("how many pixels are these", "count_above_threshold"),
        ("in which direction are they concentrated, north, south, east or west", "analyze_hotspot_direction"),
    ],
)
def test_the_side_on_which_fires_grew_is_told_where_it_is_asked_for(asked: str, last: str) -> None:
    names = [f"Evia_MaxFRP_{year}-08-{day:02}.tif" for year in (2019, 2020) for day in range(1, 11)]
    query = (
        "From August 2019 to August 2020, map the areas where the mean MaxFRP grew significantly, by more than 12 MW: "
        f"{asked}?"
    )
    expected = "calculate_tif_average*2 subtract create_fire_increase_map"
    assert tools(query, names) == f"{expected} {last}"


SNOW = ["2019_02_11_BT_19H.tif", "2019_02_11_BT_37H.tif"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (
            "By Chang's algorithm, what was the mean snow depth on 11 February 2019, and over what share of the area "
            "was the snow deeper than 30 cm?",
            "calc_batch_image_mean calculate_threshold_ratio",
        ),
        (
            "By Chang's algorithm, what was the mean share of the area with a snow depth above 30 cm on "
            "11 February 2019?",
            "calculate_threshold_ratio",
        ),
    ],
)
def test_a_mean_may_be_asked_for_beside_a_share(query: str, expected: str) -> None:
    assert tools(query, SNOW) == f"chang_single_param_inversion {expected}"


@pytest.mark.parametrize(("extreme", "tool"), [("smallest", "min_value_and_index"), ("largest", "max_value_and_index")])
@pytest.mark.parametrize(
    "query",
    [
        "For each date work out the share of the area whose NDVI lies above the overall NDVI mean, and name the date "
        "with the {} share.",
        "On which date was the proportion of pixels 10% above the overall NDVI mean {}?",
    ],
)
def test_the_date_of_either_extreme_of_the_shares_beyond_the_mean_of_all(query: str, extreme: str, tool: str) -> None:
    found = tools(query.format(extreme), COVER)
    assert found == f"calc_batch_image_mean mean calc_batch_image_hotspot_percentage {tool}"
