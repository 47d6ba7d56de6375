"""A mean in features that are counted is one of each; of all of them together where a word says so."""

from __future__ import annotations

from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowflow.question.operators import Over, Polygons, Split, Within, walk
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords
from tests.question.reading.same_reading import assert_read_as

_DATA = DataWords(
    quantities=frozenset(("ndvi", "sea_surface_temperature", "elevation")),
    objects=("North", "South", "East"),
    maps=MappingProxyType({"ndvi": 1, "sea_surface_temperature": 1, "elevation": 1}),
)


@given(
    noun=st.sampled_from(("NDVI", "elevation", "sea surface temperature")),
    number=st.sampled_from(("three", "3")),
    called=st.sampled_from(("districts", "parks", "zones")),
    asked=st.sampled_from(("Mean {} of the {} {}", "What was the mean {} in the {} {}?", "Median {} in the {} {}")),
)
def test_a_mean_of_so_many_features_is_one_of_each(noun: str, number: str, called: str, asked: str) -> None:
    found = read(asked.format(noun, number, called), _DATA).expression
    if found is not None:
        assert any(isinstance(part, Split) and isinstance(part.key, Polygons) for _, part in walk(found))
        assert not any(isinstance(part, Within) for _, part in walk(found))


def test_it_is_read_as_of_each() -> None:
    assert_read_as("Mean NDVI of the three districts", "Mean NDVI of each district", _DATA)


@pytest.mark.parametrize(
    "question", ["Mean NDVI of the three districts together", "Mean NDVI in the three districts combined"]
)
def test_all_together_are_one(question: str) -> None:
    found = read(question, _DATA).expression
    assert isinstance(found, Over)
    assert not any(isinstance(part, Split) for _, part in walk(found))
