"""Sentences that state how things are, beside others that ask."""

from __future__ import annotations

import pytest

from knowflow.model.goal import QueryGoal
from knowflow.reason.language import understand
from knowflow.reason.language.outcome import outcome
from knowflow.reason.language.statements import stated, without_stated


def read(query: str) -> QueryGoal:
    return outcome(understand(query), {}, {})


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Rivers carry mud after heavy rain. How turbid was the lake?", "How turbid was the lake?"),
        (
            "Rivers carry mud after heavy rain; compute the mean.",
            "Rivers carry mud after heavy rain; compute the mean.",
        ),
        ("A pixel burns when MaxFRP is above 5. Count them.", "A pixel burns when MaxFRP is above 5. Count them."),
        ("Our index is LST / emissivity. Compute it.", "Our index is LST / emissivity. Compute it."),
        ("A dry pixel is defined by its index. Count it.", "A dry pixel is defined by its index. Count it."),
        ("Mean NDVI of summer. Is it high?", "Mean NDVI of summer. Is it high?"),
        ("The river carries mud after heavy rain.", "The river carries mud after heavy rain."),
        ("Was the lake murky? Judge the mud of both shores.", "Was the lake murky? Judge the mud of both shores."),
        (
            "Was the lake murky? Then weigh how its shores differ.",
            "Was the lake murky? Then weigh how its shores differ.",
        ),
        ("Between the hills run some slow streams. How turbid was the lake?", "How turbid was the lake?"),
        ("Mud follows the rain. How turbid was the lake?", "Mud follows the rain. How turbid was the lake?"),
        ("Although the rain was heavy, mud stayed away. How turbid was it?", "How turbid was it?"),
    ],
)
def test_what_neither_asks_nor_limits_nor_dates_is_only_stated(text: str, left: str) -> None:
    assert without_stated(text).strip() == left


def test_places_stay_where_they_are() -> None:
    text = "Snow melts early on southern slopes. What was the mean NDSI in 2020?"
    assert without_stated(text).index("What") == text.index("What")
    assert stated(text) == ((0, 36),)


def test_the_months_of_a_statement_leave_out_no_month() -> None:
    goal = read("The river brings its mud in late spring. What was the mean turbidity from June to December 2020?")
    assert goal.value("months") is None
    assert read("What was the mean turbidity in June 2020 and in spring?").value("operation") == "mean"


def test_the_operations_of_a_statement_are_not_asked_for() -> None:
    goal = read("The growth of a harbour shows in its lights. What was the mean nighttime light intensity in 2018?")
    assert (goal.value("operation"), goal.value("quantity")) == ("mean", "night_lights")
    hottest = read("The basin has some of the hottest places on Earth by far. What was the mean LST in July 2020?")
    assert (hottest.value("operation"), hottest.value("statistic")) == ("mean", "mean")


def test_a_comparative_is_no_extreme_of_what_is_compared() -> None:
    goal = read("How much drier was 2020 than 2019? Give the percentage change of the mean daily rainfall.")
    assert (goal.value("operation"), goal.value("statistic")) == ("percent_change", "mean")
    assert read("Which day of July 2020 was the driest by mean rainfall?").value("statistic") == "minimum"


def test_an_index_is_asked_about_and_not_the_reflectances_it_is_made_of() -> None:
    goal = read("Surface reflectances (SR_B3, SR_B5) are given for 2018. What was the mean NDWI?")
    assert goal.value("quantity") == "ndwi"


def test_the_slope_of_a_line_is_a_trend() -> None:
    goal = read("Give the yearly rate of the mean NDVI from 2010 to 2020 as the slope of a straight line.")
    assert (goal.value("operation"), goal.value("quantity")) == ("trend", "ndvi")


def test_what_stands_before_per_head_is_asked_about() -> None:
    goal = read("With the population of 2015 and 2020: by what percentage did the light per head change?")
    assert (goal.value("quantity"), goal.value("per_quantity")) == ("night_lights", "population_count")


@pytest.mark.parametrize(
    ("query", "changed"),
    [
        ("Share of pixels where the increase of the built surface exceeded 900 m2 between 2000 and 2020", 900.0),
        ("Of 3 May 2020 and 9 July 2020 subtract the later NBR from the earlier one and give the share of the area "
         "where this difference exceeds 0.2", -0.2),
        ("Of 3 May 2020 and 9 July 2020 subtract the earlier NDVI from the later one and give the share of the area "
         "where this difference exceeds 0.2", 0.2),
    ],
)  # fmt: skip
def test_a_difference_is_limited_the_way_it_is_made(query: str, changed: float) -> None:
    goal = read(query)
    assert (goal.value("operation"), goal.value("changed")) == ("change_share", changed)
