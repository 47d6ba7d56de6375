"""Changes and differences are ranked by their size; rises, drops and what is taken one way round by their sign."""

from __future__ import annotations

from datetime import date

import pytest

from knowflow.question.operators import Calculate, Extreme, walk
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords

_DATA = DataWords(
    quantities=frozenset(("ndvi", "precipitation", "no2_column")),
    objects=("North Park", "Mill"),
    dates=tuple(date(year, month, 1) for year in (2020, 2021) for month in range(1, 13)),
)


def _by_size(question: str) -> bool:
    found = read(question, _DATA).expression
    assert isinstance(found, Extreme), found
    return any(isinstance(part, Calculate) and part.how == "absolute" for _, part in walk(found))


@pytest.mark.parametrize("kind", ["NDVI", "rain", "NO2"])
@pytest.mark.parametrize(
    ("asked", "by_size"),
    [
        ("Which district had the largest change in {} from 2020 to 2021?", True),
        ("Which district had the smallest change in mean {} from 2020 to 2021?", True),
        ("Which district had the biggest difference in {} between 2020 and 2021?", True),
        ("Which district had the largest increase in {} from 2020 to 2021?", False),
        ("Which district had the largest drop in {} from 2020 to 2021?", False),
        ("Which district had the most negative change in {} from 2020 to 2021?", False),
        ("In which district did {} fall most from 2020 to 2021?", False),
    ],
)
def test_a_change_without_a_direction_is_ranked_by_its_size(asked: str, by_size: bool, kind: str) -> None:
    assert _by_size(asked.format(kind)) is by_size
