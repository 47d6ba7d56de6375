"""Expressions told as people ask: what is told reads as the same again."""

from __future__ import annotations

import pytest

from knowflow.question.normal import equal
from knowflow.question.reading.asking import question_of
from knowflow.question.reading.reader import read as read_sentence
from knowflow_bench.corpus import corpus
from tests.question.test_question_check import read

ASKED = {
    "over(beyond(over(during(ndvi, 2017), space, maximum), above, 0.8), time, count)": (
        "On how many dates was the maximum NDVI in 2017 above 0.8?"
    ),
    "extreme(over(split(slope, polygons()), space, mean), highest, 2)": "Which 2 polygons had the highest mean slope?",
    "over(over(within(beyond(ndvi, above, 0.6), is_class(land_cover_class, forest)), space, share), time, mean)": (
        "What was the share of the forest where the NDVI is above 0.6?"
    ),
    "over(calculate(difference, over(during(ndvi, 2018), time, mean), over(during(ndvi, 2016), time, mean)), "
    "space, mean)": "How did the mean NDVI change from 2016 to 2018?",
    "show(over(over(split(over(ndvi, space, mean), month), time, mean), space, mean), map)": None,
}


@pytest.mark.parametrize("text", ASKED)
def test_an_expression_is_told_as_people_ask(text: str) -> None:
    assert question_of(read(text)) == ASKED[text]


def test_what_is_told_of_the_corpus_reads_as_the_same_again() -> None:
    told = same = 0
    for asked in corpus():
        question = None if asked.expression is None else question_of(asked.expression)
        if question is None or asked.expression is None or asked.expression.op == "several":  # parts are named anew
            continue
        again = read_sentence(question, asked.data)
        told += 1
        same += again.expression is not None and equal(again.expression, asked.expression)
    assert told > 60
    assert same >= 0.97 * told  # the rest is asked back, or not read
