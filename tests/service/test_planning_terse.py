"""Terse questions: what goes without saying, and what must not be answered with something else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from published_calls import FOLDER, files, planned, tools

from knowflow.graph.calls import Call
from knowflow.ground.errors import PlanningError


def calls(query: str, names: Sequence[str]) -> tuple[Call, ...]:
    return planned(query, names).calls[1:]


def said(query: str, names: Sequence[str], tool: str, argument: str) -> list[Any]:
    return [call.input[argument] for call in calls(query, names) if call.name == tool]


LANDSAT = [
    f"Town_2021-0{month}-0{day}_{band}.tif" for month in (6, 7) for day in (1, 9) for band in ("BT10", "b4", "b5")
]
LANDSAT_SAYS = "Landsat 8 Band 10, Red and NIR of summer 2021: "
DRY = [f"Plain_2022-0{month}-0{day}_{kind}.tif" for month in (5, 8) for day in (1, 9) for kind in ("LST", "NDVI")]
DRY_DAY = [name for name in DRY if "08-09" in name]
VEGETATION = files(
    ["sur_refl_b01", "sur_refl_b02"], [f"{y}-{m:02}-05" for y in (2019, 2020, 2021) for m in range(1, 13)]
)
POLARISED = [f"2021_07_09_BT_{band}_Polygon{place}.tif" for place in (1, 2) for band in ("10H", "10V")]


@pytest.mark.parametrize(
    "query",
    [
        "mean LST where NDVI > 0.5, against mean LST where NDVI < 0.2.",
        "mean LST of the parks (NDVI > 0.6) and of the bare squares (NDVI < 0.1).",
        "by how much does the mean LST of parks (NDVI > 0.6) differ from that of bare squares (NDVI < 0.1)?",
    ],
)
def test_what_is_told_of_two_kinds_of_ground_is_compared(query: str) -> None:
    assert tools(LANDSAT_SAYS + query, LANDSAT) == "lst_single_channel calculate_mean_lst_by_ndvi*2 difference"


def test_two_limits_that_a_place_can_meet_at_once_are_not_two_kinds_of_ground() -> None:
    with pytest.raises(PlanningError):  # and the second limit is not passed over
        calls(LANDSAT_SAYS + "mean LST where NDVI > 0.2 and NDVI < 0.5.", LANDSAT)


def test_a_part_of_the_ground_is_compared_with_the_whole_in_the_order_in_which_they_are_told() -> None:
    part, whole = "calc_threshold_value_mean", "calc_batch_image_mean"
    hotter = "How much hotter are the dry fields (TVDI > 0.8) than the plain as a whole?"
    assert tools(hotter, DRY_DAY) == f"compute_tvdi {part} {whole} difference"
    average = "Average LST of the pixels with TVDI > 0.8, average LST of the entire plain, and their difference."
    assert tools(average, DRY_DAY) == f"compute_tvdi {part} {whole} difference"
    overall = "By how much does the overall mean LST differ from that of the pixels with TVDI > 0.8?"
    assert tools(overall, DRY_DAY) == f"compute_tvdi {whole} {part} difference"
    vegetated = LANDSAT_SAYS + "how much cooler are vegetated areas (NDVI > 0.6) than the whole town?"
    assert tools(vegetated, LANDSAT).endswith("calculate_mean_lst_by_ndvi calc_batch_image_mean_mean difference")


def test_one_kind_of_ground_is_compared_between_two_months() -> None:
    query = (
        "Average land surface temperature of the dry pixels (TVDI above 0.8) in May 2022 and in August 2022: compare."
    )
    assert tools(query, DRY) == "compute_tvdi calc_threshold_value_mean*2 difference"
    for argument in ("path1", "path2"):
        months = [
            {path.split("2022-")[1][:2] for path in paths}
            for paths in said(query, DRY, "calc_threshold_value_mean", argument)
        ]
        assert months == [{"05"}, {"08"}]


@pytest.mark.parametrize("query", ["How much cooler is moist ground (TVDI < 0.3) than the whole plain?",
                                   "What is the maximum LST of the areas where TVDI exceeds 0.8?"])  # fmt: skip
def test_a_side_or_a_statistic_that_the_tool_does_not_know_is_refused(query: str) -> None:
    with pytest.raises(PlanningError):
        calls(query, DRY_DAY)


@pytest.mark.parametrize(
    "query",
    [
        "When did NDVI switch into another regime, 2019 to 2021?",
        "Detect when the regime of NDVI changed between 2019 and 2021: find the change point.",
    ],
)
def test_a_change_of_regime_is_a_change_point(query: str) -> None:
    assert tools(query, VEGETATION).endswith("calc_batch_image_mean detect_change_points")


@pytest.mark.parametrize(
    ("query", "period"),
    [
        ("Disentangle the yearly cycle of NDVI from its trend; 23 images form one cycle.", 23),
        ("Isolate the trend of NDVI, 2019 to 2021, from the seasonal signal.", 12),
        ("Decompose the NDVI of 2019 to 2021 by STL with a period of 6.", 6),
        ("Decompose the NDVI of 2019 to 2021 by STL with a period of 365 days.", 12),
        ("Separate the seasonal grazing signal of NDVI from the long-term trend (period of 6 months).", 6),
        ("Tell the yearly swing of NDVI, 2019 to 2021, apart from its trend; take a 4-month cycle.", 4),
        ("Decompose the NDVI of 2019 to 2021 over a period of 36 months.", 12),
    ],
)
def test_trend_and_cycle_are_told_apart_by_the_length_of_the_cycle(query: str, period: int) -> None:
    assert tools(query, VEGETATION) == "calculate_batch_ndvi calc_batch_image_mean stl_decompose"
    assert said(query, VEGETATION, "stl_decompose", "period") == [period]


def test_a_cycle_that_nobody_tells_is_a_year_of_the_files() -> None:
    names = files(
        ["NDVI"], [f"{year}-{month:02}-{day:02}" for year in (2019, 2020) for month in range(1, 13) for day in (2, 18)]
    )
    query = "Split the NDVI of 2019 and 2020 into trend and seasonal component by STL."
    assert said(query, names, "stl_decompose", "period") == [24]


def test_growth_as_a_percentage_of_what_was_is_relative_and_only_the_maps_compared_are_made() -> None:
    names = files(["built_volume_total", "built_volume_nres"], [f"{year}-01-01" for year in (1990, 2000, 2010, 2020)])
    query = "Quantify the increase of residential volume between 1990 and 2020 as a percentage."
    assert tools(query, names) == "subtract*2 calc_batch_image_sum*2 percentage_change"


def test_the_spread_between_the_warmest_and_the_coldest_mean_is_a_difference() -> None:
    names = [f"2021_02_0{day}_1720_BT_{band}.tif" for day in range(1, 8) for band in (31, 32)]
    query = "Thermal Band 31 and 32, February 2021: spread between the warmest and the coldest daily mean LST."
    assert tools(query, names) == "lst_multi_channel calc_batch_image_mean_max_min difference"


@pytest.mark.parametrize(
    ("query", "percentile"), [("the top decile", 90), ("the upper 5 %", 95), ("the 80th percentile", 80)]
)
def test_fire_prone_is_what_is_highest_in_the_mean(query: str, percentile: float) -> None:
    names = files(["MaxFRP"], [f"2020-02-{day:02}" for day in range(1, 8)])
    asked = f"Delineate the fire-prone areas of February 2020 by {query} of mean MaxFRP."
    assert tools(asked, names) == "calculate_tif_average identify_fire_prone_areas"
    assert said(asked, names, "identify_fire_prone_areas", "threshold_percentile") == [percentile]


def test_lighting_per_person_is_about_the_lighting() -> None:
    names = [
        *(f"{town}_avg_rad_2020-{month:02}-01.tif" for town in ("Accra", "Oslo") for month in range(1, 5)),
        *(f"{town}_population_2020.tif" for town in ("Accra", "Oslo")),
    ]
    query = (
        "Lighting per inhabitant in Accra and Oslo in 2020, from nighttime light and population data: the difference?"
    )
    assert tools(query, names) == "calculate_tif_average*2 calc_batch_image_sum*4 division*2 difference"


def test_what_the_data_are_is_asked_about_where_a_word_of_the_scene_only_implies_an_index() -> None:
    names = files(["avg_rad"], [f"{year}-0{month}-01" for year in (2013, 2023) for month in (1, 2, 3)])
    query = "From the nighttime light data of 2013 and 2023, assess urban growth: percentage change in mean intensity."
    assert tools(query, names) == "calculate_tif_average*2 calc_batch_image_mean*2 percentage_change"


def test_the_two_years_that_data_run_from_and_to_are_compared_as_a_whole() -> None:
    query = (
        "NDVI data from January 2019 to December 2020: by what percentage did the mean change between the two years?"
    )
    means = [
        len(paths)
        for paths in said(
            query,
            files(["NDVI"], [f"{y}-{m:02}-05" for y in (2019, 2020) for m in range(1, 13)]),
            "calc_batch_image_mean",
            "file_list",
        )
    ]
    assert means == [12, 12]
    july = "NDVI of July 2019 and July 2020: how much do the two years differ in the mean?"
    assert said(
        july,
        files(["NDVI"], ["2019-03-05", "2019-07-05", "2020-03-05", "2020-07-05"]),
        "calc_batch_image_mean",
        "file_list",
    ) == [[f"{FOLDER}/Testland_NDVI_{year}-07-05.tif"] for year in (2019, 2020)]


def test_so_much_above_the_annual_mean_is_measured_at_the_mean_of_all() -> None:
    names = files(["NDVI"], [f"2021-{month:02}-05" for month in range(1, 13)])
    query = "Find the day of 2021 on which the largest share of the valley exceeded its annual mean NDVI by 30%."
    assert tools(query, names) == "calc_batch_image_mean mean calc_batch_image_hotspot_percentage max_value_and_index"
    assert said(query, names, "calc_batch_image_hotspot_percentage", "threshold") == [{"from": 2, "times": 1.3}]


def test_soil_moisture_is_never_answered_with_the_brightness_it_would_be_derived_of() -> None:
    query = (
        "Compare soil moisture between two parts of the steppe from brightness temperatures, as a difference of means."
    )
    assert tools(query, POLARISED) == "dual_polarization_differential*2 calc_batch_image_mean difference"
    with pytest.raises(PlanningError):
        calls(query, [name for name in POLARISED if "10V" in name])


def test_the_largest_means_of_two_months_are_compared_as_numbers() -> None:
    names = [f"2021_0{month}_0{day}_1720_BT_{band}.tif" for month in (6, 7) for day in (1, 2) for band in (31, 32)]
    query = "Bands 31 and 32: difference of the highest daily mean LST of June 2021 and that of July 2021."
    found = calls(query, names)
    assert [call.name for call in found].count("max_value_and_index") == 2
    assert all(value.keys() == {"from", "item"} for value in found[-1].input.values())


IBERIA = files(["NDVI"], [f"{year}-{month:02}-05" for year in range(2015, 2024) for month in range(1, 13)])


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Is the greening of 2015-2023 significant?", "mann_kendall_test"),
        ("Season of weakest NDVI in 2021.", "calculate_tif_average*4 calc_batch_image_mean min_value_and_index"),
        ("NDVI, July against August 2022.", "calc_batch_image_mean*2 difference"),
        ("NDVI range in 2021.", "calc_batch_image_mean_max_min difference"),
    ],
)
def test_a_word_tells_what_is_done_with_a_series(query: str, expected: str) -> None:
    assert tools(query, IBERIA).endswith(expected)


def test_the_residential_share_is_the_share_that_is_residential() -> None:
    names = files(["built_volume_total", "built_volume_nres"], ["1990-01-01", "2020-01-01"])
    found = tools("Residential share of the building volume, 1990 versus 2020.", names)
    assert found == "subtract*2 calc_batch_image_sum*4 division*2 difference"


TWO_TOWNS = [*files(["avg_rad"], [f"2021-{month:02}-01" for month in range(1, 13)], "Accra")]
TWO_TOWNS += files(["avg_rad"], [f"2021-{month:02}-01" for month in range(1, 13)], "Quito")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Brighter at night: Accra or Quito, 2021?", "calc_batch_image_mean*2 mean*2 difference"),
        ("Night lights of Accra versus Quito in 2021, as a ratio.", "calc_batch_image_mean*2 mean*2 division"),
    ],
)
def test_two_places_that_are_named_are_compared(query: str, expected: str) -> None:
    assert tools(query, TWO_TOWNS) == expected


def test_the_peak_month_is_a_month_and_no_value() -> None:
    names = files(["precipitation"], [f"2022-{month:02}-{day:02}" for month in (6, 7, 8) for day in (1, 9, 17)])
    assert tools("Peak month of rainfall, 2022.", names) == "calc_batch_image_mean*3 mean*3 max_value_and_index"
