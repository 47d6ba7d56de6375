"""Which of two periods is divided by the other."""

from __future__ import annotations

import pytest

from knowflow.model.goal import Period
from knowflow.reason.language.divided import divisor_first

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
        ("How many times more was it from September to October 2020 than from March to April 2020?", SPRING),
    ],
)
def test_the_period_that_the_other_is_divided_by_goes_first(text: str, first: Period) -> None:
    assert divisor_first(text, (SPRING, AUTUMN))[0] == first
