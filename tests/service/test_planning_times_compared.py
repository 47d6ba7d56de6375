"""Periods of one year that are compared, and one of them as so many times the other."""

from __future__ import annotations

import pytest
from published_calls import planned, tools

from knowflow.ground.errors import KnowFlowError
from knowflow.model.goal import Period

MONTHS = [f"2021-{month:02}-{day:02}" for month in range(1, 13) for day in (5, 20)]
RAIN = [f"Pantanal_precipitation_{date}.tif" for date in MONTHS]
FIRES = [f"Pantanal_MaxFRP_{date}.tif" for date in MONTHS]


@pytest.mark.parametrize(
    "query",
    [
        "How many times more rain fell in the wet months February and March 2021 than in July and August 2021?",
        "How many times more rain fell from February to March 2021 than from July to August of the same year?",
        "By which factor was the mean rainfall higher in February and March 2021 than in July and August of that year?",
    ],
)
def test_months_that_follow_on_each_other_are_one_of_two_periods(query: str) -> None:
    assert tools(query, RAIN) == "calc_batch_image_mean*2 mean*2 division"
    dry, wet = (planned(query, RAIN).calls[n].input["file_list"] for n in (1, 2))
    assert [name[-14:-4] for name in dry] == ["2021-07-05", "2021-07-20", "2021-08-05", "2021-08-20"]
    assert [name[-14:-4] for name in wet] == ["2021-02-05", "2021-02-20", "2021-03-05", "2021-03-20"]
    assert planned(query, RAIN).calls[-1].input == {"a": {"from": 3}, "b": {"from": 4}}  # b / a


def test_the_mean_of_one_period_is_divided_by_that_of_another() -> None:
    query = "Average the rainfall of June 2021 and of September 2021 and divide the one of September by that of June."
    assert tools(query, RAIN) == "calc_batch_image_mean*2 mean*2 division"
    assert planned(query, RAIN).goal.value("comparison")[0] == Period("2021-06-01", "2021-06-30")


@pytest.mark.parametrize("rest", ["how many times as many fire pixels were there in August as in June?",
                                  "how much did the number of fire pixels differ between the two months?"])  # fmt: skip
def test_burning_pixels_are_told_by_the_limit_that_is_said(rest: str) -> None:
    query = f"Fire pixels have a MaxFRP above eight megawatts. Of the data of June 2021 and August 2021, {rest}"
    assert tools(query, FIRES).startswith("calc_batch_fire_pixels*2 mean*2 di")
    assert [call.input["fire_threshold"] for call in planned(query, FIRES).calls[1:3]] == [8.0, 8.0]


@pytest.mark.parametrize(("first", "second"), [("Ahrtal", "Eifel"), ("Eifel", "Ahrtal")])
def test_the_region_that_another_is_told_by_divides(first: str, second: str) -> None:
    names = [f"{region}_precipitation_2021-07-{day:02}.tif" for region in ("Ahrtal", "Eifel") for day in range(1, 29)]
    query = f"How many times more rain did {first} receive than {second} in July 2021?"
    assert planned(query, names).goal.value("comparison") == (second, first)


@pytest.mark.parametrize(
    "query",
    [
        "How many times the mean rainfall of Quito was that of Lima in July 2021?",
        "How many times as much rain as Quito did Lima get on average in July 2021?",
        "How many times as much rain did Lima get in July 2021 as Quito?",
    ],
)
def test_the_region_that_another_is_so_many_times_of_divides(query: str) -> None:
    names = [f"{region}_precipitation_2021-07-{day:02}.tif" for region in ("Lima", "Quito") for day in range(1, 4)]
    assert tools(query, names) == "calc_batch_image_mean*2 mean*2 division"
    assert planned(query, names).goal.value("comparison") == ("Quito", "Lima")


@pytest.mark.parametrize(
    "query",
    [
        "Compare the heaviest rainy day of Lima and Quito in July 2021 and give the difference.",
        "Difference between the largest daily mean rainfall of Lima and of Quito in July 2021",
        "By how much does the mean rainfall of the wettest day in Lima exceed that of the wettest day in Quito?",
        "How much more rain fell on the wettest day in Lima than on the wettest day in Quito in July 2021?",
    ],
)
def test_the_largest_of_the_days_is_compared_between_regions(query: str) -> None:
    names = [f"{region}_precipitation_2021-07-{day:02}.tif" for region in ("Lima", "Quito") for day in range(1, 4)]
    assert tools(query, names) == "calc_batch_image_mean*2 max_value_and_index*2 difference"


@pytest.mark.parametrize(
    "query",
    [
        "How many times the mean rainfall of September 2021 was that of May 2021?",
        "How many times as much rain as in September 2021 fell in May 2021?",
    ],
)
def test_the_period_that_another_is_so_many_times_of_divides(query: str) -> None:
    may, september = Period("2021-05-01", "2021-05-31"), Period("2021-09-01", "2021-09-30")
    assert tools(query, RAIN) == "calc_batch_image_mean*2 mean*2 division"
    assert planned(query, RAIN).goal.value("comparison") == (september, may)


def test_shares_on_two_days_are_told_of_what_was_derived_for_both() -> None:
    names = [f"Testland_BT_{band}_{date}.tif" for band in (31, 32) for date in ("2021-06-03", "2021-08-14")]
    query = (
        "Derive LST from thermal bands 31 and 32. By how much did the share of the area above 305 K change between "
        "2021-06-03 and 2021-08-14?"
    )
    assert tools(query, names) == "lst_multi_channel*2 calculate_threshold_ratio*2 difference"


def test_brightness_temperatures_do_not_stand_for_what_is_made_of_them() -> None:
    query = "By how much did the mean soil moisture told by brightness temperatures differ between 3 and 9 August 2022?"
    one = ["2022_08_03_BT_10H.tif", "2022_08_09_BT_10H.tif"]
    with pytest.raises(KnowFlowError):
        planned(query, one)
    both = [*one, *(name.replace("10H", "10V") for name in one)]
    assert tools(query, both).startswith("dual_polarization_differential calc_batch_image_mean")
