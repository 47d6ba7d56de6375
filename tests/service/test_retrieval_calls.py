"""Questions about retrieved quantities and statistics of series, as calls of the published toolbox and as runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from published_calls import FOLDER, tools

from knowflow import KnowFlow
from knowflow.ground.errors import KnowFlowError
from knowflow.model.template import Scene
from knowflow.reason.inventory import take_inventory
from knowflow.service.planning_calls import call_planner, plan_calls
from knowflow.testing.scenes import write_scene

SUMMER = [f"2021-{month:02}-{day:02}" for month in (6, 7, 8) for day in (4, 20)]
YEAR = [f"2021-{month:02}-{day:02}" for month in range(1, 13) for day in (5, 21)]
JULY = [f"2021-07-{day:02}" for day in range(1, 31)]
DAY = ["2021-07-12"]


def dryness(dates: Sequence[str]) -> list[str]:
    return [f"Testland_{date}_{layer}.tif" for date in dates for layer in ("LST", "NDVI")]


def landsat(dates: Sequence[str]) -> list[str]:
    return [f"Testland_{date}_{layer}.tif" for date in dates for layer in ("BT10", "b4", "b5")]


def thermal(dates: Sequence[str], emissivity: bool = False) -> list[str]:
    names = [f"{date.replace('-', '_')}_0310_BT_{band}.tif" for date in dates for band in (31, 32)]
    return names + [f"Testland.tif_{date}_0310_Emis{band}.tif" for date in dates for band in (31, 32) if emissivity]


def day_and_night(dates: Sequence[str], beside: str = "Emis31") -> list[str]:
    plain = [date.replace("-", "_") for date in dates]
    names = [f"{date}_{time}.tif" for date in plain for time in ("0945_BT_31_Day", "2130_BT_31_Night")]
    return names + [f"Testland_{date}_{time}_{beside}.tif" for date in dates for time in ("0945", "2130")]


def vapour(dates: Sequence[str]) -> list[str]:
    bands = (17, 18, 19, 2, 5)
    return [f"{date.replace('-', '_')}_0310_Reflectance_{band}.tif" for date in dates for band in bands]


def aster(places: Sequence[str] = ("",)) -> list[str]:
    return [f"2021_07_12_BT_{band}{place}.tif" for band in range(10, 15) for place in places]


def microwave(channels: Sequence[str]) -> list[str]:
    return [f"AMSR2_2021-01-12_BT_{channel}.tif" for channel in channels]


TWO_PLACES = ("_Polygon1", "_Polygon2")
TES = "temperature_emissivity_separation"


@pytest.mark.parametrize(
    ("query", "names", "expected"),
    [
        # one number of each scene, whatever the statistic, then a comparison in time
        (
            "Using NDVI and LST, compute TVDI and find the date with the highest spatial standard deviation of TVDI.",
            dryness(SUMMER),
            "compute_tvdi calc_batch_image_std max_value_and_index",
        ),
        (
            "Sen's slope of the daily mean LST in July 2021, from the thermal bands 31 and 32.",
            thermal(JULY),
            "lst_multi_channel calc_batch_image_mean sens_slope",
        ),
        (
            "Is the series of mean LST of 2021 seasonal? Take the thermal bands 31 and 32.",
            thermal(YEAR),
            "lst_multi_channel calc_batch_image_mean detect_seasonality_acf",
        ),
        (
            "Retrieve LST with the single-channel method in 2021 and compute the average of the daily maximum LST.",
            landsat(SUMMER),
            "lst_single_channel calc_batch_image_max mean",
        ),
        (
            "Retrieve LST with the single-channel method in 2021: which season is warmest?",
            landsat(YEAR),
            "lst_single_channel calc_batch_image_mean_mean*4 max_value_and_index",
        ),
        (
            "Retrieve LST in 2021 from Landsat 8 and give the difference between the warmest and coldest seasons.",
            landsat(YEAR),
            "lst_single_channel calc_batch_image_mean_mean*4 max_value_and_index min_value_and_index difference",
        ),
        (
            "Estimate water vapor in July 2021 by the band ratio and give the standard deviation of the daily means.",
            vapour(JULY),
            "band_ratio calc_batch_image_mean coefficient_of_variation mean multiply",
        ),
        (
            "Estimate water vapor in July 2021 by the band ratio method and give the range of its mean values.",
            vapour(JULY),
            "band_ratio calc_batch_image_mean_max_min difference",
        ),
        # shares, counts and limits
        (
            "Compute TVDI and, of the images in which more than 30% of the pixels exceed 0.7, the average proportion.",
            dryness(SUMMER),
            "compute_tvdi average_ratio_exceeding_threshold",
        ),
        (
            "Compute TVDI from NDVI and LST and count the dates on which it was more than 10% above the mean.",
            dryness(SUMMER),
            "compute_tvdi count_images_exceeding_mean_multiplier",
        ),
        (
            "Compute TVDI on July 12, 2021. What share of the pixels has TVDI above 0.7 and LST above 305 K at once?",
            dryness(DAY),
            "compute_tvdi calculate_intersection_percentage",
        ),
        (
            "Apply the split-window algorithm and calculate the percentage of the area with LST between 300 and 310 K.",
            thermal(DAY, emissivity=True),
            "split_window calculate_threshold_ratio*2 difference",
        ),
        (
            "Compute TVDI for summer 2021 and count the dates on which at least half of the area had TVDI over 0.6.",
            dryness(SUMMER),
            "compute_tvdi count_images_exceeding_threshold_ratio",
        ),
        (
            "Convert the limit of 30 degrees Celsius to Kelvin and calculate the share of pixels with LST above it.",
            ["Testland_LST_2021-07-12.tif"],
            "celsius_to_kelvin calculate_threshold_ratio",
        ),
        # bands of one file, and parts of one scene
        (
            "Apply TES to ASTER Bands 10-14 and count the pixels with LST > 310 K and emissivity < 0.95.",
            aster(),
            f"{TES} count_pixels_satisfying_conditions",
        ),
        (
            "Apply TES to ASTER Bands 10-14 and give the mean LST where the emissivity variation exceeds 0.03.",
            aster(),
            f"{TES} calculate_band_mean_by_condition",
        ),
        (
            "Apply TTM to ASTER Bands 10-12 and give the difference between the 90th and the 10th percentile of LST.",
            aster(),
            "ttm_lst get_percentile_value_from_image*2 difference",
        ),
        (
            "Apply TTM to ASTER Bands 10-12 and give the percentage difference of the mean LST of the two regions.",
            aster(TWO_PLACES),
            "ttm_lst*2 calc_batch_image_mean percentage_change",
        ),
        # day and night
        (
            "What is the difference of day and night LST, by MODIS brightness temperature of day and night?",
            day_and_night(JULY),
            "modis_day_night_lst calc_batch_image_mean_mean modis_day_night_lst calc_batch_image_mean_mean difference",
        ),
        (
            "Which day of July 2021 was hottest, by the LST of MODIS day and night brightness temperature?",
            day_and_night(JULY),
            "modis_day_night_lst calc_batch_image_mean max_value_and_index",
        ),
        (
            "Compute ATI for July 2021 and compare the first half and the second half of the month.",
            day_and_night(JULY, "albedo"),
            "ATI calc_batch_image_mean_mean*2 difference",
        ),
        # microwaves
        (
            "Apply the NASA Team algorithm and compute the share of the area with sea ice concentration above 0.15.",
            microwave(["19H", "19V", "37V"]),
            "nasa_team_sea_ice_concentration calculate_threshold_ratio",
        ),
        (
            "Derive the mean snow depth by the Chang algorithm from brightness temperatures.",
            microwave(["18.7H", "36.5H"]),
            "chang_single_param_inversion calc_batch_image_mean",
        ),
        (
            "Estimate soil moisture by the dual-polarization difference of brightness temperatures and give its mean.",
            microwave(["19H", "19V"]),
            "dual_polarization_differential calc_batch_image_mean",
        ),
        (
            "Estimate vegetation water content by the polarization ratio of brightness temperatures and give its mean.",
            microwave(["19H", "19V"]),
            "dual_polarization_ratio calc_batch_image_mean",
        ),
        (
            "Estimate snow depth by the dual-frequency difference of brightness temperatures and give its mean.",
            microwave(["19V", "37V"]),
            "dual_frequency_diff calc_batch_image_mean",
        ),
        (
            "Estimate mean soil moisture with the multi-frequency brightness temperature method.",
            microwave(["10V", "19V", "37V"]),
            "multi_freq_bt calc_batch_image_mean",
        ),
        (
            "A date triggers if over 35% of the area shows TVDI (from NDVI and LST) in exceedance of 0.65. How many "
            "more trigger dates did 2021 have than 2020?",
            dryness([*SUMMER, *(date.replace("2021", "2020") for date in SUMMER)]),
            "compute_tvdi count_images_exceeding_threshold_ratio*2 difference",
        ),
        (
            "By how many percent did the number of dates with a mean TVDI above 0.5 change from 2020 to 2021?",
            dryness([*SUMMER, *(date.replace("2021", "2020") for date in SUMMER)]),
            "compute_tvdi calc_batch_image_mean_threshold*2 percentage_change",
        ),
        (
            "With LST from day and night brightness temperature and emissivity, compare the average daily share of the "
            "area above 310 K in July 2021 with that of July 2020.",
            day_and_night([*JULY, *(date.replace("2021", "2020") for date in JULY)]),
            "modis_day_night_lst*2 calculate_threshold_ratio*2 difference",
        ),
        (
            "Taking as hot every pixel whose LST, by the split-window method, is higher than 305 K, determine which "
            "mean share of the area was hot in July 2020 and which in July 2021, and by how many percentage points "
            "they differ.",
            thermal(["2020-07-05", "2020-07-12", "2021-07-05", "2021-07-12"]),
            "lst_multi_channel calculate_threshold_ratio*2 difference",
        ),
        (
            "What percentage of the scene of July 12, 2021 exceeds 120% of the mean water vapour, by band ratio?",
            vapour(DAY),
            "band_ratio calc_batch_image_mean calculate_threshold_ratio",
        ),
    ],
)
def test_a_question_about_a_retrieval_becomes_calls(query: str, names: Sequence[str], expected: str) -> None:
    assert tools(query, names) == expected


def test_what_is_asked_of_the_night_is_read_from_the_night() -> None:
    count = plan_calls(
        "With the brightness temperatures and emissivities that MODIS took by day and by night, count the nights of "
        "July 2021 with a nighttime LST below 280 K.",
        FOLDER,
        day_and_night(JULY),
    ).calls
    assert (count[-1].input["band_index"], "Day" in count[1].input["BT_day_path"][0]) == (1, True)
    mean = plan_calls(
        "Calculate the mean nighttime LST of July 2021 from MODIS brightness temperature and emissivity.",
        FOLDER,
        day_and_night(JULY),
    ).calls
    assert "Night" in mean[1].input["BT_day_path"][0]  # the tool that follows reads the first band alone


@pytest.mark.parametrize(("limit", "expected"), [("3 cm", 3.0), ("30 mm", 3.0), ("3 g/cm2", 3.0), ("30 kg/m2", 3.0)])
def test_limits_of_water_vapour_are_in_the_unit_that_the_retrieval_writes(limit: str, expected: float) -> None:
    query = f"Compute the percentage of the area with precipitable water vapour above {limit} by the band ratio method."
    call = plan_calls(query, FOLDER, vapour(DAY)).calls[-1]
    assert call.input["threshold"] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("query", "names"),
    [
        (
            "Percentage of the area with an Apparent Thermal Inertia above 3.5 in July 2021?",
            day_and_night(JULY, "albedo"),
        ),
        ("Share of the area with water vapour over 14 on July 12, 2021, by the band ratio method?", vapour(DAY)),
    ],
)
def test_a_limit_may_be_what_the_tools_write_though_the_quantity_is_smaller(query: str, names: Sequence[str]) -> None:
    assert tools(query, names).endswith("calculate_threshold_ratio")
    with pytest.raises(KnowFlowError, match="outside"):
        tools(query.replace("3.5", "35").replace("14", "140"), names)


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("Compute TVDI and give the mean LST where TVDI is below 0.3.", dryness(DAY)),  # the tool knows one side
        ("Count the dates on which the mean TVDI was between 0.3 and 0.5.", dryness(SUMMER)),
        (
            "Estimate snow depth by the dual-frequency difference with alpha = 2.1, and its mean.",
            microwave(["19V", "37V"]),
        ),
        ("Apply the split-window algorithm and give the mean water vapour.", thermal(DAY, emissivity=True)),
    ],
)
def test_what_no_call_would_compute_as_asked_is_refused(query: str, names: Sequence[str]) -> None:
    with pytest.raises(KnowFlowError):
        plan_calls(query, FOLDER, names)


def layer(name: str, quantity: str, values: str, dates: Sequence[str] = DAY, **more: Any) -> dict[str, Any]:
    return {"name": name, "quantity": quantity, "values": values, "dates": list(dates), **more}


BT = "toa_brightness_temperature"
WARM = layer("R_LST", "surface_temperature", "300 + 20*x", unit="K")
SERIES = layer("R_LST", "surface_temperature", "300 + 20*x + i", SUMMER[:3], unit="K")
BY_DAY = layer("R_BT_31_Day", BT, "310 + 0*x", ["2021-07-12T09:45:00"], unit="K")
BY_NIGHT = layer("R_BT_31_Night", BT, "290 + 0*x", ["2021-07-12T21:30:00"], unit="K")
CHANNELS = [
    layer("TB_19H", BT, "where(x < 0.5, 100.8, 242.8)", unit="K"),
    layer("TB_19V", BT, "where(x < 0.5, 177.1, 258.2)", unit="K"),
    layer("TB_37V", BT, "where(x < 0.5, 201.7, 252.8)", unit="K"),
    layer("TB_37H", BT, "where(x < 0.5, 100.8, 232.8)", unit="K"),
]


@pytest.mark.parametrize(
    ("query", "layers", "expected"),
    [
        ("Percentage of the area with LST between 305 K and 310 K.", [WARM], 25.0),
        ("What is the interquartile range of LST?", [WARM], 10.0),
        ("Give the range of the mean LST values in 2021.", [SERIES], 2.0),
        ("Compute the average of the daily maximum LST in 2021.", [SERIES], 320.7),
        ("Find the standard deviation of the daily mean LST values in 2021.", [SERIES], 1.0),
        ("Count the pixels with LST below 305 K.", [WARM], [256]),
        ("Calculate the difference between daytime and nighttime brightness temperature.", [BY_DAY, BY_NIGHT], 20.0),
        (
            "Apply the NASA Team algorithm and compute the share of the area with sea ice concentration above 0.15.",
            CHANNELS[:3],
            50.0,
        ),
        ("Derive the maximum snow depth by the Chang algorithm from brightness temperatures.", CHANNELS, 15.9),
    ],
)
def test_the_same_plan_runs_as_a_workflow(
    query: str, layers: list[dict[str, Any]], expected: Any, tmp_path: Path
) -> None:
    write_scene(Scene.model_validate({"size": [32, 32], "layers": layers}), tmp_path / "data")
    plan, _ = call_planner().plan(query, take_inventory(tmp_path / "data"))
    result = KnowFlow(home=tmp_path / "home").run(plan, out=tmp_path / "out")
    assert result.status == "completed"
    assert result.answer == pytest.approx(expected, abs=0.5)


@pytest.mark.parametrize(
    "query",
    [
        "ASTER bands 10 to 12, 12 July 2021, with the three-temperature method: how far apart are both mean LSTs?",
        "The regions share part of their longitudes (74.4-75.1°E). What is the difference in mean LST between them by "
        "TTM, ASTER bands 10-12 of 12 July 2021?",
    ],
)
def test_two_places_of_one_day_are_compared_whatever_else_the_numbers_of_a_question_may_mean(query: str) -> None:
    assert tools(query, aster(TWO_PLACES)) == "ttm_lst*2 calc_batch_image_mean difference"


@pytest.mark.parametrize(
    "query",
    [
        "Run TES on ASTER bands 10-14 of 12 July 2021, divide LST by emissivity in every pixel and give the mean.",
        "What is the average of temperature over emissivity, by TES from ASTER bands 10-14 of 12 July 2021?",
        "Thermal response index = LST/ε. Find its mean on 2021-07-12; TES with ASTER 10-14.",
    ],
)
def test_one_quantity_divided_by_another_is_the_mean_of_their_ratio(query: str) -> None:
    assert tools(query, aster()) == f"{TES} image_division_mean"


def test_a_limit_is_on_the_quantity_that_can_have_such_a_value() -> None:
    query = (
        "What share of the pixels is warmer than 300 K and has at the same time an emissivity below 0.96? ASTER scene "
        "of 12 July 2021, bands 10-14, temperature-emissivity separation for the LST."
    )
    assert tools(query, aster()) == f"{TES} calculate_multi_band_threshold_ratio"


def test_a_condition_that_is_said_twice_is_one_and_the_whole_is_compared_with_it() -> None:
    query = (
        "How far is the LST of dense vegetation (NDVI > 0.7) from that of the whole scene? Single-channel LST of 2021 "
        "from Landsat 8 B10, red and near infrared: |mean LST - mean LST at NDVI > 0.7|."
    )
    called = tools(query, landsat(SUMMER))
    assert called == "lst_single_channel calc_batch_image_mean_mean calculate_mean_lst_by_ndvi difference"


def test_two_maxima_are_no_means() -> None:
    query = (
        "LST by Landsat 8, 2021-07-12: maximum where NDVI is over 0.6, and under 0.15; the difference of the maxima."
    )
    assert tools(query, landsat(DAY)) == "lst_single_channel calculate_max_lst_by_ndvi*2 difference"


@pytest.mark.parametrize(
    ("query", "names", "expected"),
    [
        (
            "Retrieve LST in summer 2021 and count the days when less than 20% of the area was above 303 K.",
            landsat(SUMMER),
            {"value_threshold": 303.0, "ratio_threshold": 80.0, "mode": "below"},
        ),
        (
            "Retrieve LST in summer 2021 and count the days on which the maximum LST exceeded 325 K.",
            landsat(SUMMER),
            {"value_threshold": 325.0, "ratio_threshold": 0},
        ),
        (
            "Compute TVDI and count the spikes of its mean, rises by more than 0.1.",
            dryness(SUMMER),
            {"spike_threshold": 0.1},
        ),
    ],
)
def test_limits_of_counts_are_said_as_the_tools_take_them(
    query: str, names: Sequence[str], expected: dict[str, Any]
) -> None:
    said = plan_calls(query, FOLDER, names).calls[-1].input
    assert {name: said.get(name) for name in expected} == expected
