"""Maps of the largest and the smallest of each day: what a mean of them is asked by, and what none is."""

from __future__ import annotations

import pytest

from knowflow.question.operators import Over, Quantity, walk
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import STATISTIC, Chosen, DataWords

KINDS = {"air_temperature": "temperature", "wind_speed": "wind speed"}


def data(kind: str) -> DataWords:
    two = tuple(Chosen(STATISTIC, said, (kind,)) for said in ("maximum", "minimum"))
    return DataWords(frozenset({kind}), chosen=two, objects=("Old Mill",))


def statistics(said: str, kind: str) -> tuple[set[str], set[str]]:
    """The statistics over the ground, and those of the maps that are taken."""
    x = read(said, data(kind)).expression
    assert x is not None, said
    parts = [part for _, part in walk(x)]
    over = {str(part.statistic) for part in parts if isinstance(part, Over) and part.axes == "space"}
    return over, {str(dict(part.having).get(STATISTIC)) for part in parts if isinstance(part, Quantity)}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("held", ["maximum", "minimum"])
@pytest.mark.parametrize(
    "said",
    [
        "What was the average daily {} {} in July 2019?",
        "On which day was the average {} {} highest?",
        "What was the mean of the daily {} {} in July 2019?",
    ],
)
def test_a_mean_of_the_largest_of_each_day_is_over_the_ground(said: str, held: str, kind: str) -> None:
    assert statistics(said.format(held, KINDS[kind]), kind) == ({"mean"}, {held})


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("held", ["maximum", "minimum"])
def test_without_a_mean_it_is_the_largest_of_the_ground(held: str, kind: str) -> None:
    assert statistics(f"{held} {KINDS[kind]} in July 2019", kind) == ({held}, {held})
