"""Expressions grown near to what was heard: they fit, and have what was heard."""

from __future__ import annotations

from itertools import islice

from hypothesis import given, settings
from hypothesis import strategies as st

from knowflow.question.check import type_of
from knowflow.question.operators import During, IsClass, Number, Over, Polygons, Quantity, Trend, walk
from knowflow.question.reading.nearby import AtHand, heard_in, heard_of, nearby
from knowflow.question.reading.reader import read
from knowflow.question.reading.sentence import sentence_of
from knowflow.question.reading.vocabulary import DataWords
from knowflow.question.times import Times, times

NDVI, SLOPE = Quantity("ndvi"), Quantity("slope")
FOREST = IsClass(Quantity("land_cover_class"), ("forest",))
YEARS = tuple(when for when in map(times, ("2016", "2017")) if isinstance(when, Times))
AT_HAND = AtHand((NDVI, SLOPE), YEARS, (FOREST,), ("year", Polygons()), (Number(0.5),), {"statistic": ("deviation",)})
WISHES = (NDVI, SLOPE, "during", "within", "split", "beyond", "trend", "extreme", "calculate", ("over", "deviation"))


@settings(max_examples=30)
@given(st.sets(st.sampled_from(WISHES), max_size=5))
def test_all_that_grows_fits_and_is_an_answer(wishes: set[object]) -> None:
    heard = {wish: frozenset((place,)) for place, wish in enumerate(wishes)}
    for one in islice(nearby(AT_HAND, heard), 60):
        own = type_of(one)
        assert own is not None
        assert not own.space


def test_the_nearest_has_all_that_was_heard() -> None:
    heard = {wish: frozenset((place,)) for place, wish in enumerate((NDVI, "trend", "during", YEARS[0]))}
    nearest = next(nearby(AT_HAND, heard))
    parts = [part for _, part in walk(nearest)]
    assert {NDVI, During(NDVI, YEARS[1])} <= set(parts) or During(NDVI, YEARS[0]) in parts
    assert any(isinstance(part, Trend) for part in parts)


def test_what_can_be_asked_is_the_nearest_to_itself() -> None:
    asked = read("What was the standard deviation of NDVI in 2017?").expression
    assert asked is not None
    assert asked in list(islice(nearby(AT_HAND, heard_of(asked)), 3))


def test_words_of_a_sentence_that_is_not_read_are_heard() -> None:
    heard = heard_in(sentence_of("the blorped standard deviation of NDVI above 0.3 in 2016", DataWords()))
    assert heard["over", "deviation"] == {1, 2}
    assert heard[NDVI] == {4}
    assert {"beyond", "during", Number(0.3)} <= heard.keys()
    assert Number(2016.0) not in heard
    assert Over(NDVI, "space", "deviation") not in heard
