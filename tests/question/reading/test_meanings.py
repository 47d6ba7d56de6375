"""Words that a question says the meaning of, and what was so at one time and not at another."""

from __future__ import annotations

from datetime import date

import pytest

from knowflow.question.normal import equal
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords

DATA = DataWords(
    frozenset({"ndvi", "ndwi", "sigma0_db", "land_cover_class", "surface_temperature"}),
    classes={"land_cover_class": ("forest", "meadow")},
    keys=(("district", "objects"), ("districts", "objects")),
    dates=(date(2018, 6, 5), date(2023, 6, 5)),
)


def _same(said: str, other: str) -> bool:
    one, wanted = read(said, DATA).expression, read(other, DATA).expression
    assert wanted is not None, other
    return one is not None and equal(one, wanted)


@pytest.mark.parametrize(
    "said",
    [
        "Taking NDWI above 0 as water, how large was the lake in 2018?",
        "How large was the lake in 2018, counting NDWI above 0 as water?",
        "If water is NDWI above 0, how large was the lake in 2018?",
        "How large was the lake in 2018 if water means NDWI above 0?",
        "How large was the lake in 2018? Count pixels with NDWI above 0 as water.",
        "How large was the lake in 2018, using NDWI > 0?",
        "How large was the lake in 2018 (taking NDWI > 0 as water)?",
    ],
)
def test_a_word_is_what_the_question_takes_for_it(said: str) -> None:
    assert _same(said, "How large was the area with NDWI above 0 in 2018?")


@pytest.mark.parametrize(
    ("said", "other"),
    [
        (
            "How many hectares had NDWI above 0 in 2023 but not in 2018?",
            "How many hectares became water from 2018 to 2023, counting NDWI above 0 as water?",
        ),
        (
            "Mean NDVI in 2023 of the meadows that turned into forest from 2018 to 2023",
            "Mean NDVI in 2023 where meadow in 2018 and forest in 2023",
        ),
        (
            "By what percentage did the forest grow between 2018 and 2023, relative to 2018?",
            "By what percentage did the forest grow between 2018 and 2023?",
        ),
        ("Show on a map how much NDVI rose or fell from 2018 to 2023", "Map the change of NDVI from 2018 to 2023"),
        (
            "What share of the meadows of 2018 was forest by 2023?",
            "What share of the meadows of 2018 was forest in 2023?",
        ),
        ("Mean NDVI in 2018? leave clouds out", "Mean NDVI in 2018, leaving out clouds"),
        (
            "Which district lost the largest area of forest from 2018 to 2023?",
            "Which district lost the most forest from 2018 to 2023?",
        ),
        (
            "How many districts had a mean NDVI above 0.5 in both June and July?",
            "How many districts had a mean NDVI above 0.5 in June and a mean NDVI above 0.5 in July?",
        ),
        ("Map how much the surface warmed from 2018 to 2023", "Map the change of temperature from 2018 to 2023"),
        (
            "In which district lies the largest forest in 2018?",
            "Which district has the largest area of forest in 2018?",
        ),
    ],
)
def test_what_changed_is_told_in_many_ways(said: str, other: str) -> None:
    assert _same(said, other)


def test_nothing_is_compared_with_what_lies_in_it() -> None:
    assert read("By what percentage did the forest grow from 2018 to 2023, relative to 2020?", DATA).expression is None


def test_what_one_word_is_said_to_be_is_no_other_word() -> None:
    assert read("Taking NDVI above 0.6 as water, how large was the forest?").expression is None
