"""Every combination of the grid is read as what it was made from, in three wordings."""

from __future__ import annotations

from knowflow.question.normal import equal
from knowflow.question.reading.reader import read
from knowflow_bench.sentences import FORMS, some


def test_composed_sentences_are_read_as_what_they_were_made_from() -> None:
    sentences = some(280, seed=0)
    assert {one.combination[0] for one in sentences} == {form for form, _, _ in FORMS}
    assert {one.wording for one in sentences} == {0, 1, 2}
    for one in sentences:
        found = read(one.question)
        assert found.expression is not None, (one.question, found.unread, found.apart)
        assert equal(found.expression, one.expression), one.question


def test_sentences_are_the_same_for_one_seed() -> None:
    assert some(20, seed=3) == some(20, seed=3)
