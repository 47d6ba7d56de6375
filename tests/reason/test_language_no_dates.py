"""Dates that do not exist, ranges told backwards and times compared with themselves are asked back, not answered for
something else."""

from __future__ import annotations

import pytest

from knowflow.model.goal import Period
from knowflow.reason.language import understand
from knowflow.reason.language.explanation import unclear


def _whys(text: str) -> list[str]:
    return [one.why for one in unclear(understand(text))]


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("on 30 February 2016", "'30 February 2016' is no date: February 2016 has 29 days"),
        ("on 29 February 2017", "'29 February 2017' is no date: February 2017 has 28 days"),
        ("on 31 April 2016", "'31 April 2016' is no date: April 2016 has 30 days"),
        ("on 0 May 2016", "'0 May 2016' is no date: May 2016 has 31 days"),
        ("on February 30, 2016", "'February 30, 2016' is no date: February 2016 has 29 days"),
        ("on 31 April", "'31 April' is no date: April has 30 days"),
        ("of 31 April", "'31 April' is no date: April has 30 days"),
        ("of April 31", "'April 31' is no date: April has 30 days"),
        ("of the 32nd April", "'32nd April' is no date: April has 30 days"),
        ("of April 32nd", "'April 32nd' is no date: April has 30 days"),
        ("on 2016-02-30", "'2016-02-30' is no date"),
        ("on 2016-13-01", "'2016-13-01' is no date"),
        ("in 2016-13", "'2016-13' is no date"),
        ("on 20160230", "'20160230' is no date"),
        ("on 32.05.2016", "'32.05.2016' is no date"),
        ("on 1816-05-01", "'1816-05-01' is no date"),
        ("on 01.05.16", "'01.05.16' is no date"),
        ("in 05/2016", "'05/2016' is no date"),
        ("in 2016/17", "'2016/17' is no date"),
        ("on 1 May 1816", "'1 May 1816' is no date"),
        ("in the summer of 3016", "'summer of 3016' is no date"),
        ("in 2016 and 1816", "'1816' is no date"),
        ("in 1816", "'1816' is no year that there can be data of"),
        ("in 3016", "'3016' is no year that there can be data of"),
        ("in 20166", "'20166' is no year that there can be data of"),
        ("in year 0", "'0' is no year that there can be data of"),
        ("in the 13th month of 2016", "'13th month of 2016' is a part of a time that is told by no dates"),
        ("in the first third of 2016", "'first third of 2016' is a part of a time that is told by no dates"),
    ],
)
def test_what_is_no_date_is_asked_back_with_what_was_found(said: str, found: str) -> None:
    assert _whys(f"Mean NDVI {said}") == [found]


def test_a_part_of_a_time_that_is_told_beside_the_question_is_asked_back_where_the_question_names_none() -> None:
    assert _whys("I looked at the first half of July. What was the mean NDVI?") == [
        "'first half of July' is a part of a time that is told by no dates"
    ]
    assert _whys("I looked at the first half of July. What was the mean NDVI of May 2016?") == []


@pytest.mark.parametrize(
    "text",
    [
        "Mean NDVI on 29 February 2016",
        "Mean NDVI on 2016-05-31 and 2016-06-30",
        "Mean NDVI in the winter of 2016/17",
        "Mean NDVI from 2015 to 2017",
        "In May 60 % of the area had an NDVI above 0.5: what is its share?",
        "Mean NDVI in May 2016, 3 decimals",
        "Share of the area above 1816 m",
        "In May 1500 hectares burned. What is the burned area in June 2016?",
        "Landsat Band 10, 2022-12-16: what was the brightness temperature?",
        "Mean NDVI of Sentinel 2 in 2016",
        "Mean NDVI of the 32 April scenes",
        "Mean NDVI of April, 32 scenes",
    ],
)
def test_dates_and_numbers_of_other_things_stay_what_they_are(text: str) -> None:
    assert _whys(text) == []


def test_a_period_told_between_its_ends_in_the_other_order_is_the_whole_of_it_and_says_so() -> None:
    slot = understand("Mean NDVI between 2017 and 2015").slots["period"]
    assert slot.value == Period("2015-01-01", "2017-12-31")
    assert slot.default
    assert "told backwards" in slot.note


@pytest.mark.parametrize(
    "text",
    [
        "Mean NDVI from December 2016 to January 2016",
        "Mean NDVI from 2017-05-01 to 2016-05-01",
        "Trend of NDVI from 2017 to 2015",
        "Mean NDVI 25-5 May 2016",
    ],
)
def test_a_period_that_runs_backwards_is_asked_back(text: str) -> None:
    assert any("runs backwards" in why for why in _whys(text))


def test_a_change_told_backwards_keeps_its_direction() -> None:
    slot = understand("Change of NDVI from 2017 to 2016").slots["comparison"]
    assert [one.start[:4] for one in slot.value] == ["2017", "2016"]
    assert "as it is told" in slot.note
    between = understand("Change of NDVI between 2017 and 2016").slots["comparison"]
    assert [one.start[:4] for one in between.value] == ["2016", "2017"]


def test_months_after_the_last_one_of_a_year_are_of_the_next_year() -> None:
    period = understand("Mean NDVI from December 2016 to February").value("period")
    assert period == Period("2016-12-01", "2017-02-28")


@pytest.mark.parametrize(
    "text",
    [
        "Change of NDVI between 2016 and 2016",
        "Change of NDVI from May 2016 to May 2016",
        "Compare NDVI of 2016 with 2016",
    ],
)
def test_a_time_is_not_compared_with_itself(text: str) -> None:
    assert any("compares a time with itself" in why for why in _whys(text))


def test_a_day_beside_its_month_is_read_as_the_day() -> None:
    assert understand("Mean NDVI on January 2024-01-18").value("dates") == ("2024-01-18",)


@pytest.mark.parametrize("words", ["on 5 July", "between 1 May and 10 May", "from June 5 to July 20"])
def test_days_of_no_year_are_asked_back(words: str) -> None:
    assert [one.slot for one in unclear(understand(f"Mean NDVI {words}"))] == ["period"]
    assert not unclear(understand(f"Mean NDVI {words} 2021"))
