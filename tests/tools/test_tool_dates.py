"""Dates as times on one axis."""

from __future__ import annotations

import numpy as np
import pytest

from knowflow.ground.errors import ToolError
from knowflow.tools.dates import elapsed_years, moment


@pytest.mark.parametrize(
    ("text", "day"),
    [("2020", (2020, 1, 1)), ("2020-05", (2020, 5, 1)), ("2020-05-06T23:00:00-02:00", (2020, 5, 7))],
)
def test_dates_of_every_precision_are_read(text: str, day: tuple[int, int, int]) -> None:
    found = moment(text)
    assert (found.year, found.month, found.day) == day


@pytest.mark.parametrize("text", ["yesterday", "", "2020-13-01"])
def test_what_is_not_a_date_is_named(text: str) -> None:
    with pytest.raises(ToolError, match="not a date"):
        moment(text)


def test_years_are_julian_years_from_the_first() -> None:
    found = elapsed_years(["2020-01-01", "2021-01-01", "2020-01-02T12:00:00Z"])
    assert found == pytest.approx(np.array([0, 366, 1.5]) / 365.25)
