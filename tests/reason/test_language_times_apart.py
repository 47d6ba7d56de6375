"""Times that a value is wanted of each, and times that are one."""

from __future__ import annotations

import pytest

from knowflow.reason.language import understand
from knowflow.reason.language.explanation import unclear


@pytest.mark.parametrize(
    ("text", "by", "years", "months"),
    [
        ("Mean NDVI in 2016, and in 2017", "year", (2016, 2017), None),
        ("Mean NDVI for 2016 and for 2018", "year", (2016, 2018), None),
        ("Mean NDVI of 2016 and 2017 separately", "year", (2016, 2017), None),
        ("Mean NDVI for each of the years 2016 and 2017", "year", (2016, 2017), None),
        ("What was the mean NDVI in 2016, and what was it in 2017?", "year", (2016, 2017), None),
        ("Mean NDVI in 2016, and the mean of NDVI in 2017", "year", (2016, 2017), None),
        ("Mean NDVI in summer 2016 and in summer 2017", "year", (2016, 2017), (6, 7, 8)),
        ("Mean NDVI in June 2016, in July 2016 and in September 2016", "month", (2016,), (6, 7, 9)),
        ("Mean NDVI of June and July individually", "month", None, (6, 7)),
        ("Maximum LST for 2015, 2016 and 2019", "year", (2015, 2016, 2019), None),
        ("Average night lights 2012, 2013, 2014", "year", (2012, 2013, 2014), None),
        ("Median NDMI in May, June and July", "month", None, (5, 6, 7)),
        ("Mean EVI in 2014 and 2019", "year", (2014, 2019), None),
        ("Mean EVI in spring and autumn 2019", "season", (2019,), (3, 4, 5, 9, 10, 11)),
        ("Mean LST on 3 May 2020, 9 June 2020 and 4 July 2020", "scene", None, None),
        ("Total rainfall in May, June and July 2020", None, None, None),
        ("Total rainfall in May, July and September 2020", "month", (2020,), (5, 7, 9)),
        ("Area of water in 2014, 2016 and 2019", "year", (2014, 2016, 2019), None),
        ("Water area in 2014, 2016 and 2019", "year", (2014, 2016, 2019), None),
        ("On how many dates in May, June and July 2020 was the mean NDVI above 0.5?", None, None, None),
        ("Median LST for 2015, 2016 and 2019 together", None, None, None),
        ("Mean NDVI in 2016 and 2017", None, None, None),
        ("Mean NDVI in 2016 and in 2017 combined", None, None, None),
        ("Difference of the mean NDVI in 2016 and in 2017", None, None, None),
        ("Mean NDVI of each class in 2016 and in 2017", "class", None, None),
    ],
)
def test_what_is_told_of_several_times_is_grouped_by_them(
    text: str, by: str | None, years: tuple[int, ...] | None, months: tuple[int, ...] | None
) -> None:
    goal = understand(text)
    assert (goal.value("group_by"), goal.value("years"), goal.value("months")) == (by, years, months)
    assert "separately" not in goal.leftover


def test_times_of_several_kinds_are_asked_back() -> None:
    assert [one.slot for one in unclear(understand("Mean NDVI in May 2016, June 2017 and 2018"))] == ["period"]


@pytest.mark.parametrize("text", ["When was NDVI highest in 2016 and in 2017?", "NDVI trend in 2015, and in 2016"])
def test_a_date_and_a_trend_of_several_times_are_asked_back(text: str) -> None:
    assert [one.slot for one in unclear(understand(text))] == ["period"]


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("Mean NDVI in 2016 and the maximum in 2017", "2017"),
        ("Mean of NDVI in June and the minimum in August", "August"),
        ("What was the mean NDVI in 2016? What was the maximum in 2017?", "2017"),
        ("In 2016 the mean NDVI, and in 2017 the maximum", "2017"),
        ("Mean NDVI in 2017 and the maximum in June", "June"),
        ("Mean NDVI in 2016 and mean NDWI in 2017", "2017"),
        ("Mean NDVI in 2016 and the share of water in 2017", "2017"),
        ("Mean NDVI of 2016 and the trend from 2015 to 2017", "2015 to 2017"),
        ("Mean NDVI in 2016 and the maximum in 2016", None),
        ("Mean and maximum of NDVI in 2016 and 2017", None),
        ("How much higher was the mean NDVI in 2016 than the maximum in 2017?", None),
        ("We mapped the maximum in 2016. What was the mean NDVI in 2017?", None),
    ],
)
def test_what_is_asked_of_a_time_of_its_own_is_asked_back(text: str, other: str | None) -> None:
    open_still = [one.why for one in unclear(understand(text)) if one.slot == "period"]
    assert len(open_still) == (other is not None)
    assert not other or f"{other!r} is another time than" in open_still[0]
