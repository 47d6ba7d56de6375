"""Numbers at dates by calendar period."""

from __future__ import annotations

import pytest

from knowflow.ground.errors import ToolError
from knowflow.tools.grouping import average_year, extreme_period, period_of, statistics_by_period

DATES = ["2020-12-15", "2021-01-10", "2021-07-01", "2021-08-01", "2022-07-15"]


@pytest.mark.parametrize(
    ("date", "by", "period"),
    [
        ("2021-07-01T10:00:00", "year", "2021"),
        ("2021-07-01", "month", "2021-07"),
        ("2021-07-01", "quarter", "2021-Q3"),
        ("2021-12-31", "quarter", "2021-Q4"),
        ("2021-02-28", "season", "2021-DJF"),
        ("2021-12-01", "season", "2022-DJF"),
        ("2021-11-30", "season", "2021-SON"),
    ],
)
def test_a_date_belongs_to_its_calendar_period(date: str, by: str, period: str) -> None:
    assert period_of(date, by) == period  # type: ignore[arg-type]


def test_numbers_are_summarised_by_period_in_time_order_and_missing_ones_do_not_count() -> None:
    rows = statistics_by_period([1.0, None, 3.0, 5.0, 4.0], DATES, "season")
    assert rows == [
        {"period": "2021-DJF", "value": 1.0, "count": 1},
        {"period": "2021-JJA", "value": 4.0, "count": 2},
        {"period": "2022-JJA", "value": 4.0, "count": 1},
    ]
    assert [row["value"] for row in statistics_by_period([1.0, 2.0, 3.0, 5.0, 4.0], DATES, "year", "maximum")] == [
        1,
        5,
        4,
    ]


def test_the_extreme_period_is_the_earliest_of_equals() -> None:
    values = [1.0, None, 3.0, 5.0, 4.0]
    assert extreme_period(values, DATES, "season") == "2021-JJA"
    assert extreme_period(values, DATES, "year", which="minimum") == "2020"


def test_nothing_but_missing_numbers_is_refused() -> None:
    with pytest.raises(ToolError, match="no"):
        statistics_by_period([None, None], DATES[:2], "year")


def test_a_month_of_an_average_year_is_the_mean_over_the_years_of_its_means() -> None:
    dates = ["2020-07-01", "2020-06-01", "2020-06-15", "2021-06-01"]
    assert average_year([9.0, 1.0, 3.0, 5.0], dates) == [
        {"period": "June", "value": 3.5, "years": 2},
        {"period": "July", "value": 9.0, "years": 1},
    ]


def test_the_seasons_of_an_average_year_begin_with_winter_and_may_be_totals() -> None:
    dates = ["2020-06-01", "2020-07-01", "2020-12-01", "2021-06-01"]
    assert average_year([1.0, 3.0, 7.0, 6.0], dates, "season_of_year", "sum") == [
        {"period": "DJF", "value": 7.0, "years": 1},
        {"period": "JJA", "value": 5.0, "years": 2},
    ]
    assert [row["period"] for row in average_year([1.0, 3.0], dates[1:3], "quarter_of_year")] == ["Q3", "Q4"]
