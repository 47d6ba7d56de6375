"""Totals of what adds up from date to date, and "total" as a word among others."""

from __future__ import annotations

import pytest

from knowflow.reason.language import understand


@pytest.mark.parametrize(
    ("text", "operations"),
    [
        ("What was the total rainfall in 2019?", ("sum",)),
        ("rainfall total of the wet season", ("sum",)),
        ("How much did it rain in March and April 2021?", ("sum",)),
        ("How much precipitation did the catchment get in 2021?", ("sum",)),
        ("Map of the accumulated precipitation", ("sum",)),
        ("Which year had the lowest total rainfall?", ("extreme_date", "minimum", "sum")),
        ("How much more rain fell in May than in June?", ("difference",)),
        ("How much has the rain changed?", ("change",)),
        ("Which month had the most rain altogether?", ("extreme_date", "maximum", "sum")),
        ("On how many days in total did it rain more than 20 mm?", ("count",)),
        ("Map of the total NDVI", ("map",)),
        ("total area with rain above 20 mm", ("area",)),
    ],
)
def test_what_adds_up_over_time_has_a_total(text: str, operations: tuple[str, ...]) -> None:
    assert understand(text).value("operations") == operations
