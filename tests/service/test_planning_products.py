"""Questions about products of satellites, from reflectance to rain and people, planned as published calls."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from published_calls import FOLDER, files, tools

from knowflow import KnowFlow
from knowflow.ground.errors import PlanningError
from knowflow.model.template import Scene
from knowflow.reason.inventory import take_inventory
from knowflow.service.planning_calls import call_planner, plan_calls
from knowflow.testing.scenes import write_scene

LANDSAT = files(["SR_B3", "SR_B5", "QA_PIXEL"], ["2019-05-03", "2019-06-20", "2021-05-08", "2021-06-25"])


def test_clouds_are_removed_from_both_bands_of_every_scene_before_the_index() -> None:
    query = "Remove the clouds and calculate the difference in average NDWI between 2019 and 2021."
    year = "apply_cloud_mask*4 calculate_batch_ndwi"
    assert tools(query, LANDSAT) == " ".join([*[year] * 2, *["calc_batch_image_mean mean"] * 2, "difference"])


def test_clouds_are_removed_scene_by_scene_from_every_band_that_an_index_takes() -> None:
    names = files(["SR_B2", "SR_B4", "SR_B5", "QA_PIXEL"], ["2021-07-03", "2021-07-19"])
    query = "Remove the clouds and calculate the mean EVI."
    assert tools(query, names) == "apply_cloud_mask*6 calculate_batch_evi calc_batch_image_mean mean"
    calls = plan_calls(query, FOLDER, names).calls
    assert [call.input["sr_band_path"].rpartition("SR_")[2] for call in calls if call.name == "apply_cloud_mask"] == [
        f"{band}_{date}.tif" for date in ("2021-07-03", "2021-07-19") for band in ("B2", "B4", "B5")
    ]


def test_where_clouds_are_to_be_removed_scenes_without_a_quality_band_are_left_out() -> None:
    names = [name for name in LANDSAT if name != "Testland_QA_PIXEL_2021-05-08.tif"]
    planned = plan_calls("Remove the clouds and calculate the mean NDWI.", FOLDER, names)
    masked = [call.input["sr_band_path"] for call in planned.calls if call.name == "apply_cloud_mask"]
    assert len(masked) == 6
    assert not any("2021-05-08" in path for path in masked)
    assert any("2021-05-08" in str(assumption) for assumption in planned.plan.assumptions)


def test_clouds_that_nothing_tells_are_not_left_in() -> None:
    names = [name for name in LANDSAT if "QA_PIXEL" not in name]
    with pytest.raises(PlanningError):
        plan_calls("Remove the clouds and calculate the mean NDWI.", FOLDER, names)
    assert "apply_cloud_mask" not in tools("Calculate the mean NDWI.", names)


def test_seasons_told_by_their_months_are_the_two_that_are_compared() -> None:
    query = (
        "With clouds removed, how big is the difference of the mean NDWI between the dry season (May 2019 to June "
        "2019) and the wet season (May 2021 to June 2021)?"
    )
    assert tools(query, LANDSAT).endswith("calc_batch_image_mean mean calc_batch_image_mean mean difference")
    assert plan_calls(query, FOLDER, LANDSAT).goal.value("mask_clouds") is True


def test_a_day_without_usable_scenes_is_answered_with_the_nearest_one_and_that_is_said() -> None:
    query = "Remove the clouds and calculate the difference in mean NDWI between 2019-06-25 and 2021-06-20."
    planned = plan_calls(query, FOLDER, LANDSAT)
    read = {call.input["sr_band_path"][-14:-4] for call in planned.calls if call.name == "apply_cloud_mask"}
    assert read == {"2019-06-20", "2021-06-25"}
    assert any("2019-06-25" in str(assumption) for assumption in planned.plan.assumptions)


YEARS = ["2000-01-01", "2020-01-01"]
BUILT = files(["built_volume_total", "built_volume_nres"], YEARS)
LIGHTS = [f"{year}-{month:02}-01" for year in (2016, 2021) for month in range(1, 13)]


@pytest.mark.parametrize(
    ("query", "names", "expected"),
    [
        ("What is the total population of Testland in 2020?", files(["population"], YEARS[1:]), "calc_batch_image_sum"),
        (
            "How large is the difference in population between 2000 and 2020?",
            files(["population_count"], YEARS),
            "calc_batch_image_sum*2 difference",
        ),
        (
            "By how many percent did the built-up surface grow from 2000 to 2020?",
            files(["built_surface"], YEARS),
            "calc_batch_image_sum*2 percentage_change",
        ),
        (
            "Calculate the mean residential building volume of 2000 and 2020 and give the difference.",
            BUILT,
            "subtract*2 calc_batch_image_mean*2 difference",
        ),
        (
            "By how many percent did the mean residential volume per pixel grow between 2000 and 2020?",
            BUILT,
            "subtract*2 calc_batch_image_mean*2 percentage_change",
        ),
        (
            "What was the share of non-residential in all building volume in 2020?",
            files(["built_volume_total", "built_volume_nres"], YEARS[1:]),
            "calc_batch_image_sum*2 division",
        ),
        (
            "Calculate the building volume per person in 2000 and 2020 and give the percentage change.",
            files(["built_volume_total", "population_count"], YEARS),
            "calc_batch_image_sum*4 division*2 percentage_change",
        ),
        (
            "Calculate the nighttime light per inhabitant in 2016 and 2021 and the difference.",
            [*files(["avg_rad"], LIGHTS), *files(["population"], ["2016-01-01", "2021-01-01"])],
            "calculate_tif_average*2 calc_batch_image_sum*4 division*2 difference",
        ),
    ],
)
def test_what_is_counted_per_pixel_is_summed(query: str, names: Sequence[str], expected: str) -> None:
    assert tools(query, names) == expected


def test_the_buildings_of_all_uses_are_not_taken_for_those_of_one() -> None:
    query = "Calculate the difference in total building volume between 2000 and 2020."
    calls = plan_calls(query, FOLDER, BUILT).calls
    assert [call.input["file_list"][0].rpartition("/")[2] for call in calls if "sum" in call.name] == [
        "Testland_built_volume_total_2000-01-01.tif",
        "Testland_built_volume_total_2020-01-01.tif",
    ]


@pytest.mark.parametrize(
    ("query", "names", "expected"),
    [
        (
            "Calculate the proportion of the area where NDVI increased by more than 0.1 between 2016 and 2021.",
            files(["NDVI"], LIGHTS),
            "calculate_tif_average*2 subtract calc_batch_image_hotspot_percentage",
        ),
        (
            "Calculate the proportion of the area where NDVI declined by more than 0.1 between 2016 and 2021.",
            files(["NDVI"], LIGHTS),
            "calculate_tif_average*2 subtract calculate_threshold_ratio",
        ),
        (
            "Calculate the mean burn severity (dNBR) of the fire from sur_refl_b02 and sur_refl_b07.",
            files(["sur_refl_b02", "sur_refl_b07"], ["2021-07-01", "2021-09-01"]),
            "calculate_batch_nbr subtract calc_batch_image_mean",
        ),
        (
            "Make binary fire maps of the MaxFRP data with a threshold of 5 MW.",
            files(["MaxFRP"], ["2021-07-01", "2021-07-02"]),
            "calculate_batch_frp",
        ),
        (
            "Segment the nighttime light image with a threshold of 40 into a binary map.",
            files(["avg_rad"], ["2021-07-01"]),
            "threshold_segmentation",
        ),
        (
            "Show the NDVI of 9 May 2022 as a color map with the viridis palette.",
            files(["NDVI"], ["2022-05-09"]),
            "grayscale_to_colormap",
        ),
        (
            "Convert the digital numbers of SR_B4 to reflectance and give the mean.",
            files(["SR_B4"], ["2022-05-09"]),
            "radiometric_correction_sr calc_batch_image_mean",
        ),
    ],
)
def test_changes_masks_and_pictures_of_products(query: str, names: Sequence[str], expected: str) -> None:
    assert tools(query, names) == expected


@pytest.mark.parametrize(
    ("query", "names", "expected"),
    [
        (
            "Calculate the average nighttime light map of 2016 and the proportion of its pixels above 30.",
            files(["avg_rad"], LIGHTS[:12]),
            "calculate_tif_average calc_batch_image_hotspot_percentage",
        ),
        (
            "Calculate the proportion of pixels with nighttime light above 30 on 2016-01-01.",
            files(["avg_rad"], LIGHTS[:1]),
            "calc_batch_image_hotspot_percentage",
        ),
        (
            "Calculate the proportion of pixels with nighttime light below 30 on 2016-01-01.",
            files(["avg_rad"], LIGHTS[:1]),
            "calculate_threshold_ratio",
        ),
        (
            "In which month of 2016 was the nighttime light strongest?",
            files(["avg_rad"], LIGHTS[:12]),
            "calc_batch_image_mean max_value_and_index",
        ),
        (
            "Count the fire pixels of each day from the FireMask data.",
            files(["FireMask"], ["2021-07-01", "2021-07-02"]),
            "calc_batch_fire_pixels",
        ),
    ],
)
def test_shares_and_counts_of_maps_that_are_there(query: str, names: Sequence[str], expected: str) -> None:
    assert tools(query, names) == expected


def test_classes_of_a_fire_mask_are_fires_from_the_seventh_on_unless_the_question_says_which() -> None:
    names = files(["FireMask"], ["2021-07-01", "2021-07-02"])

    def limit(query: str) -> float:
        return float(plan_calls(query, FOLDER, names).calls[1].input["fire_threshold"])

    assert limit("Count the fire pixels of each day.") == 6
    assert limit("Count the fire pixels of each day with a value above 7.") == 7


MODIS = [f"2022-08-{day:02}" for day in range(1, 11)]


@pytest.mark.parametrize(
    ("query", "names", "expected"),
    [
        (
            "Find the hot spots of nighttime light in 2016 and their proportion of the area.",
            files(["avg_rad"], LIGHTS[:12]),
            "calculate_tif_average calc_batch_image_mean calc_batch_image_hotspot_percentage",
        ),
        (
            "Identify the vegetation hot spots of the growing season 2022 and the date of their peak.",
            files(["NDVI"], MODIS),
            "calc_batch_image_mean calc_batch_image_hotspot_percentage max_value_and_index",
        ),
        (
            "Determine the peak vegetation coverage and NDVI extremes of August 2022.",
            files(["sur_refl_b01", "sur_refl_b02"], MODIS),
            "calculate_batch_ndvi calc_batch_image_hotspot_percentage max_value_and_index "
            "calc_batch_image_mean max_value_and_index",
        ),
        (
            "On which date was the proportion of pixels with NDVI below 0.2 smallest?",
            files(["NDVI"], MODIS[:2]),
            "calculate_threshold_ratio*2 min_value_and_index",
        ),
        (
            "On which day of August 2022 was it coldest, by the B10 band (in Kelvin)?",
            files(["B10"], MODIS),
            "calc_batch_image_mean min_value_and_index kelvin_to_celsius",
        ),
    ],
)
def test_hot_spots_cover_and_cold_days(query: str, names: Sequence[str], expected: str) -> None:
    assert tools(query, names) == expected


def test_a_thermal_band_alone_is_compared_as_the_files_are() -> None:
    names = files(["B10"], ["2021-06-02", "2021-06-10", "2023-06-01", "2023-06-09"])
    query = "Calculate the average surface temperature of June 2021 and June 2023 and the difference."
    assert tools(query, names) == "calc_batch_image_mean*2 mean*2 difference"
    told = "calc_batch_image_mean*2 mean*2 kelvin_to_celsius*2"
    assert tools(query.replace("difference", "difference in degrees Celsius"), names) == f"{told} difference"
    times = "How many times as warm was June 2023 as June 2021 by the mean surface temperature in Celsius?"
    assert tools(times, names) == f"{told} division"
    with_emissivity = [*names, *files(["Emis_31"], ["2021-06-02", "2023-06-01"])]
    assert "calc_batch_image_mean*2" not in tools(query, with_emissivity)


def test_fires_are_told_by_their_power_where_a_mean_is_asked_for() -> None:
    names = files(["MaxFRP"], MODIS)
    assert tools("On which day of August 2022 was the fire radiative power of the mean highest?", names).startswith(
        "calc_batch_image_mean"
    )
    assert tools("Which day of August 2022 is most prone to fire?", names).startswith("calc_batch_fire_pixels")
    query = "Wildfire loss: on which day between 2022-08-01 and 2022-08-10 was the number of burning pixels highest?"
    assert tools(query, names) == "calc_batch_fire_pixels max_value_and_index"
    query = "Determine the skewness of the daily fire pixel counts of August 2022."
    assert tools(query, names) == "calc_batch_fire_pixels skewness"


@pytest.mark.parametrize(
    ("query", "names", "expected"),
    [
        (
            "For each day of August 2022, calculate the proportion of the area below the NDVI mean.",
            files(["NDVI"], MODIS[:3]),
            "calc_batch_image_mean mean calculate_threshold_ratio*3",
        ),
        (
            "Define hotspots as areas with values 20% above the mean. Evaluate the urban expansion by the difference "
            "of hotspot proportions of nighttime lights between 2016 and 2021.",
            files(["avg_rad"], LIGHTS),
            "calculate_tif_average*2 calc_batch_image_mean*2 calc_batch_image_hotspot_percentage*2 difference",
        ),
        (
            "Define high turbidity as NDTI exceeding the mean by 50%. Calculate the difference of its proportion "
            "between 2021 and 2022.",
            files(["sur_refl_b01", "sur_refl_b04"], ["2021-08-01", "2021-08-02", *MODIS[:2]]),
            "calculate_tif_average*2 calculate_batch_ndti calculate_tif_average*2 calculate_batch_ndti "
            "calc_batch_image_mean*2 calc_batch_image_hotspot_percentage*2 difference",
        ),
        (
            "Average the NDVI of every image into one mean and use it as the bar to clear. For every date, calculate "
            "the share of the area above that bar, then name the date of the highest share.",
            files(["NDVI"], MODIS[:3]),
            "calc_batch_image_mean mean calc_batch_image_hotspot_percentage max_value_and_index",
        ),
        (
            "On which date was the largest part of the area below the mean NDVI of all dates?",
            files(["NDVI"], MODIS[:3]),
            "calc_batch_image_mean mean calculate_threshold_ratio*3 max_value_and_index",
        ),
        (
            "Average the night lights of 2016 into a map, and those of 2021. With the threshold set at 180% of the "
            "respective mean, give the share of pixels above it in both years, and the difference.",
            files(["avg_rad"], LIGHTS),
            "calculate_tif_average*2 calc_batch_image_mean*2 calc_batch_image_hotspot_percentage*2 difference",
        ),
        (
            "With a cutoff of 120 % of the annual mean, what is the share of bright pixels in 2016 by night light?",
            files(["avg_rad"], LIGHTS[:12]),
            "calculate_tif_average calc_batch_image_mean calc_batch_image_hotspot_percentage",
        ),
        (
            "On which day of August 2022 was the lake most polluted?",
            files(["sur_refl_b01"], MODIS[:3]),
            "calculate_water_turbidity_ntu*3 calc_batch_image_mean max_value_and_index",
        ),
        (
            "Map the areas where MaxFRP rose by more than 25 MW between July 2022 and August 2022.",
            files(["MaxFRP"], ["2022-07-01", "2022-07-02", *MODIS[:2]]),
            "calculate_tif_average*2 subtract create_fire_increase_map count_above_threshold",
        ),
    ],
)
def test_limits_told_by_the_mean_and_what_is_meant_by_murky_water(
    query: str, names: Sequence[str], expected: str
) -> None:
    assert tools(query, names) == expected


def test_the_total_of_buildings_is_never_that_of_one_use() -> None:
    query = "In which year was the total building volume largest?"
    calls = plan_calls(query, FOLDER, BUILT).calls
    assert calls[1].input["file_list"] == [f"{FOLDER}/Testland_built_volume_total_{year}.tif" for year in YEARS]


def test_the_scenes_of_an_index_are_told_apart_where_parts_of_a_year_are_compared() -> None:
    names = files(["sur_refl_b04", "sur_refl_b06"], ["2022-06-01", "2022-06-16", "2022-08-01", "2022-08-16"])
    query = "Calculate the difference in mean NDSI between June 2022 and August 2022."
    assert (
        tools(query, names) == "calculate_batch_ndsi calc_batch_image_mean mean calc_batch_image_mean mean difference"
    )
    calls = plan_calls(query, FOLDER, names).calls
    written = calls[1].input["output_path_list"]
    assert [call.input["file_list"] for call in calls if call.name == "calc_batch_image_mean"] == [
        written[:2],
        written[2:],
    ]


def test_scenes_that_lack_a_band_are_left_out_of_an_index() -> None:
    names = files(["sur_refl_b04", "sur_refl_b06"], MODIS[:3])[:-1]
    calls = plan_calls("Calculate the mean NDSI of each date.", FOLDER, names).calls
    assert len(calls[1].input["green_file_list"]) == len(calls[1].input["swir_file_list"]) == 2


def test_two_days_are_periods_of_their_own() -> None:
    query = (
        "Areas where NDWI dropped by more than 0.3 between 2019-06-20 and 2021-06-25 are lost. Calculate their share."
    )
    scene = "apply_cloud_mask*2 calculate_batch_ndwi"
    names = files(["SR_B3", "SR_B5", "QA_PIXEL"], ["2019-06-20", "2021-06-25"])
    assert tools(query, names) == f"{scene} {scene} subtract calculate_threshold_ratio"


BANDS = {"quantity": "surface_bidirectional_reflectance", "sensor": "modis"}


def test_burn_severity_and_parts_of_a_year_run_as_workflows(tmp_path: Path) -> None:
    dates = ["2022-06-01", "2022-08-01"]
    layers = [
        {"name": "T_sur_refl_b02", **BANDS, "values": "0.5 - 0.3 * i", "dates": dates},
        {"name": "T_sur_refl_b07", **BANDS, "values": "0.1 + 0.2 * i", "dates": dates},
    ]
    write_scene(Scene.model_validate({"size": [16, 16], "layers": layers}), tmp_path / "data")

    def answer(query: str) -> float:
        plan, _ = call_planner().plan(query, take_inventory(tmp_path / "data"))
        result = KnowFlow(home=tmp_path / "home").run(plan, out=tmp_path / "out")
        assert result.status == "completed", result.error
        return float(result.answer)

    before, after = (0.5 - 0.1) / 0.6, (0.2 - 0.3) / 0.5
    assert answer("Calculate the mean burn severity (dNBR).") == pytest.approx(before - after, abs=1e-5)
    query = "Calculate the difference in mean NBR between June 2022 and August 2022."
    assert answer(query) == pytest.approx(before - after, abs=1e-5)


def test_a_change_map_goes_from_one_image_to_the_other_or_between_averages() -> None:
    query = "Make a change map of the NDVI between 2016 and 2021 and give its mean."
    one_each = files(["NDVI"], ["2016-06-01", "2021-06-01"])
    assert tools(query, one_each) == "calculate_tif_difference calc_batch_image_mean"
    assert tools(query, files(["NDVI"], LIGHTS)) == "calculate_tif_average*2 subtract calc_batch_image_mean"


MARCH, AUGUST = ([f"2018-{month:02}-{day:02}" for day in range(1, 31)] for month in (3, 8))


@pytest.mark.parametrize(
    ("query", "least"),
    [
        ("Map where MaxFRP went up by at least 10 MW from March 2018 to August 2018.", 10),
        (
            "Draw the places whose fire power (MaxFRP) in August 2018 was markedly stronger than in March 2018; "
            "markedly means by 15 MW or more.",
            15,
        ),
        ("Which regions saw MaxFRP climb between March 2018 and August 2018? A climb of +25 MW counts.", 25),
        (
            "Fires intensified where MaxFRP grew by over 30 MW. Show where, comparing 2018-03-01 to 2018-03-30 with "
            "2018-08-01 to 2018-08-30.",
            30,
        ),
    ],
)
def test_a_rise_of_fire_power_in_megawatts_between_two_periods_is_a_map_of_increase(query: str, least: float) -> None:
    names = files(["MaxFRP"], [*MARCH, *AUGUST])
    expected = "calculate_tif_average*2 subtract create_fire_increase_map count_above_threshold"
    assert tools(query, names) == expected
    planned = plan_calls(query, FOLDER, names)
    assert [call.input["threshold"] for call in planned.calls if call.name == "create_fire_increase_map"] == [least]


def test_a_limit_of_fire_power_is_no_rise() -> None:
    query = "What percentage of the pixels had a MaxFRP of more than 30 MW in March 2018 and in August 2018?"
    assert "create_fire_increase_map" not in tools(query, files(["MaxFRP"], [*MARCH, *AUGUST]))


def test_shares_of_loss_in_each_of_two_years_are_compared_and_a_share_of_change_is_one() -> None:
    names = files(
        ["sur_refl_b04", "sur_refl_b06"], [f"{year}-0{month}-05" for year in (2018, 2022) for month in (6, 7)]
    )
    both = "A fall of NDSI by more than 0.2 is severe loss. How do the shares of severe loss in 2018 and 2022 differ?"
    assert tools(both, names).endswith("calc_extreme_snow_loss_percentage_from_binary_map*2 difference")
    one = "What share of the area lost more than 0.2 of its NDSI between 2018 and 2022?"
    lost = "subtract calc_batch_image_hotspot_tif calc_extreme_snow_loss_percentage_from_binary_map"
    assert tools(one, names).endswith(lost)
    assess = "Extreme loss is a decrease in NDSI of more than 0.2 between the annual means. Assess 2018 to 2022."
    assert tools(assess, names).endswith(lost)


def test_surface_temperature_of_a_thermal_band_alone_is_told_in_celsius_but_not_where_kelvin_is_asked_for() -> None:
    names = files(["B10"], ["2022-12-16"])
    assert tools("Landsat Band 10, 2022-12-16: what was the surface temperature?", names).endswith("kelvin_to_celsius")
    query = "What was the mean surface temperature on 2022-12-16, in kelvin, from Landsat B10?"
    assert tools(query, names) == "calc_batch_image_mean"


def test_turbid_water_in_a_band_of_reflectance_is_turbidity() -> None:
    names = files(["sur_refl_b01"], [f"2021-03-{day:02}" for day in (1, 9, 17)])
    expected = "calculate_water_turbidity_ntu*3 calc_batch_image_mean max_value_and_index"
    assert (
        tools("When did the lake get most turbid in March 2021? Take surface reflectance sur_refl_b01.", names)
        == expected
    )
    assert tools("On what day of March 2021 was the water muddiest? Take sur_refl_b01.", names) == expected


def test_a_word_of_the_scene_implies_no_other_quantity_than_the_one_that_is_named() -> None:
    names = [f"{city}_avg_rad_2017-0{month}-01.tif" for city in ("Burns", "Juba") for month in (8, 9)]
    query = "Night lights, Juba against Burns, Aug-Sep 2017: what is the mean difference in light intensity?"
    assert tools(query, names) == "calc_batch_image_mean*2 mean*2 difference"
    query = "In which month of 2018 did the fires burn most, by MaxFRP?"
    assert "nbr" not in tools(query, files(["MaxFRP"], [*MARCH, *AUGUST]))


@pytest.mark.parametrize(
    "query",
    [
        "Towards which of east, west, south and north do the hotspots (NBR below -0.3) cluster most in 2022?",
        "Areas with NBR below -0.3 are hotspots; are they in 2022 most concentrated in the north, south, east or west?",
    ],
)
def test_the_sides_to_choose_from_ask_for_a_direction(query: str) -> None:
    names = files(["sur_refl_b02", "sur_refl_b07"], ["2022-06-02", "2022-07-04", "2022-08-05"])
    assert tools(query, names).endswith("calc_batch_image_hotspot_tif analyze_hotspot_direction")


def test_a_limit_above_the_mean_is_read_whatever_word_limits_it() -> None:
    names = files(["sur_refl_b04", "sur_refl_b06"], ["2024-03-16", "2024-06-16"])
    query = "Average NDSI of 2024 into one map. What share of this map has an NDSI exceeding the mean by {} 10%?"
    for word in ("over", "more than", "at least"):
        assert plan_calls(query.format(word), FOLDER, names).goal.value("times_mean") == 1.1


def test_what_is_divided_is_not_what_it_is_divided_by() -> None:
    names = files(["population", "built_volume_total"], ["1990-01-01", "2020-01-01"])
    query = (
        "Population and built volume of 1990 and 2020: determine the building volume per person and its change in %."
    )
    assert plan_calls(query, FOLDER, names).goal.value("quantity") == "building_volume"


def test_the_day_of_the_smallest_is_not_that_of_the_largest() -> None:
    names = files(["NDVI"], ["2021-06-02", "2021-07-04", "2021-08-05"])
    for query in ("Name the day of the smallest vegetation index in 2021.", "On which day of 2021 was NDVI smallest?"):
        assert tools(query, names) == "calc_batch_image_mean min_value_and_index"


LIGHTS_BY_MONTH = [f"{year}-{month:02}-01" for year in (2018, 2019) for month in range(1, 13)]


@pytest.mark.parametrize(
    ("query", "layer", "expected"),
    [
        (
            "Mark as fire-prone whatever is above the 90th percentile of the average MaxFRP map of 2018.",
            "MaxFRP",
            "calculate_tif_average identify_fire_prone_areas",
        ),
        (
            "How many pixels are fire-prone, as the top 10 % of the mean MaxFRP of 2018? Map these fire-prone areas.",
            "MaxFRP",
            "calculate_tif_average identify_fire_prone_areas count_above_threshold",
        ),
        (
            "Map the fire-prone areas, the upper 5 % of mean MaxFRP in 2018: on which side do they cluster, north, "
            "south, east or west?",
            "MaxFRP",
            "calculate_tif_average identify_fire_prone_areas analyze_hotspot_direction",
        ),
        ("Make yes/no fire maps of 2018, all over 5 MW of MaxFRP being fire.", "MaxFRP", "calculate_batch_frp"),
        (
            "Is night light seasonal, judged by 2018 to 2019?",
            "avg_rad",
            "calc_batch_image_mean detect_seasonality_acf",
        ),
        (
            "Which hot spots are significant by Gi* in the average night light map of 2018?",
            "avg_rad",
            "calculate_tif_average getis_ord_gi_star calc_batch_image_hotspot_tif",
        ),
        (
            "When did the vegetation suffer its sharpest drop in 2018? NDVI.",
            "NDVI",
            "calc_batch_image_mean percentage_change min_value_and_index",
        ),
        (
            "How many people lived in Oslo in 2018 altogether, going by the population raster?",
            "population",
            "calc_batch_image_sum mean",
        ),
    ],
)
def test_what_is_wanted_is_told_from_its_parts(query: str, layer: str, expected: str) -> None:
    assert tools(query, files([layer], LIGHTS_BY_MONTH)) == expected
