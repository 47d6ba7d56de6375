"""Times as people say them, and what stands at either end of a question: units, grounds, keys, in parentheses too."""

from __future__ import annotations

from datetime import date
from types import MappingProxyType

import pytest

from knowflow.question.normal import equal
from knowflow.question.operators import During, Expression, walk
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords
from knowflow.question.times import Times, times

_DATA = DataWords(
    quantities=frozenset(("land_cover_class", "ndvi", "elevation", "precipitation")),
    objects=("North Park", "Mill"),
    dates=(date(2000, 6, 1), date(2010, 6, 1), date(2020, 6, 1)),
    years=MappingProxyType({"land_cover_class": (2000, 2010, 2020)}),
)


@pytest.mark.parametrize(
    ("one", "other", "unit"),
    [
        ("Mean NDVI of June to August 2021", "Mean NDVI from June 2021 to August 2021", None),
        ("Mean NDVI in June-August 2021", "Mean NDVI from June 2021 to August 2021", None),
        ("Mean NDVI for June, July and August 2021", "Mean NDVI from June 2021 to August 2021", None),
        ("Mean NDVI (2021)", "Mean NDVI in 2021", None),
        ("Mean NDVI over all available dates of 2021", "Mean NDVI in 2021", None),
        ("Mean NDVI for every year on record", "Mean NDVI for each year", None),
        ("Mean NDVI in each of the three years", "Mean NDVI for each year", None),
        ("Rainfall of each county (mm, spatial mean)", "Mean rainfall of each county in mm", "mm"),
        ("How much forest was there in 2020? Please answer in hectares.", "Forest area in 2020", "ha"),
        ("In km2, how much forest was there in 2020?", "Forest area in 2020", "km2"),
        ("Mean NDVI in June 2010 and 2020", "Mean NDVI in June 2010 and June 2020", None),
        ("Hectares of forest, year by year", "Hectares of forest in 2000, 2010 and 2020", None),
    ],
)
def test_both_ask_the_same(one: str, other: str, unit: str | None) -> None:
    first, second = read(one, _DATA), read(other, _DATA)
    assert first.expression is not None, first
    assert second.expression is not None, second
    assert equal(first.expression, second.expression)
    assert first.unit == unit


def test_months_of_every_year() -> None:
    found = read("Mean NDVI over April to September for each year", _DATA).expression
    assert found is not None
    assert _texts(found) == ["april-september"]


def _texts(x: Expression) -> list[str]:
    return [str(one.when) for _, one in walk(x) if isinstance(one, During)]


def test_a_time_before_those_of_a_list_stays() -> None:
    found = read("Give the January to October mean NDVI for 2010 and for 2020.", _DATA).expression
    assert found is not None
    assert sorted(_texts(found)) == ["2010", "2020", "january-october", "january-october"]


def test_months_up_to_another() -> None:
    span = times("april-september")
    assert span == Times(month=4, until=9)
    assert str(span) == "april-september"
    assert [month for month in range(1, 13) if span.holds(date(2021, month, 5))] == [4, 5, 6, 7, 8, 9]
    assert times("september-april") is None
