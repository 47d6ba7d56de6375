"""Statistics in brackets, and behind a comma, which make no mean of a total."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowflow.question.operators import Expression, Over, walk
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords

_DATA = DataWords(
    quantities=frozenset(("precipitation", "air_temperature")),
    dates=tuple(date(year, month, 1) for year in (2020, 2021) for month in range(1, 13)),
)


def _over_time(x: Expression) -> set[str]:
    return {part.statistic for _, part in walk(x) if isinstance(part, Over) and part.axes == "time"}


_TAILS = (
    *("(mm, area mean)", "(area mean, mm)", "(area average)", "(mm, mean over the area)", "(mean of the area, mm)"),
    *("(mm, averaged over the area)", "(mean)", "(mm, on average)", ", area mean, mm", ", mean over the area"),
)


@given(
    asked=st.sampled_from(("How much rain fell in {}", "How much did it rain in {}", "Total rainfall in {}")),
    when=st.sampled_from(("2020", "May 2020", "May to August 2021", "July and August 2021")),
    tail=st.sampled_from(_TAILS),
)
def test_no_bracket_and_no_tail_makes_a_mean_of_a_total(asked: str, when: str, tail: str) -> None:
    question = asked.format(when) + ("" if tail.startswith(",") else " ") + tail + "?"
    for x in read(question, _DATA).candidates():
        assert _over_time(x) <= {"sum"}, (question, x)


@pytest.mark.parametrize("tail", ["(°C, mean)", "(mean, °C)", "(area mean, °C)", "(°C, area mean)"])
def test_of_what_does_not_add_up_the_mean_stays_a_mean(tail: str) -> None:
    found = read(f"Temperature in 2020 {tail}", _DATA)
    assert found.expression is not None, found
    assert _over_time(found.expression) == {"mean"}
