"""The highest and the lowest of one series, asked for beside each other with their dates."""

from __future__ import annotations

import pytest
from published_calls import planned, tools

from knowflow.ground.errors import NotUnderstoodError

RAIN = [f"Jakarta_precipitation_2022-01-{day:02}.tif" for day in range(1, 32)]
LIGHTS = [f"Jakarta_avg_rad_2022-{month:02}-01.tif" for month in range(1, 13)]
GREEN = [f"Jakarta_NDVI_2022-{month:02}-01.tif" for month in range(1, 13)]
BOTH = "max_value_and_index min_value_and_index"


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("Which was the wettest and which the driest day of January 2022 in Jakarta? Give both values.", RAIN),
        ("On which day of January 2022 was the mean rain in Jakarta highest, and on which day lowest?", RAIN),
        ("State the brightest month and the dimmest month of Jakarta's night lights in 2022.", LIGHTS),
        ("Name the greenest and the least green date of Jakarta in 2022 by mean NDVI.", GREEN),
        ("Report the dates of the maximum and minimum mean NDVI of Jakarta in 2022.", GREEN),
    ],
)
def test_both_are_found_with_their_dates(query: str, names: list[str]) -> None:
    assert tools(query, names) == f"calc_batch_image_mean {BOTH}"
    left = [one for one in planned(query, names).plan.assumptions if one.what == "what is asked"]
    assert not [one for one in left if one.value in ("maximum", "minimum")]


def test_of_months_that_are_made_of_days() -> None:
    names = [f"Jakarta_precipitation_2022-{month:02}-{day:02}.tif" for month in range(1, 13) for day in (5, 15, 25)]
    query = "Find the wettest month and the driest month of 2022 in Jakarta."
    assert tools(query, names) == f"calc_batch_image_mean*12 mean*12 {BOTH}"


def test_of_shares() -> None:
    query = "On which date of 2022 was the share of Jakarta with NDVI above 0.5 largest, and on which smallest?"
    assert tools(query, GREEN) == f"calc_batch_image_hotspot_percentage {BOTH}"


def test_one_less_the_other() -> None:
    query = "By how much did the wettest day exceed the driest day in Jakarta in January 2022?"
    assert tools(query, RAIN) == f"calc_batch_image_mean {BOTH} difference"


def test_one_alone() -> None:
    query = "On which day of January 2022 was the mean rain in Jakarta highest?"
    assert tools(query, RAIN) == "calc_batch_image_mean max_value_and_index"


def test_another_quantity_on_both_days_is_asked_back() -> None:
    with pytest.raises(NotUnderstoodError, match="another quantity"):
        planned("What was the mean NDVI of Jakarta on the hottest and on the coldest day of 2022?", GREEN)
