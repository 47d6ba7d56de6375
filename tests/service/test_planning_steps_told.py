"""Two values told one after the other, limits told first, and changes in each of two regions."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from published_calls import files, planned, tools

DRYNESS = files(["NDVI", "LST"], ["2021-05-03", "2021-05-19", "2021-07-06", "2021-07-22"])
ONE_DAY = files(["NDVI", "LST"], ["2021-07-06"])
VOLUMES = files(["built_volume_total"], ["1990-01-01", "2000-01-01", "2010-01-01"])
PEOPLE = [f"{city}_population_{year}-01-01.tif" for city in ("Lima", "Quito") for year in (2000, 2020)]
GREENNESS = files(["EVI"], [f"{year}-{month:02}-01" for year in range(2015, 2019) for month in (5, 7, 9)])
WATER = files(["sur_refl_b01", "sur_refl_b04"], [f"{year}-06-{day:02}" for year in (2018, 2022) for day in (2, 9, 20)])


@pytest.mark.parametrize(
    ("query", "names", "expected"),
    [
        (
            "Derive TVDI on 6 July 2021, its 95th percentile, then its 5th percentile, and finally the difference.",
            ONE_DAY,
            "compute_tvdi get_percentile_value_from_image*2 difference",
        ),
        (
            "Compute TVDI for 6 July 2021, the share of pixels above 0.4 and the share of pixels above 0.6, and "
            "subtract the second from the first.",
            ONE_DAY,
            "compute_tvdi calculate_threshold_ratio*2 difference",
        ),
        (
            "Find the dry pixels (TVDI > 0.7) in May and in July 2021, compute their mean LST, and give the difference "
            "between the two months.",
            DRYNESS,
            "compute_tvdi calc_threshold_value_mean*2 difference",
        ),
        (
            "Map the pixels with TVDI > 0.7, take the mean LST of these pixels for May and for July 2021, and compute "
            "the difference between the two to describe how the driest areas warmed.",
            DRYNESS,
            "compute_tvdi calc_threshold_value_mean*2 difference",
        ),
        (
            "A boom area is a pixel where the built volume grew by more than 5000 cubic metres. How many boom pixels "
            "were there between 1990 and 2010?",
            VOLUMES,
            "subtract count_above_threshold",
        ),
        (
            "For each EVI image of 2015 to 2018 compute its mean EVI, average these per year, and fit a linear trend.",
            GREENNESS,
            "calc_batch_image_mean mean " * 4 + "compute_linear_trend",
        ),
        (
            "From the mean maps of sur_refl_b01 and sur_refl_b04 in June 2018 and June 2022, derive NDTI. How far do "
            "the shares of turbid water (NDTI 25% above the mean) of the two months differ?",
            WATER,
            "calculate_tif_average*2 calculate_batch_ndti " * 2
            + "calc_batch_image_mean*2 calc_batch_image_hotspot_percentage*2 difference",
        ),
    ],
)
def test_steps_told_one_after_the_other_are_all_taken(query: str, names: Sequence[str], expected: str) -> None:
    assert tools(query, names) == expected.strip()


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (
            "give the percentage growth of the population of Lima and Quito, and their difference",
            "calc_batch_image_sum*4 percentage_change*2 difference",
        ),
        (
            "by how many percent did the population of Lima and of Quito grow",
            "calc_batch_image_sum*2 percentage_change calc_batch_image_sum*2 percentage_change",
        ),
    ],
)
def test_a_change_in_each_of_two_regions_is_no_change_from_one_to_the_other(asked: str, expected: str) -> None:
    query = f"From 2000 to 2020, {asked}?"
    assert tools(query, PEOPLE) == expected
    sums = [call.input["file_list"] for call in planned(query, PEOPLE).calls if call.name == "calc_batch_image_sum"]
    assert [len(files) for files in sums] == [1, 1, 1, 1]
    of = [file.rpartition("/")[2].split("_")[::2] for (file,) in sums]
    assert of[0][0] == of[1][0] != of[2][0] == of[3][0]
    assert [year[:4] for _, year in of] == ["2000", "2020"] * 2


def test_pixels_that_fell_are_counted_in_what_was_before_less_what_came_after() -> None:
    query = "How many pixels lost more than 3000 cubic metres of built volume from 1990 to 2010?"
    calls = planned(query, VOLUMES).calls
    assert [call.name for call in calls if call.name != "get_filelist"] == ["subtract", "count_above_threshold"]
    assert "1990" in calls[-2].input["img1_path"]
    assert calls[-1].input["threshold"] == 3000
