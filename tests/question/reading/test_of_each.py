"""Features of each of which something holds, by a statistic of theirs; ground of one, where none is of several."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowflow.question.operators import Attribute, Beyond, Holds, Over, Polygons, Within, walk
from knowflow.question.reading.features import FeatureLayer
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords
from tests.question.reading.same_reading import assert_read_as

WARDS = FeatureLayer(None, 3, ("wards", "ward"), ("North Side", "Mill"), (), (("people", "pop", "1"),))
DATA = DataWords(
    frozenset({"surface_temperature", "elevation", "ndvi"}),
    objects=("North Side", "Mill"),
    keys=(("wards", "objects"), ("ward", "objects")),
    features=(WARDS,),
)
SAID = {
    "mean surface temperature": ("{} °C", "surface_temperature"),
    "mean NDVI": ("0.{}", "ndvi"),
    "maximum elevation": ("{} m", "elevation"),
}


def chosen(question: str) -> list[bool]:
    """Whether what is asked is of features that are chosen each as a whole, for each way to read it."""
    found = [read(question, DATA).expression]
    return [
        e is not None and any(isinstance(part, Within) and isinstance(part.where, Holds) for _, part in walk(e))
        for e in found
    ]


@given(
    said=st.sampled_from(sorted(SAID)),
    limit=st.integers(10, 90),
    asked=st.sampled_from(("How many people live in {}?", "total area of {}", "What is the total population of {}")),
    words=st.sampled_from(("wards whose {} is above {}", "wards with a {} above {}", "wards where the {} is above {}")),
)  # fmt: skip
def test_a_statistic_that_is_told_is_that_of_each(said: str, limit: int, asked: str, words: str) -> None:
    question = asked.format(words.format(said, SAID[said][0].format(limit))).replace("population", "number of people")
    assert chosen(question) == [True], question


@pytest.mark.parametrize(
    "question",
    [
        "area of Mill where the mean surface temperature is above 30 °C",
        "total area of the wards warmer than 30 °C",
        "area where the mean surface temperature is above 30 °C",
        "How many people live in wards with dense vegetation?",
    ],
)
def test_ground_stays_ground(question: str) -> None:
    assert chosen(question) == [False]


FIELDS = FeatureLayer(
    "fields", 4, ("fields", "field"), ("A1", "A2"), ("rye", "clover", "Moser"), (),
    (("crop", ("rye", "clover")), ("owner", ("Moser", "Huber"))),
)  # fmt: skip
FARM = DataWords(
    frozenset({"surface_temperature", "air_temperature", "elevation", "ndvi"}),
    objects=("A1", "A2", "rye", "clover", "Moser", "Huber"),
    keys=(("fields", "objects of fields"), ("field", "objects of fields"), ("crop", "objects of fields\ncrop")),
    features=(FIELDS, replace(WARDS, name="wards")),
)


@pytest.mark.parametrize(
    ("said", "other"),
    [
        ("How many hectares do we have under rye?", "How many hectares of rye do we have?"),
        ("How many hectares are planted with clover?", "How many hectares of clover do we have?"),
        ("How many hectares does Moser own?", "How many hectares of Moser do we have?"),
        ("In which field is the lowest point?", "Which field contains the lowest point?"),
        ("In which field does the highest point lie?", "Which field contains the highest point?"),
        ("Which rye had the highest mean NDVI?", "Which rye field had the highest mean NDVI?"),
    ],
)
def test_they_are_asked_about_in_other_words(said: str, other: str) -> None:
    assert_read_as(said, other, FARM)


def test_ground_behind_two_quantities_is_that_of_both() -> None:
    both = read("Was the mean surface temperature higher than the mean air temperature in A1?", FARM).expression
    assert both is not None
    assert sum(isinstance(part, Within) for _, part in walk(both)) == 2
    each = read("Was the mean surface temperature higher in A1 than in A2?", FARM).expression
    assert each is not None
    assert [part.where for _, part in walk(each) if isinstance(part, Within)] == [
        Polygons(("A1",), layer="fields"),
        Polygons(("A2",), layer="fields"),
    ]


def test_what_a_file_tells_is_told_of_whole_features() -> None:
    found = read("How many people live in wards above 300 m?", DATA).expression
    assert isinstance(found, Over)
    assert isinstance(found.x, Attribute)
    assert isinstance(found.x.x, Within)
    assert isinstance(found.x.x.where, Holds)
    test = found.x.x.where.x
    assert isinstance(test, Beyond)
    assert isinstance(test.x, Over)
    assert found.x.x.x == Polygons()
