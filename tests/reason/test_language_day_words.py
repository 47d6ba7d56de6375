"""Days that are told in words."""

from __future__ import annotations

import pytest

from knowflow.model.goal import Period
from knowflow.reason.language import understand
from knowflow.reason.language.day_words import with_plain_periods


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("from the beginning of May to the end of August", "from May to August"),
        ("March 2020 compared with March a year before", "March 2020 compared with March 2019"),
        ("March 2020 and March of the previous year", "March 2020 and March 2019"),
        ("March a year before", "March a year before"),
        ("February 15, 2021 against the same date a year before", "February 15, 2021 against February 15, 2020"),
        ("1-15 July 2022 with the same days of 2018", "1-15 July 2022 with 1-15 July 2018"),
        ("than in the same season two years earlier, summer 2022", "than in summer 2020, summer 2022"),
        ("brighter in 2022 than the year before", "brighter in 2022 than 2021"),
        ("NDVI of 5 July 2020 and a year later", "NDVI of 5 July 2020 and 5 July 2021"),
        ("drier in 2021 than the year before the drought", "drier in 2021 than the year before the drought"),
        ("the same month a year before", "the same month a year before"),
    ],
)
def test_a_time_that_is_told_by_another_is_written_plainly(text: str, written: str) -> None:
    assert with_plain_periods(text) == written


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Mean NDVI on the twenty-second day of May 2021", "2021-05-22"),
        ("Mean NDVI on July the fourth 2021", "2021-07-04"),
        ("mean ndvi on the first of may 2021", "2021-05-01"),
        ("Mean NDVI on May first, 2021", "2021-05-01"),
        ("May first 2021: mean NDVI", "2021-05-01"),
        ("On the twenty second of March 2021, what was the mean NDVI?", "2021-03-22"),
    ],
)
def test_a_day_in_words_is_a_date(text: str, day: str) -> None:
    goal = understand(text)
    assert goal.value("dates") == (day,)
    assert goal.leftover == ()


@pytest.mark.parametrize(
    "text",
    [
        "Clouds may first be removed. What is the mean NDVI in 2020?",
        "What may first matter is the mean NDVI of 2020",
        "Mean NDVI of the first half of June 2020",
        "Mean NDVI of a third of March 2020",
        "Mean NDVI of 2020, the second of all dates",
        "In June 2020 first compute NDVI, then the mean",
        "For June first compute the mean NDVI of 2020",
    ],
)
def test_what_comes_first_is_no_day(text: str) -> None:
    assert understand(text).value("dates") is None


def test_two_days_in_words_are_compared() -> None:
    goal = understand("Relative increase of mean water vapour from the first of June until the first of July 2022")
    assert goal.value("comparison") == (Period("2022-06-01", "2022-06-01"), Period("2022-07-01", "2022-07-01"))


def test_a_month_named_before_the_days_is_their_setting() -> None:
    goal = understand("The fire came in August 2020. What is the change in NBR, 1 August to 1 September?")
    assert goal.value("comparison") == (Period("2020-08-01", "2020-08-01"), Period("2020-09-01", "2020-09-01"))


def test_years_named_after_the_days_are_what_is_asked_about() -> None:
    goal = understand("From January 1, 2014 to January 1, 2016: difference of mean NDWI between 2014 and 2015")
    assert goal.value("comparison") == (Period("2014-01-01", "2014-12-31"), Period("2015-01-01", "2015-12-31"))
