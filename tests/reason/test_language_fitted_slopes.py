"""Slopes of fits, told from those of the ground."""

from __future__ import annotations

import pytest

from knowflow.reason.language import understand
from knowflow.reason.language.fitted_slopes import slope_of_a_fit


@pytest.mark.parametrize(
    "text",
    [
        "the slope of a line fitted to the monthly means",
        "the slope that a straight-line fit yields",
        "A regression line through the means: what is its slope?",
        "the gradient of the least-squares line",
        "the robust (Sen) slope of NDVI",
        "the slope after Sen",
    ],
)
def test_the_slope_of_what_is_fitted(text: str) -> None:
    assert slope_of_a_fit(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        "What is the mean slope of the ground along the railway line?",
        "Regress NDVI on slope",
        "Which share of the area has a slope below 10 degrees, to fit a road?",
        "the slope above the Sen river",
    ],
)
def test_the_slope_of_the_ground(text: str) -> None:
    assert slope_of_a_fit(text) is None


def test_what_is_fitted_is_what_the_question_is_about() -> None:
    goal = understand("Report the slope that a linear fit to the monthly mean NDVI of 2018 gives.")
    assert (goal.value("quantity"), goal.value("operation")) == ("ndvi", "trend")
    assert understand("What is the mean slope of the terrain?").value("quantity") == "slope"
