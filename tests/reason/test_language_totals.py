"""Totals of what adds up from date to date, and "total" as a word among others."""

from __future__ import annotations

import pytest

from knowflow.reason.language import understand


@pytest.mark.parametrize(
    ("text", "operations"),
    [
        ("What was the total rainfall in 2019?", ("sum",)),
        ("rainfall total of the wet season", ("sum",)),
        ("How much did it rain in March and April 2021?", ("sum",)),
        ("How much precipitation did the catchment get in 2021?", ("sum",)),
        ("Map of the accumulated precipitation", ("sum",)),
        ("Which year had the lowest total rainfall?", ("extreme_date", "minimum", "sum")),
        ("How much more rain fell in May than in June?", ("difference",)),
        ("How much has the rain changed?", ("change",)),
        ("Which month had the most rain altogether?", ("extreme_date", "maximum", "sum")),
        ("On how many days in total did it rain more than 20 mm?", ("count",)),
        ("Map of the total NDVI", ("map",)),
        ("total area with rain above 20 mm", ("area",)),
    ],
)
def test_what_adds_up_over_time_has_a_total(text: str, operations: tuple[str, ...]) -> None:
    assert understand(text).value("operations") == operations


@pytest.mark.parametrize(
    ("text", "operations", "by", "of_totals"),
    [
        ("What is the average yearly precipitation?", ("mean", "sum"), "year", "mean"),
        ("Average rainfall per month from 2015 to 2019", ("mean", "sum"), "month", "mean"),
        ("Lowest annual rainfall", ("minimum", "sum"), "year", "minimum"),
        ("Map of the mean annual precipitation", ("map", "mean", "sum"), "year", "mean"),
        ("Mean annual rainfall in 2011, 2014 and 2019", ("sum",), "year", None),
        ("Mean rainfall of every year", ("mean",), "year", None),
        ("What is the mean daily rainfall?", ("mean",), None, None),
        ("From the monthly precipitation rasters, what is the mean rainfall?", ("mean",), "month", None),
        ("What is the mean annual NDVI?", ("mean",), "year", None),
        ("Which month was the rainiest?", ("extreme_date", "maximum", "sum"), "month", None),
        ("On which day of the month did it rain most?", ("extreme_date",), None, None),
        ("How many months does one cycle of the rainfall take?", ("count",), None, None),
        ("Name the wettest date of the year 2020", ("extreme_date", "maximum"), None, None),
        ("What was the rainiest season?", ("extreme_date", "maximum", "sum"), "season", None),
        ("How much rain fell in the wettest year?", ("extreme_date", "maximum", "sum"), "year", None),
        ("In how many years did it rain more than 700 mm?", ("count", "sum"), None, None),
    ],
)
def test_years_and_months_of_what_adds_up_have_totals(
    text: str, operations: tuple[str, ...], by: str | None, of_totals: str | None
) -> None:
    goal = understand(text)
    assert (goal.value("operations"), goal.value("group_by"), goal.value("over_dates")) == (operations, by, of_totals)


@pytest.mark.parametrize(
    ("text", "beside"),
    [
        ("What was the total rainfall, and which day was the rainiest?", "sum"),
        ("On which day did it rain most, and how much rain fell in total?", "sum"),
        ("On which day did it rain most, and how much rain fell on it?", None),
        ("How much rain fell on the rainiest day?", None),
        ("Which month had the highest total rainfall?", None),
    ],
)
def test_a_total_may_be_asked_for_beside_the_date_of_an_extreme(text: str, beside: str | None) -> None:
    assert understand(text).value("beside") == beside


@pytest.mark.parametrize(
    ("text", "of_total"),
    [
        ("Which part of the land got less than 60 mm over the season?", "sum"),
        ("Map where more than 200 mm of rain fell", "sum"),
        ("Area with rainfall above 80 mm in May 2021", "sum"),
        ("Share of the land with more than 80 mm of rain in total in May 2021", "sum"),
        ("Share of the area with a daily rainfall above 8 mm in May 2021", None),
        ("Share of the area with more than 30 mm on a single day", None),
        ("Share of the area with rainfall above 80 mm", None),
        ("How many days received more than 10 mm?", None),
        ("Which part of the land got greener than 0.5 NDVI in May?", None),
    ],
)
def test_a_limit_is_on_what_fell_in_all_where_the_words_say_so(text: str, of_total: str | None) -> None:
    assert understand(text).value("over_dates") == of_total


@pytest.mark.parametrize(
    ("text", "statistic"),
    [
        ("How much more rain fell in 2020 than in 2018 and 2019?", "mean"),
        ("Rainfall anomaly of 2020 against the other years", "mean"),
        ("How much more rain fell in July than in June 2020?", None),
        ("How much more rain fell in 2020 than in 2019?", None),
    ],
)
def test_times_of_other_lengths_are_compared_by_means(text: str, statistic: str | None) -> None:
    assert understand(text).value("statistic") == statistic


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("How much did the total population grow from 2010 to 2020?", ("difference", "sum")),
        ("Difference of the total population between 2010 and 2020", ("difference", "sum")),
        ("How much did the population grow from 2010 to 2020?", ("change", None)),
        ("What is the total population in 2020?", ("sum", "sum")),
    ],
)
def test_totals_of_what_is_counted_are_compared(text: str, expected: tuple[str, str | None]) -> None:
    goal = understand(text)
    assert (goal.value("operation"), goal.value("statistic")) == expected
