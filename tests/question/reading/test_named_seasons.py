"""Parts of a year by their names, as notes tell them or by the first letters of their months, and the same part of
another year."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords
from tests.question.reading.same_reading import assert_read_as

_DATA = DataWords(
    quantities=frozenset(("precipitation", "air_temperature")),
    objects=("North Park", "Mill"),
    dates=tuple(date(year, month, 1) for year in (2020, 2021) for month in range(1, 13)),
    seasons=((("belg",), (2, 5)), (("big", "rains"), (6, 9)), (("harmattan",), (11, 2))),
)
_LETTERS = "JFMAMJJASOND"
_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October")
_MONTHS += ("November", "December")


@given(
    first=st.integers(0, 9),
    length=st.integers(3, 5),
    year=st.sampled_from((2020, 2021)),
    asked=st.sampled_from(("Total rain in {}", "Mean temperature of {}", "How much rain did each district get in {}?")),
)
def test_first_letters_of_months_are_these_months(first: int, length: int, year: int, asked: str) -> None:
    last = min(first + length, 12) - 1
    letters = _LETTERS[first : last + 1]
    if len(letters) >= 3:
        named, told = f"{letters} {year}", f"{_MONTHS[first]} to {_MONTHS[last]} {year}"
        assert_read_as(asked.format(named), asked.format(told), _DATA)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("How much rain fell in the belg of 2021?", "How much rain fell in February to May 2021?"),
        ("Belg 2020 rain at Mill (mm)", "February to May 2020 rain at Mill (mm)"),
        ("2020 belg rain at Mill (mm)", "February to May 2020 rain at Mill (mm)"),
        ("Which district had the wettest big rains in 2020?", "Which district had the wettest June-September in 2020?"),
        ("Total of the big rains 2021", "Total of the June-September rains 2021"),
        ("Total rain in the belg (February-May) of 2021", "Total rain of February to May 2021"),
        ("Total rain in the belg (FMAM) 2021", "Total rain of February to May 2021"),
        (
            "How much belg rain did each district get in 2021?",
            "How much February-May rain did each district get in 2021?",
        ),
        ("Mean temperature in DJF 2020/21", "Mean temperature from December 2020 to February 2021"),
        ("Mean temperature in the harmattan 2020-2021", "Mean temperature from November 2020 to February 2021"),
        ("How many mm did Mill get in May 2021?", "How much rain did Mill get in May 2021 in mm?"),
        (
            "By what factor was MAM 2021 wetter than that of 2020?",
            "By what factor was MAM 2021 wetter than MAM 2020?",
        ),
        (
            "Was the temperature in JJA 2021 higher than that of 2020?",
            "Was the temperature in JJA 2021 higher than in JJA 2020?",
        ),
    ],
)
def test_a_named_season_is_its_months(one: str, other: str) -> None:
    assert_read_as(one, other, _DATA)


@pytest.mark.parametrize(
    "question",
    [
        "Rain in the belg of 2021",  # of which no note tells the months
        "Mean temperature in DJF 2020",  # of which of the two winters
        "Mean temperature in mam 2020",  # and no letters of months
    ],
)
def test_what_nothing_tells_stays_open(question: str) -> None:
    untold = DataWords(_DATA.quantities, objects=_DATA.objects, dates=_DATA.dates)
    assert read(question, untold).expression is None
