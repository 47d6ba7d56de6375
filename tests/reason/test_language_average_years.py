"""Months and seasons of an average year, and those of one year."""

from __future__ import annotations

import pytest

from knowflow.reason.language import understand


@pytest.mark.parametrize(
    ("text", "by"),
    [
        ("In an average year, which month is the coldest?", "month_of_year"),
        ("Which season is usually the driest?", "season_of_year"),
        ("In what month is EVI lowest on average?", "month_of_year"),
        ("Which calendar month was the hottest?", "month_of_year"),
        ("Median LST for each month of the year", "month_of_year"),
        ("Mean LST per calendar month", "month_of_year"),
        ("Mean NDVI per season, averaged over all years", "season_of_year"),
        ("Which month was the coldest?", "month"),
        ("In which month of 2019 was EVI lowest on average?", "month"),
        ("In which month of the year 2020 was EVI lowest?", "month"),
        ("Which month had the highest mean EVI?", "month"),
        ("Which year was the warmest on average?", "year"),
        ("Mean NDVI per month", "month"),
    ],
)
def test_a_month_of_an_average_year_is_of_all_years(text: str, by: str) -> None:
    goal = understand(text)
    assert goal.value("group_by") == by
    assert not {"usually", "calendar"} & set(goal.leftover)
