"""Questions of two steps are read as those that name what is chosen in the place where they speak of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from knowflow.question.reading.features import FeatureLayer
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords

PARKS = FeatureLayer(None, 2, ("park", "parks"), ("Alder", "Birch"), (), (("visitors", "visitors", "1"),))
ROWS = FeatureLayer(
    "levels.csv", 9, ("gauge",), (), ("Alder", "Birch"), (("level", "level_cm", "cm"),),
    sorts=(("park", ("Alder", "Birch")),), days=("date", ("2021-01-01", "2021-12-31")),
)  # fmt: skip
DATA = DataWords(
    quantities=frozenset({"ndvi", "elevation"}),
    objects=("Alder", "Birch"),
    keys=(("park", "objects"), ("parks", "objects")),
    features=(PARKS, ROWS),
)


@pytest.mark.parametrize(
    ("said", "same"),
    [
        (
            "Take the park with the most visitors; what is its mean elevation?",
            "What is the mean elevation of the park with the most visitors?",
        ),
        (
            "For the park with the most visitors, tell me its mean NDVI in 2021.",
            "What was the mean NDVI in 2021 of the park with the most visitors?",
        ),
        (
            "Find the park with the highest mean elevation and give the mean NDVI in 2021 there.",
            "What was the mean NDVI in 2021 of the park with the highest mean elevation?",
        ),
        (
            "Among the parks, how many visitors does the one with the lowest mean elevation have?",
            "How many visitors does the park with the lowest mean elevation have?",
        ),
        (
            "On the date when Alder had its highest mean NDVI, what was the mean NDVI of Birch?",
            "What was the mean NDVI of Birch on the date with the highest mean NDVI in Alder?",
        ),
        (
            "Find the month of 2021 with the highest mean NDVI; what was the mean NDVI in Birch that month?",
            "What was the mean NDVI in Birch in the month of 2021 with the highest mean NDVI?",
        ),
        ("Days with a level above 20 cm at Alder", "How many days had a level above 20 cm at Alder?"),
    ],
)
def test_two_steps_are_one_question(said: str, same: str) -> None:
    found, other = read(said, DATA), read(same, DATA)
    assert found.expression is not None, (found.alike, found.unread, found.apart)
    assert found.expression == other.expression, other


@pytest.mark.parametrize(
    "said",
    [
        "Take the park with the most zorks; what is its mean elevation?",
        "Take the park with the most visitors; what is its mean zork?",
        "Take the park with the most visitors; zork, what is its mean elevation?",
    ],
)
def test_no_word_of_a_step_is_passed_over(said: str) -> None:
    assert not read(said, DATA).candidates()


@pytest.mark.parametrize(
    ("said", "same"),
    [
        (
            "Take the park with the highest mean NDVI in 2021: what was its mean NDVI in that year?",
            "What was the mean NDVI in 2021 of the park with the highest mean NDVI in 2021?",
        ),
        (
            "Which park had the lowest mean NDVI on 1 May 2021, and what was its highest NDVI that day?",
            "Which park had the lowest mean NDVI on 1 May 2021, and what was its highest NDVI on 1 May 2021?",
        ),
    ],
)
def test_the_time_of_a_choice_is_that_of_what_is_asked_then(said: str, same: str) -> None:
    found, other = read(said, DATA), read(same, DATA)
    assert found.expression is not None, (found.alike, found.unread, found.apart)
    assert str(found.expression) == str(other.expression)


@pytest.mark.parametrize(
    "said",
    [
        "Take the park with the highest mean elevation: what was its mean NDVI that year?",
        "What was the mean NDVI of Birch on that day?",
        "mean NDVI at that time",
    ],
)
def test_no_time_is_taken_for_one_that_nobody_told(said: str) -> None:
    assert not read(said, DATA).candidates()


def test_the_dates_of_a_list_are_asked_for_as_such() -> None:
    data = replace(DATA, features=(PARKS,))
    listed, how_many = (read(f"{what} with NDVI above 0.5", data).expression for what in ("the dates", "days"))
    assert str(listed) != str(how_many)
