"""Ground that is left out is left out in any place of a sentence, and marks of a quality band are grounds, too."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowflow.question.operators import And, Expression, IsClass, Not, Or, Over, Quantity, walk
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords
from tests.question.reading.same_reading import assert_read_as

DATA = DataWords(
    frozenset({"ndvi", "ndwi", "elevation", "slope", "water_mask", "surface_temperature", "cloud_mask"}),
    {"land_cover_class": ("forest", "cropland", "grassland", "wetland")},
)
WAYS = (
    "{asked}, leaving out {what}",
    "{asked}, not counting {what}",
    "{asked}, not including {what}",
    "{asked}, except {what}",
    "{asked} (not counting {what})",
    "{asked}, with {what} left out",
    "{asked}, {what} not included",
    "{asked} ({what} excluded)",
    "Leaving out {what}, {asked}",
    "Ignoring {what}, {asked}",
)
ASKED = ("what was the mean NDVI in 2021", "how many hectares had an NDVI above 0.4 in 2021", "what is the mean slope")
GROUND = ("water", "cropland", "wetlands", "slopes above 30 degrees", "areas above 900 m")


@given(st.sampled_from(WAYS), st.sampled_from(ASKED), st.sampled_from(GROUND))
def test_it_is_left_out_wherever_it_is_said(way: str, asked: str, what: str) -> None:
    assert_read_as(way.format(asked=asked, what=what), f"{asked} outside {what}", DATA)


def test_it_may_be_told_by_what_is_so_there() -> None:
    asked = "What is the mean NDVI in 2021"
    assert_read_as(
        f"{asked}, except where the slope is above 30 degrees?", f"{asked} outside slopes above 30 degrees?", DATA
    )


@pytest.mark.parametrize(
    "question",
    [
        "What share of the area was forest in 2021, not counting cropland?",
        "What percentage of the area had an NDVI above 0.4 in 2021, leaving out water?",
        "Leaving out water, what share of the area had an NDVI above 0.4 in 2021?",
    ],
)
def test_of_a_share_nothing_tells_whether_it_is_of_the_rest(question: str) -> None:
    assert read(question, DATA).expression is None


def test_a_share_may_say_that_it_is_of_the_rest() -> None:
    said = "What share of the area, leaving out cropland, had an NDVI above 0.4 in 2021?"
    assert_read_as(said, "What share of the area outside cropland had an NDVI above 0.4 in 2021?", DATA)


MARKS = DataWords(frozenset({"ndvi", "surface_temperature", "qa_bits"}))
CLOUDY = ("cloud or cloud shadow", "cloud and cloud shadow", "clouds or their shadows", "shadow or cloud")


@pytest.mark.parametrize("marks", CLOUDY)
@pytest.mark.parametrize(
    "said",
    [
        "What share of the image of 6 July 2020 was {}?",
        "How much of the image of 6 July 2020 is under {}?",
        "What percentage of the scene was covered by {} on 6 July 2020, in percent?",
    ],
)
def test_marks_of_a_pixel_are_told_together(marks: str, said: str) -> None:
    x = read(said.format(marks), MARKS).expression
    assert isinstance(x, Over)
    either = next(part for part in _parts(x) if isinstance(part, Or))
    kinds = {part.kind for part in _parts(either) if isinstance(part, Quantity)}
    assert kinds == {"cloud_mask", "cloud_shadow_mask"}


def test_free_of_both_is_neither() -> None:
    asked = "What share of the image of 6 July 2020 is {}?"
    one = read(asked.format("free of cloud and cloud shadow"), MARKS).expression
    assert one is not None
    assert one == read(asked.format("free of cloud or shadow"), MARKS).expression


def test_one_mark_without_another_is_of_all() -> None:
    x = read("What share of the image of 6 July 2020 is under cloud, shadow not counted?", MARKS).expression
    assert x is not None
    both = next(part for part in _parts(x) if isinstance(part, And))
    assert isinstance(both.parts[1], Not)


def test_a_class_is_no_other_thing_that_begins_with_its_name() -> None:
    data = DataWords(frozenset({"qa_bits"}), {"qa_bits": ("cloud", "clear", "cloud shadow")})
    x = read("What share of the image of 6 July 2020 was cloud shadow?", data).expression
    assert IsClass(Quantity("qa_bits"), ("cloud",)) not in _parts(x)


@pytest.mark.parametrize(
    ("said", "other"),
    [
        ("Highest NDVI of any clear pixel in 2020", "Highest NDVI in 2020 anywhere, leaving out clouds"),
        ("What was the hottest clear pixel on 6 July 2020?", "What was the hottest cloud-free pixel on 6 July 2020?"),
        ("lowest mean NDVI of any grid cell in 2020", "lowest mean NDVI in 2020 of any pixel"),
    ],
)
def test_a_pixel_may_be_one_that_is_clear(said: str, other: str) -> None:
    assert_read_as(said, other, MARKS)


def test_the_lowest_mean_is_that_of_the_pixels() -> None:
    data = DataWords(frozenset({"air_temperature"}))
    x = read("What was the lowest mean temperature of any grid cell in 2018?", data).expression
    assert isinstance(x, Over)
    assert (x.axes, x.statistic) == ("space", "minimum")
    assert isinstance(x.x, Over)
    assert (x.x.axes, x.x.statistic) == ("time", "mean")


def _parts(x: Expression | None) -> list[Expression]:
    return [] if x is None else [part for _, part in walk(x)]
