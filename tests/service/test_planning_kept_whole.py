"""Parts of a question that a plan over published calls keeps, or that are asked back, never dropped."""

from __future__ import annotations

import pytest
from published_calls import arguments, files, tools

from knowflow.ground.errors import NotUnderstoodError, PlanningError

MONTHS = [f"{year}-{month:02}-01" for year in (2018, 2019) for month in range(1, 13)]
DAYS = [f"2021-08-{day:02}" for day in range(3, 9)]
LIGHTS = ["avg_rad", "built_volume_total"]


@pytest.mark.parametrize(
    "query",
    [
        "How much more light per building volume did Lagos have than Cairo?",
        "By how much did the night light per unit building volume differ between Lagos and Cairo?",
        "Divide the total night light by the total building volume for Lagos, then Cairo, and report the difference.",
    ],
)
def test_what_is_told_per_unit_of_another_quantity_is_never_told_as_a_whole(query: str) -> None:
    names = [name for region in ("Lagos", "Cairo") for name in files(LIGHTS, ["2020-01-01"], region)]
    assert tools(query, names) == "calc_batch_image_sum*4 division*2 difference"
    with pytest.raises(PlanningError, match="per unit of"):
        tools(query, [name for name in names if "avg_rad" in name])


@pytest.mark.parametrize(
    ("said", "factor"), [("30 times the mean", 30.0), ("twice the mean", 2.0), ("1.2 times the mean", 1.2)]
)
def test_a_limit_that_is_a_multiple_of_the_mean_is_no_plain_number(said: str, factor: float) -> None:
    query = f"What share of the area has an NDVI above {said}?"
    (call,) = arguments(query, files(["NDVI"], DAYS), "calc_batch_image_hotspot_percentage")
    assert call["threshold"]["times"] == factor


@pytest.mark.parametrize(
    "query",
    [
        "How much higher is the LST of the hottest day, on average, than that of the coolest?",
        "By how many kelvin is the mean LST of the warmest day above that of the coldest day?",
    ],
)
def test_two_extreme_days_are_told_apart(query: str) -> None:
    planned = tools(query, files(["LST_Day"], DAYS))
    assert planned == "calc_batch_image_mean max_value_and_index min_value_and_index difference"


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("How much of the building volume was non-residential?", ""),
        ("What proportion of the built volume was not residential in 2020?", ""),
        ("What percentage of all building volume is residential?", "subtract "),
    ],
)
def test_the_part_of_the_buildings_that_is_of_a_kind_needs_no_limit(query: str, first: str) -> None:
    names = files(["built_volume_total", "built_volume_nres"], ["2020-01-01"])
    assert tools(query, names) == f"{first}calc_batch_image_sum*2 division"


@pytest.mark.parametrize("kind", ["residential", "non-residential"])
def test_a_kind_of_building_is_never_told_by_all_buildings(kind: str) -> None:
    names = files(["built_volume_total"], ["2020-01-01"])
    with pytest.raises(PlanningError):
        tools(f"What share of all building volume was {kind}?", names)


@pytest.mark.parametrize(
    "query",
    [
        "Count the sudden drops of night light in 2018 and 2019.",
        "How many times did the night light fall abruptly in 2018 and 2019?",
        "When did the night light decline suddenly in 2018 or 2019?",
    ],
)
def test_sudden_falls_are_not_counted_as_rises(query: str) -> None:
    with pytest.raises(NotUnderstoodError, match="sudden falls"):
        tools(query, files(["avg_rad"], MONTHS))


def test_another_quantity_on_two_extreme_days_is_asked_back() -> None:
    names = files(["NDVI", "LST_Day"], DAYS)
    with pytest.raises(NotUnderstoodError, match="another quantity"):
        tools("How much higher was the NDVI on the hottest day than on the coolest?", names)


@pytest.mark.parametrize(
    "query",
    [
        "Split the monthly EVI into its seasonal component and its trend.",
        "Break the EVI series into a trend and a seasonal cycle.",
    ],
)
def test_a_series_is_split_into_season_and_trend(query: str) -> None:
    assert tools(query, files(["EVI"], MONTHS)).endswith("stl_decompose")


def test_a_trend_of_seasons_is_no_split_of_a_series() -> None:
    assert "stl_decompose" not in tools("What is the trend of EVI in the summer season?", files(["EVI"], MONTHS))


@pytest.mark.parametrize(
    "query",
    [
        "Compare the LST by day and by night in August 2021.",
        "How much does the surface temperature at night differ from that by day?",
    ],
)
def test_the_day_is_compared_with_the_night(query: str) -> None:
    planned = tools(query, files(["LST_Day", "LST_Night"], DAYS))
    assert planned == " ".join(["calc_batch_image_mean mean"] * 2 + ["difference"])
