"""Known products, statistics and comparisons in new combinations, planned as published calls."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from published_calls import arguments, files, planned, tools

from knowflow.ground.errors import PlanningError

JULY = [f"2021-07-{day:02}" for day in range(1, 32)]
TWO_JULYS = [*(f"2014-07-{day:02}" for day in range(1, 29)), *(f"2022-07-{day:02}" for day in range(1, 29))]
RAIN = files(["precipitation"], JULY)
YEARS = files(
    ["sur_refl_b02", "sur_refl_b04", "sur_refl_b06"], ["2015-03-01", "2015-08-01", "2023-03-01", "2023-08-01"]
)
LIGHTS = files(["avg_rad"], ["2014-01-01", "2014-02-01", "2021-01-01", "2021-02-01"])
VOLUMES = files(["built_volume_total", "built_volume_nres"], ["1990-01-01", "2000-01-01", "2010-01-01", "2020-01-01"])


@pytest.mark.parametrize(
    "query",
    [
        "Find the wettest day of July 2021 and tell by how much it exceeded the mean rainfall of the month.",
        "Give the difference between the highest daily rainfall of July 2021 and the average of all days.",
    ],
)
def test_an_extreme_is_told_beside_the_mean(query: str) -> None:
    assert tools(query, RAIN) == "calc_batch_image_mean max_value_and_index mean difference"


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("On which day of July 2021 did the rain peak, and what is the ratio of that peak to the mean?", "division"),
        (
            "Compute the mean rain of each day of July 2021, identify the day with the maximum value, then compute the "
            "mean of all daily values, and express the peak as a multiple of that mean.",
            "division",
        ),
        ("How many times the mean rainfall of July 2021 was that of the wettest day?", "division"),
        ("By how many percent did the wettest day of July 2021 exceed the mean of the month?", "percentage_change"),
    ],
)
def test_an_extreme_is_told_as_so_many_times_the_mean(query: str, told: str) -> None:
    assert tools(query, RAIN) == f"calc_batch_image_mean max_value_and_index mean {told}"


def test_an_amplitude_is_the_highest_mean_less_the_lowest() -> None:
    query = "What was the amplitude (highest minus lowest mean) of the NDSI in 2023?"
    assert tools(query, YEARS) == "calculate_batch_ndsi calc_batch_image_mean_max_min difference"


@pytest.mark.parametrize(
    ("query", "apart"),
    [
        ("How wide is the span between the warmest and the coldest LST of July 9, 2021?", True),
        ("Calculate the range between the minimum and the maximum LST on July 9, 2021.", True),
        ("What is the spread from the coolest to the hottest LST on July 9, 2021?", True),
        ("List the files, then find the highest and the lowest LST of July 9, 2021, and how far apart they are.", True),
        ("What were the highest and the lowest LST on July 9, 2021?", False),
    ],
)
def test_both_extremes_of_a_scene_are_told_and_subtracted_where_their_distance_is_asked(
    query: str, apart: bool
) -> None:
    found = "calc_batch_image_max calc_batch_image_min"
    assert tools(query, files(["LST"], ["2021-07-09"])) == (f"{found} difference" if apart else found)


def test_both_extremes_of_many_scenes_are_those_of_their_means() -> None:
    query = "How far apart were the lowest and the highest rainfall of July 2021?"
    assert tools(query, RAIN) == "calc_batch_image_mean_max_min difference"


def test_the_month_of_an_extreme_is_found_among_means_of_months() -> None:
    names = files(["precipitation"], [f"2022-{month:02}-{day:02}" for month in (6, 7, 8) for day in (1, 11, 21)])
    found = tools("Which month of the summer of 2022 had the lowest average daily rainfall?", names)
    assert found == "calc_batch_image_mean*3 mean*3 min_value_and_index"


def test_one_region_is_told_as_so_many_times_another() -> None:
    names = [*files(["precipitation"], JULY, "Ahrtal"), *files(["precipitation"], JULY, "Eifel")]
    for query in (
        "How many times more rain did Ahrtal receive than Eifel in July 2021?",
        "Give the ratio of Ahrtal to Eifel in mean rainfall, July 2021.",
    ):
        assert tools(query, names) == "calc_batch_image_mean*2 mean*2 division"


@pytest.mark.parametrize(
    "query",
    [
        "How many more days of July 2021 with over 5 mm of rain on more than 30% of the area had Ahrtal than Eifel?",
        "On how many days of July 2021 had over 30% of the area more than 5 mm of rain, Ahrtal compared with Eifel?",
    ],
)
def test_numbers_of_days_are_compared_and_not_added_up(query: str) -> None:
    names = [*files(["precipitation"], JULY, "Ahrtal"), *files(["precipitation"], JULY, "Eifel")]
    assert tools(query, names) == "count_images_exceeding_threshold_ratio*2 difference"


def test_the_average_map_may_tell_in_parentheses_of_what_it_is() -> None:
    names = files(["NDVI", "LST"], [f"{year}-0{month}-05" for year in (2016, 2021) for month in (6, 7, 8)])
    query = "Make the mean dryness (TVDI) map of June-August 2016 and 2021; by what percentage did its mean change?"
    assert tools(query, names) == "compute_tvdi calculate_tif_average*2 calc_batch_image_mean*2 percentage_change"


def test_total_light_is_the_sum_of_the_averaged_maps() -> None:
    query = "By how many percent did the total light of the annual mean maps change from 2014 to 2021?"
    assert tools(query, LIGHTS) == "calculate_tif_average*2 calc_batch_image_sum*2 percentage_change"


def test_what_a_quantity_is_told_per_unit_of_is_the_part_that_is_named() -> None:
    names = [*LIGHTS, *files(["built_volume_total", "built_volume_nres"], ["2014-01-01", "2021-01-01"])]
    query = "By how many percent did the light per unit of {}building volume change from 2014 to 2021?"
    rest = "calc_batch_image_sum*4 division*2 percentage_change"
    assert tools(query.format("residential "), names) == f"calculate_tif_average*2 subtract*2 {rest}"
    for part, layer in (("", "total"), ("non-residential ", "nres")):
        assert tools(query.format(part), names) == f"calculate_tif_average*2 {rest}"
        summed = str(arguments(query.format(part), names, "calc_batch_image_sum"))
        assert [name in summed for name in ("total", "nres")] == [layer == "total", layer == "nres"]


def test_the_average_day_of_a_month_is_no_date_and_groups_no_months() -> None:
    query = (
        "How much rain fell on an average day of the month of July 2021, and is the daily rain on a linear trend "
        "between July 1 and July 31?"
    )
    assert tools(query, RAIN) == "calc_batch_image_mean mean compute_linear_trend"


def test_what_lasts_is_averaged_pixel_by_pixel_before_its_relative_change() -> None:
    query = "How much of its nighttime light did Testland lose from 2014 to 2021, in percent?"
    assert tools(query, LIGHTS) == "calculate_tif_average*2 calc_batch_image_mean*2 percentage_change"
    query = "By how much did the nighttime light of Testland change between 2014 and 2021?"
    assert tools(query, LIGHTS) == "calc_batch_image_mean*2 mean*2 difference"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (
            "Where did the annual mean NDSI increase by more than 0.1 from 2015 to 2023? Give the share of the area.",
            "subtract calc_batch_image_hotspot_percentage",
        ),
        (
            "Make the difference map of 2023 minus 2015. What proportion has become snowless by more than 0.3 in NDSI, "
            "where the difference is below -0.3?",
            "subtract calc_batch_image_hotspot_tif calc_extreme_snow_loss_percentage_from_binary_map",
        ),
        (
            "Loss is a decrease in NDSI greater than 0.3 between the two years 2015 and 2023. What proportion is lost?",
            "subtract calc_batch_image_hotspot_tif calc_extreme_snow_loss_percentage_from_binary_map",
        ),
    ],
)
def test_the_share_of_what_changed_is_read_from_one_map_less_the_other(query: str, expected: str) -> None:
    assert tools(query, YEARS) == f"calculate_batch_ndsi*2 calculate_tif_average*2 {expected}"


def test_a_share_where_the_annual_mean_is_beyond_a_limit_is_that_of_the_averaged_map() -> None:
    query = "Compare the proportion of areas where the annual mean NDSI is above 0.4 in 2015 and 2023."
    expected = "calculate_batch_ndsi*2 calculate_tif_average*2 calc_batch_image_hotspot_percentage*2 difference"
    assert tools(query, YEARS) == expected


@pytest.mark.parametrize(
    ("index", "layers", "tool", "bands"),
    [
        ("NDVI", ["sur_refl_b01", "sur_refl_b02"], "calculate_batch_ndvi", 2),
        ("EVI", ["sur_refl_b01", "sur_refl_b02", "sur_refl_b03"], "calculate_batch_evi", 3),
        ("NDBI", ["sur_refl_b02", "sur_refl_b06"], "calculate_batch_ndbi", 2),
        ("NDWI", ["sur_refl_b02", "sur_refl_b04"], "calculate_batch_ndwi", 2),
        ("WRI", ["sur_refl_b01", "sur_refl_b02", "sur_refl_b04", "sur_refl_b06"], "calculate_batch_wri", 4),
    ],
)
def test_reflectances_of_a_month_are_averaged_before_an_index_whose_share_is_asked(
    index: str, layers: Sequence[str], tool: str, bands: int
) -> None:
    query = f"What percentage of the area had {index} above 0.4 in July 2021?"
    averaged = f"calculate_tif_average*{bands} {tool}"
    assert tools(query, files(layers, JULY)) == f"{averaged} calc_batch_image_hotspot_percentage"
    pair = f"Compare the percentage of the area with {index} above 0.4 in July 2014 and July 2022."
    expected = f"{averaged} {averaged} calc_batch_image_hotspot_percentage*2 difference"
    assert tools(pair, files(layers, TWO_JULYS)) == expected


def test_snow_comes_and_goes_and_its_index_is_made_before_maps_are_averaged() -> None:
    query = "What percentage of the area had NDSI above 0.4 in July 2021?"
    expected = "calculate_batch_ndsi calculate_tif_average calc_batch_image_hotspot_percentage"
    assert tools(query, files(["sur_refl_b04", "sur_refl_b06"], JULY)) == expected


def test_a_year_of_an_index_is_averaged_map_by_map_unless_it_is_said_otherwise() -> None:
    query = "What percentage of the area had NDSI above 0.4 in 2023?"
    assert tools(query, YEARS) == "calculate_batch_ndsi calculate_tif_average calc_batch_image_hotspot_percentage"
    said = f"Average each band over the year first. {query}"
    assert tools(said, YEARS) == "calculate_tif_average*2 calculate_batch_ndsi calc_batch_image_hotspot_percentage"


def test_shares_of_rain_are_compared_day_by_day() -> None:
    names = files(["precipitation"], TWO_JULYS)
    query = "Heavy rain exceeds 20 mm per day. Compare the mean share of the area under it in July 2014 and July 2022."
    assert tools(query, names) == "calc_batch_image_hotspot_percentage*2 mean*2 difference"


def test_the_day_of_the_largest_share_is_given() -> None:
    query = "For each day calculate the share of pixels with rain over 50 mm, find the maximum and give its date."
    assert tools(query, RAIN) == "calc_batch_image_hotspot_percentage max_value_and_index"


def test_averaged_maps_of_parts_of_a_year_are_compared_where_maps_are_asked_for() -> None:
    names = files(["sur_refl_b04", "sur_refl_b06"], ["2022-01-05", "2022-01-21", "2022-07-05", "2022-07-21"])
    query = "Compare the mean of the average NDSI maps of January 2022 and July 2022 and give the difference."
    assert tools(query, names) == "calculate_batch_ndsi calculate_tif_average*2 calc_batch_image_mean*2 difference"


def test_how_rain_varies_is_compared_between_regions() -> None:
    names = [*files(["precipitation"], JULY, "Mumbai"), *files(["precipitation"], JULY, "Nairobi")]
    query = (
        "Give the difference of the coefficients of variation of the daily rainfall of Mumbai and Nairobi, July 2021."
    )
    assert tools(query, names) == "calc_batch_image_mean*2 coefficient_of_variation*2 difference"


def test_light_per_building_is_compared_between_regions() -> None:
    layers = ["avg_rad", "built_volume_total"]
    names = [*files(layers, ["2020-01-01"], "Accra"), *files(layers, ["2020-01-01"], "Kampala")]
    query = "By how much does the light intensity per unit building volume differ between Accra and Kampala in 2020?"
    assert tools(query, names) == "calc_batch_image_sum*4 division*2 difference"


def test_burning_pixels_are_counted_and_compared() -> None:
    names = files(["MaxFRP"], TWO_JULYS)
    query = "Fire pixels have MaxFRP > 10. Compare the mean number of fire pixels a day in July 2014 and July 2022."
    assert tools(query, names) == "calc_batch_fire_pixels*2 mean*2 difference"


@pytest.mark.parametrize(
    "query",
    [
        "Areas with an NBR drop larger than 0.27 between August 5, 2023 and September 14, 2023 burned. What share?",
        "Burned is an NBR decrease larger than 0.27. Subtract the maps of August 5, 2023 and September 14, 2023 to a "
        "difference map and calculate the proportion of what burned.",
    ],
)
def test_a_drop_from_one_day_to_another_is_read_from_one_map_less_the_other(query: str) -> None:
    names = files(["sur_refl_b02", "sur_refl_b07"], ["2023-08-05", "2023-09-14"])
    assert tools(query, names) == "calculate_batch_nbr subtract calc_batch_image_hotspot_percentage"


def test_what_burned_is_the_share_of_a_large_drop_of_the_burn_ratio() -> None:
    names = files(["sur_refl_b02", "sur_refl_b07"], ["2023-08-13", "2023-09-14"])
    query = (
        "Burn severity is at least moderate where dNBR > 0.27. Which share burned between 2023-08-13 and 2023-09-14?"
    )
    assert tools(query, names) == "calculate_batch_nbr subtract calc_batch_image_hotspot_percentage"
    scars = "Map the burn scars where NBR < -0.1 and tell on which side (east, west, south or north) they concentrate."
    assert "subtract" not in tools(scars, names)


def test_shares_of_buildings_are_compared_and_followed() -> None:
    sums = "calc_batch_image_sum"
    pair = "How did the share of non-residential building volume change from 1990 to 2020? Give the difference."
    assert tools(pair, VOLUMES) == f"{sums}*4 division*2 difference"
    trend = "Follow the share of non-residential building volume from 1990 to 2020: what is its linear trend?"
    assert tools(trend, VOLUMES) == f"{sums}*2 division compute_linear_trend"
    growth = "By what percentage did the residential building volume grow between 1990 and 2020?"
    assert tools(growth, [*VOLUMES[:2], *VOLUMES[-2:]]) == f"subtract*2 {sums}*2 percentage_change"


def test_a_test_of_a_trend_takes_every_date_and_tells_its_slope_where_it_is_asked_for() -> None:
    names = files(["LST", "NDVI"], [f"{year}-{month:02}-05" for year in (2020, 2021, 2022) for month in (4, 7, 9)])
    series = "compute_tvdi calc_batch_image_mean"
    assert tools("Is there a significant monotonic trend of TVDI, 2020-2022?", names) == f"{series} mann_kendall_test"
    both = "Does TVDI have a significant monotonic trend in 2020-2022, and how steep is it by Sen's slope?"
    assert tools(both, names) == f"{series} mann_kendall_test sens_slope"
    yearly = "calculate_tif_average*3 calc_batch_image_mean compute_linear_trend"
    assert tools("What is the linear trend of TVDI, 2020-2022?", names) == f"compute_tvdi {yearly}"


def test_shares_are_followed_over_the_years() -> None:
    names = files(["LST", "NDVI"], [f"{year}-08-{day:02}" for year in (2019, 2020, 2021) for day in (5, 21)])
    query = "Is the share of very dry land (TVDI > 0.8) in August on a rising or falling linear trend, 2019-2021?"
    assert tools(query, names) == "compute_tvdi calculate_threshold_ratio*3 compute_linear_trend"


def test_how_dry_it_was_is_told_by_vegetation_and_temperature_together() -> None:
    names = files(["LST", "NDVI"], ["2022-04-05", "2022-07-05", "2022-09-05"])
    assert tools("From NDVI and LST, which date was the driest?", names).startswith(
        "compute_tvdi calc_batch_image_mean"
    )
    assert tools("Which date had the highest mean NDVI?", names) == "calc_batch_image_mean max_value_and_index"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("On which day was the NDVI spatially most heterogeneous?", "calc_batch_image_std max_value_and_index"),
        ("On which date was the highest NDVI of any single pixel seen?", "calc_batch_image_max max_value_and_index"),
        (
            "Calculate the median NDVI of each date, find the lowest and give the corresponding date.",
            "calc_batch_image_median min_value_and_index",
        ),
        (
            "Determine the minimum of the mean NDVI and give the corresponding date.",
            "calc_batch_image_mean min_value_and_index",
        ),
        (
            "Right-skewed: skewness > 0.5, left-skewed: skewness < -0.5. Is vegetation, by its mean NDVI of each date, "
            "right-skewed or left-skewed?",
            "calc_batch_image_mean skewness",
        ),
        (
            "On how many days was the mean NDVI higher than 1.05 times of the annual overall mean?",
            "count_images_exceeding_mean_multiplier",
        ),
        ("Find when the mean NDVI was lowest.", "calc_batch_image_mean min_value_and_index"),
        ("Decompose the NDVI into trend and season.", "calc_batch_image_mean stl_decompose"),
        ("Does the NDVI show a seasonal period?", "calc_batch_image_mean detect_seasonality_acf"),
    ],
)
def test_dates_are_found_by_other_statistics_than_the_mean(query: str, expected: str) -> None:
    assert tools(query, files(["NDVI"], [f"2021-{month:02}-05" for month in range(1, 13)])) == expected


def test_extremes_of_two_regions_are_compared() -> None:
    names = [*files(["precipitation"], JULY, "Mumbai"), *files(["precipitation"], JULY, "Karachi")]
    query = "Compare the maximum daily rainfall of Mumbai and Karachi in July 2021 and give the difference."
    assert tools(query, names) == "calc_batch_image_mean*2 max_value_and_index*2 difference"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Count the sudden surges of the rainfall in July 2021.", "count_spikes_from_values"),
        ("How many times did the rainfall jump suddenly in July 2021?", "count_spikes_from_values"),
        ("Count the sudden downpour events of July 2021 by the rainfall.", "count_spikes_from_values"),
        ("How many abrupt changes of the rainfall were there in July 2021?", "count_spikes_from_values"),
        ("At which time did the rainfall regime change abruptly in July 2021?", "detect_change_points"),
        ("Detect the abrupt changes of the rainfall in July 2021.", "detect_change_points"),
    ],
)
def test_surges_are_counted_and_lasting_shifts_are_dated(query: str, expected: str) -> None:
    assert tools(query, RAIN) == f"calc_batch_image_mean {expected}"


def test_the_hottest_pixel_of_one_scene_is_told_in_celsius() -> None:
    names = [f"Kuwait_2022-07-04_{layer}.tif" for layer in ("BT10", "b4", "b5")]
    for query in (
        "How hot was the hottest pixel in Celsius, by the single-channel method?",
        "Find the maximum LST of the scene by the single-channel method, in degrees Celsius.",
    ):
        assert tools(query, names) == "lst_single_channel calc_batch_image_max kelvin_to_celsius"


def test_temperatures_of_two_kinds_of_ground_are_compared() -> None:
    names = [f"Delhi_2019-0{month}-05_{layer}.tif" for month in (4, 5, 6) for layer in ("BT10", "b4", "b5")]
    query = (
        "How much hotter was bare ground (NDVI < 0.2) than green ground (NDVI > 0.5) on average, April to June 2019?"
    )
    assert tools(query, names) == "lst_single_channel calculate_mean_lst_by_ndvi*2 difference"


def test_emissivities_of_two_kinds_of_ground_are_compared() -> None:
    names = [f"2021_09_03_BT_{band}.tif" for band in (10, 11, 12, 13, 14)]
    query = "By TES, how do the mean emissivities of hot (LST > 315 K) and cool (LST < 305 K) ground differ?"
    expected = "temperature_emissivity_separation calculate_band_mean_by_condition*2 difference"
    assert tools(query, names) == expected
    query = (
        "By TES, how much does the mean emissivity of hot ground (LST > 315 K) differ from cool (LST < 305 K) ground?"
    )
    assert tools(query, names) == expected


def test_the_ends_of_a_range_of_months_are_compared() -> None:
    names = files(["sur_refl_b02", "sur_refl_b07"], [f"2023-0{month}-{day}" for month in (7, 8, 9) for day in (10, 20)])
    query = "Fires burned in August 2023. How far did the mean NBR fall from July to September?"
    assert tools(query, names) == "calculate_batch_nbr calc_batch_image_mean mean calc_batch_image_mean mean difference"


def test_the_warmest_and_the_coldest_mean_are_the_ends_of_a_range() -> None:
    names = [f"2021_10_0{day}_0425_BT_{band}.tif" for day in (1, 2, 3) for band in (31, 32)]
    for query in (
        "What is the gap between the highest and the lowest daily mean LST?",
        "Retrieve LST, average each image, and give the difference of the maximum and the minimum of these averages.",
    ):
        assert tools(query, names) in (
            "lst_multi_channel calc_batch_image_mean_max_min difference",
            "lst_multi_channel calc_batch_image_mean min_value_and_index max_value_and_index difference",
        )


def test_shares_of_the_dates_that_count_are_averaged() -> None:
    names = [f"Phoenix_2020-0{month}-04_{layer}.tif" for month in (5, 6, 7) for layer in ("BT10", "b4", "b5")]
    query = "Of the days on which more than 30% of the area was hotter than 312 K, give the average hot proportion."
    assert tools(query, names) == "lst_single_channel average_ratio_exceeding_threshold"


def test_percentiles_of_two_regions_are_compared() -> None:
    names = [f"2021_07_07_BT_{band}_Polygon{region}.tif" for region in (1, 2) for band in (10, 11, 12)]
    query = "Apply the three-temperature method to both regions and compare their 90th percentile surface temperatures."
    assert tools(query, names) == "ttm_lst*2 get_percentile_value_from_image*2 difference"


def test_without_green_the_index_of_water_is_that_of_leaves() -> None:
    bands = ["sur_refl_b01", "sur_refl_b02", "sur_refl_b06"]
    query = "Which share of the area is both green (NDVI > 0.4) and moist (NDWI > 0.1) on 2022-06-18?"
    expected = "calculate_batch_ndvi calculate_batch_ndwi calculate_intersection_percentage"
    assert tools(query, files(bands, ["2022-06-18"])) == expected
    with pytest.raises(PlanningError):
        tools("What is the mean NDWI of 2022-06-18?", files(["sur_refl_b01", "sur_refl_b02"], ["2022-06-18"]))


FIRES = files(["MaxFRP"], [f"{year}-10-{day:02}" for year in (2016, 2020) for day in range(1, 8)])


@pytest.mark.parametrize(
    ("query", "told"),
    [
        (
            "How many pixels rose by more than 15 MW in average MaxFRP from October 2016 to October 2020, and how many "
            "by more than 40 MW?",
            "count_above_threshold*2",
        ),
        (
            "Compare the average MaxFRP of October 2016 and October 2020: how many pixels increased by over 15 MW, how "
            "many increased by over 40 MW, and what is the gap between the two numbers?",
            "count_above_threshold*2 difference",
        ),
        (
            "Map where the mean MaxFRP grew by +15 MW and where it grew by +40 MW from October 2016 to October 2020, "
            "count the pixels of both maps and give the difference of these counts.",
            "create_fire_increase_map*2 count_above_threshold*2 difference",
        ),
    ],
)
def test_pixels_are_counted_for_each_of_two_limits_on_a_change(query: str, told: str) -> None:
    assert tools(query, FIRES) == f"calculate_tif_average*2 subtract {told}"


def test_a_second_limit_that_no_step_takes_is_told_as_left_out() -> None:
    query = "On how many days of July 2021 was the mean rainfall over 5 mm, and on how many over 20 mm?"
    assert ("limit", "above 20 mm") in {(one.what, one.value) for one in planned(query, RAIN).plan.assumptions}


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("Find its day-to-day variability, as the coefficient of variation of the daily means.", ""),
        ("What was its standard deviation from one day to the next?", " mean multiply"),
    ],
)
def test_how_a_quantity_varies_from_day_to_day_is_made_of_the_means_of_days(query: str, told: str) -> None:
    asked = tools(f"Take the rain of July 2021. {query}", RAIN)
    assert asked == f"calc_batch_image_mean coefficient_of_variation{told}"


@pytest.mark.parametrize(
    ("query", "extreme"),
    [
        ("Between which two consecutive images of May to July 2020 did NDVI grow the most in percent?", "max"),
        ("Between which successive acquisitions did mean NDVI drop most strongly from May to July 2020?", "min"),
        ("From which date to the next did the NDVI fall most, in percent, in May-July 2020?", "min"),
    ],
)
def test_the_largest_change_is_looked_for_from_each_date_to_the_next(query: str, extreme: str) -> None:
    names = files(["NDVI"], ["2020-05-03", "2020-05-19", "2020-06-04", "2020-06-20", "2020-07-06"])
    assert tools(query, names) == f"calc_batch_image_mean percentage_change {extreme}_value_and_index"


@pytest.mark.parametrize(
    ("query", "measured"),
    [
        (
            "Wet cores are the parts that got at least 25% more rain than the regional mean. In the mean precipitation "
            "map of July 2021, what share do the wet cores take up?",
            "calc_batch_image_hotspot_percentage",
        ),
        (
            "Average the daily images of rain of July 2021 into one map, take its mean, and give the share of the "
            "average map that lies above 1.25 times that mean.",
            "calc_batch_image_hotspot_percentage",
        ),
        (
            "In the average map of July 2021, what share of the area had 25% less rain than the mean?",
            "calculate_threshold_ratio",
        ),
    ],
)
def test_the_share_of_an_averaged_map_is_limited_by_its_own_mean(query: str, measured: str) -> None:
    assert tools(query, RAIN) == f"calculate_tif_average calc_batch_image_mean {measured}"


def test_an_average_of_bands_that_no_step_makes_is_told_as_left_out() -> None:
    names = [name for place in ("Como", "Garda") for name in files(["sur_refl_b02", "sur_refl_b04"], JULY, place)]
    query = (
        "From sur_refl_b02 and sur_refl_b04 averaged over July 2021, how far does the share with NDWI above 0.1 differ "
        "between Como and Garda?"
    )
    told = {(one.what, one.value, one.origin) for one in planned(query, names).plan.assumptions}
    assert ("reduction", "sur_refl_b04 averaged over", "left out") in told
