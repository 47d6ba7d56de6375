"""One of several dates, or the most extreme of their values."""

from __future__ import annotations

import pytest

from knowflow.model.goal import Period
from knowflow.reason.language import understand


@pytest.mark.parametrize(
    ("text", "statistic", "by"),
    [
        ("Among the images of 2021, which one was the greenest, by mean NDVI?", "maximum", None),
        ("Of the days in May 2020, name the one on which mean NDWI was lower.", "minimum", None),
        (
            "Of the first three months of 2020, tell me the one in which the ground was colder on average.",
            "minimum",
            "month",
        ),
        ("Give the date whose mean NDVI is the lowest of all.", "minimum", None),
        ("When was the mean NDVI of each day the highest?", "maximum", None),
    ],
)
def test_one_of_several_dates_is_a_date(text: str, statistic: str, by: str | None) -> None:
    goal = understand(text)
    assert goal.value("operation") == "extreme_date"
    assert goal.value("statistic") == statistic
    assert goal.value("group_by") == by


@pytest.mark.parametrize(
    ("text", "extreme"),
    [
        ("Of the means of NDMI on the single dates, give me the lowest value.", "minimum"),
        ("Of all the images of 2019, which value does the highest mean NDVI have?", "maximum"),
    ],
)
def test_the_value_of_one_of_several_is_no_date(text: str, extreme: str) -> None:
    goal = understand(text)
    assert goal.value("operation") == extreme
    assert goal.value("over_dates") == extreme


def test_the_largest_of_what_each_image_gave_is_one_number() -> None:
    goal = understand("Take the mean NDWI of each scene and tell me the largest.")
    assert goal.value("over_dates") == "maximum"
    assert "group_by" not in goal.slots


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ("Deduct the mean NDVI of 2018 from the mean NDVI of 2020.", ["2018", "2020"]),
        ("Subtract the mean NDVI of 2020 from that of 2018.", ["2020", "2018"]),
        ("How much larger was mean NDVI in 2020 than in 2018?", ["2018", "2020"]),
    ],
)
def test_what_is_subtracted_from_what_is_told_by_the_sentence(text: str, years: list[str]) -> None:
    goal = understand(text)
    assert goal.value("operation") == "difference"
    assert [period.start[:4] for period in goal.value("comparison")] == years


def test_a_rise_as_a_percentage_of_its_first_month_is_of_no_month() -> None:
    goal = understand(
        "Between the second of May and the second of July 2020 it grew greener. Express the rise in mean NDVI as a "
        "percentage of the May value."
    )
    assert goal.value("operation") == "percent_change"
    assert "months" not in goal.slots


def test_what_rises_and_falls_is_no_autumn() -> None:
    assert "months" not in understand("The mean NDWI rises and falls. On what date was it highest?").slots
    assert understand("Mean NDVI in spring and fall 2020").value("period") == Period("2020-03-01", "2020-11-30")


def test_the_months_at_an_end_of_a_year_are_a_period() -> None:
    period = understand("Mean NDVI of the last two months of 2021").value("period")
    assert (period.start, period.end) == ("2021-11-01", "2021-12-31")


@pytest.mark.parametrize(
    "text",
    [
        "Of all the ponds on this map, how many hectares does the largest cover?",
        "Of the fields with NDVI above 0.6, what area does the biggest have?",
    ],
)
def test_the_largest_of_several_patches_is_one_of_them(text: str) -> None:
    assert "largest_patches" in understand(text).value("operations")


@pytest.mark.parametrize(
    "text",
    [
        "Merge these NDMI scenes into a single one with the median.",
        "Take the mean EVI of all dates at every pixel.",
        "Average NDVI over time pixel by pixel.",
    ],
)
def test_every_pixel_over_time_makes_an_image(text: str) -> None:
    assert understand(text).value("operation") == "composite"


@pytest.mark.parametrize("text", ["Trend of mean NDVI over time at every pixel", "Mean NDVI over all dates"])
def test_other_questions_of_many_dates_make_none(text: str) -> None:
    assert understand(text).value("operation") != "composite"


@pytest.mark.parametrize(
    "text",
    [
        "How large a part of the land has a slope above 12 degrees?",
        "How big is the fraction of pixels with NDVI above 0.6?",
        "Tell me the size of the portion with NDVI above 0.6.",
    ],
)
def test_how_large_a_part_is_a_share(text: str) -> None:
    assert understand(text).value("operations")[0] == "share"
    assert "area" not in understand(text).value("operations")


def test_places_that_do_not_touch_are_counted() -> None:
    goal = understand("Patches with NDVI above 0.6 that do not touch each other: what is their number?")
    assert goal.value("operation") == "count"
    assert goal.value("count_of") == "patches"
