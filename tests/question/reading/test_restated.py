"""What says the same again, in brackets or behind a comma: it is left out where it does, and nowhere else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowflow.question.operators import Calculate, During, walk
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords
from tests.question.reading.same_reading import assert_read_as

DATA = DataWords(frozenset({"surface_temperature", "air_temperature", "elevation", "hillshade", "cloud_mask"}))
MONTHS = ("January", "March", "June", "October")


@pytest.mark.parametrize(
    ("said", "other"),
    [
        (
            "How warm was the air in January 2020 (monthly mean)?",
            "What was the mean air temperature in January 2020?",
        ),
        ("Mean air temperature in June 2020, monthly mean", "Mean air temperature in June 2020"),
        ("What was the mean air temperature in 2020 (air temperature)?", "What was the mean air temperature in 2020?"),
        (
            "How much warmer was the surface on 12 July than on 18 June 2022, over pixels clear on both days?",
            "What was the mean change of surface temperature from 18 June 2022 to 12 July 2022?",
        ),
        (
            "Mean change of surface temperature from 18 June to 12 July 2022 (valid in both scenes)",
            "Mean change of surface temperature from 18 June to 12 July 2022",
        ),
        ("What is the relief (highest minus lowest point)?", "What is the range of elevation?"),
        ("In which month of 2020 was the air warmest (give the month)?", "In which month of 2020 was the air warmest?"),
        (
            "How much warmer was the air in June 2020 than in June 2019 (2020 minus 2019, degrees)?",
            "How much warmer was the air in June 2020 than in June 2019?",
        ),
        ("What is the local relief?", "What is the range of elevation?"),
    ],
)
def test_it_is_left_out(said: str, other: str) -> None:
    assert_read_as(said, other, DATA)


@pytest.mark.parametrize(
    "said",
    [
        "How warm was the air in January 2020 (monthly maximum)?",
        "Mean air temperature in 2020 (January)",
        "Mean air temperature in June 2020 (surface temperature)",
        "Mean air temperature in June 2020 (minus)",
        "Mean air temperature in June 2020 (clear on both days)",
        "Mean air temperature in June 2020, above 20 °C",
        "How many km2 were under cloud on 12 July 2022 (not shadow, 3)?",
    ],
)
def test_what_says_more_is_never_left_out(said: str) -> None:
    again = read(said, DATA)
    assert all(one != read(said.partition("(")[0].partition(",")[0], DATA).expression for one in again.candidates())


@pytest.mark.parametrize("said", ["(m, mean)", "(m)", "(mean, in m)", ", in m"])
def test_a_unit_in_it_is_that_of_the_answer(said: str) -> None:
    found = read(f"What was the mean elevation {said}?", DATA)
    assert found.expression == read("What was the mean elevation?", DATA).expression
    assert found.unit == "m"


@given(first=st.sampled_from(MONTHS), later=st.sampled_from(MONTHS), year=st.integers(2001, 2020), swap=st.booleans())
def test_a_difference_is_taken_as_the_bracket_has_it(first: str, later: str, year: int, swap: bool) -> None:
    if first == later:
        return
    a, b = (later, first) if swap else (first, later)
    told = f"By how much did the mean air temperature change from {first} {year} to {later} {year + 1} ({a} minus {b})?"
    found = read(told, DATA).candidates()
    assert len(found) == 1, told
    (of,) = (part for _, part in walk(found[0]) if isinstance(part, Calculate))
    first_of = next(part.when for _, part in walk(of.a) if isinstance(part, During))
    assert f"{str(first_of)[5:7]}" == {"January": "01", "March": "03", "June": "06", "October": "10"}[a]
