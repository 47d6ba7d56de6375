"""What is usual is the same time of the other years; where files are called normals, nobody takes others for them."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowflow.question.operators import Anomaly, Beyond, During, Number, Over, Quantity, walk
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords, HeldFile
from tests.question.reading.same_reading import assert_read_as

_DATA = DataWords(
    quantities=frozenset(("precipitation", "air_temperature")),
    dates=tuple(date(year, month, 1) for year in range(2015, 2021) for month in range(1, 13)),
    maps=MappingProxyType({"precipitation": 72, "air_temperature": 72}),
)
_USUAL = ("normal", "usual", "the long-term average", "the long-term mean", "the climatology", "other years")


@given(
    usual=st.sampled_from(_USUAL),
    graded=st.sampled_from((("drier", "below", "precipitation"), ("wetter", "above", "precipitation"))),
    month=st.sampled_from(("March 2016", "November 2017")),
)
def test_ground_that_was_less_than_usual(usual: str, graded: tuple[str, str, str], month: str) -> None:
    word, side, kind = graded
    found = read(f"What share of the area was {word} than {usual} in {month}?", _DATA).expression
    assert isinstance(found, Over)
    tests = [part for _, part in walk(found) if isinstance(part, Beyond)]
    assert [(one.side, one.limit) for one in tests] == [(side, Number(0.0, "mm"))]
    assert [part.x for _, part in walk(tests[0].x) if isinstance(part, During)] == [Anomaly(Quantity(kind))]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Was April 2018 wetter than normal?", "Was April 2018 wetter than usual?"),
        ("Was the rainfall of April 2018 above normal?", "Was April 2018 wetter than usual?"),
        ("Was the rainfall of April 2018 above the long-term average?", "Was April 2018 wetter than usual?"),
        ("In how many months was rain below normal?", "In how many months was rain below the climatology?"),
        ("How much wetter than normal was April 2018?", "How much wetter was April 2018 than other years?"),
        ("How much more rain than normal fell in April 2018?", "How much wetter was April 2018 than other years?"),
    ],
)
def test_words_for_what_is_usual_are_alike(one: str, other: str) -> None:
    assert_read_as(one, other, _DATA)


def test_how_much_wetter_asks_for_no_area() -> None:
    found = read("How much wetter than normal was April 2018?", _DATA).expression
    assert isinstance(found, Over)
    assert (found.axes, found.statistic) == ("time", "sum")  # departures of months add up to that of the season
    assert not any(isinstance(part, Beyond) for _, part in walk(found))


@pytest.mark.parametrize("called", ["normal", "climatology", "clim"])
@pytest.mark.parametrize(
    "question",
    [
        "What share of the area was drier than normal in November 2017?",
        "How much warmer than the long-term mean was April 2018?",
        "In which years was the rainfall below normal?",
    ],
)
def test_files_of_normals_are_what_is_meant(called: str, question: str) -> None:
    held = replace(_DATA, files=(HeldFile(frozenset(("precip", called)), "precipitation"),))
    assert read(question, held).expression is None


def test_no_date_is_held_against_the_average_of_itself() -> None:
    question = "What share of the area was below average in rainfall in November 2017?"
    assert read(question, _DATA).expression is None
