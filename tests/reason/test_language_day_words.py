"""Days that are told in words."""

from __future__ import annotations

import pytest

from knowflow.model.goal import Period
from knowflow.reason.language import understand
from knowflow.reason.language.day_words import with_days


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("from the first of June until the first of July", "from 1 June until 1 July"),
        ("on the twenty-second day of May", "on 22 May"),
        ("July the fourth 2021", "July 4 2021"),
        ("from the beginning of May to the end of August", "from May to August"),
        ("the first half of June", "the first half of June"),
        ("a third of March", "a third of March"),
        ("second of all dates", "second of all dates"),
        ("March 2020 compared with March a year before", "March 2020 compared with March 2019"),
        ("March 2020 and March of the previous year", "March 2020 and March 2019"),
        ("March a year before", "March a year before"),
    ],
)
def test_days_in_words_are_written_as_numbers(text: str, written: str) -> None:
    assert with_days(text) == written


def test_two_days_in_words_are_compared() -> None:
    goal = understand("Relative increase of mean water vapour from the first of June until the first of July 2022")
    assert goal.value("comparison") == (Period("2022-06-01", "2022-06-01"), Period("2022-07-01", "2022-07-01"))


def test_a_month_named_before_the_days_is_their_setting() -> None:
    goal = understand("The fire came in August 2020. What is the change in NBR, 1 August to 1 September?")
    assert goal.value("comparison") == (Period("2020-08-01", "2020-08-01"), Period("2020-09-01", "2020-09-01"))


def test_years_named_after_the_days_are_what_is_asked_about() -> None:
    goal = understand("From January 1, 2018 to January 1, 2020: difference of mean NDWI between 2018 and 2019")
    assert goal.value("comparison") == (Period("2018-01-01", "2018-12-31"), Period("2019-01-01", "2019-12-31"))
