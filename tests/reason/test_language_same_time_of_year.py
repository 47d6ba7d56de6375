"""Seasons and months that are compared with those of other years."""

from __future__ import annotations

import pytest

from knowflow.model.goal import OTHERS, Period
from knowflow.reason.language import understand


@pytest.mark.parametrize(
    ("text", "base", "months"),
    [
        ("How much warmer was July 2021 than the other Julys?", OTHERS, (7,)),
        ("By how much did EVI of autumn 2021 differ from the remaining years?", OTHERS, (9, 10, 11)),
        ("How much warmer was 2020 than the other years?", OTHERS, None),
        (
            "Difference of NDMI of May 2022 from the mean of May 2017 to May 2021",
            Period("2017-05-01", "2021-05-31"),
            (5,),
        ),
        (
            "How much lower was EVI in summer 2019 than in earlier summers?",
            Period("0001-01-01", "2019-05-31"),
            (6, 7, 8),
        ),
        ("How much greener was July 2021 than the mean of 2018-2020?", Period("2018-01-01", "2020-12-31"), None),
    ],
)
def test_a_part_of_the_year_is_compared_with_the_same_part_of_other_years(
    text: str, base: Period, months: tuple[int, ...] | None
) -> None:
    goal = understand(text)
    assert (goal.value("comparison")[0], goal.value("months"), goal.value("region")) == (base, months, None)


@pytest.mark.parametrize(
    ("text", "operation"),
    [
        ("LST anomaly of July 2021 against the other Julys", "difference"),
        ("EVI anomaly of May 2021 relative to the May mean of 2016-2020", "difference"),
        ("Standardised EVI anomaly of May 2021 relative to the May mean of 2016-2020", "anomaly"),
        ("EVI anomaly of May 2021", "anomaly"),
    ],
)
def test_an_anomaly_from_a_time_that_is_told_is_a_difference(text: str, operation: str) -> None:
    assert understand(text).value("operation") == operation


@pytest.mark.parametrize(
    ("text", "base", "months"),
    [
        ("EVI anomaly of autumn 2021 against 2018, 2019 and 2020", ("2018-09-01", "2020-11-30"), (9, 10, 11)),
        ("LST anomaly of May 2021 relative to 2018-2020", ("2018-01-01", "2020-12-31"), (5,)),
        ("LST anomaly of 2021 compared with 2019 and 2020", ("2019-01-01", "2020-12-31"), None),
    ],
)
def test_an_anomaly_is_one_from_the_years_that_are_told(
    text: str, base: tuple[str, str], months: tuple[int, ...] | None
) -> None:
    goal = understand(text)
    assert goal.value("comparison")[0] == Period(*base)
    assert (goal.value("operation"), goal.value("months")) == ("difference", months)
