"""Areas, changes and lists whose parts stand in any order; what is judged by something, or told in two steps."""

from __future__ import annotations

import pytest

from knowflow.question.normal import equal
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords


@pytest.mark.parametrize(
    ("one", "other", "unit"),
    [
        ("How much land, in hectares, is higher than 250 m?", "What area has an elevation above 250 m?", "ha"),
        ("How much land is higher than 250 m?", "What area has an elevation above 250 m?", None),
        ("How much of the land is higher than 250 m?", "What share of the area is higher than 250 m?", None),
        ("Land above 250m in km2", "What area has an elevation above 250 m?", "km2"),
        ("EVI > 0.4, hectares?", "What area has an EVI above 0.4?", "ha"),
        ("Slope below 5 degrees: area in hectares?", "What area has a slope below 5 degrees?", "ha"),
        ("% of the scene with NDVI above 0.5", "What share of the scene has an NDVI above 0.5?", "%"),
        ("How large is the lake in 2020? In hectares, please.", "How large is the lake in 2020?", "ha"),
        ("The lake's area in 2020, in hectares", "How large is the lake in 2020?", "ha"),
        (
            "EVI above 0.4 counts as green. What share of the scene is that?",
            "share of the scene with EVI above 0.4",
            None,
        ),
        ("Subtract the mean EVI of 2018 from that of 2020.", "How did the mean EVI change from 2018 to 2020?", None),
        ("Comparing 2018 with 2020, how did the mean EVI change?", "change in mean EVI from 2018 to 2020", None),
        ("Compared with 2018, how much higher was the mean EVI in 2020?", "change in mean EVI from 2018 to 2020", None),
        ("How many kelvin did the mean LST rise from 2018 to 2020?", "change in mean LST from 2018 to 2020", "K"),
        ("Compare the parishes by their mean elevation.", "What is the mean elevation of each parish?", None),
        ("Which elevation do the parishes have on average?", "What is the mean elevation of each parish?", None),
        ("Parishes: mean elevation of each", "What is the mean elevation of each parish?", None),
        ("What is each parish's mean elevation?", "What is the mean elevation of each parish?", None),
        (
            "Split the slope by land cover class and give the mean of each class.",
            "mean slope per land cover class",
            None,
        ),
        ("Calculate the EVI and give its mean.", "What is the mean EVI?", None),
        (
            "Average the EVI for each date. What is the lowest of these averages?",
            "Lowest of the daily means of EVI",
            None,
        ),
        ("Which date was the greenest, judged by the mean NDVI?", "Which date had the highest mean NDVI?", None),
        ("How green was it in 2020, expressed as mean NDVI?", "What was the mean NDVI in 2020?", None),
        ("How green was it in 2020? Give the mean NDVI.", "What was the mean NDVI in 2020?", None),
        ("Mean greenness (NDVI) of each parish", "What is the mean NDVI of each parish?", None),
        ("Fit a straight line to the mean EVI and tell me its slope per year.", "What is the trend of EVI?", None),
        ("Correlate EVI with slope.", "What is the correlation between EVI and slope?", None),
        ("Of all dates, which one has the lowest mean EVI?", "Which date had the lowest mean EVI?", None),
        (
            "In May and June 2020, on how many dates was the mean EVI above 0.4?",
            "On how many dates from May to June 2020 was the mean EVI above 0.4?",
            None,
        ),
    ],
)
def test_both_ask_the_same(one: str, other: str, unit: str | None) -> None:
    a, b = read(one), read(other)
    assert a.expression is not None, a
    assert b.expression is not None, b
    assert equal(a.expression, b.expression)
    assert a.unit == unit


@pytest.mark.parametrize(
    "question",
    [
        "Which date was the greenest, judged by the mean EVI?",
        "Correlation coefficient of the grumbling NDVI",
        "What is the change of NDVI from 2018 to 2020, in percent of the scene?",
        "How large is the lake? In kelvin, please.",
    ],
)
def test_what_does_not_go_together_is_asked_back(question: str) -> None:
    assert read(question).expression is None


def test_heights_are_those_of_the_ground_where_the_data_hold_them() -> None:
    held = DataWords(quantities=frozenset({"elevation"}))
    assert read("Mean height of the land", held).expression == read("Mean elevation of the land", held).expression
    assert read("Mean height of the land").unread == ("height",)


def test_a_number_written_to_its_unit_keeps_its_sign() -> None:
    a, b = (read(f"area with backscatter below {limit}") for limit in ("-17dB", "-17 dB"))
    assert a.expression is not None
    assert a.expression == b.expression
