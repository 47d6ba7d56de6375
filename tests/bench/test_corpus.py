"""Sentences with what they ask, written by hand: none is read as something else, none is taken that nobody can know."""

from __future__ import annotations

from knowflow.question.reading.reader import read
from knowflow_bench.corpus import check_corpus, corpus
from knowflow_bench.reading import coverage, pairs, score


def test_the_corpus_is_valid_and_has_both_parts() -> None:
    assert check_corpus() == []
    parts = [one.part for one in corpus()]
    assert len(parts) >= 150
    assert 0.2 < parts.count("sealed") / len(parts) < 0.5


def test_nothing_of_the_corpus_is_read_as_something_else() -> None:
    found = score()
    for part in ("open", "sealed"):
        assert (found[part]["wrong"], found[part]["taken"]) == (0, 0), found["cases"]
    assert found["open"]["right"] >= 70
    assert found["sealed"]["right"] >= 25


def test_an_invented_word_is_never_answered() -> None:
    found = coverage(150, seed=1)
    assert (found["inserted"], found["named"], found["answered"]) == (150, 150, 0), found["cases"]


def test_one_word_swapped_is_never_the_same_question() -> None:
    found = pairs(100, seed=1)
    assert (found["n"], found["same_tree"]) == (100, 0), found["cases"]


def test_a_restriction_that_contradicts_another_is_not_left_out() -> None:
    assert read("mean NDVI in June 2016 in July").expression is None
    assert read("mean NDVI of the forest in 2016 in 2017").expression is None
    assert read("mean NDVI in June in 2016").expression is not None
