"""The range of a quantity's values, and ranges that are none."""

from __future__ import annotations

import pytest

from knowflow.reason.language import understand


@pytest.mark.parametrize(
    "query",
    [
        "Elevation range of the area",
        "What is the range of the elevation?",
        "Difference between the highest and the lowest elevation",
        "Slope range",
        "By how much do the maximum and the minimum elevation differ?",
    ],
)
def test_a_range_of_values(query: str) -> None:
    assert understand(query).value("operations") == ("range",)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("What share of the area is in the range 0.2 to 0.4 NDVI?", "share"),
        ("Area of the mountain range above 400 m", "area"),
        ("When was the difference between the maximum and the minimum temperature largest?", "extreme_date"),
        ("Difference between the maximum NDVI in 2020 and the minimum NDVI in 2021", "difference"),
    ],
)
def test_other_ranges_are_none(query: str, expected: str) -> None:
    assert understand(query).value("operation") == expected
