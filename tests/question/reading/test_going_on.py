"""What is said after a question changes it: to what the whole question, said again with the change, is read as."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowflow.question.normal import normal
from knowflow.question.operators import Expression
from knowflow.question.reading.going_on import follow_up
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords

TIMES = ("in 2016", "in 2017", "in summer", "between 2015 and 2017", "since 2019")
GROUNDS = ("on slopes above 10 degrees", "in the forest", "in the forest on slopes above 5 degrees")
QUANTITIES = ("NDVI", "NDWI", "land surface temperature")
STATISTICS = ("mean", "median", "maximum", "90th percentile")
FORMS = (
    "What was the {statistic} of {quantity} {ground} {time}?",
    "How large is the area where {quantity} was above 0.6 {ground} {time}?",
    "On how many dates {time} was the {statistic} of {quantity} {ground} above 0.5?",
)


def asked(question: str, data: DataWords | None = None) -> Expression:
    found = read(question, data).expression
    assert found is not None, question
    return found


def followed(first: str, *more: str, data: DataWords | None = None) -> Expression:
    last, unit = asked(first, data), None
    for said in more:
        found = follow_up(said, last, data, unit)
        assert found.expression is not None, (said, found)
        assert found.change
        last, unit = found.expression, found.unit
    return last


@pytest.mark.parametrize(
    ("first", "said", "whole"),
    [
        ("What was the mean NDVI in 2016?", "and in 2017?", "What was the mean NDVI in 2017?"),
        ("What was the mean NDVI in 2016?", "What about summer 2018", "What was the mean NDVI in summer 2018?"),
        ("What was the mean NDVI in the summers of 2018?", "in 2017", "What was the mean NDVI in 2017?"),
        ("What was the mean NDVI?", "in 2017", "What was the mean NDVI in 2017?"),
        (
            "What is the mean NDVI?",
            "only on slopes above 10 degrees",
            "What is the mean NDVI on slopes above 10 degrees?",
        ),
        ("What was the mean NDVI in 2016?", "as a map", "Show a map of the mean NDVI in 2016"),
        ("What was the mean NDVI in 2016?", "Show it as a map, please.", "Show a map of the mean NDVI in 2016"),
        ("What was the mean NDVI in 2016?", "and the median?", "What was the median NDVI in 2016?"),
        ("What was the mean NDVI in 2016?", "NDWI instead", "What was the mean NDWI in 2016?"),
        ("What was the mean NDVI in 2016?", "and NDWI in 2017?", "What was the mean NDWI in 2017?"),
        ("What was the mean NDVI?", "as a table", "Mean NDVI for each date as a table"),
        ("What share of the area has NDVI above 0.6?", "and below 0.2?", "What share of the area has NDVI below 0.2?"),
        (
            "What was the mean NDVI in 2016?",
            "in 2017 on slopes above 10 degrees",
            "What was the mean NDVI on slopes above 10 degrees in 2017?",
        ),
        (
            "What share of the area has NDVI above 0.6?",
            "above 0.7 in 2017",
            "What share of the area has NDVI above 0.7 in 2017?",
        ),
        (
            "On how many dates was the mean NDVI above 0.5?",
            "the maximum",
            "On how many dates was the maximum NDVI above 0.5?",
        ),
        (
            "What was the mean NDVI of 2016?",
            "and in the summers of 2018?",
            "What was the mean NDVI in the summers of 2018?",
        ),
        ("What was the mean NDVI in 2016?", "NDWI as a map", "Show a map of NDWI in 2016"),
        ("What was the mean NDVI in 2016?", "and the maximum NDWI?", "What was the maximum NDWI in 2016?"),
        (
            "What was the mean NDVI in the forest?",
            "and the trend of NDVI?",
            "What was the trend of NDVI in the forest?",
        ),
        (
            "What was the mean NDVI in the forest?",
            "on slopes above 9 degrees only",
            "What was the mean NDVI in the forest on slopes above 9 degrees?",
        ),
        ("What was the mean NDVI in the forest?", "only in 2017", "What was the mean NDVI in the forest in 2017?"),
        ("What was the mean NDVI in the forest in 2017?", "now everywhere", "What was the mean NDVI in 2017?"),
        ("What was the mean NDVI in the forest in 2017?", "in all years", "What was the mean NDVI in the forest?"),
        ("What was the mean NDVI in the forest?", "and grassland?", "What was the mean NDVI in the grassland?"),
        ("What was the mean NDVI in July 2017?", "and in August?", "What was the mean NDVI in August 2017?"),
        ("What was the mean NDVI in summer 2017?", "a year earlier", "What was the mean NDVI in summer 2016?"),
        ("What was the mean NDVI in 2016?", "per month", "What was the mean NDVI per month in 2016?"),
        ("What was the mean NDVI per month in 2016?", "per year instead", "What was the mean NDVI per year in 2016?"),
        ("What was the mean NDVI per month?", "and the minimum per month?", "What was the minimum NDVI per month?"),
        ("What was the mean NDVI per year?", "as a chart", "Show a chart of the mean NDVI per year"),
        (
            "What was the mean NDVI per month in 2017?",
            "which three months had the lowest?",
            "Which three months of 2017 had the lowest mean NDVI?",
        ),
        ("What share of the area has NDVI above 0.6?", "make it 0.5", "What share of the area has NDVI above 0.5?"),
        (
            "What share of the area has NDVI above 0.6?",
            "0.3 to 0.5",
            "What share of the area has NDVI between 0.3 and 0.5?",
        ),
        (
            "What share of the area has NDVI above 0.6?",
            "in hectares",
            "How large is the area where NDVI is above 0.6 in hectares?",
        ),
        ("How large is the area with NDVI above 0.6?", "as a share", "What share of the area has NDVI above 0.6?"),
        ("How large is the area with NDVI above 0.6?", "where?", "Where is NDVI above 0.6?"),
        ("Which date had the highest mean NDVI?", "and the lowest?", "Which date had the lowest mean NDVI?"),
        ("Which date had the highest mean NDVI?", "the maximum", "Which date had the highest maximum NDVI?"),
        (
            "On how many dates in 2017 was the mean NDVI above 0.5?",
            "which dates?",
            "On which dates in 2017 was the mean NDVI above 0.5?",
        ),
        (
            "What was the first date on which the mean NDVI was above 0.5?",
            "the last one?",
            "What was the last date on which the mean NDVI was above 0.5?",
        ),
        (
            "On how many dates was the mean NDVI above 0.5?",
            "the maximum instead of the mean",
            "On how many dates was the maximum NDVI above 0.5?",
        ),
        (
            "What was the mean NDVI in the forest?",
            "not the forest but the grassland",
            "What was the mean NDVI in the grassland?",
        ),
        ("How large is the area of grassland?", "and forest?", "How large is the area of forest?"),
        ("What was the trend of the mean NDVI?", "of the maximum", "What was the trend of the maximum NDVI?"),
    ],
)
def test_a_change_makes_the_question_that_it_would_have_been(first: str, said: str, whole: str) -> None:
    assert normal(followed(first, said)) == normal(asked(whole))


@given(st.sampled_from(FORMS), st.sampled_from(TIMES), st.sampled_from(TIMES), st.sampled_from(GROUNDS), st.data())
def test_each_part_of_a_question_can_be_changed_alone(
    form: str, before: str, now: str, ground: str, draw: st.DataObject
) -> None:
    told = {"quantity": "NDVI", "statistic": draw.draw(st.sampled_from(STATISTICS)), "ground": "", "time": before}
    what = draw.draw(st.sampled_from(("time", "ground", "quantity")))
    change = {"time": now, "ground": ground, "quantity": "NDWI"}[what]
    changed = normal(asked(form.format(**{**told, what: change})))
    first = form.format(**told)
    if changed != normal(asked(first)):
        assert normal(followed(first, f"and {change}?")) == changed


def test_changes_go_on_from_each_other() -> None:
    said = ("and in 2017?", "only on slopes above 10 degrees", "NDWI", "the maximum instead", "as a map")
    whole = asked("Show a map of the maximum NDWI on slopes above 10 degrees in 2017")
    assert normal(followed("What was the mean NDVI in 2016?", *said)) == normal(whole)


def test_only_narrows_and_a_ground_alone_takes_the_place_of_its_like() -> None:
    data = DataWords(objects=("Oberdorf", "Unterdorf"))
    first = "What was the mean NDVI of Oberdorf in 2017?"
    assert normal(followed(first, "and in Unterdorf?", data=data)) == normal(
        asked("What was the mean NDVI of Unterdorf in 2017?", data)
    )
    both = followed(first, "only on slopes above 10 degrees", data=data)
    assert normal(both) == normal(asked("What was the mean NDVI of Oberdorf on slopes above 10 degrees in 2017?", data))


def test_the_unit_of_the_answer_stays_as_long_as_it_fits() -> None:
    last = asked("How large is the area where NDVI is above 0.6?")
    hectares = follow_up("in hectares", last)
    assert (hectares.expression, hectares.unit) == (last, "ha")
    assert follow_up("above 0.7", last, unit="ha").unit == "ha"
    assert follow_up("as a map", last, unit="ha").unit is None


def test_a_question_of_its_own_is_one() -> None:
    last = asked("What was the mean NDVI in 2016?")
    found = follow_up("How large is the area where slope is above 15 degrees?", last)
    assert (found.expression, found.change) == (asked("How large is the area where slope is above 15 degrees?"), "")


@pytest.mark.parametrize(
    ("first", "said"),
    [
        ("What was the mean NDVI in 2016?", "above 0.7 in 2018"),  # of a limit that there is not
        ("What was the mean NDVI in 2016?", "which dates?"),
        ("What was the mean NDVI in 2016?", "the lowest instead of the median"),  # it is no median
        ("What is the mean elevation?", "a year earlier"),
    ],
)
def test_nothing_of_a_change_is_dropped(first: str, said: str) -> None:
    assert follow_up(said, asked(first)).expression is None


def test_a_whole_question_is_no_change_where_its_words_could_be_one() -> None:
    whole = "What was the mean NDVI in 2016?"
    found = follow_up(whole, asked("On how many dates was the mean NDVI above 0.5?"))
    assert (found.expression, found.change) == (asked(whole), "")


def test_what_nobody_knows_or_could_be_either_is_asked_back() -> None:
    change = asked("How did mean NDVI change between 2015 and 2022?")
    either = follow_up("and in 2017?", change)
    assert either.expression is None
    assert all(word in either.unfit for word in ("in 2015", "in 2022", "in 2017"))
    for dropped in (
        "NDWI at night and at noon",
        "weighted by slope and by noon",
        "in 2017 in 2018",
    ):
        found = follow_up(dropped, asked("What was the mean NDVI in 2016?"))
        assert found.expression is None, (dropped, found.change)
    assert follow_up("and of the zorblax?", change).unread == ("zorblax",)
    assert "unit" in follow_up("and land surface temperature?", asked("Where is NDVI above 0.5?")).unfit
