"""How far one time lies beyond another, and halves and quarters of years."""

from __future__ import annotations

import pytest

from knowflow.model.goal import Period, Threshold
from knowflow.reason.language import understand
from knowflow.reason.language.beyond_another_time import beyond_another_time


@pytest.mark.parametrize(
    ("text", "value", "rises"),
    [
        ("the mean of 2022 surpasses that of 2014 by more than 5", 5, True),
        ("the mean of 2014 exceeds that of 2022 by at least 5", 5, False),
        ("NDVI in June 2021 is lower than that of June 2020 by over 0.2", 0.2, False),
        ("NDVI in June 2020 fell short of that of June 2021 by more than 0.2", 0.2, True),
        ("at least 4 higher in 2022 than in 2014", 4, True),
        ("more than 2 K warmer on 2020-05-01 than on 2021-05-01", 2, False),
        ("NDVI of 2021 at least 0.2 below that of 2020", 0.2, False),
    ],
)
def test_the_later_time_tells_whether_it_is_a_rise(text: str, value: float, rises: bool) -> None:
    found = beyond_another_time(text)
    assert found is not None
    assert (found.told.value, found.rises) == (value, rises)


@pytest.mark.parametrize(
    "text",
    [
        "NDVI above 0.5 in 2022",
        "the mean of Lima exceeds that of Quito by more than 5 in 2022",
        "more than 25% of the area was warmer than 300 K in 2020 and in 2021",
        "more than 0.2 higher than the mean in 2022",
    ],
)
def test_no_two_times_are_told(text: str) -> None:
    assert beyond_another_time(text) is None


def test_such_a_limit_is_one_on_the_change_and_on_no_value() -> None:
    goal = understand(
        "What share of the area has a mean NDVI in June 2021 that exceeds that of June 2020 by more than 0.2?"
    )
    assert goal.value("moved") == Threshold(0.2, None, "above")
    assert goal.value("threshold") is None


@pytest.mark.parametrize(
    ("said", "start", "end"),
    [
        ("the first half of 2021", "2021-01-01", "2021-06-30"),
        ("the second half of the year 2021", "2021-07-01", "2021-12-31"),
        ("the last quarter of 2021", "2021-10-01", "2021-12-31"),
        ("the second quarter of 2021", "2021-04-01", "2021-06-30"),
    ],
)
def test_halves_and_quarters_of_a_year_have_months(said: str, start: str, end: str) -> None:
    assert understand(f"What was the mean NDVI in {said}?").value("period") == Period(start, end)
