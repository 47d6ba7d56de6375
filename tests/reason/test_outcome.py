"""What chains of steps come to, and what is asked of photographs."""

from __future__ import annotations

import pytest

from knowflow.model.goal import Period, QueryGoal
from knowflow.reason.language import understand
from knowflow.reason.language.imagery import understand_images
from knowflow.reason.language.outcome import outcome

MADE_OF = {
    "tvdi": frozenset({"ndvi", "surface_temperature"}),
    "surface_temperature": frozenset({"toa_brightness_temperature", "surface_emissivity", "ndvi"}),
}
ALGORITHMS = {"split_window": ("surface_temperature",)}
THINGS = {"ship": ("boat", "vessel"), "storage tank": ("oil tank",), "building": ("house",)}


def read(query: str) -> QueryGoal:
    return outcome(understand(query), MADE_OF, ALGORITHMS)


@pytest.mark.parametrize(
    ("query", "operation", "statistic"),
    [
        ("Calculate the mean NDVI in 2022.", "mean", "mean"),
        ("On which day of July 2022 was the mean NDVI highest?", "extreme_date", "maximum"),
        ("First compute the mean NDVI of each image, then fit a linear trend to it.", "trend", "mean"),
        ("What was the difference in maximum NDVI between 2020 and 2021?", "difference", "maximum"),
        ("Count the days on which the mean NDVI exceeded 0.5.", "count_means", "mean"),
        ("What share of the area had NDVI above 0.5?", "share", "mean"),
        ("Calculate the skewness of NDVI in 2022.", "skewness", "skewness"),
        ("Count the images in which more than 30% of the pixels had NDVI above 0.5.", "count", "mean"),
        ("On how many days did the mean NDVI drop below 0.5?", "count_means", "mean"),
        ("The monthly mean of the daily share of pixels with NDVI above 0.5, please.", "share", "mean"),
        ("For each day, what fraction had NDVI above 0.5? Average these over all days of the month.", "share", "mean"),
        ("By how much does NDVI differ from season to season in 2023?", "by_season", "mean"),
        ("NDVI of spring, summer, autumn and winter 2023: what is the summer/autumn gap?", "difference", "mean"),
        ("Mean NDVI of June 2022 and of August 2022, and how far apart they are.", "difference", "mean"),
        ("Mean NDVI in 2022; it's to gauge its seasonality.", "mean", "mean"),
        ("Is NDVI seasonal in 2022?", "seasonality", "mean"),
        ("Share of NDVI classes: below 0.2; 0.2-0.4; 0.4-0.6; above 0.6.", "classify", "mean"),
    ],
)
def test_the_outermost_operation_and_what_is_inside_it(query: str, operation: str, statistic: str) -> None:
    goal = read(query)
    assert (goal.value("operation"), goal.value("quantity")) == (operation, "ndvi")
    if operation in ("extreme_date", "trend", "difference"):
        assert goal.value("statistic") == statistic


def test_the_product_is_what_the_other_quantities_lead_to() -> None:
    assert read("Use NDVI and LST to compute TVDI and give its mean.").value("quantity") == "tvdi"
    split = read("Apply split window to the brightness temperature of two bands and give the mean.")
    assert split.value("quantity") == "surface_temperature"


def test_a_limit_on_another_quantity_is_a_condition() -> None:
    goal = read("Calculate the mean LST of pixels with NDVI above 0.5 in 2022.")
    assert goal.value("quantity") == "surface_temperature"
    assert [(name, limit.value) for name, limit in goal.value("conditions")] == [("ndvi", 0.5)]
    assert goal.value("threshold") is None


def test_a_limit_told_by_the_mean_is_a_multiple_of_it() -> None:
    goal = read("Compute the proportion of pixels with NDVI at least 20% higher than the mean.")
    assert goal.value("times_mean") == pytest.approx(1.2)
    assert goal.value("threshold") is None


def test_what_is_compared_is_in_order_of_time_and_its_span_is_told() -> None:
    goal = read("How did the mean NDVI differ between 2021 and 2019?")
    assert goal.value("comparison") == (Period("2019-01-01", "2019-12-31"), Period("2021-01-01", "2021-12-31"))
    assert goal.value("span") == "years"
    assert read("Compute the difference in mean NDVI between June and August 2022.").value("span") == "within"


@pytest.mark.parametrize(
    ("query", "pair"),
    [
        (
            "2020: how large is the gap between the March and August mean of NDVI?",
            (Period("2020-03-01", "2020-03-31"), Period("2020-08-01", "2020-08-31")),
        ),
        (
            "How far does the summer mean of NDVI depart from the whole-year mean in 2023?",
            (Period("2023-01-01", "2023-12-31"), Period("2023-06-01", "2023-08-31")),
        ),
        (
            "Mean NDVI for spring, summer, autumn and winter 2023, then how much it differs between summer and autumn",
            (Period("2023-06-01", "2023-08-31"), Period("2023-09-01", "2023-11-30")),
        ),
        (
            "Mean NDVI for 1-15 June and for 16-30 June 2021, and the difference between both",
            (Period("2021-06-01", "2021-06-15"), Period("2021-06-16", "2021-06-30")),
        ),
        (
            "It burned in May 2019. Mean NDVI before it (June 3 - July 9) and after it (October 1 - 30), and the gap.",
            (Period("2019-06-03", "2019-07-09"), Period("2019-10-01", "2019-10-30")),
        ),
        (
            "How far does the mean NDVI before the flood of early May 2022, from March 3 to April 9, differ from that "
            "after it, from June 1 to June 30?",
            (Period("2022-03-03", "2022-04-09"), Period("2022-06-01", "2022-06-30")),
        ),
    ],
)
def test_two_periods_are_compared_whatever_binds_them(query: str, pair: tuple[Period, Period]) -> None:
    assert read(query).value("comparison") == pair


@pytest.mark.parametrize(
    ("query", "operation", "thing"),
    [
        ("How many boats are in each image?", "image_numbers", "ship"),
        ("Classify each image into a scene type.", "scene_class", None),
        ("What is the shortest distance between two oil tanks, with a GSD of 0.5 m?", None, "storage tank"),
        ("How many houses were destroyed by the disaster?", None, "building"),
    ],
)
def test_photographs_are_asked_about_things_by_any_of_their_names(
    query: str, operation: str | None, thing: str | None
) -> None:
    goal = understand_images(query, THINGS)
    if operation is not None:
        assert goal.value("operation") == operation
    if thing is not None and "destroyed" not in query:
        assert goal.value("object") == thing
    assert goal.value("operation")


def test_parts_of_a_year_that_are_compared_leave_no_months_out() -> None:
    goal = read("Difference of the mean NDVI between summer (June-August) 2020 and autumn (September-November) 2020.")
    assert goal.value("comparison") == (Period("2020-06-01", "2020-08-31"), Period("2020-09-01", "2020-11-30"))
    assert goal.value("months") is None


def test_a_change_in_percent_over_years_compares_the_first_with_the_last() -> None:
    goal = read("Of the NDVI data from 1980 to 2025, give the percentage change of the mean between 1990 and 2020.")
    assert goal.value("operation") == "percent_change"
    assert goal.value("comparison") == (Period("1990-01-01", "1990-12-31"), Period("2020-01-01", "2020-12-31"))
