"""Verbs with limits in any order, runs of dates and periods, and what became of ground."""

from __future__ import annotations

import pytest

from knowflow.question.form import expression_of
from knowflow.question.normal import equal
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords

MONTHLY = "over(split(over(precipitation, space, mean), month), time, sum)"


@pytest.mark.parametrize(
    ("question", "expression"),
    [
        (
            "In how many months did less than 20 mm fall on average?",
            f"over(beyond({MONTHLY}, below, '20 mm'), time, count)",
        ),
        (
            "How many months did the longest spell with under 30 mm of mean monthly rainfall last?",
            f"over(beyond({MONTHLY}, below, '30 mm'), time, longest_run)",
        ),
        (
            "On what share of the area did more than 900 mm fall in 2020?",
            "over(beyond(over(during(precipitation, 2020), time, sum), above, '900 mm'), space, share)",
        ),
        (
            "How large a share of the region received less than 400 mm in 2021?",
            "over(beyond(over(during(precipitation, 2021), time, sum), below, '400 mm'), space, share)",
        ),
        (
            "On what date after 1 January 2021 did the mean NDVI first fall below 0.4?",
            "over(beyond(over(during(ndvi, '2021-01-02/..'), space, mean), below, 0.4), time, first)",
        ),
        (
            "On how many of the dates did water cover more than 20 % of the scene?",
            "over(beyond(over(water_mask, space, share), above, '20 %'), time, count)",
        ),
        (
            "After 16 February 2020, what was the first date on which water covered less than 100 hectares?",
            "over(beyond(over(during(water_mask, '2020-02-17/..'), space, area), below, '100 ha'), time, first)",
        ),
        (
            "In how many municipalities did water cover more than 5 %?",
            "over(beyond(over(over(split(water_mask, polygons()), space, share), time, mean), above, '5 %'), objects,"
            " count)",
        ),
        (
            "What was the largest number of consecutive acquisitions with a mean NDVI above 0.4?",
            "over(beyond(over(ndvi, space, mean), above, 0.4), time, longest_run)",
        ),
        (
            "Longest run of consecutive days with a mean NDVI above 0.4",
            "over(beyond(over(ndvi, space, mean), above, 0.4), time, longest)",
        ),
        (
            "How many years in a row did the mean NDVI stay below 0.4?",
            "over(beyond(over(split(over(ndvi, space, mean), year), time, mean), below, 0.4), time, longest_run)",
        ),
    ],
)
def test_a_verb_says_which_side_of_a_limit(question: str, expression: str) -> None:
    found = read(question, DataWords(frozenset({"ndvi", "precipitation", "water_mask"})))
    assert found.expression is not None, found
    assert equal(found.expression, expression_of(expression)[0]), found.expression


@pytest.mark.parametrize(
    "question",
    [
        "On how many dates did the mean NDVI rise below 0.4?",
        "In how many months did less than 20 K fall?",
        "How many months did the longest spell of years with a mean NDVI above 0.4 last?",
        "In how many municipalities did water cover more than 5?",
    ],
)
def test_what_no_verb_says_so_is_asked_back(question: str) -> None:
    assert read(question).expression is None
