"""What is asked of a thing that something else chooses is told, and not what it is chosen by; what several share counts
once."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowflow.question.operators import Extreme, Over, Polygons, Within, walk
from knowflow.question.reading.features import FeatureLayer
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords
from tests.question.reading.same_reading import assert_read_as

PLACES = ("Upper", "Lower", "Side")
DATA = DataWords(
    frozenset({"elevation", "ice_velocity", "night_lights"}),
    objects=PLACES,
    keys=(("glacier", "objects"), ("glaciers", "objects")),
    features=(FeatureLayer(None, 3, ("glacier", "glaciers"), PLACES, (), (("visitors", "visitors", "1"),)),),
    dates=(date(2009, 1, 1), date(2021, 1, 1)),
    surveyed=("elevation",),
)
HOW = ("How large", "How high", "How big", "How much", "How low", "How strong")
CHOOSING = (
    "the largest area",
    "the highest mean night lights",
    "the most visitors",
    "the highest mean elevation in 2009",
)


@given(st.sampled_from(HOW), st.sampled_from(("is", "was")), st.sampled_from(CHOOSING))
def test_what_is_asked_of_one_is_not_what_it_is_chosen_by(how: str, verb: str, choosing: str) -> None:
    found = read(f"{how} {verb} the glacier with {choosing}?", DATA)
    for x in found.candidates():
        assert not isinstance(x, Extreme)
        chosen = [part for _, part in walk(x) if isinstance(part, Within) and isinstance(part.where, Extreme)]
        assert chosen, x


def test_how_large_the_one_is_that_something_else_chooses() -> None:
    found = read("How large is the glacier with the highest mean night lights?", DATA).expression
    areas = [part for _, part in walk(found) if isinstance(part, Over) and part.statistic == "area"]  # type: ignore[arg-type]
    assert isinstance(areas[0].x, Within)
    assert isinstance(areas[0].x.x, Polygons)


@pytest.mark.parametrize(
    ("said", "other"),
    [
        ("Which glacier has the largest area?", "the glacier with the largest area"),
        ("tell me the glacier with the largest area", "Which glacier is the largest?"),
    ],
)
def test_which_it_is_may_be_asked_in_any_words(said: str, other: str) -> None:
    assert_read_as(said, other, DATA)


def test_what_all_of_them_lost_in_total_is_one_number() -> None:
    found = read("total ice volume lost by the three glaciers from 2009 to 2021", DATA).expression
    assert isinstance(found, Over)
    assert (found.axes, found.statistic) == ("objects", "sum")


def test_what_each_lost_in_total_is_told_of_each() -> None:
    found = read("total ice volume lost by glacier from 2009 to 2021", DATA).expression
    assert not (isinstance(found, Over) and found.axes == "objects")


@pytest.mark.parametrize("limit", [10, 50, 120])
def test_a_share_of_their_area_is_of_the_ground_and_not_of_their_number(limit: int) -> None:
    said = f"What share of the glacier area moved faster than {limit} m per year?"
    assert_read_as(said, f"What share of the area of the glaciers has an ice velocity above {limit} m per year?", DATA)
