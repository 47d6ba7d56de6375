"""Clauses that ask nothing, and how far the words of a clause go."""

from __future__ import annotations

import pytest

from knowflow.reason.language import understand
from knowflow.reason.language.clauses import parts, reports, sentences, to_clause_end, without_own_future


def test_words_are_told_to_the_end_of_their_clause_and_numbers_stay_whole() -> None:
    text = "Who lives within 0.5 km of a road, and where?"
    assert to_clause_end(text, text.index("within"), text.index("km")) == "within 0.5 km of a road"


def test_sentences_end_at_marks_and_lines() -> None:
    text = "One of 0.5 m. Two?! Three, i.e. drei; one\nFour vs. five!"
    assert [text[first:past].strip() for first, past in sentences(text)] == [
        "One of 0.5 m.",
        "Two?",
        "Three, i.e. drei; one",
        "Four vs. five!",
    ]
    assert text.count(";") == len(parts(text)) - len(sentences(text))


def test_a_sentence_and_a_clause_end_at_the_same_marks() -> None:
    text = "NDVI.tif of 0.5 m, i.e. here. And there"
    assert to_clause_end(text, 0, 0) == "NDVI.tif of 0.5 m"
    assert to_clause_end(text, text.index("i.e."), text.index("i.e.") + 4) == "i.e. here"


@pytest.mark.parametrize("text", ["I will plot it.", "The mean will do.", "Tell me, and we will then print it."])
def test_what_the_asking_person_will_do_is_no_future(text: str) -> None:
    assert "will" not in without_own_future(text)
    assert len(without_own_future(text)) == len(text)


@pytest.mark.parametrize("text", ["How much forest will we lose?", "How warm will it be?", "The ice that will melt"])
def test_what_the_ground_will_do_is_the_future(text: str) -> None:
    assert without_own_future(text) == text


def test_what_somebody_says_is_told_from_what_is_to_be_done() -> None:
    assert reports("An expert believes that it is dry.")
    assert not reports("Take the scenes that are clear.")


@pytest.mark.parametrize(
    ("query", "operation"),
    [
        ("For my comparison table: mean of LST over all scenes", "mean"),
        ("Water versus land: how many percent of this image are water?", "share"),
        ("NDVI versus LST: what is the mean difference?", "difference"),
        ("Difference between 2018 and 2022: mean NDVI", "difference"),
    ],
)
def test_a_heading_asks_nothing_unless_it_measures_or_dates(query: str, operation: str) -> None:
    assert understand(query).value("operation") == operation
