"""What leaves out a known thing, or lies beside it, is asked back by the words that do so for an unknown one."""

from __future__ import annotations

import pytest

from knowflow.knowledge.restrictions import restriction_words
from knowflow.reason.language import unclear, understand
from knowflow.reason.language.restrictions import restrictions


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("What was the mean NDVI omitting the forest in 2020?", "omitting the forest"),
        ("Mean NDVI aside from the forest", "aside from the forest"),
        ("Mean NDVI instead of forest", "instead of forest"),
        ("Mean NDVI disregarding all of the dense forest", "disregarding all of the dense forest"),
        ("Mean NDVI beyond the forest", "beyond the forest"),
        ("Mean NDVI behind the forest", "behind the forest"),
        ("Mean NDVI upstream of the forest", "upstream of the forest"),
        ("Mean NDVI north of the forest", "north of the forest"),
        ("Mean NDVI barring the forest", "barring the forest"),
        ("Mean NDVI save for the forest", "save for the forest"),
        ("Mean NDVI with the forest removed", "forest removed"),
        ("Mean NDVI of the forest and mean LST outside the forest", "outside the forest"),
        ("Mean NDVI of 2020 excluding Ljubljana", "excluding Ljubljana"),
        ("Which was the second closest lake?", "second closest"),
        ("Which was the eleventh warmest day?", "eleventh warmest"),
        ("Average of the seven largest NDVI values", "seven largest"),
    ],
)
def test_what_leaves_out_a_known_thing_or_ranks_it_is_asked_back(query: str, words: str) -> None:
    assert any(words in item.why for item in unclear(understand(query)))


@pytest.mark.parametrize(
    "query",
    [
        "What was the mean NDVI without clouds over the forest?",
        "What was the mean NDVI near Ljubljana in 2020?",
        "Built-up land of 2022 minus built-up land of 2016, how many ha is that?",
        "On how many dates was the mean NDVI at least 0.3?",
        "Map where NDVI went down by at least 0.2 from March 2018 to August 2018.",
    ],
)
def test_a_known_thing_that_is_not_left_out_is_no_obstacle(query: str) -> None:
    assert unclear(understand(query)) == ()


def test_every_word_that_leaves_out_or_lies_beside_does_so_for_what_is_known_and_what_is_not() -> None:
    for words in (*restriction_words().leaves_out, *restriction_words().beside):
        assert unclear(understand(f"What was the mean NDVI {words} the forest in 2020?")), words
        assert restrictions(understand(f"What was the mean NDVI {words} the car parks in 2020?")), words
    for words in restriction_words().left_out:
        assert unclear(understand(f"What was the mean NDVI with the forest {words}?")), words
        assert restrictions(understand(f"What was the mean NDVI with the car parks {words}?")), words


def test_a_clause_behind_a_named_place_restricts_nothing() -> None:
    assert restrictions(understand("I farm near Chengdu and need a breakdown. What was the mean NDVI?")) == ()
    assert restrictions(understand("What was the mean NDVI around Chengdu and what was its breakdown?")) == ()


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("What was the mean NDVI excluding July 2017?", "excluding July 2017"),
        ("Mean NDVI in 2017 except December", "except December"),
        ("Mean NDVI without the scenes of June", "without the scenes of June"),
        ("Mean NDVI in 2017 with June left out", "June left out"),
        ("Mean NDVI of all months but June", "all months but June"),
        ("Mean NDVI outside the summer", "outside the summer"),
        ("Mean NDVI of 2017, not 2016", "not 2016"),
        ("Mean NDVI except for 5 July 2017", "except for 5 July 2017"),
    ],
)
def test_a_time_that_is_left_out_is_asked_back(query: str, words: str) -> None:
    assert any(words in item.why for item in unclear(understand(query)))


@pytest.mark.parametrize(
    "query",
    [
        "NDVI of 2017 minus 2016",
        "Mean NDVI without clouds in July 2017",
        "How much forest of 2016 was removed by 2017?",
        "We left 2016 out. What was the mean NDVI in 2017?",
    ],
)
def test_a_time_that_is_not_left_out_is_no_obstacle(query: str) -> None:
    assert not any("leaves something out" in item.why for item in unclear(understand(query)))


@pytest.mark.parametrize(
    ("query", "statistic"),
    [
        ("NDVI median instead of mean", "median"),
        ("Instead of the mean, the median NDVI", "median"),
        ("I want the maximum rather than the mean NDVI", "maximum"),
        ("Not the mean but the median NDVI", "median"),
        ("Mean and not median NDVI", "mean"),
    ],
)
def test_what_another_statistic_is_wanted_for_is_not_asked(query: str, statistic: str) -> None:
    goal = understand(query)
    assert (goal.value("statistic"), goal.value("operations"), goal.leftover) == (statistic, (statistic,), ())
