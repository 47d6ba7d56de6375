"""Questions that say of which files they are, by their names."""

from __future__ import annotations

import pytest

from knowflow.question.normal import equal
from knowflow.question.reading.features import FeatureLayer
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords, HeldFile

FINE_DUST, GREEN = "pm25_concentration", "ndvi"
TABLE = FeatureLayer("posts.csv", 60, ("posts",), (), (), (("PM2.5", "pm25", "ug m-3"), ("level", "level_m", "m")))
FILES = (
    HeldFile(frozenset({"fine", "dust"}), FINE_DUST),
    HeldFile(frozenset({"quadrat", "landsat"}), GREEN),
    HeldFile(frozenset({"post"}), table="posts.csv"),
)
DATA = DataWords(frozenset({FINE_DUST, GREEN}), features=(TABLE,), files=FILES)


@pytest.mark.parametrize(
    ("said", "other"),
    [
        ("What was the mean NDVI of the quadrat picture?", "What was the mean NDVI?"),
        ("What was the mean NDVI in the 2018 Landsat clip?", "What was the mean NDVI in 2018?"),
        ("What was the mean PM2.5 concentration in the gridded data?", "What was the mean PM2.5 concentration?"),
    ],
)
def test_files_that_are_named_are_those_that_are_asked(said: str, other: str) -> None:
    found = read(said, DATA).expression
    assert found is not None
    assert equal(found, read(other, DATA).expression)


@pytest.mark.parametrize(
    "said",
    [
        "What was the mean NDVI of the transect picture?",  # which there is not
        "What was the mean NDVI of the posts log?",  # which holds something else
        "What was the mean NDVI of the fine dust clip?",
    ],
)
def test_files_that_are_not_there_or_hold_something_else_are_not_passed_over(said: str) -> None:
    assert read(said, DATA).expression is None


def test_of_two_files_of_a_quantity_none_is_taken_for_both() -> None:
    both = (*FILES, HeldFile(frozenset({"transect", "landsat"}), GREEN))
    data = DataWords(frozenset({FINE_DUST, GREEN}), features=(TABLE,), files=both)
    assert read("What was the mean NDVI of the quadrat picture?", data).expression is None
