"""Which of two periods is divided by the other."""

from __future__ import annotations

import pytest

from knowflow.model.goal import Period
from knowflow.reason.language import understand
from knowflow.reason.language.divided import divisor_first

WINTER, SUMMER = Period("2020-12-01", "2021-02-28"), Period("2021-06-01", "2021-08-31")
SPRING, AUTUMN = Period("2020-03-01", "2020-04-30"), Period("2020-09-01", "2020-10-31")


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("Of March-April 2020 and September-October 2020, divide the mean of October by that of March.", SPRING),
        ("Of March-April 2020 and September-October 2020, divide the mean of April by that of October.", AUTUMN),
        (
            "From March to April 2020 and from September to October 2020, average the wet months, then the dry months, "
            "and divide the average of the wet months by that of the dry months.",
            AUTUMN,
        ),
        (
            "From March to April 2020 and from September to October 2020, average the wet months, then the dry months, "
            "and divide the average of the dry months by that of the wet months.",
            SPRING,
        ),
        (
            "Of March-April 2020 and September-October 2020: how many times as much was it in September-October 2020 "
            "as in March-April 2020?",
            SPRING,
        ),
        (
            "Of March-April 2020 and September-October 2020: how many times as much was it in March-April 2020 "
            "as in September-October 2020?",
            AUTUMN,
        ),
        ("What is the ratio of September-October 2020 to that of March-April 2020?", SPRING),
        ("What is the ratio of the mean from March to April 2020 to that from September to October 2020?", AUTUMN),
        ("How many times more was it from September to October 2020 than from March to April 2020?", SPRING),
    ],
)
def test_the_period_that_the_other_is_divided_by_goes_first(text: str, first: Period) -> None:
    assert divisor_first(text, (SPRING, AUTUMN))[0] == first


@pytest.mark.parametrize(
    ("one", "other", "pair"),
    [
        ("December 2020 to February 2021", "June to August 2021", (WINTER, SUMMER)),
        ("Jan 2021", "Jul 2021", (Period("2021-01-01", "2021-01-31"), Period("2021-07-01", "2021-07-31"))),
        ("May 2020", "May 2021", (Period("2020-05-01", "2020-05-31"), Period("2021-05-01", "2021-05-31"))),
        ("1 June 2020", "1 June 2021", (Period("2020-06-01", "2020-06-01"), Period("2021-06-01", "2021-06-01"))),
        ("spring 2020", "autumn 2020", (Period("2020-03-01", "2020-05-31"), Period("2020-09-01", "2020-11-30"))),
        ("2020", "2021", (Period("2020-01-01", "2020-12-31"), Period("2021-01-01", "2021-12-31"))),
        ("January", "July", (WINTER, SUMMER)),
    ],
)
def test_a_period_is_divided_by_the_one_told_behind_by(one: str, other: str, pair: tuple[Period, Period]) -> None:
    assert divisor_first(f"Divide the mean NDVI of {one} by that of {other}.", pair) == pair[::-1]
    assert divisor_first(f"Divide the mean NDVI of {other} by that of {one}.", pair) == pair


def test_two_years_of_which_one_is_divided_by_the_other_are_no_span() -> None:
    goal = understand("Divide the mean NDVI of 2020 by that of 2021.")
    assert goal.value("comparison") == (Period("2021-01-01", "2021-12-31"), Period("2020-01-01", "2020-12-31"))
