"""Numbers that are written out."""

from __future__ import annotations

import pytest

from knowflow.model.goal import Period, Threshold
from knowflow.reason.language import understand
from knowflow.reason.language.movements import moved_by
from knowflow.reason.language.spelled_numbers import in_digits


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("warmer than two hundred and ninety kelvin", "warmer than 290 kelvin"),
        ("between five and fifteen millimetres", "between 5 and 15 millimetres"),
        ("one thousand two hundred metres", "1200 metres"),
        ("a hundred metres", "100 metres"),
        ("from two to three kelvin", "from 2 to 3 kelvin"),
        ("two and a half times the mean", "2.5 times the mean"),
        ("an index below zero point three", "an index below 0.3"),
        ("power that exceeds zero", "power that exceeds 0"),
        ("the seventy-fifth percentile", "the 75th percentile"),
        ("the tenth and the ninetieth percentile", "the 10th and the 90th percentile"),
        ("grew by 12,500 m2", "grew by 12500 m2"),
        ("on the fourth and the eleventh of May 2020", "on 4 and 11 May 2020"),
        ("from the 1st until the 20th of May", "from 1 to 20 May"),
        ("fifteen hundred metres", "1500 metres"),
        ("one-hundred-and-five metres", "105 metres"),
        ("between one hundred and two hundred metres", "between 100 and 200 metres"),
        ("between one thousand and two thousand metres", "between 1000 and 2000 metres"),
        ("two million three hundred thousand and five hectares", "2300005 hectares"),
        ("a million and a half hectares", "1500000 hectares"),
        ("half a million hectares", "500000 hectares"),
        ("above 2.5 thousand metres", "above 2500 metres"),
        ("colder than minus five degrees", "colder than -5 degrees"),
        ("between minus 12.5 and minus 2 degrees", "between -12.5 and -2 degrees"),
        ("NDVI of 2020 minus 0.2", "NDVI of 2020 minus 0.2"),
        ("over 25,5 degrees", "over 25.5 degrees"),
        ("between 0,25 and 0,375", "between 0.25 and 0.375"),
        ("on 4,5 May", "on 4,5 May"),
        ("NDVI above about 0,25", "NDVI above about 0.25"),
        ("NDVI of 0,125 or more", "NDVI of 0.125 or more"),
        ("slopes of 7,5 degrees", "slopes of 7.5 degrees"),
        ("bands 3,4 above 0,5 %", "bands 3,4 above 0.5 %"),
        ("class 3,4 of the map", "class 3,4 of the map"),
        ("above 1/2", "above 0.5"),
        ("on more than 3/4 of the area", "on more than 75% of the area"),
        ("below 12/2016", "below 12/2016"),
        ("one of the two lakes", "one of the two lakes"),
        ("in 2000, 2010", "in 2000, 2010"),
    ],
)
def test_a_number_that_is_written_out_is_written_in_digits(text: str, written: str) -> None:
    assert in_digits(text) == written


@pytest.mark.parametrize(
    ("words", "limit"),
    [
        ("warmer than three hundred and five kelvin", Threshold(305.0, "K", "above")),
        ("colder than minus five degrees Celsius", Threshold(-5.0, "degC", "below")),
        ("above 2 thousand metres", Threshold(2000.0, "m", "above")),
        ("below 1,5 km", Threshold(1.5, "km", "below")),
    ],
)
def test_numbers_that_are_written_out_limit_a_quantity(words: str, limit: Threshold) -> None:
    goal = understand(f"What share of the area was {words}?")
    assert goal.value("operation") == "share"
    assert (goal.value("threshold"), goal.slots["threshold"].words) == (limit, words)


def test_a_percentile_may_be_written_out() -> None:
    assert understand("The ninety-fifth percentile of NDVI in 2020").value("percentile") == 95.0


def test_marks_between_thousands_end_no_number() -> None:
    assert moved_by(in_digits("where the built area grew by more than 2,500 square metres"))[0].value == 2500.0


def test_days_of_a_month_that_are_listed_or_a_range() -> None:
    assert understand("Mean NDVI on the fourth and the eleventh of May 2020").value("dates") == (
        "2020-05-04",
        "2020-05-11",
    )
    span = understand("Mean NDVI from the first to the twentieth of May 2020")
    assert span.value("period") == Period("2020-05-01", "2020-05-20")
