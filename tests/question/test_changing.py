"""Changes of a question as edits of its expression."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowflow.question.changing import Said, UnclearError, changed
from knowflow.question.operators import Beyond, Calculate, During, Expression, Holds, Number, Over, Quantity, Split
from knowflow.question.times import Times

TIMES = st.sampled_from([Times(season="summer", year=2016), Times(season="winter", year=2018), Times(season="spring")])
NDVI = Quantity("ndvi")


def series(when: Times) -> Expression:
    return Over(During(NDVI, when), "space", "mean")


def made(last: Expression, said: Said) -> Expression:
    found = changed(last, said)
    assert found is not None
    return found[0]


@given(TIMES, TIMES)
def test_a_time_takes_the_place_of_the_other_and_back(one: Times, other: Times) -> None:
    for last in (Over(series(one), "time", "mean"), Holds(Beyond(series(one), "above", Number(0.5)))):
        assert made(made(last, Said(when=(other,))), Said(when=(one,))) == last or one.season == "spring"


@given(st.sampled_from(["year", "month", "season"]), st.sampled_from(["year", "month", "season"]))
def test_a_grain_takes_the_place_of_the_other_also_where_it_is_taken_away(one: str, other: str) -> None:
    def of(grain: str) -> Expression:
        means = Over(Split(series(Times(season="summer")), grain), "time", "mean")  # type: ignore[arg-type]
        return Over(means, grain, "maximum")  # type: ignore[arg-type]

    assert made(of(one), Said(keys=(other,))) == of(other)  # type: ignore[arg-type]


def test_a_year_later_is_the_same_time_of_the_next_year() -> None:
    for then, later in (
        (Times(season="winter", year=2016), Times(season="winter", year=2017)),
        (Times(date(2016, 2, 1), date(2016, 2, 29)), Times(date(2017, 2, 1), date(2017, 2, 28))),
    ):
        assert made(Over(series(then), "time", "mean"), Said(years=1)) == Over(series(later), "time", "mean")


def test_what_has_no_place_in_the_question_is_no_change_and_what_has_two_is_unclear() -> None:
    last = Over(series(Times(season="summer", year=2016)), "time", "mean")
    for said in (Said(limit=Number(0.7)), Said(measured="area"), Said(dates=Holds(last)), Said(everywhere=True)):
        assert changed(last, said) is None
        assert changed(last, replace(said, when=(Times(season="spring"),))) is None
    two = Calculate("difference", last, Over(series(Times(season="summer", year=2017)), "time", "mean"))
    with pytest.raises(UnclearError, match=r"summer 2016 or .*summer 2017"):
        changed(two, Said(when=(Times(season="spring"),)))
